"""What compiled players read from a VIEW: the own hand, to try moves on, and what the table shows of the others.

A record of OWN_HAND looks to `core.chi` like a game of one seat, so that the groups which may follow a chi are those
of the rules.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.melds import group_huxi
from paohuzi_env.core.state import CHI_MELD, H_KAN, H_PENG, PAO_MELD, PENG_MELD, TI
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, SHAPES, WILD, is_red, partner

OWN_HAND: Final = [
    ("hand", "i8", (1, 21)),  # copies of each kind
    ("hand_n", "i8", (1,)),
    ("quads", "i8", (1,)),
    ("melds", "i8"),
    ("chis", "i8"),  # chi and bi among them
    ("huxi", "i8"),  # of the melds on the table
    ("laid", "i8", (3,)),  # red, large and small tiles in them; kept where `load_melds` has been called
    ("new_n", "i8"),  # melds that are being tried
    ("new", "i8", (4, 3)),  # their type, kind and shape
    ("rows", "i8", (1, 2)),  # as GAME.rows; kept by `set_rows` alone
    ("kans", "i8"),
    ("kan_huxi", "i8"),
    ("pairs", "i8"),  # bit for each kind of which it holds two
]
"""Fields of a scratch record: the own hand and what lies before it."""

SIGHT: Final = [
    ("unseen", "i8", (20,)),  # tiles of each kind that the seat cannot see
    ("met", "i8"),  # bit for each kind that nobody can peng any more
    ("met_next", "i8"),  # bit for each kind that the next seat cannot chi any more
]
"""Fields of a scratch record: what the table shows."""


@kernel
def load_hand(v: Any, p: Any) -> None:
    """Copy the own hand of a VIEW."""
    for k in range(WILD + 1):
        p.hand[0, k] = v.hand[k]
    p.hand_n[0] = v.hand_n[v.seat]
    p.quads[0] = v.quads[v.seat]
    p.melds = v.melds_n[v.seat]
    p.huxi = v.huxi[v.seat]
    p.new_n = 0


@kernel
def lay_tiles(p: Any, kind: int, copies: int) -> None:
    """Count tiles of a kind that go into melds."""
    p.laid[0] += copies * is_red(kind)
    p.laid[1 if kind >= RANKS else 2] += copies


@kernel
def lay_group(p: Any, kind: int, shape: int, sign: int) -> None:
    """Count the tiles of a chi or bi group."""
    lay_tiles(p, kind, sign)
    lay_tiles(p, partner(kind, shape, 0), sign)
    lay_tiles(p, partner(kind, shape, 1), sign)
    p.chis += sign


@kernel
def push_meld(p: Any, meld_type: int, kind: int, shape: int, sign: int) -> None:
    """Note a meld that is being tried; with `sign` -1 forget the last one."""
    n = p.new_n
    if sign > 0:
        p.new[n, 0] = meld_type
        p.new[n, 1] = kind
        p.new[n, 2] = shape
    p.new_n = n + sign
    p.melds += sign


@kernel
def load_melds(v: Any, p: Any) -> None:
    """Count the tiles of the own melds."""
    s = v.seat
    p.laid[:] = 0
    p.chis = 0
    for m in range(v.melds_n[s]):
        meld_type = v.meld_type[s, m]
        if meld_type == CHI_MELD:
            lay_group(p, v.meld_kind[s, m], v.meld_shape[s, m], 1)
        else:
            lay_tiles(p, v.meld_kind[s, m], 3 + (PAO_MELD <= meld_type <= TI))


@kernel
def set_rows(r: Any, p: Any) -> None:
    """Sum the hand up: rows, kan, pairs."""
    p.rows[0, 0] = 0
    p.rows[0, 1] = 0
    p.kans = 0
    p.kan_huxi = 0
    p.pairs = 0
    for k in range(KINDS):
        n = p.hand[0, k]
        if n == 3:
            p.kans += 1
            p.kan_huxi += r.huxi[H_KAN, k]
        elif n:
            p.rows[0, k // RANKS] += n << 2 * (k % RANKS)
            if n == 2:
                p.pairs |= 1 << k


@kernel
def move_tile(p: Any, kind: int, copies: int) -> None:
    """Put so many copies of a kind into the hand; a negative number takes them away."""
    p.hand[0, kind] += copies
    p.hand_n[0] += copies


@kernel
def move_peng(r: Any, p: Any, kind: int, sign: int) -> None:
    """Lay a peng of `kind` with two tiles of the hand; with `sign` -1 take it back."""
    move_tile(p, kind, -2 * sign)
    lay_tiles(p, kind, 3 * sign)
    push_meld(p, PENG_MELD, kind, 0, sign)
    p.huxi += sign * r.huxi[H_PENG, kind]


@kernel
def move_chi(r: Any, p: Any, kind: int, shape: int, from_hand: int, sign: int) -> None:
    """Lay the group of `kind` in `shape`, a chi or with `from_hand` 1 a bi; with `sign` -1 take it back."""
    move_tile(p, partner(kind, shape, 0), -sign)
    move_tile(p, partner(kind, shape, 1), -sign)
    if from_hand:
        move_tile(p, kind, -sign)
    lay_group(p, kind, shape, sign)
    push_meld(p, CHI_MELD, kind, shape, sign)
    p.huxi += sign * group_huxi(r, kind, shape)


# --- what the table shows ---------------------------------------------------------------------------------------------


@kernel
def count_unseen(v: Any, r: Any, p: Any) -> None:
    """How many tiles of each kind lie where the seat cannot see them (as `core.observe.put_unseen`)."""
    for k in range(KINDS):
        gone = v.spent[0, k] + v.spent[1, k] + v.spent[2, k]
        p.unseen[k] = 4 * (k % RANKS < r.ranks) - v.hand[k] - v.drawn[k] - gone
    if 0 <= v.upcard < KINDS and v.upcard_held and v.seat != v.dealer:
        p.unseen[v.upcard] -= 1
    if 0 <= v.last_shown < KINDS:
        p.unseen[v.last_shown] -= 1


@kernel
def note_met(v: Any, p: Any) -> None:
    """Kinds that were live and left lying: hands only shrink, so who could not take them then cannot later (5.8)."""
    p.met = 0
    p.met_next = 0
    following = v.seat + 1 if v.seat + 1 < v.players else 0
    for s in range(v.players):
        for i in range(v.river_n[s]):
            tile = v.river[s, i]
            p.met |= 1 << (tile & 31)
            if s == v.seat or (s == following and tile >= 32):
                p.met_next |= 1 << (tile & 31)
    p.met_next |= v.discarded[following]


@kernel
def may_hold_pair(v: Any, p: Any, s: int, k: int) -> bool:
    """Whether seat `s` could peng a discard of `k`."""
    return v.dead[s] == 0 and v.cap[s, k] >= 2 and (p.met | v.discarded[s]) >> k & 1 == 0 and p.unseen[k] >= 2


@kernel
def chance_of_chi(p: Any, k: int, q: float) -> float:
    """The chance that a hand with a share `q` of the unseen tiles has two that go with `k`."""
    miss = 1.0
    for shape in range(SHAPES):
        a = partner(k, shape, 0)
        if a != NO_TILE:
            b = partner(k, shape, 1)
            n = p.unseen[a]
            if a == b:
                miss *= 1.0 - n * (n - 1) / 2 * q * q
            else:
                miss *= 1.0 - min(n * q, 0.9) * min(p.unseen[b] * q, 0.9)
    return 1.0 - max(miss, 0.0)
