"""Who may claim the live tile: the windows of rules 5, asked one seat at a time in order of priority."""

from __future__ import annotations

from typing import Any

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import HU, PAO, PASS, PENG
from paohuzi_env.core.chi import group_options, loose_tiles, may_end
from paohuzi_env.core.hu import judge
from paohuzi_env.core.lanes import lowest, places_of
from paohuzi_env.core.state import (
    ALL_MELDS,
    CHI_WINDOW,
    FROM_DISCARD,
    HU_WINDOW,
    MELDS,
    OTHER_DRAW,
    OWN_DRAW,
    PAO_WINDOW,
    PENG_WINDOW,
    UPCARD_DEALER,
    UPCARD_OTHER,
    WEI,
)
from paohuzi_env.core.tiles import WILD


@kernel
def next_seat(r: Any, s: int) -> int:
    """The seat that plays after `s`."""
    return s + 1 if s + 1 < r.players else 0


@kernel
def ask(g: Any, s: int, phase: int, legal: int) -> None:
    """Put a decision to seat `s`."""
    g.actor = s
    g.phase = phase
    g.legal = legal


# --- hu ---------------------------------------------------------------------------------------------------------------


@kernel
def pose(g: Any, r: Any, e: Any, s: int, kind: int, source: int, laid: int) -> None:
    """Write the question "does seat `s` win on `kind`" into `e`, with what the table knows of the moment."""
    e.seat = s
    e.kind = kind
    e.source = source
    e.laid = laid
    e.explain = 0
    e.turned = 0
    drawn = source == OWN_DRAW or source == OTHER_DRAW
    e.last_tile = drawn and g.wall_next == g.wall_end and r.show_last_tile == 0  # a shown one is never drawn
    e.no_intake = g.clean_before if laid and source == OWN_DRAW else g.intake[s] == 0
    first = source == FROM_DISCARD and g.dealer_discards == 1 and g.turn == g.dealer
    e.first_discard = first and s == next_seat(r, g.dealer)
    e.drawn_before = g.drawn_before
    e.held_before = g.held_before if laid else g.hand_n[s]


@kernel
def barred_from_hu(g: Any, s: int, kind: int, huxi: int) -> bool:
    """Whether seat `s` may not win on `kind` whatever its hand: dead (6.3), 走跑 (5.3) or a stale hu (5.9).

    `huxi` is its table huxi just before the tile appeared.
    """
    return g.dead[s] != 0 or g.barred[s] != 0 or g.stale_hu[s, kind] == huxi


@kernel
def may_hu(g: Any, r: Any, e: Any, s: int) -> bool:
    """Whether seat `s` may win on the live tile (5.1, 7.2, 10.5)."""
    if barred_from_hu(g, s, g.live, g.huxi[s]):
        return False
    own = g.source == OTHER_DRAW and s == g.turn
    if g.hand[s, WILD] > 0 and not own:
        return False
    source = g.source
    if own:
        source = OWN_DRAW
    pose(g, r, e, s, g.live, source, 0)
    return judge(g, r, e)


@kernel
def ask_hu(g: Any, r: Any, e: Any) -> bool:
    """Open the hu window for the next seat in order that may win; False when none is left."""
    if g.source == FROM_DISCARD:
        if not r.hu_on_discard:
            return False
        first = 1
    else:
        first = 0
    while g.asked + first < r.players:
        s = (g.turn + first + g.asked) % r.players
        if may_hu(g, r, e, s):
            ask(g, s, HU_WINDOW, 1 << HU | 1 << PASS)
            return True
        g.asked += 1
    return False


@kernel
def ask_laid_hu(g: Any, r: Any, e: Any) -> bool:
    """After a concealed ti or wei, or a drawn wild tile: ask the drawer if the hand is complete (6.5, 10.5)."""
    s = g.turn
    if barred_from_hu(g, s, g.live, g.huxi_before):
        return False
    pose(g, r, e, s, g.live, OWN_DRAW, 1)
    if not judge(g, r, e):
        return False
    ask(g, s, HU_WINDOW, 1 << HU | 1 << PASS)
    return True


