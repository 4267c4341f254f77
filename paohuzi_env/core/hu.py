"""The hand evaluator: does a hand win on a tile, and which division of it pays most (rules 7).

`judge` is asked with the question in an EVAL record and answers in it. It tries every role of the winning tile
(7.3), every use of wild tiles, every choice of jiao, every jiang and every number of 2-7-10, so that its verdict
depends on nothing but the counts of tiles. What is left after jiao and jiang divides by the row table (`core.rows`).
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.melds import unit_huxi
from paohuzi_env.core.rows import DIVIDES, WITH_PAIR
from paohuzi_env.core.scoring import (
    PLAIN_MASK,
    base_of,
    deng_of,
    door_patterns,
    full_ranks,
    is_self_drawn,
    large_in,
    occasion_patterns,
    red_in,
    tile_patterns,
    total_fan,
)
from paohuzi_env.core.state import (
    CHI_MELD,
    DUI_DUI_HU,
    FROM_DISCARD,
    H_KAN,
    JIANG,
    JIAO,
    JU,
    KAN,
    OWN_DRAW,
    PAO_MELD,
    PENG_MELD,
    SHUANG_WANG,
    TI,
    TUAN_YUAN,
    WANG_DIAO,
    WEI,
    ZI_MO,
)
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, RED_RUN, WILD, partner
from paohuzi_env.core.wilds import WAYS_OF_ONE, WAYS_OF_TWO, unit_of_one, unit_of_two

S3: Final = np.uint64(3)
EACH_RANK: Final = 0x55555  # the low bit of each of a row's ten fields
LOW_RUN: Final = 1 | 1 << 2 | 1 << 4  # 1-2-3
RED_RANKS: Final = 1 << 2 | 1 << 12 | 1 << 18  # 2-7-10


@kernel
def tiles_in(row: int) -> int:
    """Number of tiles in a row."""
    pairs = (row & 0x33333) + (row >> 2 & 0x33333)
    return (pairs & 15) + (pairs >> 4 & 15) + (pairs >> 8 & 15) + (pairs >> 12 & 15) + (pairs >> 16 & 15)


@kernel
def most_run_huxi(r: Any, row: int, size: int) -> int:
    """An upper bound of the huxi that the runs of a row can have."""
    present = row | row >> 1
    most = 0
    if present & LOW_RUN == LOW_RUN:
        most += (row & 3) * r.run_huxi[size, 0]
    if present & RED_RANKS == RED_RANKS:
        most += (row >> 2 & 3) * r.run_huxi[size, 1]
    return most


# --- the division found: what it is worth, and its doors ------------------------------------------------------------


@kernel
def count_tiles(g: Any, e: Any) -> None:
    """Count the winning tiles by kind into `e.total`, wild ones as what they stand for, and mark quads."""
    s = e.seat
    for kind in range(KINDS):
        e.total[kind] = g.hand[s, kind]
        e.quad[kind] = 0
    if not e.laid and e.kind != WILD:
        e.total[e.kind] += 1
    for m in range(g.melds_n[s]):
        kind = g.meld_kind[s, m]
        if g.meld_type[s, m] == CHI_MELD:
            e.total[kind] += 1
            e.total[partner(kind, g.meld_shape[s, m], 0)] += 1
            e.total[partner(kind, g.meld_shape[s, m], 1)] += 1
        elif g.meld_type[s, m] == PAO_MELD or g.meld_type[s, m] == TI:
            e.total[kind] += 4
            e.quad[kind] = 1
        else:
            e.total[kind] += 3
    if e.role_type == PAO_MELD:
        e.quad[e.role_kind] = 1
    for u in range(e.units):
        if e.unit_type[u] == TI:
            e.quad[e.unit_kind[u]] = 1
        for w in range(2):
            if e.unit_stand[u, w] >= 0:
                e.total[e.unit_stand[u, w]] += 1


@kernel
def chi_doors(g: Any, r: Any, s: int) -> tuple[int, int]:
    """Chi melds of seat `s`: how many, and how many of them without huxi."""
    count = 0
    plain = 0
    for m in range(g.melds_n[s]):
        if g.meld_type[s, m] == CHI_MELD:
            count += 1
            kind = g.meld_kind[s, m]
            shape = g.meld_shape[s, m]
            size = kind // RANKS
            worth = 0
            if shape == RED_RUN:
                worth = r.run_huxi[size, 1]
            elif shape < RED_RUN and kind % RANKS == shape:
                worth = r.run_huxi[size, 0]
            if worth == 0:
                plain += 1
    return count, plain


@kernel
def alike_plain(g: Any, r: Any, e: Any) -> int:
    """Doors of three or four alike that a rule set gives no huxi."""
    s = e.seat
    plain = 0
    for m in range(g.melds_n[s]):
        meld_type = g.meld_type[s, m]
        if meld_type != CHI_MELD and m != e.role_meld and unit_huxi(r, meld_type, g.meld_kind[s, m]) == 0:
            plain += 1
    for kind in range(KINDS):
        kept = not (e.role_type == PAO_MELD and e.role_kind == kind)
        if g.hand[s, kind] == 3 and kept and r.huxi[H_KAN, kind] == 0:
            plain += 1
    if e.role_type and unit_huxi(r, e.role_type, e.role_kind) == 0:
        plain += 1
    return plain


@kernel
def wild_fan(r: Any, e: Any, quads: int) -> int:
    """Which of zi_mo, wang_diao and shuang_wang an own draw makes (rules 10.5); -1 where it is not one's own.

    The highest that the rule set has counts: a jiang of two wild tiles is a wang_diao too.
    """
    if not is_self_drawn(e.source):
        return -1
    best = ZI_MO
    for u in range(e.units):
        two = e.unit_stand[u, 1] >= 0
        shuang = two and e.unit_type[u] == WEI and quads == 0 and e.unit_kind[u] == e.kind
        diao = e.unit_type[u] == JIANG and not two and e.unit_kind[u] == e.kind
        if e.unit_type[u] == JIANG and two and e.kind == WILD:
            shuang = True
            diao = True
        if diao and r.pat_present[WANG_DIAO]:
            best = max(best, WANG_DIAO)
        if shuang and r.pat_present[SHUANG_WANG]:
            best = SHUANG_WANG
    return best


@kernel
def add_group(e: Any, group_type: int, t0: int, t1: int, t2: int, t3: int) -> None:
    """Write one door of the answer."""
    n = e.groups
    e.group_type[n] = group_type
    e.group_tiles[n, 0] = t0
    e.group_tiles[n, 1] = t1
    e.group_tiles[n, 2] = t2
    e.group_tiles[n, 3] = t3
    e.groups = n + 1


@kernel
def add_alike(e: Any, group_type: int, kind: int) -> None:
    """Write a door of two, three or four alike."""
    four = group_type == PAO_MELD or group_type == TI
    add_group(
        e, group_type, kind, kind, NO_TILE if group_type == JIANG else kind, kind if four else NO_TILE
    )  # fmt: skip


@kernel
def add_runs(e: Any, row: int, base: int, red_runs: int) -> None:
    """Write the doors of a row that holds `red_runs` times 2-7-10, the rest runs."""
    for _ in range(red_runs):
        add_group(e, JU, base + 1, base + 6, base + 9, NO_TILE)
        row -= RED_RANKS
    for rank in range(RANKS - 2):
        for _ in range(row >> 2 * rank & 3):
            add_group(e, JU, base + rank, base + rank + 1, base + rank + 2, NO_TILE)
            row -= LOW_RUN << 2 * rank


@kernel
def write_melds(g: Any, e: Any) -> None:
    """Write the doors that lie on the table, those that the tile completes, kan, and those with wild tiles."""
    s = e.seat
    e.groups = 0
    for m in range(g.melds_n[s]):
        kind = g.meld_kind[s, m]
        if (e.units > 0 and e.unit_meld[0] == m) or (e.units > 1 and e.unit_meld[1] == m):
            continue
        if m == e.role_meld:
            add_alike(e, PAO_MELD, kind)
        elif g.meld_type[s, m] == CHI_MELD:
            shape = g.meld_shape[s, m]
            a, b, c = kind, partner(kind, shape, 0), partner(kind, shape, 1)
            add_group(e, CHI_MELD, min(a, b, c), a + b + c - min(a, b, c) - max(a, b, c), max(a, b, c), NO_TILE)
        else:
            add_alike(e, g.meld_type[s, m], kind)
    if e.role_type and e.role_meld < 0:
        add_alike(e, e.role_type, e.role_kind)
    for kind in range(KINDS):
        gone = e.role_type == PAO_MELD and e.role_meld < 0 and e.role_kind == kind
        for u in range(e.units):
            if e.unit_type[u] == TI and e.unit_meld[u] < 0 and e.unit_kind[u] == kind:
                gone = True
        if g.hand[s, kind] == 3 and not gone:
            add_alike(e, KAN, kind)
    for u in range(e.units):
        add_group(
            e, e.unit_type[u], e.unit_tiles[u, 0], e.unit_tiles[u, 1], e.unit_tiles[u, 2], e.unit_tiles[u, 3]
        )  # fmt: skip


@kernel
def write_rows(e: Any, small: int, large: int, ssl: int, sll: int, pair: int, small_reds: int, large_reds: int) -> None:
    """Write jiao, jiang and runs."""
    for rank in range(RANKS):
        if ssl >> 2 * rank & 1:
            add_group(e, JIAO, rank, rank, rank + RANKS, NO_TILE)
        if sll >> 2 * rank & 1:
            add_group(e, JIAO, rank, rank + RANKS, rank + RANKS, NO_TILE)
    if pair >= 0:
        add_alike(e, JIANG, pair)
    add_runs(e, small, 0, small_reds)
    add_runs(e, large, RANKS, large_reds)


@kernel
def consider(
    g: Any, r: Any, e: Any, huxi: int, quads: int, small: int, large: int, ssl: int, sll: int, pair: int,
    small_reds: int, large_reds: int,
) -> None:  # fmt: skip
    """Score one division; keep it as the answer if it pays most so far (rules 7.5)."""
    count_tiles(g, e)
    red = red_in(e.total)
    big = large_in(e.total)
    little = 0
    for kind in range(RANKS):
        little += e.total[kind]
    chis, plain = chi_doors(g, r, e.seat)
    runs = tiles_in(small) // 3 + tiles_in(large) // 3
    jiaos = tiles_in(ssl) + tiles_in(sll)
    plain += alike_plain(g, r, e) + jiaos + runs
    for size in range(2):
        row = small if size == 0 else large
        reds = small_reds if size == 0 else large_reds
        if r.run_huxi[size, 0] > 0:
            plain -= row & 3
        if r.run_huxi[size, 1] > 0:
            plain -= reds
    for u in range(e.units):
        if e.unit_type[u] == JIAO or e.unit_type[u] == JU:
            runs += 1
            first, red_run = ju_name(e, u)
            if not (first or red_run) or r.run_huxi[e.unit_kind[u] // RANKS, 1 if red_run else 0] == 0:
                plain += 1
    patterns = (
        tile_patterns(r, red, big, little)
        | occasion_patterns(r, e, e.seat == g.dealer)
        | door_patterns(r, chis + runs + jiaos == 0, quads > 0, plain, wild_fan(r, e, quads))
    )
    full = 0
    if r.pat_present[TUAN_YUAN]:
        full = full_ranks(r, e)
        if full:
            patterns |= 1 << TUAN_YUAN
    if patterns & PLAIN_MASK == 0 and huxi < r.min_huxi_plain:
        return
    fan = total_fan(r, patterns, big, little, full, red)
    base = base_of(r, e, huxi, patterns, fan)
    if e.hu and (base < e.base or (base == e.base and huxi <= e.huxi)):
        return
    e.hu = 1
    e.huxi = huxi
    e.base = base
    e.fan = fan
    e.deng = deng_of(r, huxi)
    e.patterns = patterns
    write_melds(g, e)
    write_rows(e, small, large, ssl, sll, pair, small_reds, large_reds)


@kernel
def ju_name(e: Any, u: int) -> tuple[bool, bool]:
    """Whether wild unit `u` is a 1-2-3, and whether it is a 2-7-10."""
    if e.unit_type[u] != JU:
        return False, False
    low = e.unit_kind[u] % RANKS
    if low == 0:
        return True, False
    # 2-7-10 and 2-3-4 both begin with a 2: they differ in the last tile, real or stood for.
    last = e.unit_tiles[u, 2]
    if last == WILD:
        last = e.unit_stand[u, 1] if e.unit_stand[u, 1] >= 0 else e.unit_stand[u, 0]
    return False, low == 1 and last % RANKS == RANKS - 1


# --- the search -----------------------------------------------------------------------------------------------------


@kernel
def try_runs(
    g: Any, r: Any, e: Any, huxi: int, quads: int, small: int, large: int, ssl: int, sll: int, pair: int
) -> None:  # fmt: skip
    """Both rows divide: look at each number of 2-7-10 in them."""
    in_small = r.row[small]
    in_large = r.row[large]
    huxi += (small & 3) * r.run_huxi[0, 0] + (large & 3) * r.run_huxi[1, 0]
    for a in range(4):
        if in_small >> a & 1:
            for b in range(4):
                if in_large >> b & 1:
                    h = huxi + a * r.run_huxi[0, 1] + b * r.run_huxi[1, 1]
                    e.divides = 1
                    e.seen_huxi = max(e.seen_huxi, h)
                    if h >= r.min_huxi:
                        consider(g, r, e, h, quads, small, large, ssl, sll, pair, a, b)


@kernel
def try_pairs(g: Any, r: Any, e: Any, huxi: int, quads: int, small: int, large: int, ssl: int, sll: int) -> None:
    """Take each possible jiang out of the rows."""
    in_small = r.row[small]
    in_large = r.row[large]
    if in_small & WITH_PAIR and in_large & DIVIDES:
        for rank in range(RANKS):
            if small >> 2 * rank & 2 and r.row[small - (2 << 2 * rank)] & DIVIDES:
                try_runs(g, r, e, huxi, quads, small - (2 << 2 * rank), large, ssl, sll, rank)
    if in_small & DIVIDES and in_large & WITH_PAIR:
        for rank in range(RANKS):
            if large >> 2 * rank & 2 and r.row[large - (2 << 2 * rank)] & DIVIDES:
                try_runs(g, r, e, huxi, quads, small, large - (2 << 2 * rank), ssl, sll, rank + RANKS)


@kernel
def divisible(r: Any, row: int) -> bool:
    """Whether a row divides in any way, with a pair taken out or without. Most do not."""
    return r.divisible[np.uint64(row) >> S3] >> (row & 7) & 1 != 0


@kernel
def divide(
    g: Any, r: Any, e: Any, small: int, large: int, huxi: int, doors: int, quads: int, has_jiang: int
) -> None:  # fmt: skip
    """Try all ways to make exactly `doors` doors of the two rows: a jiang if and only if there is a quad (7.1)."""
    if has_jiang and quads == 0:
        return
    pair = quads > 0 and not has_jiang
    need = 3 * doors - 1 if pair else 3 * doors
    if tiles_in(small) + tiles_in(large) != need:
        return
    if not e.explain and huxi + most_run_huxi(r, small, 0) + most_run_huxi(r, large, 1) < r.min_huxi:
        return
    some_small = (small | small >> 1) & EACH_RANK
    some_large = (large | large >> 1) & EACH_RANK
    ssl_open = small >> 1 & some_large
    sll_open = large >> 1 & some_small
    ssl = ssl_open & EACH_RANK
    while True:  # every subset of the ranks that can have a jiao of two small tiles
        sll_left = sll_open & ~ssl & EACH_RANK
        sll = sll_left
        while True:  # every subset of the others that can have one of two large tiles
            rest_small = small - 2 * ssl - sll
            rest_large = large - ssl - 2 * sll
            if divisible(r, rest_small) and divisible(r, rest_large):
                if pair:
                    try_pairs(g, r, e, huxi, quads, rest_small, rest_large, ssl, sll)
                elif r.row[rest_small] & DIVIDES and r.row[rest_large] & DIVIDES:
                    try_runs(g, r, e, huxi, quads, rest_small, rest_large, ssl, sll, -1)
            if sll == 0:
                break
            sll = sll - 1 & sll_left
        if ssl == 0:
            break
        ssl = ssl - 1 & ssl_open & EACH_RANK


@kernel
def place_wilds(g: Any, r: Any, e: Any, small: int, large: int, huxi: int, doors: int, quads: int, wilds: int) -> None:
    """Try every use of the hand's wild tiles, then divide what is left."""
    most = huxi + wilds * r.wild_huxi + most_run_huxi(r, small, 0) + most_run_huxi(r, large, 1)
    if not e.explain and most < r.min_huxi:
        return
    ways = 0
    for way in range(WAYS_OF_ONE):  # what is closed to one wild tile stays so beside another
        if unit_of_one(g, r, e, 0, way, small, large):
            e.ways[ways] = way
            ways += 1
    for i in range(ways):
        unit_of_one(g, r, e, 0, e.ways[i], small, large)
        e.units = 1
        small_1 = small - e.step_rows[0]
        large_1 = large - e.step_rows[1]
        huxi_1 = huxi + e.step_huxi
        doors_1 = doors - e.step_doors
        quads_1 = quads + e.step_quads
        jiang_1 = e.step_jiang
        if wilds == 1:
            divide(g, r, e, small_1, large_1, huxi_1, doors_1, quads_1, jiang_1)
            continue
        for j in range(i, ways):
            if unit_of_one(g, r, e, 1, e.ways[j], small_1, large_1) and jiang_1 + e.step_jiang < 2:
                e.units = 2
                divide(
                    g, r, e, small_1 - e.step_rows[0], large_1 - e.step_rows[1], huxi_1 + e.step_huxi,
                    doors_1 - e.step_doors, quads_1 + e.step_quads, jiang_1 + e.step_jiang,
                )  # fmt: skip
    if wilds == 2:
        for way in range(WAYS_OF_TWO):
            if unit_of_two(r, e, way, small, large):
                e.units = 1
                divide(
                    g, r, e, small - e.step_rows[0], large - e.step_rows[1], huxi + e.step_huxi,
                    doors - e.step_doors, quads + e.step_quads, e.step_jiang,
                )  # fmt: skip


