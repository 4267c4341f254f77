"""Hands and melds: taking tiles from a hand, laying and upgrading melds, and what they are worth (rules 3).

The sums that later steps read (`huxi`, `quads`, `rows`, `kans`, …) are kept here and nowhere else.
"""

from __future__ import annotations

from typing import Any

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.lanes import places_of
from paohuzi_env.core.state import (
    CHI_MELD,
    CHOUWEI,
    H_KAN,
    H_PAO,
    H_PENG,
    H_TI,
    H_WEI,
    PAO_MELD,
    PENG_MELD,
    TI,
    WEI,
)
from paohuzi_env.core.tiles import KINDS, LOW, RANKS, RED_RUN, WILD, XXY


@kernel
def unit_huxi(r: Any, meld_type: int, kind: int) -> int:
    """Huxi of a peng, wei, chouwei, pao or ti of `kind` (rules 3.1)."""
    if meld_type == PENG_MELD:
        return r.huxi[H_PENG, kind]
    if meld_type == PAO_MELD:
        return r.huxi[H_PAO, kind]
    if meld_type == TI:
        return r.huxi[H_TI, kind]
    return r.huxi[H_WEI, kind]


@kernel
def group_huxi(r: Any, kind: int, shape: int) -> int:
    """Huxi of the ju or jiao in which `kind` stands as `shape` (rules 3.1: only 1-2-3 and 2-7-10 have any)."""
    size = 0 if kind < RANKS else 1
    if shape == RED_RUN:
        return r.run_huxi[size, 1]
    if shape < RED_RUN and kind - shape == size * RANKS:
        return r.run_huxi[size, 0]
    return 0


@kernel
def set_hand_sums(g: Any, r: Any, s: int) -> None:
    """Recompute what depends on the hand alone: `hand_n`, `rows`, `kans`, `kan_huxi`."""
    n = g.hand[s, WILD]
    g.kans[s] = 0
    g.kan_huxi[s] = 0
    g.rows[s, 0] = 0
    g.rows[s, 1] = 0
    for kind in range(KINDS):
        copies = g.hand[s, kind]
        n += copies
        if copies == 3:
            g.kans[s] += 1
            g.kan_huxi[s] += r.huxi[H_KAN, kind]
        elif copies < 3:
            g.rows[s, kind // RANKS] += copies << 2 * (kind % RANKS)
    g.hand_n[s] = n


@kernel
def take(g: Any, r: Any, s: int, kind: int, copies: int, shown: int) -> None:
    """Remove `copies` of `kind` from the hand of seat `s`; a kan leaves whole or not at all (rules 3.2).

    `shown` says whether the table sees the kind: then what it can believe of the hand falls with it.
    """
    held = g.hand[s, kind]
    if held == 3:
        g.kans[s] -= 1
        g.kan_huxi[s] -= r.huxi[H_KAN, kind]
    elif held < 3:
        g.rows[s, kind // RANKS] -= copies << 2 * (kind % RANKS)
    g.hand[s, kind] = held - copies
    g.hand_n[s] -= copies
    if shown:
        reveal(g, s, kind, copies)


@kernel
def reveal(g: Any, s: int, kind: int, copies: int) -> None:
    """The table has seen `copies` of `kind` come from the hand of seat `s`.

    One or two come from no kan, so at most two were held; three or four are all there were.
    """
    g.cap[s, kind] = max(min(g.cap[s, kind], 2) - copies, 0)
    if s == g.dealer and kind == g.upcard:
        g.upcard_held = 0


@kernel
def lay(g: Any, r: Any, s: int, meld_type: int, kind: int, shape: int, origin: int) -> None:
    """Lay a new meld before seat `s`. `origin` as in GAME.meld_from."""
    n = g.melds_n[s]
    g.meld_type[s, n] = meld_type
    g.meld_kind[s, n] = kind
    g.meld_shape[s, n] = shape
    g.meld_from[s, n] = origin
    g.melds_n[s] = n + 1
    if meld_type == CHI_MELD:
        g.huxi[s] += group_huxi(r, kind, shape)
        return
    g.huxi[s] += unit_huxi(r, meld_type, kind)
    if meld_type == PENG_MELD:
        g.peng_kinds[s] |= 1 << kind
    elif meld_type == WEI or meld_type == CHOUWEI:
        g.wei_kinds[s] |= 1 << kind
    else:
        g.quads[s] += 1


@kernel
def find_meld(g: Any, s: int, kind: int) -> int:
    """Place of the peng, wei or chouwei of `kind` before seat `s`, or -1."""
    for m in range(g.melds_n[s]):
        if g.meld_kind[s, m] == kind and g.meld_type[s, m] <= CHOUWEI:
            return m
    return -1


@kernel
def upgrade(g: Any, r: Any, s: int, kind: int, meld_type: int, origin: int) -> None:
    """Turn the peng, wei or chouwei of `kind` before seat `s` into a pao or ti with its fourth tile."""
    m = find_meld(g, s, kind)
    if g.meld_type[s, m] == WEI:
        reveal(g, s, kind, 2)  # its kind was hidden until now (rules 3.4)
        g.drawn[kind] += 1
    g.huxi[s] += unit_huxi(r, meld_type, kind) - unit_huxi(r, g.meld_type[s, m], kind)
    g.meld_type[s, m] = meld_type
    g.meld_from[s, m] = origin
    g.wei_not[s, m] = 0
    g.peng_kinds[s] &= ~(1 << kind)
    g.wei_kinds[s] &= ~(1 << kind)
    g.quads[s] += 1


@kernel
def discard_owed(g: Any, s: int) -> bool:
    """Whether a discard is owed after an intake of seat `s`, by the count of its concealed tiles (rules 6.1)."""
    return owes_discard(g, s, g.hand_n[s])


@kernel
def owes_discard(g: Any, s: int, held: int) -> bool:
    """`discard_owed` with so many concealed tiles."""
    return held % 3 == (2 if g.quads[s] > 0 else 0)


@kernel
def discardable(g: Any, s: int) -> int:
    """Bit for each kind that seat `s` may discard: those of which it holds one or two (rules 6.2)."""
    return places_of(g.hand[s], KINDS, 1) | places_of(g.hand[s], KINDS, 2)


@kernel
def group_code(kind: int, shape: int) -> int:
    """A number that two groups share exactly if they hold the same tiles: the kind of the lowest tile and the form.

    Forms: 0 run, 1 2-7-10, 2 two small and one large, 3 one small and two large.
    """
    size = kind // RANKS
    if shape == RED_RUN:
        return 1 << 5 | size * RANKS + 1
    if shape < RED_RUN:
        return kind - (shape - LOW)
    form = 2 if (shape == XXY) == (size == 0) else 3
    return form << 5 | kind % RANKS
