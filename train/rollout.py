"""Playing hands and writing down what a learner needs, without Python in the loop.

A *stream* is a sequence of hands: hand k of stream i in iteration t is dealt from a hash of (seed, i, t, k), and so are
the seats and the actions drawn. So what is played does not depend on threads, and a run that is resumed plays what an
uninterrupted one would. Hands are played to their end: no decision waits for its reward.

Each seat of a hand is played by the learner, by one past self (the *guest*), or by the *opponent*, a compiled policy.
Rows are written for the learner's decisions among two or more actions; a single legal action is played at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.inputs import MOST_ACTIVE, NUM_INPUTS, encode, input_tables
from agents.network import SCRATCH, Weights, chances, drawn, forward
from paohuzi_env.core import perfect as pf
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.batch import pick
from paohuzi_env.core.deal import deal_seeded
from paohuzi_env.core.rng import advance, key, mix
from paohuzi_env.core.rollout import uniform
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.core.turn import step
from paohuzi_env.core.view import view
from paohuzi_env.rules import RuleSet, seed_word
from paohuzi_env.search import Policy, as_policy
from train.model import Threads

LEARNER: Final = 0
GUEST: Final = 1
OPPONENT: Final = 2
SOURCES: Final = 3

HANDS_APART: Final = 1 << 24
"""More hands than a stream plays in an iteration."""
ROOM_FOR_A_HAND: Final = 400
"""More decisions than a hand can have (`core.state.LOG` events)."""

# What the critic sees beside the actor's inputs, as inputs that are on: `core.perfect` of the other seats.
_OTHERS: Final = st.SEATS - 1
SEEN_HANDS: Final = NUM_INPUTS  # next, previous: exactly 1..4 of the kind
SEEN_WEI: Final = SEEN_HANDS + _OTHERS * 4 * KINDS
SEEN_DRAWS: Final = SEEN_WEI + _OTHERS * KINDS
SEEN_ASIDE: Final = SEEN_DRAWS + pf.NEXT_DRAWS * KINDS
SEEN_STALE: Final = SEEN_ASIDE + KINDS
SEEN_WILDS: Final = SEEN_STALE + _OTHERS * KINDS
SEEN_BARRED: Final = SEEN_WILDS + _OTHERS * 4
CRITIC_INPUTS: Final = SEEN_BARRED + _OTHERS
MOST_SEEN: Final = _OTHERS * 3 * KINDS + pf.NEXT_DRAWS + KINDS + _OTHERS * 2
ROW_ROOM: Final = MOST_ACTIVE + MOST_SEEN

ROW: Final = np.dtype(
    [
        ("stream", "i4"),
        ("hand", "i4"),  # number of the hand in its stream and iteration
        ("seat", "i1"),
        ("action", "i1"),
        ("legal", "i4"),
        ("n", "i2"),  # inputs of the actor that are on
        ("seen", "i2"),  # those and the critic's
        ("logp", "f4"),  # of the action, as it was drawn
        ("score", "i4"),  # of the seat, at the hand's end
    ],
    align=True,
)
"""One decision of the learner."""


# --- what the critic sees -----------------------------------------------------------------------------------------


@kernel
def put_seen(g: Any, r: Any, planes: Any, active: Any, n: int) -> int:
    """Append the inputs of perfect information that are on; the new number of inputs is returned."""
    pf.perfect(g, r, planes)
    for other in range(r.players - 1):
        for k in range(KINDS):
            held = planes[pf.HANDS + 1 + other, k]
            if held > 0:
                active[n] = SEEN_HANDS + (other * 4 + held - 1) * KINDS + k
                n += 1
            if planes[pf.WEI_KINDS + 1 + other, k]:
                active[n] = SEEN_WEI + other * KINDS + k
                n += 1
            if planes[pf.STALE + 1 + other, k]:
                active[n] = SEEN_STALE + other * KINDS + k
                n += 1
        wilds = planes[pf.WILDS + 1 + other, 0]
        if wilds > 0:
            active[n] = SEEN_WILDS + other * 4 + min(wilds, 4) - 1
            n += 1
        if planes[pf.BARRED + 1 + other, 0]:
            active[n] = SEEN_BARRED + other
            n += 1
    for k in range(KINDS):
        for d in range(pf.NEXT_DRAWS):
            if planes[pf.DRAWS + d, k]:
                active[n] = SEEN_DRAWS + d * KINDS + k
                n += 1
        if planes[pf.ASIDE, k] > 0:
            active[n] = SEEN_ASIDE + k
            n += 1
    return n


# --- one hand -----------------------------------------------------------------------------------------------------


@kernel
def unit(word: Any) -> float:
    """A number from 0 to below 1."""
    return np.float64(mix(word) >> np.uint64(11)) / 9007199254740992.0


@kernel
def seat_players(word: Any, players: int, guest: float, opponent: float, sources: Any) -> None:
    """Draw who plays each seat: the learner all, or one or two seats given to the guest or to the opponent."""
    for s in range(st.SEATS):
        sources[s] = LEARNER
    u = unit(word)
    if u >= guest + opponent:
        return
    other = GUEST if u < guest else OPPONENT
    word = advance(word)
    first = int(unit(word) * players)
    sources[first] = other
    word = advance(word)
    if players > 2 and unit(word) < 0.5:
        sources[(first + 1 + int(unit(advance(word)) * 2)) % players] = other


@kernel
def think(net: Any, s: Any, legal: int, word: Any) -> int:
    """An action drawn by a network whose inputs are in the scratch; its chances stay there."""
    forward(net, s.pad.active, s.pad.n, s)
    chances(legal, s.out, 1.0, s.chance)
    return drawn(legal, s.chance, word)


@cache
def _stream_entry(opponent: Callable[..., int]) -> Callable[..., Any]:
    """The loop over the hands of a stream, with the opponent's function compiled in."""
    over = st.OVER

    @kernel
    def advised(v: Any, r: Any, data: Any, scratch: Any, word: Any, legal: int) -> int:
        action = opponent(v, r, data, scratch, word)
        return action if 0 <= action < NUM_ACTIONS and legal >> action & 1 else pick(legal, word)

    @entry
    def loop(
        rules: Any, games: Any, evals: Any, views: Any, orders: Any, scratches: Any, others: Any, planes: Any,
        seated: Any, thread: int, seed: Any, stream: int, first_hand: int, shares: Any, net: Any, guest: Any, data: Any,
        tables: Any, enough: int, rows: Any, active: Any, tally: Any,
    ) -> int:  # fmt: skip
        r = rules[0]
        g = games[thread]
        e = evals[thread]
        v = views[thread]
        s = scratches[thread]
        sources = seated[thread]
        n = 0
        hand = 0
        while n < enough:
            word = key(seed, stream, first_hand + hand)
            deal_seeded(g, r, e, orders[thread], word, -1, 0)
            seat_players(key(word, 1, 0), r.players, shares[0], shares[1], sources)
            teach = shares[2] > 0.0
            begin = n
            asked = 0
            while g.phase != over:
                legal = g.legal
                seat = g.actor
                asked += 1
                word = key(word, 2, asked)
                if legal & (legal - 1) == 0:
                    step(g, r, e, pick(legal, word))
                    continue
                view(g, r, v, seat, 0)
                if teach:  # every seat shows what the opponent would do, and strays now and then
                    action = advised(v, r, data, others[thread], word, legal)
                    encode(v, r, s.pad, tables)
                    s.chance[action] = 1.0
                    played = pick(legal, key(word, 3, 0)) if unit(key(word, 4, 0)) < shares[3] else action
                elif sources[seat] == OPPONENT:
                    step(g, r, e, advised(v, r, data, others[thread], word, legal))
                    continue
                else:
                    encode(v, r, s.pad, tables)
                    if sources[seat] == GUEST:
                        step(g, r, e, think(guest, s, legal, word))
                        continue
                    action = think(net, s, legal, word)
                    played = action
                row = rows[n]
                row.stream = stream
                row.hand = hand
                row.seat = seat
                row.action = action
                row.legal = legal
                row.n = s.pad.n
                row.logp = np.log(s.chance[action])
                for j in range(s.pad.n):
                    active[n, j] = s.pad.active[j]
                row.seen = put_seen(g, r, planes[thread], active[n], s.pad.n)
                n += 1
                step(g, r, e, played)
            for i in range(begin, n):
                rows[i].score = g.scores[rows[i].seat]
            others_kind = LEARNER
            for p in range(r.players):
                others_kind = max(others_kind, sources[p])
            tally[0] += 1
            tally[1] += asked
            tally[2] += g.winner >= 0
            for p in range(r.players):
                if others_kind != LEARNER and sources[p] == LEARNER:
                    tally[1 + 2 * others_kind] += 1
                    tally[2 + 2 * others_kind] += g.scores[p]
            hand += 1
        return n

    return loop