@kernel
def try_role(
    g: Any, r: Any, e: Any, role: int, meld: int, small: int, large: int, huxi: int, doors: int, quads: int
) -> None:  # fmt: skip
    """Search with the winning tile in one role: `role` PAO_MELD, PENG_MELD or 0 (joined to the rows)."""
    e.role_type = role
    e.role_meld = meld
    e.role_kind = e.kind if role else NO_TILE
    e.units = 0
    wilds = g.hand[e.seat, WILD]
    if wilds == 0:
        divide(g, r, e, small, large, huxi, doors, quads, 0)
    else:
        place_wilds(g, r, e, small, large, huxi, doors, quads, wilds)


@kernel
def judge(g: Any, r: Any, e: Any) -> bool:
    """Whether the seat and tile of the question win; the answer fields of `e` tell the rest (rules 7.1–7.5).

    Whether the seat may win at all (dead, stale, barred, holding wild tiles) is the caller's to check.
    """
    e.hu = 0
    e.divides = 0
    e.seen_huxi = 0
    s = e.seat
    x = e.kind
    small = g.rows[s, 0]
    large = g.rows[s, 1]
    huxi = g.huxi[s] + g.kan_huxi[s]
    doors = r.doors - g.melds_n[s] - g.kans[s]
    quads = g.quads[s]
    if doors < 0:
        return False
    if e.laid:
        try_role(g, r, e, 0, -1, small, large, huxi, doors, quads)
        return e.hu != 0
    bit = 1 << 2 * (x % RANKS)
    to_small = bit if x < RANKS else 0
    to_large = 0 if x < RANKS else bit
    try_role(g, r, e, 0, -1, small + to_small, large + to_large, huxi, doors, quads)
    held = g.hand[s, x]
    if held == 3:
        gain = unit_huxi(r, PAO_MELD, x) - r.huxi[H_KAN, x]
        try_role(g, r, e, PAO_MELD, -1, small, large, huxi + gain, doors, quads + 1)
    elif held == 2 and (e.source != OWN_DRAW or not r.own_draw_melds) and doors > 0:
        try_role(
            g, r, e, PENG_MELD, -1, small - 2 * to_small, large - 2 * to_large, huxi + unit_huxi(r, PENG_MELD, x),
            doors - 1, quads,
        )  # fmt: skip
    grows = g.wei_kinds[s] if e.source == FROM_DISCARD else g.wei_kinds[s] | g.peng_kinds[s]  # 5.3
    if grows >> x & 1:
        for m in range(g.melds_n[s]):
            if g.meld_kind[s, m] == x and g.meld_type[s, m] < PAO_MELD:
                gain = unit_huxi(r, PAO_MELD, x) - unit_huxi(r, g.meld_type[s, m], x)
                try_role(g, r, e, PAO_MELD, m, small, large, huxi + gain, doors, quads + 1)
    return e.hu != 0


