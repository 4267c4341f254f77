"""Rollouts for search: copy hands, try an action in each, play them out under a compiled policy.

With `paohuzi_env.core.determinize` for hidden tiles, this is all that a Monte Carlo player needs; nothing of it runs
in Python. A policy of your own is a function over a VIEW, compiled with `paohuzi_env.core._compile.kernel`:

    @kernel
    def lowest(v, r, word):
        action = 0
        while v.legal >> action & 1 == 0:
            action += 1
        return action

    rollouts = Rollouts("hunan", policy=lowest)
    scores = rollouts(games, actions)

One that needs tables, weights or room to work in is a `Policy`: its function gets them beside the view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.checks import refuse_unsound, whole
from paohuzi_env.core import rollout
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED, entry, kernel
from paohuzi_env.core.rng import advance, key
from paohuzi_env.core.turn import step
from paohuzi_env.core.view import view
from paohuzi_env.errors import IllegalActionError, shown
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet, rule_set, seed_word

MOST_THREADS = 1024
NO_SCRATCH = np.dtype([("none", "i1")])


@dataclass(frozen=True, eq=False)
class Policy:
    """A compiled policy and what it reads: ``function(v, r, data, scratch, word) -> action``.

    Attributes
    ----------
    function
        A kernel over a VIEW record, the rules' record, `data`, a record of `scratch`, and a generator word.
    data
        Arrays that it reads, shared by all threads: weights, tables.
    scratch
        The dtype of a record that it may write into; every thread has one of its own.
    """

    function: Callable[..., int]
    data: tuple[NDArray[Any], ...] = ()
    scratch: np.dtype[Any] = NO_SCRATCH

    def __post_init__(self) -> None:
        if not _is_kernel(self.function):
            raise TypeError(f"policy's function = {shown(self.function)}; allowed: a function under @kernel")


class Rollouts:
    """Plays hands to their end, many in a call.

    Parameters
    ----------
    rules
        The rule set of the hands.
    policy
        A compiled policy: a kernel ``(v, r, word) -> action``, a `Policy`, or None for uniformly random play, which
        needs no view and is several times as fast. The loop around a policy is compiled once, in some seconds, and
        kept on disk as the policy itself is (what was typed at a prompt is not). As all kernels, a policy must not
        make arrays.
    threads
        Threads that share the hands of a call.
    """

    def __init__(
        self, rules: RuleSet | str = "hunan", policy: Policy | Callable[..., int] | None = None, *, threads: int = 1
    ) -> None:  # fmt: skip
        threads = whole("threads", threads, 1, MOST_THREADS)
        self.rules = rule_set(rules)
        self._loop = rollout.rollouts_uniform if policy is None else _loop_of(as_policy(policy), threads)
        self._evals = st.allocate(threads, st.EVAL)
        self._games = st.allocate(threads, st.GAME)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._threads = threads
        self.decisions = 0
        """Decisions of the last call."""

    def __call__(
        self, games: Any, actions: NDArray[np.integer[Any]] | None = None, *, seed: int = 0,
        words: NDArray[np.integer[Any]] | None = None,
    ) -> NDArray[np.int32]:  # fmt: skip
        """The settlement of each hand after its action and a playout.

        Parameters
        ----------
        games
            A GAME array (as `determinize_many` fills it), or a sequence of `Game`. It is not changed.
        actions
            One for each hand, tried first; -1, or None for all, for none.
        seed, words
            Row i draws its random numbers from (seed, words[i]); rows with equal words share them (common random
            numbers across candidate actions). By default every row has its own.

        Returns
        -------
        int32, (N, 3)
            Scores by seat, in base units.

        Raises
        ------
        IllegalActionError
            The action of a row is not legal there; the row is named.
        """
        array = _gather(games, self.rules)
        n = len(array)
        acts = _numbers("actions", actions, n, -1)
        tags = _numbers("words", words, n, None)
        legal = array["legal"].astype(np.int64)
        wrong = np.flatnonzero((acts != -1) & ((acts < 0) | (acts > 31) | (legal >> np.clip(acts, 0, 31) & 1 == 0)))
        if wrong.size:
            raise IllegalActionError(f"row {wrong[0]}: action {acts[wrong[0]]} is not legal")
        scores = np.zeros((n, st.SEATS), np.int32)
        word = seed_word(seed)
        bounds = [n * t // self._threads for t in range(self._threads + 1)]

        def work(t: int) -> int:
            return self._loop(
                array,
                acts,
                bounds[t],
                bounds[t + 1],
                self.rules.record,
                self._evals,
                self._games,
                t,
                word,
                tags,
                scores,
            )

        if self._pool is None:
            self.decisions = int(work(0))
        else:
            self.decisions = sum(self._pool.map(work, range(self._threads)))
        return scores


def as_policy(policy: Policy | Callable[..., int]) -> Policy:
    """A `Policy`, made of a kernel ``(v, r, word) -> action`` where it is none yet."""
    if isinstance(policy, Policy):
        return policy
    if not _is_kernel(policy):
        raise TypeError(
            f"policy = {shown(policy)}; allowed: a function (v, r, word) -> action under @kernel, a Policy, or None"
        )
    return Policy(_without_data(policy))


@cache
def _without_data(policy: Callable[..., int]) -> Callable[..., int]:
    @kernel
    def function(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
        return policy(v, r, word)

    return function


def records(array: Any) -> Any:
    """An array of records as kernels read it, interpreted or compiled: a copy where it must be."""
    if COMPILED:
        return array
    readable = st.allocate(len(array), array.dtype)
    readable[:] = array
    return readable


def _is_kernel(function: object) -> bool:
    return callable(function) and (hasattr(function, "py_func") or not COMPILED)


def _gather(games: Any, rules: RuleSet) -> Any:
    if isinstance(games, np.ndarray):
        if games.dtype != st.GAME or games.ndim != 1:
            kind = "GAME records" if games.dtype == st.GAME else f"dtype {games.dtype}"[:60]
            raise ValueError(f"games of {kind}, shape {games.shape}; allowed: GAME of one axis, or a list of Game")
        refuse_unsound(records(games), rules)
        return games
    if not isinstance(games, Sequence):
        raise TypeError(f"games of type {type(games).__name__}; allowed: a GAME array, or a list of Game")
    array = st.allocate(len(games), st.GAME)
    for i, game in enumerate(games):
        if not isinstance(game, Game) or game.rules != rules:
            raise ValueError(f"row {i}: {shown(game)}; allowed: a Game of rule set {rules}")
        array[i] = game.record
    return array


def _numbers(name: str, values: Sequence[int] | NDArray[Any] | None, n: int, default: int | None) -> NDArray[np.int64]:
    if values is None:
        return np.arange(n) if default is None else np.full(n, default, np.int64)
    array = np.asarray(values)
    if array.shape != (n,) or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"{name} of shape {array.shape}, dtype {array.dtype}; allowed: whole numbers ({n},)")
    if default is not None and array.dtype.kind == "u":  # the greatest would come out negative
        array = np.minimum(array, np.iinfo(np.int64).max)
    return np.ascontiguousarray(array, np.int64)


@cache
def _playout_entry(policy: Callable[..., int]) -> Callable[..., int]:
    """The playout loop with a policy's function compiled in."""
    over = st.OVER

    @kernel
    def play_out(g: Any, r: Any, e: Any, v: Any, data: Any, scratch: Any, word: Any) -> int:
        n = 0
        while g.phase != over:
            word = advance(word)
            view(g, r, v, g.actor, 0)
            action = policy(v, r, data, scratch, word)
            if action < 0 or action > 31 or g.legal >> action & 1 == 0:
                action = 0
                while g.legal >> action & 1 == 0:
                    action += 1
            step(g, r, e, action)
            n += 1
        return n

    @entry
    def loop(
        sources: Any, actions: Any, lo: int, hi: int, rules: Any, evals: Any, games: Any, views: Any, data: Any,
        scratches: Any, thread: int, seed: Any, words: Any, scores: Any,
    ) -> int:  # fmt: skip
        r = rules[0]
        e = evals[thread]
        v = views[thread]
        n = 0
        for i in range(lo, hi):
            games[thread] = sources[i]
            g = games[thread]
            if actions[i] >= 0 and g.phase != over:
                step(g, r, e, actions[i])
            n += play_out(g, r, e, v, data, scratches[thread], key(seed, 0, words[i]))
            for s in range(3):
                scores[i, s] = g.scores[s]
        return n

    return loop


