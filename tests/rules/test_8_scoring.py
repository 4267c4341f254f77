"""Rules, chapter 8 (and 9.3): from a won hand to what everybody pays."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from lockstep import result_of
from table import SMALL, Table, judged

from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

FULL = {"preset": "hunan", "pattern_level": "full"}
ALIKE = "wei:AAA wei:CCC peng:DDD peng:aaa peng:ccc peng:ddd"  # 18 huxi, no red; with wei hhh 21
ONE_RED = "wei:AAA wei:CCC wei:DDD chi:def chi:efg chi:DEF"
RED_9 = "chi:bgj chi:bgj wei:AAA chi:DEF chi:cde"


@pytest.mark.rule("8.1")
@pytest.mark.parametrize(
    ("hand", "tile", "melds", "huxi", "deng"),
    [
        ("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", 15, 1),
        ("bgDEF", "j", "wei:AAA wei:CCC peng:hhh peng:iii chi:GHI", 17, 1),
        ("BGDEF", "J", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", 18, 2),
        ("BGDEF", "J", "wei:AAA wei:CCC peng:hhh peng:iii chi:def", 20, 2),
        ("BGbgj", "J", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", 21, 3),
    ],
)
def test_huxi_become_deng(hand: str, tile: str, melds: str, huxi: int, deng: int) -> None:
    answer = judged(hand, tile, melds)
    assert (answer["huxi"], answer["deng"]) == (huxi, deng)


@pytest.mark.rule("8.1", "11")
def test_deng_start_and_step_are_fields_and_never_give_less_than_one() -> None:
    melds = "wei:AAA wei:CCC chi:def chi:ghi chi:GHI"
    rules = {"preset": "hunan", "deng_from": 10, "deng_step": 2}
    assert judged("bgDEF", "j", melds, rules=rules)["deng"] == 3
    assert judged("bgDEF", "j", melds, rules={"preset": "hunan", "deng_from": 100})["deng"] == 1


@pytest.mark.rule("8.2", "1.2")
@pytest.mark.parametrize(
    ("hand", "tile", "melds", "patterns", "fan"),
    [
        ("BGdef", "J", RED_9, [], 1),
        ("BGefg", "J", RED_9, ["hong_hu"], 2),
        ("BGdef", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde", ["hong_hu"], 2),
        ("BGefg", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde", ["hong_wu"], 4),
        ("hH", "H", ONE_RED, ["dian_hu"], 3),
        ("hH", "H", ONE_RED.replace("efg", "cde"), ["wu_hu"], 5),
        ("hh", "h", "wei:JJJ wei:CCC wei:DDD peng:aaa peng:ccc wei:EEE", ["dui_dui_hu"], 4),
        ("hh", "h", ALIKE, ["dui_dui_hu", "wu_hu"], 10),
    ],
)
def test_a_pattern_holds(hand: str, tile: str, melds: str, patterns: list[str], fan: int) -> None:
    answer = judged(hand, tile, melds)
    assert (answer["patterns"], answer["fan"]) == (patterns, fan)


@pytest.mark.rule("8.2")
@pytest.mark.parametrize(
    ("melds", "hand", "tile", "patterns", "fan"),
    [
        ("wei:AAA wei:CCC wei:DDD chi:DEF chi:GHI chi:def", "EF", "G", ["da_zi"], 3),
        ("wei:AAA wei:CCC wei:DDD chi:DEF chi:GHI chi:hHH", "EF", "G", ["da_zi"], 5),
        ("wei:aaa wei:ccc wei:ddd chi:def chi:ghi chi:DEF", "bg", "j", [], 0),
        ("wei:aaa wei:ccc wei:ddd wei:eee chi:ghi chi:DEF", "bg", "j", ["xiao_zi"], 4),
        ("wei:aaa wei:ccc wei:ddd wei:eee chi:ghi chi:iiI", "bg", "j", ["xiao_zi"], 6),
    ],
)
def test_many_large_or_small_tiles_are_a_pattern_of_the_full_level(
    melds: str, hand: str, tile: str, patterns: list[str], fan: int
) -> None:
    answer = judged(hand, tile, melds, rules=FULL)
    if fan:
        assert (answer["patterns"], answer["fan"]) == (patterns, fan)
        assert judged(hand, tile, melds)["patterns"] == []
    else:
        assert not answer["hu"]


@pytest.mark.rule("8.2")
@pytest.mark.parametrize(
    ("level", "patterns", "fan"),
    [
        ("none", [], 1),
        ("basic", ["wu_hu"], 5),
        ("half", ["dui_dui_hu", "hai_di", "wu_hu"], 12),
        ("full", ["dui_dui_hu", "hai_di", "wu_hu"], 12),
    ],
)
def test_each_level_has_the_patterns_before_it_too(level: str, patterns: list[str], fan: int) -> None:
    answer = judged("hh", "h", ALIKE, rules={"preset": "hunan", "pattern_level": level}, last_tile=True)
    assert (answer["patterns"], answer["fan"]) == (patterns, fan)


@pytest.mark.rule("8.2", "8.3")
def test_the_last_tile_is_two_fan_and_alone_one() -> None:
    melds = "wei:AAA wei:CCC chi:def chi:ghi chi:GHI"
    alone = judged("bgDEF", "j", melds, last_tile=True)
    assert (alone["patterns"], alone["fan"]) == (["hai_di"], 1)
    assert judged("hH", "H", ONE_RED, last_tile=True)["fan"] == 3 + 2


@pytest.mark.rule("8.2")
def test_only_a_win_on_the_walls_last_tile_is_hai_di() -> None:
    wins: Counter[bool] = Counter()
    for index in range(400):
        game, chance = Game.deal("mini", 5, index), random.Random(index)
        while not game.over:
            hu = [a for a in game.legal_actions if game.action_text(a).startswith("hu")]
            game.step((hu or [chance.choice(game.legal_actions)])[0])
        result, g = result_of(game), game.record
        if result["winner"] is not None:
            last = bool(g["wall_next"] == g["wall_end"])
            wins[last] += 1
            assert ("hai_di" in result["patterns"]) is last
    assert wins[True] > 3


@pytest.mark.rule("8.2", "2.4")
def test_a_win_on_the_upcard_is_tian_hu_for_any_seat_at_the_full_level() -> None:
    for source, hand in (("upcard_dealer", "AAABBBCDEFGHabcdefgh"), ("upcard_other", "AAABBBCDEFGHabcdefgh")):
        assert judged(hand, "i", source=source, rules=FULL)["patterns"] == ["tian_hu"]
        assert judged(hand, "i", source=source)["patterns"] == []


@pytest.mark.rule("8.3", "11")
@pytest.mark.parametrize(("how", "fan"), [("add", 2 + 10), ("multiply", 2 * 10)])
def test_fans_add_or_multiply_after_joint_values(how: str, fan: int) -> None:
    rules = {"preset": "hunan", "fan_combine": how}
    assert judged("hh", "h", ALIKE, rules=rules, last_tile=True)["fan"] == fan


@pytest.mark.rule("8.3", "11")
def test_joint_and_lone_values_are_tables() -> None:
    without = {"preset": "hunan", "joint": {"wu_hu+dui_dui_hu": None}}
    assert judged("hh", "h", ALIKE, rules=without)["fan"] == 9
    lone = {"preset": "hunan", "lone": {"dian_hu": 7}}
    assert judged("hH", "H", ONE_RED, rules=lone)["fan"] == 7
    assert judged("hH", "H", ONE_RED, rules=lone, last_tile=True)["fan"] == 5


@pytest.mark.rule("8.4", "10.2")
@pytest.mark.parametrize(
    ("rules", "base"),
    [
        ("hunan", 3 * 12 + 1),
        ({"preset": "hunan", "self_draw": "none"}, 3 * 12),
        ({"preset": "hunan", "self_draw": "before"}, (3 + 1) * 12),
        ("huaihua", (3 + 1) * (2 + 5 + 4)),
        ({"preset": "huaihua", "fan_combine": "multiply"}, (3 + 1) * 2 * 5 * 4),
    ],
)
def test_a_self_drawn_win_of_21_huxi_with_hai_di_wu_hu_and_dui_dui_hu(rules: Any, base: int) -> None:
    answer = judged("hh", "h", ALIKE, "own_draw", rules, last_tile=True)
    assert (answer["huxi"], answer["base"]) == (21, base)


@pytest.mark.rule("8.5")
@pytest.mark.parametrize(("source", "base"), [("own_draw", 2), ("other_draw", 1)])
def test_who_drew_the_tile_wins_self_drawn(source: str, base: int) -> None:
    assert judged("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", source)["base"] == base


@pytest.mark.rule("8.5", "2.4")
@pytest.mark.parametrize("source", ["upcard_dealer", "upcard_other"])
def test_every_tian_hu_is_self_drawn(source: str) -> None:
    assert judged("AAABBBCDEFGHabcdefgh", "i", source=source)["base"] == 2


@pytest.mark.rule("8.6", "8.5")
def test_a_forced_tian_hu_counts_ti_and_kan_and_is_self_drawn() -> None:
    result = Table(["", "aaaabbbbccccDEF", ""], "J").result
    assert (result["huxi"], result["deng"]) == (27, 5)
    assert result["groups"] == ["ti:aaaa", "ti:bbbb", "ti:cccc"]
    assert result["base"] == 5 * result["fan"] + 1


@pytest.mark.rule("8.6")
@pytest.mark.parametrize(
    ("hand", "dui"), [("aaabbbcccdddeeefffGG", True), ("aaabbbcccdddeeefffGH", False), ("aaaabbbbccccdddd", False)]
)
def test_a_forced_tian_hu_is_dui_dui_hu_with_nothing_or_a_pair_left(hand: str, dui: bool) -> None:
    result = Table(["", hand, ""], "J").result
    assert ("dui_dui_hu" in result["patterns"]) is dui


@pytest.mark.rule("8.6")
def test_the_patterns_of_a_forced_tian_hu_look_at_all_its_tiles() -> None:
    result = Table(["", "aaacccdddeeefffhiAAC", ""], "J").result
    assert (result["patterns"], result["huxi"]) == (["wu_hu"], 15)


@pytest.mark.rule("8.6", "8.3")
def test_a_forced_tian_hu_of_five_quads_has_joint_values_too() -> None:
    result = Table(["", "aaaaccccddddeeeeffff", ""], "J").result
    assert result["fan"] == 10


@pytest.mark.rule("8.7", "11")
@pytest.mark.parametrize(("cap", "base"), [(None, 2), (1, 1), (5, 2)])
def test_each_other_seat_pays_the_base_which_the_cap_limits(cap: int | None, base: int) -> None:
    result = Table(["AAABBBCDEFGHabcdefgh", "", ""], "i", cap=cap).do("0 hu i").result
    assert result["scores"] == [2 * base, -base, -base]
    assert result["base"] == base


@pytest.mark.rule("8.7", "11")
@pytest.mark.parametrize(("cap", "each"), [(None, None), (1, 1)])
def test_a_discarder_who_pays_for_all_pays_capped_shares(cap: int | None, each: int | None) -> None:
    hands = ["cdBBCEEF", "abAAAffF", "eEDDDBdA"]
    pays = {"hu_on_discard": True, "discard_payment": "discarder", "cap": cap, "deng_from": 0}
    table = Table(hands, "d", **{**SMALL, **pays}).do("0 discard c", "1 hu c")
    base = each or table.result["base"]
    assert table.result["scores"] == [-2 * base, 2 * base, 0]


@pytest.mark.rule("8.8")
def test_of_several_divisions_the_one_that_costs_most_counts() -> None:
    # aabbcc with A, B, C: abc twice and ABC, or the jiao aaA and so on without huxi.
    answer = judged("aabbccAB", "C", "wei:DDD chi:ghi chi:GHI chi:def")
    assert answer["huxi"] == 6 + 3 + 3 + 6
    assert sorted(answer["groups"])[-4:] == ["ju:ABC", "ju:abc", "ju:abc", "wei:DDD"]


@pytest.mark.rule("9.3")
def test_nobody_pays_for_a_drawn_hand() -> None:
    result = Table(["", "", ""], "E", **{**SMALL, "min_huxi": 1000}).play_until("never").result
    assert result == {"winner": None, "scores": [0, 0, 0]}


@pytest.mark.rule("10.1")
def test_hunan_is_the_default_at_level_half() -> None:
    assert rule_set() == rule_set("hunan")
    assert rule_set().pattern_level == "half"
    assert (rule_set().min_huxi, rule_set().players, rule_set().doors) == (15, 3, 7)
