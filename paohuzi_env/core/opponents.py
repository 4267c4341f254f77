"""Hands with one learner: the other seats move until it is asked, uniformly at random in here, or by a policy outside.

A *command* says what a row does next: an action of the seat to act, or one of HOLD, DEAL, FORFEIT.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.batch import MOST_SKIPPED, NEXT_STEP, decision_word, pick, write_row
from paohuzi_env.core.deal import deal_seeded
from paohuzi_env.core.log import FAULTS
from paohuzi_env.core.observe import observe
from paohuzi_env.core.rng import advance, below, key, mix
from paohuzi_env.core.state import HISTORY, OVER, SEATS
from paohuzi_env.core.turn import fault, step
from paohuzi_env.core.view import view

HOLD: Final = -1
DEAL: Final = -2
FORFEIT: Final = -3
ILLEGAL: Final = FAULTS.index("illegal")

RAISE: Final = 0
SUBSTITUTE: Final = 1
GIVE_UP: Final = 2

SEAT_RANDOM: Final = -1
SEAT_ROTATES: Final = -2

OPPONENTS: Final = np.uint64(0x6F70706F6E656E74)
SEATING: Final = np.uint64(0x73656174696E67)

LEARNER: Final = np.dtype(
    [
        ("seat", "i1"),  # the learner's
        ("uniform", "i1"),  # bit for each other seat that is played in here
        ("asked", "i1"),  # bool: the learner has been asked in this hand
        ("missed", "i8"),  # hands just before this one in which it was not
        ("missed_score", "i8"),  # its settlements in those
    ],
    align=True,
)
"""What a row has beside its GAME and SLOT."""


@kernel
def learner_seat(slot: Any, r: Any, mode: int) -> int:
    """The learner's seat in the slot's hand: fixed, in turn, or drawn with the hand."""
    if mode >= 0:
        return mode
    if mode == SEAT_ROTATES:
        return slot.index % r.players
    return below(advance(key(slot.seed ^ mix(SEATING), slot.stream, slot.index)), r.players)


@kernel
def play_uniform(g: Any, r: Any, e: Any, slot: Any, seats: int) -> None:
    """Play the seats of bits `seats` uniformly at random until another one is asked or the hand is over."""
    while g.phase != OVER and seats >> g.actor & 1:
        action = pick(g.legal, advance(decision_word(slot, OPPONENTS)))
        slot.decided += 1
        step(g, r, e, action)


@kernel
def deal_row(g: Any, slot: Any, me: Any, r: Any, e: Any, order: Any, seat_mode: int, uniform: int) -> None:
    """Deal hand `slot.index`. Bit 1 of `uniform` is the seat after the learner, bit 2 the one after that."""
    deal_seeded(g, r, e, order, key(slot.seed, slot.stream, slot.index), slot.dealer, 0)
    slot.decided = 0
    me.asked = 0
    me.seat = learner_seat(slot, r, seat_mode)
    me.uniform = 0
    for rel in range(1, r.players):
        if uniform >> rel & 1:
            me.uniform |= 1 << (me.seat + rel) % r.players
    play_uniform(g, r, e, slot, me.uniform)


@entry
def command_slice(
    games: Any, lo: int, hi: int, actions: Any, mode: int, illegal_action: int, commands: Any, illegal: Any
) -> int:
    """Turn the learner's actions into commands, as the mode of autoreset and the policy for illegal ones say.

    The first row that is over and not dealt anew, or illegal under RAISE, is returned, else -1.
    """
    for i in range(lo, hi):
        g = games[i]
        a = actions[i]
        illegal[i] = 0
        if g.phase == OVER:
            if mode != NEXT_STEP:
                return i
            commands[i] = DEAL
        elif 0 <= a < NUM_ACTIONS and g.legal >> a & 1:
            commands[i] = a
        elif illegal_action == RAISE:
            return i
        else:
            illegal[i] = 1
            commands[i] = FORFEIT
            if illegal_action == SUBSTITUTE:
                a = 0
                while g.legal >> a & 1 == 0:
                    a += 1
                commands[i] = a
    return -1


@entry
def play_slice(
    games: Any, slots: Any, learners: Any, lo: int, hi: int, rules: Any, evals: Any, orders: Any, thread: int,
    commands: Any, seat_mode: int, uniform: int,
) -> int:  # fmt: skip
    """Do what the commands say, then play on until the learner or a seat with a policy outside is asked.

    A hand that ends before the learner was asked is followed by the next one. The number of rows that wait for a
    policy outside is returned.
    """
    r = rules[0]
    e = evals[thread]
    waiting = 0
    for i in range(lo, hi):
        command = commands[i]
        if command == HOLD:
            continue
        g = games[i]
        slot = slots[i]
        me = learners[i]
        if command == DEAL:
            me.missed = 0
            me.missed_score = 0
            slot.index += 1
            deal_row(g, slot, me, r, e, orders[thread], seat_mode, uniform)
        else:
            if command == FORFEIT:
                fault(g, r, g.actor, ILLEGAL)
            else:
                slot.decided += 1
                step(g, r, e, command)
            play_uniform(g, r, e, slot, me.uniform)
        while g.phase == OVER and me.asked == 0 and me.missed < MOST_SKIPPED:
            me.missed += 1
            me.missed_score += g.scores[me.seat]
            slot.index += 1
            deal_row(g, slot, me, r, e, orders[thread], seat_mode, uniform)
        if g.actor == me.seat:
            me.asked = 1
        elif g.phase != OVER:
            waiting += 1
    return waiting


@entry
def report_slice(
    games: Any, learners: Any, lo: int, hi: int, rules: Any, views: Any, thread: int, chosen: Any, obs: Any,
    masks: Any, dones: Any, scores: Any,
) -> int:  # fmt: skip
    """Write what the learner sees in each chosen row, whether the hand is over, and all seats' scores.

    The number of chosen rows that are over is returned.
    """
    n = 0
    for i in range(lo, hi):
        if chosen[i]:
            g = games[i]
            write_row(g, rules[0], views[thread], learners[i].seat, obs[i], masks[i])
            dones[i] = g.phase == OVER
            n += g.phase == OVER
            for s in range(SEATS):
                scores[i, s] = g.scores[s]
    return n


@entry
def look_rows(games: Any, rows: Any, rules: Any, views: Any, obs: Any, masks: Any) -> None:
    """VIEW, observation and mask of the seat to act in each of some rows, for a policy outside."""
    r = rules[0]
    for j in range(len(rows)):
        g = games[rows[j]]
        v = views[j]
        view(g, r, v, g.actor, HISTORY)
        observe(v, r, obs[j], masks[j])