@kernel
def ask_upcard_hu(g: Any, r: Any, e: Any) -> bool:
    """Open the upcard window for the next seat that wins on it (2.4); False when none is left."""
    while g.asked < r.players:
        s = (g.dealer + g.asked) % r.players
        if s == g.dealer:
            pose(g, r, e, s, g.upcard, UPCARD_DEALER, 1)
            e.held_before = r.hand_size
            open_to = True
        else:
            pose(g, r, e, s, g.upcard, UPCARD_OTHER, 0)
            open_to = r.show_upcard != 0 and g.upcard != WILD and g.hand[s, WILD] == 0
        if open_to and judge(g, r, e):
            ask(g, s, HU_WINDOW, 1 << HU | 1 << PASS)
            return True
        g.asked += 1
    return False


# --- pao --------------------------------------------------------------------------------------------------------------


@kernel
def pao_seat(g: Any, r: Any) -> int:
    """The seat whose kan, wei, chouwei or peng takes the live tile as a pao (5.3), or -1."""
    bit = 1 << g.live
    drawn = g.source == OTHER_DRAW
    for i in range(r.players):
        s = (g.turn + i) % r.players
        concealed = g.hand[s, g.live] == 3 or g.wei_kinds[s] & bit
        if concealed and (i > 0 or (drawn and not r.own_draw_melds)):
            return s
        if drawn and g.peng_kinds[s] & bit:
            return s
    return -1


@kernel
def learn_from_no_pao(g: Any, r: Any, x: Any) -> None:
    """What the live tile, unclaimed by any forced pao, tells about every hand (see `core.determinize`), into `x`.

    `x` is the game itself once the matter of the tile is closed: before that, it would tell the others whether a seat
    is still asked for hu or pao. For a seat that is asked for peng or chi `x` is its VIEW.
    """
    bit = 1 << g.live
    drawn = g.source == OTHER_DRAW
    for s in range(r.players):
        if s == g.turn and not drawn:
            continue
        if s == g.turn and r.own_draw_melds:
            x.cap[s, g.live] = min(x.cap[s, g.live], 1)
        elif r.forced_pao:
            x.cap[s, g.live] = min(x.cap[s, g.live], 2)
    weis = places_of(g.meld_type, ALL_MELDS, WEI)
    while weis:
        at = lowest(weis)
        weis &= weis - 1
        if r.forced_pao or at // MELDS == g.turn:
            x.wei_not[at // MELDS, at % MELDS] |= bit


# --- peng and chi -----------------------------------------------------------------------------------------------------


@kernel
def may_peng(g: Any, r: Any, s: int) -> bool:
    """Whether seat `s` can peng the live tile (5.4, 4.5, 5.8)."""
    kind = g.live
    if g.hand[s, kind] != 2 or g.dead[s] or g.stale_peng[s] >> kind & 1:
        return False
    return may_end(g, s, loose_tiles(g, s) - (2 << 2 * kind), g.hand_n[s] - 2)


@kernel
def peng_seat(g: Any, r: Any) -> int:
    """The one seat that can peng the live tile, or -1. The drawer can only where own draws make no wei."""
    own = g.source == OTHER_DRAW and not r.own_draw_melds
    for i in range(0 if own else 1, r.players):
        s = (g.turn + i) % r.players
        if may_peng(g, r, s):
            return s
    return -1


@kernel
def ask_peng(g: Any, s: int) -> None:
    """Open the peng window."""
    ask(g, s, PENG_WINDOW, 1 << PENG | 1 << PASS)


@kernel
def ask_pao(g: Any, s: int) -> None:
    """Open the pao window of a rule set where pao is a choice."""
    ask(g, s, PAO_WINDOW, 1 << PAO | 1 << PASS)


@kernel
def ask_chi(g: Any, r: Any) -> bool:
    """Open the chi window for the drawer, then for the next seat (5.5); False when none is left."""
    first = 0 if g.source == OTHER_DRAW else 1
    while g.asked + first < 2:
        s = (g.turn + first + g.asked) % r.players
        if not g.dead[s] and not g.stale_chi[s] >> g.live & 1:
            options = group_options(g, s, g.live, 0)
            if options:
                ask(g, s, CHI_WINDOW, options | 1 << PASS)
                return True
        g.asked += 1
    return False


@kernel
def mark_stale(g: Any, r: Any, s: int, peng: int, chi: int) -> None:
    """The live kind becomes stale for seat `s`, for the passed claims or, without `split_pass`, for both (5.8)."""
    bit = 1 << g.live
    if peng or not r.split_pass:
        g.stale_peng[s] |= bit
    if chi or not r.split_pass:
        g.stale_chi[s] |= bit
