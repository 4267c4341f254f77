"""The arena's kernels: deal, ask, answer and count, a row a hand.

Rows are independent of each other, so nothing that comes of them depends on which are played together.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.deal import deal_seeded
from paohuzi_env.core.log import (
    FAULTS,
    V_BI,
    V_CHI,
    V_CHOUWEI,
    V_DISCARD,
    V_DRAW,
    V_HU,
    V_PAO,
    V_PASS_CHI,
    V_PASS_HU,
    V_PASS_PENG,
    V_PENG,
    V_TI,
    V_WEI,
)
from paohuzi_env.core.rng import key
from paohuzi_env.core.state import OVER, SEATS
from paohuzi_env.core.turn import fault, step
from paohuzi_env.core.view import view

ILLEGAL: Final = FAULTS.index("illegal")
GARBAGE: Final = FAULTS.index("garbage")
NUM_FAULTS: Final = len(FAULTS)

COUNTS: Final = (
    "decisions", "discards", "ti", "wei", "pao", "peng", "chi", "bi", "pass_hu", "pass_peng", "pass_chi", "fed",
    "fed_hu",
)  # fmt: skip
"""What is counted for each seat. wei: chouwei too. fed: discards that another seat claimed; fed_hu: by a win."""

HAND: Final = np.dtype(
    [
        ("block", "i8"),  # number of the deal block
        ("group", "i2"),  # which agents play each other
        ("seating", "i1"),  # how they sit
        ("hand", "i2"),  # of a match, from 0
        ("agents", "i2", (SEATS,)),  # the agent in each seat; -1 where none sits
        ("dealer", "i1"),
        ("scores", "i4", (SEATS,)),
        ("winner", "i1"),  # seat, -1 none
        ("win_source", "i1"),  # as GAME.win_source
        ("fault_seat", "i1"),  # seat, -1 none
        ("fault_kind", "i1"),  # place in core.log.FAULTS
        ("huxi", "i2"),
        ("fan", "i4"),
        ("base", "i4"),
        ("patterns", "i4"),
        ("drawn", "i1"),  # tiles drawn from the wall
        ("events", "i2"),
        *[(name, "i2", (SEATS,)) for name in COUNTS],
    ]
)
"""A hand that has been played, as results keep it; without padding, so that equal hands are equal bytes."""


@entry
def deal_rows(
    games: Any, rules: Any, evals: Any, order: Any, seed: Any, stream: int, numbers: Any, dealers: Any, drawn: Any
) -> None:
    """Deal hand `numbers[i]` into row i; a dealer below zero is drawn with it."""
    for i in range(len(numbers)):
        deal_seeded(games[i], rules[0], evals[0], order, key(seed, stream, numbers[i]), dealers[i], drawn[i])


@entry
def sort_asked(games: Any, rows: Any, seated: Any, starts: Any, out: Any) -> int:
    """Sort the rows that are not over by the agent that is asked: agent a has out[starts[a] : starts[a + 1]].

    `seated` is the agent in each seat of a row. How many are left is returned.
    """
    starts[:] = 0
    for row in rows:
        if games[row].phase != OVER:
            starts[seated[row, games[row].actor] + 1] += 1
    for a in range(1, len(starts)):
        starts[a] += starts[a - 1]
    for row in rows:
        if games[row].phase != OVER:
            a = seated[row, games[row].actor]
            out[starts[a]] = row
            starts[a] += 1
    for a in range(len(starts) - 1, 0, -1):  # the starts have moved to the ends
        starts[a] = starts[a - 1]
    starts[0] = 0
    return int(starts[-1])


@entry
def look(games: Any, rows: Any, rules: Any, history: int, decided: Any, views: Any, seats: Any, decisions: Any) -> None:
    """The view of whoever is asked in each row, its seat, and its count of decisions."""
    for j in range(len(rows)):
        g = games[rows[j]]
        view(g, rules[0], views[j], g.actor, history)
        seats[j] = g.actor
        decisions[j] = decided[rows[j], g.actor]


@entry
def look_at(games: Any, rows: Any, rules: Any, history: int, seats: Any, views: Any) -> None:
    """The view of a seat in each of some rows."""
    for j in range(len(rows)):
        view(games[rows[j]], rules[0], views[j], seats[j], history)


@entry
def answer(games: Any, rows: Any, rules: Any, evals: Any, actions: Any, decided: Any) -> None:
    """Play an action in each row; a negative one is a fault, and so is one that is not legal."""
    for j in range(len(rows)):
        g = games[rows[j]]
        s = g.actor
        a = actions[j]
        decided[rows[j], s] += 1
        if a < -NUM_FAULTS:
            fault(g, rules[0], s, GARBAGE)
        elif a < 0:
            fault(g, rules[0], s, -1 - a)
        elif a >= NUM_ACTIONS or g.legal >> a & 1 == 0:
            fault(g, rules[0], s, ILLEGAL)
        else:
            step(g, rules[0], evals[0], a)


@kernel
def count_events(g: Any, h: Any) -> None:
    """Count what each seat did, from the log."""
    discarder = -1  # who discarded the tile that lies open
    for at in range(g.log_n):
        s = g.log[at] & 3
        verb = g.log[at] >> 2 & 31
        if verb in (V_DRAW, V_TI, V_WEI, V_CHOUWEI):
            discarder = -1
        if verb == V_DISCARD:
            h.discards[s] += 1
            discarder = s
        elif verb == V_TI:
            h.ti[s] += 1
        elif verb in (V_WEI, V_CHOUWEI):
            h.wei[s] += 1
        elif verb == V_PAO:
            h.pao[s] += 1
        elif verb == V_PENG:
            h.peng[s] += 1
        elif verb == V_CHI:
            h.chi[s] += 1
        elif verb == V_BI:
            h.bi[s] += 1
        elif verb == V_PASS_HU:
            h.pass_hu[s] += 1
        elif verb == V_PASS_PENG:
            h.pass_peng[s] += 1
        elif verb == V_PASS_CHI:
            h.pass_chi[s] += 1
        if discarder >= 0 and verb in (V_PAO, V_PENG, V_CHI, V_HU):
            h.fed[discarder] += 1
            if verb == V_HU:
                h.fed_hu[discarder] += 1
            discarder = -1


@entry
def write_hands(games: Any, decided: Any, hands: Any) -> None:
    """Result and counts of each row, which is over, into a HAND of zeros."""
    for i in range(len(games)):
        g = games[i]
        h = hands[i]
        h.dealer = g.dealer
        h.winner = g.winner
        h.win_source = g.win_source
        h.fault_seat = g.fault_seat
        h.fault_kind = g.fault_kind
        h.huxi = g.win_huxi
        h.fan = g.fan
        h.base = g.base
        h.patterns = g.patterns
        h.drawn = g.wall_next
        h.events = g.log_n
        for s in range(SEATS):
            h.scores[s] = g.scores[s]
            h.decisions[s] = decided[i, s]
        count_events(g, h)
