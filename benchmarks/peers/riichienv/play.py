"""RiichiEnv's four-player mahjong, Rust stepped from Python: encoded observation and mask at each decision.

A decision is one seat's choice; several seats choose in one step when a tile can be claimed. The default environment
keeps a log of events; the second case does without. The third reads the extended encoding (215 planes), which has the
derived features (distance to a ready hand and the like) that the plain one (74 planes) lacks.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from riichienv import RiichiEnv

PACKAGES = ("riichienv", "numpy")


def cases() -> dict[str, Callable[[float], tuple[int, int]]]:
    """Uniformly random play for so many CPU-seconds: decisions, and hands that ended."""
    chance = random.Random(1)

    def plain(seen: Any) -> Any:
        return np.frombuffer(seen.encode(), np.float32).reshape(74, 34)

    def extended(seen: Any) -> Any:
        return np.frombuffer(seen.encode_extended(), np.float32).reshape(215, 34)

    def playing(observe: Callable[[Any], Any], **options: Any) -> Callable[[float], tuple[int, int]]:
        def play(seconds: float) -> tuple[int, int]:
            decisions = games = 0
            end = time.process_time() + seconds
            while time.process_time() < end:
                env = RiichiEnv(seed=chance.randrange(1 << 31), **options)
                asked = env.reset()
                while not env.done():
                    actions = {}
                    for seat, seen in asked.items():
                        observe(seen)
                        np.frombuffer(seen.mask(), np.uint8)
                        actions[seat] = chance.choice(seen.legal_actions())
                        decisions += 1
                    asked = env.step(actions)
                games += 1
            return decisions, games

        return play

    return {
        "mahjong": playing(plain),
        "mahjong, no event log": playing(plain, skip_mjai_logging=True),
        "mahjong, extended observation": playing(extended),
    }
