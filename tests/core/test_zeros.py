"""Great arrays lie in huge pages, and are arrays as any others."""

from __future__ import annotations

import copy
import os
import pickle

import numpy as np
import pytest

from paohuzi_env.core import state as st
from paohuzi_env.vector import VectorEnv


@pytest.mark.interpreted
@pytest.mark.parametrize("count", [0, 1, 300, 3000])
def test_arrays_are_zeroed_and_can_be_written(count: int) -> None:
    games = st.allocate(count, st.GAME)
    assert games.shape == (count,)
    assert games.dtype.itemsize == st.GAME.itemsize
    assert not games.view(np.uint8).any()
    games["turn"] = 2
    assert (games["turn"] == 2).all()
    planes = st.zeros((count, 111, 20), np.int8)
    assert planes.flags.carray
    assert not planes.any()


def test_two_arrays_share_nothing() -> None:
    one, two = (st.zeros((2 * st.HUGE_PAGE,), np.int8) for _ in range(2))
    one[:] = 1
    assert not two.any()
    assert not np.may_share_memory(one, two)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_writes_into_pages_of_its_own() -> None:
    array = st.zeros((2 * st.HUGE_PAGE,), np.int8)
    child = os.fork()
    if child == 0:
        array[:] = 1
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert not array.any()


def test_copies_of_great_environments_go_on_as_they_do() -> None:
    env = VectorEnv(4096, seed=3)
    env.reset()
    env.step(env.sample_actions())
    copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for one in (env, *copies):
        one.step(one.sample_actions())
    for one in copies:
        assert one.snapshot().games.tobytes() == env.snapshot().games.tobytes()
        assert np.array_equal(one.current.observation, env.current.observation)
