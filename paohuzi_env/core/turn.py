"""The course of a hand: from one decision to the next (rules 2 and 6).

`run` moves the hand on until a seat has to decide or the hand is over; `step` applies a legal action and runs on.
Between decisions the hand stands at a *stage*; the kernels of a stage either open a decision or set the next stage.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import CHI, HU, PAO, PASS, PENG
from paohuzi_env.core.chi import group_options
from paohuzi_env.core.claims import (
    ask,
    ask_chi,
    ask_hu,
    ask_laid_hu,
    ask_pao,
    ask_peng,
    ask_upcard_hu,
    learn_from_no_pao,
    mark_stale,
    next_seat,
    pao_seat,
    peng_seat,
    pose,
)
from paohuzi_env.core.hu import forced_hu, judge, judge_forced
from paohuzi_env.core.lanes import lowest, places_of
from paohuzi_env.core.log import (
    V_BI,
    V_CHI,
    V_CHOUWEI,
    V_DISCARD,
    V_DRAW,
    V_FAULT,
    V_HU,
    V_NODISCARD,
    V_PAO,
    V_PASS_CHI,
    V_PASS_HU,
    V_PASS_PAO,
    V_PASS_PENG,
    V_PENG,
    V_TI,
    V_TIANHU,
    V_WEI,
    note,
)
from paohuzi_env.core.melds import discard_owed, discardable, lay, take, upgrade
from paohuzi_env.core.state import (
    BI_WINDOW,
    CHI_MELD,
    CHOUWEI,
    DEALT,
    DISCARDER_PAYS_ALL,
    DISCARDING,
    FROM_DISCARD,
    HU_WINDOW,
    MELDS,
    OTHER_DRAW,
    OVER,
    OWN_DRAW,
    PAO_MELD,
    PAO_WINDOW,
    PENG_MELD,
    PENG_WINDOW,
    TI,
    UPCARD_DEALER,
    UPCARD_OTHER,
    WEI,
)
from paohuzi_env.core.tiles import KINDS, NO_TILE, WILD, partner

# Stages.
UPCARD: Final = 0  # the upcard windows
OPENING: Final = 1  # the dealer's first discard, or the first draw
DRAWING: Final = 2  # seat `turn` draws
LAID: Final = 3  # seat `turn` has laid a ti or wei, or drawn a wild tile: may it win?
INTAKEN: Final = 4  # seat `turn` has taken something in: is a discard owed?
LIVE_HU: Final = 5
LIVE_PAO: Final = 6
LIVE_PENG: Final = 7
LIVE_CHI: Final = 8
UNTAKEN: Final = 9

DRAWN: Final = 4  # added to a seat in GAME.meld_from where the tile was drawn, not discarded
RIVER_DRAWN: Final = 32  # added to a kind in GAME.river where it was drawn
FAULT_PAYS: Final = 10  # what a faulty player pays to each other seat


# --- the end ----------------------------------------------------------------------------------------------------------


@kernel
def finish(g: Any) -> None:
    """No more decisions."""
    g.phase = OVER
    g.actor = -1
    g.legal = 0
    g.live = NO_TILE
    g.bi_kind = NO_TILE


@kernel
def drawn_hand(g: Any, r: Any) -> None:
    """荒庄: the wall is empty; who holds wild tiles pays those who hold none (9.3, 10.5)."""
    if r.draw_penalty:
        for s in range(r.players):
            if g.hand[s, WILD] > 0:
                for other in range(r.players):
                    if g.hand[other, WILD] == 0:
                        g.scores[s] -= r.draw_penalty * g.hand[s, WILD]
                        g.scores[other] += r.draw_penalty * g.hand[s, WILD]
    finish(g)


@kernel
def settle(g: Any, r: Any, e: Any, payer: int) -> None:
    """Write the result of the win in `e` and pay it (8.7); `payer` is the seat that pays for all, or -1."""
    s = e.seat
    base = e.base
    if r.cap:
        base = min(base, r.cap)
    g.winner = s
    g.win_kind = e.kind
    g.win_source = e.source
    g.win_huxi = e.huxi
    g.fan = e.fan
    g.deng = e.deng
    g.base = base
    g.patterns = e.patterns
    for other in range(r.players):
        if other != s:
            g.scores[s] += base
            g.scores[payer if payer >= 0 else other] -= base
    finish(g)


@kernel
def turned_up(g: Any, r: Any, kind: int) -> int:
    """How many of the tiles turned from the wall's end equal the winning tile (10.6)."""
    count = 0
    for i in range(r.turn_up):
        place = g.wall_end + r.show_last_tile - 1 - i
        if place >= g.wall_next and g.wall[place] == kind:
            count += 1
    return count


