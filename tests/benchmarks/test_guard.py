"""Guards against getting slow: ratios to the calibration loop in the same run, never times.

The floors are about half of what was measured on an idle machine.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable

import pytest

from benchmarks import aec, throughput
from benchmarks.measure import Case, interleave, ratio_runs, repeating
from paohuzi_env.core._compile import COMPILED
from paohuzi_env.vector import VectorEnv

pytestmark = pytest.mark.skipif(not COMPILED, reason="interpreted code has no speed to guard")


def vector() -> Case:
    env = VectorEnv(1024, autoreset="same_step")
    return Case("vector", "play", "decisions", repeating(throughput.vector_steps(env)))


def rollouts() -> Case:
    return Case("rollouts", "play", "hands", repeating(throughput.rollouts()))


def single() -> Case:
    return aec.cases()[0]


@pytest.mark.parametrize(("make", "floor"), [(vector, 0.9), (rollouts, 0.11), (single, 0.12)])
def test_a_rate_stays_above_its_floor(make: Callable[[], Case], floor: float) -> None:
    case = make()
    yardstick = throughput.yardsticks(1)[0]
    tallies = interleave([yardstick, case], rounds=5, seconds=0.1)
    rates = {name: [tally.rate for tally in runs] for name, runs in tallies.items()}
    assert statistics.median(ratio_runs(rates[case.name], rates[yardstick.name])) > floor


def test_a_game_takes_less_than_4_kib() -> None:
    env = VectorEnv(64)
    assert env.nbytes / env.num_envs < 4096
