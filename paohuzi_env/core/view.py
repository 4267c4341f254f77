"""From GAME to VIEW: the one door through which a seat learns anything (rules 3.4, 3.5).

Observations, agents, external programs, renderings for a seat and determinization are made from a VIEW alone, so a
leak could only be here. Public events are masked here too: the log in GAME holds passes, which are private.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.claims import learn_from_no_pao
from paohuzi_env.core.lanes import copy_fields, copy_seat, lowest, places_of, subtract_rows
from paohuzi_env.core.log import V_PASS_CHI, V_PASS_HU, V_WEI
from paohuzi_env.core.melds import unit_huxi
from paohuzi_env.core.state import HISTORY, MELDS, OVER, SEATS, UPCARD_DEALER, UPCARD_OTHER, WEI
from paohuzi_env.core.tiles import NO_TILE
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
    """The table: counts, melds, rivers, and what can be concluded from them."""
    copy_fields(v, g, "discarded", "drawn")  # TABLE
    v.players = r.players
    v.over = g.phase == OVER
    if not r.show_upcard:
        v.upcard = NO_TILE
    v.wall_left = g.wall_end - g.wall_next
    for p in range(SEATS):
        subtract_rows(v.spent[p], g.dealt[p], g.hand[p])
    if g.actor == s and g.live != NO_TILE and g.stage > LIVE_PAO:  # asked for peng or chi: it was no pao
        learn_from_no_pao(g, r, v)
    for p in range(SEATS):
        view_weis(g, r, v, p, p != s and g.winner != p)


@kernel
def view_weis(g: Any, r: Any, v: Any, p: int, hides: bool) -> None:
    """The wei of seat `p`: a hidden one without its kind and what that would tell, another as the tiles it is."""
    weis = places_of(g.meld_type[p], MELDS, WEI)
    while weis:
        m = lowest(weis)
        weis &= weis - 1
        kind = g.meld_kind[p, m]
        if hides:
            v.huxi[p] -= unit_huxi(r, WEI, kind)
            v.spent[p, kind] -= 2
            v.meld_kind[p, m] = NO_TILE
        else:
            v.drawn[kind] += 1
            v.wei_not[p, m] = 0


@kernel
def view_own(g: Any, v: Any, s: int) -> None:
    """What is the seat's own: hand, private marks."""
    v.seat = s
    copy_seat(v.hand, g.hand, s)
    copy_seat(v.dealt, g.dealt, s)
    copy_seat(v.stale_hu, g.stale_hu, s)
    v.kan_huxi = g.kan_huxi[s]
    v.barred = g.barred[s]
    v.stale_peng = g.stale_peng[s]
    v.stale_chi = g.stale_chi[s]


@kernel
def view_end(g: Any, v: Any) -> None:
    """How the hand ended; the winner's tiles are shown."""
    copy_fields(v, g, "fan", "fault_kind")  # END
    if g.winner >= 0:
        copy_seat(v.winner_hand, g.hand, g.winner)
    else:
        v.winner_hand[:] = 0


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
    if history or v.history_n:
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
