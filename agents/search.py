"""Determinized Monte Carlo search: hidden tiles are drawn, each legal action is tried, and hands are played out.

A *world* is a hand that the seat could be sitting in, drawn from its VIEW alone (`paohuzi_env.core.determinize`). In
every world each action that is still in question is tried once and played out with the same random numbers, so that
what is compared are differences of actions within worlds, which vary far less than the results. An action that is
behind by several standard errors is dropped; when one is left, the search ends. At the end the playout policy's own
choice stands unless another is better by more than chance would have it.

A decision is taken in compiled code from the first world to the last, and from the words of the decision alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from agents.light import worth, light_game, light_view, WEIGHTS, value_tables
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.determinize import DRAWN_UP, determinize, prepare, workspace
from paohuzi_env.core.arrange import unit
from paohuzi_env.core.rng import advance, key
from paohuzi_env.core.turn import step
from paohuzi_env.core.view import view
from paohuzi_env.rules import RuleSet, empty_evals, rule_set
from paohuzi_env.search import Policy, records

ROUND: Final = 8

TRIAL: Final = np.dtype(
    [
        ("alive", "i8"),  # bit for each action still in question
        ("worlds", "i8"),
        ("playouts", "i8"),
        ("choice", "i8"),  # the policy's own
        ("score", "f8", (NUM_ACTIONS,)),
        ("sum", "f8", (NUM_ACTIONS,)),
        ("product", "f8", (NUM_ACTIONS, NUM_ACTIONS)),
        ("candidates", "i8"),
        ("accepted", "i8"), ("belief", "f8"),
    ],
    align=True,
)


@kernel
def gain_error(t: Any, a: int, b: int) -> float:
    """Standard error of the mean difference of actions a and b."""
    n = t.worlds
    d = (t.sum[a] - t.sum[b]) / n
    var = (t.product[a, a] + t.product[b, b] - 2.0 * t.product[a, b]) / n - d * d
    return np.sqrt(max(var, 1e-9) / (n - 1))


@kernel
def leader(t: Any) -> int:
    best = -1
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and (best < 0 or t.sum[a] > t.sum[best]):
            best = a
    return best


@kernel
def drop(t: Any, errors: float) -> None:
    best = leader(t)
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and a != best:
            if (t.sum[best] - t.sum[a]) / t.worlds > errors * gain_error(t, best, a):
                t.alive &= ~(1 << a)


@kernel
def verdict(t: Any, trust: float) -> int:
    own = t.choice
    if t.worlds < 2 or t.alive >> own & 1 == 0:
        return leader(t) if t.worlds > 0 else own
    best = own
    most = 0.0
    for a in range(NUM_ACTIONS):
        if t.alive >> a & 1 and a != own:
            gain = (t.sum[a] - t.sum[own]) / t.worlds - trust * gain_error(t, a, own)
            if gain > most:
                most = gain
                best = a
    return best


@kernel
def play_light(g: Any, r: Any, e: Any, v: Any, data: Any, scratch: Any, word: Any) -> int:
    n = 0
    while g.phase != st.OVER:
        word = advance(word)
        step(g, r, e, light_game(g, r, data[0], data[1], word))
        n += 1
    return n


@cache
def _play_policy(policy: Callable[..., int]) -> Callable[..., int]:
    over = st.OVER

    @kernel
    def play(g: Any, r: Any, e: Any, v: Any, data: Any, scratch: Any, word: Any) -> int:
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

    return play


@kernel
def plausible(g: Any, r: Any, s: int, tables: Any, w: Any, o: Any) -> float:
    total = 0.0
    n = g.wall_end + 0.0
    played = (n - (g.wall_end - g.wall_next)) / n
    for p in range(r.players):
        if p != s:
            total += worth(tables, w, 0, g.rows[p, 0], g.rows[p, 1], g.quads[p]) / 100.0 + o[3] * g.kans[p]
    return total * (o[1] + o[2] * played)


@kernel
def draw_world(v: Any, r: Any, h: Any, games: Any, word: Any, first: int, data: Any, o: Any, t: Any) -> int:
    code = 0
    n = int(o[0])
    if n == 0:
        return determinize(v, r, h, games[0], word)
    if first:
        code = determinize(v, r, h, games[0], word)
        if code != DRAWN_UP:
            return code
        t.belief = plausible(games[0], r, v.seat, data[0], data[1], o)
        n = int(o[4])
    for j in range(n):
        word = advance(word)
        x = key(word, 5, 5)
        code = determinize(v, r, h, games[2], word)
        if code != DRAWN_UP:
            return code
        b = plausible(games[2], r, v.seat, data[0], data[1], o)
        if b >= t.belief or unit(x) < np.exp(b - t.belief):
            t.belief = b
            games[0] = games[2]
            t.accepted += 1
    return code


@cache
def _search_entry(policy: Callable[..., int], play: Callable[..., int]) -> Callable[..., None]:
    actions, round_, drawn_up = NUM_ACTIONS, ROUND, DRAWN_UP

    @entry
    def search(
        views: Any, words: Any, lo: int, hi: int, rules: Any, works: Any, games: Any, evals: Any, scratch_views: Any,
        data: Any, scratches: Any, trials: Any, budget: int, errors: float, trust: float, options: Any, out: Any,
    ) -> None:
        r = rules[0]
        h = works[0]
        e = evals[0]
        t = trials[0]
        for i in range(lo, hi):
            v = views[i]
            word = words[i]
            t.alive = v.legal
            t.worlds = 0
            t.playouts = 0
            t.candidates = 0
            for a in range(actions):
                t.candidates += v.legal >> a & 1
                t.sum[a] = 0.0
                for b in range(actions):
                    t.product[a, b] = 0.0
            t.choice = policy(v, r, data, scratches[0], key(word, 2, 0))
            if t.candidates == 1 or prepare(v, r, h) != drawn_up:
                out[i] = t.choice
                continue
            k = t.candidates
            while k > 1 and t.playouts + k <= budget:
                if draw_world(v, r, h, games, key(word, 0, t.worlds), t.worlds == 0, data, options, t) != drawn_up:
                    break
                for a in range(actions):
                    if t.alive >> a & 1:
                        games[1] = games[0]
                        g = games[1]
                        step(g, r, e, a)
                        play(g, r, e, scratch_views[0], data, scratches[0], key(word, 1, t.worlds))
                        x = float(g.scores[v.seat])
                        t.score[a] = x
                        t.sum[a] += x
                        t.playouts += 1
                        for b in range(a + 1):
                            if t.alive >> b & 1:
                                t.product[a, b] += x * t.score[b]
                                if a != b:
                                    t.product[b, a] += x * t.score[b]
                t.worlds += 1
                if t.worlds % round_ == 0 and t.worlds >= 2 * round_:
                    drop(t, errors)
                    k = 0
                    for a in range(actions):
                        k += t.alive >> a & 1
            out[i] = verdict(t, trust)

    return search


class Search(Agent):
    """Determinized Monte Carlo search."""

    def __init__(self, rules: RuleSet | str = "hunan", playouts: int = 1000, trust: float = 1.0, errors: float = 3.0, opts: str = "", weights: str = "", *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        w = np.array([int(x) for x in weights.split("/")] if weights else WEIGHTS, np.int64)
        self._data = (value_tables(self.rules, w), w)
        self._loop = _search_entry(light_view, play_light)
        self._playouts = playouts
        self._trust = trust
        self._errors = errors
        self._works = workspace(1)
        self._games = st.allocate(3, st.GAME)
        self._evals = empty_evals()
        self._views = st.allocate(1, st.VIEW)
        self._scratch = np.zeros(1)
        self._trials = st.allocate(1, TRIAL)
        self._options = np.array([float(x) for x in opts.split("/")] if opts else [0.0]*8)
        self.seconds = 0.0; self.searched = 0

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.int64]:
        out = np.zeros(len(views), np.int64)
        t = time.process_time()
        self._loop(records(views), np.ascontiguousarray(words, np.uint64), 0, len(views), self.rules.record, self._works, self._games, self._evals, self._views, self._data, self._scratch, self._trials, self._playouts, self._errors, self._trust, self._options, out)
        self.seconds += time.process_time() - t
        legal = views["legal"]
        self.searched += int(((legal & (legal - 1)) != 0).sum())
        return out
