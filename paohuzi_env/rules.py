"""Rule sets as data: presets, validation, and the record that the kernels read (rules 10, 11).

A rule set is named by a preset ("hunan"), a mapping ({"preset": "hunan", "cap": 20}), or a TOML or JSON file that
holds such a mapping. Fields that are tables merge by key, at every depth; null (in TOML the string "none") removes a
key. `RuleSet` is frozen; two rule sets are equal, and hash alike, exactly if they play alike.
"""

from __future__ import annotations

import copy
import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from paohuzi_env.core import state as st
from paohuzi_env.core.rows import divisible_rows, row_table
from paohuzi_env.core.tiles import KINDS, RANKS, RED_KINDS
from paohuzi_env.errors import MOST_PATH, MOST_WORDS, RuleSetError, brief, shown

LEVELS: Final = ("none", "basic", "half", "full")
LEVEL_OF: Final = MappingProxyType(
    dict.fromkeys(st.PATTERNS[: st.ZI_MO], "full")
    | dict.fromkeys(("hong_hu", "dian_hu", "hong_wu", "wu_hu"), "basic")
    | dict.fromkeys(("dui_dui_hu", "hai_di"), "half")
)
"""The level from which on a pattern counts (rules 8.2); those of the regional sets are all `full`."""
MULTIPLIERS: Final = ("zi_mo", "wang_diao", "shuang_wang")
NO_LIMIT: Final = 1000

# The range of a counted pattern where a rule set names it without one.
USUAL_RANGE: Final[Mapping[str, Mapping[str, int]]] = MappingProxyType(
    {
        "hong_hu": {"from": 10},
        "dian_hu": {"from": 1, "up_to": 1},
        "hong_wu": {"from": 13},
        "wu_hu": {"from": 0, "up_to": 0},
        "si_qi_hong": {"from": 4, "up_to": 7},
        "da_zi": {"from": 18},
        "xiao_zi": {"from": 18},
    }
)
UNITS: Final = ("peng", "wei", "kan", "pao", "ti")  # in the order of RULES.huxi
CLASSES: Final = ("small_black", "small_red", "large_black", "large_red")
RUNS: Final = ("ju_123", "ju_2710")
HAND_SIZES: Final = range(2, 21, 3)
"""Those that with one more tile make whole doors."""

# field: the least and the greatest whole number
_NUMBERS: Final = {
    "players": (2, 3),
    "hand_size": (2, 20),
    "ranks": (1, 10),
    "doors": (1, 7),
    "wilds": (0, 2),
    "min_huxi": (0, 1000),
    "tian_hu_quads": (0, 5),
    "tian_hu_kans": (0, 7),
    "deng_from": (0, 1000),
    "deng_step": (1, 1000),
    "turn_up": (0, st.WALL),
    "draw_penalty": (0, 1000),
}
_OPTIONAL: Final = {"min_huxi_plain": (1, 1000), "cap": (1, 1_000_000)}
_FLAGS: Final = (
    "hu_on_discard", "forced_peng", "forced_pao", "own_draw_melds", "show_upcard", "show_last_tile", "split_pass",
    "huang_fan",
)  # fmt: skip
_CHOICES: Final = {
    "base_on": ("deng", "huxi"),
    "pattern_level": LEVELS,
    "fan_combine": ("add", "multiply"),
    "self_draw": ("none", "after", "before"),
    "discard_payment": ("discarder", "each"),
    "tian_hu_for": ("any", "dealer"),
    "di_hu_on": ("opening", "first_discard"),
}
_TABLES: Final = ("huxi", "patterns", "joint", "lone", "bonuses", "multipliers")
FIELDS: Final = (*_NUMBERS, *_OPTIONAL, *_FLAGS, *_CHOICES, *_TABLES)
"""Every field of a rule set, in the order in which they are shown."""


