"""A light policy for playouts: it looks at the own hand alone, and decides in a fraction of a microsecond.

Every choice is judged by what it leaves in the hand. A hand is worth what its best division is worth, roughly: each
size by itself is looked up in a table of all rows (`fill_values`), and jiao, which join the sizes, are added one rank
at a time where they gain. Weights (`WEIGHTS`) say what whole and partial doors are worth in hundredths of a door, and
what huxi are worth before and after the floor is reached. They were found by playing the policy against itself.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import CHI, HU, PAO, PASS, PENG
from paohuzi_env.core.hu import EACH_RANK, LOW_RUN, RED_RANKS
from paohuzi_env.core.melds import group_huxi
from paohuzi_env.core.rng import mix
from paohuzi_env.core.state import BI_WINDOW, DISCARDING, H_KAN, H_PENG, H_WEI, ROWS
from paohuzi_env.core.tiles import KINDS, RANKS, SHAPES, XXY, partner
from paohuzi_env.rules import RuleSet

(
    DOOR, SINGLE, PAIR, TWO_SIDED, ONE_SIDED, RED_PART, MIXED_PART, JIANG, HUXI_BEFORE, HUXI_AFTER, PART_HUXI,
    TAKE_CHI, TAKE_PENG, NOISE, JIAO
) = range(15)  # fmt: skip
NAMES = "DOOR SINGLE PAIR TWO_SIDED ONE_SIDED RED_PART MIXED_PART JIANG HUXI_BEFORE HUXI_AFTER PART_HUXI TAKE_CHI TAKE_PENG NOISE JIAO".split()

WEIGHTS: Final = (100, 3, 82, 30, 16, 19, 40, 15, 12, 6, 38, -17, 14, 0, 108)


@kernel
def part(best: int, rest: int, worth: int) -> int:
    return max(best, rest + worth)


@entry
def fill_values(rules: Any, size: int, per_huxi: int, w: Any, table: Any) -> None:
    """What each row of a size is worth in its best division, at `per_huxi` for a huxi; `w` as WEIGHTS."""
    r = rules[0]
    low_run = per_huxi * r.run_huxi[size, 0]
    red_run = per_huxi * r.run_huxi[size, 1]
    table[0] = 0
    for row in range(1, ROWS):
        rank = 0
        while row >> 2 * rank & 3 == 0:
            rank += 1
        one = 1 << 2 * rank
        best = table[row - one] + w[SINGLE]
        kind = size * RANKS + rank
        if row >> 2 * rank & 2:
            huxi = (r.huxi[H_PENG, kind] + r.huxi[H_WEI, kind]) * per_huxi // 2
            best = part(best, table[row - 2 * one], w[PAIR] + huxi * w[PART_HUXI] // 100)
        near = rank + 1 < RANKS and row >> 2 * (rank + 1) & 3 != 0
        far = rank + 2 < RANKS and row >> 2 * (rank + 2) & 3 != 0
        bonus = low_run * w[PART_HUXI] // 100 if rank == 0 else 0
        if near:
            sides = w[TWO_SIDED] if 0 < rank and rank + 2 < r.ranks else w[ONE_SIDED]
            if rank == 1:  # 2-3 makes 1-2-3 with one of its two sides
                bonus = low_run * w[PART_HUXI] // 200
            best = part(best, table[row - one - 4 * one], sides + bonus)
        if far:
            best = part(best, table[row - one - 16 * one], w[ONE_SIDED] + (bonus if rank == 0 else 0))
        if near and far:
            best = part(best, table[row - (LOW_RUN << 2 * rank)], w[DOOR] + (low_run if rank == 0 else 0))
        reds = (row | row >> 1) & RED_RANKS
        red_part = w[RED_PART] + red_run * w[PART_HUXI] // 100
        if rank == 1:
            if reds == RED_RANKS:
                best = part(best, table[row - RED_RANKS], w[DOOR] + red_run)
            if reds >> 12 & 1:
                best = part(best, table[row - one - (1 << 12)], red_part)
            if reds >> 18 & 1:
                best = part(best, table[row - one - (1 << 18)], red_part)
        if rank == 6 and reds >> 18 & 1:
            best = part(best, table[row - one - (1 << 18)], red_part)
        table[row] = best


def value_tables(rules: RuleSet, weights: Any) -> NDArray[np.int16]:
    w = np.asarray(weights, np.int64)
    tables = np.zeros((4, ROWS), np.int16)
    for late in range(2):
        for size in range(2):
            fill_values(rules.record, size, int(w[HUXI_BEFORE + late]), w, tables[2 * late + size])
    return tables


@kernel
def worth(tables: Any, w: Any, late: int, small: int, large: int, quads: int) -> int:
    """What two rows are worth together: their tables' entries, and jiao where they gain."""
    t = 2 * late
    a = tables[t, small]
    b = tables[t + 1, large]
    both = (small | small >> 1) & (large | large >> 1) & EACH_RANK
    bonus = 0
    while both:
        one = both & -both
        both ^= one
        left = a + b
        best = left
        x = small
        y = large
        na = a
        nb = b
        gain = 0
        c = tables[t, small - one]
        d = tables[t + 1, large - one]
        if c + d + w[MIXED_PART] > best:
            best = c + d + w[MIXED_PART]
            x = small - one
            y = large - one
            na = c
            nb = d
            gain = w[MIXED_PART]
        if small & one << 1:
            c2 = tables[t, small - 2 * one]
            if c2 + d + w[JIAO] > best:
                best = c2 + d + w[JIAO]
                x = small - 2 * one
                y = large - one
                na = c2
                nb = d
                gain = w[JIAO]
        if large & one << 1:
            d2 = tables[t + 1, large - 2 * one]
            if c + d2 + w[JIAO] > best:
                best = c + d2 + w[JIAO]
                x = small - one
                y = large - 2 * one
                na = c
                nb = d2
                gain = w[JIAO]
        if gain:
            small = x
            large = y
            a = na
            b = nb
            bonus += gain
    if quads > 0 and (small | large) & (EACH_RANK << 1):
        bonus += w[JIANG]
    return a + b + bonus


