"""Arrangements of unseen tiles, counted and drawn exactly: the way of `core.determinize` that always ends.

Kinds are independent of each other but for the sizes of the hands and the hidden wei, so the ways for the kinds from k
on are a sum over what can be done with kind k. `fill_table` sums them from the last kind down, `walk_table` draws an
arrangement by going up. It costs some 0.2 ms, once a view; the fast way is tried first.

Limits that tie kinds together are not in the table: a hand that is all kan but for one pair (see `core.hidden`) is a
*mode* with a table of its own, and the limit of rules 2.2 on kan is left to the caller.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.rng import advance, mix
from paohuzi_env.core.tiles import KINDS, WILD

S11: Final = np.uint64(11)


@kernel
def unit(word: Any) -> float:
    """A number in 0..1, below 1, from a state word."""
    return float(mix(word) >> S11) * 2.0**-53


@kernel
def may_hold(h: Any, i: int, k: int, copies: int, mode: int) -> bool:
    """Whether the hand of slot `i` can hold so many of a kind."""
    if k == WILD:
        return True
    if copies > h.cap[i, k]:
        return False
    pair = copies == 2 and h.no_pair >> k & 1
    if mode >> i & 1:
        return copies == 0 or copies == 3 or pair
    if h.dead[i]:
        return copies == 0 or copies == 3
    return not pair


@kernel
def add_options(h: Any, k: int, wei: int, left: int, held: int, ways: float, mode: int) -> None:
    """Add the ways to divide `left` unseen tiles of a kind; `held` is the slot that holds one more already, or -1."""
    for a in range(left + 1):
        for b in range(left + 1 - a):
            own_a = a + (held == 0)
            own_b = b + (held == 1)
            if wei >= 0 and (a if h.wei_slot[wei] == 0 else b) > 0:  # all that its seat held lies in the wei
                continue
            if may_hold(h, 0, k, own_a, mode) and may_hold(h, 1, k, own_b, mode):
                n = h.options
                h.option_wei[n] = wei
                h.option_take[n, 0] = own_a
                h.option_take[n, 1] = own_b
                h.option_ways[n] = ways * h.binomial[left, a] * h.binomial[left - a, b]
                h.options = n + 1


@kernel
def list_options(h: Any, k: int, mode: int) -> None:
    """What can be done with the unseen tiles of kind `k`."""
    h.options = 0
    n = h.unseen[k]
    add_options(h, k, -1, n, h.pin_slot if k == h.pin_kind else -1, 1.0, mode)
    for m in range(h.weis):
        if k < KINDS and h.wei_can[m] >> k & 1:
            pinned = k == h.pin_kind
            if not pinned or h.wei_slot[m] == h.pin_slot:
                add_options(h, k, m, n - 3 + pinned, -1, wei_ways(n, pinned), mode)
            elif n >= 3:  # another seat's wei beside the upcard: four of a kind
                add_options(h, k, m, n - 3, h.pin_slot, wei_ways(n, 0), mode)


@kernel
def wei_ways(unseen: int, pinned: int) -> float:
    """Ways to choose the two hand tiles and the drawn tile of a wei; with `pinned` one hand tile is the upcard."""
    if pinned:
        return float(unseen * (unseen - 1))
    return unseen * (unseen - 1) * (unseen - 2) / 2.0


@kernel
def fill_table(h: Any, mode: int) -> float:
    """Fill `h.table` for a mode; all ways are returned."""
    rows, columns = h.need[0] + 1, h.need[1] + 1
    masks = 1 << h.weis
    end = KINDS + 1
    for mask in range(masks):
        for a in range(rows):
            for b in range(columns):
                h.table[end, mask, a, b] = 0.0
    h.table[end, 0, 0, 0] = 1.0
    for k in range(KINDS, -1, -1):
        list_options(h, k, mode)
        for mask in range(masks):
            for a in range(rows):
                for b in range(columns):
                    h.table[k, mask, a, b] = 0.0
            for o in range(h.options):
                wei = h.option_wei[o]
                if wei >= 0 and mask >> wei & 1 == 0:
                    continue
                rest = mask if wei < 0 else mask & ~(1 << wei)
                da, db, ways = h.option_take[o, 0], h.option_take[o, 1], h.option_ways[o]
                for a in range(da, rows):
                    for b in range(db, columns):
                        h.table[k, mask, a, b] += ways * h.table[k + 1, rest, a - da, b - db]
    h.mode = mode
    return h.table[0, masks - 1, h.need[0], h.need[1]]


@kernel
def walk_table(h: Any, word: Any) -> Any:
    """Draw hands and wei from the table, which has ways; the word after the last one used is returned."""
    mask, a, b = (1 << h.weis) - 1, h.need[0], h.need[1]
    for k in range(KINDS + 1):
        list_options(h, k, h.mode)
        word = advance(word)
        x = unit(word) * h.table[k, mask, a, b]
        chosen = -1
        for o in range(h.options):
            wei = h.option_wei[o]
            da, db = h.option_take[o, 0], h.option_take[o, 1]
            if (wei < 0 or mask >> wei & 1) and da <= a and db <= b:
                rest = mask if wei < 0 else mask & ~(1 << wei)
                ways = h.option_ways[o] * h.table[k + 1, rest, a - da, b - db]
                if ways > 0.0:
                    chosen = o
                    x -= ways
                    if x < 0.0:
                        break
        wei = h.option_wei[chosen]
        if wei >= 0:
            h.wei_kind[wei] = k
            mask &= ~(1 << wei)
        h.hand[0, k] = h.option_take[chosen, 0]
        h.hand[1, k] = h.option_take[chosen, 1]
        a -= h.option_take[chosen, 0]
        b -= h.option_take[chosen, 1]
    return word


@kernel
def find_modes(h: Any) -> None:
    """Running sums of the ways of each mode."""
    total = 0.0
    for mode in range(4):
        open_to = True
        for i in range(2):
            if mode >> i & 1 and (not h.last_pair[i] or h.dead[i] or h.no_pair == 0):
                open_to = False
        if open_to:
            total += fill_table(h, mode)
        h.mode_sum[mode] = total


@kernel
def draw_exactly(h: Any, word: Any) -> Any:
    """Draw hands and wei, all limits kept that the table knows; `h.mode_sum[3]` is zero where there are none."""
    if h.mode_sum[3] == 0.0:
        find_modes(h)
        if h.mode_sum[3] == 0.0:
            return word
    word = advance(word)
    x = unit(word) * h.mode_sum[3]
    mode = 0
    for other in range(1, 4):
        if h.mode_sum[other] > h.mode_sum[other - 1] and x >= h.mode_sum[other - 1]:
            mode = other
    if mode != h.mode:
        fill_table(h, mode)
    return walk_table(h, word)
