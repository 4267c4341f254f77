"""The vector environment is N single ones, in every mode of autoreset."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space
from seats import MINI, Lowest, lowest, same

from paohuzi_env.errors import GameOverError, IllegalActionError
from paohuzi_env.registration import SINGLE_SEAT
from paohuzi_env.single import SingleSeatEnv, SingleSeatVectorEnv

few = [pytest.mark.interpreted, pytest.mark.boundscheck]


def choose(masks: Any, step: int) -> Any:
    """A legal action for each row, not always the same one; 0 where there is none."""
    return np.array([legal[step % len(legal)] if len(legal := np.flatnonzero(mask)) else 0 for mask in masks])


def assert_same(a: Any, b: Any) -> None:
    if not same(a, b):
        for x, y in zip(a, b, strict=True):
            assert same(x, y), f"{x!r}\n{y!r}"
        raise AssertionError


def scalar(n: int, mode: AutoresetMode, **options: Any) -> SyncVectorEnv:
    return SyncVectorEnv([lambda: SingleSeatEnv(**options) for _ in range(n)], autoreset_mode=mode)


@pytest.mark.parametrize("mode", [pytest.param(mode, marks=few) for mode in AutoresetMode])
@pytest.mark.parametrize(
    "options",
    [
        {"rules": MINI},
        {"rules": MINI, "opponents": ["uniform", Lowest()], "seat": "rotate", "flat": True, "reward": "win"},
        {"rules": "mini", "opponents": lowest, "illegal_action": "forfeit", "observation_dtype": "float32"},
    ],
    ids=["uniform", "mixed", "function"],
)
def test_the_same_as_gymnasiums_scalar_loop(mode: AutoresetMode, options: dict[str, Any]) -> None:
    n = 3
    env, loop = SingleSeatVectorEnv(n, autoreset_mode=mode, threads=2, **options), scalar(n, mode, **options)
    assert_same(env.reset(seed=4), loop.reset(seed=4))
    ended = np.zeros(n, bool)
    total = 0
    for step in range(30):
        if mode == AutoresetMode.DISABLED and ended.any():
            obs, infos = env.reset(options={"reset_mask": ended})
            assert_same((obs, infos), loop.reset(options={"reset_mask": ended.copy()}))
        masks = env.action_masks()
        assert same(masks, np.stack(loop.call("action_masks")))
        actions = choose(masks, step)
        if options.get("illegal_action") and step % 7 == 0:
            actions[0] = 31
        result = env.step(actions)
        assert_same(result, loop.step(actions))
        ended = result[2]
        total += int(ended.sum())
    assert total > 3


@pytest.mark.parametrize("mode", AutoresetMode)
def test_the_same_with_usual_rules_over_many_hands(mode: AutoresetMode) -> None:
    env, loop = SingleSeatVectorEnv(5, autoreset_mode=mode), scalar(5, mode)
    assert_same(env.reset(seed=9), loop.reset(seed=9))
    for step in range(150):
        actions = choose(env.action_masks(), step)
        result = env.step(actions)
        assert_same(result, loop.step(actions))
        if mode == AutoresetMode.DISABLED and result[2].any():
            assert_same(
                env.reset(options={"reset_mask": result[2]}), loop.reset(options={"reset_mask": result[2].copy()})
            )


def test_terminal_masks_are_there_and_zero_and_live_ones_never_are() -> None:
    env = SingleSeatVectorEnv(40, autoreset_mode=AutoresetMode.NEXT_STEP)
    _, infos = env.reset(seed=0)
    for step in range(60):
        _, rewards, done, cut, infos = env.step(choose(infos["action_mask"], step))
        assert infos["_action_mask"].all()
        assert np.array_equal(infos["action_mask"].any(1), ~done)
        assert not cut.any()
        assert not rewards[~done].any()
    same_step = SingleSeatVectorEnv(40, autoreset_mode=AutoresetMode.SAME_STEP)
    same_step.reset(seed=0)
    for step in range(60):
        _, _, done, _, infos = same_step.step(choose(same_step.action_masks(), step))
        assert same_step.action_masks().any(1).all()
        if done.any():
            assert not infos["final_info"]["action_mask"].any()
            assert np.array_equal(infos["_final_obs"], done)
            assert all((obs is not None) == over for obs, over in zip(infos["final_obs"], done, strict=True))


def test_rows_do_not_depend_on_how_many_there_are_or_on_threads() -> None:
    envs = [SingleSeatVectorEnv(n, autoreset_mode="SameStep", threads=t) for n, t in ((12, 1), (12, 5), (4, 2))]
    for env in envs:
        env.reset(seed=100)
    for step in range(80):
        masks = [env.action_masks() for env in envs]
        results = [env.step(choose(mask, step))[:3] for env, mask in zip(envs, masks, strict=True)]
        assert same(results[0], results[1])
        assert all(same(a[:4], b) for a, b in zip(results[0], results[2], strict=True))


def test_row_i_is_seeded_with_seed_plus_i_or_by_the_list() -> None:
    env = SingleSeatVectorEnv(4)
    obs, _ = env.reset(seed=20)
    for i in range(4):
        assert np.array_equal(obs[i], SingleSeatEnv().reset(seed=20 + i)[0])
    obs, infos = env.reset(seed=[5, None, 7, None])
    assert np.array_equal(obs[0], SingleSeatEnv().reset(seed=5)[0])
    assert infos["hand"].tolist() == [0, 1, 0, 1]
    big = 2**64 - 2
    obs, _ = env.reset(seed=big)
    assert np.array_equal(obs[3], SingleSeatEnv().reset(seed=big + 3)[0])
    fresh = SingleSeatVectorEnv(2)
    obs, _ = fresh.reset()
    assert not np.array_equal(obs[0], obs[1])
    assert not np.array_equal(obs, SingleSeatVectorEnv(2).reset()[0])


def test_a_masked_reset_touches_the_chosen_rows_only_and_changes_nothing_of_the_callers() -> None:
    env = SingleSeatVectorEnv(6, autoreset_mode=AutoresetMode.DISABLED, copy=False)
    obs, infos = env.reset(seed=1)
    for step in range(2):
        obs, _, _, _, infos = env.step(choose(env.action_masks(), step))
    mask = np.array([True, False, False, True, False, False])
    options = {"reset_mask": mask}
    before = obs.copy()
    games = [env.referee_game(i) for i in range(6)]
    hands = infos["hand"]
    obs, infos = env.reset(options=options)
    assert list(options) == ["reset_mask"]
    assert options["reset_mask"] is mask
    assert mask.tolist() == [True, False, False, True, False, False]
    for i in range(6):
        assert (env.referee_game(i) == games[i]) == (not mask[i])
        assert np.array_equal(obs[i], before[i]) == (not mask[i])
        assert infos["action_mask"][i].any() == mask[i], "infos are of the rows that were reset"
        assert infos["_hand"][i] == mask[i]
    assert infos["hand"].tolist() == [(hands[i] + 1) * int(mask[i]) for i in range(6)]
    seeded, _ = env.reset(seed=50, options=options)
    assert np.array_equal(seeded[3], SingleSeatEnv().reset(seed=53)[0])


def test_wrong_resets_change_nothing() -> None:
    env = SingleSeatVectorEnv(3)
    env.reset(seed=1)
    games = [env.referee_game(i) for i in range(3)]
    for options, words in [
        ({"reset_mask": np.zeros(3, bool)}, "chooses no row"),
        ({"reset_mask": np.ones(2, bool)}, "reset_mask"),
        ({"reset_mask": np.ones(3, int)}, "dtype int64"),
        ({"reset_mask": [True] * 3}, "reset_mask"),
        ({"mask": None}, "option 'mask'"),
    ]:
        with pytest.raises(ValueError, match=words):
            env.reset(options=options)
    for seed in (-1, [1, 2], [1, 2, -3], True):
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    assert [env.referee_game(i) for i in range(3)] == games


def test_wrong_actions_change_nothing() -> None:
    env = SingleSeatVectorEnv(4, autoreset_mode="Disabled", threads=2)
    with pytest.raises(GameOverError, match="row 0: step"):
        env.step(np.zeros(4, int))
    env.reset(options={"reset_mask": np.array([True, False, False, False])})
    with pytest.raises(GameOverError, match="row 1: step"):
        env.step(np.zeros(4, int))
    env.reset(seed=2)
    masks = env.action_masks()
    good = masks.argmax(1)
    games = [env.referee_game(i) for i in range(4)]
    illegal = good.copy()
    illegal[2] = int((~masks[2]).argmax())
    dealing = good.copy()
    dealing[1] = -2
    for actions, error, words in [
        (illegal, IllegalActionError, f"row 2: action {illegal[2]} is not legal"),
        (dealing, IllegalActionError, "row 1: action -2"),
        (good.astype(float), TypeError, "dtype float64"),
        (good.astype(bool), TypeError, "dtype bool"),
        (good[:3], ValueError, "shape"),
        (good[:, None], ValueError, "shape"),
    ]:
        with pytest.raises(error, match=words):
            env.step(actions)
        assert [env.referee_game(i) for i in range(4)] == games
        assert np.array_equal(env.action_masks(), masks)
    done = np.zeros(4, bool)
    step = 0
    while not done.any():
        done = env.step(choose(env.action_masks(), step))[2]
        step += 1
    with pytest.raises(GameOverError, match=f"row {int(done.argmax())}: the hand is over"):
        env.step(np.zeros(4, int))


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_copy_keeps_old_arrays_and_no_copy_reuses_one(dtype: Any) -> None:
    env = SingleSeatVectorEnv(3, autoreset_mode="SameStep", observation_dtype=dtype)
    shared = SingleSeatVectorEnv(3, autoreset_mode="SameStep", observation_dtype=dtype, copy=False)
    given = [env.reset(seed=0)]
    first, _ = shared.reset(seed=0)
    saved = copy.deepcopy(given)
    for step in range(40):
        actions = choose(env.action_masks(), step)
        given.append(env.step(actions))
        saved.append(copy.deepcopy(given[-1]))
        obs, *rest = shared.step(actions)
        assert np.shares_memory(obs, first)
        assert same([obs, *rest], list(given[-1]))
    assert same(given, saved)


def test_make_vec() -> None:
    env = gymnasium.make_vec(SINGLE_SEAT, num_envs=3, seat=1)
    assert isinstance(env, SingleSeatVectorEnv)
    explicit = gymnasium.make_vec(
        SINGLE_SEAT, num_envs=3, vectorization_mode="vector_entry_point", seat=1, autoreset_mode=AutoresetMode.SAME_STEP
    )
    assert explicit.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert SingleSeatVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    sync = gymnasium.make_vec(SINGLE_SEAT, num_envs=3, vectorization_mode="sync", seat=1)
    for attribute in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
        assert getattr(env, attribute) == getattr(sync, attribute)
    assert env.observation_space == batch_space(env.single_observation_space, 3)
    assert_same(env.reset(seed=3), sync.reset(seed=3))
    assert env.spec is not None
    assert "SingleSeat" in repr(env)
    for one in (env, explicit, sync):
        one.close()
        one.close()


def test_asynchronous_processes_give_the_same() -> None:
    options = {"rules": "mini", "opponents": lowest}
    loop = scalar(2, AutoresetMode.NEXT_STEP, **options)
    processes = AsyncVectorEnv([lambda: SingleSeatEnv(**options)] * 2, context="spawn")  # type: ignore[arg-type]
    try:
        assert_same(processes.reset(seed=1), loop.reset(seed=1))
        for step in range(10):
            masks = np.stack(loop.call("action_masks"))
            assert same(np.stack(processes.call("action_masks")), masks)
            actions = choose(masks, step)
            assert_same(processes.step(actions), loop.step(actions))
    finally:
        processes.close()


@pytest.mark.parametrize("mode", AutoresetMode)
def test_gymnasiums_statistics_wrapper_counts_the_learners_returns(mode: AutoresetMode) -> None:
    plain = SingleSeatVectorEnv(8, "mini", autoreset_mode=mode)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(
        SingleSeatVectorEnv(8, "mini", autoreset_mode=mode), buffer_length=10_000
    )
    if mode == AutoresetMode.SAME_STEP and "SAME_STEP" not in inspect.getsource(type(env).step):
        pytest.skip("Gymnasium 1.2's wrapper takes every mode for NEXT_STEP")
    env.reset(seed=0)
    plain.reset(seed=0)
    returns: list[float] = []
    for step in range(60):
        actions = choose(plain.action_masks(), step)
        env.step(actions)
        _, rewards, done, _, _ = plain.step(actions)
        returns += rewards[done].tolist()
        if mode == AutoresetMode.DISABLED and done.any():
            plain.reset(options={"reset_mask": done})
            env.reset(options={"reset_mask": done.copy()})
    assert list(env.return_queue) == returns
    assert len(returns) > 20


@pytest.mark.parametrize("make", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_as_the_original(make: Any) -> None:
    env = SingleSeatVectorEnv(5, opponents=["uniform", Lowest()], threads=2)
    env.reset(seed=0)
    for step in range(15):
        env.step(choose(env.action_masks(), step))
    twin = make(env)
    for step in range(40):
        actions = choose(env.action_masks(), step)
        assert_same(env.step(actions), twin.step(actions))


def test_numbers_of_environments_and_threads() -> None:
    for options, error in [
        ({"num_envs": 0}, ValueError),
        ({"num_envs": 2.0}, TypeError),
        ({"num_envs": 2, "threads": 3}, ValueError),
        ({"num_envs": 2, "threads": 0}, ValueError),
        ({"num_envs": 2, "autoreset_mode": "sometimes"}, ValueError),
        ({"num_envs": 2, "copy": 1}, TypeError),
    ]:
        with pytest.raises(error):
            SingleSeatVectorEnv(**options)  # type: ignore[arg-type]
