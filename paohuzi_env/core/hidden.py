"""What a seat's VIEW leaves open: which tiles it has not seen, where they can lie, and where they cannot.

`read_hidden` writes it into a HIDDEN record, the scratch pad of `core.determinize`. The other seats' hands are numbered
by *slot* (0, and 1 with three seats), in seat order. What is known of a slot, all of it from public events:

- `cap`: it holds at most so many of a kind (see GAME.cap); a seat whose draw is being shown holds at most one of it.
- A wei whose kind is hidden is of none that the seat laid or discarded from its hand, nor (`wei_not`) of one that it
  then could not hold twice. Nor is it of a kind that was ever live: later it would have become a pao or a ti; and
  before, the seat held both its tiles, so it was asked for peng, passed, and would have laid a chouwei (5.8). Only the
  last wei of a dead hand may be of such a kind: where all the rest is kan, the peng was not legal (4.5).
- Where pengs are forced, it holds no pair of a kind that was live: the first time nobody had it stale. Again, all the
  rest may be kan, so that the peng would have left a discard to owe (4.5).
- A dead hand holds only kan, and wild tiles (6.3).
- The shown upcard, until the dealer lays or discards its kind; the wild tiles that the seat drew.
- The hand as dealt did not win by 2.2. (That quads were laid at the opening is in `cap`.)

What hangs on passes alone is not used: other stale marks, and what a chi of a kind that was live before tells of the
groups that its seat could not complete then.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import COMPILED, kernel
from paohuzi_env.core.state import CHI_MELD, OTHER_DRAW, SEATS, WEI
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, WILD
from paohuzi_env.core.turn import LIVE_CHI, LIVE_HU

HIDDEN_WEIS: Final = 6
"""Most hidden wei of the other seats together; more are never seen, and refused."""
CHOICES: Final = 2048
"""Most ways to name the kinds of the hidden wei that the fast way lists."""
TILES: Final = 64
"""Room for the unseen tiles: at most 62, with wild ones."""
HAND: Final = 22
"""Room for 0..21 tiles of a hand."""
MEMO: Final = 8
OPTIONS: Final = 15 + 3 * HIDDEN_WEIS
KAN_LIMIT: Final = 9
"""More kan than a hand can hold."""

_SMALL: Final = "i1" if COMPILED else "i8"

HIDDEN: Final = np.dtype(
    [
        # -- what the view says
        ("ok", "i8"),  # bool: the numbers of tiles fit
        ("slots", "i8"),  # other seats
        ("seat", "i8", (2,)),  # by slot
        ("need", "i8", (2,)),  # tiles of the hand that are to be found, the shown upcard included
        ("wall_left", "i8"),
        ("aside", "i8"),  # tiles of an unseen third hand
        ("unseen", _SMALL, (21,)),
        ("cap", _SMALL, (2, 21)),
        ("wild_held", "i8", (2,)),  # wild tiles known to be in the hand
        ("pin_kind", "i8"),  # the shown upcard where it lies in another's hand or hidden wei, else NO_TILE
        ("pin_slot", "i8"),
        ("dead", "i8", (2,)),
        ("kan_room", "i8", (2,)),  # most kan that rules 2.2 leave
        ("no_pair", "i8"),  # bit for each kind of which no pair is held, because the peng would have been forced ...
        ("last_pair", "i8", (2,)),  # bool: ... unless all the rest of the hand is kan, which is possible
        # -- hidden wei
        ("weis", "i8"),
        ("wei_slot", "i8", (HIDDEN_WEIS,)),
        ("wei_meld", "i8", (HIDDEN_WEIS,)),
        ("wei_can", "i8", (HIDDEN_WEIS,)),  # bit for each kind that it can be
        # -- the fast way
        ("choices", "i8"),  # ways to name all hidden wei
        ("choice", "i8", (CHOICES,)),  # the kinds, five bits each
        ("choice_sum", "f8", (CHOICES,)),  # running sum of weights
        ("left", _SMALL, (21,)),  # unseen tiles beside those of the hidden wei
        ("room", _SMALL, (2, 21)),  # most of them for each hand
        ("take", "i8", (2,)),  # tiles that each hand takes from them
        ("classes", "i8", (3,)),  # tiles open to slot 0 only, to both, to slot 1 only
        ("pool", _SMALL, (TILES,)),  # the tiles, by class
        ("draw", _SMALL, (TILES,)),
        ("memo_n", "i8"),
        ("memo_key", "i8", (MEMO,)),
        ("memo", "f8", (MEMO,)),
        ("binomial", "f8", (TILES, HAND)),
        # -- the exact way
        ("mode_sum", "f8", (4,)),  # running sum of the ways of each mode; the last is zero while they are not known
        ("mode", "i8"),  # bit for each slot whose hand is kan but for one pair; the mode that `table` is of, or -1
        ("options", "i8"),  # what can be done with one kind: for each ...
        ("option_wei", "i8", (OPTIONS,)),  # the wei that it is, or -1
        ("option_take", "i8", (OPTIONS, 2)),  # how many go to each hand
        ("option_ways", "f8", (OPTIONS,)),
        ("table", "f8", (KINDS + 2, 1 << HIDDEN_WEIS, HAND, HAND)),  # ways for the kinds from k on, by the wei still
        # to be named (a bit each) and the tiles that each hand still takes
        # -- the arrangement
        ("hand", _SMALL, (2, 21)),
        ("wei_kind", "i8", (HIDDEN_WEIS,)),
        ("rest", _SMALL, (TILES,)),  # wall, then the hand aside
        ("attempts", "i8"),  # of the last sample; for measurements
        ("exact", "i8"),  # bool: the last sample came by the exact way; for measurements
    ]
)
"""Scratch of determinization: one for each thread, made by `core.determinize.workspace`."""


@kernel
def live_kinds(v: Any) -> int:
    """Bit for each kind of which a tile was live and its pao and peng windows are over, whoever took it then."""
    bits = 0
    for p in range(v.players):
        for i in range(v.river_n[p]):
            bits |= 1 << (v.river[p, i] & 31)
        for m in range(v.melds_n[p]):
            if v.meld_type[p, m] == CHI_MELD and v.meld_from[p, m] >= 0:
                bits |= 1 << v.meld_kind[p, m]
    if v.live != NO_TILE and v.stage >= LIVE_CHI:
        bits |= 1 << v.live
    return bits


@kernel
def count_unseen(v: Any, r: Any, h: Any) -> None:
    """Tiles that seat `v.seat` has not seen, without those of which it knows where they lie."""
    for k in range(KINDS):
        n = 4 if k % RANKS < r.ranks else 0
        n -= v.hand[k] + v.drawn[k]
        for p in range(v.players):
            n -= v.spent[p, k]
        h.unseen[k] = n
    h.unseen[WILD] = r.wilds - v.hand[WILD]
    for i in range(h.slots):
        h.unseen[WILD] -= h.wild_held[i]
    if v.last_shown != NO_TILE:
        h.unseen[v.last_shown] -= 1
    h.pin_kind = NO_TILE
    h.pin_slot = -1
    if v.upcard_held and v.upcard != WILD and v.dealer != v.seat:
        h.pin_kind = v.upcard
        for i in range(h.slots):
            if h.seat[i] == v.dealer:
                h.pin_slot = i
        h.unseen[v.upcard] -= 1


@kernel
def read_slot(v: Any, r: Any, h: Any, i: int, p: int) -> None:
    """What is known of the hand of seat `p`, slot `i`."""
    h.seat[i] = p
    h.dead[i] = v.dead[p]
    h.wild_held[i] = v.wild_draws[p] + (v.upcard == WILD and p == v.dealer)
    h.need[i] = v.hand_n[p] - h.wild_held[i]
    dealt_alike = 0  # kan and quads of the deal that lie on the table
    for k in range(KINDS):
        h.cap[i, k] = v.cap[p, k]
        dealt_alike += v.spent[p, k] >= 3
    h.cap[i, WILD] = r.wilds
    h.kan_room[i] = KAN_LIMIT
    if r.tian_hu_kans:
        h.kan_room[i] = r.tian_hu_kans - 1 - dealt_alike
    if h.kan_room[i] <= 0:
        for k in range(KINDS):
            h.cap[i, k] = min(h.cap[i, k], 2)
    if r.own_draw_melds and v.source == OTHER_DRAW and p == v.turn and v.stage >= LIVE_HU:
        h.cap[i, v.live] = min(h.cap[i, v.live], 1)


@kernel
def read_forced_pengs(v: Any, r: Any, h: Any, i: int, live: int) -> None:
    """Where pengs are forced: of the `live` kinds slot `i` holds no pair, or one and beside it nothing but kan."""
    p = h.seat[i]
    kans = 0
    for k in range(KINDS):
        kans += h.cap[i, k] == 3 and h.unseen[k] + (k == h.pin_kind) >= 3
    rest = v.hand_n[p] - 2
    owes = rest % 3 == (2 if v.quads[p] > 0 else 0)
    h.last_pair[i] = owes and (r.wilds > 0 or rest <= 3 * min(kans, h.kan_room[i]))
    for k in range(KINDS):
        if live >> k & 1 and h.cap[i, k] < 3:
            paired = h.cap[i, k] == 2 or (h.cap[i, k] == 1 and not r.own_draw_melds)  # as far as pengs are left out
            h.cap[i, k] = 2 if paired and h.last_pair[i] and v.spent[p, k] == 0 else min(h.cap[i, k], 1)


@kernel
def read_weis(v: Any, r: Any, h: Any, i: int, live: int) -> bool:
    """The hidden wei of slot `i` and the kinds that each can be; False where there is no room for so many."""
    p = h.seat[i]
    never = 0
    for k in range(KINDS):
        own = 1 if k == h.pin_kind and i == h.pin_slot else 0
        if v.spent[p, k] > 0 or h.unseen[k] < 3 - own:
            never |= 1 << k
    if v.source == OTHER_DRAW and p == v.turn and v.stage >= LIVE_HU:
        never |= 1 << v.live
    for m in range(v.melds_n[p]):
        if v.meld_type[p, m] == WEI:
            if h.weis == HIDDEN_WEIS:
                return False
            h.wei_slot[h.weis] = i
            h.wei_meld[h.weis] = m
            h.wei_can[h.weis] = ~(never | v.wei_not[p, m] | live) & (1 << KINDS) - 1
            h.weis += 1
    if h.dead[i] and h.weis and h.wei_slot[h.weis - 1] == i:
        m = h.wei_meld[h.weis - 1]
        h.wei_can[h.weis - 1] = ~(never | v.wei_not[p, m]) & (1 << KINDS) - 1
    return True


@kernel
def read_hidden(v: Any, r: Any, h: Any) -> None:
    """Fill the first part of `h` from a view; `h.ok` is False where the view is none that play can reach."""
    h.slots = 0
    for p in range(v.players):
        if p != v.seat:
            read_slot(v, r, h, h.slots, p)
            h.slots += 1
    h.last_pair[0] = 0
    h.last_pair[1] = 0
    for i in range(h.slots, 2):
        h.need[i] = 0
        h.dead[i] = 0
        h.wild_held[i] = 0
        h.kan_room[i] = KAN_LIMIT
        for k in range(WILD + 1):
            h.cap[i, k] = 0
    count_unseen(v, r, h)
    live = live_kinds(v)
    h.no_pair = live if r.forced_peng else 0
    h.weis = 0
    h.ok = 1
    for i in range(h.slots):
        if r.forced_peng:
            read_forced_pengs(v, r, h, i, live)
        if not read_weis(v, r, h, i, live if r.forced_pao else 0):
            h.ok = 0
    h.wall_left = v.wall_left
    h.aside = r.hand_size if v.players < SEATS else 0
    total = -h.wall_left - h.aside - h.need[0] - h.need[1] + (h.pin_kind != NO_TILE) - 3 * h.weis
    for k in range(WILD + 1):
        total += h.unseen[k]
        if h.unseen[k] < 0:
            h.ok = 0
    if total != 0 or h.need[0] < 0 or h.need[1] < 0 or max(h.need[0], h.need[1]) >= HAND:
        h.ok = 0
