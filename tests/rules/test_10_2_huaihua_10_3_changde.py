"""Rules 10.2 and 10.3: huaihua and changde."""

from __future__ import annotations

import pytest
from table import SMALL, Table, judged

from paohuzi_env.rules import rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

PLAIN_15 = ("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI")
PLAIN_18 = ("BGDEF", "J", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI")
ALIKE = "wei:AAA wei:CCC peng:DDD peng:aaa peng:ccc peng:ddd"


@pytest.mark.rule("10.2")
@pytest.mark.parametrize(
    ("name", "fan"),
    [
        ("hong_hu", 2), ("hai_di", 2), ("dian_hu", 3), ("da_zi", 3), ("xiao_zi", 4), ("dui_dui_hu", 4), ("hong_wu", 4),
        ("wu_hu", 5), ("tian_hu", 2),
    ],
)  # fmt: skip
def test_huaihua_has_these_fans(name: str, fan: int) -> None:
    rules = rule_set("huaihua")
    assert rules.patterns[name]["fan"] == fan
    assert len(rules.patterns) == 9
    assert rules.pattern_level == "full"


@pytest.mark.rule("10.2")
def test_huaihua_has_no_joint_and_no_lone_value() -> None:
    assert judged("hh", "h", ALIKE, rules="huaihua")["fan"] == 9
    answer = judged(*PLAIN_18, rules="huaihua", last_tile=True)
    assert (answer["patterns"], answer["fan"]) == (["hai_di"], 2)


@pytest.mark.rule("10.2", "11")
def test_huaihua_needs_18_huxi_without_a_pattern() -> None:
    assert not judged(*PLAIN_15, rules="huaihua")["hu"]
    assert judged(*PLAIN_15, rules="huaihua", last_tile=True)["hu"]
    assert judged(*PLAIN_18, rules="huaihua")["hu"]
    assert judged(*PLAIN_15, rules={"preset": "huaihua", "min_huxi_plain": None})["hu"]


# --- changde ----------------------------------------------------------------------------------------------------

RED = "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde"


@pytest.mark.rule("10.3")
@pytest.mark.parametrize(
    ("hand", "tile", "melds", "patterns", "fan"),
    [
        ("BGdef", "J", RED.replace("JJJ", "AAA"), [], 1),
        ("BGefg", "J", RED.replace("JJJ", "AAA"), ["hong_hu"], 3),
        ("BGdef", "J", RED, ["hong_hu"], 5),
        ("BGefg", "J", RED, ["hong_hu"], 6),
        ("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:def chi:GHI", ["si_qi_hong"], 2),
        ("bgDEF", "j", "wei:AAA wei:CCC chi:bgj chi:cde chi:GHI", ["si_qi_hong"], 2),
        ("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", [], 1),
        ("hH", "H", "wei:AAA wei:CCC wei:DDD chi:def chi:efg chi:DEF", ["dian_hu"], 6),
        ("hH", "H", "wei:AAA wei:CCC wei:DDD chi:def chi:cde chi:DEF", ["wu_hu"], 8),
        ("bg", "j", "wei:aaa wei:ccc wei:ddd wei:eee chi:DEF chi:fFF", ["xiao_zi"], 10),
        ("bg", "j", "wei:aaa wei:ccc wei:ddd wei:eee chi:DEF chi:ffF", ["xiao_zi"], 11),
    ],
)
def test_changde_patterns_of_colours_and_sizes(hand: str, tile: str, melds: str, patterns: list[str], fan: int) -> None:
    answer = judged(hand, tile, melds, rules="changde")
    assert (answer["patterns"], answer["fan"]) == (patterns, fan)


@pytest.mark.rule("10.3")
def test_changde_da_zi_is_eight_and_one_more_for_each_above_eighteen() -> None:
    melds = "wei:AAA wei:CCC wei:DDD chi:DEF chi:GHI chi:def"
    assert judged("EF", "G", melds, rules="changde")["fan"] == 8
    assert judged("EF", "G", melds.replace("def", "hHH"), rules="changde")["fan"] == 10


@pytest.mark.rule("10.3")
def test_changde_dui_dui_hu_has_no_joint_value_and_hai_di_no_lone_one() -> None:
    answer = judged("hh", "h", ALIKE, rules="changde")
    assert answer["patterns"] == ["dui_dui_hu", "hang_hang_xi", "wu_hu"]
    assert answer["fan"] == 8 + 8 + 8
    last = judged(*PLAIN_15, rules="changde", last_tile=True)
    assert (last["patterns"], last["fan"]) == (["hai_di"], 6)


@pytest.mark.rule("10.3")
@pytest.mark.parametrize(
    ("source", "patterns"), [("upcard_dealer", {"tian_hu", "ting_hu"}), ("upcard_other", {"di_hu", "ting_hu"})]
)
def test_changde_tian_hu_is_the_dealers_and_di_hu_that_of_others(source: str, patterns: set[str]) -> None:
    answer = judged("AAABBBCDEFGHabcdefgh", "i", source=source, rules="changde", no_intake=True)
    assert patterns <= set(answer["patterns"])
    assert not ({"tian_hu", "di_hu"} - patterns) & set(answer["patterns"])


@pytest.mark.rule("10.3", "8.6")
@pytest.mark.parametrize(("dealer", "name"), [(1, "tian_hu"), (0, "di_hu")])
def test_changde_forced_wins_have_no_door_patterns(dealer: int, name: str) -> None:
    result = Table(["", "aaabbbcccdddeeefffGG", ""], "J", dealer=dealer, preset="changde").result
    assert {name, "ting_hu"} <= set(result["patterns"])
    assert not {"hang_hang_xi", "jia_hang_hang", "shua_hou"} & set(result["patterns"])


CHANGDE = {**SMALL, "preset": "changde"}


@pytest.mark.rule("10.3")
@pytest.mark.parametrize(("pengs", "ting"), [(False, True), (True, False)])
def test_changde_ting_hu_needs_no_intake(pengs: bool, ting: bool) -> None:
    table = Table(["fdBBACEE", "abDDDffF", "BdeAACEF"], "e", wall="c", **CHANGDE)
    if pengs:
        table.do("0 discard f", "1 peng fff", "1 discard F").pass_until("2 draw c")
    else:
        table.do("0 discard d").pass_until("1 draw c")
    assert ("ting_hu" in table.do("1 hu c").result["patterns"]) is ting


@pytest.mark.rule("10.3")
def test_changde_an_opening_ti_is_no_intake_and_a_first_pao_is_one() -> None:
    opening = Table(["F", "aaaabcBB", ""], "E", wall="d", quiet="dE", **CHANGDE).do("0 discard F")
    assert opening.pass_until("1 draw d").window == "1 hu"
    assert "ting_hu" in opening.do("1 hu d").result["patterns"]
    first = Table(["aB", "aaabcFBB", ""], "E", wall="d", quiet="d", **CHANGDE)
    first.do("0 discard a", "1 discard F").pass_until("2 draw d")
    assert "ting_hu" not in first.do("1 hu d").result["patterns"]


@pytest.mark.rule("10.3")
def test_changde_shua_hou_is_one_concealed_tile_before_the_win() -> None:
    melds = "ti:bbbb wei:AAA chi:ghi chi:DEF chi:GHI chi:cCC"
    assert "shua_hou" in judged("j", "j", melds, rules="changde")["patterns"]
    more = judged("jcCC", "j", "ti:bbbb wei:AAA chi:ghi chi:DEF chi:GHI", rules="changde")
    assert "shua_hou" not in more["patterns"]


@pytest.mark.rule("10.3", "11")
def test_changde_tuan_yuan_is_eight_for_each_rank() -> None:
    answer = judged("j", "j", "ti:aaaa ti:AAAA chi:def chi:hHH chi:ghi chi:DEF", rules="changde")
    assert (answer["patterns"], answer["fan"]) == (["shua_hou", "tuan_yuan"], 8 + 8)
    two = judged("j", "j", "ti:aaaa ti:AAAA ti:cccc ti:CCCC chi:ghi chi:DEF", rules="changde")
    assert (two["patterns"], two["fan"]) == (["shua_hou", "tuan_yuan"], 8 + 16)


@pytest.mark.rule("10.3", "11")
@pytest.mark.parametrize(("quads", "there"), [(False, True), (True, False)])
def test_changde_tuan_yuan_of_quads_is_an_option(quads: bool, there: bool) -> None:
    rules = {"preset": "changde", "patterns": {"tuan_yuan": {"quads": quads}}}
    melds = "ti:aaaa wei:AAA chi:ABC chi:GHI chi:ghi chi:DEF"
    answer = judged("j", "j", melds, rules=rules)
    assert ("tuan_yuan" in answer["patterns"]) is there


@pytest.mark.rule("10.3")
def test_changde_hang_hang_xi_and_its_half() -> None:
    whole = judged("bg", "j", "wei:AAA wei:CCC peng:DDD peng:aaa peng:ccc peng:ddd", rules="changde")
    assert "hang_hang_xi" in whole["patterns"]
    half = judged("j", "j", "ti:AAAA wei:CCC peng:DDD peng:aaa peng:ccc peng:ddd", rules="changde")
    assert "jia_hang_hang" in half["patterns"]
    none = judged("bg", "j", "wei:AAA wei:CCC peng:DDD peng:aaa peng:ccc chi:def", rules="changde")
    assert "hang_hang_xi" not in none["patterns"]


@pytest.mark.rule("10.3", "8.7", "11")
@pytest.mark.parametrize(("before", "cap", "base"), [(0, None, 6), (1, None, 12), (4, None, 30), (4, 7, 7)])
def test_changde_drawn_hands_before_multiply_the_base_before_the_cap(before: int, cap: int | None, base: int) -> None:
    hand, tile, melds = "BGbgj", "J", "wei:AAA wei:CCC chi:def chi:efg chi:DEF"
    answer = judged(hand, tile, melds, "other_draw", {"preset": "changde", "cap": cap}, drawn_before=before)
    assert (answer["patterns"], answer["base"]) == (["si_qi_hong"], base)


@pytest.mark.rule("10.3", "11")
def test_changde_drawn_hands_before_count_in_a_game() -> None:
    table = Table(["AAABBBCDEFGHabcdefgh", "", ""], "i", preset="changde", drawn_before=2).do("0 hu i")
    result = table.result
    assert result["base"] == (result["deng"] + 1) * result["fan"] * 3


@pytest.mark.rule("10.3")
def test_changde_self_draw_comes_before_the_fan_and_tun_are_the_same_number() -> None:
    answer = judged("BGbgj", "J", "wei:AAA wei:CCC chi:def chi:efg chi:DEF", "own_draw", "changde")
    assert (answer["deng"], answer["base"]) == (3, (3 + 1) * 2)
