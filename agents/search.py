"""Determinized Monte Carlo search: hidden tiles are drawn, each legal action is tried, and hands are played out.

A *world* is a hand that the seat could be sitting in, drawn from its VIEW alone. In every world each action that is
still in question is tried and played out with the same random numbers, so that actions are compared within worlds,
where they differ far less than results do. An action that is behind by `CLEARLY` standard errors is dropped, and the
search ends when one is left. At the end the choice of another agent, the `prior`, stands unless another action is
better by `TRUST` standard errors: a good player is right more often than a small difference is.

A decision is taken in compiled code and from its own word: neither other positions of the batch nor threads change it.
With a time budget the number of worlds depends on the machine, and so may the choice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.light import choose_light, light
from agents.registry import make
from paohuzi_env.checks import whole
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.determinize import DRAWN_UP, determinize, prepare, workspace
from paohuzi_env.core.rng import advance, key
from paohuzi_env.core.turn import step
from paohuzi_env.core.view import view
from paohuzi_env.rules import RuleSet, empty_evals
from paohuzi_env.search import NO_SCRATCH, records

PLAYOUTS: Final = 1000
MOST_PLAYOUTS: Final = 10**9
MOST_MILLISECONDS: Final = 3_600_000.0
NEVER: Final = 1 << 30
"""A depth that no playout reaches."""
ROUND: Final = 8
"""Worlds between two looks at which actions are clearly behind; the first look is after two rounds."""
CLEARLY: Final = 3.0
TRUST: Final = 1.0
SLICE: Final = 4
"""Worlds between two looks at the clock."""

# Streams of a decision's word.
OF_WORLDS: Final = 1
OF_PLAYOUTS: Final = 2

TRIAL: Final = np.dtype(
    [
        ("own", "i8"),  # the choice that stands unless another is better
        ("alive", "i8"),  # bit for each action still in question
        ("count", "i8"),  # how many they are
        ("worlds", "i8"),
        ("playouts", "i8"),
        ("result", "f8", (NUM_ACTIONS,)),  # in the world at hand
        ("total", "f8", (NUM_ACTIONS,)),
        ("product", "f8", (NUM_ACTIONS, NUM_ACTIONS)),  # sums of products of results
    ],
    align=True,
)
"""What has been learned of one decision."""


@dataclass(frozen=True, eq=False)
class Value:
    """A compiled value function: ``function(v, r, data, scratch) -> points`` that the seat of a VIEW may expect.

    An agent that has one offers it as its attribute `value`; it is asked about own decisions of the searching seat.
    `data` and `scratch` are as those of a `Policy`.
    """

    function: Callable[..., float]
    data: tuple[NDArray[Any], ...] = ()
    scratch: np.dtype[Any] = NO_SCRATCH


@kernel
def no_value(v: Any, r: Any, data: Any, scratch: Any) -> float:
    """Stands where playouts are never cut short."""
    return 0.0


@kernel
def rooted(points: float) -> Any:
    """The square root of points, with their sign: few large wins would drown all else, and taking roots finds better
    choices with the playouts that there is time for.
    """
    return np.sqrt(points) if points >= 0.0 else -np.sqrt(-points)


# --- what has been learned --------------------------------------------------------------------------------------------


@kernel
def open_trial(t: Any, legal: int, own: int) -> None:
    """Nothing is known yet. An `own` choice that is not legal is none: the lowest legal action stands for it."""
    t.own = own if own >= 0 and own < NUM_ACTIONS and legal >> own & 1 else 0
    while legal >> t.own & 1 == 0:
        t.own += 1
    t.alive = legal
    t.count = 0
    t.worlds = 0
    t.playouts = 0
    for a in range(NUM_ACTIONS):
        t.count += legal >> a & 1
        t.total[a] = 0.0
        for b in range(NUM_ACTIONS):
            t.product[a, b] = 0.0


@kernel
def note_result(t: Any, a: int, result: float) -> None:
    """The result of action `a` in the world at hand; actions are tried in ascending order."""
    t.result[a] = result
    t.total[a] += result
    t.playouts += 1
    for b in range(a + 1):
        if t.alive >> b & 1:
            t.product[a, b] += result * t.result[b]


@kernel
def lead(t: Any, a: int, b: int) -> Any:
    """By how much the mean of action `a` is above that of `b`."""
    return (t.total[a] - t.total[b]) / t.worlds


@kernel
def error_of_lead(t: Any, a: int, b: int) -> Any:
    """The standard error of `lead`, from the differences within worlds."""
    n = t.worlds
    squares = t.product[a, a] + t.product[b, b] - 2.0 * t.product[max(a, b), min(a, b)]
    d = lead(t, a, b)
    return np.sqrt(max(squares / n - d * d, 0.0) / (n - 1))


@kernel
def leader(t: Any) -> Any:
    """The action with the best mean."""
    best = -1
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and (best < 0 or t.total[a] > t.total[best]):
            best = a
    return best


@kernel
def drop_losers(t: Any, clearly: float) -> None:
    """Drop the actions that are behind the leader by so many standard errors."""
    best = leader(t)
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and a != best and lead(t, best, a) > clearly * error_of_lead(t, best, a):
            t.alive &= ~(1 << a)
            t.count -= 1


@kernel
def verdict(t: Any, trust: float) -> Any:
    """The own choice, or the action that is better by most when `trust` standard errors are taken off."""
    own = t.own
    if t.worlds < 2:
        return own
    if t.alive >> own & 1 == 0:
        return leader(t)
    best = own
    most = 0.0
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and a != own:
            surely = lead(t, a, own) - trust * error_of_lead(t, a, own)
            if surely > most:
                most = surely
                best = a
    return best


# --- playouts ---------------------------------------------------------------------------------------------------------


@cache
def _chooser(policy: Callable[..., int]) -> Callable[..., int]:
    """A policy's choice in a game, by way of the actor's view; an illegal one is the lowest legal action."""
    if policy is light:
        return choose_light

    @kernel
    def choose(g: Any, r: Any, v: Any, data: Any, scratch: Any, word: Any) -> int:
        view(g, r, v, g.actor, 0)
        action = policy(v, r, data, scratch, word)
        if action < 0 or action > 31 or g.legal >> action & 1 == 0:
            action = 0
            while g.legal >> action & 1 == 0:
                action += 1
        return action

    return choose


@cache
def _search_entry(policy: Callable[..., int], value: Callable[..., float]) -> Callable[..., None]:
    """The search with a policy and a value function compiled in."""
    choose = _chooser(policy)
    over, drawn_up, actions = st.OVER, DRAWN_UP, NUM_ACTIONS
    of_worlds, of_playouts, round_size = OF_WORLDS, OF_PLAYOUTS, ROUND

    @kernel
    def play_out(
        g: Any, r: Any, e: Any, v: Any, seat: int, data: Any, scratch: Any, value_data: Any, value_scratch: Any,
        depth: int, wins: int, word: Any,
    ) -> Any:  # fmt: skip
        n = 0
        while g.phase != over:
            if n >= depth and g.actor == seat:
                view(g, r, v, seat, 0)
                return rooted(value(v, r, value_data, value_scratch))
            word = advance(word)
            step(g, r, e, choose(g, r, v, data, scratch, word))
            n += 1
        if wins:
            return 1.0 if g.winner == seat else 0.0
        return rooted(float(g.scores[seat]))

    @entry
    def search(
        views: Any, words: Any, prior: Any, lo: int, hi: int, rules: Any, works: Any, games: Any, evals: Any,
        own_views: Any, data: Any, scratches: Any, value_data: Any, value_scratches: Any, trials: Any, afresh: int,
        budget: int, depth: int, wins: int, clearly: float, trust: float, out: Any,
    ) -> None:  # fmt: skip
        """Decide positions lo..hi-1 with `budget` playouts each; with `afresh` 0 go on with one begun before."""
        r = rules[0]
        t = trials[0]
        for i in range(lo, hi):
            v = views[i]
            word = words[i]
            if afresh:
                open_trial(t, v.legal, prior[i])
                if t.count > 1 and prepare(v, r, works[0]) != drawn_up:
                    t.count = 0
            while t.count > 1 and t.playouts + t.count <= budget:
                if determinize(v, r, works[0], games[0], key(word, of_worlds, t.worlds)) != drawn_up:
                    t.count = 0
                    break
                for a in range(actions):
                    if t.alive >> a & 1:
                        games[1] = games[0]
                        step(games[1], r, evals[0], a)
                        result = play_out(
                            games[1], r, evals[0], own_views[0], v.seat, data, scratches[0], value_data,
                            value_scratches[0], depth, wins, key(word, of_playouts, t.worlds),
                        )  # fmt: skip
                        note_result(t, a, result)
                t.worlds += 1
                if t.worlds % round_size == 0 and t.worlds >= 2 * round_size:
                    drop_losers(t, clearly)
            out[i] = verdict(t, trust)

    return search


# --- the agent --------------------------------------------------------------------------------------------------------


class Search(Agent):
    """Determinized Monte Carlo search over playouts of a compiled policy.

    Parameters
    ----------
    rules
        The rule set that it plays by.
    playouts
        Playouts of a decision, at most; 1000 unless a time is given.
    milliseconds
        Time of a decision, at most, in place of a number: what it plays then depends on the machine.
    policy
        The agent that plays the playouts, by name: one with a compiled policy. Many playouts by a quick one are worth
        more than few by a good one.
    prior
        The agent whose choice stands unless the playouts speak against it, by name: any.
    depth
        Decisions after which a playout ends, at the next one of the searching seat, in the policy's agent's own value
        of it (`Value`); 0 plays every hand to its end.
    goal
        What it looks for: "points" (by their roots, see `rooted`), or "wins" whatever they pay.
    """

    batch = 64

    def __init__(
        self, rules: RuleSet | str = "hunan", playouts: int | None = None, milliseconds: float | None = None,
        policy: str = "light", prior: str = "heuristic", depth: int = 0,
        goal: Literal["points", "wins"] = "points", *, seed: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(rules, seed=seed)
        if playouts is not None and milliseconds is not None:
            raise ValueError(f"playouts = {playouts} and milliseconds = {milliseconds}; allowed: one of them")
        if milliseconds is not None and not 0.0 < milliseconds <= MOST_MILLISECONDS:
            raise ValueError(f"milliseconds = {milliseconds}; allowed: above 0, to {MOST_MILLISECONDS:.0f}")
        if goal not in ("points", "wins"):
            raise ValueError(f"goal = {goal!r}; allowed: points, wins")
        self._playouts = whole("playouts", PLAYOUTS if playouts is None else playouts, 1, MOST_PLAYOUTS)
        self._seconds = None if milliseconds is None else milliseconds / 1000.0
        self._depth = whole("depth", depth, 0, NEVER) or NEVER
        self._wins = int(goal == "wins")
        self._player = make(policy, self.rules)
        self._prior = make(prior, self.rules, seed=seed)
        plays = self._player.policy
        if plays is None:
            raise ValueError(f"policy = {policy!r}: it has no compiled policy; allowed: an agent that has")
        for option, name, agent in (("policy", policy, self._player), ("prior", prior, self._prior)):
            if agent.history:
                raise ValueError(f"{option} = {name!r}: it looks at past events; allowed: an agent that does not")
        value = getattr(self._player, "value", None)
        if depth and (value is None or self._wins):
            why = "goal wins has no" if self._wins else f"{policy} has no"
            raise ValueError(f"depth = {depth}: {why} value function; allowed: 0")
        worth: Value = value if depth and value is not None else Value(no_value)
        self._loop = _search_entry(plays.function, worth.function)
        self._room = (
            self.rules.record, workspace(), st.allocate(2, st.GAME), empty_evals(), st.allocate(1, st.VIEW),
            plays.data, st.allocate(1, plays.scratch), worth.data, st.allocate(1, worth.scratch),
        )  # fmt: skip
        self._trials = st.allocate(1, TRIAL)

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros(len(views), np.int64)
        seen = records(views)
        words = np.ascontiguousarray(words, np.uint64)
        start = perf_counter()
        prior = np.ascontiguousarray(self._prior.choose(views, words, hands), np.int64)
        if self._seconds is None:
            self._search(seen, words, prior, 0, len(seen), 1, self._playouts, out)
        else:
            left = self._seconds - (perf_counter() - start) / max(len(seen), 1)
            for i in range(len(seen)):
                self._search_for(left, seen, words, prior, i, out)
        return out

    def _search(
        self, views: Any, words: Any, prior: Any, lo: int, hi: int, afresh: int, budget: int, out: Any
    ) -> None:
        self._loop(
            views, words, prior, lo, hi, *self._room, self._trials, afresh, budget, self._depth, self._wins, CLEARLY,
            TRUST, out,
        )  # fmt: skip

    def _search_for(self, seconds: float, views: Any, words: Any, prior: Any, i: int, out: Any) -> None:
        """Decide position i in slices of a few worlds, while there is time for one more like the last."""
        start = now = perf_counter()
        trial = self._trials[0]
        self._search(views, words, prior, i, i + 1, 1, 0, out)
        while trial["count"] > 1:
            began = now
            budget = int(trial["playouts"]) + SLICE * int(trial["count"])
            self._search(views, words, prior, i, i + 1, 0, budget, out)
            now = perf_counter()
            if 2 * now - began - start > seconds:
                break

    @property
    def fingerprint(self) -> str:
        parts = (super().fingerprint, self._player.fingerprint, self._prior.fingerprint)
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def close(self) -> None:
        self._player.close()
        self._prior.close()
