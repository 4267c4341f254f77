"""Rule sets as plain data: the fields of chapter 11 and the presets of chapter 10.

`make_rules` takes a preset's name or `{"preset": NAME, FIELD: VALUE, ...}`. A table is merged by
key, at every depth, and null removes a key. Only the checks that a reader needs are made.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

# The level that a pattern belongs to (8.2); every regional pattern is a `full` one.
LEVELS = ("none", "basic", "half", "full")
LEVEL_OF = {
    **dict.fromkeys(("hong_hu", "dian_hu", "hong_wu", "wu_hu"), "basic"),
    **dict.fromkeys(("dui_dui_hu", "hai_di"), "half"),
    **dict.fromkeys(("da_zi", "xiao_zi", "tian_hu", "di_hu", "ting_hu", "si_qi_hong"), "full"),
    **dict.fromkeys(("shua_hou", "tuan_yuan", "hang_hang_xi", "jia_hang_hang"), "full"),
}

# The bounds of the counted patterns where an override names a pattern its preset lacks.
USUAL_BOUNDS: dict[str, dict[str, int]] = {
    "hong_hu": {"from": 10},
    "dian_hu": {"from": 1, "up_to": 1},
    "hong_wu": {"from": 13},
    "wu_hu": {"from": 0, "up_to": 0},
    "da_zi": {"from": 18},
    "xiao_zi": {"from": 18},
}


def _two(small: int, large: int) -> dict[str, int]:
    return {"small_black": small, "small_red": small, "large_black": large, "large_red": large}


def _four(small_black: int, small_red: int, large_black: int, large_red: int) -> dict[str, int]:
    return {
        "small_black": small_black,
        "small_red": small_red,
        "large_black": large_black,
        "large_red": large_red,
    }


def hunan_huxi() -> dict[str, dict[str, int]]:
    """The table of 3.1. A ju counts by its size only."""
    return {
        "ti": _two(9, 12),
        "pao": _two(6, 9),
        "wei": _two(3, 6),
        "kan": _two(3, 6),
        "peng": _two(1, 3),
        "ju_123": _two(3, 6),
        "ju_2710": _two(3, 6),
    }


def hunan_patterns() -> dict[str, dict[str, Any]]:
    """The table of 8.2."""
    return {
        "hong_hu": {"fan": 2, "from": 10, "up_to": 12},
        "dian_hu": {"fan": 3, "from": 1, "up_to": 1},
        "hong_wu": {"fan": 4, "from": 13},
        "wu_hu": {"fan": 5, "from": 0, "up_to": 0},
        "dui_dui_hu": {"fan": 4},
        "hai_di": {"fan": 2},
        "da_zi": {"fan": 3, "per_extra": 1, "from": 18},
        "xiao_zi": {"fan": 4, "per_extra": 1, "from": 18},
        "tian_hu": {"fan": 2},
    }


@dataclass(frozen=True)
class Rules:
    """One rule set. The defaults are `hunan` (10.1)."""

    preset: str = "hunan"
    players: int = 3
    hand_size: int = 20
    ranks: int = 10
    doors: int = 7
    wilds: int = 0
    # winning
    min_huxi: int = 15
    min_huxi_plain: int | None = None  # 10.2: what a hand without a pattern needs
    hu_on_discard: bool = False
    tian_hu_quads: int = 3  # 2.2; 0 = off
    tian_hu_kans: int = 5  # 2.2; 0 = off
    # play
    forced_peng: bool = False
    forced_pao: bool = True
    own_draw_melds: bool = True
    show_upcard: bool = True
    show_last_tile: bool = False
    split_pass: bool = False
    # scoring
    huxi: dict[str, dict[str, int]] = field(default_factory=hunan_huxi)
    deng_from: int = 15
    deng_step: int = 3
    base_on: str = "deng"  # or "huxi"
    pattern_level: str = "half"
    patterns: dict[str, dict[str, Any]] = field(default_factory=hunan_patterns)
    joint: dict[str, int] = field(default_factory=lambda: {"wu_hu+dui_dui_hu": 10})
    lone: dict[str, int] = field(default_factory=lambda: {"hai_di": 1})
    fan_combine: str = "add"  # or "multiply"
    self_draw: str = "after"  # "before", "none"
    discard_payment: str = "each"  # or "discarder": he pays for all
    tian_hu_for: str = "any"  # or "dealer" (10.3)
    di_hu_on: str = "opening"  # or "first_discard" (10.4)
    bonuses: dict[str, dict[str, int]] = field(default_factory=dict)  # "add" and "set" (10.6)
    multipliers: dict[str, int] = field(default_factory=dict)  # 10.5
    huang_fan: bool = False
    turn_up: int = 0
    cap: int | None = None
    draw_penalty: int = 0

    def pattern(self, name: str) -> dict[str, Any] | None:
        """The pattern's entry where the rule set has it at its level (8.2), else None."""
        if LEVELS.index(LEVEL_OF[name]) > LEVELS.index(self.pattern_level):
            return None
        return self.patterns.get(name)