class RuleSet(Mapping[str, Any]):
    """One set of rules: a frozen mapping from field to value.

    Make one with `rule_set`. Every field can also be read as an attribute: ``rules.min_huxi``.

    Attributes
    ----------
    name : str
        The preset that it is, or that it was made from.
    hash : str
        16 hexadecimal digits of the values; the name is no part of it.
    """

    __slots__ = ("__dict__", "_values", "name")

    def __init__(self, name: str, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "_values", _freeze(values))

    def __getitem__(self, field: str) -> Any:
        return self._values[field]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __getattr__(self, field: str) -> Any:
        if not field.startswith("_") and field in self._values:
            return self._values[field]
        raise AttributeError(f"a rule set has no field {shown(field)}")

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"a rule set is frozen: {field} can't be set; make another with `rule_set`")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"a rule set is frozen: {field} can't be deleted")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RuleSet) and self.hash == other.hash

    def __hash__(self) -> int:
        return int(self.hash, 16)

    def __reduce__(self) -> tuple[Any, ...]:
        return rule_set, (self.spec,)

    def __deepcopy__(self, memo: Any) -> RuleSet:
        return self

    def __repr__(self) -> str:
        return f"rule_set({self.spec!r})"

    def __str__(self) -> str:
        return self.name if self.spec == self.name else json.dumps(self.spec, ensure_ascii=False)

    @property
    def values_(self) -> dict[str, Any]:
        """A plain copy of all fields."""
        thawed: dict[str, Any] = _thaw(self._values)
        return thawed

    @cached_property
    def hash(self) -> str:
        """16 hexadecimal digits that tell rule sets of different values apart."""
        text = json.dumps(_thaw(self._values), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @cached_property
    def spec(self) -> str | dict[str, Any]:
        """The shortest text for records: the preset's name, or a mapping with what differs from it."""
        changes = _difference(_thaw(preset(self.name)._values), _thaw(self._values))
        return {"preset": self.name, **changes} if changes else self.name

    @cached_property
    def record(self) -> Any:
        """What the kernels read: one RULES record in an array of length one. Read-only; shared by all users."""
        array = _record(self)
        array.setflags(write=False)
        return array

    @property
    def seats(self) -> int:
        """Seats that play a hand."""
        return int(self._values["players"])

    @property
    def deck_size(self) -> int:
        """Tiles in the deck."""
        return int(8 * self._values["ranks"] + self._values["wilds"])

    @property
    def wall_size(self) -> int:
        """Tiles in the wall after the deal."""
        return _wall(self._values["ranks"], self._values["wilds"], self._values["hand_size"])


def rule_set(source: str | os.PathLike[str] | Mapping[str, Any] | RuleSet = "hunan") -> RuleSet:
    """Make a rule set from a preset's name, a mapping, inline JSON, or a TOML or JSON file.

    Parameters
    ----------
    source
        "hunan"; {"preset": "hunan", "min_huxi": 10}; '{"preset": "hunan"}'; "rules.toml". Text that begins with "{"
        is JSON; text that ends in .toml or .json, and any path object, is a file.

    Raises
    ------
    RuleSetError
        Unknown preset, file or field; a value of the wrong type or out of range; contradictory fields.
    """
    if isinstance(source, RuleSet):
        return source
    if isinstance(source, Mapping):
        return _from_mapping(source)
    text = os.fspath(source) if isinstance(source, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise RuleSetError(
            f"rule set {shown(source)}; allowed: a preset's name, a mapping, JSON, or a .toml or .json file"
        )
    if text.lstrip().startswith("{"):
        return _from_mapping(_parse_json(text, "inline rule set"))
    if text.endswith((".toml", ".json")) or not isinstance(source, str):
        return _from_file(Path(text))
    return preset(text)


@cache
def preset(name: str) -> RuleSet:
    """The preset of that name."""
    table = _presets()
    if name not in table:
        raise RuleSetError(
            f"unknown rule set {shown(name)}; allowed: {', '.join(table)}, a .toml or .json file, or JSON"
        )
    return _validated(name, _preset_values(name))


def preset_names() -> tuple[str, ...]:
    """The names of all presets, `hunan` first."""
    return tuple(_presets())


def difference(a: RuleSet, b: RuleSet) -> dict[str, tuple[Any, Any]]:
    """The fields in which two rule sets differ, tables by dotted key: name -> (value in a, value in b)."""
    flat_a, flat_b = _flatten(a.values_), _flatten(b.values_)
    keys = sorted(flat_a.keys() | flat_b.keys(), key=lambda k: (FIELDS.index(k.split(".")[0]), k))
    return {k: (flat_a.get(k), flat_b.get(k)) for k in keys if flat_a.get(k) != flat_b.get(k)}


# --- reading --------------------------------------------------------------------------------------------------------


@cache
def _presets() -> dict[str, Any]:
    text = resources.files("paohuzi_env").joinpath("presets.toml").read_text(encoding="utf-8")
    return {name: _toml_nulls(table) for name, table in tomllib.loads(text).items()}


def _preset_values(name: str) -> dict[str, Any]:
    table = copy.deepcopy(_presets()[name])
    parent = table.pop("preset", None)
    start = _preset_values(parent) if parent else dict.fromkeys(_OPTIONAL)
    return _merge_all(start, table)


def _from_file(path: Path) -> RuleSet:
    what = f"rule file {shown(str(path), MOST_PATH)}"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or no name of a file
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise RuleSetError(f"{what} can't be read: {why}") from error
    if path.suffix == ".json":
        return _from_mapping(_parse_json(text, what))
    return _from_mapping(_toml_nulls(_parse(text, what, "TOML", tomllib.loads)))


def _parse_json(text: str, what: str) -> dict[str, Any]:
    value = _parse(text, what, "JSON", lambda text: json.loads(text, object_pairs_hook=_no_twins))
    if not isinstance(value, dict):
        raise RuleSetError(f"{what} is {shown(value)}; allowed: an object")
    return value


def _parse(text: str, what: str, language: str, parser: Callable[[str], Any]) -> Any:
    try:
        value = parser(text)
        repr(value)  # fails on a number of so many digits that no message could show it
    except RecursionError as error:
        raise RuleSetError(f"{what} is no {language}: too many nested brackets") from error
    except ValueError as error:
        raise RuleSetError(f"{what} is no {language}: {brief(str(error), MOST_WORDS)}") from error
    return value


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key written twice is refused, as TOML does: only one of its values could count."""
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{shown(name)} is written twice; allowed: once")
    return dict(pairs)


def _from_mapping(source: Mapping[str, Any]) -> RuleSet:
    table = dict(source)
    name = table.pop("preset", "hunan")
    if not isinstance(name, str):
        raise RuleSetError(f"preset = {shown(name)}; allowed: {', '.join(preset_names())}")
    start = preset(name).values_
    for field, value in table.items():
        if field not in FIELDS:
            raise RuleSetError(
                f"unknown rule field {shown(field)} = {shown(value)}; allowed: preset, {', '.join(FIELDS)}"
            )
    return _validated(name, _merge_all(start, table))


def _toml_nulls(value: Any) -> Any:
    """TOML has no null: in tables the string "none" stands for it. The top level has choices called "none"."""

    def nulls(v: Any) -> Any:
        if isinstance(v, dict):
            return {k: nulls(x) for k, x in v.items()}
        return None if v == "none" else v

    return {k: nulls(v) if isinstance(v, dict) else v for k, v in value.items()}


def _merge_all(start: dict[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    values = dict(start)
    for field, new in table.items():
        if field not in _TABLES:
            values[field] = new
            continue
        if not isinstance(new, Mapping):
            raise RuleSetError(f"{field} = {shown(new)}; allowed: a table")
        if field == "patterns":
            new = {k: _pattern_entry(k, v, values.get(field, {})) for k, v in new.items()}
        values[field] = _merge(values.get(field, {}), new)
    return values


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for key, value in new.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, Mapping):
            below = merged.get(key)
            merged[key] = _merge(below if isinstance(below, Mapping) else {}, value)
        else:
            merged[key] = value
    return merged


def _pattern_entry(name: str, entry: Any, old: Mapping[str, Any]) -> Any:
    """A bare number is the fan; a pattern that is new here has its usual range."""
    if isinstance(entry, int) and not isinstance(entry, bool):
        entry = {"fan": entry}
    if isinstance(entry, Mapping) and name not in old:
        entry = {**USUAL_RANGE.get(name, {}), **entry}
    return entry


def _freeze(value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({k: _freeze(v) for k, v in value.items()})
    return value


def _thaw(value: Any) -> Any:
    return {k: _thaw(v) for k, v in value.items()} if isinstance(value, Mapping) else value


def _difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest table that merged into `old` gives `new`."""
    changes: dict[str, Any] = {k: None for k in old if k not in new}
    for key, value in new.items():
        before = old.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            below = _difference(before, value)
            if below:
                changes[key] = below
        elif before != value or key not in old:
            changes[key] = value
    return changes


def _flatten(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, below in value.items():
        if isinstance(below, Mapping):
            flat.update(_flatten(below, f"{prefix}{key}."))
        else:
            flat[prefix + key] = below
    return flat


# --- checking -------------------------------------------------------------------------------------------------------


def _number(field: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise RuleSetError(f"{field} = {shown(value)}; allowed: a whole number from {low} to {high}")


def _keys(field: str, table: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(table, Mapping):
        raise RuleSetError(f"{field} = {shown(table)}; allowed: a table")
    for key in table:
        if key not in allowed:
            raise RuleSetError(f"unknown key {shown(key)} in {field}; allowed: {', '.join(allowed)}")


def _validated(name: str, values: dict[str, Any]) -> RuleSet:
    for field, (low, high) in _NUMBERS.items():
        _number(field, values[field], low, high)
    for field, (low, high) in _OPTIONAL.items():
        if values[field] is not None:
            _number(field, values[field], low, high)
    for field in _FLAGS:
        if not isinstance(values[field], bool):
            raise RuleSetError(f"{field} = {shown(values[field])}; allowed: true, false")
    for field, allowed in _CHOICES.items():
        if values[field] not in allowed or not isinstance(values[field], str):
            raise RuleSetError(f"{field} = {shown(values[field])}; allowed: {', '.join(allowed)}")
    _check_tables(values)
    _check_together(values)
    return RuleSet(name, {field: values[field] for field in FIELDS})


def _check_tables(values: Mapping[str, Any]) -> None:
    _keys("huxi", values["huxi"], UNITS + RUNS)
    for unit in UNITS + RUNS:
        classes: tuple[str, ...] = CLASSES if unit in UNITS else ("small", "large")
        if unit not in values["huxi"]:
            raise RuleSetError(f"huxi has no {unit!r}; needed: {', '.join(UNITS + RUNS)}")
        _keys(f"huxi.{unit}", values["huxi"][unit], classes)
        for c in classes:
            if c not in values["huxi"][unit]:
                raise RuleSetError(f"huxi.{unit} has no {c!r}; needed: {', '.join(classes)}")
            _number(f"huxi.{unit}.{c}", values["huxi"][unit][c], 0, 100)
    _keys("patterns", values["patterns"], tuple(LEVEL_OF))
    for pattern, entry in values["patterns"].items():
        counted = pattern in USUAL_RANGE
        keys: tuple[str, ...] = ("fan", "per_extra", "from", "up_to") if counted else ("fan",)
        keys += ("quads",) if pattern == "tuan_yuan" else ()
        _keys(f"patterns.{pattern}", entry, keys)
        if "fan" not in entry:
            raise RuleSetError(f"patterns.{pattern} has no 'fan'; needed: a whole number from 1 to 1000")
        for key, value in entry.items():
            if key == "quads":
                if not isinstance(value, bool):
                    raise RuleSetError(f"patterns.{pattern}.quads = {shown(value)}; allowed: true, false")
            else:
                _number(f"patterns.{pattern}.{key}", value, 1 if key == "fan" else 0, 1000)
        if entry.get("from", 0) > entry.get("up_to", NO_LIMIT):
            raise RuleSetError(
                f"patterns.{pattern}.from = {entry['from']} contradicts up_to = {entry['up_to']}; allowed: at most that"
            )
    _keys("lone", values["lone"], tuple(LEVEL_OF))
    for pattern, fan in values["lone"].items():
        _number(f"lone.{pattern}", fan, 1, 1000)
    if not isinstance(values["joint"], Mapping) or len(values["joint"]) > 4:
        raise RuleSetError(f"joint = {shown(values['joint'])}; allowed: a table of at most four pairs")
    for pair, fan in values["joint"].items():
        names = pair.split("+")
        if len(names) != 2 or names[0] == names[1] or any(n not in LEVEL_OF for n in names):
            raise RuleSetError(
                f"unknown pair {shown(pair)} in joint; allowed: two of {', '.join(LEVEL_OF)} joined by '+'"
            )
        _number(f"joint.{pair}", fan, 1, 1000)
    _keys("bonuses", values["bonuses"], ("add", "set"))
    _keys("bonuses.add", values["bonuses"].get("add", {}), ("self_draw",))
    _keys("bonuses.set", values["bonuses"].get("set", {}), tuple(LEVEL_OF))
    for key, table in values["bonuses"].items():
        for name, number in table.items():
            _number(f"bonuses.{key}.{name}", number, 1, 1000)
    _keys("multipliers", values["multipliers"], MULTIPLIERS)
    for name, fan in values["multipliers"].items():
        _number(f"multipliers.{name}", fan, 1, 1000)


def _dealt(hand_size: int) -> int:
    """Tiles that are dealt: three hands, whoever plays (rules 10.4), and the dealer's upcard."""
    return 3 * hand_size + 1


def _wall(ranks: int, wilds: int, hand_size: int) -> int:
    return 8 * ranks + wilds - _dealt(hand_size)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _check_together(values: Mapping[str, Any]) -> None:
    """Refuse values that are each allowed and together make no sense."""

    def refuse(field: str, why: str) -> None:
        raise RuleSetError(f"{field} = {shown(values[field])} {why}")

    size = values["hand_size"]
    if size + 1 != 3 * values["doors"]:
        doors = f" = {(size + 1) // 3}" if size in HAND_SIZES else f", with hand_size {_listed(HAND_SIZES)}"
        refuse("doors", f"contradicts hand_size = {size}; allowed: (hand_size + 1) / 3{doors}")
    least = 2 if values["show_last_tile"] else 1
    wall = _wall(values["ranks"], values["wilds"], size)
    if not least <= wall <= st.WALL:
        fits = range(least, st.WALL + 1)
        ranks = [n for n in range(1, RANKS + 1) if _wall(n, values["wilds"], size) in fits]
        sizes = [n for n in HAND_SIZES if _wall(values["ranks"], values["wilds"], n) in fits]
        refuse(
            "ranks",
            f"contradicts hand_size = {size}: of {wall + _dealt(size)} tiles {_dealt(size)} are dealt, and a wall of "
            f"{least} to {st.WALL} has to be left; allowed: ranks {_listed(ranks)}"
            + (f", or hand_size {_listed(sizes)} with its doors" if sizes else ""),
        )
    plain = values["min_huxi_plain"]
    if plain is not None and plain < values["min_huxi"]:
        refuse("min_huxi_plain", f"contradicts min_huxi = {values['min_huxi']}; allowed: at least that, or null")
    if values["base_on"] == "huxi" and values["self_draw"] != "none":
        refuse("self_draw", 'contradicts base_on = "huxi", which has no deng to add; allowed: none')
    if values["base_on"] == "deng" and any(values["bonuses"].get(k) for k in ("add", "set")):
        refuse("bonuses", 'contradict base_on = "deng"; allowed: none, or base_on = "huxi"')
    for field, allowed in (("discard_payment", "each"), ("di_hu_on", "opening")):
        if values[field] != allowed and not values["hu_on_discard"]:
            refuse(field, f"contradicts hu_on_discard = false, by which no discard wins; allowed: {allowed}")
    if values["draw_penalty"] and not values["wilds"]:
        refuse("draw_penalty", "contradicts wilds = 0, by which nobody holds a wild tile; allowed: 0")
    if values["turn_up"] > wall:
        refuse("turn_up", f"is more than the wall of {wall}; allowed: 0 to {wall}")


# --- the kernels' record ----------------------------------------------------------------------------------------------


def _record(rules: RuleSet) -> Any:
    array = st.allocate(1, st.RULES)
    r = array[0]
    for field in (*_NUMBERS, *_FLAGS):
        if field in (st.RULES.fields or {}):
            r[field] = rules[field]
    for field in _OPTIONAL:
        r[field] = rules[field] or 0
    r["discard_payer"] = _CHOICES["discard_payment"].index(rules.discard_payment)
    r["fan_combine"] = _CHOICES["fan_combine"].index(rules.fan_combine)
    r["self_draw"] = _CHOICES["self_draw"].index(rules.self_draw)
    r["base_on_huxi"] = rules.base_on == "huxi"
    r["self_drawn_huxi"] = rules.bonuses.get("add", {}).get("self_draw", 0)
    for unit, name in enumerate(UNITS):
        for kind in range(KINDS):
            r["huxi"][unit, kind] = rules.huxi[name][CLASSES[2 * (kind // RANKS) + (RED_KINDS >> kind & 1)]]
    for run, name in enumerate(RUNS):
        r["run_huxi"][:, run] = [rules.huxi[name]["small"], rules.huxi[name]["large"]]
    _, wei, kan, _, ti = r["huxi"]
    # In a run; beside a pair or with another wild a wei; two beside a pair a ti; beside a kan or wei a ti.
    r["wild_huxi"] = max(r["run_huxi"].max(), wei.max(), (ti.max() + 1) // 2, (ti - kan).max(), (ti - wei).max())
    _write_patterns(rules, r)
    r["copies"] = [4 * (kind % RANKS < rules.ranks) for kind in range(KINDS)]
    r["row"] = row_table()
    r["divisible"] = divisible_rows()
    return array


def _write_patterns(rules: RuleSet, r: Any) -> None:
    r["pat_up_to"][:] = NO_LIMIT
    active = {
        name: entry
        for name, entry in rules.patterns.items()
        if LEVELS.index(LEVEL_OF[name]) <= LEVELS.index(rules.pattern_level)
    }
    for name, entry in active.items():
        p = st.PATTERNS.index(name)
        r["pat_present"][p] = 1
        r["pat_fan"][p] = entry["fan"]
        r["pat_per_extra"][p] = entry.get("per_extra", 0)
        r["pat_from"][p] = entry.get("from", 0)
        r["pat_up_to"][p] = entry.get("up_to", NO_LIMIT)
        r["pat_sets_huxi"][p] = rules.bonuses.get("set", {}).get(name, 0)
        r["lone_fan"][p] = rules.lone.get(name, 0)
    for name, fan in rules.multipliers.items():
        p = st.PATTERNS.index(name)
        r["pat_present"][p] = 1
        r["pat_fan"][p] = fan
    r["tuan_yuan_quads"] = active.get("tuan_yuan", {}).get("quads", False)
    dealer = st.ON_FORCED_DEALER | st.ON_UPCARD_DEALER
    others = st.ON_FORCED_OTHER | st.ON_UPCARD_OTHER
    r["pat_on"][st.TIAN_HU] = dealer if rules.tian_hu_for == "dealer" else dealer | others
    r["pat_on"][st.DI_HU] = others if rules.di_hu_on == "opening" else st.ON_FIRST_DISCARD
    pairs = [(pair.split("+"), fan) for pair, fan in rules.joint.items()]
    for j, ((a, b), fan) in enumerate(pairs):
        if a in active and b in active:
            r["joint_a"][j], r["joint_b"][j] = (st.PATTERNS.index(a), st.PATTERNS.index(b))
            r["joint_fan"][j] = fan


def empty_evals() -> Any:
    """A scratch record for the evaluator; one for each thread."""
    return st.allocate(1, st.EVAL)


def seed_word(seed: Any) -> np.uint64:
    """Fold a seed of any size into the generator's word; seeds from 0 to 2**64 - 1 stay as they are.

    Raises
    ------
    ValueError
        The seed is negative or no whole number.
    """
    if isinstance(seed, (bool, np.bool_)) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ValueError(f"seed = {shown(seed)}; allowed: a whole number from 0")
    number = int(seed)
    word = number & 0xFFFFFFFFFFFFFFFF
    number >>= 64
    while number:  # longer seeds are hashed, so that no part of them is lost
        digest = hashlib.sha256(word.to_bytes(8, "little") + (number & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little"))
        word = int.from_bytes(digest.digest()[:8], "little")
        number >>= 64
    return np.uint64(word)
