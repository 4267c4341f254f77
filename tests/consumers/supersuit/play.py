"""SuperSuit: each wrapper that applies to a turn-based game with masks, and a linear policy trained behind two of them.

With ``obs="flat"`` the observation is one vector and the mask is in the infos, which the wrappers of observations leave
alone. Those of actions and rewards work with ``obs="dict"`` too. The others are for continuous actions, images or
simultaneous moves; `sticky_actions` and `frame_skip` repeat an action, which need not be legal again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import supersuit as ss
from numpy.typing import NDArray

from consumers.harness import Options, Referee, Result, main, masked_argmax, require, strength
from paohuzi_env import paohuzi_v0
from paohuzi_env.core.actions import HU, NUM_ACTIONS, PASS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS

PACKAGES = ("supersuit",)
HANDS, HANDS_AN_UPDATE = 6, 40
ANY: Final[dict[str, Callable[[Any], Any]]] = {
    "action_lambda_v1": lambda env: ss.action_lambda_v1(env, lambda action, space: action, lambda space: space),
    "clip_reward_v0": lambda env: ss.clip_reward_v0(env, -1000, 1000),
    "nan_noop_v0": lambda env: ss.nan_noop_v0(env, PASS),
    "nan_random_v0": ss.nan_random_v0,
    "pad_action_space_v0": ss.pad_action_space_v0,
    "reward_lambda_v0": lambda env: ss.reward_lambda_v0(env, lambda reward: reward),
}
"""Wrappers that work with both forms of observations."""
FLAT: Final[dict[str, Callable[[Any], Any]]] = {
    "agent_indicator_v0": ss.agent_indicator_v0,
    "delay_observations_v0": lambda env: ss.delay_observations_v0(env, 1),
    "dtype_v0": lambda env: ss.dtype_v0(env, np.float32),
    "flatten_v0": ss.flatten_v0,
    "frame_stack_v1": lambda env: ss.frame_stack_v1(env, 3),
    "max_observation_v0": lambda env: ss.max_observation_v0(env, 2),
    "normalize_obs_v0": lambda env: ss.normalize_obs_v0(ss.dtype_v0(env, np.float32)),
    "observation_lambda_v0": lambda env: ss.observation_lambda_v0(env, lambda seen, space: seen // 2),
    "pad_observations_v0": ss.pad_observations_v0,
    "reshape_v0": lambda env: ss.reshape_v0(env, (NUM_PLANES, KINDS)),
}
"""Wrappers that need ``obs="flat"``."""


def takes(mask: NDArray[Any], chance: np.random.Generator) -> int:
    """A player who wins where it can and mostly claims, so that many hands are won."""
    legal = np.flatnonzero(mask)
    return HU if HU in legal else int(legal[0] if PASS in legal else chance.choice(legal))


def play_hand(env: Any, choose: Callable[[Any, Any], int]) -> dict[str, float]:
    """One hand through a wrapper: the returns that it gives."""
    returns = dict.fromkeys(env.possible_agents, 0.0)
    env.reset()
    for name in env.agent_iter():
        seen, reward, over, cut, info = env.last()
        returns[name] += reward
        require(env.observation_space(name).contains(seen), "an observation is not of its space")
        mask = seen["action_mask"] if isinstance(seen, dict) else info["action_mask"]
        env.step(None if over or cut else choose(seen, mask))
    return returns


def check(wrap: Callable[[Any], Any], obs: str, seed: int) -> Referee:
    """Hands through one wrapper: its returns are the settlements."""
    referee = Referee(paohuzi_v0.env(obs=obs))
    env = wrap(referee)
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    for _ in range(HANDS):
        returns = play_hand(env, lambda _, mask: takes(mask, chance))
        require(returns == referee.settlements[-1], "returns are not the settlement")
    return referee


def check_side_by_side(seed: int) -> list[Referee]:
    """Two hands at once in `vectorize_aec_env_v0`, which asks an agent where it is to move and passes elsewhere."""
    env = ss.vectorize_aec_env_v0(Referee(paohuzi_v0.env(obs="flat")), 2)
    env.reset(seed=seed)
    chance = np.random.default_rng(seed)
    for _ in env.agent_iter(500):
        *_, infos = env.last()
        masks = [info["action_mask"] for info in infos]
        env.step(np.array([takes(mask, chance) if mask.any() else PASS for mask in masks]))
    return list(env.envs)


class Linear:
    """A linear policy of all seats, trained by REINFORCE."""

    def __init__(self, seed: int) -> None:
        self.weights = np.zeros((NUM_PLANES * KINDS, NUM_ACTIONS))
        self._chance = np.random.default_rng(seed)

    def gradient(self, env: Any) -> NDArray[np.float64]:
        """Of one hand's returns."""
        steps: list[tuple[str, Any, Any]] = []

        def choose(seen: Any, mask: Any) -> int:
            logits = np.where(mask, seen @ self.weights, -np.inf)
            odds = np.exp(logits - logits.max())
            odds /= odds.sum()
            action = int(self._chance.choice(NUM_ACTIONS, p=odds))
            steps.append((env.agent_selection, seen, np.eye(NUM_ACTIONS)[action] - odds))
            return action

        returns = play_hand(env, choose)
        found = np.zeros_like(self.weights)
        for name, seen, score in steps:
            if returns[name]:
                found += np.outer(seen, score * returns[name])
        return found

    def update(self, gradient: NDArray[np.float64], rate: float = 5.0) -> None:
        """A step of that length."""
        self.weights += rate * gradient / max(float(np.linalg.norm(gradient)), 1e-9)


def play(options: Options) -> Result:
    referee = Referee(paohuzi_v0.env(obs="flat"))
    env = ss.normalize_obs_v0(ss.dtype_v0(referee, np.float32))
    env.reset(seed=options.seed)
    policy = Linear(options.seed)
    budget = options.budget()
    while budget.another():
        policy.update(np.sum([policy.gradient(env) for _ in range(HANDS_AN_UPDATE)], axis=0))

    wrappers = [*ANY, *FLAT, "vectorize_aec_env_v0"]
    result = Result(
        f"{len(wrappers)} wrappers of `paohuzi_v0.env`, and REINFORCE behind two of them",
        updates=budget.done, notes=wrappers,
    )  # fmt: skip
    result.add(referee, *check_side_by_side(options.seed))
    for seed, (name, wrap) in enumerate([*ANY.items(), *FLAT.items()]):
        for obs in ("flat", "dict") if name in ANY else ("flat",):
            result.add(check(wrap, obs, seed))
    result.strength = strength(
        lambda seen, legal: masked_argmax(seen.reshape(len(seen), -1) / 127 @ policy.weights, legal), options.hands
    )
    return result


if __name__ == "__main__":
    main("supersuit", PACKAGES, play, __doc__, updates=4)
