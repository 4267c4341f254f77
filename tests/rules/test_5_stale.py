"""Rules, 5.8 and 5.9: what passing costs."""

from __future__ import annotations

import pytest
from table import NO_HU, SMALL, Table

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

WAITS_C = "abDDDffF"  # with `c` three doors: abc, DDD, ffF


def passed_peng(wall: str = "f", seat_2: str = "", **fields: object) -> Table:
    """Seat 1 holds a pair of c and partners for it, and has passed the peng of a discarded c and the chi."""
    table = Table(["c", "ccdeCfF", seat_2], "E", wall=wall, quiet="cf", **{**NO_HU, **fields})
    return table.do("0 discard c", "1 pass peng", "1 pass chi")


@pytest.mark.rule("5.8")
def test_a_passed_peng_makes_the_kind_stale_for_peng_and_chi() -> None:
    assert passed_peng().stale(1) == ("c", "c")
    alone = Table(["c", "", "ccf"], "E", wall="f", quiet="cf", **NO_HU).do("0 discard c", "2 pass peng")
    assert alone.stale(2) == ("c", "c")


@pytest.mark.rule("5.8")
def test_a_passed_chi_makes_the_kind_stale_for_peng_and_chi() -> None:
    table = Table(["c", "abf", ""], "E", wall="f", quiet="cf", **NO_HU).do("0 discard c", "1 pass chi")
    assert table.stale(1) == ("c", "c")


@pytest.mark.rule("5.8")
def test_a_peng_declined_does_not_bar_the_chi_of_the_same_tile_which_marks_nothing() -> None:
    table = Table(["c", "ccdeCfFA", ""], "E", quiet="c", **NO_HU).do("0 discard c", "1 pass peng")
    assert table.window == "1 chi"
    table.do("1 chi cde", "1 bi ccC")
    assert table.stale(1) == ("", "")


@pytest.mark.rule("5.8")
def test_a_stale_kind_is_not_asked_again() -> None:
    assert passed_peng(wall="fc").pass_until("2 draw c").window != "1 peng"
    fresh = Table(["F", "ccdeCfF", ""], "E", wall="fc", quiet="cfF", **NO_HU).do("0 discard F")
    assert fresh.pass_until("2 draw c").window == "1 peng"


@pytest.mark.rule("5.8")
def test_being_unable_marks_nothing() -> None:
    table = Table(["c", "cf", ""], "E", wall="f", quiet="cf", **NO_HU).do("0 discard c")
    assert [table.stale(seat) for seat in (1, 2)] == [("", ""), ("", "")]


@pytest.mark.rule("5.8")
@pytest.mark.parametrize(("hand", "first"), [("cab", "c"), ("Fab", "F")])
def test_a_kind_one_discarded_is_stale_for_oneself(hand: str, first: str) -> None:
    table = Table([hand, "", "cff"], "E", wall="Ff", quiet="cf", **NO_HU).do(f"0 discard {first}")
    assert table.stale(0) == (first, first)
    table.play_until("2 discard").do("2 discard c")
    assert (table.events[-1] == "2 discard c") is (first == "F")  # seat 0 is asked, or draws


@pytest.mark.rule("5.8")
def test_an_own_discard_is_stale_also_where_somebody_took_it() -> None:
    table = Table(["cab", "ccf", ""], "E", quiet="c", **NO_HU).do("0 discard c", "1 peng ccc")
    assert table.stale(0) == ("c", "c")


@pytest.mark.rule("5.8")
def test_what_the_discarder_has_passed_bars_nobody_else() -> None:
    table = Table(["f", "cc", "cff"], "E", wall="Ff", quiet="cf", **NO_HU).do("0 discard E")
    table.play_until("2 discard").do("2 discard c")
    assert table.stale(2)[0].count("c") == 1
    assert table.window == "1 peng"


@pytest.mark.rule("5.8", "6.5(b)")
def test_a_pair_of_a_stale_kind_becomes_a_chouwei() -> None:
    table = passed_peng(wall="c").pass_until("1 chouwei ccc")
    assert table.melds(1) == ["chouwei:ccc"]


@pytest.mark.rule("5.8", "7.2")
def test_a_stale_kind_can_be_won_on() -> None:
    # abDDDffF passes the chi of a discarded c, and is asked for hu when c is drawn.
    table = Table(["c", WAITS_C, ""], "E", wall="c", quiet="c", **SMALL).do("0 discard c", "1 pass chi")
    assert table.asked == (1, ["hu c", "pass hu"])


