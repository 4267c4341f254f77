"""Rules, 5.1 to 5.7: who is asked about a live tile, and in which order."""

from __future__ import annotations

import pytest
from table import NO_HU, SMALL, Table

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

WAITS_C = "abDDDffF"  # with `c` three doors: abc, DDD, ffF
OPTIONAL = {**NO_HU, "forced_pao": False}


@pytest.mark.rule("5.1")
def test_hu_on_a_draw_is_asked_of_the_drawer_then_of_the_others_in_turn() -> None:
    table = Table(["fdabEEEd", "abAAAffF", "abBBBeeE"], "D", wall="c", **SMALL).do("0 discard f")
    table.pass_until("1 draw c")
    assert table.asked == (1, ["hu c", "pass hu"])
    assert table.do("1 pass hu").asked == (2, ["hu c", "pass hu"])
    assert table.do("2 pass hu").asked == (0, ["hu c", "pass hu"])
    assert table.do("0 hu c").result["winner"] == 0


@pytest.mark.rule("5.1", "7.2")
@pytest.mark.parametrize(("on_discard", "asked"), [(False, []), (True, [1, 2])])
def test_hu_on_a_discard_where_the_rules_allow_it(on_discard: bool, asked: list[int]) -> None:
    hands = ["cdBBCEEF", "abAAAffF", "abDDDeeE"]
    table = Table(hands, "d", hu_on_discard=on_discard, **SMALL).do("0 discard c")
    seen = []
    while table.game.phase == "hu":
        seen.append(table.game.actor)
        table.pass_once()
    assert seen == asked


@pytest.mark.rule("5.2", "5.3")
def test_hu_goes_before_a_forced_pao_which_follows_when_nobody_wins() -> None:
    table = Table(["fCBBdEEA", "abAAAffF", "cccDEEDB"], "d", wall="c", **SMALL)
    table.do("0 discard C").pass_until("1 draw c")
    assert table.window == "1 hu"
    table.do("1 pass hu")
    assert table.after("1 pass hu")[0] == "2 pao cccc"


@pytest.mark.rule("5.3")
def test_a_kan_takes_anothers_discard() -> None:
    table = Table(["c", "", "cccf"], "F", quiet="c", **NO_HU).do("0 discard c")
    assert table.after("0 discard c")[0] == "2 pao cccc"


@pytest.mark.rule("5.3")
def test_a_kan_takes_anothers_draw() -> None:
    table = Table(["F", "", "cccf"], "E", wall="c", quiet="cF", **NO_HU).do("0 discard F")
    assert table.after("1 draw c")[0] == "2 pao cccc"


@pytest.mark.rule("5.3")
def test_a_wei_takes_anothers_draw() -> None:
    table = Table(["F", "ccdE", ""], "E", wall="cc", quiet="cFd", **NO_HU).do("0 discard F")
    table.pass_until("1 wei ccc").do("1 discard E").pass_until("2 draw c")
    assert table.after("2 draw c")[0] == "1 pao cccc"


@pytest.mark.rule("5.3")
@pytest.mark.parametrize(("wall", "draw"), [("c", "2 draw c"), ("Ac", "0 draw c"), ("AFc", "1 draw c")])
def test_a_peng_takes_any_draw_also_the_own(wall: str, draw: str) -> None:
    table = Table(["c", "ccfD", ""], "E", wall=wall, quiet="cAFD", **NO_HU)
    table.do("0 discard c", "1 peng ccc", "1 discard D").pass_until(draw)
    assert table.after(draw)[0] == "1 pao cccc"


@pytest.mark.rule("5.3")
def test_a_discard_never_makes_a_pao_of_a_peng() -> None:
    table = Table(["c", "ccFD", "cff"], "E", wall="f", quiet="cf", **NO_HU)
    table.do("0 discard c", "1 peng ccc", "1 discard D").play_until("2 discard").do("2 discard c")
    assert table.melds(1)[-1] == "peng:ccc"


