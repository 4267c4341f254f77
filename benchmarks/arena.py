"""Agents at the table: deal blocks played in lockstep, every hand's result and counts.

A *block* is one deal (or one match of several) played once for each seating of a group of agents (`schedule`). Blocks
are what is independent; the hands in one are not.

>>> import agents
>>> from benchmarks.arena import play_blocks
>>> from benchmarks.deals import deal_set
>>> players = [agents.make("uniform"), agents.make("uniform:seed=1")]
>>> played = play_blocks(players, deal_set("tune", purpose="tuning"), range(10))
>>> len(played.hands), int(played.hands["scores"].sum())
(60, 0)
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.base import RAISED, Agent, answers, fill_words, in_words, refuse_unfit
from benchmarks.deals import DealSet
from benchmarks.lockstep import HAND, answer, look, look_at, sort_asked, write_hands
from benchmarks.schedule import Group, groups_of, seatings
from paohuzi_env.core import state as st
from paohuzi_env.match import Match
from paohuzi_env.rules import RuleSet, empty_evals, seed_word

WIDTH: Final = 4096
"""Hands that are played side by side at most."""
MOST_SEATINGS: Final = 8

OnHands: TypeAlias = Callable[[Any, Any, NDArray[np.float64]], None]
"""What is told of finished hands: GAME (n,), HAND (n,), and the seconds that each seat took (n, 3)."""


@dataclass
class Spent:
    """What asking an agent took: no part of a result, for it is never the same twice.

    Attributes
    ----------
    decisions
        Positions it was asked about.
    seconds
        Time in `choose`, by the clock.
    slowest
        Most seconds a position, over all calls.
    error
        What it raised first.
    """

    decisions: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    error: str = ""

    def note(self, error: str) -> None:
        """What went wrong, unless something did before."""
        self.error = self.error or error

    def add(self, other: Spent) -> None:
        """Sum up."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.slowest = max(self.slowest, other.slowest)
        self.error = self.error or other.error


@dataclass
class Played:
    """What has been played.

    Attributes
    ----------
    hands
        HAND (n,), by block, group, seating and hand of the match.
    spent
        For each agent.
    """

    hands: Any
    spent: list[Spent] = field(default_factory=list)


def play_blocks(
    agents: Sequence[Agent], deals: DealSet, blocks: range, *, groups: Sequence[Group] | None = None,
    hands_per_match: int = 1, on_hands: OnHands | None = None,
) -> Played:  # fmt: skip
    """Play every group of agents on each block, in every seating.

    Block b is hand b of the set, or hands b · n to b · n + n - 1 as a match of n. The result depends on the agents,
    the set and the block alone: not on what else is played, in which order, or how many hands side by side.

    Parameters
    ----------
    agents
        The agents, all of one rule set.
    deals
        The deal set (`benchmarks.deals.deal_set`).
    blocks
        Numbers of blocks.
    groups
        Numbers of agents that play each other; by default all at one table, or each two where they are more.
    hands_per_match
        Hands of a match; the winner deals on (`paohuzi_env.match`).
    on_hands
        Called with finished hands.

    Raises
    ------
    ValueError
        The agents are of different rule sets, or a group can't sit at the table.
    """
    rules = _common_rules(agents)
    if groups is None:
        groups = groups_of("tables" if len(agents) == rules.seats else "pairs", len(agents), rules.seats)
    plan = _plan(groups, rules.seats, blocks)
    spent = [Spent() for _ in agents]
    parts = []
    for start in range(0, len(plan), WIDTH):
        table = _Table(agents, deals, rules, plan[start : start + WIDTH], len(groups), hands_per_match, spent)
        parts.append(table.play(on_hands))
    return Played(np.concatenate(parts), spent)


def _common_rules(agents: Sequence[Agent]) -> RuleSet:
    if not agents:
        raise ValueError("no agents; needed: one or more")
    for agent in agents:
        refuse_unfit(agent)
        if agent.rules != agents[0].rules:
            raise ValueError(f"{agent!r} plays by {agent.rules}, {agents[0]!r} by {agents[0].rules}; allowed: one")
    return agents[0].rules


def _plan(groups: Sequence[Group], seats: int, blocks: range) -> Any:
    """A HAND for each hand or match that is to be played, with who sits where."""
    rows = [(g, k, seating) for g, group in enumerate(groups) for k, seating in enumerate(seatings(group, seats))]
    plan = np.zeros((len(blocks), len(rows)), HAND)
    plan["block"] = np.asarray(blocks, np.int64)[:, None]
    plan["agents"] = -1
    for at, (group, number, seating) in enumerate(rows):
        plan["group"][:, at] = group
        plan["seating"][:, at] = number
        plan["agents"][:, at, :seats] = seating
    return plan.reshape(-1)


