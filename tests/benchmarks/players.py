"""Agents for the arena's tests: plain ones, and such as fail."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import FAULT_OF, Agent


class Lowest(Agent):
    """The lowest legal action, or the one at a place that the word says."""

    batch = 7

    def __init__(self, rules: Any, mixed: bool = False, *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.mixed = mixed

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        chosen = np.empty(len(views), np.int64)
        for i, legal in enumerate(views["legal"].tolist()):
            options = [a for a in range(32) if legal >> a & 1]
            chosen[i] = options[int(words[i] >> np.uint64(40)) % len(options) if self.mixed else 0]
        return chosen


class Failing(Lowest):
    """Fails at its decision number `at` of every hand whose deal's word is even, in one of several ways."""

    batch = 64

    def __init__(self, rules: Any, how: str = "raise", *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.how = how

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        chosen = super().choose(views, words, hands)
        bad = (views["discards"] >= 4) & (words % np.uint64(8) == 0)
        if not bad.any():
            return chosen
        if self.how == "raise":
            raise RuntimeError("out of order")
        if self.how == "float":
            return chosen / 2
        chosen[bad] = {"illegal": 31, "negative": -99, "timeout": FAULT_OF["timeout"]}[self.how]
        return chosen
