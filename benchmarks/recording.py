"""Played hands as game records, which `paohuzi replay` verifies."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent
from benchmarks.deals import DealSet
from benchmarks.schedule import Group
from paohuzi_env.core import state as st
from paohuzi_env.game import Game
from paohuzi_env.record import record_line, record_of
from paohuzi_env.rules import RuleSet

ORDER = ("hand", "seating", "group", "block")
"""Fields of a HAND by which hands are in order, the least important first."""


class Recorder:
    """Collects the hands of a chunk as lines; `arena.play_blocks` calls it.

    Parameters
    ----------
    agents
        The agents.
    rules, deals
        What they play.
    hands_per_match
        Hands of a match; with one there is no `match` key.
    """

    def __init__(self, agents: Sequence[Agent], rules: RuleSet, deals: DealSet, hands_per_match: int) -> None:
        self._agents = [(a.name, {"name": a.name, "fingerprint": a.fingerprint, "seed": int(a.seed)}) for a in agents]
        self._rules = rules
        self._deals = deals
        self._length = hands_per_match
        self._lines: list[str] = []
        self._hands: list[Any] = []
        self._totals: dict[Group, NDArray[np.int64]] = {}

    def __call__(self, games: Any, hands: Any, seconds: NDArray[np.float64]) -> None:
        """Take finished hands."""
        now = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        for i, hand in enumerate(hands):
            array = st.allocate(1, st.GAME)
            array[0] = games[i]
            self._lines.append(self._line(Game(self._rules, array), hand, seconds[i], now))
        self._hands.append(hands.copy())

    def _line(self, game: Game, hand: Any, seconds: NDArray[np.float64], now: str) -> str:
        seats = self._rules.seats
        seated = [self._agents[agent] for agent in hand["agents"][:seats].tolist()]
        block, group, seating, number = (int(hand[name]) for name in ("block", "group", "seating", "hand"))
        match = None
        if self._length > 1:
            sums = self._totals.setdefault((block, group, seating), np.zeros(seats, np.int64))
            sums += hand["scores"][:seats]
            identity = f"{self._deals.name}-{block}-{group}-{seating}"
            match = {"id": identity, "hand": number, "seats": list(range(seats)), "totals": sums.tolist()}
        meta = {
            "deal_set": str(self._deals), "block": block, "group": group, "seating": seating,
            "agents": [about for _, about in seated], "seconds": [round(float(s), 6) for s in seconds[:seats]],
            "time": now,
        }  # fmt: skip
        players = [name for name, _ in seated]
        return record_line(record_of(game, seed=int(self._deals.seed), players=players, match=match, meta=meta))

    def text(self) -> str:
        """All lines in the order of results: by block, group, seating and hand of the match."""
        hands = np.concatenate(self._hands)
        order = np.lexsort([hands[name] for name in ORDER])
        return "".join(self._lines[i] for i in order.tolist())
