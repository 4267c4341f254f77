"""Perfect information as planes: what a critic may see and an actor must not.

Seats are relative to the seat to act (to the dealer when the hand is over). `PERFECT` is the index table.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.state import SEATS, WEI
from paohuzi_env.core.tiles import KINDS, WILD

NEXT_DRAWS: Final = 8
HANDS: Final = 0
WEI_KINDS: Final = HANDS + SEATS
WALL: Final = WEI_KINDS + SEATS
DRAWS: Final = WALL + 1
ASIDE: Final = DRAWS + NEXT_DRAWS
WILDS: Final = ASIDE + 1
STALE: Final = WILDS + SEATS
BARRED: Final = STALE + SEATS
PERFECT_PLANES: Final = BARRED + SEATS

PERFECT: Final = (
    (HANDS, SEATS, "copies of the kind in the hand of self, next, previous"),
    (WEI_KINDS, SEATS, "1 at the kinds of the seat's wei"),
    (WALL, 1, "copies of the kind that can still be drawn"),
    (DRAWS, NEXT_DRAWS, "1 at the kind of the next draw, the one after it, …; none for a wild tile"),
    (ASIDE, 1, "copies of the kind in the unseen third hand of a table of two"),
    (WILDS, SEATS, "wild tiles in the seat's hand, in the whole plane"),
    (STALE, SEATS, "1 where the seat may neither peng nor chi the kind"),
    (BARRED, SEATS, "1 where the seat passed a pao and may not win, in the whole plane"),
)
"""Rows of the index table: first plane, number of planes, meaning."""


@kernel
def perfect(g: Any, r: Any, out: Any) -> None:
    """Write the planes of one hand into `out` (int8, PERFECT_PLANES x 20)."""
    out[:] = 0
    me = g.actor if g.actor >= 0 else g.dealer
    for p in range(r.players):
        rel = (p - me + r.players) % r.players
        for k in range(KINDS):
            out[HANDS + rel, k] = g.hand[p, k]
            out[WILDS + rel, k] = g.hand[p, WILD]
            out[STALE + rel, k] = (g.stale_peng[p] & g.stale_chi[p]) >> k & 1
            out[BARRED + rel, k] = g.barred[p]
        for m in range(g.melds_n[p]):
            if g.meld_type[p, m] == WEI:
                out[WEI_KINDS + rel, g.meld_kind[p, m]] = 1
    for i in range(g.wall_next, g.wall_end):
        kind = g.wall[i]
        if kind < KINDS:
            out[WALL, kind] += 1
            if i - g.wall_next < NEXT_DRAWS:
                out[DRAWS + i - g.wall_next, kind] = 1
    for k in range(KINDS):
        out[ASIDE, k] = g.hand_aside[k]


@entry
def perfect_slice(games: Any, lo: int, hi: int, rules: Any, out: Any) -> None:
    """`perfect` for rows lo..hi-1."""
    for i in range(lo, hi):
        perfect(games[i], rules[0], out[i])
