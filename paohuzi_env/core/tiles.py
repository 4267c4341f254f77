"""Tiles: kinds, colours, and the groups that three tiles can form (rules 1, 4.1).

A *kind* is an int: 0..9 the small tiles 1..10, 10..19 the large ones, 20 the wild tile 王.
Nothing here depends on a rule set; a game with fewer ranks simply never meets the higher kinds.
"""

from __future__ import annotations

from typing import Final

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


@kernel
def partner(kind: int, shape: int, which: int) -> int:
    """Kind of the first (`which` 0) or second (1) tile beside `kind` in a group of `shape`, or NO_TILE.

    In XXY the first partner is `kind` itself. The two partners come in index order, but for XXY of a large kind.
    """
    rank = kind % RANKS
    if shape == XXY:
        return kind if which == 0 else other_size(kind)
    if shape == XYY:
        return other_size(kind)
    if shape == RED_RUN:
        base = kind - rank
        if rank == 1:
            return base + 6 if which == 0 else base + 9
        if rank == 6:
            return base + 1 if which == 0 else base + 9
        if rank == 9:
            return base + 1 if which == 0 else base + 6
        return NO_TILE
    first = rank - shape  # the run's lowest rank
    if first < 0 or first + 2 >= RANKS:
        return NO_TILE
    low = kind - shape
    if shape == LOW:
        return low + 1 + which
    if shape == MIDDLE:
        return low + 2 * which
    return low + which
