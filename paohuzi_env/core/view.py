"""From GAME to VIEW: the one door through which a seat learns anything (rules 3.4, 3.5).

Observations, agents, external programs, renderings for a seat and determinization are made from a VIEW alone, so a
leak could only be here. Public events are masked here too: the log in GAME holds passes, which are private.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.claims import learn_from_no_pao
from paohuzi_env.core.log import V_PASS_CHI, V_PASS_HU, V_WEI
from paohuzi_env.core.melds import unit_huxi
from paohuzi_env.core.state import HISTORY, OVER, SEATS, UPCARD_DEALER, UPCARD_OTHER, WEI
from paohuzi_env.core.tiles import KINDS, NO_TILE, WILD
from paohuzi_env.core.turn import LIVE_HU, LIVE_PAO, UPCARD

HIDDEN_KIND: Final = 31
"""Kind of a wei in public events."""


@kernel
def public_event(event: int, seat: int) -> int:
    """An event as `seat` may know it, or -1 where it may not: passes are private, and so is the kind of a wei."""
    verb = event >> 2 & 31
    if V_PASS_HU <= verb <= V_PASS_CHI:
        return -1
    if verb == V_WEI and event & 3 != seat:
        return event | HIDDEN_KIND << 7
    return event


@kernel
def view_decision(g: Any, v: Any, s: int) -> None:
    """The own decision of seat `s`, and the live tile as it sees it."""
    asked = g.actor == s
    v.phase = g.phase if asked else -1
    v.legal = g.legal if asked else 0
    v.bi_kind = g.bi_kind if asked else NO_TILE
    v.stage = g.stage if asked else -1
    v.peng_passed = g.peng_passed == s
    v.huxi_before = g.huxi_before if asked else 0
    v.held_before = g.held_before if asked else 0
    v.clean_before = g.clean_before if asked else 0
    # Others do not see that a seat is asked about its concealed draw, or about the upcard.
    v.live = g.live
    v.source = g.source
    if g.stage < LIVE_HU:
        if not asked:
            v.live = NO_TILE
        elif g.stage == UPCARD:
            v.live = g.upcard
            v.source = UPCARD_DEALER if s == g.dealer else UPCARD_OTHER
    if v.live == NO_TILE:
        v.source = -1


@kernel
def view_table(g: Any, r: Any, v: Any, s: int) -> None:
    """The table: counts, melds as far as seat `s` knows them, rivers, and what can be concluded from them."""
    v.players = r.players
    v.dealer = g.dealer
    v.turn = g.turn
    v.over = g.phase == OVER
    v.upcard = g.upcard if r.show_upcard else NO_TILE
    v.upcard_held = g.upcard_held
    v.last_shown = g.last_shown
    v.wall_left = g.wall_end - g.wall_next
    v.discards = g.discards
    v.dealer_discards = g.dealer_discards
    v.drawn_before = g.drawn_before
    for k in range(KINDS):
        v.drawn[k] = g.drawn[k]
    for p in range(SEATS):
        v.hand_n[p] = g.hand_n[p]
        v.dead[p] = g.dead[p]
        v.intake[p] = g.intake[p]
        v.wild_draws[p] = g.wild_draws[p]
        v.quads[p] = g.quads[p]
        v.huxi[p] = g.huxi[p]
        v.discarded[p] = g.discarded[p]
        for k in range(KINDS):
            v.spent[p, k] = g.dealt[p, k] - g.hand[p, k]
            v.cap[p, k] = g.cap[p, k]
        hides = p != s and g.winner != p
        for m in range(g.melds_n[p]):
            v.meld_type[p, m] = g.meld_type[p, m]
            v.meld_kind[p, m] = g.meld_kind[p, m]
            v.meld_shape[p, m] = g.meld_shape[p, m]
            v.meld_from[p, m] = g.meld_from[p, m]
            v.wei_not[p, m] = 0
            if g.meld_type[p, m] != WEI:
                continue
            if not hides:
                v.drawn[g.meld_kind[p, m]] += 1
            else:
                v.huxi[p] -= unit_huxi(r, WEI, g.meld_kind[p, m])
                v.spent[p, g.meld_kind[p, m]] -= 2
                v.meld_kind[p, m] = NO_TILE
                v.wei_not[p, m] = g.wei_not[p, m]
        for m in range(g.melds_n[p], v.melds_n[p]):  # what an earlier view left there
            v.meld_type[p, m] = 0
            v.meld_kind[p, m] = 0
            v.meld_shape[p, m] = 0
            v.meld_from[p, m] = 0
            v.wei_not[p, m] = 0
        v.melds_n[p] = g.melds_n[p]
        n = g.river_n[p]
        for i in range(n):
            v.river[p, i] = g.river[p, i]
        for i in range(n, v.river_n[p]):
            v.river[p, i] = 0
        v.river_n[p] = n
    if g.actor == s and g.live != NO_TILE and g.stage > LIVE_PAO:  # asked for peng or chi: it was no pao
        learn_from_no_pao(g, r, v)
        for p in range(SEATS):
            for m in range(v.melds_n[p]):
                if v.meld_kind[p, m] != NO_TILE:  # no hidden wei
                    v.wei_not[p, m] = 0


@kernel
def view_own(g: Any, v: Any, s: int) -> None:
    """What is the seat's own: hand, private marks."""
    v.seat = s
    for k in range(WILD + 1):
        v.hand[k] = g.hand[s, k]
        v.dealt[k] = g.dealt[s, k]
        v.stale_hu[k] = g.stale_hu[s, k]
    v.kan_huxi = g.kan_huxi[s]
    v.barred = g.barred[s]
    v.stale_peng = g.stale_peng[s]
    v.stale_chi = g.stale_chi[s]


