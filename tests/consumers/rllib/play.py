"""RLlib, its new API stack: PPO with its own action-masking module, one policy for all seats.

Its `PettingZooEnv` takes the environment as it is; the module wants other names for the parts of the observation, and
`RLlibNames` gives them.
"""

from __future__ import annotations

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

from typing import Any

import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import MultiRLModuleSpec, RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune import register_env

from consumers.harness import Options, Referee, Result, main, masked_argmax, require, strength
from paohuzi_env import paohuzi_v0
from paohuzi_env.adapters.rllib import RLlibNames

PACKAGES = ("ray",)
SCALE = 10.0
DECISIONS = 2048


def make(config: dict[str, Any]) -> PettingZooEnv:
    return PettingZooEnv(RLlibNames(Referee(paohuzi_v0.env(reward="scaled", reward_scale=SCALE, **config), SCALE)))


def play(options: Options) -> Result:
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    register_env("paohuzi", make)
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"fcnet_hiddens": [256, 128], "fcnet_activation": "relu"},
    )
    config = (
        PPOConfig()
        # its check of environments plays without looking at masks, so what it plays is illegal
        .environment("paohuzi", env_config={"rules": "hunan"}, disable_env_checking=True)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=1, batch_mode="complete_episodes")
        .learners(num_learners=0)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode, **_: "all")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"all": module}))
        .training(
            gamma=1.0, lambda_=0.95, lr=5e-4, entropy_coeff=0.02, num_epochs=4, minibatch_size=256,
            train_batch_size_per_learner=DECISIONS,
        )
        .debugging(seed=options.seed)
    )  # fmt: skip
    algorithm = config.build_algo()
    budget = options.budget()
    while budget.another():
        algorithm.train()

    # hands as RLlib's own runner counts them
    runner = algorithm.env_runner
    referee = runner.env.envs[0].unwrapped.env.env
    before = len(referee.settlements)
    episodes = runner.sample(num_episodes=10, explore=False)
    for episode, totals in zip(episodes, referee.settlements[before:], strict=True):
        for name, own in episode.agent_episodes.items():
            require(np.isclose(own.get_return() * SCALE, totals[name]), f"{name}: returns are not the settlement")

    result = Result(
        "`PettingZooEnv(RLlibNames(paohuzi_v0.env()))`: PPO with `ActionMaskingTorchRLModule`", updates=budget.done
    )
    result.add(referee)
    net = algorithm.get_module("all")

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        seen = torch.from_numpy(observations.reshape(len(observations), -1).astype(np.float32))
        with torch.no_grad():
            both = {"observations": seen, "action_mask": torch.from_numpy(legal).float()}
            found = net.forward_inference({"obs": both})
        return masked_argmax(found["action_dist_inputs"].numpy(), legal)

    result.strength = strength(act, options.hands)
    algorithm.stop()
    ray.shutdown()
    return result


if __name__ == "__main__":
    main("rllib", PACKAGES, play, __doc__, updates=3)
