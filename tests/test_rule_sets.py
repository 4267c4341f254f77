"""Rule sets as data: reading, merging, refusing, hashing; and RULES.md names every field."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import paohuzi_env
from paohuzi_env.errors import RuleSetError
from paohuzi_env.rules import FIELDS, HAND_SIZES, RuleSet, difference, preset_names, rule_set, seed_word

RULES_MD = Path(paohuzi_env.__file__).parent / "RULES.md"


@pytest.mark.rule("11")
def test_the_rule_book_names_every_field() -> None:
    chapter = RULES_MD.read_text(encoding="utf-8").split("## 11 ")[1]
    assert [field for field in FIELDS if f"`{field}`" not in chapter] == []


@pytest.mark.rule("10.1", "10.2", "10.3", "10.4", "10.5", "10.6")
def test_presets_are_there_and_differ() -> None:
    names = preset_names()
    assert set(names) >= {"hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi", "mini"}
    assert len({rule_set(name).hash for name in names}) == len(names)


@pytest.mark.rule("11")
@pytest.mark.parametrize("name", preset_names())
def test_a_preset_comes_back_from_its_spec_its_json_and_a_pickle(name: str) -> None:
    rules = rule_set(name)
    assert rules.spec == name
    assert rule_set(json.dumps({"preset": name})) == rules
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert copy.deepcopy(rules) is rules


OVERRIDES: list[dict[str, Any]] = [
    {"cap": 20},
    {"preset": "luzhou", "patterns": {"wu_hu": None}},
    {"preset": "changde", "patterns": {"hong_hu": {"fan": 4}, "tuan_yuan": {"quads": True}}},
    {"preset": "hunan", "huxi": {"peng": {"small_red": 2}}, "lone": {"hai_di": None}},
    {"preset": "hunan", "patterns": {"da_zi": 7, "shua_hou": {"fan": 2}}},
    {"preset": "bopi", "turn_up": 2, "bonuses": {"add": {"self_draw": 5}}},
]


@pytest.mark.rule("11")
@pytest.mark.parametrize("override", OVERRIDES)
def test_tables_merge_by_key_and_the_spec_holds_what_differs(override: dict[str, Any]) -> None:
    rules = rule_set(override)
    assert rules.hash != rule_set(override.get("preset", "hunan")).hash
    assert rule_set(rules.spec) == rules
    assert pickle.loads(pickle.dumps(rules)).hash == rules.hash
    assert difference(rule_set(rules.name), rules)


@pytest.mark.rule("11")
def test_a_file_of_either_kind_is_read(tmp_path: Path) -> None:
    toml = tmp_path / "rules.toml"
    toml.write_text('preset = "hunan"\ncap = 20\nself_draw = "none"\n[patterns]\nhai_di = "none"\n', encoding="utf-8")
    js = tmp_path / "rules.json"
    js.write_text('{"cap": 20, "self_draw": "none", "patterns": {"hai_di": null}}', encoding="utf-8")
    assert rule_set(toml) == rule_set(str(js)) == rule_set(js)
    assert rule_set(toml).self_draw == "none"
    assert "hai_di" not in rule_set(toml).patterns


WRONG: list[tuple[Any, str]] = [
    ("hunann", "unknown rule set 'hunann'; allowed: hunan"),
    ("", "unknown rule set ''"),
    ("missing.toml", "can't be read"),
    ("{", "no JSON"),
    ("[1]", "unknown rule set"),
    ({"preset": 3}, "preset = 3"),
    ({"preset": "nowhere"}, "unknown rule set 'nowhere'"),
    ({"min_huxis": 3}, "unknown rule field 'min_huxis' = 3"),
    ({"min_huxi": -1}, "min_huxi = -1"),
    ({"min_huxi": "15"}, "min_huxi = '15'"),
    ({"min_huxi": True}, "min_huxi = True"),
    ({"min_huxi": 1.0}, "min_huxi = 1.0"),
    ({"min_huxi": None}, "min_huxi = None"),
    ({"players": 4}, "players = 4; allowed: a whole number from 2 to 3"),
    ({"forced_pao": 1}, "forced_pao = 1; allowed: true, false"),
    ({"pattern_level": "all"}, "pattern_level = 'all'; allowed: none, basic, half, full"),
    ({"pattern_level": []}, "pattern_level = []"),
    ({"deng_step": 0}, "deng_step = 0"),
    ({"wilds": 3}, "wilds = 3"),
    ({"huxi": 3}, "huxi = 3; allowed: a table"),
    ({"huxi": {"peng": None}}, "huxi has no 'peng'"),
    ({"huxi": {"pong": {}}}, "unknown key 'pong' in huxi"),
    ({"huxi": {"peng": {"small_red": 500}}}, "huxi.peng.small_red = 500"),
    ({"huxi": {"peng": 3}}, "huxi.peng = 3"),
    ({"patterns": {"mystery": 3}}, "unknown key 'mystery' in patterns"),
    ({"patterns": {"hong_hu": {"fan": 0}}}, "patterns.hong_hu.fan = 0"),
    ({"patterns": {"hong_hu": {"from": 13}}}, "patterns.hong_hu.from = 13 contradicts up_to = 12"),
    ({"patterns": {"hong_hu": "x"}}, "patterns.hong_hu = 'x'"),
    ({"patterns": {"dui_dui_hu": {"from": 1}}}, "unknown key 'from' in patterns.dui_dui_hu"),
    ({"joint": {"wu_hu": 3}}, "unknown pair 'wu_hu' in joint"),
    ({"lone": {"hai_di": 0}}, "lone.hai_di = 0"),
    ({"multipliers": {"x": 3}}, "unknown key 'x' in multipliers"),
    ({"bonuses": {"add": {"self_draw": 3}}}, 'contradict base_on = "deng"'),
    ({"hand_size": 19}, "doors = 7 contradicts hand_size = 19; allowed: (hand_size + 1) / 3, with hand_size 2, 5, 8"),
    ({"hand_size": 5}, "doors = 7 contradicts hand_size = 5; allowed: (hand_size + 1) / 3 = 2"),
    ({"ranks": 3}, "ranks = 3 contradicts hand_size = 20: of 24 tiles 61 are dealt, and a wall of 1 to 30 has"),
    ({"ranks": 3}, "allowed: ranks 8, 9, 10, or hand_size 2, 5 with its doors"),
    ({"hand_size": 5, "doors": 2}, "allowed: ranks 3, 4, 5, or hand_size 17, 20 with its doors"),
    ({"preset": "mini", "ranks": 1, "hand_size": 2, "doors": 1, "show_last_tile": True}, "allowed: ranks 2, 3, 4"),
    ({"min_huxi_plain": 10}, "min_huxi_plain = 10 contradicts min_huxi = 15"),
    ({"base_on": "huxi"}, "self_draw = 'after' contradicts base_on"),
    ({"turn_up": 25}, "turn_up = 25 is more than the wall of 19"),
    ({1: 2}, "unknown rule field 1"),
    (3, "rule set 3"),
    (None, "rule set None"),
    (b"hunan", "rule set b'hunan'"),
]


@pytest.mark.rule("11")
@pytest.mark.parametrize(("source", "message"), WRONG, ids=[str(w[0])[:40] for w in WRONG])
def test_what_is_wrong_is_refused_with_name_value_and_what_is_allowed(source: Any, message: str) -> None:
    with pytest.raises(RuleSetError) as caught:
        rule_set(source)
    assert message in str(caught.value)


@pytest.mark.parametrize("show_last_tile", [False, True])
def test_the_ranks_and_hand_sizes_that_a_refusal_names_are_taken(show_last_tile: bool) -> None:
    refused = 0
    for size in HAND_SIZES:
        for ranks in range(1, 11):
            fields = {"hand_size": size, "doors": (size + 1) // 3, "ranks": ranks, "show_last_tile": show_last_tile}
            try:
                wall = rule_set(fields).wall_size
            except RuleSetError as error:
                first, _, second = str(error).partition("; allowed: ranks ")[2].partition(", or hand_size ")
                refused += 1
            else:
                assert 1 + show_last_tile <= wall <= 30
                continue
            assert first
            for other in first.split(", "):
                rule_set({**fields, "ranks": int(other)})
            for other in second.removesuffix(" with its doors").split(", ") if second else ():
                rule_set({**fields, "hand_size": int(other), "doors": (int(other) + 1) // 3})
    assert refused > 20


def test_rubbish_files_are_refused(tmp_path: Path) -> None:
    for name, data in [
        ("a.toml", b"\xff\x00"),
        ("b.json", b"[]"),
        ("c.json", b"[" * 100_000),
        ("d.toml", b"x"),
        ("e.toml", b"x = " + b"[" * 100_000),
        ("f.toml", b"cap = " + b"9" * 5000),
        ("g.toml", b"cap = 0x" + b"f" * 5000),
        ("h.toml", b"cap = 1\ncap = 2"),
        ("i.json", b'{"cap": ' + b"9" * 5000 + b"}"),
        ("j.json", b'{"huxi": {"peng": {}, "peng": {}}}'),
    ]:
        (tmp_path / name).write_bytes(data)
        with pytest.raises(RuleSetError, match=name) as caught:
            rule_set(tmp_path / name)
        assert "\n" not in str(caught.value)
    with pytest.raises(RuleSetError, match="can't be read"):
        rule_set("a\0b.toml")


def test_a_key_written_twice_is_refused_inline_too() -> None:
    with pytest.raises(RuleSetError, match="inline rule set is no JSON: 'preset' is written twice; allowed: once"):
        rule_set('{"preset": "hunan", "preset": "mini"}')
    with pytest.raises(RuleSetError, match="inline rule set is no JSON"):
        rule_set('{"cap": ' + "9" * 5000 + "}")


def test_a_rule_set_is_frozen() -> None:
    rules = rule_set("hunan")
    with pytest.raises(AttributeError):
        rules.min_huxi = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        del rules.name
    with pytest.raises(TypeError):
        rules.patterns["hai_di"] = {}
    with pytest.raises(TypeError):
        rules["huxi"]["peng"]["small_red"] = 9
    with pytest.raises(ValueError, match="read-only"):
        rules.record["min_huxi"] = 3
    with pytest.raises(AttributeError, match="no field 'colour'"):
        _ = rules.colour


def test_the_name_is_no_part_of_the_hash() -> None:
    same = RuleSet("other", rule_set("hunan").values_)
    assert same.hash == rule_set("hunan").hash
    assert same == rule_set("hunan")


def test_seeds_of_any_size_are_folded_and_others_refused() -> None:
    assert seed_word(7) == 7
    assert seed_word(2**64 - 1) == 2**64 - 1
    assert len({int(seed_word(s)) for s in (0, 1, 2**64, 2**64 + 1, 2**128, 2**200)}) == 6
    for wrong in (-1, 1.5, "7", None, True):
        with pytest.raises(ValueError, match="seed"):
            seed_word(wrong)
