"""sb3-contrib: MaskablePPO learns one seat, in a DummyVecEnv and in a SubprocVecEnv.

The environment has `action_masks()`, which is all that MaskablePPO asks for.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from consumers.harness import Budget, Options, Result, SingleReferee, main, require, strength

PACKAGES = ("sb3-contrib", "stable-baselines3")
SCALE = 10.0
STEPS, ENVS = 256, 4


def make() -> gymnasium.Env[Any, Any]:
    env = gymnasium.make("paohuzi_env.single:paohuzi/SingleSeat-v0", reward="scaled", reward_scale=SCALE)
    return SingleReferee(env, SCALE)


def train(kind: type[VecEnv], budget: Budget, seed: int, result: Result) -> MaskablePPO:
    """Train within the budget; what the library's Monitor has counted are the settlements that were watched."""
    envs = make_vec_env(make, ENVS, seed=seed, vec_env_cls=kind)
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=STEPS, batch_size=512, n_epochs=4, gamma=1.0, ent_coef=0.02,
        policy_kwargs={"net_arch": [256, 128]}, seed=seed, device="cpu",
    )  # fmt: skip
    while budget.another():
        model.learn(STEPS * ENVS, reset_num_timesteps=False)
    counted = envs.env_method("get_episode_rewards")
    watched = envs.get_attr("settlements")
    for returns, settlements in zip(counted, watched, strict=True):
        require(np.allclose(np.array(returns) * SCALE, settlements), f"{kind.__name__}: returns are not settlements")
    result.updates += budget.done
    result.hands += sum(map(len, watched))
    result.decisions += sum(envs.get_attr("decisions"))
    envs.close()
    return model


def play(options: Options) -> Result:
    result = Result("MaskablePPO on `paohuzi/SingleSeat-v0`, in DummyVecEnv and SubprocVecEnv")
    train(SubprocVecEnv, Budget(2, None), options.seed, result)
    model = train(DummyVecEnv, options.budget(), options.seed, result)

    env = make()  # and hands with the trained policy, as one would play them
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"])
            observation, _, over, _, info = env.step(action)
    result.add(env)
    result.strength = strength(lambda seen, masks: model.predict(seen, action_masks=masks)[0], options.hands)
    return result


if __name__ == "__main__":
    main("sb3", PACKAGES, play, __doc__, updates=6)
