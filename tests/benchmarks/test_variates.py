"""Control variates: unbiased whatever they are, and a gain where they explain something."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.lockstep import HAND
from benchmarks.variates import controlled, variates


def test_variates_are_stakes_drawn_hands_and_the_dealers_points() -> None:
    hands = np.zeros(3, HAND)
    hands["block"] = [4, 4, 9]
    hands["scores"] = [(6, -3, -3), (0, 0, 0), (-10, 5, 5)]
    hands["winner"] = [0, -1, 1]
    hands["fault_seat"] = -1
    hands["dealer"] = [2, 0, 0]
    assert variates(hands).tolist() == [[3.0, 0.5, -1.5], [10.0, 0.0, -10.0]]


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_the_estimate_is_unbiased_its_interval_covers_and_the_gain_is_that_of_theory(slope: float) -> None:
    generator = np.random.default_rng(2)
    values, gains, hits = [], [], 0
    for _ in range(300):
        z = generator.exponential(1.0, (200, 3))
        found = controlled(
            0.7 + slope * (z[:, 0] - 1) + generator.normal(0, 1, 200), z, generator.exponential(1, (4000, 3))
        )
        values.append(found.margin.value)
        gains.append(found.gain)
        hits += found.margin.low <= 0.7 <= found.margin.high  # type: ignore[operator]
    assert abs(np.mean(values) - 0.7) < 4 * np.std(values) / np.sqrt(300)
    assert np.mean(gains) == pytest.approx(1 + slope, abs=0.12)  # type: ignore[arg-type]
    assert 0.91 <= hits / 300 <= 0.985


def test_few_blocks_and_equal_margins_are_left_alone() -> None:
    z = np.ones((30, 3))
    assert controlled(np.arange(10.0), z[:10], z).gain is None
    same = controlled(np.full(30, 2.0), z, z)
    assert (same.margin.value, same.margin.low, same.margin.high, same.gain) == (2, 2, 2, None)
