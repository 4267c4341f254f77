"""Pgx's sparrow mahjong and Leduc hold'em: JAX on one core of the CPU, many games in one compiled call.

A call is a step of all games with Pgx's own auto-reset, the random policy inside it; its observations and masks are
there for the caller, as `VectorEnv`'s are. The second pair compiles the whole loop (`lax.scan`), which is faster and
hands out only the last step's: what a policy written in JAX can use.
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
import numpy as np
import pgx
from pgx.experimental import auto_reset

PACKAGES = ("pgx", "jax", "jaxlib", "numpy")
LOOP = 32
"""Steps of all games in a call of the compiled loop."""
SIZES = {"sparrow_mahjong": 256, "leduc_holdem": 4096}
"""Games side by side: the best of several for each game."""


def cases() -> dict[str, Callable[[float], tuple[int, int]]]:
    """Uniformly random play for so many CPU-seconds: decisions, and games that ended."""
    names = {game: game.replace("_", " ") for game in SIZES}
    single = {names[game]: _playing(game, n, 1) for game, n in SIZES.items()}
    return single | {f"{names[game]}, compiled loop": _playing(game, n, LOOP) for game, n in SIZES.items()}


def _playing(game: str, n: int, steps: int) -> Callable[[float], tuple[int, int]]:
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
        carry, _ = jax.lax.scan(step, (state, key, jnp.int32(0)), None, length=steps)
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
            np.asarray(state.observation), np.asarray(state.legal_action_mask)
            decisions += n * steps
            games += int(ended)
        return decisions, games

    return play
