"""Rewards by hands and by streams: a learner that plays all seats loses no reward and gets none twice."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from paohuzi_env.vector import MODES, Batch, VectorEnv

every_mode = pytest.mark.parametrize("mode", MODES)


@dataclass
class Learner:
    """Keeps the decisions of each (slot, seat) in order: (hand, reward, is terminal), the last one still open."""

    by: str
    decisions: dict[tuple[int, int], list[list[Any]]] = field(default_factory=dict)
    unclaimed: int = 0

    def before(self, env: VectorEnv, batch: Batch) -> None:
        """Seats are about to act."""
        for i in np.flatnonzero(batch.actor >= 0):
            seat = int(batch.actor[i])
            mine = self.decisions.setdefault((int(i), seat), [])
            if self.by == "streams":
                reward = int(batch.reward_since[i, seat])
                if mine:
                    mine[-1][1:] = [reward, bool(batch.done_since[i, seat])]
                else:
                    self.unclaimed += abs(reward)
            mine.append([int(env.hand_index[i]), 0, False])

    def after(self, batch: Batch, hands: Any) -> None:
        """They have acted; `hands` are the numbers of the hands that they acted in."""
        if self.by == "hands":
            for i in np.flatnonzero(batch.done):
                for seat in range(3):
                    mine = self.decisions.get((int(i), seat), [])
                    if mine and mine[-1][0] == hands[i]:
                        mine[-1][1:] = [int(batch.reward[i, seat]), True]
                    else:
                        self.unclaimed += abs(int(batch.reward[i, seat]))


def run(mode: Any, by: str, steps: int, rules: Any = "hunan") -> tuple[Learner, Batch, Any]:
    """A learner, the last batch, and all rewards by (slot, seat)."""
    env = VectorEnv(6, rules, autoreset=mode)
    batch = env.reset(2)
    learner = Learner(by)
    total = np.zeros((6, 3), np.int64)
    for _ in range(steps):
        if mode == "disabled" and batch.done.any():
            batch = env.reset(mask=batch.done.copy())
        hands = env.hand_index
        learner.before(env, batch)
        batch = env.step(env.sample_actions())
        learner.after(batch, hands)
        total += batch.reward
    return learner, batch, total


@pytest.mark.boundscheck
@every_mode
def test_streams_lose_nothing_and_count_nothing_twice(mode: Any) -> None:
    learner, batch, total = run(mode, "streams", 400)
    assert np.abs(total).sum() > 50
    for i in range(6):
        for seat in range(3):
            mine = learner.decisions[i, seat]
            assert sum(reward for _, reward, _ in mine) + batch.reward_since[i, seat] == total[i, seat]
    assert learner.unclaimed == 0


@every_mode
def test_both_ways_give_each_decision_the_same_reward_and_end(mode: Any) -> None:
    streams, _, _ = run(mode, "streams", 400)
    hands, _, _ = run(mode, "hands", 400)
    compared = 0
    for key, mine in streams.decisions.items():
        numbers = [hand for hand, _, _ in mine]
        for j, decision in enumerate(mine[:-1]):
            other = hands.decisions[key][j]
            in_every_hand = numbers[j + 1] <= numbers[j] + 1
            if in_every_hand:  # else a hand without a decision of this seat lies between
                assert decision == other, (key, j)
                compared += 1
            assert decision[2] == other[2] == (numbers[j + 1] != numbers[j])
    assert compared > 300


def test_a_hand_in_which_a_seat_is_asked_nothing_counts_for_its_decision_before_by_streams_only() -> None:
    rules = {"preset": "mini"}
    streams, _, _ = run("same_step", "streams", 600, rules)
    hands, _, total = run("same_step", "hands", 600, rules)
    between = 0
    for key, mine in streams.decisions.items():
        between += sum(b[0] > a[0] + 1 for a, b in itertools.pairwise(mine))
        credited = sum(reward for _, reward, _ in hands.decisions[key])
        assert abs(credited - total[key]) <= hands.unclaimed
    assert between > 0
    assert hands.unclaimed > 0


@every_mode
def test_rewards_sum_to_zero_and_come_with_the_end_only(mode: Any) -> None:
    env = VectorEnv(32, "luzhou", autoreset=mode)
    batch = env.reset(1)
    for _ in range(60):
        if mode == "disabled" and batch.done.any():
            batch = env.reset(mask=batch.done.copy())
            assert not batch.reward.any()
        batch = env.step(env.sample_actions())
        assert (batch.reward.sum(1) == 0).all()
        assert not batch.reward[~batch.done].any()


def test_streams_go_on_over_a_masked_reset_and_mark_a_hand_that_was_left() -> None:
    env = VectorEnv(2, autoreset="disabled")
    batch = env.reset(0)
    for _ in range(6):
        batch = env.step(env.sample_actions())
    assert not batch.done_since.any()
    batch = env.reset(mask=np.array([True, False]))
    assert batch.done_since[0].all()
    assert not batch.done_since[1].any()
    while not batch.done[1]:
        if batch.done[0]:
            batch = env.reset(mask=np.array([True, False]))
        batch = env.step(env.sample_actions())
    since = batch.reward_since[1].copy()
    batch = env.reset(mask=np.array([False, True]))
    assert np.array_equal(batch.reward_since[1], since)
    assert not batch.reward[1].any()


def test_a_full_reset_begins_the_streams_anew() -> None:
    env = VectorEnv(16, "mini", autoreset="same_step")
    batch = env.reset(0)
    while not batch.reward_since.any():
        batch = env.step(env.sample_actions())
    batch = env.reset(0)
    assert not batch.reward_since.any()
    assert not batch.done_since.any()