def _loop_of(policy: Policy, threads: int) -> Any:
    """The playout loop of a policy, with views and scratch for so many threads."""
    loop = _playout_entry(policy.function)
    views = st.allocate(threads, st.VIEW)
    scratches = st.allocate(threads, policy.scratch)

    def call(
        sources: Any, actions: Any, lo: int, hi: int, rules: Any, evals: Any, games: Any, thread: int, seed: Any,
        words: Any, scores: Any,
    ) -> int:  # fmt: skip
        return loop(
            sources, actions, lo, hi, rules, evals, games, views, policy.data, scratches, thread, seed, words, scores
        )

    return call


@cache
def _choice_entry(policy: Callable[..., int]) -> Callable[..., None]:
    """The loop over views of a policy's function."""

    @entry
    def loop(
        views: Any, words: Any, lo: int, hi: int, rules: Any, data: Any, scratches: Any, thread: int, actions: Any
    ) -> None:
        r = rules[0]
        for i in range(lo, hi):
            actions[i] = policy(views[i], r, data, scratches[thread], words[i])

    return loop


class Choices:
    """What a policy chooses in each of many views.

    Parameters
    ----------
    rules
        The rule set of the views.
    policy
        As for `Rollouts`.
    """

    def __init__(self, rules: RuleSet | str, policy: Policy | Callable[..., int]) -> None:
        self.rules = rule_set(rules)
        self._policy = as_policy(policy)
        self._loop = _choice_entry(self._policy.function)
        self._scratch = st.allocate(1, self._policy.scratch)

    def __call__(self, views: Any, words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """An action for each view; `words` (uint64) is where its random numbers come from."""
        if not isinstance(views, np.ndarray) or views.dtype != st.VIEW or np.shape(words) != views.shape:
            have = f"{type(views).__name__} of {np.shape(views)}, words of {np.shape(words)}"
            raise ValueError(f"views: {have}; allowed: a VIEW array of one axis, and as many words")
        actions = np.zeros(len(views), np.int64)
        self._loop(
            records(views), np.ascontiguousarray(words, np.uint64), 0, len(views), self.rules.record, self._policy.data,
            self._scratch, 0, actions,
        )  # fmt: skip
        return actions