PRESETS: dict[str, dict[str, Any]] = {
    "hunan": {},
    "huaihua": {  # 10.2
        "pattern_level": "full",
        "self_draw": "before",
        "joint": {},
        "lone": {},
        "min_huxi_plain": 18,
    },
    "changde": {  # 10.3
        "pattern_level": "full",
        "self_draw": "before",
        "joint": {},
        "lone": {},
        "tian_hu_for": "dealer",
        "huang_fan": True,
        "patterns": {
            "hong_hu": {"fan": 3, "per_extra": 1, "from": 10},
            "si_qi_hong": {"fan": 2},
            "dian_hu": {"fan": 6, "from": 1, "up_to": 1},
            "wu_hu": {"fan": 8, "from": 0, "up_to": 0},
            "dui_dui_hu": {"fan": 8},
            "da_zi": {"fan": 8, "per_extra": 1, "from": 18},
            "xiao_zi": {"fan": 10, "per_extra": 1, "from": 16},
            "tian_hu": {"fan": 6},
            "di_hu": {"fan": 6},
            "ting_hu": {"fan": 6},
            "hai_di": {"fan": 6},
            "shua_hou": {"fan": 8},
            "tuan_yuan": {"fan": 8, "quads": False},
            "hang_hang_xi": {"fan": 8},
            "jia_hang_hang": {"fan": 4},
        },
    },
    "luzhou": {  # 10.4
        "pattern_level": "full",
        "min_huxi": 10,
        "deng_from": 10,
        "deng_step": 10,
        "hu_on_discard": True,
        "discard_payment": "discarder",
        "forced_peng": True,
        "own_draw_melds": False,
        "show_upcard": False,
        "show_last_tile": True,
        "joint": {},
        "lone": {},
        "di_hu_on": "first_discard",
        "huxi": {
            "peng": _four(1, 6, 3, 9),
            "kan": _four(6, 9, 9, 12),
            "pao": _four(9, 12, 12, 15),
            "ti": _four(12, 15, 15, 18),
            "wei": _two(3, 6),  # never laid here
            "ju_123": _two(3, 6),
            "ju_2710": _two(6, 9),
        },
        "patterns": {
            "hong_hu": {"fan": 2, "from": 10},
            "wu_hu": {"fan": 4, "from": 0, "up_to": 0},
            "tian_hu": {"fan": 2},
            "di_hu": {"fan": 2},
        },
    },
    "yongzhou": {  # 10.5
        "pattern_level": "full",
        "wilds": 2,
        "self_draw": "none",
        "joint": {},
        "lone": {},
        "fan_combine": "multiply",
        "draw_penalty": 5,
        "multipliers": {"zi_mo": 2, "wang_diao": 4, "shuang_wang": 8},
        "patterns": {
            "hong_hu": {"fan": 2, "from": 10},
            "dian_hu": {"fan": 3, "from": 1, "up_to": 1},
            "wu_hu": {"fan": 4, "from": 0, "up_to": 0},
        },
    },
    "bopi": {  # 10.6
        "pattern_level": "full",
        "min_huxi": 10,
        "base_on": "huxi",
        "self_draw": "none",
        "joint": {},
        "lone": {},
        "fan_combine": "multiply",
        "bonuses": {"add": {"self_draw": 10}, "set": {"hong_wu": 60, "wu_hu": 60}},
        "patterns": {
            "dian_hu": {"fan": 2, "from": 1, "up_to": 1},
            "hong_hu": {"fan": 2, "from": 10, "up_to": 12},
            "hong_wu": {"fan": 1, "from": 13},
            "wu_hu": {"fan": 1, "from": 0, "up_to": 0},
        },
    },
    "mini": {  # a small training game (11)
        "players": 2,
        "hand_size": 5,
        "ranks": 3,
        "doors": 2,
        "min_huxi": 3,
        "deng_from": 3,
        "tian_hu_quads": 2,
        "tian_hu_kans": 0,
    },
}

