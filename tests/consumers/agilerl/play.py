"""AgileRL: a masked DQN that plays all seats, over PettingZoo's own loop of turns.

AgileRL takes masks from ``info["action_mask"]``, where the environment puts them with ``obs="flat"``. A transition goes
from a seat's decision to its next one, whoever played in between; `last()` gives the reward of just that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components import ReplayBuffer
from agilerl.components.data import Transition
from numpy.typing import NDArray

from consumers.harness import Options, Referee, Result, main, require, strength
from paohuzi_env import paohuzi_v0

PACKAGES = ("agilerl", "tensordict")
SCALE = 10.0
HANDS, GRADIENTS, BATCH = 32, 20, 256
EXPLORE = 0.2


def play_hand(env: Any, agent: DQN, explore: float) -> tuple[list[tuple[Any, ...]], dict[str, float]]:
    """One hand: every decision's (observation, action, next observation, reward, done), and the agents' returns."""
    transitions: list[tuple[Any, ...]] = []
    waiting: dict[str, tuple[Any, int]] = {}
    returns = dict.fromkeys(env.possible_agents, 0.0)
    env.reset()
    for name in env.agent_iter():
        observation, reward, over, _, info = env.last()
        returns[name] += reward
        if name in waiting:
            transitions.append((*waiting.pop(name), observation, reward, over))
        if over:
            env.step(None)
            continue
        action = int(agent.get_action(observation, explore, action_mask=info["action_mask"][None])[0])
        waiting[name] = (observation, action)
        env.step(action)
    return transitions, returns


def play(options: Options) -> Result:
    torch.manual_seed(options.seed)
    env = Referee(paohuzi_v0.env(obs="flat", reward="scaled", reward_scale=SCALE), SCALE)
    env.reset(seed=options.seed)
    one = env.possible_agents[0]
    agent = DQN(
        env.observation_space(one), env.action_space(one), batch_size=BATCH, lr=5e-4, gamma=1.0, tau=0.02,
        net_config={"encoder_config": {"hidden_size": [256]}, "head_config": {"hidden_size": [128]}},
    )  # fmt: skip
    memory = ReplayBuffer(50_000)

    def hand(explore: float) -> None:
        transitions, returns = play_hand(env, agent, explore)
        settled = [env.settlements[-1][name] / SCALE for name in returns]
        require(np.allclose(list(returns.values()), settled), "returns are not the settlement")
        columns = [np.array(column) for column in zip(*transitions, strict=True)]
        data = Transition(
            obs=columns[0], action=columns[1], next_obs=columns[2], reward=columns[3], done=columns[4],
            batch_size=[len(transitions)],
        )  # fmt: skip
        memory.add(data.to_tensordict())

    budget = options.budget()
    while budget.another():
        for _ in range(HANDS):
            hand(EXPLORE)
        for _ in range(GRADIENTS):
            agent.learn(memory.sample(BATCH))
    for _ in range(5):
        hand(0.0)

    result = Result('`paohuzi_v0.env(obs="flat")`: a masked DQN over the loop of turns', updates=budget.done)
    result.add(env)

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> Any:
        return agent.get_action(observations.reshape(len(observations), -1), 0.0, action_mask=legal.astype(np.int8))

    result.strength = strength(act, options.hands)
    return result


if __name__ == "__main__":
    main("agilerl", PACKAGES, play, __doc__, updates=4)
