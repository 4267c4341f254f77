"""Chi and bi: which groups may be laid, so that every copy of the eaten tile can follow (rules 4).

The *loose* tiles of a hand are those that a group can take: all but kan (4.3) and wild tiles. They are one number,
two bits a kind as in GAME.rows, with 0, 1 or 2 copies of each; the tiles of a group are another.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import CHI
from paohuzi_env.core.melds import owes_discard
from paohuzi_env.core.tiles import KINDS, NO_TILE, PARTNERS, RANKS, SHAPES, XXY

EACH_KIND: Final = (1 << 2 * KINDS) // 3
"""The low bit of each kind."""
GROUPS: Final = np.array(
    [
        [
            [sum(1 << 2 * int(k) for k in tiles) if tiles[0] != NO_TILE else 0 for tiles in (two, [*two, kind])]
            for two in PARTNERS[kind]
        ]
        for kind in range(KINDS)
    ],
    np.int64,
)
"""By kind and shape the tiles that a group takes from the hand for a chi (0) and for a bi (1); 0 for no such group."""


@kernel
def loose_tiles(g: Any, s: int) -> int:
    """The loose tiles of seat `s`."""
    return g.rows[s, 0] | g.rows[s, 1] << 2 * RANKS


@kernel
def has_group(loose: int, group: int) -> bool:
    """Whether there is such a group and the loose tiles hold it."""
    some = (loose | loose >> 1) & EACH_KIND
    needs_some = (group | group >> 1) & EACH_KIND
    needs_two = group >> 1 & EACH_KIND
    return group != 0 and (needs_some & ~some | needs_two & ~(loose >> 1)) == 0


@kernel
def may_end(g: Any, s: int, loose: int, held: int) -> bool:
    """Whether an intake may leave seat `s` so: no discard is owed, or one is possible (rules 4.5)."""
    return loose != 0 or not owes_discard(g, s, held)


@kernel
def bi_once(g: Any, s: int, kind: int, loose: int, held: int) -> bool:
    """Whether the one or two copies of `kind` left can all be laid by a single group."""
    for shape in range(SHAPES):
        group = GROUPS[kind, shape, 1]
        rest = loose - group
        if has_group(loose, group) and rest >> 2 * kind & 3 == 0 and may_end(g, s, rest, held - 3):
            return True
    return False


@kernel
def can_finish(g: Any, s: int, kind: int, loose: int, held: int) -> bool:
    """Whether all loose copies of `kind` can be laid in bi groups, and a discard owed then made."""
    copies = loose >> 2 * kind & 3
    if copies == 0:
        return may_end(g, s, loose, held)
    if bi_once(g, s, kind, loose, held):
        return True
    if copies < 2:
        return False
    for shape in range(SHAPES):
        group = GROUPS[kind, shape, 1]
        if shape != XXY and has_group(loose, group) and bi_once(g, s, kind, loose - group, held - 3):
            return True
    return False


@kernel
def group_options(g: Any, s: int, kind: int, from_hand: int) -> int:
    """Bits (as actions) of the groups of `kind` that seat `s` may lay: for a chi (`from_hand` 0) or a bi (1)."""
    bits = 0
    if g.hand[s, kind] >= 3:
        return bits
    loose = loose_tiles(g, s)
    held = g.hand_n[s] - 2 - from_hand
    for shape in range(SHAPES):
        group = GROUPS[kind, shape, from_hand]
        if has_group(loose, group) and can_finish(g, s, kind, loose - group, held):
            bits |= 1 << (CHI + shape)
    return bits
