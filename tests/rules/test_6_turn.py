"""Rules, chapter 6: when a discard is owed, dead hands, the draw."""

from __future__ import annotations

import pytest
from table import NO_HU, SMALL, Table

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

BIG = {"min_huxi": 1000, "tian_hu_quads": 0, "tian_hu_kans": 0}


@pytest.mark.rule("6.1")
@pytest.mark.parametrize(
    ("hand", "tile", "claim"),
    [("ccfF", "c", "peng ccc"), ("abf", "c", "chi abc")],
)
def test_a_discard_follows_a_chi_or_a_peng(hand: str, tile: str, claim: str) -> None:
    table = Table([tile, hand, ""], "E", quiet=tile, **NO_HU).do(f"0 discard {tile}")
    assert table.do(f"1 {claim}").window == "1 discard"


@pytest.mark.rule("6.1")
def test_the_first_quad_is_followed_by_a_discard_and_the_second_is_not() -> None:
    table = Table(["c", "cccdddfA", ""], "E", wall="d", quiet="cd", **NO_HU).do("0 discard c")
    assert table.events[-1] == "1 pao cccc"
    assert table.window == "1 discard"
    table.do("1 discard f").pass_until("1 pao dddd")
    assert table.after("1 pao dddd")[0].startswith("2 ")


@pytest.mark.rule("6.1", "6.4")
def test_after_a_second_quad_the_seat_after_the_one_that_melded_draws() -> None:
    table = Table(["J", "aaaabbb", ""], "I", wall="hb", **BIG).do("0 discard J").pass_until("1 pao bbbb")
    event = table.after("1 pao bbbb")[0]
    assert event.split()[0] == "2"
    assert event.split()[1] in ("draw", "wei", "ti")


@pytest.mark.rule("6.1")
def test_a_double_opening_ti_gets_its_first_intake_free() -> None:
    table = Table(["F", "aaaabbbbFF", ""], "I", **BIG).do("0 discard F", "1 peng FFF")
    assert table.after("1 peng FFF")[0].startswith("2 ")
    assert len(table.hand(1)) == 10


@pytest.mark.rule("6.1")
@pytest.mark.parametrize(("pair", "first", "owed"), [("FFF", "pao FFFF", False), ("FF", "peng FFF", True)])
def test_the_next_intake_is_free_too_where_the_first_was_a_pao(pair: str, first: str, owed: bool) -> None:
    table = Table(["FGhh", "aaaabbbbGG" + pair, ""], "I", wall="Jh", **BIG).do("0 discard F")
    if table.window == "1 peng":
        table.do("1 peng FFF")
    assert table.after(f"1 {first}")[0].startswith("2 ")
    table.play_until("0 discard").do("0 discard G", "1 peng GGG")
    assert (table.window == "1 discard") is owed


@pytest.mark.rule("6.2")
def test_any_kind_held_once_or_twice_may_be_discarded() -> None:
    table = Table(["aabcDDDe", "", ""], "F", **NO_HU)
    assert table.asked == (0, ["discard F", "discard a", "discard b", "discard c", "discard e"])


# --- 6.3: dead hands --------------------------------------------------------------------------------------------


def dead_hand(wall: str, seat_2: str = "", **fields: object) -> Table:
    """Seat 1 has a wei of C and then only the kan of a and b: its hand is dead."""
    table = Table(["F", "aaabbbCC", seat_2], "E", wall="C" + wall, quiet="CF", **{**NO_HU, **fields})
    return table.do("0 discard F").pass_until("1 nodiscard")


@pytest.mark.rule("6.3", "6.4")
def test_a_hand_of_kan_alone_dies_and_the_turn_goes_on() -> None:
    table = dead_hand("f")
    assert table.dead(1)
    assert table.hand(1) == "aaabbb"
    assert table.after("1 nodiscard")[0].startswith("2 ")


@pytest.mark.rule("6.3")
@pytest.mark.parametrize("forced", [True, False])
def test_a_dead_hand_still_makes_a_pao_unasked(forced: bool) -> None:
    table = dead_hand("a", forced_pao=forced)
    assert table.after("2 draw a")[0] == "1 pao aaaa"
    # Quads now; six tiles less three, 3 mod 3 is no 2: nothing is owed.
    assert table.after("1 pao aaaa")[0].startswith("2 ")


@pytest.mark.rule("6.3")
def test_a_dead_hand_still_makes_a_ti() -> None:
    table = dead_hand("fAa").play_until("1 discard")
    assert "1 ti aaaa" in table.events
    assert table.events.count("1 nodiscard") == 1


