"""The own hand of a VIEW as compiled players try it: what stays after a discard, a peng, a chi and its bi.

A record of OWN_HAND looks to `core.chi` like a game of one seat, so that the groups which may follow a chi are those
of the rules.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.melds import group_huxi
from paohuzi_env.core.state import CHI_MELD, H_KAN, H_PENG, PAO_MELD, PENG_MELD, TI
from paohuzi_env.core.tiles import KINDS, RANKS, WILD, is_red, partner

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
            lay_tiles(p, v.meld_kind[s, m], 4 if meld_type == PAO_MELD or meld_type == TI else 3)


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