CHOICES: dict[str, tuple[Any, ...]] = {
    "players": (2, 3),
    "wilds": (0, 1, 2, 3, 4),
    "base_on": ("deng", "huxi"),
    "pattern_level": LEVELS,
    "fan_combine": ("add", "multiply"),
    "self_draw": ("after", "before", "none"),
    "discard_payment": ("each", "discarder"),
    "tian_hu_for": ("any", "dealer"),
    "di_hu_on": ("opening", "first_discard"),
}


def make_rules(source: str | Mapping[str, Any]) -> Rules:
    """The rule set that a preset's name or a mapping names; ValueError where there is none."""
    overrides = {"preset": source} if isinstance(source, str) else dict(source)
    name = overrides.pop("preset", "hunan")
    if not isinstance(name, str) or name not in PRESETS:
        raise ValueError(f"unknown rule set {name!r}; allowed: {tuple(PRESETS)}")
    values = {f.name: getattr(Rules(), f.name) for f in fields(Rules)}
    values.update(copy.deepcopy(PRESETS[name]), preset=name)
    for key, value in overrides.items():
        if key not in values:
            raise ValueError(f"unknown field {key!r} = {value!r}; allowed: {tuple(values)}")
        values[key] = _override(key, values[key], value)
    _check(values)
    return Rules(**values)


def _override(key: str, old: Any, new: Any) -> Any:
    """The field's new value: tables merged by key, anything else replaced."""
    if isinstance(old, dict):
        if not isinstance(new, Mapping):
            raise ValueError(f"{key} = {new!r} is not a table")
        if key == "patterns":
            return _merge_patterns(old, new)
        return _merge(old, new)
    return new


def _merge(old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping) and isinstance(merged.get(key), dict):
            merged[key] = _merge(merged[key], value)
        else:
            merged[key] = value
    return merged


def _merge_patterns(old: dict[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """As `_merge`; a bare number is the fan, a new pattern has its usual bounds."""
    wanted: dict[str, Any] = {}
    for name, entry in new.items():
        if name not in LEVEL_OF:
            raise ValueError(f"unknown pattern {name!r} = {entry!r}; allowed: {tuple(LEVEL_OF)}")
        if isinstance(entry, int):
            entry = {"fan": entry}
        if entry is not None and name not in old:
            entry = {**USUAL_BOUNDS.get(name, {}), **entry}
        wanted[name] = entry
    return _merge(old, wanted)


def _check(values: Mapping[str, Any]) -> None:
    for key, allowed in CHOICES.items():
        if values[key] not in allowed:
            raise ValueError(f"{key} = {values[key]!r}; allowed: {allowed}")
    plain = {f.name: getattr(Rules(), f.name) for f in fields(Rules)}
    for key, usual in plain.items():
        value = values[key]
        if isinstance(usual, bool) and not isinstance(value, bool):
            raise ValueError(f"{key} = {value!r}; allowed: true, false")
        if type(usual) is int and (type(value) is not int or value < 0):
            raise ValueError(f"{key} = {value!r}; allowed: a whole number from 0")
    if values["hand_size"] + 1 != 3 * values["doors"]:
        raise ValueError(f"doors = {values['doors']!r}; allowed: (hand_size + 1) / 3")
    if not 1 <= values["ranks"] <= 10:
        raise ValueError(f"ranks = {values['ranks']!r}; allowed: 1 to 10")
