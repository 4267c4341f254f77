"""Rules, chapter 7: what wins, on which tile, and which division counts."""

from __future__ import annotations

import itertools
import random

import pytest
from table import SMALL, Table, judged

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

FREE = {"preset": "hunan", "min_huxi": 0}
SIX = "chi:def chi:ghi chi:DEF chi:GHI chi:aAA chi:cCC"


@pytest.mark.rule("7.1")
def test_seven_doors_without_a_quad_have_no_jiang() -> None:
    assert judged("bg", "j", SIX, rules=FREE)["hu"]
    assert not judged("bb", "c", SIX, rules=FREE)["hu"]


@pytest.mark.rule("7.1")
def test_with_a_quad_there_is_exactly_one_jiang() -> None:
    five = "ti:bbbb chi:ghi chi:DEF chi:GHI chi:aAA chi:cCC"
    assert "jiang:jj" in judged("j", "j", five, rules=FREE)["groups"]
    assert not judged("j", "i", five, rules=FREE)["hu"]
    two = "ti:bbbb ti:BBBB chi:ghi chi:DEF chi:GHI chi:aAA"
    assert judged("j", "j", two, rules=FREE)["hu"]


@pytest.mark.rule("7.1", "11")
@pytest.mark.parametrize(("least", "wins"), [(12, True), (13, False)])
def test_a_win_needs_so_many_huxi(least: int, wins: bool) -> None:
    melds = "peng:CCC wei:FFF chi:def chi:ghi chi:GHI chi:aAA"
    rules = {"preset": "hunan", "min_huxi": least}
    answer = judged("bg", "j", melds, rules=rules)  # 3 + 6 + 3
    assert answer["hu"] is wins
    assert wins or answer["why"] == "huxi 12 < 13"


@pytest.mark.rule("7.1")
def test_fourteen_huxi_are_not_enough_and_fifteen_are() -> None:
    table = "wei:AAA wei:CCC chi:def chi:ghi chi:GHI"
    assert judged("bgDEF", "j", table)["huxi"] == 15
    few = judged("EEbbb", "E", "wei:AAA wei:bbb chi:def chi:ghi chi:GHI".replace("wei:bbb", "peng:aaa"))
    assert few == {"hu": False, "why": "huxi 13 < 15"}


@pytest.mark.rule("7.1", "7.2")
@pytest.mark.parametrize("flag", ["dead", "stale_hu"])
def test_a_dead_hand_and_a_stale_hu_do_not_win(flag: str) -> None:
    melds = "wei:AAA wei:CCC chi:def chi:ghi chi:GHI"
    assert not judged("bgDEF", "j", melds, **{flag: True})["hu"]


@pytest.mark.rule("7.2")
@pytest.mark.parametrize(("source", "wins"), [("own_draw", True), ("other_draw", True), ("discard", False)])
def test_only_wall_tiles_win(source: str, wins: bool) -> None:
    assert judged("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", source)["hu"] is wins


@pytest.mark.rule("7.2")
def test_a_tile_that_one_has_passed_for_chi_or_that_another_would_pao_may_be_won_on() -> None:
    table = Table(["fCBBdEEA", "abAAAffF", "cccDEEDB"], "d", wall="c", **SMALL).do("0 discard C")
    assert table.pass_until("1 draw c").window == "1 hu"


@pytest.mark.rule("7.2")
@pytest.mark.parametrize(("hand_1", "event"), [("cccBEdFA", "1 ti cccc"), ("ccBBEEdA", "1 wei ccc")])
def test_a_tile_that_another_laid_as_ti_or_wei_is_not_won_on(hand_1: str, event: str) -> None:
    # Seat 2 waits for c, and is not asked when seat 1 lays it away.
    table = Table(["FeBaCEab", hand_1, "abDDDffF"], "e", wall="c", **SMALL).do("0 discard C")
    table.pass_until(event)
    assert table.window == "1 discard"


