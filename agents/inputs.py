"""What a network is given: a VIEW as the list of inputs that are on.

Every input is 0 or 1, so a position is the list of the inputs that are 1 (about 95 of them), and a first layer is a
sum of so many rows. Counts are thermometers ("at least n") or one-hot; seats are relative to the observer. `SECTIONS`
is the index table. This is the one place that knows the encoding: rollouts, learning and play all read the lists that
`encode` writes.

It holds nothing that the VIEW does not. What is derived (waits, distances, what a discard or claim would leave)
spares a network the arithmetic; and what the heuristic player would do, so that a network begins with its judgement
and learns where to do better.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import NOTHING, THOUGHTS, heuristic_policy, leading, weigh
from agents.own_hand import count_unseen
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import CHI, HU, NUM_ACTIONS, PAO, PENG
from paohuzi_env.core.distance import distance, progress_table
from paohuzi_env.core.features import place_own
from paohuzi_env.core.observe import relative
from paohuzi_env.core.state import (
    BI_WINDOW,
    CHI_MELD,
    DISCARDING,
    FROM_DISCARD,
    OTHER_DRAW,
    OWN_DRAW,
    SEATS,
    TI,
    WEI,
)
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, SHAPES, WILD, is_red, partner
from paohuzi_env.core.waits import WAITS, waits_of
from paohuzi_env.rules import RuleSet

ENCODING_VERSION: Final = 2
"""Raised whenever the meaning of an input changes: a network of another version is refused."""

MOST_ACTIVE: Final = 448
"""Room for the inputs that are on: more than can be at once in any rule set (a test adds it up); 160 is much."""

ADVISED: Final = 3
"""Choices of the heuristic player that are told."""
LEAST_WORTH: Final = 0.05
"""Points: what is worth less to the heuristic player is told as this."""


class Section(NamedTuple):
    """Inputs `start` .. `start + size - 1`."""

    start: int
    size: int
    name: str
    meaning: str


_LAYOUT: Final = (
    ("hand", 4 * KINDS, "the own hand holds at least 1..4 of the kind"),
    ("melds", SEATS * 4 * KINDS, "by seat: peng, wei or chouwei, pao, ti of the kind (kinds of hidden wei left out)"),
    ("chi", SEATS * 3 * KINDS, "by seat: at least 1..3 tiles of the kind lie in chi and bi groups"),
    ("hidden_wei", 2 * 2, "next, previous: at least 1, 2 wei whose kind is not known"),
    ("draws", SEATS * KINDS, "by seat: an untaken draw of the kind"),
    ("discarded", SEATS * KINDS, "by seat: it has discarded the kind"),
    ("recent", SEATS * 2 * KINDS, "by seat: the kind is the latest, the last but one tile of its river"),
    ("live", KINDS, "the live tile, or the tile to win on"),
    ("live_seat", SEATS, "whose draw or discard that is"),
    ("live_source", 4, "how it came: concealed draw, draw, upcard, discard"),
    ("upcard_held", KINDS, "the shown upcard while it is still held"),
    ("last_shown", KINDS, "the tile shown at the wall's end"),
    ("window", 6, "what is asked"),
    ("bi", KINDS, "the kind of which copies must still be laid"),
    ("unseen", 4 * KINDS, "exactly 1..4 of the kind are unseen"),
    ("cap", 2 * 3 * KINDS, "next, previous: it can hold 0, at most 1, at most 2 of the kind, of which more are unseen"),
    ("wall_left", st.WALL + 1, "tiles that can still be drawn, one-hot"),
    ("hand_n", SEATS * 24, "by seat: concealed tiles, one-hot"),
    ("dealer", SEATS, "the dealer"),
    ("turn", SEATS, "who drew, melded or discarded last"),
    ("stale", 3 * KINDS, "no peng, no chi, no hu on a kind that is live or can still come"),
    ("barred", 1, "passed a pao and may not win"),
    ("dead", SEATS, "dead hands"),
    ("table_huxi", SEATS * 12, "by seat: huxi of its melds at least 3, 6, .. 36"),
    ("own_huxi", 40, "huxi of own melds and kan, one-hot"),
    ("free_intake", SEATS, "the next intake needs no discard"),
    ("undiscarded", 1, "the dealer has not discarded yet"),
    ("drawn_before", 4, "at least 1..4 drawn hands just before"),
    ("wilds", 4, "at least 1..4 wild tiles in the hand"),
    ("reds", 24, "red tiles of the own hand and melds, one-hot"),
    ("offered", NUM_ACTIONS - CHI, "legal actions from chi on"),
    ("distance", 12, "fewest tiles that must still come, one-hot"),
    ("waits", 2 * KINDS, "the kind wins: as an own draw, as another's"),
    ("wait_tiles", 6, "unseen tiles that win as another's draw: at least 1, 2, 3, 4, 6, 8"),
    ("keeps", KINDS, "discards that leave the distance as small as any does"),
    ("leaves_wait", 4 * KINDS, "discards that leave a wait on at least 1, 2, 4, 6 unseen tiles"),
    ("claim_nearer", SHAPES + 1, "chi by shape, peng: shortens the distance"),
    ("claim_further", SHAPES + 1, "chi by shape, peng: lengthens the distance"),
    ("advised", ADVISED * NUM_ACTIONS, "the heuristic player's first, second, third choice"),
    ("behind", (ADVISED - 1) * 8, "by how much less than the first the second, third is worth to it, one-hot"),
    ("worth", 20, "points that the first is worth to it, one-hot by their logarithm"),
)


def _sections() -> tuple[Section, ...]:
    rows = []
    start = 0
    for name, size, meaning in _LAYOUT:
        rows.append(Section(start, size, name, meaning))
        start += size
    return tuple(rows)


SECTIONS: Final = _sections()
"""The index table: where each section starts, how many inputs it has, what they mean."""
_START: Final = {section.name: section.start for section in SECTIONS}
NUM_INPUTS: Final = SECTIONS[-1].start + SECTIONS[-1].size

HAND: Final = _START["hand"]
MELDS_OF: Final = _START["melds"]
CHI_OF: Final = _START["chi"]
HIDDEN_WEI: Final = _START["hidden_wei"]
DRAWS: Final = _START["draws"]
DISCARDED: Final = _START["discarded"]
RECENT: Final = _START["recent"]
LIVE: Final = _START["live"]
LIVE_SEAT: Final = _START["live_seat"]
LIVE_SOURCE: Final = _START["live_source"]
UPCARD_HELD: Final = _START["upcard_held"]
LAST_SHOWN: Final = _START["last_shown"]
WINDOW: Final = _START["window"]
BI: Final = _START["bi"]
UNSEEN: Final = _START["unseen"]
CAP: Final = _START["cap"]
WALL_LEFT: Final = _START["wall_left"]
HAND_N: Final = _START["hand_n"]
DEALER: Final = _START["dealer"]
TURN: Final = _START["turn"]
STALE: Final = _START["stale"]
BARRED: Final = _START["barred"]
DEAD: Final = _START["dead"]
TABLE_HUXI: Final = _START["table_huxi"]
OWN_HUXI: Final = _START["own_huxi"]
FREE_INTAKE: Final = _START["free_intake"]
UNDISCARDED: Final = _START["undiscarded"]
DRAWN_BEFORE: Final = _START["drawn_before"]
WILDS: Final = _START["wilds"]
REDS: Final = _START["reds"]
OFFERED: Final = _START["offered"]
DISTANCE: Final = _START["distance"]
WAITS_ON: Final = _START["waits"]
WAIT_TILES: Final = _START["wait_tiles"]
KEEPS: Final = _START["keeps"]
LEAVES_WAIT: Final = _START["leaves_wait"]
NEARER: Final = _START["claim_nearer"]
FURTHER: Final = _START["claim_further"]
ADVICE: Final = _START["advised"]
BEHIND: Final = _START["behind"]
WORTH: Final = _START["worth"]

PAD: Final = np.dtype(
    [
        ("game", st.allocate(0, st.GAME).dtype),  # the own hand, placed in seat 0
        ("eval", st.allocate(0, st.EVAL).dtype),
        ("waits", st.allocate(0, WAITS).dtype),
        ("thoughts", st.allocate(0, THOUGHTS).dtype),  # the heuristic player's
        ("unseen", "i8", (KINDS,)),
        ("chi", "i8", (KINDS,)),
        ("n", "i8"),
        ("active", "i2", (MOST_ACTIVE,)),  # the answer: inputs that are on, `n` of them
    ],
    align=True,
)
"""Scratch of `encode`, and where its answer is."""


# --- what is on ---------------------------------------------------------------------------------------------------


@kernel
def on(p: Any, index: int) -> None:
    """Switch an input on."""
    p.active[p.n] = index
    p.n += 1


@kernel
def at_least(p: Any, start: int, stride: int, value: int, most: int) -> None:
    """A thermometer: inputs `start`, `start + stride`, … of which the n-th says "at least n"."""
    for n in range(min(value, most)):
        on(p, start + n * stride)


@kernel
def one_hot(p: Any, start: int, size: int, value: int) -> None:
    """The input of a number; the last one stands for all beyond."""
    on(p, start + min(max(value, 0), size - 1))


@kernel
def put_tiles(v: Any, r: Any, p: Any) -> None:
    """Own hand, unseen tiles, stale kinds, the tiles that are shown one by one."""
    huxi = v.huxi[v.seat]
    for k in range(KINDS):
        at_least(p, HAND + k, KINDS, v.hand[k], 4)
        if p.unseen[k] > 0:
            on(p, UNSEEN + (p.unseen[k] - 1) * KINDS + k)
        if p.unseen[k] > 0 or k == v.live:
            if v.stale_peng >> k & 1:
                on(p, STALE + k)
            if v.stale_chi >> k & 1:
                on(p, STALE + KINDS + k)
            if v.stale_hu[k] == huxi:
                on(p, STALE + 2 * KINDS + k)
    if 0 <= v.live < KINDS:
        on(p, LIVE + v.live)
    if 0 <= v.upcard < KINDS and v.upcard_held:
        on(p, UPCARD_HELD + v.upcard)
    if 0 <= v.last_shown < KINDS:
        on(p, LAST_SHOWN + v.last_shown)
    if v.bi_kind >= 0:
        on(p, BI + v.bi_kind)
    at_least(p, WILDS, 1, v.hand[WILD], 4)


@kernel
def put_melds(v: Any, p: Any, s: int, rel: int) -> None:
    """The melds of seat `s`."""
    hidden = 0
    p.chi[:] = 0
    for m in range(v.melds_n[s]):
        meld_type = v.meld_type[s, m]
        kind = v.meld_kind[s, m]
        if kind == NO_TILE:
            hidden += 1
        elif meld_type == CHI_MELD:
            shape = v.meld_shape[s, m]
            p.chi[kind] += 1
            p.chi[partner(kind, shape, 0)] += 1
            p.chi[partner(kind, shape, 1)] += 1
        else:
            column = meld_type - 1 if meld_type <= WEI else meld_type - 2  # a chouwei counts as a wei
            on(p, MELDS_OF + (rel * 4 + column) * KINDS + kind)
    for k in range(KINDS):
        at_least(p, CHI_OF + rel * 3 * KINDS + k, KINDS, p.chi[k], 3)
    if rel > 0:
        at_least(p, HIDDEN_WEI + (rel - 1) * 2, 1, hidden, 2)


@kernel
def put_river(v: Any, p: Any, s: int, rel: int) -> None:
    """The river of seat `s`, and the kinds that it has ever discarded."""
    n = v.river_n[s]
    drawn = 0
    for i in range(n):
        tile = v.river[s, i]
        if tile >= 32:
            drawn |= 1 << (tile & 31)
    for k in range(KINDS):
        if drawn >> k & 1:
            on(p, DRAWS + rel * KINDS + k)
        if v.discarded[s] >> k & 1:
            on(p, DISCARDED + rel * KINDS + k)
    for back in range(min(n, 2)):
        kind = v.river[s, n - 1 - back] & 31
        if kind < KINDS:
            on(p, RECENT + (rel * 2 + back) * KINDS + kind)


@kernel
def put_seat(v: Any, p: Any, s: int, rel: int) -> None:
    """Numbers and marks of seat `s`."""
    one_hot(p, HAND_N + rel * 24, 24, v.hand_n[s])
    at_least(p, TABLE_HUXI + rel * 12, 1, v.huxi[s] // 3, 12)
    if v.dead[s]:
        on(p, DEAD + rel)
    if v.quads[s] > 0 and v.hand_n[s] % 3 == 0:
        on(p, FREE_INTAKE + rel)
    if rel > 0:
        for k in range(KINDS):
            for most in range(3):
                if v.cap[s, k] <= most < p.unseen[k]:
                    on(p, CAP + ((rel - 1) * 3 + most) * KINDS + k)


@kernel
def put_moment(v: Any, p: Any) -> None:
    """What is asked, and where the hand stands."""
    on(p, DEALER + relative(v, v.dealer))
    on(p, TURN + relative(v, v.turn))
    one_hot(p, WALL_LEFT, st.WALL + 1, v.wall_left)
    one_hot(p, OWN_HUXI, 40, v.huxi[v.seat] + v.kan_huxi)
    at_least(p, DRAWN_BEFORE, 1, v.drawn_before, 4)
    if v.barred:
        on(p, BARRED)
    if v.dealer_discards == 0:
        on(p, UNDISCARDED)
    if v.phase >= 0:
        on(p, WINDOW + v.phase)
    for a in range(CHI, NUM_ACTIONS):
        if v.legal >> a & 1:
            on(p, OFFERED + a - CHI)
    if v.source >= 0:
        on(p, LIVE_SEAT + relative(v, v.turn))
        if v.source == OWN_DRAW:
            on(p, LIVE_SOURCE)
        elif v.source == OTHER_DRAW:
            on(p, LIVE_SOURCE + 1)
        elif v.source == FROM_DISCARD:
            on(p, LIVE_SOURCE + 3)
        else:
            on(p, LIVE_SOURCE + 2)


@kernel
def put_reds(v: Any, p: Any) -> None:
    """How many red tiles the observer has, in its hand and before it."""
    reds = 0
    s = v.seat
    for k in range(KINDS):
        reds += is_red(k) * v.hand[k]
    for m in range(v.melds_n[s]):
        kind = v.meld_kind[s, m]
        meld_type = v.meld_type[s, m]
        if meld_type == CHI_MELD:
            shape = v.meld_shape[s, m]
            reds += is_red(kind) + is_red(partner(kind, shape, 0)) + is_red(partner(kind, shape, 1))
        else:
            reds += is_red(kind) * (4 if meld_type >= TI - 1 else 3)
    one_hot(p, REDS, 24, reds)


# --- what is derived ----------------------------------------------------------------------------------------------


@kernel
def doors_left(r: Any, g: Any) -> int:
    """Doors that the hand of seat 0 still has to make."""
    return int(max(r.doors - g.melds_n[0] - g.kans[0], 0))


@kernel
def winning_tiles(r: Any, p: Any) -> int:
    """Find the waits of the placed hand; the unseen tiles that win as another's draw."""
    waits_of(p.game, r, p.eval, 0, p.waits)
    tiles = 0
    for k in range(KINDS):
        if p.waits.kinds[OTHER_DRAW] >> k & 1:
            tiles += p.unseen[k]
    return tiles