@kernel
def win(g: Any, r: Any, e: Any) -> None:
    """The actor takes the hu that it was offered."""
    s = g.actor
    kind = g.live
    if g.stage == UPCARD:
        kind = g.upcard
        if s == g.dealer:
            pose(g, r, e, s, kind, UPCARD_DEALER, 1)
            e.held_before = r.hand_size
        else:
            pose(g, r, e, s, kind, UPCARD_OTHER, 0)
    elif g.stage == LAID:
        pose(g, r, e, s, kind, OWN_DRAW, 1)
    else:
        own = g.source == OTHER_DRAW and s == g.turn
        pose(g, r, e, s, kind, OWN_DRAW if own else g.source, 0)
    e.turned = turned_up(g, r, kind)
    judge(g, r, e)
    note(g, s, V_HU, kind, 0)
    pays_all = e.source == FROM_DISCARD and r.discard_payer == DISCARDER_PAYS_ALL
    settle(g, r, e, g.turn if pays_all else -1)


@kernel
def fault(g: Any, r: Any, s: int, kind: int) -> None:
    """End the hand by a fault of seat `s`, who pays a fixed sum to every other seat."""
    note(g, s, V_FAULT, kind, 0)
    g.fault_seat = s
    g.fault_kind = kind
    for other in range(r.players):
        if other != s:
            g.scores[other] += FAULT_PAYS
            g.scores[s] -= FAULT_PAYS
    finish(g)


# --- the opening ------------------------------------------------------------------------------------------------------


@kernel
def forced_win(g: Any, r: Any, e: Any) -> bool:
    """End the hand at once if a dealt hand wins by force (2.2)."""
    for i in range(r.players):
        s = (g.dealer + i) % r.players
        if forced_hu(g, r, s):
            pose(g, r, e, s, NO_TILE, DEALT, 1)
            e.held_before = g.hand_n[s]
            judge_forced(g, r, e)
            note(g, s, V_TIANHU, 0, 0)
            settle(g, r, e, -1)
            return True
    return False


@kernel
def opening_ti(g: Any, r: Any) -> None:
    """Lay every quad in hand as a ti (2.3)."""
    for i in range(r.players):
        s = (g.dealer + i) % r.players
        for kind in range(KINDS):
            if g.hand[s, kind] == 4:
                take(g, r, s, kind, 4, 1)
                lay(g, r, s, TI, kind, 0, -1)
                note(g, s, V_TI, kind, 0)


@kernel
def open_hand(g: Any, r: Any, e: Any) -> None:
    """From the deal to the first decision."""
    if forced_win(g, r, e):
        return
    opening_ti(g, r)
    g.turn = g.dealer
    g.stage = UPCARD
    g.asked = 0
    run(g, r, e)


# --- drawing ----------------------------------------------------------------------------------------------------------