@entry
def advantage_rows(
    rows: Any, lo: int, hi: int, rewards: Any, values: Any, decay: float, carry: Any, advantages: Any, aims: Any
) -> None:
    """Generalised advantages over each seat's own decisions of a hand; the reward comes after its last one.

    `aims` are what the values should have been. Rows of a hand follow each other; undiscounted. `carry` (3, seats) is
    scratch: of each seat's next decision the hand, the value and the advantage.
    """
    carry[0, :] = -1
    for i in range(hi - 1, lo - 1, -1):
        s = rows[i].seat
        if carry[0, s] == rows[i].hand:
            carry[2, s] = carry[1, s] - values[i] + decay * carry[2, s]
        else:
            carry[2, s] = rewards[i] - values[i]
        carry[0, s] = rows[i].hand
        carry[1, s] = values[i]
        advantages[i] = carry[2, s]
        aims[i] = values[i] + carry[2, s]


# --- all streams --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """What an iteration's hands came to."""

    hands: int
    decisions: int
    """All that were asked, forced and other players' included."""
    won: int
    guest_seats: int
    guest_points: int
    """The learner's points in hands with a past self, and in how many seats it took them."""
    opponent_seats: int
    opponent_points: int

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(getattr(self, f) + getattr(other, f) for f in self.__dataclass_fields__))


