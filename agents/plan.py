"""The best plan of a hand: which of its tiles make doors, and which wait for one tile more.

A hand only shrinks: nothing drawn enters it, and a door that is not whole can only be made of two tiles of the hand
and one that comes. So a plan divides the hand into whole doors, doors that lack one tile, and tiles to discard. Its
worth adds up: a whole door counts `door`, one that lacks a tile as much plus the logarithm of the chance that the
tile comes, and every huxi counts `per_huxi`.

Within one size the worth of every part of the hand is made of the worth of smaller parts: the parts are numbered in
mixed radix, so that to take a tile of a rank away is to subtract that rank's stride. The jiao, which join the sizes,
are chosen rank by rank, until no other choice at one rank is better.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.tiles import RANKS

PARTS: Final = 3**RANKS
"""Parts of a row that holds at most two tiles of a rank."""
CHANCES: Final = 256
STEP: Final = 32
"""Entries of the table of logarithms of chances, and entries for each expected tile."""

FULL: Final = 0
SEVEN: Final = 1
TEN: Final = 2
LAST_TWO: Final = 3

PLAN: Final = [
    # -- what is asked
    ("door", "f8"),  # worth of a whole door
    ("per_huxi", "f8"),  # worth of a huxi
    ("excess", "f8"),  # taken off for each door more than the hand needs
    ("chi_comes", "f8", (20,)),  # how many tiles of the kind are expected to be claimed by chi
    ("peng_comes", "f8", (20,)),  # by peng or wei, where two are held
    ("draw_comes", "f8", (20,)),  # how many are expected to be drawn by anybody
    ("pair_huxi", "f8", (20,)),  # huxi of a pair that becomes three
    # -- groups that begin at a rank of a size: their worth, and their huxi
    ("pair", "f8", (2, 10, 2)),
    ("near", "f8", (2, 10, 2)),  # two in a row
    ("far", "f8", (2, 10, 2)),  # two with a gap
    ("run", "f8", (2, 10, 2)),
    ("red", "f8", (2, 4, 2)),  # 2-7-10, 2-7, 2-10, 7-10
    ("lone", "f8", (2, 10)),  # one tile that waits for its like as jiang
    ("half", "f8", (10,)),  # a small and a large tile of a rank
    # -- parts of the hand, by size; with 2 added the same with a jiang among the doors
    ("digit", "i8", (2, 12)),  # tiles of a rank, kan aside
    ("stride", "i8", (2, 12)),  # 0 for ranks that are not held
    ("held", "i8", (12,)),  # tiles of each rank in the part being looked at
    ("worth", "f8", (4, PARTS)),
    ("huxi_in", "f8", (4, PARTS)),
    ("doors_in", "i1", (4, PARTS)),
    ("lacks_in", "i1", (4, PARTS)),  # doors among them that lack a tile
    # -- the plan found
    ("jiao", "i8", (10,)),  # by rank: none, a half one, two small and one large, one small and two large
    ("plan_worth", "f8"),
    ("plan_huxi", "f8"),
    ("plan_doors", "i8"),
    ("plan_lacks", "i8"),
]
"""Fields of a scratch record, beside those of OWN_HAND."""


@kernel
def log_chance(chances: Any, expected: float) -> float:
    """The logarithm of the chance that a tile comes of which so many are expected."""
    i = int(expected * STEP)
    return chances[i if i < CHANCES else CHANCES - 1]


# --- groups -----------------------------------------------------------------------------------------------------------


@kernel
def partial(p: Any, chances: Any, a: int, b: int, huxi_a: float, huxi_b: float, out: Any) -> None:
    """Worth and huxi of a group that kind `a` or kind `b` (-1: none) would complete, with so much huxi each."""
    comes = p.chi_comes[a] + 1e-6
    huxi = huxi_a
    if b >= 0:
        other = p.chi_comes[b] + 1e-6
        huxi = (comes * huxi_a + other * huxi_b) / (comes + other)
        comes += other
    out[0] = p.door + log_chance(chances, comes) + p.per_huxi * huxi
    out[1] = huxi


@kernel
def price_row(p: Any, r: Any, chances: Any, size: int) -> None:
    """What every group of one size is worth."""
    base = size * RANKS
    first, red = r.run_huxi[size, 0], r.run_huxi[size, 1]
    for a in range(RANKS):
        k = base + a
        if p.digit[size, a] == 2:
            p.pair[size, a, 0] = p.door + log_chance(chances, p.peng_comes[k]) + p.per_huxi * p.pair_huxi[k]
            p.pair[size, a, 1] = p.pair_huxi[k]
        p.lone[size, a] = p.door + log_chance(chances, p.draw_comes[k])
        low = first if a == 0 else 0
        if a < RANKS - 2:
            p.run[size, a, 0] = p.door + p.per_huxi * low
            p.run[size, a, 1] = low
            partial(p, chances, k + 1, -1, low, 0.0, p.far[size, a])
        if a < RANKS - 1:
            below = k - 1 if a > 0 else k + 2
            above = k + 2 if 0 < a < RANKS - 2 else -1
            partial(p, chances, below, above, first if a <= 1 else 0.0, 0.0, p.near[size, a])
    p.red[size, FULL, 0] = p.door + p.per_huxi * red
    p.red[size, FULL, 1] = red
    partial(p, chances, base + 9, -1, red, 0.0, p.red[size, SEVEN])
    partial(p, chances, base + 6, -1, red, 0.0, p.red[size, TEN])
    partial(p, chances, base + 1, -1, red, 0.0, p.red[size, LAST_TWO])


@kernel
def price_jiao(p: Any, chances: Any) -> None:
    """What a small and a large tile of a rank are worth together."""
    for a in range(RANKS):
        p.half[a] = p.door + log_chance(chances, p.chi_comes[a] + p.chi_comes[a + RANKS])


# --- parts ------------------------------------------------------------------------------------------------------------


@kernel
def number_parts(p: Any, size: int) -> int:
    """Set the strides of a row; the number of its parts is returned."""
    parts = 1
    for a in range(RANKS):
        n = p.digit[size, a]
        p.stride[size, a] = parts if n else 0
        parts *= n + 1
    return parts


@kernel
def offer(p: Any, layer: int, i: int, rest_layer: int, rest: int, worth: float, huxi: float, lacks: int) -> None:
    """Part `i` may be a group of so much beside the part `rest`: keep it if it is the best so far."""
    total = p.worth[rest_layer, rest] + worth
    if total > p.worth[layer, i]:
        p.worth[layer, i] = total
        p.huxi_in[layer, i] = p.huxi_in[rest_layer, rest] + huxi
        p.doors_in[layer, i] = p.doors_in[rest_layer, rest] + 1
        p.lacks_in[layer, i] = p.lacks_in[rest_layer, rest] + lacks


@kernel
def fill_parts(p: Any, size: int, parts: int, jiang: int) -> None:
    """The best plan of every part of a row; with `jiang` 1 of those with a jiang too, without one filled before."""
    layer = size + 2 * jiang
    p.worth[layer, 0] = 0.0
    p.huxi_in[layer, 0] = 0.0
    p.doors_in[layer, 0] = 0
    p.lacks_in[layer, 0] = 0
    held = p.held
    held[:] = 0
    for i in range(1, parts):
        a = 0
        while held[a] == p.digit[size, a]:
            held[a] = 0
            a += 1
        held[a] += 1  # and no lower rank is held in part i
        one = p.stride[size, a]
        rest = i - one
        p.worth[layer, i] = p.worth[layer, rest]
        p.huxi_in[layer, i] = p.huxi_in[layer, rest]
        p.doors_in[layer, i] = p.doors_in[layer, rest]
        p.lacks_in[layer, i] = p.lacks_in[layer, rest]
        if held[a] == 2:
            offer(p, layer, i, layer, rest - one, p.pair[size, a, 0], p.pair[size, a, 1], 1)
        if held[a + 1]:
            offer(p, layer, i, layer, rest - p.stride[size, a + 1], p.near[size, a, 0], p.near[size, a, 1], 1)
        if held[a + 2]:
            offer(p, layer, i, layer, rest - p.stride[size, a + 2], p.far[size, a, 0], p.far[size, a, 1], 1)
            if held[a + 1]:
                both = p.stride[size, a + 1] + p.stride[size, a + 2]
                offer(p, layer, i, layer, rest - both, p.run[size, a, 0], p.run[size, a, 1], 0)
        if a == 1 or a == 6:
            offer_red(p, size, layer, i, a, rest)
        if jiang:
            if held[a] == 2:
                offer(p, layer, i, size, rest - one, p.door, 0.0, 0)
            offer(p, layer, i, size, rest, p.lone[size, a], 0.0, 1)


@kernel
def offer_red(p: Any, size: int, layer: int, i: int, a: int, rest: int) -> None:
    """The groups of 2, 7 and 10 that begin with the lowest tile of part `i`."""
    seven, ten = p.stride[size, 6], p.stride[size, 9]
    if a == 6:
        if p.held[9]:
            offer(p, layer, i, layer, rest - ten, p.red[size, LAST_TWO, 0], p.red[size, LAST_TWO, 1], 1)
        return
    if p.held[6]:
        offer(p, layer, i, layer, rest - seven, p.red[size, SEVEN, 0], p.red[size, SEVEN, 1], 1)
        if p.held[9]:
            offer(p, layer, i, layer, rest - seven - ten, p.red[size, FULL, 0], p.red[size, FULL, 1], 0)
    if p.held[9]:
        offer(p, layer, i, layer, rest - ten, p.red[size, TEN, 0], p.red[size, TEN, 1], 1)


@kernel
def prepare_plans(p: Any, r: Any, chances: Any) -> None:
    """Price the groups and fill the parts of the hand in `p`; what may come is the caller's to set."""
    for size in range(2):
        for a in range(RANKS):
            p.digit[size, a] = loose(p, size * RANKS + a)
        price_row(p, r, chances, size)
        parts = number_parts(p, size)
        fill_parts(p, size, parts, 0)
        if p.quads[0] > 0:
            fill_parts(p, size, parts, 1)
    price_jiao(p, chances)
    for a in range(RANKS):
        p.jiao[a] = 0