@kernel
def draw(g: Any, r: Any) -> None:
    """Seat `turn` draws (6.5): into a ti or wei, as a wild tile into the hand, or shown and live."""
    s = g.turn
    kind = g.wall[g.wall_next]
    g.wall_next += 1
    g.live = kind
    g.huxi_before = g.huxi[s]
    g.held_before = g.hand_n[s]
    g.clean_before = g.intake[s] == 0
    g.source = OWN_DRAW
    g.stage = LAID
    if kind == WILD:
        g.hand[s, WILD] += 1
        g.wild_draws[s] += 1
        g.hand_n[s] += 1
        note(g, s, V_DRAW, kind, 0)
    elif r.own_draw_melds and (g.hand[s, kind] == 3 or g.wei_kinds[s] >> kind & 1):
        own_ti(g, r, s, kind)
    elif r.own_draw_melds and g.hand[s, kind] == 2:
        own_wei(g, r, s, kind)
    else:
        g.drawn[kind] += 1
        note(g, s, V_DRAW, kind, 0)
        g.source = OTHER_DRAW
        make_live(g)


@kernel
def own_ti(g: Any, r: Any, s: int, kind: int) -> None:
    """Lay a ti with the tile just drawn (6.5 a)."""
    if g.hand[s, kind] == 3:
        take(g, r, s, kind, 3, 1)
        lay(g, r, s, TI, kind, 0, s + DRAWN)
    else:
        upgrade(g, r, s, kind, TI, s + DRAWN)
    g.drawn[kind] += 1
    note(g, s, V_TI, kind, 0)
    if discard_owed(g, s):
        g.intake[s] = 1


@kernel
def own_wei(g: Any, r: Any, s: int, kind: int) -> None:
    """Lay a wei, or a chouwei of a stale kind, with the tile just drawn (6.5 b)."""
    stale = (g.stale_peng[s] | g.stale_chi[s]) >> kind & 1
    if stale:
        g.drawn[kind] += 1
    else:  # its kind stays hidden: remember what the table knows it is not
        known = g.discarded[s]
        for k in range(KINDS):
            if g.cap[s, k] < 2:
                known |= 1 << k
        g.wei_not[s, g.melds_n[s]] = known
    take(g, r, s, kind, 2, stale)
    lay(g, r, s, CHOUWEI if stale else WEI, kind, 0, s + DRAWN)
    note(g, s, V_CHOUWEI if stale else V_WEI, kind, 0)
    g.intake[s] = 1


@kernel
def make_live(g: Any) -> None:
    """The windows on a new live tile begin."""
    g.stage = LIVE_HU
    g.asked = 0
    g.peng_passed = -1


# --- claims -----------------------------------------------------------------------------------------------------------


@kernel
def origin(g: Any) -> int:
    """Where the live tile came from, as in GAME.meld_from."""
    return g.turn + DRAWN if g.source == OTHER_DRAW else g.turn


@kernel
def do_pao(g: Any, r: Any, s: int) -> None:
    """Seat `s` lays the live tile as a pao (5.3)."""
    kind = g.live
    if g.hand[s, kind] == 3:
        take(g, r, s, kind, 3, 1)
        lay(g, r, s, PAO_MELD, kind, 0, origin(g))
    else:
        upgrade(g, r, s, kind, PAO_MELD, origin(g))
    note(g, s, V_PAO, kind, 0)
    taken(g, s)
    if discard_owed(g, s):
        g.intake[s] = 1


@kernel
def do_peng(g: Any, r: Any, s: int) -> None:
    """Seat `s` lays the live tile as a peng (5.4)."""
    learn_from_no_pao(g, r, g)
    kind = g.live
    take(g, r, s, kind, 2, 1)
    lay(g, r, s, PENG_MELD, kind, 0, origin(g))
    note(g, s, V_PENG, kind, 0)
    g.intake[s] = 1
    taken(g, s)


@kernel
def taken(g: Any, s: int) -> None:
    """Seat `s` has taken the live tile: it is its turn."""
    g.live = NO_TILE
    g.turn = s
    g.stage = INTAKEN


