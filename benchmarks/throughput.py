"""How many decisions a second `VectorEnv` makes, and rollouts `Rollouts`, under uniformly random legal play.

A decision is one seat's choice, with the dense int8 observation and mask of the seat that chooses next written.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from benchmarks import calibrate
from benchmarks.measure import Case, Figure, repeating
from paohuzi_env.rules import preset_names
from paohuzi_env.search import Rollouts
from paohuzi_env.vector import VectorEnv

N: Final = 4096
"""Hands side by side where nothing else is said."""
SIZES: Final = (1, 16, 64, 256, 1024, N, 16384)
CALIBRATION: Final = "calibration loop"
BARE: Final = "bare loop, writes only"
TARGETS: Final = {f"vector, N = {N}": 1_000_000.0, "rollouts from the deal": 40_000.0}
THREADS_TARGET: Final = 1.8


def vector_name(n: int) -> str:
    """What the table calls the case of `n` hands."""
    return f"vector, N = {n}"


def preset_name(preset: str, n: int = N) -> str:
    """What the table calls the case of `n` hands of a preset."""
    return f"{vector_name(n)}, {preset}"


def vector_steps(env: VectorEnv) -> Callable[[], int]:
    """A step of the hot loop: a random legal action in every row; decisions made."""
    env.reset()
    actions = np.zeros(env.num_envs, np.int64)

    def step() -> int:
        env.step(env.sample_actions(out=actions))
        return env.num_envs

    return step


def rollouts(rules: str = "hunan", n: int = 1024) -> Callable[[], int]:
    """A step that plays `n` dealt hands to their ends; hands played."""
    with VectorEnv(n, rules) as env:
        env.reset()
        games = env.snapshot().games
    play = Rollouts(rules)
    seed = 0

    def step() -> int:
        nonlocal seed
        seed += 1
        play(games, seed=seed)
        return n

    return step


def yardsticks(n: int = N) -> list[Case]:
    """The two cases that all others are held against."""
    with VectorEnv(n) as env:
        bare = calibrate.bare_writes(env.reset())
    return [
        Case(CALIBRATION, "yardsticks", "thousand rounds", repeating(calibrate.arithmetic())),
        Case(BARE, "yardsticks", "rows", repeating(bare)),
    ]


def vector_cases(sizes: tuple[int, ...] = SIZES) -> list[Case]:
    """`VectorEnv` at several N, without observations, and rollouts."""
    cases = [
        Case(vector_name(n), "play", "decisions", repeating(vector_steps(VectorEnv(n, autoreset="same_step"))))
        for n in sizes
    ]
    blind = VectorEnv(max(sizes), autoreset="same_step", observe=False)
    name = f"{vector_name(max(sizes))}, observe=False"
    return [
        *cases,
        Case(name, "play", "decisions", repeating(vector_steps(blind))),
        Case("rollouts from the deal", "play", "hands", repeating(rollouts())),
    ]


def preset_cases(n: int = N) -> list[Case]:
    """Every preset at the same N."""
    return [
        Case(
            preset_name(name, n), "presets", "decisions",
            repeating(vector_steps(VectorEnv(n, name, autoreset="same_step"))),
        )
        for name in preset_names()
    ]  # fmt: skip


def thread_scaling(n: int = N, pairs: int = 30, seconds: float = 0.1) -> list[Figure]:
    """How many times faster two threads are than one, by the clock, and what the machine has to give.

    Short runs alternate, and the best of each kind counts: with two cores, whatever else runs on the machine takes
    one of them away. Two threads of the calibration loop say how much of the second core was there.
    """
    rules = {threads: vector_steps(VectorEnv(n, autoreset="same_step", threads=threads)) for threads in (1, 2)}
    loops = {threads: _side_by_side(calibrate.arithmetic(), threads) for threads in (1, 2)}
    best = {(what, threads): 0.0 for what in ("rules", "loop") for threads in (1, 2)}
    for _ in range(pairs):
        for threads in (1, 2):
            for what, step in (("rules", rules[threads]), ("loop", loops[threads])):
                best[what, threads] = max(best[what, threads], _clock_rate(step, seconds))
    name = f"{vector_name(n)}, two threads to one"
    return [
        Figure(f"{vector_name(n)}, best of one thread", "threads", "decisions / s", (best["rules", 1],)),
        Figure(f"{vector_name(n)}, best of two threads", "threads", "decisions / s", (best["rules", 2],)),
        Figure(name, "threads", "times", (best["rules", 2] / best["rules", 1],), THREADS_TARGET),
        Figure(f"calibration loop in the same run, N = {n}", "threads", "times", (best["loop", 2] / best["loop", 1],)),
    ]


def _side_by_side(step: Callable[[], int], threads: int) -> Callable[[], int]:
    """A step that does the work of `step` in each of so many threads."""
    pool = ThreadPoolExecutor(threads)
    return lambda: sum(future.result() for future in [pool.submit(step) for _ in range(threads)])


def _clock_rate(step: Callable[[], int], seconds: float) -> float:
    units = 0
    start = time.perf_counter()
    while (spent := time.perf_counter() - start) < seconds:
        units += step()
    return units / spent
