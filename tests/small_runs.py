"""Small runs for tests: the game `mini` against uniformly random play."""

from __future__ import annotations

import dataclasses
from typing import Any

import agents
from train.config import Config
from train.ppo import Learner

SMALL = Config(
    rules="mini", decisions=20_000, width=32, critic_width=16, batch=1024, streams=4, minibatch=256, pool_every=2,
    pool=3, opponents=("uniform",), evaluate_against=("uniform",), evaluate_every=0, evaluate_deals=20, save_every=2,
    threads=1,
)  # fmt: skip


def learner(**changes: Any) -> Learner:
    """A learner of the small settings, with some of them changed."""
    config = dataclasses.replace(SMALL, **changes)
    policies = [agents.make(text, config.rules).policy for text in config.opponents]
    return Learner(config, [policy for policy in policies if policy is not None])
