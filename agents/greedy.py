"""The greedy player: nearest to a complete hand, then most huxi.

It wins when it can, claims what brings its hand nearer (`paohuzi_env.core.distance`), and discards a tile that it
does not need, the one whose loss leaves most huxi. It looks at its own tiles only: not at the floor of huxi, not at
what is left in the wall, not at the others.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from agents.base import CompiledAgent
from agents.own_hand import OWN_HAND, load_hand, move_chi, move_peng, move_tile, set_rows
from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import CHI, HU, PAO, PASS, PENG
from paohuzi_env.core.chi import group_options
from paohuzi_env.core.distance import distance, progress_table
from paohuzi_env.core.hu import most_run_huxi, tiles_in
from paohuzi_env.core.state import BI_WINDOW, DISCARDING, H_PENG
from paohuzi_env.core.tiles import KINDS, SHAPES
from paohuzi_env.rules import RuleSet
from paohuzi_env.search import Policy

TILE: Final = 1000
"""A tile of distance counts for more than any huxi."""
NOTHING: Final = -1_000_000


@kernel
def hand_huxi(r: Any, p: Any) -> int:
    """Huxi of melds and kan, of pairs as if they were pengs, and the most that runs can have."""
    huxi = p.huxi + p.kan_huxi + most_run_huxi(r, p.rows[0, 0], 0) + most_run_huxi(r, p.rows[0, 1], 1)
    for k in range(KINDS):
        if p.pairs >> k & 1:
            huxi += r.huxi[H_PENG, k]
    return huxi


@kernel
def tiles_missing(r: Any, p: Any, table: Any, owed: int) -> int:
    """Fewest tiles that must still come to complete the hand; with `owed` 1 after a discard.

    A discard costs nothing while some tile fits nowhere.
    """
    doors = max(r.doors - p.melds - p.kans, 0)
    jiang = p.quads[0] > 0 and doors > 0
    missing = distance(table, p.rows[0, 0], p.rows[0, 1], doors, p.quads[0] > 0)
    fitting = 3 * doors - jiang - missing
    return missing + (owed and tiles_in(p.rows[0, 0]) + tiles_in(p.rows[0, 1]) == fitting)


@kernel
def worth_after(r: Any, p: Any, table: Any) -> int:
    """What the hand is worth from which a discard is owed: nearest first, then huxi."""
    set_rows(r, p)
    return hand_huxi(r, p) - TILE * tiles_missing(r, p, table, 1)


@kernel
def worth_with_bi(r: Any, p: Any, table: Any, kind: int) -> int:
    """`worth_after` with the best bi group, where copies of the eaten tile are left."""
    if p.hand[0, kind] == 0:
        return worth_after(r, p, table)
    best = NOTHING
    set_rows(r, p)
    options = group_options(p, 0, kind, 1)
    for shape in range(SHAPES):
        if options >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, 1, 1)
            best = max(best, worth_after(r, p, table))
            move_chi(r, p, kind, shape, 1, -1)
    return best


@kernel
def best_group(v: Any, r: Any, p: Any, table: Any, kind: int, from_hand: int, least: int) -> int:
    """The chi (or bi) of `kind` that leaves the best hand, or PASS where none is worth `least`."""
    best = least - 1
    action = PASS
    for shape in range(SHAPES):
        if v.legal >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, from_hand, 1)
            worth = worth_with_bi(r, p, table, kind)
            move_chi(r, p, kind, shape, from_hand, -1)
            if worth > best:
                best = worth
                action = CHI + shape
    return action


@kernel
def best_discard(v: Any, r: Any, p: Any, table: Any) -> int:
    """A tile that the hand does not need, and of those the one whose loss leaves most huxi.

    Tiles are tried in order of the huxi they leave, so that the slow distance is asked as seldom as can be.
    """
    set_rows(r, p)
    missing = tiles_missing(r, p, table, 0)
    left = v.legal
    first = -1
    while left:
        kind = -1
        most = -1
        for k in range(KINDS):
            if left >> k & 1:
                move_tile(p, k, -1)
                set_rows(r, p)
                huxi = hand_huxi(r, p)
                move_tile(p, k, 1)
                if huxi > most:
                    most = huxi
                    kind = k
        left &= ~(1 << kind)
        move_tile(p, kind, -1)
        set_rows(r, p)
        unneeded = tiles_missing(r, p, table, 0) == missing
        move_tile(p, kind, 1)
        if unneeded:
            return kind
        if first < 0:
            first = kind
    return first


@kernel
def greedy(v: Any, r: Any, data: Any, p: Any, word: Any) -> int:
    """The greedy policy: `data` is the progress table."""
    if v.legal >> HU & 1:
        return HU
    if v.legal >> PAO & 1:
        return PAO
    table = data[0]
    load_hand(v, p)
    if v.phase == DISCARDING:
        return best_discard(v, r, p, table)
    if v.phase == BI_WINDOW:
        return best_group(v, r, p, table, v.bi_kind, 1, NOTHING)
    set_rows(r, p)
    nearer = -TILE * (tiles_missing(r, p, table, 0) - 1)
    if v.legal >> PENG & 1:
        move_peng(r, p, v.live, 1)
        worth = worth_after(r, p, table)
        return PENG if worth >= nearer else PASS
    return best_group(v, r, p, table, v.live, 0, nearer)


@cache
def greedy_policy() -> Policy:
    """The greedy policy with its table and scratch."""
    return Policy(greedy, (progress_table(),), np.dtype(OWN_HAND))


class Greedy(CompiledAgent):
    """Plays for the nearest complete hand, then for huxi; looks at its own tiles only."""

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0) -> None:
        super().__init__(rules, greedy_policy(), seed=seed)
