"""Dealing: from an order of all tiles to the hand's first decision (rules 2.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.lanes import copy_field
from paohuzi_env.core.melds import set_hand_sums
from paohuzi_env.core.rng import advance, below, key
from paohuzi_env.core.state import DISCARDING, SEATS
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, WILD, is_red
from paohuzi_env.core.turn import open_hand


@kernel
def deck_size(r: Any) -> int:
    """Tiles in the deck: eight of each rank and the wild ones."""
    return 8 * r.ranks + r.wilds


@kernel
def shuffle(r: Any, order: Any, word: Any) -> Any:
    """Fill `order` with the deck in an order drawn from `word`; the word after it is returned."""
    n = 0
    for kind in range(KINDS):
        if kind % RANKS < r.ranks:
            for _ in range(4):
                order[n] = kind
                n += 1
    for _ in range(r.wilds):
        order[n] = WILD
        n += 1
    for last in range(n - 1, 0, -1):
        word = advance(word)
        j = below(word, last + 1)
        order[last], order[j] = order[j], order[last]
    return word


@kernel
def clear(g: Any, r: Any, dealer: int, drawn_before: int) -> None:
    """Every field as it is before the deal, but for `rng`."""
    g.legal = 0
    g.phase = DISCARDING
    g.actor = -1
    g.stage = 0
    g.asked = 0
    g.turn = dealer
    g.live = NO_TILE
    g.source = 0
    g.bi_kind = NO_TILE
    g.peng_passed = -1
    g.huxi_before = 0
    g.held_before = 0
    g.clean_before = 0
    g.dealer = dealer
    g.wall_next = 0
    g.discards = 0
    g.dealer_discards = 0
    g.drawn_before = drawn_before
    g.melds_n[:] = 0
    g.quads[:] = 0
    g.dead[:] = 0
    g.barred[:] = 0
    g.intake[:] = 0
    g.wild_draws[:] = 0
    g.river_n[:] = 0
    g.huxi[:] = 0
    g.peng_kinds[:] = 0
    g.wei_kinds[:] = 0
    g.stale_peng[:] = 0
    g.stale_chi[:] = 0
    g.discarded[:] = 0
    g.cap[:] = 3  # four alike are laid at the opening
    g.meld_type[:] = 0
    g.meld_kind[:] = 0
    g.meld_shape[:] = 0
    g.meld_from[:] = 0
    g.wei_not[:] = 0
    g.drawn[:] = 0
    g.stale_hu[:] = -1
    g.river[:] = 0
    g.winner = -1
    g.win_kind = NO_TILE
    g.win_source = -1
    g.fault_seat = -1
    g.fault_kind = 0
    g.win_huxi = 0
    g.fan = 0
    g.deng = 0
    g.base = 0
    g.patterns = 0
    g.scores[:] = 0
    g.log[: g.log_n] = 0
    g.log_n = 0


@kernel
def hold_last_tile(g: Any, r: Any, wall: int) -> None:
    """Show the wall's last tile; red ones go to the top of the wall while a black one remains (10.4)."""
    black = False
    for i in range(wall):
        black = black or not is_red(g.wall[i])
    while black and is_red(g.wall[wall - 1]):
        last = g.wall[wall - 1]
        for i in range(wall - 1, 0, -1):
            g.wall[i] = g.wall[i - 1]
        g.wall[0] = last
    g.last_shown = g.wall[wall - 1]
    g.wall_end = wall - 1


@kernel
def lay_out(g: Any, r: Any, order: Any, dealer: int, drawn_before: int) -> None:
    """Put the tiles of `order` in place: the hands by seat (an unseen third one with two seats), upcard, wall."""
    clear(g, r, dealer, drawn_before)
    g.hand[:] = 0
    g.hand_aside[:] = 0
    n = 0
    for s in range(SEATS):
        for _ in range(r.hand_size):
            if s < r.players:
                g.hand[s, order[n]] += 1
            else:
                g.hand_aside[order[n]] += 1
            n += 1
    g.upcard = order[n]
    g.hand[dealer, g.upcard] += 1
    g.upcard_held = r.show_upcard
    n += 1
    wall = deck_size(r) - n
    g.wall[:] = NO_TILE
    for i in range(wall):
        g.wall[i] = order[n + i]
    g.wall_end = wall
    g.last_shown = NO_TILE
    if r.show_last_tile:
        hold_last_tile(g, r, wall)
    for s in range(SEATS):
        set_hand_sums(g, r, s)
    copy_field(g.dealt, g.hand)


@kernel
def deal_seeded(g: Any, r: Any, e: Any, order: Any, word: Any, dealer: int, drawn_before: int) -> None:
    """Deal a shuffled hand and play to its first decision. A `dealer` below zero is drawn from the word too."""
    word = shuffle(r, order, word)
    if dealer < 0:
        word = advance(word)
        dealer = below(word, r.players)
    lay_out(g, r, order, dealer, drawn_before)
    g.rng = advance(word)
    open_hand(g, r, e)


@entry
def deal_order(
    games: Any, i: int, rules: Any, evals: Any, order: Any, dealer: int, drawn_before: int
) -> None:
    """Deal game `i` from a given order of all tiles and play to its first decision."""
    g = games[i]
    lay_out(g, rules[0], order, dealer, drawn_before)
    g.rng = np.uint64(0)
    open_hand(g, rules[0], evals[0])


@entry
def deal_key(
    games: Any, i: int, rules: Any, evals: Any, order: Any, seed: Any, stream: int, index: int, dealer: int,
    drawn_before: int,
) -> None:  # fmt: skip
    """Deal game `i` as hand `index` of `stream` under `seed` (uint64); a `dealer` below zero is drawn too."""
    deal_seeded(games[i], rules[0], evals[0], order, key(seed, stream, index), dealer, drawn_before)
