"""Sums over blocks, from hands made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.blocks import drawn, faulty, hand_margins, margins, pairing_gain, sums_by_agent, won
from benchmarks.lockstep import HAND


def hands_of(*rows: tuple[int, tuple[int, int, int], tuple[int, int, int], int, int]) -> Any:
    """HANDs of (block, agents, scores, winner, faulty seat)."""
    hands = np.zeros(len(rows), HAND)
    for hand, (block, agents, scores, winner, fault) in zip(hands, rows, strict=True):
        hand["block"], hand["agents"], hand["scores"] = block, agents, scores
        hand["winner"], hand["fault_seat"] = winner, fault
    return hands


HANDS = hands_of(
    (7, (0, 1, 1), (6, -3, -3), 0, -1),
    (7, (1, 1, 0), (4, -2, -2), 0, -1),
    (9, (0, 0, 1), (0, 0, 0), -1, -1),
    (9, (0, 2, 1), (10, -20, 10), -1, 1),
)


def test_points_by_block_and_agent() -> None:
    assert sums_by_agent(HANDS, HANDS["scores"], 3).tolist() == [[4, -4, 0], [10, 10, -20]]
    assert sums_by_agent(HANDS, np.ones((4, 3)), 3).tolist() == [[2, 4, 0], [3, 2, 1]]
    assert sums_by_agent(HANDS, won(HANDS), 3).tolist() == [[1, 1, 0], [0, 0, 0]]


def test_an_empty_seat_counts_nowhere() -> None:
    two = hands_of((0, (0, 1, -1), (5, -5, 0), 0, -1))
    assert sums_by_agent(two, two["scores"], 2).tolist() == [[5, -5]]
    assert hand_margins(two, 0, 1).tolist() == [10]


def test_margins_are_points_a_seat_less_points_a_seat() -> None:
    assert hand_margins(HANDS, 0, 1).tolist() == [9, -3, 0, 0]
    assert margins(HANDS, 0, 1).tolist() == [3, 0]
    assert margins(HANDS, 1, 0).tolist() == [-3, 0]
    assert margins(HANDS, 0, 2).tolist() == [30]
    assert margins(HANDS, 1, 2).tolist() == [30]


def test_how_hands_end() -> None:
    assert drawn(HANDS).tolist() == [False, False, True, False]
    assert faulty(HANDS).tolist() == [False, False, False, True]


def test_margins_of_an_additive_world_are_the_difference_of_skill_whoever_else_plays() -> None:
    skill = np.array([3.0, 0.0, -6.0])
    for agents in ((0, 1, 1), (0, 0, 1), (0, 1, 2)):
        scores = skill[list(agents)] - skill[list(agents)].mean()
        assert hand_margins(hands_of((0, agents, tuple(scores.astype(int)), -1, -1)), 0, 1).tolist() == [3]


def test_pairing_gain_is_the_variance_of_unpaired_hands_over_that_of_blocks() -> None:
    """Luck of a deal that changes sign with the seating cancels in the block; luck of a hand by itself does not."""
    generator = np.random.default_rng(1)
    n = 4000
    deal, own = generator.normal(0, 30, n), generator.normal(0, 10, (n, 2))
    hands = np.zeros((n, 2), HAND)
    hands["block"] = np.arange(n)[:, None]
    hands["seating"] = [0, 1]
    hands["agents"] = [[0, 1, -1], [1, 0, -1]]
    points = np.rint(np.stack([deal + own[:, 0], -deal + own[:, 1]], axis=1))
    hands["scores"][:, 0, 0], hands["scores"][:, 0, 1] = points[:, 0], -points[:, 0]
    hands["scores"][:, 1, 1], hands["scores"][:, 1, 0] = points[:, 1], -points[:, 1]
    assert pairing_gain(hands.reshape(-1), 0, 1) == pytest.approx((900 + 100) / 100, rel=0.1)


def test_equal_hands_have_no_pairing_gain() -> None:
    same = hands_of(*[(b, seats, (0, 0, 0), -1, -1) for b in range(5) for seats in ((0, 1, 1), (1, 0, 1))])
    same["seating"] = [0, 1] * 5
    assert pairing_gain(same, 0, 1) is None
