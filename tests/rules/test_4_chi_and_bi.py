"""Rules, chapter 4: chi, and the bi that it forces."""

from __future__ import annotations

import pytest
from table import NO_HU, Table

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

NO_FORCED = {"min_huxi": 1000, "tian_hu_quads": 0, "tian_hu_kans": 0}


def chi_of(hand: str, tile: str) -> list[str]:
    """What seat 1 with this hand of eight may do with a tile that seat 0 discards, after passing any peng."""
    table = Table([tile, hand], _other(hand, tile), **NO_HU).do(f"0 discard {tile}")
    if table.window == "1 peng":
        table.pass_once()
    return table.asked[1] if table.window == "1 chi" else []


def _other(hand: str, tile: str) -> str:
    return next(t for t in "FEDCBAfedcba" if (hand + tile).count(t) < 2 and t != tile)


@pytest.mark.rule("4.1")
@pytest.mark.parametrize(
    ("hand", "tile", "choices"),
    [
        ("abCCDDee", "c", ["chi abc", "chi cCC"]),
        ("abdeAAFF", "c", ["chi abc", "chi bcd", "chi cde"]),
        ("aadAAffF", "C", []),
        ("ABDEaaff", "C", ["chi ABC", "chi BCD", "chi CDE"]),
    ],
)
def test_a_chi_is_a_ju_or_a_jiao_with_two_hand_tiles(hand: str, tile: str, choices: list[str]) -> None:
    assert [c for c in chi_of(hand, tile) if c != "pass chi"] == choices


@pytest.mark.rule("4.1")
@pytest.mark.parametrize(("tile", "other"), [("b", "gj"), ("g", "bj"), ("j", "bg")])
def test_two_seven_ten_is_eaten_at_each_place(tile: str, other: str) -> None:
    table = Table([tile, other + "DDFFHHJJ", tile], "A", **NO_FORCED)
    table.do(f"0 discard {tile}")
    assert "chi bgj" in table.asked[1]


@pytest.mark.rule("4.1", "5.5")
def test_a_discard_is_open_to_the_next_seat_only() -> None:
    table = Table(["cAAFFBBE", "AADDFFee", "abdeCCDE"], "f", wall="B", **NO_HU).do("0 discard c")
    assert table.after("0 discard c")[0] == "1 draw B"


@pytest.mark.rule("4.1", "5.5")
def test_a_draw_is_open_to_the_drawer_then_to_the_next_seat() -> None:
    table = Table(["FFEEddAf", "abDDEEFF", "abCCAABd"], "f", wall="c", **NO_HU)
    table.do("0 discard f").pass_until("1 draw c")
    assert table.window == "1 chi"
    assert table.do("1 pass chi").window == "2 chi"
    table.do("2 chi abc")
    assert table.melds(2) == ["chi:abc"]


EXAMPLE = "abbccdBBefhiDEFGHIJA"


def example() -> Table:
    """Seat 1 with the example's hand is offered a `b`, and has passed the peng."""
    table = Table(["b", EXAMPLE, ""], "j", **NO_FORCED).do("0 discard b", "1 pass peng")
    assert table.asked == (1, ["chi abc", "chi bBB", "chi bbB", "chi bcd", "pass chi"])
    return table


@pytest.mark.rule("4.2", "4.4")
def test_all_copies_follow_the_chi_in_either_order() -> None:
    table = example().do("1 chi bBB")
    assert table.asked == (1, ["bi abc", "bi bcd"])
    assert table.do("1 bi abc").asked == (1, ["bi bcd"])
    assert table.do("1 bi bcd").window == "1 discard"
    assert example().do("1 chi bBB", "1 bi bcd", "1 bi abc").window == "1 discard"


@pytest.mark.rule("4.2", "4.4")
def test_one_bi_may_use_two_copies() -> None:
    table = example().do("1 chi abc")
    assert table.asked == (1, ["bi bBB", "bi bbB", "bi bcd"])
    assert table.do("1 bi bbB").window == "1 discard"
    assert example().do("1 chi abc", "1 bi bBB").asked == (1, ["bi bcd"])