class Streams:
    """Plays a fixed number of streams on some threads and holds what they wrote.

    Parameters
    ----------
    rules, opponents
        What is played, and the compiled policies beside the learner.
    seed
        Of all deals, seats and actions.
    first, count
        Numbers of the streams.
    enough
        A stream plays whole hands until it has written so many rows.
    threads
        Threads that share the streams.

    Attributes
    ----------
    rows, active
        A row a decision: ROW (N,), and its inputs that are on, int16 (N, ROW_ROOM).
    """

    def __init__(
        self, rules: RuleSet, opponents: Sequence[Policy], *, seed: int, first: int, count: int, enough: int,
        threads: Threads,
    ) -> None:  # fmt: skip
        self.rules = rules
        self._tables = input_tables(rules)
        self._seed = seed_word(seed)
        self._first, self._count, self._enough = first, count, enough
        self.threads = threads
        rooms = min(threads.count, count)
        self._opponents = opponents or [as_policy(uniform)]  # somebody has to be compiled in
        self._games = st.allocate(rooms, st.GAME)
        self._evals = st.allocate(rooms, st.EVAL)
        self._views = st.allocate(rooms, st.VIEW)
        self._orders = np.zeros((rooms, st.DECK), np.int8)
        self._scratch = st.allocate(rooms, SCRATCH)
        self._others = [st.allocate(rooms, policy.scratch) for policy in self._opponents]
        self._planes = np.zeros((rooms, pf.PERFECT_PLANES, KINDS), np.int8)
        self._seated = np.zeros((rooms, st.SEATS), np.int64)
        self._room = enough + ROOM_FOR_A_HAND
        self._rows = st.allocate(count * self._room, ROW)
        self._active = np.zeros((count * self._room, ROW_ROOM), np.int16)
        self.rows: Any = self._rows[:0]
        self.active = self._active[:0]
        self._ends = np.zeros(count + 1, np.int64)

    def play(
        self, iteration: int, net: Weights, guest: Weights, *, opponent: int = 0, guest_share: float = 0.0,
        opponent_share: float = 0.0, teach: bool = False, stray: float = 0.0,
    ) -> Tally:  # fmt: skip
        """Play an iteration; `rows` and `active` are then its decisions, stream by stream.

        Parameters
        ----------
        iteration
            Another one for every call, or the same hands are dealt again.
        net, guest
            The learner and a past self.
        opponent
            Which of the opponents plays beside them.
        guest_share, opponent_share
            Share of hands in which one or two seats are the guest's, the opponent's.
        teach
            The opponent plays all seats, and its decisions are written down.
        stray
            Share of random moves while it teaches.
        """
        shares = np.array([guest_share, opponent_share, float(teach), stray])
        tallies = np.zeros((self._count, 7), np.int64)
        counts = np.zeros(self._count, np.int64)
        policy, others = self._opponents[opponent], self._others[opponent]
        loop = _stream_entry(policy.function)
        rooms = len(self._games)  # one for each thread that has something to do

        def work(thread: int) -> None:
            for i in range(thread, self._count, rooms):
                lo = i * self._room
                counts[i] = loop(
                    self.rules.record, self._games, self._evals, self._views, self._orders, self._scratch,
                    others, self._planes, self._seated, thread, self._seed, self._first + i, iteration * HANDS_APART,
                    shares, net, guest, policy.data, self._tables, self._enough, self._rows[lo : lo + self._room],
                    self._active[lo : lo + self._room], tallies[i],
                )  # fmt: skip

        self.threads.map(work, range(rooms))
        self._gather(counts)
        return Tally(*(int(x) for x in tallies.sum(axis=0)))

    def _gather(self, counts: NDArray[np.int64]) -> None:
        """Move the streams' rows together."""
        self._ends = np.concatenate([[0], np.cumsum(counts)])
        used = max(int(self._rows["seen"][i * self._room : i * self._room + n].max()) for i, n in enumerate(counts))
        for i, (lo, hi) in enumerate(itertools.pairwise(self._ends)):
            start = i * self._room
            if start != lo:
                self._rows[lo:hi] = self._rows[start : start + counts[i]]
                self._active[lo:hi, :used] = self._active[start : start + counts[i], :used]
        self.rows = self._rows[: self._ends[-1]]
        self.active = self._active[: self._ends[-1]]

    def advantages(
        self, rewards: NDArray[np.float32], values: NDArray[np.float32], decay: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Advantage of each row, and what its value should have been."""
        out = np.empty((2, len(self.rows)), np.float32)
        carry = np.zeros((3, st.SEATS))
        for lo, hi in itertools.pairwise(self._ends.tolist()):
            advantage_rows(self.rows, lo, hi, rewards, values, decay, carry, out[0], out[1])
        return out[0], out[1]