@kernel
def without(rows: int, kind: int) -> int:
    """Two rows packed in one number (large << 20 | small), less one tile."""
    return rows - (1 << 2 * kind)


@kernel
def best_discard(tables: Any, w: Any, late: int, rows: int, legal: int, quads: int, word: Any) -> int:
    best = -(1 << 30)
    action = 0
    bits = mix(word)
    for k in range(KINDS):
        if legal >> k & 1:
            left = without(rows, k)
            x = worth(tables, w, late, left & (ROWS - 1), left >> 20, quads) * 8 + (np.int64(bits >> np.uint64(3 * k)) & 7)
            if x > best:
                best = x
                action = k
    return action


@kernel
def light(rows: int, quads: int, huxi: int, legal: int, phase: int, tile: int, r: Any, tables: Any, w: Any, word: Any) -> int:
    """The choice: `rows` the hand without kan (two bits a kind), `huxi` what the seat has surely."""
    if legal & (legal - 1) == 0:
        action = 0
        while legal >> action & 1 == 0:
            action += 1
        return action
    if legal >> HU & 1:
        return HU
    if legal >> PAO & 1:
        return PAO
    late = 1 if huxi >= r.min_huxi else 0
    per_huxi = w[HUXI_BEFORE + late]
    if phase == DISCARDING:
        return best_discard(tables, w, late, rows, legal, quads, word)
    best = -(1 << 30)
    action = PASS
    if legal >> PASS & 1:
        best = worth(tables, w, late, rows & (ROWS - 1), rows >> 20, quads)
    if legal >> PENG & 1:
        left = without(without(rows, tile), tile)
        x = worth(tables, w, late, left & (ROWS - 1), left >> 20, quads) + w[DOOR] + per_huxi * r.huxi[H_PENG, tile] + w[TAKE_PENG]
        if x > best:
            best = x
            action = PENG
    for shape in range(SHAPES):
        if legal >> (CHI + shape) & 1:
            left = without(without(rows, partner(tile, shape, 0)), partner(tile, shape, 1))
            if phase == BI_WINDOW:
                left = without(left, tile)
            x = worth(tables, w, late, left & (ROWS - 1), left >> 20, quads) + w[DOOR] + per_huxi * group_huxi(r, tile, shape) + w[TAKE_CHI]
            if x > best:
                best = x
                action = CHI + shape
    return action


@kernel
def light_game(g: Any, r: Any, tables: Any, w: Any, word: Any) -> int:
    s = g.actor
    tile = g.bi_kind if g.phase == BI_WINDOW else g.live
    rows = g.rows[s, 0] | g.rows[s, 1] << 20
    return light(rows, g.quads[s], g.huxi[s] + g.kan_huxi[s], g.legal, g.phase, tile, r, tables, w, word)


@kernel
def light_view(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    s = v.seat
    rows = 0
    for k in range(KINDS):
        if v.hand[k] < 3:
            rows |= v.hand[k] << 2 * k
    tile = v.bi_kind if v.phase == BI_WINDOW else v.live
    return light(rows, v.quads[s], v.huxi[s] + v.kan_huxi, v.legal, v.phase, tile, r, data[0], data[1], word)
