"""The settings of a run: one dataclass, a line of meaning a field, from a preset, a TOML file and the command line."""

from __future__ import annotations

import dataclasses
import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

import msgspec

from agents.network import MOST_WIDTH
from paohuzi_env.errors import PaohuziError
from paohuzi_env.rules import rule_set


class ConfigError(PaohuziError, ValueError):
    """A setting that is unknown, out of range, or contradicts another."""


@dataclass(frozen=True)
class Config:
    """Settings of a training run."""

    rules: str = "hunan"
    """Rule set: a preset's name, or a rule file."""
    seed: int = 1
    """Of everything that is drawn: weights, deals, seats, actions, the order of learning."""

    # --- how long
    decisions: int = 100_000_000
    """Length of the run: decisions of the learner that it learns from. Step sizes follow it."""
    minutes: float = 0.0
    """Stop (and save) so many minutes after the first iteration even if the run is not through; 0 never."""

    # --- the networks
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
    """Decisions an iteration, about: streams play whole hands."""
    streams: int = 16
    """Independent sequences of hands."""
    guest_share: float = 0.15
    """Share of hands in which a past self plays one or two seats."""
    opponent_share: float = 0.1
    """Share of hands in which an opponent plays one or two seats."""
    opponents: tuple[str, ...] = ("heuristic", "greedy")
    """Agents with a compiled policy, one an iteration in turn. The first is the teacher of `imitate`."""
    pool: int = 16
    """Most past selves that are kept; beyond it one leaves at random."""
    pool_every: int = 25
    """Iterations from one kept past self to the next."""

    # --- imitation before self-play
    imitate: int = 0
    """Decisions of the first opponent to learn from before self-play; 0 begins from nothing."""
    stray: float = 0.1
    """Share of uniformly random moves meanwhile, so that unusual positions are shown too."""

    # --- learning
    objective: Literal["points", "win", "log"] = "points"
    """What is maximised: points; hands won; or sign(points) * log(1 + |points|)."""
    scale: float = 10.0
    """Points are divided by it ("points" only)."""
    epochs: int = 1
    """Times that an iteration's decisions are learned from."""
    minibatch: int = 2048
    """Decisions a step, about."""
    lr: float = 2e-3
    """Adam's step size at the start."""
    lr_end: float = 1e-4
    """Adam's step size at the end; linear between."""
    decay: float = 0.7
    """Lambda of the generalised advantages; nothing is discounted."""
    clip: float = 0.2
    """How far a step may move a chance, as a ratio."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start."""
    entropy_end: float = 0.002
    """Weight of the entropy bonus at the end; linear between."""
    magnet: float = 0.02
    """Weight of the divergence from the averaged policy."""
    average: float = 0.98
    """Share of itself that the averaged policy keeps in an iteration. It is the one that is evaluated and shipped."""
    max_grad: float = 0.5
    """Norm that gradients are cut to, of the policy and of the critic."""
    max_kl: float = 0.1
    """An iteration learns no further once the policy has moved so far; 0 never."""

    # --- looking on
    evaluate_every: int = 200
    """Iterations between evaluations by the arena; 0 evaluates at the end only."""
    evaluate_deals: int = 500
    """Validation deals of an evaluation, each played in every seating."""
    evaluate_against: tuple[str, ...] = ("greedy", "heuristic")
    """Agents of the evaluation. The mean margin over them chooses the best network."""
    save_every: int = 100
    """Iterations between checkpoints."""

    # --- the machine
    device: Literal["auto", "cpu", "cuda"] = "cpu"
    """Where the networks learn. Hands are played on the CPU; "auto" is a graphics card where there is one."""
    threads: int = 0
    """Threads that play, and learn (two of them); 0: one a processor, two at most. No result depends on it."""

    def __post_init__(self) -> None:
        check(self)


_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "seed": (0, 2**63 - 1), "decisions": (0, 1e15), "minutes": (0, 1e6), "width": (8, MOST_WIDTH), "layers": (1, 8),
    "critic_width": (8, MOST_WIDTH), "critic_layers": (1, 8), "batch": (64, 1 << 24), "streams": (1, 4096),
    "guest_share": (0, 1), "opponent_share": (0, 1), "pool": (0, 1000), "pool_every": (1, 1e9), "imitate": (0, 1e12),
    "stray": (0, 1), "scale": (1e-6, 1e6), "epochs": (1, 100), "minibatch": (16, 1 << 24), "lr": (0, 1),
    "lr_end": (0, 1), "decay": (0, 1), "clip": (1e-3, 1), "entropy": (0, 10), "entropy_end": (0, 10),
    "magnet": (0, 100), "average": (0, 0.999999), "max_grad": (1e-6, 1e6), "max_kl": (0, 100),
    "evaluate_every": (0, 1e9), "evaluate_deals": (2, 1 << 20), "save_every": (1, 1e9), "threads": (0, 256),
}  # fmt: skip


