"""Batched hands are the same hands as single ones, however many and by however many threads.

`PAOHUZI_DECISIONS=1000000 pytest tests/vector/test_agreement.py` compares a million decisions; 100,000 are usual.
"""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
from slotwise import Slot, all_bytes, assert_same, play

from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set
from paohuzi_env.vector import MODES, VectorEnv

DECISIONS = int(os.environ.get("PAOHUZI_DECISIONS", "100000"))
RULES: tuple[Any, ...] = ("hunan", "yongzhou", "huaihua", {"preset": "hunan", "players": 2}, "mini")


def compare(env: VectorEnv, seed: int, decisions: int, dealer: int | None = None) -> int:
    """Step batch and single hands side by side until so many decisions were made; the hands that ended."""
    batch = env.reset(seed)
    slots = [Slot(env.rules, seed, i, env.autoreset, dealer) for i in range(env.num_envs)]
    made = ended = 0
    while True:
        for i, slot in enumerate(slots):
            assert_same(batch, i, slot)
        ended += int(batch.done.sum())
        if made >= decisions:
            return ended
        over = batch.done.copy()
        if env.autoreset == "disabled" and over.any():
            batch = env.reset(mask=over)
            for i in np.flatnonzero(over):
                slots[i].reset()
            for i, slot in enumerate(slots):
                assert_same(batch, i, slot)
        actions = env.sample_actions()
        made += int((batch.actor >= 0).sum())
        batch = env.step(actions)
        for slot, action in zip(slots, actions.tolist(), strict=True):
            slot.step(action)


@pytest.mark.parametrize("mode", MODES)
def test_batched_decisions_are_those_of_the_same_hands_played_singly(mode: Any) -> None:
    ended = compare(VectorEnv(97, "hunan", threads=3, autoreset=mode), 5, DECISIONS // 3)
    assert ended > DECISIONS // 300


@pytest.mark.boundscheck
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("rules", RULES)
def test_the_same_in_other_rule_sets(rules: Any, mode: Any) -> None:
    assert compare(VectorEnv(3, rules, autoreset=mode), 11, 300)


@pytest.mark.interpreted
@pytest.mark.parametrize("mode", MODES)
def test_the_same_without_the_compiler(mode: Any) -> None:
    assert compare(VectorEnv(2, "mini", autoreset=mode), 11, 60)


def test_a_fixed_dealer_deals_every_hand() -> None:
    compare(VectorEnv(5, "hunan", autoreset="same_step", dealer=1), 3, 1000, dealer=1)


def test_hands_that_are_over_on_the_deal_are_skipped_and_counted() -> None:
    rules = {"preset": "mini", "tian_hu_kans": 1, "tian_hu_quads": 1}
    env = VectorEnv(50, rules, autoreset="same_step")
    assert compare(env, 1, 2000)
    dealt_dead = sum(
        Game.deal(rule_set(rules), 1, k, stream=i).over for i, last in enumerate(env.hand_index) for k in range(last)
    )
    assert env.skipped == dealt_dead > 0


def test_slots_do_not_depend_on_how_many_there_are_or_on_threads() -> None:
    whole = VectorEnv(24, autoreset="same_step")
    wide = VectorEnv(24, autoreset="same_step", threads=24)
    part = VectorEnv(7, autoreset="same_step", threads=2)
    one = VectorEnv(1, autoreset="same_step")
    batches = [env.reset(9) for env in (whole, wide, part, one)]
    for _ in range(300):
        assert all_bytes(batches[0]) == all_bytes(batches[1])
        for small in batches[2:]:
            for name in small.__slots__:
                n = len(small.actor)
                assert np.array_equal(getattr(small, name), getattr(batches[0], name)[:n]), name
        batches = [env.step(env.sample_actions()) for env in (whole, wide, part, one)]


def test_a_list_of_seeds_deals_each_slot_as_game_deal_does() -> None:
    env = VectorEnv(4, autoreset="same_step")
    seeds = [7, 2**70, 7, 0]
    env.reset(seeds)
    for i, seed in enumerate(seeds):
        game = Game.deal("hunan", seed, int(env.hand_index[i]))
        assert env.game(i) == game
    play(env, 200)
    assert env.hand_index.min() > 0
    assert np.array_equal(env.current.observation[0], env.current.observation[2]), "equal seeds are equal games"


def test_seeds_make_a_difference_and_a_full_reset_begins_anew() -> None:
    env = VectorEnv(4, seed=3, autoreset="same_step")
    first = all_bytes(env.reset())
    later = play(env, 100)
    assert all_bytes(env.reset()) == first
    assert play(env, 100) == later
    assert all_bytes(env.reset(4)) != first
    assert all_bytes(env.reset()) != first, "the last seed stays"


def test_global_random_state_is_neither_read_nor_changed() -> None:
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002  # the global state is what this is about
    before = random.getstate(), np.random.get_state()[1].tobytes()  # type: ignore[index, union-attr]  # noqa: NPY002
    env = VectorEnv(8, autoreset="same_step", threads=2)
    env.reset(1)
    first = play(env, 50)
    assert (random.getstate(), np.random.get_state()[1].tobytes()) == before  # type: ignore[index, union-attr]  # noqa: NPY002
    random.seed(2)
    np.random.seed(2)  # noqa: NPY002
    env.reset(1)
    assert play(env, 50) == first


def test_sampled_actions_are_uniform_over_the_legal_ones_and_keyed() -> None:
    env = VectorEnv(4096, observe=True)
    batch = env.reset(0)
    actions = env.sample_actions()
    assert np.array_equal(env.sample_actions(), actions)
    assert not np.array_equal(env.sample_actions(1), actions)
    legal = batch.action_mask.astype(bool)
    assert legal[np.arange(4096), actions].all()
    # The rank of the action among the legal ones, as a share, is uniform: its mean has a known spread.
    counts = legal.sum(1)
    ranks = np.array([legal[i, : actions[i]].sum() for i in range(4096)])
    share = (ranks + 0.5) / counts - 0.5
    variance = ((1 - counts.astype(float) ** -2) / 12).sum()
    assert abs(share.sum()) < 4 * variance**0.5
    first_choice = (ranks == 0).sum() - (1 / counts).sum()
    assert abs(first_choice) < 4 * ((1 / counts) * (1 - 1 / counts)).sum() ** 0.5
