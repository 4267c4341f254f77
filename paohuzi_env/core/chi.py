"""Chi and bi: which groups may be laid, so that every copy of the eaten tile can follow (rules 4)."""

from __future__ import annotations

from typing import Any

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import CHI
from paohuzi_env.core.melds import discard_owed, discardable
from paohuzi_env.core.tiles import NO_TILE, SHAPES, XXY, XYY, partner


@kernel
def spare(g: Any, s: int, kind: int, copies: int) -> bool:
    """Whether seat `s` can give `copies` of `kind` to a group without touching a kan (rules 4.3)."""
    held = g.hand[s, kind]
    return copies <= held < 3


@kernel
def has_group(g: Any, s: int, kind: int, shape: int, from_hand: int) -> bool:
    """Whether the hand of seat `s` has the partners of `kind` in `shape`, and `kind` itself too with `from_hand` 1."""
    first = partner(kind, shape, 0)
    if first == NO_TILE:
        return False
    second = partner(kind, shape, 1)
    if shape == XYY:
        return spare(g, s, first, 2) and (from_hand == 0 or spare(g, s, kind, 1))
    if shape == XXY:
        return spare(g, s, kind, 1 + from_hand) and spare(g, s, second, 1)
    return spare(g, s, first, 1) and spare(g, s, second, 1) and (from_hand == 0 or spare(g, s, kind, 1))


@kernel
def move_group(g: Any, s: int, kind: int, shape: int, from_hand: int, copies: int) -> None:
    """Try a group: add `copies` (-1 takes away, +1 puts back) of its hand tiles. Only `hand` and `hand_n` change."""
    g.hand[s, partner(kind, shape, 0)] += copies
    g.hand[s, partner(kind, shape, 1)] += copies
    if from_hand:
        g.hand[s, kind] += copies
    g.hand_n[s] += copies * (2 + from_hand)


@kernel
def may_end(g: Any, s: int) -> bool:
    """Whether an intake may leave the hand as it is: no discard is owed, or one is possible (rules 4.5)."""
    return not discard_owed(g, s) or discardable(g, s) != 0


@kernel
def bi_once(g: Any, s: int, kind: int) -> bool:
    """Whether the one or two copies of `kind` left can all be laid by a single group."""
    for shape in range(SHAPES):
        if has_group(g, s, kind, shape, 1):
            move_group(g, s, kind, shape, 1, -1)
            done = g.hand[s, kind] == 0 and may_end(g, s)
            move_group(g, s, kind, shape, 1, 1)
            if done:
                return True
    return False


@kernel
def can_finish(g: Any, s: int, kind: int) -> bool:
    """Whether all copies of `kind` in the hand (at most two) can be laid in bi groups, and a discard owed then made."""
    if g.hand[s, kind] == 0:
        return may_end(g, s)
    if bi_once(g, s, kind):
        return True
    if g.hand[s, kind] < 2:
        return False
    for shape in range(SHAPES):
        if shape != XXY and has_group(g, s, kind, shape, 1):
            move_group(g, s, kind, shape, 1, -1)
            done = bi_once(g, s, kind)
            move_group(g, s, kind, shape, 1, 1)
            if done:
                return True
    return False


@kernel
def group_options(g: Any, s: int, kind: int, from_hand: int) -> int:
    """Bits (as actions) of the groups of `kind` that seat `s` may lay: for a chi (`from_hand` 0) or a bi (1)."""
    bits = 0
    if g.hand[s, kind] >= 3:
        return bits
    for shape in range(SHAPES):
        if has_group(g, s, kind, shape, from_hand):
            move_group(g, s, kind, shape, from_hand, -1)
            if can_finish(g, s, kind):
                bits |= 1 << (CHI + shape)
            move_group(g, s, kind, shape, from_hand, 1)
    return bits
