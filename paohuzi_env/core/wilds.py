"""Doors that hold wild tiles (rules 10.5): one wild with two or three real tiles, or two wilds with one or two.

Every way to build one is a number; `unit_of_one` and `unit_of_two` say whether the way numbered `way` is open and
write what it takes into the scratch pad. The evaluator tries all of them, so nothing depends on the order of tiles.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.melds import unit_huxi
from paohuzi_env.core.state import CHOUWEI, H_KAN, JIANG, JIAO, JU, PAO_MELD, TI, WEI
from paohuzi_env.core.tiles import KINDS, RANKS, WILD

RUNS: Final = 9  # eight of three in a row and 2-7-10
# Ways for one wild: jiang, pair to wei, kan to ti, table wei to ti (20 each); runs by size, run, gap; jiao.
ONE_RUN: Final = 4 * KINDS
ONE_JIAO: Final = ONE_RUN + 2 * RUNS * 3
WAYS_OF_ONE: Final = ONE_JIAO + RANKS * 4
# Ways for two wilds: jiang, single to wei, pair to ti (20 each); runs by size, run, real place; jiao.
TWO_RUN: Final = 3 * KINDS
TWO_JIAO: Final = TWO_RUN + 2 * RUNS * 3
WAYS_OF_TWO: Final = TWO_JIAO + RANKS * 4


@kernel
def in_rows(small: int, large: int, kind: int) -> int:
    """Copies of `kind` in the two rows."""
    return small >> 2 * kind & 3 if kind < RANKS else large >> 2 * (kind - RANKS) & 3


@kernel
def begin(e: Any, slot: int, unit_type: int, kind: int) -> None:
    """Clear the scratch fields for a unit in `slot`."""
    e.step_rows[0] = 0
    e.step_rows[1] = 0
    e.step_huxi = 0
    e.step_doors = 1
    e.step_quads = 0
    e.step_jiang = 0
    e.step_kan = -1
    e.unit_type[slot] = unit_type
    e.unit_meld[slot] = -1
    e.unit_kind[slot] = kind
    for i in range(4):
        e.unit_tiles[slot, i] = -1
    e.unit_stand[slot, 0] = -1
    e.unit_stand[slot, 1] = -1


@kernel
def use(e: Any, kind: int, copies: int) -> None:
    """The unit takes `copies` of `kind` from the rows."""
    e.step_rows[kind // RANKS] += copies << 2 * (kind % RANKS)


@kernel
def fill(e: Any, slot: int, size: int, kind: int, wilds: int) -> None:
    """A unit of `size` tiles alike: real ones of `kind`, then `wilds` wild ones that stand for it."""
    for i in range(size):
        e.unit_tiles[slot, i] = kind if i < size - wilds else WILD
    for i in range(wilds):
        e.unit_stand[slot, i] = kind


@kernel
def alike(r: Any, e: Any, slot: int, unit_type: int, size: int, kind: int, wilds: int) -> None:
    """A jiang, wei or ti of `kind` whose real tiles come from the rows."""
    begin(e, slot, unit_type, kind)
    fill(e, slot, size, kind, wilds)
    if size > wilds:
        use(e, kind, size - wilds)
    if unit_type == JIANG:
        e.step_jiang = 1
    else:
        e.step_huxi = unit_huxi(r, unit_type, kind)
        e.step_quads = 1 if unit_type == TI else 0


@kernel
def run_kind(size: int, run: int, place: int) -> int:
    """Kind at `place` (0..2) of run `run` (8 is 2-7-10)."""
    if run == RUNS - 1:
        rank = 1 if place == 0 else (6 if place == 1 else 9)
    else:
        rank = run + place
    return size * RANKS + rank


@kernel
def a_run(r: Any, e: Any, slot: int, small: int, large: int, way: int, wild_at_place: bool) -> bool:
    """A run numbered `way`: wild at the numbered place, or at the two other places."""
    size = way // (RUNS * 3)
    run = way // 3 % RUNS
    place = way % 3
    begin(e, slot, JU, run_kind(size, run, 0))
    wilds = 0
    for i in range(3):
        kind = run_kind(size, run, i)
        if (i == place) == wild_at_place:
            e.unit_stand[slot, wilds] = kind
            e.unit_tiles[slot, i] = WILD
            wilds += 1
        else:
            if in_rows(small, large, kind) < 1:
                return False
            e.unit_tiles[slot, i] = kind
            use(e, kind, 1)
    if run == 0:
        e.step_huxi = r.run_huxi[size, 0]
    elif run == RUNS - 1:
        e.step_huxi = r.run_huxi[size, 1]
    return True


@kernel
def a_jiao(
    e: Any, slot: int, small: int, large: int, rank: int, smalls: int, larges: int, w0: int, w1: int
) -> bool:
    """A jiao of `rank` with so many real small and large tiles, whose wilds stand for sizes `w0`, `w1` (-1 none)."""
    if in_rows(small, large, rank) < smalls or in_rows(small, large, rank + RANKS) < larges:
        return False
    begin(e, slot, JIAO, rank)
    n = 0
    for _ in range(smalls):
        e.unit_tiles[slot, n] = rank
        n += 1
    for _ in range(larges):
        e.unit_tiles[slot, n] = rank + RANKS
        n += 1
    if smalls:
        use(e, rank, smalls)
    if larges:
        use(e, rank + RANKS, larges)
    for i in range(n, 3):
        e.unit_tiles[slot, i] = WILD
    e.unit_stand[slot, 0] = rank + RANKS * w0
    if w1 >= 0:
        e.unit_stand[slot, 1] = rank + RANKS * w1
    return True


@kernel
def kan_to_ti(g: Any, r: Any, e: Any, slot: int, kind: int) -> bool:
    """A kan of the hand and a wild: a ti, in the door that the kan had."""
    if g.hand[e.seat, kind] != 3 or (e.role_type == PAO_MELD and e.role_meld < 0 and e.role_kind == kind):
        return False
    if slot == 1 and e.unit_type[0] == TI and e.unit_meld[0] < 0 and e.unit_kind[0] == kind:
        return False
    begin(e, slot, TI, kind)
    fill(e, slot, 4, kind, 1)
    e.step_huxi = unit_huxi(r, TI, kind) - r.huxi[H_KAN, kind]
    e.step_doors = 0
    e.step_quads = 1
    e.step_kan = kind
    return True


@kernel
def wei_to_ti(g: Any, r: Any, e: Any, slot: int, kind: int) -> bool:
    """A wei or chouwei on the table and a wild: a ti, in the door that the wei had."""
    s = e.seat
    if g.wei_kinds[s] >> kind & 1 == 0:
        return False
    meld = -1
    for m in range(g.melds_n[s]):
        if g.meld_kind[s, m] == kind and (g.meld_type[s, m] == WEI or g.meld_type[s, m] == CHOUWEI):
            meld = m
    if meld == e.role_meld or (slot == 1 and e.unit_meld[0] == meld):
        return False
    begin(e, slot, TI, kind)
    fill(e, slot, 4, kind, 1)
    e.unit_meld[slot] = meld
    e.step_huxi = unit_huxi(r, TI, kind) - unit_huxi(r, WEI, kind)
    e.step_doors = 0
    e.step_quads = 1
    return True


@kernel
def unit_of_one(g: Any, r: Any, e: Any, slot: int, way: int, small: int, large: int) -> bool:
    """Whether one wild can be used in the way numbered `way`; if so the scratch fields of `slot` tell how."""
    if way >= ONE_JIAO:
        rank = (way - ONE_JIAO) // 4
        form = (way - ONE_JIAO) % 4
        if form == 0:
            return a_jiao(e, slot, small, large, rank, 2, 0, 1, -1)
        if form == 1:
            return a_jiao(e, slot, small, large, rank, 0, 2, 0, -1)
        return a_jiao(e, slot, small, large, rank, 1, 1, form - 2, -1)
    if way >= ONE_RUN:
        return a_run(r, e, slot, small, large, way - ONE_RUN, True)
    kind = way % KINDS
    if way < 2 * KINDS:
        need = 1 if way < KINDS else 2
        if in_rows(small, large, kind) < need:
            return False
        alike(r, e, slot, JIANG if need == 1 else WEI, need + 1, kind, 1)
        return True
    if way < 3 * KINDS:
        return kan_to_ti(g, r, e, slot, kind)
    return wei_to_ti(g, r, e, slot, kind)


@kernel
def unit_of_two(r: Any, e: Any, way: int, small: int, large: int) -> bool:
    """Whether both wilds can be used together in the way numbered `way`; scratch fields of slot 0 tell how."""
    if way >= TWO_JIAO:
        rank = (way - TWO_JIAO) // 4
        form = (way - TWO_JIAO) % 4
        # The real tile is small (forms 0, 1) or large; the wilds are one of each size, or both of the other one.
        real = form // 2
        first = 1 - real if form % 2 else 0
        return a_jiao(e, 0, small, large, rank, 1 - real, real, first, 1 - real if form % 2 else 1)
    if way >= TWO_RUN:
        return a_run(r, e, 0, small, large, way - TWO_RUN, False)
    kind = way % KINDS
    real = way // KINDS
    if in_rows(small, large, kind) < real:
        return False
    alike(r, e, 0, JIANG if real == 0 else (WEI if real == 1 else TI), 2 + real, kind, 2)
    return True
