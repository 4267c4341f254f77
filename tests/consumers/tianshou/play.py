"""Tianshou: a masked DQN in all seats, through its `PettingZooEnv`.

The next observation in Tianshou's buffer is that of the next seat, so a target with bootstrapping would be made from
another player's position. The n-step horizon is therefore longer than a hand: the targets are whole returns of the
seat that acted (deep Monte Carlo), which the library sums itself.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from consumers.harness import Options, Referee, Result, main, masked_argmax, require, strength
from paohuzi_env import paohuzi_v0
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS

PACKAGES = ("tianshou",)
SCALE = 10.0
ENVS, HANDS, GRADIENTS, BATCH = 8, 32, 10, 256
HORIZON = 128
EXPLORE = 0.2


def play(options: Options) -> Result:
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)  # noqa: NPY002  # Tianshou draws from it
    referees = [Referee(paohuzi_v0.env(reward="scaled", reward_scale=SCALE), SCALE) for _ in range(ENVS)]
    envs = DummyVectorEnv([lambda referee=referee: PettingZooEnv(referee) for referee in referees])
    one = PettingZooEnv(paohuzi_v0.env())

    net = Net(state_shape=(NUM_PLANES, KINDS), action_shape=NUM_ACTIONS, hidden_sizes=[256, 128])
    agent = DQN(
        policy=DiscreteQLearningPolicy(
            model=net, action_space=one.action_space, observation_space=one.observation_space,
            eps_inference=EXPLORE,  # the mark of a training step does not reach the policies of single agents
        ),
        optim=AdamOptimizerFactory(lr=5e-4), gamma=1.0, n_step_return_horizon=HORIZON,
    )  # fmt: skip
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[agent] * len(one.agents), env=one)
    buffer = VectorReplayBuffer(20_000, ENVS)
    collector = Collector[CollectStats](algorithm, envs, buffer, exploration_noise=True)
    collector.reset(gym_reset_kwargs={"seed": options.seed})

    budget = options.budget()
    returns = []
    with policy_within_training_step(algorithm.policy):
        while budget.another():
            returns.append(collector.collect(n_episode=HANDS).returns)
            for _ in range(GRADIENTS):
                algorithm.update(buffer, BATCH)

    # the returns that Tianshou has summed are the settlements; it lists hands in the order in which they ended
    counted = [tuple(np.rint(hand * SCALE).astype(int).tolist()) for hand in np.concatenate(returns)]
    watched = [tuple(totals.values()) for referee in referees for totals in referee.settlements]
    require(not Counter(counted) - Counter(watched), "returns are not the settlements")

    result = Result("`PettingZooEnv(paohuzi_v0.env())`: a masked DQN in all seats", updates=budget.done)
    result.add(*referees)

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        with torch.no_grad():
            values, _ = net(observations)
        return masked_argmax(values.numpy(), legal)

    result.strength = strength(act, options.hands)
    return result


if __name__ == "__main__":
    main("tianshou", PACKAGES, play, __doc__, updates=6)
