"""The light player: what a choice leaves in the own hand, looked up in tables. It is made for playouts.

A decision takes less than a microsecond, most of it for claims and discards, which are all judged in the same way: by
the worth of the hand that they leave. The worth of each size comes from a table of all rows (`fill_row_worths`), which
knows the best division of a row into doors and parts of doors; jiao, which join the sizes, are added rank by rank
where they gain. Apart from its own hand and melds it looks at nothing: what that saves is worth more in playouts.

`WEIGHTS` are in hundredths of a door. They were found by playing the policy against itself with other weights.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.base import CompiledAgent
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import CHI, HU, PAO, PASS, PENG
from paohuzi_env.core.hu import EACH_RANK, LOW_RUN, RED_RANKS
from paohuzi_env.core.melds import group_huxi
from paohuzi_env.core.rng import mix
from paohuzi_env.core.state import BI_WINDOW, DISCARDING, H_PENG, H_WEI, ROWS
from paohuzi_env.core.tiles import KINDS, RANKS, SHAPES, partner
from paohuzi_env.rules import RuleSet, rule_set
from paohuzi_env.search import Policy

WEIGHTS: Final[dict[str, tuple[int, str]]] = {
    "door": (100, "a whole door"),
    "jiao": (108, "a whole jiao"),
    "single": (3, "a tile that is part of nothing"),
    "pair": (82, "two alike"),
    "two_sided": (30, "two of a run that two kinds complete"),
    "one_sided": (16, "two of a run that one kind completes"),
    "red_part": (19, "two of 2-7-10"),
    "mixed_part": (40, "a small and a large tile of a rank"),
    "jiang": (15, "a pair where the hand needs one as jiang"),
    "part_huxi": (38, "percent of the huxi of a door that count in its parts"),
    "huxi": (12, "a huxi, until the floor is reached"),
    "huxi_over": (6, "a huxi above the floor"),
    "chi": (-17, "added to what a chi leaves"),
    "peng": (14, "added to what a peng leaves"),
}
"""Weight -> its value and what it is the worth of."""
NAMES: Final = tuple(WEIGHTS)
(
    DOOR, JIAO, SINGLE, PAIR, TWO_SIDED, ONE_SIDED, RED_PART, MIXED_PART, JIANG, PART_HUXI, HUXI, HUXI_OVER,
    CHI_MORE, PENG_MORE,
) = range(len(NAMES))  # fmt: skip

STAGES: Final = 2
"""How far a hand is with its huxi: below the floor, or not. Each has its tables."""


# --- tables -----------------------------------------------------------------------------------------------------------


@entry
def fill_row_worths(rules: Any, size: int, per_huxi: int, w: Any, table: Any) -> None:
    """What each row of a size is worth in its best division, with `per_huxi` for a huxi."""
    r = rules[0]
    part = w[PART_HUXI]
    low = per_huxi * r.run_huxi[size, 0]
    red = per_huxi * r.run_huxi[size, 1]
    for row in range(1, 1 << 2 * r.ranks):  # more than that no hand holds
        rank = 0
        while row >> 2 * rank & 3 == 0:
            rank += 1
        one = 1 << 2 * rank
        rest = row - one
        best = table[rest] + w[SINGLE]
        first = rank == 0
        if rest & one or rest & one << 1:
            kind = size * RANKS + rank
            huxi = per_huxi * (r.huxi[H_PENG, kind] + r.huxi[H_WEI, kind]) // 2
            best = max(best, table[rest - one] + w[PAIR] + huxi * part // 100)
        near = rank + 1 < RANKS and row >> 2 * (rank + 1) & 3 != 0
        far = rank + 2 < RANKS and row >> 2 * (rank + 2) & 3 != 0
        if near:
            sides = w[TWO_SIDED] if not first and rank + 2 < r.ranks else w[ONE_SIDED]
            huxi = low * part // 100 if first else (low * part // 200 if rank == 1 else 0)  # 2-3: of two kinds one
            best = max(best, table[rest - 4 * one] + sides + huxi)
        if far:
            best = max(best, table[rest - 16 * one] + w[ONE_SIDED] + (low * part // 100 if first else 0))
        if near and far:
            best = max(best, table[row - (LOW_RUN << 2 * rank)] + w[DOOR] + (low if first else 0))
        if rank == 1 or rank == 6:
            reds = (row | row >> 1) & RED_RANKS
            for other in (12, 18):
                if reds >> other & 1 and other > 2 * rank:
                    best = max(best, table[rest - (1 << other)] + w[RED_PART] + red * part // 100)
            if reds == RED_RANKS:
                best = max(best, table[row - RED_RANKS] + w[DOOR] + red)
        table[row] = best


@lru_cache(maxsize=8)
def light_data(rules: RuleSet, weights: tuple[int, ...] | None = None) -> tuple[NDArray[Any], ...]:
    """What the policy reads: the tables, int16 (2 * STAGES, ROWS), 8 MB made in 50 ms; and the weights."""
    w = np.array([value for value, _ in WEIGHTS.values()] if weights is None else weights, np.int64)
    tables = np.zeros((2 * STAGES, ROWS), np.int16)
    for stage, per_huxi in enumerate((HUXI, HUXI_OVER)):
        for size in range(2):
            fill_row_worths(rules.record, size, int(w[per_huxi]), w, tables[2 * stage + size])
    for array in (tables, w):
        array.setflags(write=False)
    return tables, w


# --- worth of a hand --------------------------------------------------------------------------------------------------


@kernel
def hand_worth(tables: Any, w: Any, stage: int, rows: int, quads: int) -> Any:
    """What a hand is worth: two bits for each kind, kan left out."""
    small = rows & (ROWS - 1)
    large = rows >> 2 * RANKS
    of_small = 2 * stage
    of_large = of_small + 1
    a = tables[of_small, small]
    b = tables[of_large, large]
    jiao = 0
    both = (small | small >> 1) & (large | large >> 1) & EACH_RANK
    while both:
        one = both & -both
        both ^= one
        one_less = tables[of_small, small - one]
        one_off = tables[of_large, large - one]
        gain = w[MIXED_PART] + one_less + one_off - a - b
        take_small = one
        take_large = one
        extra = w[MIXED_PART]
        if gain <= 0:
            gain = 0
            extra = 0
        if small & one << 1:
            x = w[JIAO] + tables[of_small, small - 2 * one] + one_off - a - b
            if x > gain:
                gain = x
                take_small = 2 * one
                take_large = one
                extra = w[JIAO]
        if large & one << 1:
            x = w[JIAO] + one_less + tables[of_large, large - 2 * one] - a - b
            if x > gain:
                gain = x
                take_small = one
                take_large = 2 * one
                extra = w[JIAO]
        if gain > 0:
            small -= take_small
            large -= take_large
            a = tables[of_small, small]
            b = tables[of_large, large]
            jiao += extra
    if quads > 0 and (small | large) & EACH_RANK << 1:
        jiao += w[JIANG]
    return a + b + jiao


# --- choices ----------------------------------------------------------------------------------------------------------


@kernel
def best_discard(x: Any, s: int, tables: Any, w: Any, stage: int, rows: int, word: Any) -> int:
    """The discard that leaves most; among equals `word` decides."""
    best = -(1 << 30)
    action = -1
    ties = mix(word)
    for k in range(KINDS):
        if x.legal >> k & 1:
            worth = hand_worth(tables, w, stage, rows - (1 << 2 * k), x.quads[s])
            worth = worth * 8 + (np.int64(ties >> np.uint64(3 * k)) & 7)
            if worth > best:
                best = worth
                action = k
    return action


@kernel
def best_claim(x: Any, s: int, r: Any, tables: Any, w: Any, stage: int, rows: int) -> int:
    """Peng, a chi or bi group, or pass: what leaves most, with the door that is laid."""
    per_huxi = w[HUXI + stage]
    quads = x.quads[s]
    bi = x.phase == BI_WINDOW
    tile = x.bi_kind if bi else x.live
    best = -(1 << 30)
    action = -1
    if x.legal >> PASS & 1:
        best = hand_worth(tables, w, stage, rows, quads)
        action = PASS
    if x.legal >> PENG & 1:
        left = rows - (2 << 2 * tile)
        worth = hand_worth(tables, w, stage, left, quads) + w[DOOR] + w[PENG_MORE]
        worth += per_huxi * r.huxi[H_PENG, tile]
        if worth > best:
            best = worth
            action = PENG
    for shape in range(SHAPES):
        if x.legal >> (CHI + shape) & 1:
            left = rows - (1 << 2 * partner(tile, shape, 0)) - (1 << 2 * partner(tile, shape, 1)) - (bi << 2 * tile)
            worth = hand_worth(tables, w, stage, left, quads) + w[DOOR] + w[CHI_MORE]
            worth += per_huxi * group_huxi(r, tile, shape)
            if worth > best:
                best = worth
                action = CHI + shape
    return action


@kernel
def choose_for(x: Any, s: int, rows: int, sure: int, r: Any, data: Any, word: Any) -> int:
    """The choice of seat `s`: `x` is a GAME or a VIEW, `rows` its hand without kan, `sure` the huxi that it has.

    Fields that are read mean the same in both, as far as kinds in the own hand go.
    """
    legal = x.legal
    if legal & (legal - 1) == 0:
        action = 0
        while legal >> action & 1 == 0:
            action += 1
        return action
    if legal >> HU & 1:
        return HU
    if legal >> PAO & 1:
        return PAO
    stage = 1 if sure >= r.min_huxi else 0
    if x.phase == DISCARDING:
        return best_discard(x, s, data[0], data[1], stage, rows, word)
    return best_claim(x, s, r, data[0], data[1], stage, rows)


@kernel
def light(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    """The policy, over a VIEW."""
    rows = 0
    for k in range(KINDS):
        if v.hand[k] < 3:
            rows |= v.hand[k] << 2 * k
    return choose_for(v, v.seat, rows, v.huxi[v.seat] + v.kan_huxi, r, data, word)


@kernel
def choose_light(g: Any, r: Any, v: Any, data: Any, scratch: Any, word: Any) -> int:
    """The same choice for the actor of a GAME, of what it may know: playouts are spared a view for each decision."""
    s = g.actor
    rows = g.rows[s, 0] | g.rows[s, 1] << 2 * RANKS
    return choose_for(g, s, rows, g.huxi[s] + g.kan_huxi[s], r, data, word)


class Light(CompiledAgent):
    """Judges by what its choices leave in its own hand; made for playouts, in which it takes well under 1 µs."""

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0) -> None:
        rules = rule_set(rules)
        super().__init__(rules, Policy(light, light_data(rules)), seed=seed)
