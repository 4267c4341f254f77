"""Another hand behind the same table: everything that a seat may not know is replaced, all that it may know stays.

The judge of leaks. It knows what is private from rules 3.4 and 3.5 and changes the GAME record directly, without any
care for whether play could get there: what a seat is shown must not depend on a hidden thing, possible or not.

What the table concludes (`cap`, and `wei_not` of a wei that is hidden from the seat) stays, since every seat is shown
it. That it follows from what the seat has seen and from nothing else, other tests prove by playing: to the byte the
same view comes out of every other deal in which the same was to be seen (core/test_determinize_proofs.py), it does not
move between two events that a seat sees (`who is not asked`, env/test_leaks.py), and a pending bi is not to be read
from it (`nobody sees`, there).
"""

from __future__ import annotations

import random
from typing import Any

from paohuzi_env.core import log, turn
from paohuzi_env.core import state as st
from paohuzi_env.game import Game

WEI_VERB = log.VERBS.index("wei")
PASSES = [log.VERBS.index(f"pass {window}") for window in ("hu", "pao", "peng", "chi")]


def swapped(game: Game, seat: int, chance: random.Random) -> Game:
    """A copy of the game in which all that `seat` may not know is something else."""
    other = game.clone()
    g: Any = other._array[0]
    others = [p for p in range(game.rules.seats) if p != seat]
    for p in others:
        swap_wei_kinds(game, g, p, chance)
        swap_hand(g, p, chance)
        swap_marks(g, p, chance)
    swap_conclusions(g, seat, chance)
    swap_wall(g, chance)
    if not game.over:
        swap_decision(g, seat, others, chance)
    swap_passes(g, chance)
    g["rng"] = chance.getrandbits(64)
    return other


def swap_wei_kinds(game: Game, g: Any, p: int, chance: random.Random) -> None:
    """Its hidden wei are of other kinds (unless it has won: then its tiles are shown)."""
    if g["winner"] == p:
        return
    table = game.rules.record[0]["huxi"][st.H_WEI]
    for m in range(int(g["melds_n"][p])):
        if g["meld_type"][p][m] == st.WEI:
            old, new = int(g["meld_kind"][p][m]), chance.randrange(20)
            g["meld_kind"][p][m] = new
            g["huxi"][p] += table[new] - table[old]
            g["dealt"][p][old] -= 2  # all that has left the dealt hand is known, but for these
            g["dealt"][p][new] += 2
    g["wei_kinds"][p] = chance.getrandbits(20)
    for i in range(int(g["log_n"])):
        event = int(g["log"][i])
        if event >> 2 & 31 == WEI_VERB and event & 3 == p:
            g["log"][i] = p | WEI_VERB << 2 | chance.randrange(20) << 7


def swap_hand(g: Any, p: int, chance: random.Random) -> None:
    """Its concealed tiles are others; what it is known to have laid and discarded stays."""
    if g["winner"] == p:
        return
    for kind in range(20):
        copies = chance.randrange(4)
        g["dealt"][p][kind] += copies - g["hand"][p][kind]
        g["hand"][p][kind] = copies
    g["kans"][p] = chance.randrange(5)
    g["kan_huxi"][p] = chance.randrange(30)
    g["rows"][p] = [chance.getrandbits(20), chance.getrandbits(20)]
    g["hand"][p][20] = g["wild_draws"][p] + chance.randrange(2)


def swap_marks(g: Any, p: int, chance: random.Random) -> None:
    """Its private marks are others."""
    g["stale_peng"][p] = chance.getrandbits(20)
    g["stale_chi"][p] = chance.getrandbits(20)
    g["stale_hu"][p] = [chance.randrange(-1, 30) for _ in range(21)]
    g["barred"][p] = chance.randrange(2)


def swap_conclusions(g: Any, seat: int, chance: random.Random) -> None:
    """What is noted of the kinds that a wei is not is something else, where `seat` knows its kind anyway."""
    for p in range(len(g["melds_n"])):
        for m in range(int(g["melds_n"][p])):
            if g["meld_type"][p][m] == st.WEI and p in (seat, g["winner"]):
                g["wei_not"][p][m] = chance.getrandbits(20)


def swap_wall(g: Any, chance: random.Random) -> None:
    """Other tiles lie in the wall and aside; their number, and the one shown at the end, stay."""
    for i in range(len(g["wall"])):
        g["wall"][i] = chance.randrange(20)
    g["hand_aside"] = [chance.randrange(5) for _ in range(21)]


def swap_decision(g: Any, seat: int, others: list[int], chance: random.Random) -> None:
    """Another seat is asked something else (unless `seat` itself is asked); who passed peng is another."""
    if g["peng_passed"] != seat:
        g["peng_passed"] = chance.choice([-1, *others])
    g["asked"] = chance.randrange(3)
    if g["actor"] == seat:
        return
    g["actor"] = chance.choice(others)
    g["phase"] = chance.randrange(st.OVER)
    g["legal"] = chance.getrandbits(30) | 1
    g["bi_kind"] = chance.randrange(20)
    g["huxi_before"], g["held_before"], g["clean_before"] = (chance.randrange(20) for _ in range(3))
    if g["stage"] < turn.LIVE_HU:  # about its own concealed draw, the upcard, or a discard
        g["stage"] = chance.randrange(turn.LIVE_HU)
        g["live"] = chance.randrange(-1, 20)
        g["source"] = chance.randrange(4)
    else:
        g["stage"] = chance.randrange(turn.LIVE_HU, turn.UNTAKEN)


def swap_passes(g: Any, chance: random.Random) -> None:
    """Other passes stand in the log between the public events."""
    events = [int(e) for e in g["log"][: int(g["log_n"])] if int(e) >> 2 & 31 not in PASSES]
    for _ in range(chance.randrange(6)):
        private = chance.randrange(3) | chance.choice(PASSES) << 2
        events.insert(chance.randrange(len(events) + 1), private)
    g["log"][:] = 0
    g["log"][: len(events)] = events
    g["log_n"] = len(events)