# --- the plan of the whole --------------------------------------------------------------------------------------------


@kernel
def look(p: Any, small: int, large: int, doors: int, jiaos: int, halves: int, extra: float) -> float:
    """Worth of the plan of two parts beside so many jiao worth `extra`; it is noted if it is better than the one known.

    Doors beyond those that the hand needs are taken off again.
    """
    best = -1.0
    for way in range(3 if p.quads[0] > 0 else 1):  # no jiang, one of small tiles, one of large ones
        a = 2 if way == 1 else 0
        b = 3 if way == 2 else 1
        count = p.doors_in[a, small] + p.doors_in[b, large] + jiaos
        worth = p.worth[a, small] + p.worth[b, large] + extra
        most = doors if way or p.quads[0] == 0 else doors - 1
        if count > most:
            worth -= p.excess * (count - most)
        if worth > p.plan_worth:
            p.plan_worth = worth
            p.plan_huxi = p.huxi_in[a, small] + p.huxi_in[b, large]
            p.plan_doors = count
            p.plan_lacks = p.lacks_in[a, small] + p.lacks_in[b, large] + halves
        best = max(best, worth)
    return best


@kernel
def tiles_of(choice: int, size: int) -> int:
    """Tiles of a size (0 small, 1 large) in a choice of `jiao`."""
    return 2 if choice == 2 + size else 1 if choice else 0


