"""Is it a win, and what does it pay: chapters 7 and 8 and the tables of chapter 10.

`judge` answers for a position whose own ti or wei is laid already; `evaluate.answer` answers
queries.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .doors import Door, divisions, huxi_of, plain_door, roles, without_kans
from .rules import Rules
from .tiles import QUADS, WILD, Meld, is_large, is_red, kinds_of

SOURCES = ("own_draw", "other_draw", "upcard_dealer", "upcard_other", "discard")


@dataclass(frozen=True)
class Win:
    """How the winning tile came, beside the tiles themselves.

    `source` is one of SOURCES, or "forced" for the 天胡 of 2.2. `laid`: the tile already lies in
    the hand or in a ti or wei (6.5, 2.4).
    """

    tile: int | None
    source: str
    laid: bool = False
    concealed_before: int = 0  # without the tile, and before a ti or wei that it makes
    dealer: bool = False
    last_tile: bool = False
    no_intake: bool = False
    first_discard: bool = False
    drawn_before: int = 0
    turned: int = 0  # 10.6: how many turned tiles equal the winning tile

    @property
    def opening(self) -> bool:
        """A 天胡, forced or on the upcard (2.2, 2.4)."""
        return self.source in ("forced", "upcard_dealer", "upcard_other")

    @property
    def self_drawn(self) -> bool:
        """8.5."""
        return self.source == "own_draw" or self.opening


@dataclass(frozen=True)
class Verdict:
    """A division and what it is worth. `payment` is the base before any cap (7.5)."""

    huxi: int
    groups: tuple[str, ...]
    patterns: tuple[str, ...]
    fan: int
    deng: int | None
    base: int
    payment: int
    plain: bool  # no pattern (10.2)

    def as_answer(self) -> dict[str, Any]:
        """The keys that answers and results share."""
        return {
            "huxi": self.huxi,
            "groups": list(self.groups),
            "patterns": list(self.patterns),
            "fan": self.fan,
            "deng": self.deng,
            "base": self.base,
        }


# --- patterns and payment ------------------------------------------------------------------


def _counted(entry: Mapping[str, Any], count: int) -> int | None:
    """The fan of a counted pattern, None where the count is out of its bounds."""
    lowest, highest = entry.get("from", 0), entry.get("up_to")
    if count < lowest or (highest is not None and count > highest):
        return None
    return int(entry["fan"] + entry.get("per_extra", 0) * (count - lowest))


def _full_ranks(doors: list[Door], kinds: list[int], quads: bool) -> int:
    """The ranks of which all four small and all four large are there (tuan_yuan, 10.3)."""
    if quads:
        there = [door.kinds[0] for door in doors if door.name in QUADS]
    else:
        there = [kind for kind in range(20) if kinds.count(kind) >= 4]
    return len([kind for kind in range(10) if kind in there and kind + 10 in there])


def fans(
    rules: Rules, doors: list[Door], kinds: list[int], rest: list[int], win: Win
) -> dict[str, int]:
    """Every pattern of the hand with its single fan (8.2, 10.3, 10.4).

    `kinds` are all tiles as they stand; `rest` is what a forced 天胡 holds beside ti and kan.
    """
    forced = win.source == "forced"
    red = len([kind for kind in kinds if is_red(kind)])
    large = len([kind for kind in kinds if is_large(kind)])
    found: dict[str, int | None] = {}

    def has(name: str, condition: bool) -> None:
        entry = rules.pattern(name)
        if entry is not None and condition:
            found[name] = entry["fan"]

    def counts(name: str, count: int) -> None:
        entry = rules.pattern(name)
        if entry is not None:
            found[name] = _counted(entry, count)

    counts("hong_hu", red)
    counts("dian_hu", red)
    counts("hong_wu", red)
    counts("wu_hu", red)
    counts("da_zi", large)
    counts("xiao_zi", len(kinds) - large)
    has("si_qi_hong", red in (4, 7))
    if forced:  # 8.6
        has("dui_dui_hu", not rest or (len(rest) == 2 and rest[0] == rest[1]))
    else:
        has("dui_dui_hu", not any(door.name in ("chi", "ju", "jiao") for door in doors))
    has("hai_di", win.last_tile)
    has("tian_hu", win.opening and (rules.tian_hu_for == "any" or win.dealer))
    if rules.di_hu_on == "opening":
        has("di_hu", win.opening and not win.dealer)
    else:
        has("di_hu", win.source == "discard" and win.first_discard)
    has("ting_hu", win.no_intake or win.opening)
    has("shua_hou", not forced and win.concealed_before == 1)
    tuan_yuan = rules.pattern("tuan_yuan")
    if tuan_yuan is not None:
        full = _full_ranks(doors, kinds, bool(tuan_yuan.get("quads")))
        found["tuan_yuan"] = tuan_yuan["fan"] * full or None  # for each rank
    if not forced:
        pairs = [door for door in doors if door.name == "jiang"]
        others = [door for door in doors if door.name != "jiang"]
        all_count = all(huxi_of(rules, door) > 0 for door in others)
        has("hang_hang_xi", not pairs and all_count)
        has("jia_hang_hang", bool(pairs) and all_count)
    return {name: fan for name, fan in found.items() if fan is not None}


def multiplier(rules: Rules, doors: list[Door], win: Win) -> str | None:
    """The one multiplier that is not a colour (10.5): the highest that holds, None for none.

    Tiles of one kind are the same, so a free tile of the winning kind may be the drawn one.
    """
    holds = []
    if win.self_drawn:
        holds.append("zi_mo")
    drawn = win.tile if win.source in ("own_draw", "upcard_dealer") else None
    quads = any(door.name in QUADS for door in doors)
    for door in doors:
        if door.name == "jiang" and drawn is not None:
            if sorted(door.tiles) == [drawn, WILD]:
                holds.append("wang_diao")
                if drawn == WILD:
                    holds.append("shuang_wang")
        if door.name == "wei" and not quads and sorted(door.tiles) == [drawn, WILD, WILD]:
            holds.append("shuang_wang")
    holds = [name for name in holds if name in rules.multipliers]
    return max(holds, key=lambda name: rules.multipliers[name], default=None)


def combine(rules: Rules, single: Mapping[str, int]) -> int:
    """All fans in one (8.3)."""
    values = dict(single)
    if len(values) == 1:
        (name,) = values
        values[name] = rules.lone.get(name, values[name])
    for names, value in rules.joint.items():
        parts = names.split("+")
        if all(part in values for part in parts):
            for part in parts:
                del values[part]
            values[names] = value
    if not values:
        return 1
    return sum(values.values()) if rules.fan_combine == "add" else math.prod(values.values())


def score(rules: Rules, doors: list[Door], kinds: list[int], rest: list[int], win: Win) -> Verdict:
    """What one division is worth (chapter 8)."""
    huxi = sum(huxi_of(rules, door) for door in doors)
    single = fans(rules, doors, kinds, rest, win)
    fan = combine(rules, single)
    names = sorted(single)
    extra = multiplier(rules, doors, win)
    if extra is not None:
        fan *= rules.multipliers[extra]
        names = sorted([*names, extra])
    deng = None
    if rules.base_on == "deng":  # 8.1
        deng = max(1, 1 + (huxi - rules.deng_from) // rules.deng_step)
        points = deng
    else:  # 10.6
        points = huxi
        for name, value in rules.bonuses.get("set", {}).items():
            if name in single:
                points = value
    if win.self_drawn:
        points += rules.bonuses.get("add", {}).get("self_draw", 0)
    points += win.turned
    if win.self_drawn and rules.self_draw == "before":  # 8.4
        payment = (points + 1) * fan
    elif win.self_drawn and rules.self_draw == "after":
        payment = points * fan + 1
    else:
        payment = points * fan
    if rules.huang_fan:
        payment *= win.drawn_before + 1
    base = payment if rules.cap is None else min(payment, rules.cap)
    groups = tuple(sorted(str(door) for door in doors))
    return Verdict(huxi, groups, tuple(names), fan, deng, base, payment, not single)


# --- the verdict ---------------------------------------------------------------------------


def _all_divisions(
    rules: Rules, hand: list[int], melds: list[Meld], win: Win
) -> Iterator[list[Door]]:
    if win.laid:  # 7.4, and the dealer's 21 tiles of 2.4
        kans, rest = without_kans(hand)
        yield from divisions(rules, melds, kans, rest)
        return
    assert win.tile is not None
    for table, fixed, free in roles(rules, hand, melds, win.tile, win.source):
        yield from divisions(rules, table, fixed, free)


def verdicts(rules: Rules, hand: list[int], melds: list[Meld], win: Win) -> list[Verdict]:
    """Every division into doors, scored, whatever its huxi."""
    return [
        score(rules, doors, [kind for door in doors for kind in door.kinds], [], win)
        for doors in _all_divisions(rules, hand, melds, win)
    ]


def enough(rules: Rules, verdict: Verdict) -> bool:
    """`min_huxi`, and `min_huxi_plain` for a hand without a pattern (7.1, 10.2)."""
    if verdict.huxi < rules.min_huxi:
        return False
    plain = rules.min_huxi_plain
    return plain is None or not verdict.plain or verdict.huxi >= plain


def barred(rules: Rules, hand: list[int], win: Win) -> str | None:
    """Why a tile from this source is no winning tile for this hand, None where it may be one."""
    if win.source == "discard" and not rules.hu_on_discard:
        return "not a wall tile"
    if win.source == "upcard_other" and not rules.show_upcard:
        return "the upcard is not shown"
    own = win.source in ("own_draw", "upcard_dealer")
    if WILD in hand and not own:
        return "holds a wild tile: wins on its own draws only"
    if win.tile == WILD and not own:
        return "another seat's wild tile"
    return None


def judge(rules: Rules, hand: list[int], melds: list[Meld], win: Win) -> Verdict | str:
    """The best division (7.5), or why there is no win."""
    why = barred(rules, hand, win)
    if why is not None:
        return why
    found = verdicts(rules, hand, melds, win)
    if not found:
        return "no division into doors"
    good = [verdict for verdict in found if enough(rules, verdict)]
    if not good:
        huxi = max(verdict.huxi for verdict in found)
        if huxi < rules.min_huxi:
            return f"huxi {huxi} < {rules.min_huxi}"
        return f"huxi {huxi} < {rules.min_huxi_plain} without a pattern"
    return max(good, key=lambda verdict: (verdict.payment, verdict.huxi))


def is_forced_tianhu(rules: Rules, hand: list[int]) -> bool:
    """2.2, on the real tiles of a dealt hand (the dealer's with the upcard)."""
    kinds = set(hand) - {WILD}
    quads = len([kind for kind in kinds if hand.count(kind) == 4])
    kans = len([kind for kind in kinds if hand.count(kind) == 3])
    by_quads = rules.tian_hu_quads > 0 and quads >= rules.tian_hu_quads
    by_kans = rules.tian_hu_kans > 0 and quads + kans >= rules.tian_hu_kans
    return by_quads or by_kans


def forced_verdict(rules: Rules, hand: list[int], dealer: bool, drawn_before: int) -> Verdict:
    """8.6: only ti and kan count for huxi, all tiles for the patterns; 王 as pays most (10.5)."""
    win = Win(None, "forced", dealer=dealer, no_intake=True, drawn_before=drawn_before)
    real = [tile for tile in hand if tile != WILD]
    doors = []
    for kind in sorted(set(real)):
        if real.count(kind) >= 3:
            name = "ti" if real.count(kind) == 4 else "kan"
            doors.append(plain_door(name, (kind,) * real.count(kind)))
    settled = [door.kinds[0] for door in doors]
    rest = [tile for tile in real if tile not in settled]
    found = []
    for colours in itertools.product(kinds_of(rules.ranks), repeat=hand.count(WILD)):
        found.append(score(rules, doors, [*real, *colours], [*rest, *colours], win))
    return max(found, key=lambda verdict: (verdict.payment, verdict.huxi))
