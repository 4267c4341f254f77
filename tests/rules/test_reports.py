"""Positions that public engines of the game got wrong."""

from __future__ import annotations

import pytest
from table import NO_HU, Table, judged

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

BIG = {"min_huxi": 1000, "tian_hu_quads": 0, "tian_hu_kans": 0}


@pytest.mark.rule("7.1")
def test_four_pairs_are_no_hand() -> None:
    assert not judged("bbfgggjjGG", "f", "ti:DDDD chi:bcd wei:aaa")["hu"]


@pytest.mark.rule("7.3(ii)")
@pytest.mark.parametrize(
    ("hand", "melds", "tile", "why"),
    [
        ("cdefghhijEEGGG", "peng:III chi:aAA", "E", "huxi 12 < 15"),
        ("bfgiijFFGHI", "chi:fgh wei:GGG wei:aaa", "i", "huxi 13 < 15"),
    ],
)
def test_a_third_copy_from_another_is_no_wei(hand: str, melds: str, tile: str, why: str) -> None:
    answer = judged(hand, tile, melds)
    assert answer == {"hu": False, "why": why}


@pytest.mark.rule("3.2")
def test_a_kan_is_not_split_to_make_a_hand() -> None:
    melds = "wei:AAA wei:CCC wei:DDD wei:EEE wei:FFF"
    assert not judged("cccdh", "e", melds)["hu"]
    table_of_five = "wei:AAA wei:CCC wei:DDD wei:EEE ti:FFFF"
    assert not judged("cccd", "e", table_of_five)["hu"]  # cde and the jiang cc


@pytest.mark.rule("7.3", "7.5")
def test_a_tile_may_join_runs_although_a_pair_of_it_is_in_hand() -> None:
    assert judged("deefAAACCCDDDEFFFHHH", "e")["huxi"] == 30


@pytest.mark.rule("7.3(iii)")
def test_a_broken_pao_is_tried() -> None:
    assert judged("bcdffjjjBFGJJJ", "J", "wei:bbb wei:eee")["huxi"] == 21


@pytest.mark.rule("7.3(i)")
def test_a_fourth_copy_from_another_is_a_pao_and_no_ti() -> None:
    answer = judged("bbbjjcCC", "b", "chi:def chi:ghi chi:DEF chi:GHI", rules={"preset": "hunan", "min_huxi": 0})
    assert (answer["huxi"], "pao:bbbb" in answer["groups"]) == (6, True)


@pytest.mark.rule("3.1")
def test_large_one_two_three_and_small_two_seven_ten_are_nine() -> None:
    melds = "chi:ABC chi:def chi:ghi chi:DEF chi:GHI chi:eEE"
    assert judged("bg", "j", melds, rules={"preset": "hunan", "min_huxi": 0})["huxi"] == 9


@pytest.mark.rule("7.4")
def test_an_own_draw_does_not_complete_a_run_when_it_makes_a_wei() -> None:
    hand = "ABCCDDDEEEFFFHHH"
    assert not judged(hand, "C", "ti:JJJJ", "own_draw")["hu"]
    assert judged(hand, "C", "ti:JJJJ", "other_draw")["hu"]


@pytest.mark.rule("4.2")
def test_a_bi_of_the_other_size_is_not_demanded() -> None:
    table = Table(["g", "ggGGbjDDFFHHAACCEEII"], "e", **BIG).do("0 discard g", "1 pass peng")
    table.do("1 chi ggG", "1 bi bgj")
    assert table.window == "1 discard"
    assert table.hand(1).count("G") == 1


@pytest.mark.rule("4.3")
def test_a_kan_is_not_pulled_into_a_bi() -> None:
    table = Table(["b", "bbBBBgjAAEEFFHHIIefh"], "d", **BIG).do("0 discard b")
    assert table.asked == (1, ["pass peng", "peng bbb"])
    assert table.do("1 pass peng").window != "1 chi"


@pytest.mark.rule("4.5")
@pytest.mark.parametrize(("hand", "tile"), [("abiii", "c"), ("aaiii", "a")])
def test_a_claim_that_leaves_only_kan_is_not_offered(hand: str, tile: str) -> None:
    fields = {**BIG, "hand_size": 5, "doors": 2, "ranks": 5}
    hand = hand.replace("i", "E")
    table = Table([tile, hand, ""], "d", wall="D", **fields).do(f"0 discard {tile}")
    assert table.window not in ("1 chi", "1 peng")
    assert table.stale(1) == ("", "")