@pytest.mark.rule("5.8", "11")
@pytest.mark.parametrize(("split", "stale"), [(False, ("c", "c")), (True, ("c", ""))])
def test_with_split_pass_a_passed_peng_closes_only_peng(split: bool, stale: tuple[str, str]) -> None:
    table = Table(["c", "", "ccf"], "E", wall="f", quiet="cf", split_pass=split, **NO_HU)
    assert table.do("0 discard c", "2 pass peng").stale(2) == stale


@pytest.mark.rule("5.8", "11")
@pytest.mark.parametrize(("split", "stale"), [(False, ("c", "c")), (True, ("", "c"))])
def test_with_split_pass_a_passed_chi_closes_only_chi(split: bool, stale: tuple[str, str]) -> None:
    table = Table(["c", "abf", ""], "E", wall="f", quiet="cf", split_pass=split, **NO_HU)
    assert table.do("0 discard c", "1 pass chi").stale(1) == stale


@pytest.mark.rule("5.8", "11")
def test_with_split_pass_an_own_discard_closes_both_and_either_makes_a_chouwei() -> None:
    table = Table(["c", "", "ccf"], "E", wall="fc", quiet="cf", split_pass=True, **NO_HU)
    table.do("0 discard c", "2 pass peng").pass_until("2 chouwei ccc")
    assert table.stale(0) == ("c", "c")


# --- 5.9 ------------------------------------------------------------------------------------------------------


def waiting(wall: str) -> Table:
    """Seat 1 waits for `c`, which is the upcard too: it has passed the hu on it."""
    return Table(["fdBBACEE", WAITS_C, "BdeAACEF"], "c", wall=wall, **SMALL).do("1 pass hu")


@pytest.mark.rule("5.9")
def test_a_passed_hu_is_barred_while_the_table_huxi_stays() -> None:
    assert waiting("c").do("0 discard d").pass_until("1 draw c").window != "1 hu"


@pytest.mark.rule("5.9")
def test_a_passed_hu_is_open_again_once_the_table_huxi_differs() -> None:
    table = waiting("c").do("0 discard f", "1 peng fff", "1 discard F").pass_until("2 draw c")
    assert table.asked == (1, ["hu c", "pass hu"])


@pytest.mark.rule("5.9")
def test_another_kind_is_not_barred() -> None:
    table = Table(["fdBBACEE", "bcDDDffF", "BdeAACEF"], "a", wall="d", **SMALL)
    table.do("1 pass hu", "0 discard E").pass_until("1 draw d")
    assert table.asked == (1, ["hu d", "pass hu"])


@pytest.mark.rule("5.9", "7.6", "7.4")
@pytest.mark.parametrize(("third", "passes"), [("F", True), ("e", False)])
def test_the_pass_stores_the_huxi_with_the_wei_just_laid(third: str, passes: bool) -> None:
    # After its wei seat 1 can win (with ffF) or not (with ffe); the fourth c then makes a pao and a complete hand.
    table = Table(["EEABBaAa", "ccDDDff" + third, "eBbdAEbC"], "d", wall="cc", **SMALL)
    table.do("0 discard E").pass_until("1 wei ccc")
    assert (table.window == "1 hu") is passes
    if passes:
        table.do("1 pass hu")
    table.do(f"1 discard {third}").pass_until("2 draw c")
    assert (table.window == "1 hu") is not passes
    table.pass_until("1 pao cccc")


@pytest.mark.rule("5.9", "6.5(a)")
@pytest.mark.parametrize(("third", "passes"), [("F", True), ("e", False)])
def test_the_comparison_uses_the_huxi_before_the_tile_is_laid(third: str, passes: bool) -> None:
    # The same with the fourth c as seat 1's own draw: the ti is laid first, and the hu is barred all the same.
    table = Table(["EEABBaAa", "ccDDDff" + third, "eBbdAEbC"], "d", wall="ceCc", **SMALL)
    table.do("0 discard E").pass_until("1 wei ccc")
    if passes:
        table.do("1 pass hu")
    table.do(f"1 discard {third}").pass_until("1 ti cccc")
    assert (table.window == "1 hu") is not passes
