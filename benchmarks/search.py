"""What a searching player pays for: copies of a hand, hidden tiles drawn from a view."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.determinize import Sampler, decision_views
from benchmarks.measure import Case, repeating
from paohuzi_env.core import state as st
from paohuzi_env.core.determinize import clone_many
from paohuzi_env.game import Game

GROUP: Final = "search"
TARGETS: Final = {"determinizations": 200_000.0, "clones in a batch": 4_000_000.0}
"""5 microseconds a sample and 0.25 a copy."""


def cases(hands: int = 100) -> list[Case]:
    """Copies one by one and in a batch, determinizations in a batch (reading the view included)."""
    return [
        Case("Game.clone", GROUP, "clones", repeating(single_clones())),
        Case("clones in a batch", GROUP, "clones", repeating(batch_clones())),
        Case("determinizations", GROUP, "hands", repeating(determinizations(hands))),
    ]


def single_clones(count: int = 100) -> Callable[[], int]:
    """A step that calls `Game.clone`."""
    game = Game.deal("hunan", seed=1)

    def step() -> int:
        for _ in range(count):
            game.clone()
        return count

    return step


def batch_clones(count: int = 1024) -> Callable[[], int]:
    """A step that copies one hand into the rows of an array."""
    sources, copies = st.allocate(1, st.GAME), st.allocate(count, st.GAME)
    sources[0] = Game.deal("hunan", seed=1).record
    rows = np.zeros(count, np.int64)

    def step() -> int:
        clone_many(sources, rows, 0, count, copies)
        return count

    return step


def determinizations(hands: int) -> Callable[[], int]:
    """A step that draws a hand for every decision of so many random hands."""
    sampler = Sampler(decision_views(hands), "hunan")
    each: Any = np.arange(len(sampler.views))

    def step() -> int:
        sampler.draw(each)
        return len(each)

    return step
