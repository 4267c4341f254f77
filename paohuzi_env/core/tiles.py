"""Tiles: kinds, colours, and the groups that three tiles can form (rules 1, 4.1).

A *kind* is an int: 0..9 the small tiles 1..10, 10..19 the large ones, 20 the wild tile 王.
Nothing here depends on a rule set; a game with fewer ranks simply never meets the higher kinds.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from paohuzi_env.core._compile import kernel

RANKS: Final = 10
KINDS: Final = 20
"""Kinds without the wild tile; the length of every per-kind axis of an observation."""
WILD: Final = 20
NO_TILE: Final = -1

# Ranks 2, 7 and 10 of both sizes are red (rules 1.2); bit k stands for kind k.
RED_KINDS: Final = (1 << 1 | 1 << 6 | 1 << 9) | (1 << 11 | 1 << 16 | 1 << 19)

# The six ways in which an eaten (or bi) tile x stands in its group. Four are a ju 一句话, two a jiao 绞.
LOW: Final = 0  # x, x+1, x+2
MIDDLE: Final = 1  # x-1, x, x+1
HIGH: Final = 2  # x-2, x-1, x
RED_RUN: Final = 3  # 2-7-10 of one size
XXY: Final = 4  # x, x and one of the other size
XYY: Final = 5  # x and two of the other size
SHAPES: Final = 6


@kernel
def is_red(kind: int) -> int:
    """1 for a red kind, else 0. A wild tile is neither: it takes the colour of what it stands for."""
    return RED_KINDS >> kind & 1


@kernel
def other_size(kind: int) -> int:
    """The same rank in the other size."""
    return kind + RANKS if kind < RANKS else kind - RANKS


def _partners(kind: int, shape: int) -> tuple[int, int]:
    rank = kind % RANKS
    other = (kind + RANKS) % KINDS
    if shape == XXY:
        return kind, other
    if shape == XYY:
        return other, other
    if shape == RED_RUN:
        first, second = {1: (5, 8), 6: (-5, 3), 9: (-8, -3)}.get(rank, (0, 0))
    else:
        first, second = {LOW: (1, 2), MIDDLE: (-1, 1), HIGH: (-2, -1)}[shape]
        if rank < shape or rank - shape + 2 >= RANKS:
            return NO_TILE, NO_TILE
    return (kind + first, kind + second) if first else (NO_TILE, NO_TILE)


PARTNERS: Final = np.array([[_partners(kind, shape) for shape in range(SHAPES)] for kind in range(KINDS)], np.int64)
"""Kinds of the first and second tile beside a kind (of 20) in a group of a shape (of 6), or NO_TILE.

In XXY the first partner is the kind itself. The two partners come in index order, but for XXY of a large kind.
"""


@kernel
def partner(kind: int, shape: int, which: int) -> int:
    """Kind of the first (`which` 0) or second (1) tile beside `kind` in a group of `shape`, or NO_TILE."""
    return PARTNERS[kind, shape, which]
