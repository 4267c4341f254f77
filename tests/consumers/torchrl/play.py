"""TorchRL: PPO by self-play of all seats, through its `PettingZooWrapper` with the mask on.

The wrapper gives every seat's observation at every step, and says who acts. So values are known along each seat's whole
stream, and advantages are the library's own; the loss is computed on the decisions of those who acted.
"""

from __future__ import annotations

import warnings

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.envs.utils import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from consumers.harness import Options, Referee, Result, main, masked_argmax, require, strength
from paohuzi_env import paohuzi_v0
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS

PACKAGES = ("torchrl", "tensordict")
SCALE = 10.0
FRAMES, EPOCHS, MINIBATCH = 1024, 4, 256
SEEN = ("observation", "observation")


class Net(nn.Module):
    """Some numbers for each position: the actions' logits, or its value."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(NUM_PLANES * KINDS, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, outputs)
        )

    def forward(self, seen: Tensor) -> Tensor:
        return self.layers(seen.flatten(-2).float())


def actor(logits: nn.Module, *group: str) -> ProbabilisticTensorDictSequential:
    """A policy for the whole group of agents, or (without one) for decisions that were picked out of it."""
    out, action, log = ((*group, name) for name in ("logits", "action", "action_log_prob"))
    return ProbabilisticTensorDictSequential(
        TensorDictModule(logits, in_keys=[(*group, *SEEN)], out_keys=[out]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": out, "mask": (*group, "action_mask")}, out_keys=[action],
            distribution_class=MaskedCategorical, return_log_prob=True, log_prob_key=log,
        ),
    )  # fmt: skip


def play(options: Options) -> Result:
    torch.manual_seed(options.seed)
    referee = Referee(paohuzi_v0.env(reward="scaled", reward_scale=SCALE), SCALE)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested")
        env = PettingZooWrapper(
            referee, use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP, seed=options.seed
        )

    logits, value = Net(NUM_ACTIONS), Net(1)
    policy = actor(logits, "agents")
    values = TensorDictModule(value, in_keys=[("agents", *SEEN)], out_keys=[("agents", "state_value")])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=values)
    advantage.set_keys(
        value=("agents", "state_value"), reward=("agents", "reward"), done=("agents", "done"),
        terminated=("agents", "terminated"), advantage=("agents", "advantage"), value_target=("agents", "value_target"),
    )  # fmt: skip
    loss = ClipPPOLoss(
        actor(logits), TensorDictModule(value, in_keys=[SEEN], out_keys=["state_value"]), clip_epsilon=0.2,
        entropy_coeff=0.02, critic_coeff=0.5, loss_critic_type="l2", normalize_advantage=True,
    )  # fmt: skip
    optimizer = torch.optim.Adam(loss.parameters(), 5e-4)

    budget = options.budget()
    collector = Collector(env, policy, frames_per_batch=FRAMES, total_frames=-1, auto_register_policy_transforms=True)
    for batch in collector:
        if not budget.another():
            break
        with torch.no_grad():
            advantage(batch)
        asked = batch["agents"][batch["agents", "mask"]]  # the decisions of those who acted, one after another
        for _ in range(EPOCHS):
            for rows in torch.randperm(len(asked)).split(MINIBATCH):
                losses = loss(asked[rows])
                total = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                total.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()

    with set_exploration_type(ExplorationType.DETERMINISTIC):
        for _ in range(5):
            hand = env.rollout(1000, policy)
            returns = hand["next", "agents", "reward"].sum(0).flatten() * SCALE
            require(hand["next", "done"][-1], "a hand was not played to its end")
            require(np.allclose(returns, list(referee.settlements[-1].values())), "returns are not the settlement")
    collector.shutdown()

    result = Result("`PettingZooWrapper(paohuzi_v0.env(), use_mask=True)`: PPO by self-play", updates=budget.done)
    result.add(referee)

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        with torch.no_grad():
            scores = logits(torch.from_numpy(observations))
        return masked_argmax(scores.numpy(), legal)

    result.strength = strength(act, options.hands)
    return result


if __name__ == "__main__":
    main("torchrl", PACKAGES, play, __doc__, updates=3)
