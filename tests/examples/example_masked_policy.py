"""A policy that is handed the mask, as a network would be."""

import numpy as np

from paohuzi_env import paohuzi_v0

env = paohuzi_v0.env()
rng = np.random.default_rng(0)
size = env.observation_space("player_0")["observation"].shape
weights = rng.normal(size=(size[0] * size[1], 32)).astype(np.float32)  # your network


def policy(observation):
    logits = observation["observation"].ravel() @ weights / 50
    logits[observation["action_mask"] == 0] = -np.inf  # never leave the mask out: illegal actions raise
    chances = np.exp(logits - logits.max())
    return rng.choice(32, p=chances / chances.sum())


returns = dict.fromkeys(env.possible_agents, 0.0)
env.reset(seed=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    returns[agent] += reward  # the settlement arrives in the dead steps too
    env.step(None if termination or truncation else policy(observation))
assert sum(returns.values()) == 0
