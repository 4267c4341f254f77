"""Rules 3.4 and 3.5: who knows what."""

from __future__ import annotations

from typing import Any

import pytest
from table import NO_HU, SMALL, Table

from paohuzi_env.core import log
from paohuzi_env.core.tiles import NO_TILE

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]


def view(table: Table, seat: int) -> Any:
    """What the seat may know, with the last public events."""
    return table.game.view(seat, history=32)[0]


def wei_of_c(**fields: Any) -> Table:
    """Seat 1 has laid a wei of c and has to discard."""
    table = Table(["D", "ccfE", ""], "B", wall="cc", quiet="cD", **{**NO_HU, **fields}).do("0 discard D")
    return table.pass_until("1 wei ccc")


@pytest.mark.rule("3.4")
def test_others_see_that_a_wei_was_laid_and_not_its_kind() -> None:
    table = wei_of_c()
    assert [int(view(table, seat)["meld_kind"][1][0]) for seat in range(3)] == [NO_TILE, 2, NO_TILE]
    assert [int(view(table, seat)["huxi"][1]) for seat in range(3)] == [0, 3, 0]
    assert all(int(view(table, seat)["melds_n"][1]) == 1 for seat in range(3))


@pytest.mark.rule("3.4")
def test_the_kind_shows_when_the_wei_becomes_a_pao() -> None:
    table = wei_of_c().do("1 discard E").pass_until("1 pao cccc")
    assert [int(view(table, seat)["meld_kind"][1][0]) for seat in range(3)] == [2, 2, 2]


@pytest.mark.rule("3.4")
@pytest.mark.parametrize(("hand", "wall", "event"), [("cccf", "c", "1 ti cccc"), ("cc", "c", "1 chouwei ccc")])
def test_the_kind_of_a_ti_and_of_a_chouwei_is_seen(hand: str, wall: str, event: str) -> None:
    first = "c" if "chouwei" in event else "D"
    table = Table([first, hand, ""], "B", wall=wall, quiet="cD", **NO_HU).do(f"0 discard {first}")
    table.pass_until(event)
    assert [int(view(table, seat)["meld_kind"][1][0]) for seat in range(3)] == [2, 2, 2]


@pytest.mark.rule("3.5")
def test_hands_stale_kinds_and_the_decision_of_another_are_not_to_be_seen() -> None:
    table = Table(["c", "", "ccf"], "E", quiet="c", **NO_HU).do("0 discard c")
    assert table.window == "2 peng"
    mine, theirs = view(table, 2), view(table, 1)
    assert (mine["phase"], theirs["phase"], theirs["legal"]) == (3, -1, 0)
    assert "".join("abcdefghijABCDEFGHIJ"[k] * int(mine["hand"][k]) for k in range(20)) == table.hand(2)
    table.do("2 pass peng")
    assert view(table, 2)["stale_peng"] == 1 << 2
    assert view(table, 1)["stale_peng"] == 0


@pytest.mark.rule("3.5")
def test_passes_are_private_and_public_events_are_not() -> None:
    table = Table(["c", "", "ccf"], "E", wall="F", quiet="cF", **NO_HU).do("0 discard c", "2 pass peng")
    for seat in (0, 1):
        seen = view(table, seat)
        verbs = [log.VERBS[int(e) >> 2 & 31] for e in seen["history"][: int(seen["history_n"])]]
        assert verbs[:2] == ["discard", "draw"]
        assert not any(verb.startswith("pass") for verb in verbs)


@pytest.mark.rule("3.5")
def test_everybody_knows_the_numbers_of_tiles_and_that_a_hand_is_dead() -> None:
    table = Table(["F", "aaabbbCC", ""], "E", wall="C", quiet="CF", **NO_HU).do("0 discard F")
    table.pass_until("1 nodiscard")
    for seat in range(3):
        seen = view(table, seat)
        assert [int(n) for n in seen["hand_n"]] == [len(table.hand(s)) for s in range(3)]
        assert int(seen["wall_left"]) == len(table.wall())
        assert list(map(int, seen["dead"])) == [0, 1, 0]


@pytest.mark.rule("3.5")
def test_the_winners_tiles_are_shown_after_the_hand() -> None:
    table = Table(["fdBBACEE", "abDDDffF", "BdeAACEF"], "c", **SMALL)
    assert not view(table, 0)["winner_hand"].any()
    table.do("1 hu c")
    shown = view(table, 0)["winner_hand"]
    assert "".join("abcdefghijABCDEFGHIJ"[k] * int(shown[k]) for k in range(20)) == "abffDDDF"