# --- the forced win on the deal ---------------------------------------------------------------------------------------


@kernel
def forced_hu(g: Any, r: Any, s: int) -> bool:
    """Whether the dealt hand of seat `s` wins at once (rules 2.2)."""
    quads = 0
    kans = 0
    for kind in range(KINDS):
        quads += g.hand[s, kind] == 4
        kans += g.hand[s, kind] == 3
    if r.tian_hu_quads and quads >= r.tian_hu_quads:
        return True
    return r.tian_hu_kans != 0 and quads + kans >= r.tian_hu_kans


@kernel
def judge_forced(g: Any, r: Any, e: Any) -> None:
    """Score the forced win of `e.seat` on the deal (rules 8.6): ti and kan count, and all tiles' patterns.

    Every kind is tried for each wild tile (rules 10.5).
    """
    s = e.seat
    e.hu = 1
    e.groups = 0
    e.huxi = 0
    e.base = -1
    for kind in range(KINDS):
        copies = g.hand[s, kind]
        e.total[kind] = copies
        e.quad[kind] = copies == 4
        if copies == 4:
            e.huxi += unit_huxi(r, TI, kind)
            if e.groups < 8:
                add_alike(e, TI, kind)
        elif copies == 3:
            e.huxi += r.huxi[H_KAN, kind]
            if e.groups < 8:
                add_alike(e, KAN, kind)
    when = occasion_patterns(r, e, s == g.dealer)
    if r.pat_present[ZI_MO]:
        when |= 1 << ZI_MO
    wilds = g.hand[s, WILD]
    for first in range(KINDS if wilds > 0 else 1):
        if first % RANKS >= r.ranks:
            continue
        for second in range(KINDS if wilds > 1 else 1):
            if second % RANKS >= r.ranks:
                continue
            e.total[first] += wilds > 0
            e.total[second] += wilds > 1
            alike = r.pat_present[DUI_DUI_HU] and rest_is_alike(g, e, s)
            try_forced(r, e, when | 1 << DUI_DUI_HU if alike else when)
            e.total[first] -= wilds > 0
            e.total[second] -= wilds > 1