class _Table:
    """Rows played side by side, each one hand or one match."""

    def __init__(
        self, agents: Sequence[Agent], deals: DealSet, rules: RuleSet, plan: Any, groups: int, hands_per_match: int,
        spent: list[Spent],
    ) -> None:  # fmt: skip
        self._agents = agents
        self._deals = deals
        self._rules = rules
        self._plan = plan
        self._length = hands_per_match
        self._spent = spent
        self._evals = empty_evals()
        self._seated = np.ascontiguousarray(plan["agents"], np.int64)
        first = (plan["block"] * groups + plan["group"]) * MOST_SEATINGS + plan["seating"]
        self._numbers = first.astype(np.int64) * hands_per_match

    def play(self, on_hands: OnHands | None) -> Any:
        """All hands of every row, to their end."""
        n = len(self._plan)
        hands = st.allocate(n * self._length, HAND).reshape(n, self._length)
        for name in ("block", "group", "seating", "agents"):
            hands[name] = self._plan[name][:, None]
        matches: list[Match] = []
        for k in range(self._length):
            dealers = [match.dealer_seat for match in matches] or None
            drawn = [match.drawn_before for match in matches] or None
            deal = self._plan["block"] * self._length + k
            games = self._deals.deal(self._rules, deal, dealers, drawn)
            if not matches:
                seats = self._rules.seats
                matches = [Match(self._length, seats, seats, int(dealer)) for dealer in games["dealer"]]
            decided, seconds = self._play_out(games, deal, k)
            done = st.allocate(n, HAND)
            done[:] = hands[:, k]
            done["hand"] = k
            write_hands(games, decided, done)
            for match, hand in zip(matches, done, strict=True) if self._length > 1 else ():
                _settle(match, hand)
            self._tell_ended(games, k)
            if on_hands is not None:
                on_hands(games, done, seconds)
            hands[:, k] = done
        return hands.reshape(-1)

    def _play_out(self, games: Any, deal: NDArray[np.int64], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ask the agents until every hand is over: how often each seat of each row was asked, and how long it took."""
        decided = np.zeros((len(games), st.SEATS), np.int64)
        seconds = np.zeros((len(games), st.SEATS))
        starts = np.zeros(len(self._agents) + 1, np.int64)
        rows = np.arange(len(games))
        while True:
            order = np.empty(len(rows), np.int64)
            left = sort_asked(games, rows, self._seated, starts, order)
            if left == 0:
                return decided, seconds
            rows = order[:left]
            for number, agent in enumerate(self._agents):
                for lo in range(starts[number], starts[number + 1], agent.batch):
                    some = rows[lo : min(lo + agent.batch, starts[number + 1])]
                    actions, seats, took = self._ask(number, games, some, deal[some], self._numbers[some] + k, decided)
                    seconds[some, seats] += took
                    answer(games, some, self._rules.record, self._evals, actions, decided)

    def _tell_ended(self, games: Any, k: int) -> None:
        """Tell the agents that want to know how their hands have ended."""
        for number, agent in enumerate(self._agents):
            if type(agent).ended is Agent.ended:
                continue
            rows, seats = np.nonzero(self._seated == number)
            views = st.allocate(len(rows), st.VIEW)
            look_at(games, rows, self._rules.record, agent.history, seats, views)
            try:
                agent.ended(views, self._numbers[rows] + k)
            except RAISED as error:  # the hands are over: it is no fault
                self._spent[number].note(in_words(error))

    def _ask(
        self, number: int, games: Any, rows: NDArray[np.int64], deal: NDArray[np.int64], hands: NDArray[np.int64],
        decided: NDArray[np.int64],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:  # fmt: skip
        """What an agent answers in these rows, in which seats it sits, and the seconds that each answer took."""
        agent, spent, n = self._agents[number], self._spent[number], len(rows)
        views = st.allocate(n, st.VIEW)
        columns = np.empty((4, n), np.int64)  # deal, seating, seat, decision
        columns[0] = deal
        columns[1] = self._plan["seating"][rows]
        look(games, rows, self._rules.record, agent.history, decided, views, columns[2], columns[3])
        words = np.empty(n, np.uint64)
        fill_words(seed_word(agent.seed), columns, words)
        began = time.perf_counter()
        actions = answers(agent, views, words, hands, spent.note)
        seconds = time.perf_counter() - began
        spent.add(Spent(n, seconds, seconds / n))
        return actions, columns[2], seconds / n


def _settle(match: Match, hand: Any) -> None:
    """Enter a finished hand."""
    winner = int(hand["winner"])
    faulty = hand["fault_seat"] >= 0
    match.settle(
        hand["scores"][: match.seats].tolist(), winner if winner >= 0 else None, drawn=winner < 0 and not faulty
    )
