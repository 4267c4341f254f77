"""RLCard's mahjong: four players, an observation of (6, 34, 4) and the legal actions at each decision."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import rlcard

PACKAGES = ("rlcard", "numpy")


def cases() -> dict[str, Callable[[float], tuple[int, int]]]:
    """Uniformly random play for so many CPU-seconds: decisions, and games that ended."""
    env = rlcard.make("mahjong", {"seed": 1})
    chance = random.Random(1)

    def play(seconds: float) -> tuple[int, int]:
        decisions = games = 0
        end = time.process_time() + seconds
        while time.process_time() < end:
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(chance.choice(list(state["legal_actions"])))
                decisions += 1
            games += 1
        return decisions, games

    return {"mahjong": play}
