"""What a hand waits for (听): which tiles would win it, drawn by itself or by another, and what they pay.

A tile that is not there yet has to be treated as play would treat it: one's own draw makes a ti or a wei
before anybody is asked (rules 6.5). The kernels here lay that meld, judge, and take it back: the game is then
as it was.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.hu import judge
from paohuzi_env.core.melds import find_meld, lay, set_hand_sums, unit_huxi
from paohuzi_env.core.state import CHI_MELD, OTHER_DRAW, OWN_DRAW, PAO_MELD, TI, UPCARD_DEALER, WEI
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, WILD, partner

WAITS: Final = np.dtype(
    [
        ("kinds", "i4", (2,)),  # by OWN_DRAW, OTHER_DRAW: bit for each kind that wins
        ("huxi", "i2", (2, 21)),  # of the best division; 0 where the kind does not win
        ("fan", "i4", (2, 21)),
        ("base", "i4", (2, 21)),  # after the cap
        ("patterns", "i4", (2, 21)),  # bit for each pattern
    ],
    align=True,
)
"""The waits of one seat."""


# --- a tile that comes --------------------------------------------------------------------------------------


@kernel
def grow_wei(g: Any, r: Any, s: int, m: int, old: int, new: int, quads: int) -> None:
    """Turn meld `m`, of type `old`, into one of type `new`; `quads` (1 or -1) more quads lie on the table."""
    kind = g.meld_kind[s, m]
    g.meld_type[s, m] = new
    g.huxi[s] += unit_huxi(r, new, kind) - unit_huxi(r, old, kind)
    g.quads[s] += quads
    g.wei_kinds[s] ^= 1 << kind


@kernel
def take_back(g: Any, r: Any, s: int) -> None:
    """Undo the last `lay` of seat `s`."""
    m = g.melds_n[s] - 1
    kind = g.meld_kind[s, m]
    g.huxi[s] -= unit_huxi(r, g.meld_type[s, m], kind)
    if g.meld_type[s, m] == TI:
        g.quads[s] -= 1
    else:
        g.wei_kinds[s] &= ~(1 << kind)
    g.meld_type[s, m] = 0
    g.meld_kind[s, m] = 0
    g.meld_from[s, m] = 0
    g.melds_n[s] = m


@kernel
def judge_with(g: Any, r: Any, e: Any, held: int, laid: int) -> bool:
    """Judge a hand that holds `held` of the winning kind, beside a new meld of type `laid` (0: none)."""
    s = e.seat
    before = g.hand[s, e.kind]
    e.laid = 1
    g.hand[s, e.kind] = held
    set_hand_sums(g, r, s)
    if laid:
        lay(g, r, s, laid, e.kind, 0, s)
    hu = judge(g, r, e)
    if laid:
        take_back(g, r, s)
    g.hand[s, e.kind] = before
    set_hand_sums(g, r, s)
    return hu


@kernel
def judge_draw(g: Any, r: Any, e: Any) -> bool:
    """Judge the tile of the question as it would come: with the own ti or wei of rules 6.5 laid first.

    Asked are `seat`, `kind`, `source` and the flags of `e`; `laid` and `held_before` are found here. The
    dealer's upcard goes into its hand (2.4), a wild tile of one's own draw too (10.5). The game is as before
    afterwards.
    """
    s = e.seat
    kind = e.kind
    held = g.hand[s, kind]
    e.laid = 0
    e.held_before = g.hand_n[s]
    if e.source == UPCARD_DEALER or (e.source == OWN_DRAW and kind == WILD):
        if held == 3:
            return judge_with(g, r, e, 0, TI)
        return judge_with(g, r, e, held + 1, 0)
    if e.source != OWN_DRAW or not r.own_draw_melds:
        return judge(g, r, e)
    if held >= 2:
        return judge_with(g, r, e, 0, TI if held == 3 else WEI)
    if g.wei_kinds[s] >> kind & 1:
        m = find_meld(g, s, kind)
        old = g.meld_type[s, m]
        e.laid = 1
        grow_wei(g, r, s, m, old, TI, 1)
        hu = judge(g, r, e)
        grow_wei(g, r, s, m, TI, old, -1)
        return hu
    return judge(g, r, e)


# --- all of them --------------------------------------------------------------------------------------------


@kernel
def seen_copies(g: Any, s: int) -> int:
    """Copies of each kind in the hand and the melds of seat `s`: three bits a kind, from bit 3 * kind."""
    seen = 0
    for kind in range(KINDS):
        seen += g.hand[s, kind] << 3 * kind
    for m in range(g.melds_n[s]):
        kind = g.meld_kind[s, m]
        if g.meld_type[s, m] == CHI_MELD:
            seen += 1 << 3 * kind
            seen += 1 << 3 * partner(kind, g.meld_shape[s, m], 0)
            seen += 1 << 3 * partner(kind, g.meld_shape[s, m], 1)
        elif g.meld_type[s, m] == PAO_MELD or g.meld_type[s, m] == TI:
            seen += 4 << 3 * kind
        else:
            seen += 3 << 3 * kind
    return seen


@kernel
def note_wait(r: Any, e: Any, w: Any) -> None:
    """Write the winning verdict in `e` down in `w`."""
    of = e.source
    base = e.base
    if r.cap:
        base = min(base, r.cap)
    w.kinds[of] |= 1 << e.kind
    w.huxi[of, e.kind] = e.huxi
    w.fan[of, e.kind] = e.fan
    w.base[of, e.kind] = base
    w.patterns[of, e.kind] = e.patterns


@kernel
def waits_of(g: Any, r: Any, e: Any, s: int, w: Any) -> None:
    """Write every tile that would win for seat `s`, drawn by itself or by another, into `w` (rules 7.2, 7.3).

    The flags of `e` (`last_tile`, `no_intake`, `drawn_before`) are the caller's. A kind of which the seat has
    all copies before it can't come. Who holds a wild tile wins on its own draws only (10.5). Whether the seat
    is dead, barred, or has passed a hu (5.3, 5.9, 6.3) is not looked at.
    """
    w.kinds[:] = 0
    w.huxi[:] = 0
    w.fan[:] = 0
    w.base[:] = 0
    w.patterns[:] = 0
    e.seat = s
    e.explain = 0
    e.turned = 0
    e.first_discard = 0
    seen = seen_copies(g, s)
    for kind in range(KINDS):
        if kind % RANKS >= r.ranks or seen >> 3 * kind & 7 >= 4:
            continue
        e.kind = kind
        may = True  # whether an own draw is worth looking at
        if g.hand[s, WILD] == 0:
            e.source = OTHER_DRAW
            if judge_draw(g, r, e):
                note_wait(r, e, w)
            # A tile that makes no own ti or wei divides for its drawer just as for the others.
            melded = r.own_draw_melds and (g.hand[s, kind] >= 2 or g.wei_kinds[s] >> kind & 1)
            may = melded or e.divides != 0
        e.source = OWN_DRAW
        if may and judge_draw(g, r, e):
            note_wait(r, e, w)
    if g.hand[s, WILD] < r.wilds:
        e.kind = WILD
        e.source = OWN_DRAW
        if judge_draw(g, r, e):
            note_wait(r, e, w)


@kernel
def pose_next(g: Any, r: Any, e: Any, s: int) -> None:
    """Write into `e` what the table knows of the next draw, as it concerns seat `s`."""
    e.last_tile = g.wall_next + 1 == g.wall_end and r.show_last_tile == 0
    e.no_intake = g.intake[s] == 0
    e.drawn_before = g.drawn_before


# --- doors --------------------------------------------------------------------------------------------------


@entry
def place_seat(games: Any, i: int, rules: Any, seat: int, hand: Any, melds: Any) -> None:
    """Give seat `seat` of a zeroed game a hand (21 counts) and melds (rows of type, kind, shape)."""
    g = games[i]
    r = rules[0]
    g.live = NO_TILE
    g.upcard = NO_TILE
    g.stale_hu[:] = -1
    for kind in range(WILD + 1):
        g.hand[seat, kind] = hand[kind]
    set_hand_sums(g, r, seat)
    for m in range(len(melds)):
        lay(g, r, seat, melds[m, 0], melds[m, 1], melds[m, 2], seat)


@entry
def judge_drawn(games: Any, i: int, rules: Any, evals: Any) -> bool:
    """`judge_draw` for Python: the question and the answer are in `evals[0]`."""
    return judge_draw(games[i], rules[0], evals[0])


@entry
def list_posed_waits(games: Any, i: int, seat: int, rules: Any, evals: Any, out: Any) -> None:
    """`waits_of` for Python: seat `seat` of game `i`, flags from `evals[0]`, into `out[0]` (WAITS)."""
    waits_of(games[i], rules[0], evals[0], seat, out[0])


@entry
def list_waits(games: Any, i: int, seat: int, rules: Any, evals: Any, out: Any) -> None:
    """`list_posed_waits` with the flags that the next draw of game `i` has."""
    g = games[i]
    pose_next(g, rules[0], evals[0], seat)
    waits_of(g, rules[0], evals[0], seat, out[0])


@entry
def count_wins(games: Any, seats: Any, rules: Any, evals: Any) -> int:
    """How many of the tiles another could draw win for seat `seats[i]` of game `i`, over all games and 20 kinds."""
    e = evals[0]
    wins = 0
    for i in range(len(games)):
        pose_next(games[i], rules[0], e, seats[i])
        e.seat = seats[i]
        e.source = OTHER_DRAW
        e.explain = 0
        for kind in range(KINDS):
            e.kind = kind
            wins += judge_draw(games[i], rules[0], e)
    return wins


@entry
def list_many_waits(games: Any, seats: Any, rules: Any, evals: Any, out: Any) -> None:
    """`list_waits` of seat `seats[i]` of each game `i`, into `out[i]`."""
    for i in range(len(games)):
        g = games[i]
        pose_next(g, rules[0], evals[0], seats[i])
        waits_of(g, rules[0], evals[0], seats[i], out[i])
