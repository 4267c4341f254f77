"""The settings of a run: one dataclass, a line of meaning a field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Config:
    """Settings of a training run."""

    rules: str = "hunan"
    """Rule set: a preset's name, or a rule file."""
    seed: int = 1
    """Of everything that is drawn."""

    # --- how long
    decisions: int = 30_000_000
    """Length of the run, in decisions of the learner that it learns from."""

    # --- networks
    width: int = 256
    """Width of the policy's hidden layers."""
    layers: int = 2
    """Hidden layers of the policy."""
    critic_width: int = 128
    """Width of the critic's hidden layers."""
    critic_layers: int = 2
    """Hidden layers of the critic."""

    # --- what is played
    batch: int = 32_768
    """Decisions an iteration, at least: streams play whole hands."""
    streams: int = 16
    """Independent sequences of hands; results depend on it, and not on the number of threads."""
    guest_share: float = 0.15
    """Share of hands in which a past self plays one or two seats."""
    baseline_share: float = 0.1
    """Share of hands in which the baseline plays one or two seats."""
    baseline: str = "greedy"
    """Agent (with a compiled policy) that is the baseline and, for `imitate`, the teacher."""
    pool: int = 16
    """Most past selves that are kept."""
    pool_every: int = 20
    """Iterations from one kept past self to the next."""

    # --- imitation
    imitate: int = 0
    """Decisions of the baseline to learn from before self-play; 0 begins from nothing."""
    stray: float = 0.1
    """Share of uniformly random moves while imitating, so that unusual positions come up."""

    # --- learning
    objective: Literal["points", "win", "log"] = "points"
    """What is maximised: points, hands won, or points on a logarithmic scale (sign kept)."""
    scale: float = 10.0
    """Points are divided by it."""
    epochs: int = 1
    """Times that an iteration's decisions are learned from."""
    minibatch: int = 4096
    """Decisions a step, about."""
    lr: float = 1e-3
    """Adam's step size at the start."""
    lr_end: float = 1e-4
    """Adam's step size at the end; linear between."""
    decay: float = 0.95
    """Lambda of the generalised advantage."""
    clip: float = 0.2
    """How far a step may move a chance, as a ratio."""
    entropy: float = 0.02
    """Weight of the entropy bonus at the start."""
    entropy_end: float = 0.003
    """Weight of the entropy bonus at the end; linear between."""
    magnet: float = 0.05
    """Weight of the divergence from the averaged policy."""
    average: float = 0.98
    """Share of the averaged policy that an iteration keeps."""
    max_grad: float = 0.5
    """Norm that gradients are cut to."""
    max_kl: float = 0.05
    """An epoch ends early when the policy has moved so far; 0 never."""

    # --- machine
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where the networks learn; hands are always played on the CPU."""
    threads: int = 1
    """Threads for playing and learning."""


OBJECTIVES: Final = ("points", "win", "log")
