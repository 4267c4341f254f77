"""Determinization: a whole hand that a seat could be sitting in, drawn from its VIEW alone.

The sample gives the same VIEW to the byte and contradicts no forced move; what is known is listed in `core.hidden`.
Passes are no evidence. It is uniform over the arrangements that are left: an arrangement says of every single unseen
tile where it lies, in which hand, in which hidden wei (as one of the two hand tiles or as the drawn one), at which
place of the wall, or in the third hand that lies aside.

Two ways draw it. The *fast* one keeps the limits "none of this kind" exactly, by classes of tiles, and the others by
trying again; after `TRIES` it gives way to the *exact* one of `core.arrange`. Both are uniform, so any mixture is.

What a sample holds beside: own marks as they are; of other seats the kinds they discarded as stale, no stale hu, no
走跑; of the own hidden wei, that the others know it is of no kind that was live or that left the hand. The tiles drawn
so far are not in the wall (NO_TILE); the log is what history the view has, in which others' wei have no kind.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.arrange import draw_exactly, unit, wei_ways
from paohuzi_env.core.claims import next_seat
from paohuzi_env.core.deal import clear, deck_size
from paohuzi_env.core.hidden import CHOICES, HAND, HIDDEN, MEMO, TILES, live_kinds, read_hidden
from paohuzi_env.core.melds import set_hand_sums, unit_huxi
from paohuzi_env.core.rng import advance, below, key
from paohuzi_env.core.state import CHOUWEI, FROM_DISCARD, PENG_MELD, SEATS, WEI, allocate
from paohuzi_env.core.tiles import KINDS, NO_TILE, WILD
from paohuzi_env.core.turn import UPCARD

DRAWN_UP: Final = 0
"""Code of a sample that was drawn; the game is written."""
NOT_ASKED: Final = 1
"""The view is of a seat that has no decision: refused, the game is as it was."""
IMPOSSIBLE: Final = 2
"""No arrangement gives this view: play cannot reach it, or too many wei are hidden."""
EXHAUSTED: Final = 3
"""None was found in `EXACT_TRIES` (limits of rules 2.2 far tighter than any preset's)."""

TRIES: Final = 128
EXACT_TRIES: Final = 10_000


def workspace(threads: int = 1) -> Any:
    """Scratch for determinization, one record for each thread (5 MB, of which a thread seldom touches 40 kB)."""
    works = allocate(threads, HIDDEN)
    for n in range(TILES):
        works["binomial"][:, n, 0] = 1.0
        for k in range(1, min(n, HAND - 1) + 1):
            works["binomial"][:, n, k] = works["binomial"][:, n - 1, k - 1] + works["binomial"][:, n - 1, k]
    return works


# --- the fast way: kinds of the hidden wei ----------------------------------------------------------------------------


@kernel
def completions(h: Any, first: int, both: int, second: int, n: int, m: int) -> float:
    """Ways to take hands of `n` and `m` tiles from tiles open to slot 0 only, to both, and to slot 1 only."""
    ways = 0.0
    for t in range(max(n - first, 0), min(both, n) + 1):
        ways += h.binomial[both, t] * h.binomial[first, n - t] * h.binomial[both - t + second, m]
    return ways


@kernel
def remembered_completions(h: Any) -> float:
    """`completions` of the classes and hands as they are now."""
    first, both, second = h.classes[0], h.classes[1], h.classes[2]
    n, m = h.take[0], h.take[1]
    name = ((first << 6 | both) << 6 | second) << 10 | n << 5 | m
    for i in range(min(h.memo_n, MEMO)):
        if h.memo_key[i] == name:
            return h.memo[i]
    ways = completions(h, first, both, second, n, m)
    h.memo_key[h.memo_n % MEMO] = name
    h.memo[h.memo_n % MEMO] = ways
    h.memo_n += 1
    return ways


@kernel
def set_aside_weis(h: Any, choice: int) -> float:
    """Name the hidden wei by `choice`; what is left for the hands is written, and the ways of the wei returned."""
    for k in range(WILD + 1):
        h.left[k] = h.unseen[k]
        h.room[0, k] = h.cap[0, k]
        h.room[1, k] = h.cap[1, k]
    h.take[0] = h.need[0]
    h.take[1] = h.need[1]
    ways = 1.0
    pinned = h.pin_kind != NO_TILE
    for m in range(h.weis):
        k = choice >> 5 * m & 31
        i = h.wei_slot[m]
        own = pinned and k == h.pin_kind and i == h.pin_slot
        if h.left[k] < 3 - own:
            return 0.0
        ways *= wei_ways(h.left[k], own)
        h.left[k] -= 3 - own
        h.room[i, k] = 0
        h.wei_kind[m] = k
        if own:
            pinned = False
    if pinned:
        i, k = h.pin_slot, h.pin_kind
        h.take[i] -= 1
        h.room[i, k] -= 1
        if h.room[i, k] < 0 or h.take[i] < 0:
            return 0.0
    return ways


@kernel
def count_classes(h: Any) -> None:
    """Sizes of the classes of tiles that are left, by the hands that are open to them."""
    h.classes[0] = 0
    h.classes[1] = 0
    h.classes[2] = 0
    for k in range(WILD + 1):
        if h.room[0, k] > 0:
            h.classes[1 if h.room[1, k] > 0 else 0] += h.left[k]
        elif h.room[1, k] > 0:
            h.classes[2] += h.left[k]


@kernel
def next_choice(h: Any, choice: int) -> int:
    """The choice of kinds after `choice`, the last wei running fastest; -1 after the last."""
    for m in range(h.weis - 1, -1, -1):
        k = (choice >> 5 * m & 31) + 1
        while k < KINDS and h.wei_can[m] >> k & 1 == 0:
            k += 1
        choice &= ~(31 << 5 * m)
        if k < KINDS:
            return choice | k << 5 * m
        choice |= first_kind(h.wei_can[m]) << 5 * m
    return -1


@kernel
def first_kind(bits: int) -> int:
    """The lowest kind of a set that is not empty."""
    k = 0
    while bits >> k & 1 == 0:
        k += 1
    return k


@kernel
def list_choices(h: Any) -> None:
    """All ways to name the hidden wei, with running sums of their weights; none where they are too many."""
    h.choices = 0
    h.memo_n = 0
    choice = 0
    for m in range(h.weis):
        if h.wei_can[m] == 0:
            return
        choice |= first_kind(h.wei_can[m]) << 5 * m
    total = 0.0
    while choice >= 0:
        ways = set_aside_weis(h, choice)
        if ways > 0.0:
            count_classes(h)
            ways *= remembered_completions(h)
        if ways > 0.0:
            if h.choices == CHOICES:
                h.choices = 0
                return
            total += ways
            h.choice[h.choices] = choice
            h.choice_sum[h.choices] = total
            h.choices += 1
        choice = next_choice(h, choice)


@kernel
def fill_pool(h: Any) -> None:
    """The tiles that a hand can take, one by one, in the order of their classes."""
    at = (0, h.classes[0], h.classes[0] + h.classes[1])
    first, both, second = at
    for k in range(WILD + 1):
        n = h.left[k]
        if h.room[0, k] > 0 and h.room[1, k] > 0:
            for j in range(n):
                h.pool[both + j] = k
            both += n
        elif h.room[0, k] > 0:
            for j in range(n):
                h.pool[first + j] = k
            first += n
        elif h.room[1, k] > 0:
            for j in range(n):
                h.pool[second + j] = k
            second += n


@kernel
def name_weis(h: Any, word: Any) -> None:
    """Draw the kinds of the hidden wei and make the pool for the hands."""
    if h.weis > 0:
        x = unit(word) * h.choice_sum[h.choices - 1]
        i = 0
        while i < h.choices - 1 and x >= h.choice_sum[i]:
            i += 1
        set_aside_weis(h, h.choice[i])
        count_classes(h)
        fill_pool(h)


# --- the fast way: hands ----------------------------------------------------------------------------------------------


@kernel
def shared_tiles(h: Any, word: Any) -> int:
    """How many of the tiles open to both hands lie in the first, drawn from its exact distribution."""
    first, both, second = h.classes[0], h.classes[1], h.classes[2]
    n, m = h.take[0], h.take[1]
    if first == 0:
        return n
    low = max(n - first, 0)
    high = min(both, n)
    if low == high:
        return low
    x = unit(word) * remembered_completions(h)
    t = low
    while t < high:
        x -= h.binomial[both, t] * h.binomial[first, n - t] * h.binomial[both - t + second, m]
        if x < 0.0:
            break
        t += 1
    return t


@kernel
def grab(h: Any, slot: int, lo: int, hi: int, n: int, word: Any) -> Any:
    """Move `n` tiles of `draw[lo:hi]` to its front and into a hand; the last word, and whether the hand has room."""
    for i in range(n):
        word = advance(word)
        j = lo + i + below(word, hi - lo - i)
        k = h.draw[j]
        h.draw[j] = h.draw[lo + i]
        h.draw[lo + i] = k
        h.hand[slot, k] += 1
        if h.hand[slot, k] > h.room[slot, k]:
            return word, False
    return word, True


@kernel
def hand_stands(h: Any, i: int) -> bool:
    """Whether the hand of slot `i` keeps the limits that tie kinds together: rules 2.2, and forced pengs (4.5)."""
    kans = 0
    pairs = 0
    others = 0
    for k in range(KINDS):
        n = h.hand[i, k]
        if n == 3:
            kans += 1
        elif n == 2 and h.no_pair >> k & 1:
            pairs += 1
        elif n > 0:
            others += 1
    if kans > max(h.kan_room[i], 0):
        return False
    return pairs == 0 or (pairs == 1 and others == 0 and h.last_pair[i] != 0)


@kernel
def deal_fast(h: Any, word: Any) -> Any:
    """One try: hands and wei; the last word, and whether they stand."""
    word = advance(word)
    name_weis(h, word)
    word = advance(word)
    t = shared_tiles(h, word)
    first = h.classes[0]
    end = first + h.classes[1]
    for i in range(end + h.classes[2]):
        h.draw[i] = h.pool[i]
    for k in range(WILD + 1):
        h.hand[0, k] = 0
        h.hand[1, k] = 0
    word, fits = grab(h, 0, 0, first, h.take[0] - t, word)
    if fits:
        word, fits = grab(h, 0, first, end, t, word)
    if fits:
        word, fits = grab(h, 1, first + t, end + h.classes[2], h.take[1], word)
    if not fits:
        return word, False
    if h.pin_kind != NO_TILE:
        i = h.pin_slot
        if h.take[i] < h.need[i]:
            h.hand[i, h.pin_kind] += 1
    return word, hand_stands(h, 0) and hand_stands(h, 1)


# --- both ways --------------------------------------------------------------------------------------------------------


@kernel
def prepare(v: Any, r: Any, h: Any) -> int:
    """Read a view into the scratch record; a code as above."""
    if v.phase < 0 or v.over:
        return NOT_ASKED
    read_hidden(v, r, h)
    if not h.ok:
        return IMPOSSIBLE
    h.mode = -1
    h.mode_sum[3] = 0.0
    list_choices(h)
    if h.weis == 0 and h.choices == 1:
        set_aside_weis(h, 0)
        count_classes(h)
        fill_pool(h)
    return DRAWN_UP


@kernel
def deal_hidden(h: Any, word: Any) -> Any:
    """Draw hands and wei, one way or the other; the last word and a code."""
    h.exact = 0
    if h.choices > 0 and not h.dead[0] and not h.dead[1]:
        for n in range(TRIES):
            word, fits = deal_fast(h, word)
            if fits:
                h.attempts = n + 1
                return word, DRAWN_UP
    h.exact = 1
    for n in range(EXACT_TRIES):
        word = draw_exactly(h, word)
        if h.mode_sum[3] == 0.0:
            return word, IMPOSSIBLE
        if hand_stands(h, 0) and hand_stands(h, 1):
            h.attempts = n + 1
            return word, DRAWN_UP
    return word, EXHAUSTED


@kernel
def shuffle_rest(h: Any, word: Any) -> Any:
    """What lies in no hand and no wei, in random order, into `h.rest`; the last word is returned."""
    n = 0
    for k in range(WILD + 1):
        left = h.unseen[k] - h.hand[0, k] - h.hand[1, k] + (k == h.pin_kind)
        for m in range(h.weis):
            if h.wei_kind[m] == k:
                left -= 3
        for _ in range(left):
            h.rest[n] = k
            n += 1
    for i in range(h.wall_left):
        word = advance(word)
        j = i + below(word, n - i)
        h.rest[i], h.rest[j] = h.rest[j], h.rest[i]
    return word


# --- writing the game -------------------------------------------------------------------------------------------------


@kernel
def write_decision(v: Any, r: Any, g: Any) -> None:
    """The pending decision of the view's seat."""
    s = v.seat
    g.legal = v.legal
    g.phase = v.phase
    g.actor = s
    g.stage = v.stage
    g.turn = v.turn
    g.live = NO_TILE if v.stage == UPCARD else v.live
    g.source = 0 if v.stage == UPCARD else max(v.source, 0)
    g.bi_kind = v.bi_kind
    g.peng_passed = s if v.peng_passed else -1
    g.huxi_before = v.huxi_before
    g.held_before = v.held_before
    g.clean_before = v.clean_before
    first = v.dealer if v.stage == UPCARD else v.turn
    if v.stage != UPCARD and v.source == FROM_DISCARD:
        first = next_seat(r, first)
    g.asked = (s - first + r.players) % r.players


@kernel
def write_seat(v: Any, r: Any, g: Any, p: int) -> None:
    """What all know of seat `p`: melds, river, counts."""
    g.dead[p] = v.dead[p]
    g.intake[p] = v.intake[p]
    g.wild_draws[p] = v.wild_draws[p]
    g.quads[p] = v.quads[p]
    g.huxi[p] = v.huxi[p]
    g.discarded[p] = v.discarded[p]
    g.stale_peng[p] = v.discarded[p]
    g.stale_chi[p] = v.discarded[p]
    for k in range(KINDS):
        g.cap[p, k] = v.cap[p, k]
    for m in range(v.melds_n[p]):
        g.meld_type[p, m] = v.meld_type[p, m]
        g.meld_kind[p, m] = v.meld_kind[p, m]
        g.meld_shape[p, m] = v.meld_shape[p, m]
        g.meld_from[p, m] = v.meld_from[p, m]
        g.wei_not[p, m] = v.wei_not[p, m]
    g.melds_n[p] = v.melds_n[p]
    for i in range(v.river_n[p]):
        g.river[p, i] = v.river[p, i]
    g.river_n[p] = v.river_n[p]


@kernel
def write_own(v: Any, g: Any) -> None:
    """The view's seat: hand and marks."""
    s = v.seat
    known = live_kinds(v)
    for k in range(KINDS):
        if v.spent[s, k] > 0:
            known |= 1 << k
    for k in range(WILD + 1):
        g.hand[s, k] = v.hand[k]
        g.dealt[s, k] = v.dealt[k]
        g.stale_hu[s, k] = v.stale_hu[k]
    for m in range(v.melds_n[s]):
        if v.meld_type[s, m] == WEI:
            g.drawn[v.meld_kind[s, m]] -= 1
            g.wei_not[s, m] = known & ~(1 << v.meld_kind[s, m])
    g.barred[s] = v.barred
    g.stale_peng[s] = v.stale_peng
    g.stale_chi[s] = v.stale_chi


@kernel
def write_other(r: Any, v: Any, h: Any, g: Any, i: int) -> None:
    """The drawn hand and wei of slot `i`."""
    p = h.seat[i]
    for k in range(KINDS):
        g.hand[p, k] = h.hand[i, k]
        g.dealt[p, k] = h.hand[i, k] + v.spent[p, k]
    g.hand[p, WILD] = h.hand[i, WILD] + h.wild_held[i]
    g.dealt[p, WILD] = g.hand[p, WILD] - v.wild_draws[p]
    for m in range(h.weis):
        if h.wei_slot[m] == i:
            k = h.wei_kind[m]
            g.meld_kind[p, h.wei_meld[m]] = k
            g.huxi[p] += unit_huxi(r, WEI, k)
            g.dealt[p, k] += 2


@kernel
def write_sums(g: Any, r: Any, p: int) -> None:
    """What follows from hand and melds of seat `p`."""
    set_hand_sums(g, r, p)
    for m in range(g.melds_n[p]):
        if g.meld_type[p, m] == PENG_MELD:
            g.peng_kinds[p] |= 1 << g.meld_kind[p, m]
        elif g.meld_type[p, m] <= CHOUWEI:
            g.wei_kinds[p] |= 1 << g.meld_kind[p, m]


@kernel
def write_wall(v: Any, r: Any, h: Any, g: Any, word: Any) -> None:
    """The wall, the tile shown at its end, the third hand, and the upcard."""
    end = deck_size(r) - SEATS * r.hand_size - 1 - r.show_last_tile
    g.wall_end = end
    g.wall_next = end - v.wall_left
    for i in range(len(g.wall)):
        g.wall[i] = NO_TILE
    for i in range(v.wall_left):
        g.wall[g.wall_next + i] = h.rest[i]
    g.last_shown = v.last_shown
    if r.show_last_tile:
        g.wall[end] = v.last_shown
    for k in range(WILD + 1):
        g.hand_aside[k] = 0
    for i in range(h.aside):
        g.hand_aside[h.rest[v.wall_left + i]] += 1
    g.upcard_held = v.upcard_held
    g.upcard = v.upcard
    if v.stage == UPCARD:
        g.upcard = v.live
    elif v.upcard == NO_TILE:  # never shown: any tile that the dealer was dealt
        x = below(word, r.hand_size + 1)
        k = 0
        while x >= g.dealt[v.dealer, k]:
            x -= g.dealt[v.dealer, k]
            k += 1
        g.upcard = k


@kernel
def write_game(v: Any, r: Any, h: Any, g: Any, word: Any) -> None:
    """The whole hand: the view, and what was drawn."""
    clear(g, r, v.dealer, v.drawn_before)
    write_decision(v, r, g)
    g.discards = v.discards
    g.dealer_discards = v.dealer_discards
    for k in range(KINDS):
        g.drawn[k] = v.drawn[k]
    for p in range(v.players, SEATS):
        for k in range(WILD + 1):
            g.hand[p, k] = 0
            g.dealt[p, k] = 0
        set_hand_sums(g, r, p)
    for p in range(v.players):
        write_seat(v, r, g, p)
    write_own(v, g)
    for i in range(h.slots):
        write_other(r, v, h, g, i)
    for p in range(v.players):
        write_sums(g, r, p)
    write_wall(v, r, h, g, word)
    for i in range(v.history_n):
        g.log[i] = v.history[i]
    g.log_n = v.history_n
    g.rng = key(word, 0, 0)


@kernel
def determinize(v: Any, r: Any, h: Any, g: Any, word: Any) -> int:
    """Draw a sample from a view that `prepare` has read into `h`, and write it to `g`; a code as above.

    The same view and word give the same sample, to the byte.
    """
    word, code = deal_hidden(h, word)
    if code == DRAWN_UP:
        word = shuffle_rest(h, word)
        write_game(v, r, h, g, advance(word))
    return code


@entry
def determinize_one(views: Any, j: int, rules: Any, works: Any, games: Any, i: int, word: Any) -> int:
    """A sample of `views[j]` drawn from `word` (uint64), into `games[i]`. Returns a code: 0 drawn, else as it was."""
    code = prepare(views[j], rules[0], works[0])
    if code == DRAWN_UP:
        code = determinize(views[j], rules[0], works[0], games[i], word)
    return code


@entry
def determinize_many(
    views: Any, of: Any, lo: int, hi: int, rules: Any, works: Any, thread: int, games: Any, words: Any, codes: Any
) -> int:
    """Samples i in lo..hi-1: of `views[of[i]]`, from `words[i]` (uint64), into `games[i]`, with its code in `codes[i]`.

    Equal neighbours in `of` are cheaper. The number of samples drawn is returned.
    """
    h = works[thread]
    read = -1
    code = IMPOSSIBLE
    n = 0
    for i in range(lo, hi):
        if of[i] != read:
            read = of[i]
            code = prepare(views[read], rules[0], h)
        codes[i] = code
        if code == DRAWN_UP:
            codes[i] = determinize(views[read], rules[0], h, games[i], words[i])
            n += codes[i] == DRAWN_UP
    return n


@entry
def clone_many(sources: Any, of: Any, lo: int, hi: int, games: Any) -> None:
    """Copy `sources[of[i]]` to `games[i]`, for i in lo..hi-1."""
    for i in range(lo, hi):
        games[i] = sources[of[i]]
