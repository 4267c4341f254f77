"""How far a hand is from being complete: the fewest tiles that must still come.

A door takes three tiles (a jiang two), and each tile that a hand already has for it need not come. So the distance is
the tiles of the missing doors less the most tiles of the hand that fit into so many doors at once. Whether the tiles
can come, and the huxi of the hand, are not looked at.

Within one size the best use of a row's tiles is read from a table; the jiao, which join the sizes, are tried.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.hu import EACH_RANK, LOW_RUN, RED_RANKS, tiles_in
from paohuzi_env.core.state import ROWS
from paohuzi_env.core.tiles import RANKS

MOST_RUNS: Final = 6
NIBBLE: Final = 4
NONE: Final = 15  # so many complete runs cannot be made
WITH_PAIR: Final = 7 * NIBBLE  # the same again, with a pair set aside
RED_LOW: Final = 1 << 2 | 1 << 12  # 2-7
RED_GAP: Final = 1 << 2 | 1 << 18  # 2-10
RED_HIGH: Final = 1 << 12 | 1 << 18  # 7-10


@kernel
def better(code: int, of: int, runs: int, partials: int, pair: int) -> int:
    """`code` with each entry raised to that of `of` and so many runs and partials (and the pair) more."""
    for half in range(2):
        if half == 1 and pair:
            break
        for a in range(MOST_RUNS + 1 - runs):
            b = of >> (half * WITH_PAIR + a * NIBBLE) & 15
            if b != NONE:
                shift = (half + pair) * WITH_PAIR + (a + runs) * NIBBLE
                old = code >> shift & 15
                if old == NONE or b + partials > old:
                    code = code & ~(15 << shift) | (b + partials) << shift
    return code


@entry
def fill_progress(table: Any) -> None:
    """Fill the row table: for 0..6 complete runs the most partial doors beside them, then the same with a pair apart.

    A partial door is two tiles that one more would complete: a pair, or two of a run. Entries of an int64 are four
    bits each, NONE where so many runs cannot be made.
    """
    nothing = 0
    for a in range(1, 14):
        nothing |= NONE << a * NIBBLE
    table[0] = nothing
    for row in range(1, ROWS):
        rank = 0
        while row >> 2 * rank & 3 == 0:
            rank += 1
        one = 1 << 2 * rank
        code = table[row - one]  # the lowest tile is left out
        if row >> 2 * rank & 2:
            code = better(code, table[row - 2 * one], 0, 1, 0)
            code = better(code, table[row - 2 * one], 0, 0, 1)
        near = rank + 1 < RANKS and row >> 2 * (rank + 1) & 3 != 0
        far = rank + 2 < RANKS and row >> 2 * (rank + 2) & 3 != 0
        if near:
            code = better(code, table[row - one - 4 * one], 0, 1, 0)
        if far:
            code = better(code, table[row - one - 16 * one], 0, 1, 0)
        if near and far:
            code = better(code, table[row - (LOW_RUN << 2 * rank)], 1, 0, 0)
        present = (row | row >> 1) & EACH_RANK
        if rank == 1:
            if present & RED_RANKS == RED_RANKS:
                code = better(code, table[row - RED_RANKS], 1, 0, 0)
            if present & RED_LOW == RED_LOW:
                code = better(code, table[row - RED_LOW], 0, 1, 0)
            if present & RED_GAP == RED_GAP:
                code = better(code, table[row - RED_GAP], 0, 1, 0)
        if rank == 6 and present & RED_HIGH == RED_HIGH:
            code = better(code, table[row - RED_HIGH], 0, 1, 0)
        table[row] = code


@cache
def progress_table() -> NDArray[np.int64]:
    """The table of `fill_progress`, made once a process: 8 MB, in about a second."""
    table = np.zeros(ROWS, np.int64)
    fill_progress(table)
    table.setflags(write=False)
    return table


@kernel
def used(small: int, large: int, runs: int, partials: int, tiles: int, doors: int, jiang: int) -> int:
    """Most tiles that fit: two rows' table entries, jiao made already, and `tiles` tiles in all of them together.

    `jiang` 1: one door more is a pair, its two tiles (from one of the rows) or a single tile counted too.
    """
    best = 0
    for where in range(3 if jiang else 1):  # no pair apart, one in the small row, one in the large one
        from_small = small >> WITH_PAIR if where == 1 else small
        from_large = large >> WITH_PAIR if where == 2 else large
        for a in range(MOST_RUNS + 1):
            p = from_small >> a * NIBBLE & 15
            if p == NONE:
                break
            for b in range(MOST_RUNS + 1):
                q = from_large >> b * NIBBLE & 15
                if q == NONE:
                    break
                whole = min(a + b + runs, doors)
                halves = min(p + q + partials, doors - whole)
                left = tiles - 3 * whole - 2 * halves - (2 if where else 0)
                singles = min(left, doors - whole - halves)
                fit = 3 * whole + 2 * halves + singles
                if where:
                    fit += 2
                elif jiang and left > singles:
                    fit += 1
                best = max(best, fit)
    return best


@kernel
def most_used(table: Any, small: int, large: int, doors: int, jiang: int) -> int:
    """Most tiles of two rows that fit into `doors` doors of three and, with `jiang` 1, a pair."""
    tiles = tiles_in(small) + tiles_in(large)
    some_small = (small | small >> 1) & EACH_RANK
    some_large = (large | large >> 1) & EACH_RANK
    ssl_open = small >> 1 & some_large & EACH_RANK
    sll_open = large >> 1 & some_small & EACH_RANK
    best = 0
    ssl = ssl_open
    while True:  # jiao of two small tiles and a large one
        sll_left = sll_open & ~ssl
        sll = sll_left
        while True:  # of one small and two large
            half_left = some_small & some_large & ~ssl & ~sll
            half = half_left
            while True:  # one small and one large, which lack a third
                fit = used(
                    table[small - 2 * ssl - sll - half], table[large - ssl - 2 * sll - half],
                    tiles_in(ssl) + tiles_in(sll), tiles_in(half), tiles, doors, jiang,
                )  # fmt: skip
                best = max(best, fit)
                if half == 0:
                    break
                half = half - 1 & half_left
            if sll == 0:
                break
            sll = sll - 1 & sll_left
        if ssl == 0:
            break
        ssl = ssl - 1 & ssl_open
    return best


@kernel
def distance(table: Any, small: int, large: int, doors: int, has_quad: int) -> int:
    """Fewest tiles that must come to make `doors` doors of the rows (a jiang among them where a quad is laid)."""
    jiang = 1 if has_quad and doors > 0 else 0
    threes = doors - jiang
    return 3 * threes + 2 * jiang - most_used(table, small, large, threes, jiang)


@entry
def distance_of(table: Any, games: Any, i: int, rules: Any, seat: int) -> int:
    """`distance` of the hand of `seat` in game `i`; its kan are doors already. Wild tiles count as nothing."""
    g = games[i]
    doors = max(rules[0].doors - g.melds_n[seat] - g.kans[seat], 0)
    return distance(table, g.rows[seat, 0], g.rows[seat, 1], doors, g.quads[seat] > 0)