@pytest.mark.rule("7.3(i)")
@pytest.mark.parametrize(
    ("hand", "melds", "huxi"),
    [
        ("bbbjj", "chi:def chi:ghi chi:DEF chi:GHI chi:aAA", 6),
        ("jj", "wei:bbb chi:def chi:ghi chi:DEF chi:GHI chi:aAA", 6),
        ("jj", "chouwei:bbb chi:def chi:ghi chi:DEF chi:GHI chi:aAA", 6),
        ("jj", "peng:bbb chi:def chi:ghi chi:DEF chi:GHI chi:aAA", 6),
    ],
)
def test_a_fourth_tile_makes_a_pao_of_kan_wei_chouwei_and_peng(hand: str, melds: str, huxi: int) -> None:
    answer = judged(hand, "b", melds, rules=FREE)
    assert (answer["huxi"], "pao:bbbb" in answer["groups"]) == (huxi, True)


@pytest.mark.rule("7.3(ii)")
def test_a_third_tile_of_another_is_a_peng_and_an_own_one_a_wei() -> None:
    melds = "chi:def chi:ghi chi:DEF chi:GHI chi:aAA chi:cCC"
    assert judged("bb", "b", melds, rules=FREE)["huxi"] == 1
    assert judged("bb", "b", melds, "own_draw", rules=FREE)["huxi"] == 3


@pytest.mark.rule("7.3(iii)")
def test_a_fourth_tile_may_join_a_ju_and_leave_the_kan_whole() -> None:
    answer = judged("bcdffjjjBFGJJJ", "J", "wei:bbb wei:eee")
    assert (answer["huxi"], {"kan:JJJ", "ju:BGJ"} <= set(answer["groups"])) == (21, True)


@pytest.mark.rule("7.3(iii)", "7.3")
def test_the_tile_may_be_the_jiang() -> None:
    melds = "ti:bbbb chi:ghi chi:DEF chi:GHI chi:aAA chi:cCC"
    assert "jiang:jj" in judged("j", "j", melds, rules=FREE)["groups"]


@pytest.mark.rule("7.3", "7.5")
def test_the_best_role_counts() -> None:
    # A pair of e in hand: a peng, or def and eeE.
    answer = judged("deefAAACCCDDDEFFFHHH", "e")
    assert answer["huxi"] == 30
    assert {"ju:def", "jiao:eeE"} <= set(answer["groups"])


@pytest.mark.rule("7.4")
def test_after_the_own_wei_the_tile_is_used_in_it() -> None:
    hand, melds = "ABCCDDDEEEFFFHHH", "ti:JJJJ"
    assert judged(hand, "C", melds, "other_draw")["hu"]
    assert not judged(hand, "C", melds, "own_draw")["hu"]


@pytest.mark.rule("7.5", "8.8")
def test_the_highest_payment_counts_before_the_highest_huxi() -> None:
    # The wild tile makes a wei of g: 18 huxi and ten red, 2 x 4. As a ti of A it makes 21 huxi, 3 x 2.
    answer = judged("ggBCDJJ*", "j", "wei:aaa wei:AAA wei:ccc chi:bgj", "own_draw", "yongzhou")
    assert (answer["huxi"], answer["base"]) == (18, 8)


@pytest.mark.rule("7.5", "8.7")
def test_the_cap_does_not_make_divisions_equal() -> None:
    rules = {"preset": "yongzhou", "cap": 5}
    answer = judged("ggBCDJJ*", "j", "wei:aaa wei:AAA wei:ccc chi:bgj", "own_draw", rules)
    assert (answer["huxi"], answer["base"]) == (18, 5)


@pytest.mark.rule("7.5")
def test_the_order_of_tiles_never_matters() -> None:
    hand, chance = "deefAAACCCDDDEFFFHHH", random.Random(1)
    want = judged(hand, "e")
    for _ in range(5):
        shuffled = "".join(chance.sample(hand, len(hand)))
        assert judged(shuffled, "e") == want
    melds = ["ti:JJJJ", "peng:eee"]
    answers = [judged("acfghiiCCCDEF", "b", " ".join(order)) for order in itertools.permutations(melds)]
    assert {a["huxi"] for a in answers} == {22}


@pytest.mark.rule("7.6")
def test_a_declined_hu_leaves_the_forced_moves() -> None:
    table = Table(["BEAABEEd", "ccDDDffF", ""], "b", wall="c", quiet="cf", **SMALL).do("0 discard B")
    table.pass_until("1 wei ccc").do("1 pass hu")
    assert table.melds(1) == ["wei:ccc"]
    assert table.window == "1 discard"
