"""Snapshots, copies and pickles go on as the original does."""

from __future__ import annotations

import contextlib
import copy
import multiprocessing
import os
import pickle
import signal
import time
from typing import Any

import numpy as np
import pytest
from slotwise import all_bytes, everything, play

from paohuzi_env import slots
from paohuzi_env.core._compile import COMPILED
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.errors import IllegalActionError
from paohuzi_env.vector import MODES, VectorEnv

few = [pytest.mark.interpreted, pytest.mark.boundscheck]


def running(mode: Any = "same_step", **options: Any) -> VectorEnv:
    env = VectorEnv(6, autoreset=mode, **options)
    env.reset(4)
    play(env, 60 if mode != "disabled" else 5)
    return env


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_restored_snapshot_replays_identically(mode: Any, threads: int) -> None:
    env = running(mode, threads=threads)
    steps = 5 if mode == "disabled" else 300
    kept, before = env.snapshot(), everything(env)
    first = play(env, steps)
    assert len(set(first)) == steps
    shown = all_bytes(env.restore(kept))
    assert everything(env) == before
    assert shown == all_bytes(env.current)
    assert play(env, steps) == first
    other = VectorEnv(6, autoreset=mode)
    other.restore(kept)
    assert play(other, steps) == first, "in an environment that was never reset"


def test_a_snapshot_is_not_changed_by_play() -> None:
    env = running()
    kept = env.snapshot(np.array([5, 0]))
    saved = pickle.dumps(kept)
    play(env, 50)
    env.restore(kept, np.array([1, 2]))
    play(env, 50)
    assert pickle.dumps(kept) == saved


@pytest.mark.parametrize("rows", [pytest.param([4, 1], marks=few), [0, 1, 2, 3, 5], [3]])
def test_any_rows_go_to_any_other_rows_and_leave_the_rest_alone(rows: list[int]) -> None:
    env, other = running(), VectorEnv(8, autoreset="same_step", threads=2)
    other.reset(77)
    play(other, 10)
    kept = env.snapshot(np.array(rows))
    places = np.arange(8)[::-1][: len(rows)]
    rest = np.setdiff1d(np.arange(8), places)
    untouched = other.snapshot(rest)
    batch = other.restore(kept, places)
    assert pickle.dumps(other.snapshot(rest)) == pickle.dumps(untouched)
    for _ in range(60):
        for name in batch.__slots__:
            assert np.array_equal(getattr(batch, name)[places], getattr(env.current, name)[rows]), name
        env.step(env.sample_actions())
        batch = other.step(other.sample_actions())


def test_no_rows_at_all_are_a_snapshot_too() -> None:
    env = running()
    before = everything(env)
    env.restore(env.snapshot(np.array([], int)), np.array([], int))
    assert everything(env) == before


@pytest.mark.parametrize("make", [copy.copy, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("options", [{}, {"threads": 3, "copy": True}, {"observation_dtype": "float32"}], ids=str)
def test_copies_and_pickles_go_on_as_the_original_and_apart_from_it(make: Any, options: Any) -> None:
    env = running(**options)
    twin = make(env)
    if make is not copy.copy:
        before = everything(env)
        first = play(twin, 100)
        assert everything(env) == before
        assert play(env, 100) == first
    assert twin.rules == env.rules


@pytest.mark.interpreted
def test_a_pickle_of_interpreted_records_works_too() -> None:
    env = running("disabled")
    twin = pickle.loads(pickle.dumps(env))
    assert play(twin, 2) == play(env, 2)
    assert pickle.loads(pickle.dumps(env.snapshot())).games.tobytes() == env.snapshot().games.tobytes()


def test_a_copy_writes_into_its_own_arrays() -> None:
    reward = np.zeros((6, 3), np.int32)
    env = running(out={"reward": reward})
    twin = copy.deepcopy(env)
    env.reset(0)
    for _ in range(100):
        twin.step(twin.sample_actions())
        assert not reward.any()


def _play_in_a_process(env: VectorEnv, steps: int) -> list[bytes]:
    return play(env, steps)


def test_an_environment_goes_to_a_spawned_process() -> None:
    env = running(threads=2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(_play_in_a_process, (env, 20))
    assert play(env, 20) == there


def test_closing_ends_the_threads_and_a_later_call_starts_them_again() -> None:
    with running(threads=3) as env:
        kept = env.snapshot()
        first = play(env, 20)
    env.close()
    env.restore(kept)
    assert play(env, 20) == first
    env.close()


def test_a_game_of_a_row_is_a_copy() -> None:
    env = running()
    before = everything(env)
    game = env.game(2)
    assert game.actor == env.current.actor[2]
    game.step(game.legal_actions[0])
    assert everything(env) == before


def test_threads_that_wait_sleep_or_are_needed_elsewhere_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "processors", lambda: 3)  # they stay awake, however many there are
    one, three = running(), running(threads=3)
    for k in range(60):
        actions = one.sample_actions(k)
        assert np.array_equal(three.sample_actions(k), actions)
        if k % 10 == 3:
            time.sleep(5 * slots.AWAKE)
        if k % 4 == 1:
            assert np.array_equal(three.perfect(), one.perfect())
        if k % 10 == 7:
            three.close()
        assert all_bytes(three.step(actions)) == all_bytes(one.step(actions))
    assert everything(three) == everything(one)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_goes_on_with_threads_of_its_own() -> None:
    env, twin = running(threads=2), running(threads=2)
    with multiprocessing.get_context("fork").Pool(1) as pool:  # its threads are awake, or sleep, and stay here
        there = pool.apply_async(_play_in_a_process, (env, 20)).get(timeout=60)
    assert play(env, 20) == play(twin, 20) == there


@pytest.mark.skipif(not COMPILED, reason="interpreted runs have one thread")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer")
@pytest.mark.parametrize("threads", [2, 3])
def test_an_interrupt_at_any_moment_leaves_no_thread_at_work(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "processors", lambda: threads)

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    env, twin = running(threads=threads), running()
    chance = np.random.default_rng(threads)
    timer = signal.setitimer(signal.ITIMER_REAL, 0)  # a limit on this test's time may stand there
    before = signal.signal(signal.SIGALRM, interrupt)
    interrupted = 0
    try:
        for _ in range(150):
            with contextlib.suppress(KeyboardInterrupt):
                try:
                    signal.setitimer(signal.ITIMER_REAL, float(chance.uniform(1e-5, 2e-3)))
                    while True:
                        env.step(env.sample_actions())
                except KeyboardInterrupt:
                    interrupted += 1
                    raise
            with pytest.raises(IllegalActionError):  # it is checked, whatever was going on
                env.step(np.full(6, NUM_ACTIONS))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, *timer)
    assert interrupted == 150
    for each in (env, twin):
        each.reset(4)
        play(each, 60)
    assert everything(env) == everything(twin)


@pytest.mark.skipif(not COMPILED, reason="interpreted runs have one thread")
def test_an_error_in_a_thread_is_raised_and_the_next_call_is_served(monkeypatch: pytest.MonkeyPatch) -> None:
    env = running(threads=3)
    env.close()
    actions = env.current.actor.astype(np.int64) * 0

    def failing(thread: int, looks: int, lo: int, hi: int) -> None:
        raise MemoryError(thread)

    with monkeypatch.context() as patched:
        patched.setattr(env, "_serve", failing)
        with pytest.raises(MemoryError):
            env.step(actions)
    env.reset(4)
    play(env, 60)
    assert everything(env) == everything(running())