@pytest.mark.rule("4.2")
def test_a_chi_whose_bi_cannot_be_completed_is_not_legal() -> None:
    assert chi_of("abcDDEEF", "c") == []  # the second c fits nowhere
    assert chi_of("abcDDCCF", "c") == ["chi abc", "chi cCC", "chi ccC", "pass chi"]


@pytest.mark.rule("4.2")
def test_the_twin_of_the_eaten_tile_may_stay_in_the_hand() -> None:
    table = Table(["g", "gGGbjDDFFHHAACCEEIId"], "e", **NO_FORCED)
    table.do("0 discard g")
    assert table.asked == (1, ["chi bgj", "chi gGG", "chi ggG", "pass chi"])
    table.do("1 chi gGG", "1 bi bgj")
    table = Table(["g", "gGGbjDDFFHHAACCEEIId"], "e", **NO_FORCED).do("0 discard g", "1 chi bgj")
    assert table.asked == (1, ["bi gGG"])


@pytest.mark.rule("4.2")
def test_after_a_jiao_of_two_eaten_tiles_the_large_twin_stays() -> None:
    table = Table(["g", "ggGGbjDDFFHHAACCEEII"], "e", **NO_FORCED).do("0 discard g", "1 pass peng")
    table.do("1 chi ggG")
    assert table.asked == (1, ["bi bgj"])
    table.do("1 bi bgj")
    assert table.hand(1).count("G") == 1


@pytest.mark.rule("4.3")
def test_a_kan_is_not_drawn_into_a_bi() -> None:
    table = Table(["b", "bbBBBgjAAEEFFHHIIefh"], "d", **NO_FORCED).do("0 discard b", "1 pass peng")
    assert table.window != "1 chi"  # bbB would split the kan; bgj leaves two b


@pytest.mark.rule("4.3")
def test_who_holds_three_copies_has_a_pao_and_no_chi() -> None:
    table = Table(["c", "cccabdef"], "F", **NO_HU).do("0 discard c")
    assert table.events[-1] == "1 pao cccc"


@pytest.mark.rule("4.4")
def test_groups_of_the_same_tiles_are_one_choice() -> None:
    assert chi_of("aabbAAFF", "c") == ["chi abc", "pass chi"]
    table = Table(["c", "aabbAAFFddeeGGHHIIJJ"], "f", **NO_FORCED).do("0 discard c")
    assert table.asked == (1, ["chi abc", "chi bcd", "chi cde", "pass chi"])


@pytest.mark.rule("4.4")
def test_only_groups_after_which_a_discard_is_left_are_offered() -> None:
    # abc with cCC, in either order, would leave only the kan; ccC leaves a, b and C.
    assert chi_of("abcCCDDD", "c") == ["chi ccC", "pass chi"]


@pytest.mark.rule("4.5")
@pytest.mark.parametrize(("hand", "tile"), [("abDDDEEE", "c"), ("aaDDDEEE", "a")])
def test_a_claim_that_leaves_only_kan_is_neither_offered_nor_stale(hand: str, tile: str) -> None:
    table = Table([tile, hand], "f", wall="F", **NO_HU).do(f"0 discard {tile}")
    assert not any(event.startswith(("1 pass", "1 peng", "1 chi")) for event in table.events)
    assert table.stale(1) == ("", "")


@pytest.mark.rule("4.5")
def test_a_claim_that_leaves_nothing_is_not_offered() -> None:
    tiny = {"hand_size": 2, "doors": 1, "ranks": 3, "min_huxi": 1000, "tian_hu_quads": 0, "tian_hu_kans": 0}
    table = Table(["cA", "ab", "AB"], "C", wall="B", **tiny).do("0 discard c")
    assert table.after("0 discard c")[0] == "1 draw B"
