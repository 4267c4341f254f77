"""Rules 10.6: bopi."""

from __future__ import annotations

import pytest
from table import SMALL, Table, judged

from paohuzi_env.rules import rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck, pytest.mark.rule("10.6")]

PLAIN = ("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI")  # 15 huxi, five red
ONE_RED = ("hH", "H", "wei:AAA wei:CCC wei:DDD chi:def chi:efg chi:DEF")  # 18
RED_12 = ("BGdef", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde")  # 18
RED_13 = ("BGefg", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde")
NO_RED = ("hH", "H", "wei:AAA wei:CCC wei:DDD chi:def chi:cde chi:DEF")


@pytest.mark.parametrize(
    ("position", "source", "huxi", "fan", "base"),
    [
        (PLAIN, "other_draw", 15, 1, 15),
        (PLAIN, "own_draw", 15, 1, 15 + 10),
        (ONE_RED, "other_draw", 18, 2, 18 * 2),
        (ONE_RED, "own_draw", 18, 2, (18 + 10) * 2),
        (RED_12, "other_draw", 18, 2, 18 * 2),
        (RED_13, "other_draw", 18, 1, 60),
        (NO_RED, "own_draw", 18, 1, 60 + 10),
        (NO_RED, "other_draw", 18, 1, 60),
    ],
)
def test_the_base_is_made_of_huxi(position: tuple[str, str, str], source: str, huxi: int, fan: int, base: int) -> None:
    answer = judged(*position, source, "bopi")
    assert (answer["huxi"], answer["deng"], answer["fan"], answer["base"]) == (huxi, None, fan, base)


@pytest.mark.parametrize(("least", "wins"), [(10, True), (16, False)])
def test_ten_huxi_win(least: int, wins: bool) -> None:
    assert rule_set("bopi").min_huxi == 10
    assert judged(*PLAIN, rules={"preset": "bopi", "min_huxi": least})["hu"] is wins


def test_there_are_no_other_patterns() -> None:
    answer = judged("hh", "h", "wei:AAA wei:CCC peng:DDD peng:aaa peng:ccc peng:ddd", rules="bopi", last_tile=True)
    assert answer["patterns"] == ["wu_hu"]


@pytest.mark.rule("8.5")
@pytest.mark.parametrize("source", ["upcard_dealer", "upcard_other"])
def test_every_tian_hu_adds_ten(source: str) -> None:
    answer = judged("AAABBBCDEFGHabcdefgh", "i", source=source, rules="bopi")
    assert answer["base"] == answer["huxi"] + 10


@pytest.mark.rule("8.6")
def test_a_forced_tian_hu_adds_ten_too() -> None:
    result = Table(["", "aaaabbbbccccDEF", ""], "J", preset="bopi", turn_up=5).result
    assert (result["huxi"], result["base"]) == (27, (27 + 10) * result["fan"])


@pytest.mark.rule("11")
@pytest.mark.parametrize(("turned", "more"), [(0, 0), (1, 1), (2, 2), (5, 2)])
def test_each_turned_tile_of_the_winning_kind_adds_one(turned: int, more: int) -> None:
    rules = {**SMALL, "preset": "bopi", "turn_up": turned}
    table = Table(["fdBBACEE", "abDDDffF", "BdeAAeEF"], "c", end="cc", **rules)
    table.do("1 hu c")
    assert table.result["huxi"] == 9
    assert table.result["base"] == (9 + 10 + more) * table.result["fan"]


@pytest.mark.rule("11")
def test_it_is_added_after_the_sixty() -> None:
    rules = {**SMALL, "preset": "bopi", "turn_up": 2}
    table = Table(["fdbbBBEE", "caDDDffF", "BdeAAeEF"], "C", end="CC", **rules)
    assert table.window == "0 discard"
    table = Table(["fdbbBBEE", "ccDDDffF", "BdeAAeEb"], "C", end="CC", **rules).do("1 hu C")
    assert table.result["base"] == 60 + 10 + 2
