"""Whether a GAME record that somebody hands in is one that a kernel can play on.

Kernels check no index: a record of rubbish would lead them beyond its arrays. What is checked here is what they follow:
indices and counts, and that there are no more tiles than in the deck. Whether the hand could have come about is not
asked.
"""

from __future__ import annotations

from typing import Any

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.deal import deck_size
from paohuzi_env.core.state import LOG, MELDS, OVER, RIVER, SEATS, TI, WALL
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, SHAPES, WILD
from paohuzi_env.core.turn import DRAWN, RIVER_DRAWN, UNTAKEN


@kernel
def within(value: int, low: int, high: int) -> bool:
    """Whether a value is in a range."""
    return low <= value <= high


@kernel
def sound_seat(g: Any, s: int) -> int:
    """Tiles in the hand, the melds and the river of a seat; -1 where its numbers lead beyond its arrays."""
    if not (within(g.melds_n[s], 0, MELDS) and within(g.river_n[s], 0, RIVER) and within(g.hand[s, WILD], 0, 2)):
        return -1
    tiles = int(g.hand[s, WILD])
    kans = 0
    row_small = 0
    row_large = 0
    for k in range(KINDS):
        n = g.hand[s, k]
        if not within(n, 0, 4) or not within(g.dealt[s, k], 0, 4):
            return -1
        tiles += n
        kans += n == 3
        if n < 3:
            if k < RANKS:
                row_small += n << 2 * k
            else:
                row_large += n << 2 * (k - RANKS)
    if g.hand_n[s] != tiles or g.kans[s] != kans or g.rows[s, 0] != row_small or g.rows[s, 1] != row_large:
        return -1
    for m in range(MELDS):
        if not (within(g.meld_type[s, m], 0, TI + 1) and within(g.meld_kind[s, m], 0, KINDS - 1)):
            return -1
        if not (within(g.meld_shape[s, m], 0, SHAPES - 1) and within(g.meld_from[s, m], -1, DRAWN + SEATS - 1)):
            return -1
        if (g.meld_type[s, m] != 0) != (m < g.melds_n[s]):
            return -1
    for i in range(g.river_n[s]):
        if not within(g.river[s, i] & RIVER_DRAWN - 1, 0, KINDS) or not within(g.river[s, i], 0, 2 * RIVER_DRAWN - 1):
            return -1
    return tiles + 3 * g.melds_n[s] + g.river_n[s]


@kernel
def sound(g: Any, r: Any) -> bool:
    """Whether a kernel can play on a hand."""
    if not (within(g.phase, 0, OVER) and within(g.stage, 0, UNTAKEN) and within(g.live, NO_TILE, WILD)):
        return False
    if not (within(g.turn, 0, r.players - 1) and within(g.dealer, 0, r.players - 1) and within(g.source, 0, DRAWN + 1)):
        return False
    if not (within(g.upcard, NO_TILE, WILD) and within(g.last_shown, NO_TILE, WILD)):
        return False
    if not (within(g.winner, -1, SEATS - 1) and within(g.peng_passed, -1, SEATS - 1)):
        return False
    if not within(g.bi_kind, NO_TILE, KINDS - 1):
        return False
    if not (within(g.wall_next, 0, g.wall_end) and within(g.wall_end, 0, WALL) and within(g.log_n, 0, LOG // 2)):
        return False
    if g.phase == OVER:
        if g.actor != -1 or g.legal != 0:
            return False
    elif not within(g.actor, 0, r.players - 1) or not within(g.legal, 1, (1 << NUM_ACTIONS - 2) - 1):
        return False
    for i in range(g.wall_end):
        if not within(g.wall[i], 0, WILD):
            return False
    tiles = g.wall_end - g.wall_next
    for s in range(SEATS):
        own = sound_seat(g, s)
        if own < 0:
            return False
        tiles += own
    return tiles <= deck_size(r)


@entry
def first_unsound(games: Any, rules: Any) -> int:
    """The first record that no kernel can play on, or -1."""
    for i in range(len(games)):
        if not sound(games[i], rules[0]):
            return i
    return -1
