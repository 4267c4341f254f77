"""Pgx's sparrow mahjong and Leduc hold'em: JAX on one core of the CPU, many games in one compiled call.

The whole loop is compiled (`lax.scan` over steps with Pgx's own auto-reset), with the random policy inside: the fastest
way there is to run it. Observation and mask of every step are computed and stand in the loop's state.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental import auto_reset

PACKAGES = ("pgx", "jax", "jaxlib", "numpy")
STEPS = 32
"""Steps of all games in a call."""
SIZES = {"sparrow_mahjong": 256, "leduc_holdem": 4096}
"""Games side by side: the best of several for each game."""


def cases() -> dict[str, Callable[[float], tuple[int, int]]]:
    """Uniformly random play for so many CPU-seconds: decisions, and games that ended."""
    return {game.replace("_", " "): _playing(game, n) for game, n in SIZES.items()}


def _playing(game: str, n: int) -> Callable[[float], tuple[int, int]]:
    env: Any = pgx.make(game)
    step_of_one = auto_reset(env.step, env.init)

    def step(carry: tuple[Any, Any, Any], _: None) -> tuple[tuple[Any, Any, Any], None]:
        state, key, ended = carry
        key, to_choose, to_step = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(to_choose, logits)
        state = jax.vmap(step_of_one)(state, action, jax.random.split(to_step, n))
        return (state, key, ended + state.terminated.sum()), None

    def call(state: Any, key: Any) -> Any:
        carry, _ = jax.lax.scan(step, (state, key, jnp.int32(0)), None, length=STEPS)
        return carry

    compiled = jax.jit(call)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), n))
    state, key, _ = jax.block_until_ready(compiled(state, jax.random.PRNGKey(1)))

    def play(seconds: float) -> tuple[int, int]:
        nonlocal state, key
        decisions = games = 0
        end = time.process_time() + seconds
        while time.process_time() < end:
            state, key, ended = jax.block_until_ready(compiled(state, key))
            decisions += n * STEPS
            games += int(ended)
        return decisions, games

    return play