@pytest.mark.rule("6.3")
def test_a_dead_hand_may_not_win() -> None:
    # Wei CCC, aaa, bbb are three doors: asked once, at the wei, and never when a pao completes it again.
    table = Table(["F", "aaabbbCC", ""], "E", wall="Cc", quiet="CFc", **SMALL).do("0 discard F")
    assert table.pass_until("1 wei CCC").window == "1 hu"
    table.do("1 pass hu")
    assert table.dead(1)
    table.play_until("1 hu")
    assert table.game.over or table.window != "1 hu"


@pytest.mark.rule("6.3")
def test_a_dead_hand_is_not_asked_to_chi_or_peng() -> None:
    table = dead_hand("ddDeE")
    while not table.game.over:
        assert not table.window.startswith("1 ")
        if table.game.phase == "discard":
            table.pair.play(table.game.legal_texts()[0])
        else:
            table.pass_once()


# --- 6.5, 6.6 -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("6.5", "6.5(a)")
@pytest.mark.parametrize(("hand", "wall", "event"), [("cccf", "c", "1 ti cccc"), ("ccff", "cAFc", "1 ti cccc")])
def test_a_kan_or_a_wei_and_the_own_draw_make_a_ti(hand: str, wall: str, event: str) -> None:
    table = Table(["D", hand, ""], "E", wall=wall, quiet="c", **NO_HU).do("0 discard D")
    while event not in table.events:
        table.pass_once() if table.game.phase != "discard" else table.pair.play(table.game.legal_texts()[0])
    assert table.melds(1)[-1] == "ti:cccc"
    assert "1 draw c" not in table.events


@pytest.mark.rule("6.5(b)")
def test_a_pair_and_the_own_draw_make_a_wei_which_a_discard_follows() -> None:
    table = Table(["D", "ccf", ""], "E", wall="c", quiet="c", **NO_HU).do("0 discard D").pass_until("1 wei ccc")
    assert (table.melds(1), table.window) == (["wei:ccc"], "1 discard")


@pytest.mark.rule("6.5(a)", "6.5(b)", "7.4")
@pytest.mark.parametrize(("hand", "wall", "event"), [("ccDDDffF", "c", "1 wei ccc"), ("cccDDDff", "c", "1 ti cccc")])
def test_the_drawer_is_asked_after_its_ti_or_wei(hand: str, wall: str, event: str) -> None:
    table = Table(["BEAABEEd", hand, ""], "b", wall=wall, quiet="cf", **SMALL).do("0 discard B")
    table.pass_until(event)
    assert table.asked == (1, ["hu c", "pass hu"])
    assert table.do("1 pass hu").window == "1 discard"


@pytest.mark.rule("6.5(c)")
def test_any_other_draw_is_shown_and_live() -> None:
    table = Table(["D", "abfF", ""], "E", wall="c", quiet="c", **NO_HU).do("0 discard D").pass_until("1 draw c")
    assert table.window == "1 chi"


@pytest.mark.rule("6.5", "9.3")
def test_an_empty_wall_ends_the_hand_without_payment() -> None:
    table = Table(["", "", ""], "E", **NO_HU).play_until("never")
    assert table.result == {"winner": None, "scores": [0, 0, 0]}
    assert table.wall() == ""


@pytest.mark.rule("6.6")
def test_forced_moves_are_no_decisions_and_single_choices_are() -> None:
    table = Table(["c", "", "cccf"], "F", quiet="c", **NO_HU).do("0 discard c")
    assert len(table.pair.twin.legals) == 1  # the discard
    assert "2 pao cccc" in table.events
    one = Table(["b", "abbccdBBefhiDEFGHIJA", ""], "j", **BIG)
    one.do("0 discard b", "1 pass peng", "1 chi bBB", "1 bi abc")
    assert one.asked == (1, ["bi bcd"])


@pytest.mark.rule("6.6", "6.2")
def test_a_discard_is_asked_also_where_only_one_is_legal() -> None:
    table = Table(["c", "aaabccBB", ""], "E", wall="", quiet="cB", **NO_HU).do("0 discard c", "1 peng ccc")
    assert table.asked == (1, ["discard B", "discard b"])
    tiny = {"hand_size": 5, "doors": 2, "ranks": 3, "min_huxi": 1000, "tian_hu_quads": 0, "tian_hu_kans": 0}
    table = Table(["c", "aacc", ""], "C", **tiny)
    assert table.do("0 discard c").window == "1 peng"
    table.do("1 peng ccc")
    assert table.game.phase == "discard"