@kernel
def do_group(g: Any, r: Any, s: int, kind: int, shape: int, from_hand: int) -> None:
    """Seat `s` lays a chi with the live tile, or a bi group of its hand tiles (4.1, 4.2)."""
    if not from_hand:
        learn_from_no_pao(g, r, g)
    take(g, r, s, partner(kind, shape, 0), 1, 1)
    take(g, r, s, partner(kind, shape, 1), 1, 1)
    if from_hand:
        take(g, r, s, kind, 1, 1)
    lay(g, r, s, CHI_MELD, kind, shape, -1 if from_hand else origin(g))
    note(g, s, V_BI if from_hand else V_CHI, kind, shape)
    g.intake[s] = 1
    if g.hand[s, kind] > 0:
        g.bi_kind = kind
        g.live = NO_TILE
        g.turn = s
        ask(g, s, BI_WINDOW, group_options(g, s, kind, 1))
        return
    g.bi_kind = NO_TILE
    taken(g, s)


@kernel
def learn_from_chi(g: Any, s: int) -> None:
    """All copies of what seat `s` has eaten had to follow: its hand holds none (4.2).

    Known when the seat goes on to something else; before that, it would tell the others whether it is asked for a bi.
    """
    chis = places_of(g.meld_type[s], MELDS, CHI_MELD)
    while chis:
        g.cap[s, g.meld_kind[s, lowest(chis)]] = 0
        chis &= chis - 1


@kernel
def close_peng_pass(g: Any, r: Any, taker: int) -> None:
    """The matter of the live tile is closed: who passed peng has staled it, unless it took the tile by chi (5.8)."""
    s = g.peng_passed
    if s >= 0 and s != taker:
        mark_stale(g, r, s, 1, 0)
    g.peng_passed = -1


# --- stages -----------------------------------------------------------------------------------------------------------


@kernel
def untaken(g: Any, r: Any) -> None:
    """Nobody took the live tile: it lies before its seat, and the next seat draws (5.6)."""
    learn_from_no_pao(g, r, g)
    close_peng_pass(g, r, -1)
    s = g.turn
    g.river[s, g.river_n[s]] = g.live + (RIVER_DRAWN if g.source == OTHER_DRAW else 0)
    g.river_n[s] += 1
    g.live = NO_TILE
    g.turn = next_seat(r, s)
    g.stage = DRAWING


@kernel
def ask_discard(g: Any, r: Any) -> bool:
    """After an intake of seat `turn`: ask for the discard it owes; a hand that has none dies (6.1–6.4)."""
    s = g.turn
    g.live = NO_TILE
    if discard_owed(g, s):
        options = discardable(g, s)
        if options:
            ask(g, s, DISCARDING, options)
            return True
        g.dead[s] = 1
        note(g, s, V_NODISCARD, 0, 0)
    learn_from_chi(g, s)
    g.turn = next_seat(r, s)
    g.stage = DRAWING
    return False


@kernel
def settle_pao(g: Any, r: Any) -> bool:
    """The pao of the live tile: forced, or a choice (5.3). True when a decision is open."""
    s = pao_seat(g, r)
    if s < 0:
        g.stage = LIVE_PENG
        return False
    if r.forced_pao or g.dead[s]:
        do_pao(g, r, s)
        return False
    ask_pao(g, s)
    return True


@kernel
def settle_peng(g: Any, r: Any) -> bool:
    """The peng of the live tile: forced, or a choice (5.4). True when a decision is open."""
    s = peng_seat(g, r)
    if s >= 0:
        if r.forced_peng:
            do_peng(g, r, s)
            return False
        ask_peng(g, s)
        return True
    g.stage = LIVE_CHI
    g.asked = 0
    return False


