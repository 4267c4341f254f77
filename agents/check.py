"""Does a program keep to the protocol? Probes of one, from its first line to its end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from agents import told
from agents.base import Agent, decision_words
from agents.external import External
from agents.play import play_hand
from agents.program import Fault
from paohuzi_env.errors import PaohuziError
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet

PAUSE: Final = 0.2
"""Seconds in which a program that answers what it should not has done so."""
ENDS_IN: Final = 5.0
"""Seconds that it has to end when it is told to."""


class CheckError(PaohuziError):
    """A program that fails probes."""


@dataclass
class Probe:
    """One thing that was tried: what came of it, and whether that was right."""

    name: str
    passed: bool
    found: str


@dataclass
class Latency:
    """How long a program took for its decisions under one rule set."""

    rules: RuleSet
    hands: int = 0
    seconds: list[float] = field(default_factory=list)

    def row(self) -> tuple[object, ...]:
        """For a table: rule set, hands, decisions, and milliseconds (median, 99 of 100, most)."""
        ms = np.array(self.seconds or [0.0]) * 1000
        return (str(self.rules), self.hands, len(self.seconds), *(f"{np.quantile(ms, q):.1f}" for q in (0.5, 0.99, 1)))


class _Timed(Agent):
    """The program under probe, with the time of each of its answers."""

    history = External.history

    def __init__(self, external: External, latency: Latency) -> None:
        super().__init__(external.rules, seed=external.seed)
        self._external, self._latency = external, latency

    def choose(self, views: Any, words: Any, hands: Any) -> Any:
        started = time.perf_counter()
        actions = self._external.choose(views, words, hands)
        self._latency.seconds.append(time.perf_counter() - started)
        return actions

    def ended(self, views: Any, hands: Any) -> None:
        self._external.ended(views, hands)


class Checker:
    """Probes one program.

    Parameters
    ----------
    externals
        The program as an agent, once for each rule set that it is to play.
    hands
        Hands of each.
    seed
        Fixes their deals.
    """

    def __init__(self, externals: Sequence[External], hands: int, seed: int) -> None:
        self._externals = externals
        self._hands, self._seed = hands, seed
        self.latencies: list[Latency] = []

    def probes(self) -> Iterator[Probe]:
        """Make the probes one after another. A program that can't be greeted is asked no more."""
        first = self._externals[0]
        greeting = self._greeting(first)
        yield greeting
        if not greeting.passed:
            return
        for external in self._externals:
            yield self._play(external)
        yield self._strange(first)
        yield self._again(first)
        yield self._notice(first)
        told_to = self._ends(first, "quit", told.line_of(told.QUIT))
        yield told_to
        if told_to.passed:
            yield self._ends(first, "end of input", b"")

    def _greeting(self, external: External) -> Probe:
        started = time.perf_counter()
        try:
            external.running()
        except Fault as fault:
            external.failed(fault)
            return Probe("hello", False, str(fault))
        took = time.perf_counter() - started
        return Probe("hello", True, f"{external.program_name!r}, {took * 1000:.0f} ms after its start")

    def _play(self, external: External) -> Probe:
        """The program in all seats, hand by hand; the first fault ends it."""
        latency = Latency(external.rules)
        self.latencies.append(latency)
        timed = _Timed(external, latency)
        name = f"plays {external.rules}"
        greeting = self._greeting(external)  # its start is no part of its latency
        if not greeting.passed:
            return Probe(name, False, greeting.found)
        for number in range(self._hands):
            game = Game.deal(external.rules, self._seed, number)
            play_hand(game, [timed], [0] * external.rules.seats, number)
            seat = int(game.record["fault_seat"])
            if seat >= 0:
                return Probe(name, False, f"{external.fault} (--seed {self._seed}, hand {number}, seat {seat})")
            latency.hands += 1
        external.close()
        return Probe(name, True, f"{latency.hands} hands, {len(latency.seconds)} decisions, all legal")

    def _strange(self, external: External) -> Probe:
        """A key of a later version, and text that is not ASCII."""
        question, legal = self._question(external)
        question["move"] = {"note": "跑胡子 · 壹貳參 · é · 🀄", "later": {"a": [1, None]}, **question["move"]}
        return self._asked("unknown keys, Chinese text", external, question, legal)

    def _again(self, external: External) -> Probe:
        """Killed and started again in the middle of a hand: it needs nothing from before."""
        name = "restart in a hand"
        question, legal = self._question(external)
        before = self._asked(name, external, question, legal)
        external.failed(Fault("crash", "killed by the check"))
        after = self._asked(name, external, question, legal)
        if not before.passed or not after.passed:
            return after if before.passed else before
        same = "the same answer" if before.found == after.found else "another answer to the same question and seed"
        return Probe(name, True, same)

    def _notice(self, external: External) -> Probe:
        """What it is told without being asked needs no answer."""
        question, legal = self._question(external)
        notices: list[told.Told] = [
            {"end": {"number": 0, "seat": 0, "winner": None, "scores": [0, 0, 0]}},
            {"later": {}},
        ]
        try:
            program = external.running()
            for notice in notices:
                program.tell(told.line_of(notice))
            time.sleep(PAUSE)  # an answer to them has to be here before the next question
        except Fault as fault:
            external.failed(fault)
            return Probe("notices", False, str(fault))
        found = self._asked("notices", external, question, legal)
        return found if not found.passed else Probe("notices", True, "no answer to what is no question")

    def _ends(self, external: External, name: str, line: bytes) -> Probe:
        """It ends by itself, with status 0, when it is told to, or when its input ends."""
        greeting = self._greeting(external)
        if not greeting.passed:
            return Probe(name, False, greeting.found)
        started = time.perf_counter()
        ended = external.stop(line, ENDS_IN)
        took = f"within {time.perf_counter() - started:.2f} s"
        return Probe(name, ended, f"ended {took}" if ended else f"did not end by itself, with status 0, {took}")

    def _question(self, external: External) -> tuple[told.Told, dict[str, int]]:
        game = Game.deal(external.rules, self._seed, 0)
        index = 0
        while game.actor is None:  # a hand that was won on the deal
            index += 1
            game = Game.deal(external.rules, self._seed, index)
        view = game.view(game.actor, external.history)[0]
        seed = int(decision_words(self._seed, 0, 0, 0, 0)[0]) >> 11
        return told.move(view, external.rules, number=0, seed=seed)

    def _asked(self, name: str, external: External, question: told.Told, legal: dict[str, int]) -> Probe:
        try:
            action = external.answer(question, legal, external.move)
        except Fault as fault:
            external.failed(fault)
            return Probe(name, False, str(fault))
        return Probe(name, True, next(text for text, number in legal.items() if number == action))
