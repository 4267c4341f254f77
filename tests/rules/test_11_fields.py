"""Rules, chapter 11: a rule set is data, and a contradiction is refused."""

from __future__ import annotations

from typing import Any

import pytest
from table import judged

from paohuzi_env.errors import RuleSetError
from paohuzi_env.rules import rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.rule("11")]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"max_huxi": 3}, ["max_huxi", "3", "min_huxi"]),
        ({"players": 4}, ["players", "4", "2 to 3"]),
        ({"forced_pao": 1}, ["forced_pao", "1", "true, false"]),
        ({"fan_combine": "sum"}, ["fan_combine", "sum", "add, multiply"]),
        ({"hand_size": 14}, ["doors", "14", "(hand_size + 1) / 3"]),
        ({"min_huxi_plain": 3}, ["min_huxi_plain", "3", "15"]),
        ({"preset": "huaihua", "min_huxi": 20}, ["min_huxi_plain", "18", "20"]),
        ({"preset": "bopi", "self_draw": "after"}, ["self_draw", "after", "none"]),
        ({"discard_payment": "discarder"}, ["discard_payment", "discarder", "hu_on_discard = false", "each"]),
        ({"di_hu_on": "first_discard"}, ["di_hu_on", "first_discard", "hu_on_discard = false", "opening"]),
        ({"preset": "luzhou", "hu_on_discard": False}, ["discard_payment", "discarder", "hu_on_discard = false"]),
        ({"draw_penalty": 5}, ["draw_penalty", "5", "wilds = 0", "allowed: 0"]),
        ({"preset": "yongzhou", "wilds": 0}, ["draw_penalty", "5", "wilds = 0"]),
        ({"patterns": {"lucky": 3}}, ["lucky", "hong_hu"]),
        ({"huxi": {"ti": {"small_black": -1}}}, ["huxi.ti.small_black", "-1"]),
        ({"ranks": 4}, ["ranks"]),
        ({"preset": "guilin"}, ["guilin", "hunan"]),
    ],
)
def test_an_unknown_or_contradictory_field_is_refused_with_name_value_and_what_is_allowed(
    fields: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(RuleSetError) as error:
        rule_set(fields)
    assert all(word in str(error.value) for word in words), str(error.value)


def test_what_is_not_void_is_taken() -> None:
    assert rule_set({"hu_on_discard": True, "discard_payment": "discarder"}).discard_payment == "discarder"
    assert rule_set({"hu_on_discard": True, "di_hu_on": "first_discard"}).di_hu_on == "first_discard"
    assert rule_set({"wilds": 1, "draw_penalty": 5}).draw_penalty == 5
    no_discards = {"hu_on_discard": False, "discard_payment": "each", "di_hu_on": "opening"}
    assert rule_set({"preset": "luzhou", **no_discards}).name == "luzhou"
    assert rule_set({"preset": "yongzhou", "wilds": 0, "draw_penalty": 0}).multipliers["wang_diao"] == 4


def test_a_value_replaces_the_presets() -> None:
    assert rule_set({"preset": "huaihua", "cap": 30}).cap == 30
    assert rule_set({"preset": "huaihua", "cap": 30}).pattern_level == "full"


def test_a_table_is_merged_by_key_and_null_removes_a_key() -> None:
    rules = rule_set({"preset": "hunan", "patterns": {"hong_hu": {"fan": 9}, "wu_hu": None}})
    assert rules.patterns["hong_hu"] == {"fan": 9, "from": 10, "up_to": 12}
    assert "wu_hu" not in rules.patterns
    assert rules.patterns["dian_hu"]["fan"] == 3


def test_the_huxi_table_counts() -> None:
    rules = {"preset": "hunan", "huxi": {"ju_2710": {"small": 7}}}
    assert judged("bgDEF", "j", "wei:AAA wei:CCC chi:def chi:ghi chi:GHI", rules=rules)["huxi"] == 19
