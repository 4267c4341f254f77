"""Bad input is refused with the row or the argument named, and no byte of any row has changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from slotwise import everything, play

from paohuzi_env.errors import GameOverError, IllegalActionError, RuleSetError, StateError
from paohuzi_env.vector import VectorEnv

few = [pytest.mark.interpreted, pytest.mark.boundscheck]


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_envs": 0}, ValueError, "num_envs = 0"),
        ({"num_envs": -1}, ValueError, "num_envs = -1"),
        ({"num_envs": 2.0}, TypeError, "num_envs = 2.0"),
        ({"num_envs": True}, TypeError, "num_envs = True"),
        ({"num_envs": "4"}, TypeError, "num_envs = '4'"),
        ({"threads": 0}, ValueError, "threads = 0"),
        ({"threads": 5}, ValueError, "threads = 5; allowed: a whole number from 1 to 4"),
        ({"threads": 1.5}, TypeError, "threads"),
        ({"autoreset": "sometimes"}, ValueError, "autoreset = 'sometimes'; allowed: next_step, same_step, disabled"),
        ({"autoreset": None}, ValueError, "autoreset = None"),
        ({"dealer": 3}, ValueError, "dealer = 3"),
        ({"dealer": 2, "rules": {"players": 2}}, ValueError, "dealer = 2"),
        ({"seed": -1}, ValueError, "seed = -1"),
        ({"seed": 1.0}, ValueError, "seed = 1.0"),
        ({"observe": 1}, TypeError, "observe = 1"),
        ({"copy": "no"}, TypeError, "copy = 'no'"),
        ({"observation_dtype": "float64"}, ValueError, "observation_dtype = 'float64'; allowed: int8, float32"),
        ({"rules": "nowhere"}, RuleSetError, "nowhere"),
        ({"out": 5}, TypeError, "out = 5; allowed: a mapping"),
    ],
)
def test_parameters(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words.replace("(", r"\(")):
        VectorEnv(**{"num_envs": 4, **options})


def one_bad(actions: Any, row: int, value: int) -> Any:
    bad = actions.copy()
    bad[row] = value
    return bad


@pytest.mark.parametrize("threads", [pytest.param(1, marks=few), 3])
def test_actions(threads: int) -> None:
    env = VectorEnv(5, autoreset="same_step", threads=threads)
    env.reset(0)
    play(env, 10)
    good = env.sample_actions()
    before = everything(env)
    illegal = int(np.flatnonzero(env.current.action_mask[3] == 0)[0])
    for bad, error, words in [
        (one_bad(good, 3, illegal), IllegalActionError, f"row 3: action {illegal} is not legal for seat"),
        (one_bad(one_bad(good, 4, -1), 2, 99), IllegalActionError, "row 2: action 99"),
        (one_bad(good, 0, -1), IllegalActionError, "row 0: action -1"),
        (one_bad(good, 4, 2**62), IllegalActionError, "row 4"),
        (one_bad(good, 1, -(2**63)), IllegalActionError, "row 1"),
        (good.astype(np.float64), TypeError, "dtype float64"),
        (good.astype(np.bool_), TypeError, "dtype bool"),
        (good.astype(object), TypeError, "dtype object"),
        (good.astype(str), TypeError, "dtype <U"),
        (good[:4], ValueError, r"shape \(4,\); allowed: \(5,\)"),
        (good[None], ValueError, r"shape \(1, 5\)"),
        (int(good[0]), ValueError, r"shape \(\)"),
        ([], ValueError, r"shape \(0,\)"),
        (None, ValueError, r"shape \(\)"),
    ]:
        with pytest.raises(error, match=words):
            env.step(bad)
        assert everything(env) == before
    env.step(good)


def test_actions_of_any_whole_dtype_and_layout_are_taken_and_not_changed() -> None:
    env = VectorEnv(4, autoreset="same_step")
    env.reset(0)
    start = env.snapshot()
    actions = env.sample_actions()
    wanted = None
    frozen = actions.copy()
    frozen.setflags(write=False)
    big_endian = actions.astype(">i4")
    forms = [actions.astype(t) for t in (np.int8, np.uint8, np.int16, np.int32, np.uint64)]
    for form in [*forms, actions.tolist(), np.repeat(actions, 2)[::2], frozen, big_endian]:
        saved = np.array(form)
        env.restore(start)
        env.step(form)
        assert np.array_equal(form, saved)
        wanted = wanted or everything(env)
        assert everything(env) == wanted


def test_acting_in_a_finished_row_without_autoreset() -> None:
    env = VectorEnv(6, autoreset="disabled")
    batch = env.reset(0)
    while not batch.done.any():
        batch = env.step(env.sample_actions())
    row = int(np.flatnonzero(batch.done)[0])
    before = everything(env)
    with pytest.raises(GameOverError, match=f"row {row}: the hand is over"):
        env.step(env.sample_actions())
    assert everything(env) == before
    env.reset(mask=batch.done.copy())
    env.step(env.sample_actions())


def test_rows_that_are_dealt_anew_take_any_action() -> None:
    env = VectorEnv(6, autoreset="next_step")
    batch = env.reset(0)
    while not batch.done.any():
        batch = env.step(env.sample_actions())
    actions = np.where(batch.done, -5, env.sample_actions())
    ended = batch.done.copy()
    batch = env.step(actions)
    assert not batch.done[ended].any()
    assert not batch.reward[ended].any()


def test_nothing_is_possible_before_the_first_reset() -> None:
    env = VectorEnv(2)
    rows = np.zeros(2, int)
    for call in (
        lambda: env.step(rows),
        lambda: env.reset(mask=np.ones(2, bool)),
        env.sample_actions,
        env.snapshot,
        env.perfect,
        env.active,
        lambda: env.game(0),
        lambda: env.observe_seat(rows),
        lambda: env.current,
    ):
        with pytest.raises(GameOverError, match="before the first reset"):
            call()


def test_resets() -> None:
    env = VectorEnv(4, autoreset="disabled")
    env.reset(1)
    play(env, 5)
    before = everything(env)
    frozen = np.array([True, False, False, False])
    for mask, words in [
        (np.zeros(4, bool), "mask chooses no row"),
        (np.ones(3, bool), r"mask of shape \(3,\)"),
        (np.ones((4, 1), bool), "mask of shape"),
        (np.ones(4, np.int8), "dtype int8"),
        ([True] * 4, "mask of"),
    ]:
        with pytest.raises(ValueError, match=words):
            env.reset(mask=mask)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed goes with a reset of all"):
        env.reset(3, mask=frozen)
    for seed, words in [
        (-1, "seed = -1"),
        (1.5, "seed = 1.5; allowed: a whole number from 0, or a list of 4"),
        ({1, 2, 3, 4}, "allowed: a whole number from 0, or a list of 4"),
        (np.array(5), "allowed: a whole number from 0, or a list of 4"),
        ([1, 2, 3], "3 seeds; allowed: one, or 4"),
        ([1, 2, 3, -4], "seed = -4"),
        (True, "seed = True"),
        ([1, 2, 3, None], "seed = None"),
    ]:
        with pytest.raises((ValueError, TypeError), match=words):
            env.reset(seed)  # type: ignore[arg-type]
    assert everything(env) == before


@pytest.mark.parametrize("mode", ["disabled", "next_step", "same_step"])
def test_a_masked_reset_touches_the_chosen_rows_only_and_leaves_the_mask_alone(mode: Any) -> None:
    env = VectorEnv(6, autoreset=mode, threads=2)
    env.reset(1)
    play(env, 9)
    mask = np.array([True, False, False, True, False, False])
    mask.setflags(write=False)
    strided = np.repeat(mask, 2)[::2]
    rest = np.flatnonzero(~mask)
    for form in (mask, strided):
        saved = form.copy()
        kept = env.snapshot(rest)
        shown = {name: getattr(env.current, name)[rest].copy() for name in env.current.__slots__}
        numbers = env.hand_index
        batch = env.reset(mask=form)
        now = env.snapshot(rest)
        assert now.games.tobytes() == kept.games.tobytes()
        assert now.slots.tobytes() == kept.slots.tobytes()
        for name, array in shown.items():
            assert np.array_equal(getattr(batch, name)[rest], array)
        assert np.array_equal(env.hand_index, numbers + saved)
        assert np.array_equal(form, saved)


def test_rows_of_snapshots() -> None:
    env = VectorEnv(4)
    env.reset(0)
    kept = env.snapshot([1, 2])
    before = everything(env)
    for rows, error, words in [
        ([0], StateError, "2 rows for 1"),
        (None, StateError, "2 rows for 4"),
        ([3, 3], ValueError, "row twice"),
        ([0, 4], ValueError, "row 4"),
        ([-1, 0], ValueError, "row -1"),
        ([0.0, 1.0], ValueError, "dtype float64"),
        ([[0, 1]], ValueError, "shape"),
    ]:
        with pytest.raises(error, match=words):
            env.restore(kept, rows)  # type: ignore[arg-type]
    other = VectorEnv(4, "luzhou")
    with pytest.raises(StateError, match="snapshot of rule set"):
        other.restore(kept, np.array([0, 1]))
    fresh = VectorEnv(4)
    with pytest.raises(GameOverError, match="some rows before the first reset"):
        fresh.restore(kept, np.array([0, 1]))
    assert everything(env) == before


def test_rows_and_seats_out_of_range() -> None:
    env = VectorEnv(3)
    env.reset(0)
    before = everything(env)
    for row in (-1, 3, True, 1.0):
        with pytest.raises((ValueError, TypeError), match="row"):
            env.game(row)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="row 1: seats 3"):
        env.observe_seat(np.array([0, 3, -2]))
    with pytest.raises(TypeError, match="seats"):
        env.observe_seat(np.zeros(3))  # type: ignore[arg-type]
    for out in (np.zeros(2, np.int64), np.zeros(3, np.int32), np.zeros(6, np.int64)[::2]):
        with pytest.raises(ValueError, match="out"):
            env.sample_actions(out=out)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed = -1"):
        env.sample_actions(-1)
    assert everything(env) == before
