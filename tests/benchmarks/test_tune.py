"""The search for weights: it climbs where the margin tells the way, and plays each other's deals both ways."""

from __future__ import annotations

import numpy as np

from agents.heuristic import NAMES, WEIGHTS, clipped
from benchmarks.deals import deal_set
from benchmarks.tune import margins, search
from paohuzi_env.rules import rule_set


def test_it_climbs_to_the_top_of_a_hill_seen_through_noise() -> None:
    start = clipped(np.array([first for first, *_ in WEIGHTS.values()]))
    top = clipped(start * 1.5 + 0.1)
    noise = np.random.default_rng(3)

    def height(weights: np.ndarray) -> float:
        return -float((((weights - top) / (np.abs(start) + 0.1)) ** 2).sum())

    def duel(first: np.ndarray, second: np.ndarray, step: int) -> float:
        return height(first) - height(second) + float(noise.normal(0, 0.5))

    found = search(start, duel, 400)
    assert height(found) > 0.3 * height(start)
    assert (search(start, lambda *_: 0.0, 3) == start).all()


def test_a_margin_is_of_blocks_and_has_two_sides() -> None:
    rules, deals = rule_set("hunan"), deal_set("tune", purpose="tuning")
    good = np.array([first for first, *_ in WEIGHTS.values()])
    bad = good.copy()
    bad[NAMES.index("door")] = -2.0
    forth = margins(rules, good, bad, deals, range(3, 63))
    assert forth.shape == (60,)
    assert (forth == -margins(rules, bad, good, deals, range(3, 63))).all()
    assert forth.mean() > 0.5
    assert np.allclose(margins(rules, good, good, deals, range(5)), 0)  # alike players: every seat's luck cancels out