@pytest.mark.rule("5.3", "11")
def test_where_pao_is_a_choice_it_is_asked_after_hu_and_before_peng() -> None:
    table = Table(["c", "", "cccf"], "F", quiet="c", **OPTIONAL).do("0 discard c")
    assert table.asked == (2, ["pao cccc", "pass pao"])
    assert table.do("2 pao cccc").melds(2) == ["pao:cccc"]


@pytest.mark.rule("5.3", "11")
@pytest.mark.parametrize("walks", [True, False])
def test_who_walks_past_a_pao_may_not_hu_and_nothing_is_stale(walks: bool) -> None:
    table = Table(["DeBBACEE", WAITS_C, "BdeAAEEC"], "F", wall="c", **SMALL, forced_pao=False)
    if walks:
        table.do("0 discard D", "1 pass pao")
        assert table.stale(1) == ("", "")
    else:
        table.do("0 discard e")
    table.pass_until("1 draw c")
    assert (table.window == "1 hu") is not walks


@pytest.mark.rule("5.3", "11")
def test_a_pao_passed_once_is_asked_again_at_the_next_chance() -> None:
    # Seat 1's wei of c walks past nothing: its kan of D walks first, and then the wei is asked for its own fourth.
    table = Table(["D", "ccDDDfAB", ""], "E", wall="cc", quiet="cD", **OPTIONAL)
    table.do("0 discard D", "1 pass pao").pass_until("1 wei ccc")
    table.do("1 discard f").pass_until("2 draw c")
    assert table.window == "1 pao"


@pytest.mark.rule("5.4")
@pytest.mark.parametrize(("hand", "asked"), [("ccfA", True), ("cfA", False), ("ccCCaabb", True)])
def test_peng_needs_exactly_two(hand: str, asked: bool) -> None:
    table = Table(["c", "", hand], "E", quiet="c", **NO_HU).do("0 discard c")
    assert (table.window == "2 peng") is asked


@pytest.mark.rule("5.4", "6.5(b)")
def test_the_drawer_does_not_peng_its_own_draw() -> None:
    table = Table(["F", "ccdf", ""], "E", wall="c", quiet="cF", **NO_HU).do("0 discard F")
    table.pass_until("1 wei ccc")
    assert table.window == "1 discard"


@pytest.mark.rule("5.4", "5.7")
def test_peng_of_any_seat_goes_before_chi_and_who_was_not_asked_has_passed_nothing() -> None:
    table = Table(["c", "abdeFFAf", "ccDD"], "E", quiet="c", **NO_HU).do("0 discard c")
    assert table.window == "2 peng"
    assert table.do("2 peng ccc").window == "2 discard"
    assert table.stale(1) == ("", "")


@pytest.mark.rule("5.5", "5.7")
def test_a_passed_peng_stays_passed_when_another_takes_the_tile() -> None:
    table = Table(["c", "abdeFFAf", "ccDD"], "E", quiet="c", **NO_HU)
    table.do("0 discard c", "2 pass peng", "1 chi abc")
    assert table.stale(2) == ("c", "c")


@pytest.mark.rule("5.6")
def test_an_untaken_tile_lies_before_its_seat_and_the_next_seat_draws() -> None:
    table = Table(["c", "", ""], "E", wall="f", quiet="cf", **NO_HU).do("0 discard c")
    assert table.after("0 discard c")[0] == "1 draw f"
    game = table.game.record
    assert (int(game["river_n"][0]), int(game["river"][0][0])) == (1, 2)


@pytest.mark.rule("5.7")
def test_who_would_chi_is_not_asked_when_the_tile_makes_a_pao() -> None:
    table = Table(["c", "abdeFFAf", "cccD"], "E", quiet="c", **NO_HU).do("0 discard c")
    assert table.after("0 discard c")[0] == "2 pao cccc"
    assert table.stale(1) == ("", "")