@kernel
def rest_is_alike(g: Any, e: Any, s: int) -> bool:
    """Whether what stands beside ti and kan, wild tiles as what they stand for, is nothing or one pair (8.6)."""
    rest = 0
    pairs = 0
    for kind in range(KINDS):
        copies = e.total[kind]
        if g.hand[s, kind] >= 3:
            copies -= g.hand[s, kind]
        rest += copies
        pairs += copies == 2
    return rest == 0 or (rest == 2 and pairs == 1)


@kernel
def try_forced(r: Any, e: Any, patterns: int) -> None:
    """Score a forced win with the tiles of `e.total`; keep it if it pays most."""
    large = large_in(e.total)
    small = 0
    for kind in range(RANKS):
        small += e.total[kind]
    red = red_in(e.total)
    patterns |= tile_patterns(r, red, large, small)
    full = 0
    if r.pat_present[TUAN_YUAN]:
        full = full_ranks(r, e)
        if full:
            patterns |= 1 << TUAN_YUAN
    fan = total_fan(r, patterns, large, small, full, red)
    base = base_of(r, e, e.huxi, patterns, fan)
    if base > e.base:
        e.base = base
        e.fan = fan
        e.deng = deng_of(r, e.huxi)
        e.patterns = patterns


@entry
def judge_hand(games: Any, i: int, rules: Any, evals: Any) -> bool:
    """`judge` for Python: the question and the answer are in `evals[0]`."""
    return judge(games[i], rules[0], evals[0])


@entry
def judge_forced_hand(games: Any, i: int, rules: Any, evals: Any) -> None:
    """`judge_forced` for Python."""
    judge_forced(games[i], rules[0], evals[0])
