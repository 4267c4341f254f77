"""Plain torch: PPO in one file, in the manner of CleanRL, on the vector environment of all seats.

One net plays all seats. Each decision's reward is what its seat got until it was asked again, across the ends of hands
(`reward_since`), and the decision is the hand's last of its seat where `done_since` says so; so one row of the batch
holds the streams of three seats, and advantages are computed for each stream by itself.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from consumers.harness import Options, Result, main, masked_argmax, require, strength
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.vector import VectorEnv

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