@pytest.mark.rule("5.8")
@pytest.mark.parametrize(("hand", "first", "asked"), [("cab", "c", False), ("Fab", "F", True)])
def test_an_own_earlier_discard_is_not_eaten_later(hand: str, first: str, asked: bool) -> None:
    table = Table([hand, "", "cff"], "E", wall="Ff", quiet="cf", **NO_HU).do(f"0 discard {first}")
    table.play_until("2 discard").do("2 discard c")
    assert (table.events[-1] == "2 discard c" and table.window == "0 chi") is asked


@pytest.mark.rule("5.8")
def test_nor_is_it_eaten_when_somebody_took_that_discard() -> None:
    table = Table(["cab", "ccD", "cff"], "E", wall="f", quiet="cf", **NO_HU)
    table.do("0 discard c", "1 peng ccc", "1 discard D").play_until("2 discard").do("2 discard c")
    assert table.stale(0)[1].count("c") == 1
    assert table.after("2 discard c")[0].startswith("0 draw")


@pytest.mark.rule("5.8")
def test_a_seat_that_can_peng_is_asked_whatever_the_discarder_passed() -> None:
    table = Table(["f", "cc", "cff"], "E", wall="Ff", quiet="cf", **NO_HU).do("0 discard E")
    table.play_until("2 discard").do("2 discard c")
    assert table.window == "1 peng"


@pytest.mark.rule("5.3")
def test_a_peng_is_not_upgraded_by_a_discard() -> None:
    table = Table(["f", "ffCD", "fcc"], "E", wall="c", quiet="fc", **NO_HU)
    table.do("0 discard f", "1 peng fff", "1 discard D").play_until("2 discard").do("2 discard f")
    assert "peng:fff" in table.melds(1)


@pytest.mark.rule("6.1")
def test_the_first_pao_asks_for_a_discard_and_the_second_does_not() -> None:
    table = Table(["c", "cccdddfA", ""], "E", wall="d", quiet="cd", **NO_HU).do("0 discard c")
    assert table.window == "1 discard"
    table.do("1 discard f").pass_until("1 pao dddd")
    assert table.after("1 pao dddd")[0].startswith("2 ")


@pytest.mark.rule("6.1")
@pytest.mark.parametrize(("pair", "owed"), [("FFF", False), ("FF", True)])
def test_the_free_intake_of_a_double_opening_ti_is_not_used_up_by_a_pao(pair: str, owed: bool) -> None:
    table = Table(["FGhh", "aaaabbbbGG" + pair, ""], "I", wall="Jh", **BIG).do("0 discard F")
    if table.window == "1 peng":
        table.do("1 peng FFF")
    table.play_until("0 discard").do("0 discard G", "1 peng GGG")
    assert (table.window == "1 discard") is owed


@pytest.mark.rule("3.3", "5.3")
def test_a_pao_takes_three_from_a_kan_and_none_for_a_meld() -> None:
    kan = Table(["c", "cccfffAB", ""], "E", quiet="c", **NO_HU).do("0 discard c")
    assert kan.hand(1) == "fffAB"
    table = Table(["D", "ccfA", ""], "E", wall="cc", quiet="cD", **NO_HU).do("0 discard D")
    table.pass_until("1 wei ccc")
    table.do("1 discard A")
    before = table.hand(1)
    table.pass_until("1 pao cccc")
    assert table.hand(1) == before


@pytest.mark.rule("1.1", "5.3")
@pytest.mark.parametrize(("hand", "wall"), [("cccfffAB", ""), ("ccfA", "cc")])
def test_no_tile_is_in_two_places_after_a_pao(hand: str, wall: str) -> None:
    table = Table(["D" if wall else "c", hand, ""], "E", wall=wall, quiet="cD", **NO_HU)
    table.do("0 discard D" if wall else "0 discard c").pass_until("1 wei ccc" if wall else "1 pao cccc")
    if wall:
        table.do("1 discard A").pass_until("1 pao cccc")
    everywhere = "".join(table.hand(s) for s in range(3)) + table.wall()
    everywhere += "".join(meld.split(":")[1] for s in range(3) for meld in table.melds(s))
    assert everywhere.count("c") == 4
