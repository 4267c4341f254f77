"""How many decisions a second the PettingZoo environment makes, one hand at a time, under random legal play."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from benchmarks.measure import Case, repeating
from paohuzi_env import paohuzi_v0

GROUP: Final = "play"


def cases() -> list[Case]:
    """`raw_env`, and `env` with PettingZoo's checks around it; observation and mask are read at each decision."""
    return [
        Case("AEC, raw_env", GROUP, "decisions", repeating(hands(paohuzi_v0.raw_env()))),
        Case("AEC, env", GROUP, "decisions", repeating(hands(paohuzi_v0.env()))),
    ]


def hands(env: Any, seed: int = 1) -> Callable[[], int]:
    """A step that plays one hand; decisions made."""
    chance = random.Random(seed)
    choose = chance.choice
    env.reset(seed=seed)

    def step() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(int(choose(observation["action_mask"].nonzero()[0])))
            decisions += 1
        return decisions

    return step