@kernel
def put_waits(v: Any, r: Any, p: Any) -> None:
    """What the hand waits for, as it is."""
    tiles = winning_tiles(r, p)
    for k in range(KINDS):
        if p.waits.kinds[OWN_DRAW] >> k & 1:
            on(p, WAITS_ON + k)
        if p.waits.kinds[OTHER_DRAW] >> k & 1:
            on(p, WAITS_ON + KINDS + k)
    at_least(p, WAIT_TILES, 1, tiles, 4)
    if tiles >= 6:
        on(p, WAIT_TILES + 4)
    if tiles >= 8:
        on(p, WAIT_TILES + 5)


@kernel
def put_discards(v: Any, r: Any, p: Any, table: Any, may_win: int) -> None:
    """What each discard would leave: the distance, and where that is one tile the wait.

    Who holds a wild tile wins on own draws only (rules 10.5), so then no other's tile is waited for.
    """
    g = p.game
    doors = doors_left(r, g)
    quad = g.quads[0] > 0
    best = 99
    for k in range(KINDS):
        p.chi[k] = 99
        if v.legal >> k & 1:
            g.rows[0, k // RANKS] -= 1 << 2 * (k % RANKS)
            p.chi[k] = distance(table, g.rows[0, 0], g.rows[0, 1], doors, quad)
            g.rows[0, k // RANKS] += 1 << 2 * (k % RANKS)
            best = min(best, p.chi[k])
    for k in range(KINDS):
        if v.legal >> k & 1 and p.chi[k] == best:
            on(p, KEEPS + k)
            if may_win and best <= 1 and v.hand[WILD] == 0:
                g.hand[0, k] -= 1
                g.hand_n[0] -= 1
                g.rows[0, k // RANKS] -= 1 << 2 * (k % RANKS)
                tiles = winning_tiles(r, p)
                g.rows[0, k // RANKS] += 1 << 2 * (k % RANKS)
                g.hand_n[0] += 1
                g.hand[0, k] += 1
                at_least(p, LEAVES_WAIT + k, KINDS, tiles, 2)
                at_least(p, LEAVES_WAIT + 2 * KINDS + k, KINDS, tiles // 2 - 1, 2)


@kernel
def without(g: Any, kind: int) -> bool:
    """Take a tile of `kind` out of the rows of seat 0; False where there is none outside its kan."""
    if g.rows[0, kind // RANKS] >> 2 * (kind % RANKS) & 3 == 0:
        return False
    g.rows[0, kind // RANKS] -= 1 << 2 * (kind % RANKS)
    return True


@kernel
def put_claims(v: Any, r: Any, p: Any, table: Any, now: int) -> None:
    """Whether each chi, bi or peng that is offered brings the hand nearer to complete."""
    g = p.game
    small = g.rows[0, 0]
    large = g.rows[0, 1]
    kind = v.bi_kind if v.phase == BI_WINDOW else v.live
    doors = max(doors_left(r, g) - 1, 0)
    for c in range(SHAPES + 1):
        if v.legal >> (CHI + c) & 1 == 0:
            continue
        if c == PENG - CHI:
            done = without(g, kind) and without(g, kind)
        else:
            done = without(g, partner(kind, c, 0)) and without(g, partner(kind, c, 1))
            if v.phase == BI_WINDOW:
                done = done and without(g, kind)
        after = distance(table, g.rows[0, 0], g.rows[0, 1], doors, g.quads[0] > 0)
        g.rows[0, 0] = small
        g.rows[0, 1] = large
        if done and after < now:
            on(p, NEARER + c)
        if done and after > now:
            on(p, FURTHER + c)


@kernel
def put_derived(v: Any, r: Any, p: Any, table: Any) -> None:
    """Distances and waits; waits only where one tile can complete the hand, so that most positions skip them."""
    g = p.game
    place_own(v, r, g)
    e = p.eval
    e.last_tile = v.wall_left == 1 and r.show_last_tile == 0
    e.no_intake = v.intake[v.seat] == 0
    e.drawn_before = v.drawn_before
    now = distance(table, g.rows[0, 0], g.rows[0, 1], doors_left(r, g), g.quads[0] > 0)
    one_hot(p, DISTANCE, 12, now)
    may_win = v.dead[v.seat] == 0 and v.barred == 0
    if v.phase == DISCARDING:
        put_discards(v, r, p, table, may_win)
        return
    if may_win and now <= 1 + v.hand[WILD]:
        put_waits(v, r, p)
    put_claims(v, r, p, table, now)


@kernel
def put_advice(v: Any, r: Any, p: Any, data: Any) -> None:
    """What the heuristic player would do: its choices, by how much it prefers the first, and what that is worth."""
    if v.legal >> HU & 1:
        on(p, ADVICE + HU)
        return
    if v.legal >> PAO & 1:
        on(p, ADVICE + PAO)
        return
    weigh(v, r, data, p.thoughts)
    worth = p.thoughts.action_worth
    legal = v.legal
    first = 0.0
    for n in range(ADVISED):
        a = leading(legal, worth)
        if a < 0 or worth[a] == NOTHING:
            return
        on(p, ADVICE + n * NUM_ACTIONS + a)
        legal &= ~(1 << a)
        if n == 0:
            first = max(worth[a], LEAST_WORTH)
            one_hot(p, WORTH, 20, int(2.0 * np.log(first / LEAST_WORTH)))
        else:  # 0: less than 1/64 behind, 7: all of it
            one_hot(p, BEHIND + (n - 1) * 8, 8, int(np.log2(max(64.0 * (first - worth[a]) / first, 0.5)) + 1.0))


def input_tables(rules: RuleSet) -> tuple[NDArray[Any], ...]:
    """The tables that `encode` needs for a rule set."""
    return (progress_table(), *heuristic_policy(rules).data)


@kernel
def encode(v: Any, r: Any, p: Any, tables: Any) -> None:
    """Write the inputs of a VIEW that are on into the PAD `p`; `tables` are `input_tables`."""
    p.n = 0
    count_unseen(v, r, p)
    put_tiles(v, r, p)
    for s in range(v.players):
        rel = relative(v, s)
        put_melds(v, p, s, rel)
        put_river(v, p, s, rel)
        put_seat(v, p, s, rel)
    put_moment(v, p)
    put_reds(v, p)
    put_derived(v, r, p, tables[0])
    put_advice(v, r, p, tables[1:])


@entry
def encode_views(views: Any, rules: Any, pads: Any, tables: Any, active: Any, counts: Any) -> None:
    """`encode` for Python: the inputs of each view into a row of `active` (int16), their number into `counts`."""
    p = pads[0]
    for i in range(len(views)):
        encode(views[i], rules[0], p, tables)
        counts[i] = p.n
        for j in range(p.n):
            active[i, j] = p.active[j]