@kernel
def run(g: Any, r: Any, e: Any) -> None:
    """Move on until a seat has to decide, or the hand is over."""
    while g.phase != OVER:
        if g.stage == DRAWING:
            if g.wall_next >= g.wall_end:
                drawn_hand(g, r)
                return
            draw(g, r)
        elif g.stage == LIVE_HU:
            if ask_hu(g, r, e):
                return
            g.stage = LIVE_PAO
        elif g.stage == LIVE_PAO:
            if settle_pao(g, r):
                return
        elif g.stage == LIVE_PENG:
            if settle_peng(g, r):
                return
        elif g.stage == LIVE_CHI:
            if ask_chi(g, r):
                return
            g.stage = UNTAKEN
        elif g.stage == UNTAKEN:
            untaken(g, r)
        elif g.stage == INTAKEN:
            if ask_discard(g, r):
                return
        elif g.stage == LAID:
            if ask_laid_hu(g, r, e):
                return
            g.stage = INTAKEN
        elif g.stage == UPCARD:
            if ask_upcard_hu(g, r, e):
                return
            g.stage = OPENING
        else:
            g.stage = INTAKEN  # the dealer's opening counts as an intake (6.1)


# --- decisions --------------------------------------------------------------------------------------------------------


@kernel
def discard(g: Any, s: int, kind: int, r: Any) -> None:
    """Seat `s` discards `kind`; it is stale for itself from now on (5.8)."""
    learn_from_chi(g, s)
    take(g, r, s, kind, 1, 1)
    bit = 1 << kind
    g.stale_peng[s] |= bit
    g.stale_chi[s] |= bit
    g.discarded[s] |= bit
    g.discards += 1
    if s == g.dealer:
        g.dealer_discards += 1
    note(g, s, V_DISCARD, kind, 0)
    g.live = kind
    g.source = FROM_DISCARD
    g.turn = s
    make_live(g)


@kernel
def pass_hu(g: Any, s: int) -> None:
    """Seat `s` declines a hu: stale until its table huxi changes (5.9)."""
    kind = g.upcard if g.stage == UPCARD else g.live
    g.stale_hu[s, kind] = g.huxi[s]
    note(g, s, V_PASS_HU, kind, 0)
    if g.stage == LAID:
        g.stage = INTAKEN
    else:
        g.asked += 1


@kernel
def pass_claim(g: Any, r: Any, s: int) -> None:
    """Seat `s` declines a pao, peng or chi."""
    kind = g.live
    if g.phase == PAO_WINDOW:
        g.barred[s] = 1
        note(g, s, V_PASS_PAO, kind, 0)
        g.stage = LIVE_PENG
    elif g.phase == PENG_WINDOW:
        g.peng_passed = s
        note(g, s, V_PASS_PENG, kind, 0)
        g.stage = LIVE_CHI
        g.asked = 0
    else:
        mark_stale(g, r, s, 0, 1)
        note(g, s, V_PASS_CHI, kind, 0)
        g.asked += 1


@kernel
def step(g: Any, r: Any, e: Any, action: int) -> None:
    """Apply a legal action of the actor and run to the next decision. The caller has checked `GAME.legal`."""
    s = g.actor
    if g.phase == DISCARDING:
        discard(g, s, action, r)
    elif g.phase == BI_WINDOW:
        do_group(g, r, s, g.bi_kind, action - CHI, 1)
        if g.bi_kind != NO_TILE:
            return
    elif action == HU:
        win(g, r, e)
        return
    elif action == PASS:
        if g.phase == HU_WINDOW:
            pass_hu(g, s)
        else:
            pass_claim(g, r, s)
    elif action == PAO:
        do_pao(g, r, s)
    elif action == PENG:
        do_peng(g, r, s)
    else:
        close_peng_pass(g, r, s)
        do_group(g, r, s, g.live, action - CHI, 0)
        if g.bi_kind != NO_TILE:
            return
    run(g, r, e)


@entry
def act(games: Any, i: int, rules: Any, evals: Any, action: int) -> bool:
    """Apply `action` (0..NUM_ACTIONS-1) in game `i`; False, and the game as it was, where it is not legal now."""
    g = games[i]
    if g.legal >> action & 1 == 0:
        return False
    step(g, rules[0], evals[0], action)
    return True


@entry
def end_by_fault(games: Any, i: int, rules: Any, seat: int, kind: int) -> None:
    """End game `i` by a fault of `seat` (kind: place in `core.log.FAULTS`)."""
    fault(games[i], rules[0], seat, kind)
