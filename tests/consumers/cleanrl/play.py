"""Plain torch: PPO in one file, in the manner of CleanRL, on the vector environment of all seats.

One net plays all seats. Each decision's reward is what its seat got until it was asked again, across the ends of hands
(`reward_since`), and the decision is the hand's last of its seat where `done_since` says so; so one row of the batch
holds the streams of three seats, and advantages are computed for each stream by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical

from consumers.harness import Options, Result, VectorReferee, main, masked_argmax, strength
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.vector import Batch, VectorEnv

PACKAGES = ("torch",)
ENVS, STEPS = 128, 64
EPOCHS, MINIBATCH = 3, 1024
GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, RATE = 1.0, 0.95, 0.2, 0.02, 0.5, 5e-4
SCALE = 10.0


class Net(nn.Module):
    """Logits of the actions and the value of a position."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(NUM_PLANES * KINDS, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
        self.policy, self.value = nn.Linear(128, NUM_ACTIONS), nn.Linear(128, 1)

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        hidden = self.body(seen.flatten(1).float())
        return self.policy(hidden).masked_fill(~mask, -1e9), self.value(hidden).squeeze(1)


class Streams:
    """Gives every decision of a rollout its reward, and what of the same seat came after it."""

    def __init__(self, steps: int, envs: int, seats: int) -> None:
        self.rewards = np.zeros((steps, envs), np.float32)
        self.terminal = np.zeros((steps, envs), np.bool_)
        self.following = np.full((steps, envs), -1)  # step of the seat's next decision, -1 if it is not in the rollout
        self._last = np.full((envs, seats), -1)  # step of each seat's latest decision
        self._rows = np.arange(envs)

    def before(self, step: int, batch: Batch) -> None:
        """Credit the latest decisions of the seats that are about to act."""
        seats = batch.actor
        last = self._last[self._rows, seats]
        rows = self._rows[last >= 0]
        self._credit(rows, seats[rows], batch)
        self.following[last[rows], rows] = step
        self._last[self._rows, seats] = step

    def close(self, batch: Batch) -> NDArray[np.bool_]:
        """Credit what is left open; which decisions are complete, the others having no end in this rollout."""
        rows, seats = np.nonzero(self._last >= 0)
        self._credit(rows, seats, batch)
        return (self.following >= 0) | self.terminal

    def _credit(self, rows: NDArray[Any], seats: NDArray[Any], batch: Batch) -> None:
        steps = self._last[rows, seats]
        self.rewards[steps, rows] = batch.reward_since[rows, seats] / SCALE
        self.terminal[steps, rows] = batch.done_since[rows, seats]

    def advantages(self, values: NDArray[np.float32], complete: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Generalised advantage estimates within the streams."""
        found = np.zeros_like(self.rewards)
        for step in reversed(range(len(found))):
            rows = np.flatnonzero(complete[step])
            after, more = self.following[step, rows], ~self.terminal[step, rows]
            delta = self.rewards[step, rows] + GAMMA * values[after, rows] * more - values[step, rows]
            found[step, rows] = delta + GAMMA * LAMBDA * found[after, rows] * more
        return found


def play(options: Options) -> Result:
    torch.manual_seed(options.seed)
    net = Net()
    optimizer = torch.optim.Adam(net.parameters(), RATE, eps=1e-5)
    env = VectorEnv(ENVS, "hunan", seed=options.seed, autoreset="same_step", copy=True)
    batch = env.reset()
    referee = VectorReferee(env, options.seed, rows=16)
    budget = options.budget()
    while budget.another():
        for group in optimizer.param_groups:
            group["lr"] = RATE * max(budget.left, 0.05)

        # a rollout
        streams = Streams(STEPS, ENVS, env.rules.seats)
        seen = np.zeros((STEPS, *batch.observation.shape), np.int8)
        masks = np.zeros((STEPS, *batch.action_mask.shape), np.bool_)
        chosen = np.zeros((STEPS, ENVS), np.int64)
        logs, values = np.zeros((STEPS, ENVS), np.float32), np.zeros((STEPS, ENVS), np.float32)
        for step in range(STEPS):
            streams.before(step, batch)
            seen[step], masks[step] = batch.observation, batch.action_mask
            with torch.no_grad():
                logits, value = net(torch.from_numpy(seen[step]), torch.from_numpy(masks[step]))
            policy = Categorical(logits=logits, validate_args=False)
            action = policy.sample()
            chosen[step], logs[step], values[step] = action, policy.log_prob(action), value
            batch = env.step(chosen[step])
            referee.step(chosen[step], batch)
        complete = streams.close(batch)
        advantages = streams.advantages(values, complete)
        returns = advantages + values

        # PPO on the decisions that are complete
        data = [torch.from_numpy(x[complete]) for x in (seen, masks, chosen, logs, advantages, returns)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(data[0])).split(MINIBATCH):
                planes, mask, action, old, advantage, target = (x[rows] for x in data)
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                logits, value = net(planes, mask)
                policy = Categorical(logits=logits, validate_args=False)
                ratio = (policy.log_prob(action) - old).exp()
                gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                loss = VALUE * (value - target).square().mean() - gain - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()

    result = Result("a PPO loop in one file, self-play of all seats in `VectorEnv`", updates=budget.done)
    result.add(referee)

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        with torch.no_grad():
            logits, _ = net(torch.from_numpy(observations), torch.from_numpy(legal))
        return masked_argmax(logits.numpy(), legal)

    result.strength = strength(act, options.hands)
    return result


if __name__ == "__main__":
    main("cleanrl", PACKAGES, play, __doc__, updates=6)