@kernel
def find_plan(p: Any, doors: int) -> None:
    """The best plan of the hand as it is now, into `plan_worth`, `plan_huxi` and `plan_doors`.

    It must be a part of the hand that `prepare_plans` saw. `jiao` is where to begin: choices that the hand no longer
    allows are dropped.
    """
    small, large, jiaos, halves, extra = 0, 0, 0, 0, 0.0
    for a in range(RANKS):
        here_s, here_l = loose(p, a), loose(p, a + RANKS)
        choice = p.jiao[a]
        if here_s < tiles_of(choice, 0) or here_l < tiles_of(choice, 1):
            choice = 0
            p.jiao[a] = 0
        small += p.stride[0, a] * (here_s - tiles_of(choice, 0))
        large += p.stride[1, a] * (here_l - tiles_of(choice, 1))
        if choice:
            jiaos += 1
            halves += choice == 1
            extra += p.half[a] if choice == 1 else p.door
    p.plan_worth = -1.0
    best = look(p, small, large, doors, jiaos, halves, extra)
    better = True
    while better:
        better = False
        for a in range(RANKS):
            here_s, here_l = loose(p, a), loose(p, a + RANKS)
            if here_s == 0 or here_l == 0:
                continue
            now = p.jiao[a]
            small_0 = small + p.stride[0, a] * tiles_of(now, 0)
            large_0 = large + p.stride[1, a] * tiles_of(now, 1)
            jiaos_0 = jiaos - (now > 0)
            halves_0 = halves - (now == 1)
            extra_0 = extra
            if now:
                extra_0 -= p.half[a] if now == 1 else p.door
            for choice in range(4):
                if choice == now or here_s < tiles_of(choice, 0) or here_l < tiles_of(choice, 1):
                    continue
                small_1 = small_0 - p.stride[0, a] * tiles_of(choice, 0)
                large_1 = large_0 - p.stride[1, a] * tiles_of(choice, 1)
                jiaos_1 = jiaos_0 + (choice > 0)
                halves_1 = halves_0 + (choice == 1)
                extra_1 = extra_0
                if choice:
                    extra_1 += p.half[a] if choice == 1 else p.door
                worth = look(p, small_1, large_1, doors, jiaos_1, halves_1, extra_1)
                if worth > best + 1e-9:
                    best = worth
                    p.jiao[a] = choice
                    small, large, jiaos, halves, extra = small_1, large_1, jiaos_1, halves_1, extra_1
                    better = True


@kernel
def loose(p: Any, k: int) -> int:
    """Tiles of a kind in the hand, kan aside."""
    n = p.hand[0, k]
    return n if n < 3 else 0