@kernel
def view_end(g: Any, v: Any) -> None:
    """How the hand ended; the winner's tiles are shown."""
    v.winner = g.winner
    v.win_kind = g.win_kind
    v.win_source = g.win_source
    v.fault_seat = g.fault_seat
    v.fault_kind = g.fault_kind
    v.win_huxi = g.win_huxi
    v.fan = g.fan
    v.deng = g.deng
    v.base = g.base
    v.patterns = g.patterns
    for p in range(SEATS):
        v.scores[p] = g.scores[p]
    for k in range(WILD + 1):
        v.winner_hand[k] = g.hand[g.winner, k] if g.winner >= 0 else 0


@kernel
def view_history(g: Any, v: Any, s: int, count: int) -> None:
    """The last `count` public events, the latest last; zeros beyond them."""
    n = 0
    at = g.log_n - 1
    while at >= 0 and n < count:  # newest first, at the array's end
        event = public_event(g.log[at], s)
        if event >= 0:
            n += 1
            v.history[HISTORY - n] = event
        at -= 1
    for i in range(n):
        v.history[i] = v.history[HISTORY - n + i]
    for i in range(n, HISTORY):
        v.history[i] = 0
    v.history_n = n


@kernel
def view(g: Any, r: Any, v: Any, s: int, history: int) -> None:
    """Write what seat `s` may know of the game into `v`, with its last `history` public events.

    `v` is a VIEW of zeros, or one that this kernel has written before.
    """
    view_decision(g, v, s)
    view_table(g, r, v, s)
    view_own(g, v, s)
    view_end(g, v)
    view_history(g, v, s, history)


@entry
def view_game(games: Any, i: int, rules: Any, views: Any, j: int, seat: int, history: int) -> None:
    """`view` for Python: game `i`, seen by `seat`, into `views[j]`."""
    view(games[i], rules[0], views[j], seat, history)


@entry
def public_events(games: Any, i: int, seat: int, out: Any) -> int:
    """Write the public events of game `i`, as `seat` knows them, into `out` (int16); their number is returned."""
    g = games[i]
    n = 0
    for at in range(g.log_n):
        event = public_event(g.log[at], seat)
        if event >= 0:
            out[n] = event
            n += 1
    return n