def check(c: Config) -> None:
    """Refuse settings that are out of range or contradict each other.

    Raises
    ------
    ConfigError, RuleSetError
        With the setting, its value and what is allowed.
    """
    for name, (low, high) in _RANGES.items():
        value = getattr(c, name)
        if not low <= value <= high:
            raise ConfigError(f"{name} = {value!r}; allowed: {low} to {high}")
    rule_set(c.rules)
    contradictions = (
        (c.batch % c.streams != 0, f"batch = {c.batch} is no multiple of streams = {c.streams}"),
        (c.minibatch > c.batch, f"minibatch = {c.minibatch} is more than batch = {c.batch}"),
        (c.guest_share + c.opponent_share > 1, "guest_share and opponent_share are more than 1 together"),
        (c.guest_share > 0 and c.pool == 0, f"guest_share = {c.guest_share} and pool = 0: there are no past selves"),
        (not c.opponents and c.opponent_share > 0, f"opponent_share = {c.opponent_share} without opponents"),
        (not c.opponents and c.imitate > 0, f"imitate = {c.imitate} without opponents: there is no teacher"),
        (not c.evaluate_against, "evaluate_against is empty: nothing chooses the best network"),
        (c.lr_end > c.lr, f"lr_end = {c.lr_end} is more than lr = {c.lr}, its most"),
        (c.entropy_end > c.entropy, f"entropy_end = {c.entropy_end} is more than entropy = {c.entropy}, its most"),
        (c.decisions == 0 and c.imitate == 0, "decisions = 0 and imitate = 0: nothing to do"),
    )
    for wrong, why in contradictions:
        if wrong:
            raise ConfigError(why)


PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "smoke": {
        "decisions": 100_000, "width": 32, "critic_width": 32, "batch": 8192, "streams": 8, "minibatch": 1024,
        "evaluate_every": 0, "evaluate_deals": 50, "pool_every": 4, "opponents": ("uniform",),
        "evaluate_against": ("uniform",), "threads": 1,
    },
    "demo": {
        "decisions": 6_000_000, "width": 64, "critic_width": 64, "batch": 16_384, "evaluate_every": 60,
        "evaluate_deals": 200, "opponents": ("greedy",),
    },
    "quick": {"decisions": 25_000_000, "width": 128, "critic_width": 128, "evaluate_every": 100},
    "standard": {
        "decisions": 130_000_000, "imitate": 100_000, "lr": 1e-3, "lr_end": 5e-5, "entropy": 0.05,
        "entropy_end": 0.005, "evaluate_every": 300, "evaluate_deals": 2000,
    },
    "strong": {
        "decisions": 800_000_000, "imitate": 100_000, "lr": 1e-3, "lr_end": 3e-5, "entropy": 0.05,
        "entropy_end": 0.005, "average": 0.99, "evaluate_every": 500, "evaluate_deals": 2000,
    },
}  # fmt: skip
"""About what two cores do in seconds, 2 minutes, 10 minutes, an hour, and six hours."""

MAY_CHANGE: Final = frozenset(
    {"decisions", "minutes", "evaluate_every", "evaluate_deals", "evaluate_against", "save_every", "device", "threads"}
)
"""Settings that a resumed run may change; all others stay as they were."""


def preset(name: str) -> Config:
    """A preset's settings."""
    if name not in PRESETS:
        raise ConfigError(f"preset = {name!r}; allowed: {', '.join(PRESETS)}")
    return Config(**PRESETS[name])


def from_toml(path: str | os.PathLike[str], start: Config) -> Config:
    """The settings of a TOML file, over those of `start`."""
    try:
        table = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"settings {path}: {error}") from error
    return changed(start, table, f"settings {path}")


def changed(start: Config, table: Mapping[str, Any], what: str) -> Config:
    """`start` with other values for some settings."""
    types = get_type_hints(Config)
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in types:
            raise ConfigError(f"{what}: unknown setting {name!r}; allowed: {', '.join(types)}")
        if name == "rules" and isinstance(value, Mapping):  # as everywhere, a rule set may be given in full
            value = json.dumps(value)
        try:
            values[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            choices = get_args(types[name]) if get_origin(types[name]) is Literal else ()
            why = f"allowed: {', '.join(choices)}" if choices else str(error)
            raise ConfigError(f"{what}: {name} = {value!r}: {why}") from error
    try:
        return dataclasses.replace(start, **values)
    except ConfigError as error:
        raise ConfigError(f"{what}: {error}") from error


def check_resumed(old: Config, new: Config) -> None:
    """Refuse to go on with settings that would make another run of it."""
    for field in dataclasses.fields(Config):
        was, now = getattr(old, field.name), getattr(new, field.name)
        if was != now and field.name not in MAY_CHANGE:
            may = ", ".join(sorted(MAY_CHANGE))
            raise ConfigError(f"{field.name} = {now!r}, and the run to resume has {was!r}; may change: {may}")
