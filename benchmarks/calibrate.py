"""What the suite holds its figures against: a loop of pure arithmetic, and a loop that only writes the arrays.

The first says how fast the core's integer units are, the second what it costs to fill the observations, masks and
rewards with nothing computed. Both are compiled as the rules are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from paohuzi_env.core._compile import entry
from paohuzi_env.vector import Batch

ROUNDS: Final = 1_000_000
"""Of the arithmetic loop in a call; it is counted in thousands of rounds."""


@entry
def calibrate(rounds: int) -> int:
    """A loop of integer steps that each need the one before; returns what it came to."""
    x = 1
    for i in range(rounds):
        x = (x * 1103515245 + 12345 + i) & 0x7FFFFFFF
        x ^= x >> 7
    return x


@entry
def write_arrays(obs: Any, masks: Any, actors: Any, rewards: Any, since: Any, dones: Any, salt: int) -> None:
    """Write the arrays of a `Batch` in full, row after row, as `VectorEnv.step` does; the values mean nothing."""
    for i in range(obs.shape[0]):
        for s in range(rewards.shape[1]):
            rewards[i, s] = salt
            since[i, s] = i
        dones[i] = salt & 1
        actors[i] = salt & 1
        for p in range(obs.shape[1]):
            value = (salt + p) & 1
            for k in range(obs.shape[2]):
                obs[i, p, k] = value
        for a in range(masks.shape[1]):
            masks[i, a] = (salt + a) & 1


def arithmetic(rounds: int = ROUNDS) -> Callable[[], int]:
    """A step of the calibration case: thousands of rounds done."""

    def step() -> int:
        calibrate(rounds)
        return rounds // 1000

    return step


def bare_writes(batch: Batch) -> Callable[[], int]:
    """A step of the bare loop: rows written into arrays like those of `batch`, which stays as it is."""
    own = batch.copy()
    salt = 0

    def step() -> int:
        nonlocal salt
        salt += 1
        write_arrays(own.observation, own.action_mask, own.actor, own.reward, own.reward_since, own.done, salt)
        return len(own.actor)

    return step
