"""What is written where: zero-copy and copies, caller-owned arrays, dtypes, sparse and perfect forms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from slotwise import FIELDS, all_bytes, everything, observed

from paohuzi_env.core import state as st
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.perfect import PERFECT_PLANES, perfect_slice
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.vector import Batch, VectorEnv

few = [pytest.mark.interpreted, pytest.mark.boundscheck]


def own_arrays(n: int) -> dict[str, Any]:
    """Arrays to write into, full of rubbish."""
    batch = VectorEnv(n).reset()
    return {name: np.full_like(getattr(batch, name), 77) for name in FIELDS}


def test_without_copy_each_call_gives_the_same_arrays() -> None:
    env = VectorEnv(4, autoreset="same_step")
    batch = env.reset()
    assert env.step(env.sample_actions()) is batch
    assert env.current is batch


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_with_copy_old_arrays_stay_as_they_were(dtype: Any) -> None:
    env = VectorEnv(4, autoreset="same_step", copy=True, observation_dtype=dtype)
    batches = [env.reset()]
    saved = [all_bytes(batches[0])]
    for _ in range(50):
        batches.append(env.step(env.sample_actions()))
        saved.append(all_bytes(batches[-1]))
    assert [all_bytes(batch) for batch in batches] == saved
    assert len(set(saved)) > 40
    for name in FIELDS:
        getattr(batches[-1], name)[:] = 1  # what is written into a copy reaches nothing
    assert all_bytes(env.current) == saved[-1]


def test_results_are_written_into_the_callers_arrays() -> None:
    arrays = own_arrays(5)
    env, other = VectorEnv(5, autoreset="same_step", out=arrays), VectorEnv(5, autoreset="same_step")
    env.reset(3)
    other.reset(3)
    for _ in range(40):
        env.step(env.sample_actions())
        other.step(other.sample_actions())
        assert all_bytes(Batch(**arrays)) == all_bytes(other.current)


def test_some_of_the_arrays_can_be_the_callers() -> None:
    reward = np.full((3, 3), 5, np.int32)
    env = VectorEnv(3, out={"reward": reward})
    batch = env.reset()
    assert not reward.any()
    assert np.shares_memory(batch.reward, reward)


def test_arrays_that_cannot_be_written_into_are_refused_by_name() -> None:
    good = own_arrays(4)
    for name in FIELDS:
        array = good[name]
        frozen = array.copy()
        frozen.setflags(write=False)
        strided = np.repeat(array, 2, axis=0)[::2]
        swapped = array.astype(array.dtype.newbyteorder()) if array.dtype.itemsize > 1 else array.astype(np.int16)
        for bad in (array[:3], frozen, strided, swapped, array.astype(np.float64), array.tolist(), None):
            with pytest.raises(ValueError, match=rf"out\['{name}'\]"):
                VectorEnv(4, out={name: bad})
    with pytest.raises(ValueError, match="'rewards'; allowed: observation"):
        VectorEnv(4, out={"rewards": good["reward"]})
    with pytest.raises(ValueError, match="overlap"):
        VectorEnv(4, out={"reward": good["reward"], "reward_since": good["reward"]})
    with pytest.raises(ValueError, match="copy = True contradicts out"):
        VectorEnv(4, out=good, copy=True)
    crooked = np.zeros(49, np.int8)[1:].view(np.int32).reshape(4, 3)
    assert not crooked.flags.aligned
    with pytest.raises(ValueError, match="aligned"):
        VectorEnv(4, out={"reward": crooked})


def test_float32_observations_are_the_same_numbers() -> None:
    whole, single = VectorEnv(6, autoreset="same_step"), np.zeros((6, NUM_PLANES, KINDS), np.float32)
    env = VectorEnv(6, autoreset="same_step", observation_dtype="float32", out={"observation": single}, threads=2)
    env.reset(1)
    whole.reset(1)
    for _ in range(30):
        assert env.current.observation.dtype == np.float32
        assert np.array_equal(single, whole.current.observation)
        env.step(env.sample_actions())
        whole.step(whole.sample_actions())
    env.restore(env.snapshot([2]), [0])
    assert np.array_equal(single[0], single[2])
    assert env.observe_seat(np.zeros(6, int))[0].dtype == np.float32


def test_without_observe_observations_and_masks_are_left_alone() -> None:
    arrays = own_arrays(3)
    env, other = VectorEnv(3, observe=False, out=arrays), VectorEnv(3)
    env.reset(1)
    other.reset(1)
    for _ in range(30):
        env.step(env.sample_actions())
        other.step(other.sample_actions())
    assert (arrays["observation"] == 77).all()
    assert (arrays["action_mask"] == 77).all()
    assert np.array_equal(arrays["reward"], other.current.reward)
    assert np.array_equal(arrays["actor"], other.current.actor)
    with pytest.raises(ValueError, match="observe = False"):
        env.active()


@pytest.mark.parametrize("n", [pytest.param(3, marks=few), 40])
def test_active_entries_are_the_dense_ones(n: int) -> None:
    env = VectorEnv(n, autoreset="next_step", threads=2)
    env.reset(0)
    for _ in range(40 if n > 3 else 5):
        env.step(env.sample_actions())
        index, value, count = env.active()
        flat = env.current.observation.reshape(n, -1)
        dense = np.zeros_like(flat)
        for i in range(n):
            k = int(count[i])
            assert (np.diff(index[i, :k]) > 0).all()
            assert value[i, :k].all()
            assert (index[i, k:] == -1).all()
            assert not value[i, k:].any()
            dense[i, index[i, :k]] = value[i, :k]
        assert np.array_equal(dense, flat)
        assert np.array_equal(count, (flat != 0).sum(1))


def test_too_little_room_for_active_entries_is_refused() -> None:
    env = VectorEnv(2)
    env.reset(0)
    _, _, count = env.active()
    env.active(int(count.max()))
    with pytest.raises(ValueError, match=f"too small for row {int(count.argmax())}"):
        env.active(int(count.max()) - 1)
    for room in (0, NUM_PLANES * KINDS + 1):
        with pytest.raises(ValueError, match="room"):
            env.active(room)


@pytest.mark.parametrize("rules", [pytest.param("hunan", marks=few), "yongzhou", {"preset": "hunan", "players": 2}])
def test_perfect_information_is_that_of_the_hand_and_apart_from_observations(rules: Any) -> None:
    env = VectorEnv(4, rules, threads=2)
    env.reset(5)
    for _ in range(30):
        env.step(env.sample_actions())
        before = everything(env)
        planes = env.perfect()
        out = np.full_like(planes, 9)
        assert env.perfect(out) is out
        assert np.array_equal(out, planes)
        assert everything(env) == before
        for i in range(4):
            game = env.game(i)
            single = np.zeros((1, PERFECT_PLANES, KINDS), np.int8)
            array = st.allocate(1, st.GAME)
            array[0] = game.record
            perfect_slice(array, 0, 1, env.rules.record, single)
            assert np.array_equal(planes[i], single[0])
            me = game.actor if game.actor is not None else int(game.record["dealer"])
            for rel in range(env.rules.seats):
                hand = np.bincount(game.hand((me + rel) % env.rules.seats), minlength=21)[:20]
                assert np.array_equal(planes[i, rel], hand)
    with pytest.raises(ValueError, match="out"):
        env.perfect(out[:3])


def test_any_seat_can_be_observed_and_only_the_one_to_act_has_a_mask() -> None:
    env = VectorEnv(6, threads=2)
    env.reset(8)
    for _ in range(25):
        env.step(env.sample_actions())
        for seat in range(3):
            obs, masks = env.observe_seat(np.full(6, seat))
            for i in range(6):
                wanted, mask = observed(env.game(i), seat)
                assert np.array_equal(obs[i], wanted)
                assert np.array_equal(masks[i], mask)
                assert mask.any() == (env.current.actor[i] == seat)
    obs, masks = env.observe_seat(np.full(6, -1))
    assert not obs.any()
    assert not masks.any()


def test_observations_are_never_negative_or_beyond_int8() -> None:
    for rules in ("hunan", "yongzhou", "bopi"):
        env = VectorEnv(256, rules, autoreset="same_step")
        batch = env.reset(0)
        for _ in range(50):
            batch = env.step(env.sample_actions())
            assert batch.observation.min() >= 0
            assert set(np.unique(batch.action_mask)) <= {0, 1}
            assert batch.action_mask.any(1).all()
