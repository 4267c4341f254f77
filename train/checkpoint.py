"""Checkpoints: one file with all that a run is, written whole or not at all.

A safetensors file (no code in it, unlike pickles) of the learner's arrays, with settings, counters and the history of
evaluations as JSON in its header. What does not fit this version, the rule set or the settings is refused.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.inputs import ENCODING_VERSION
from paohuzi_env.core.actions import TABLE_VERSION
from paohuzi_env.errors import PaohuziError
from paohuzi_env.files import write_whole
from paohuzi_env.rules import rule_set
from train.config import Config, ConfigError, changed

VERSION: Final = 1
MOST: Final = (1 << 39) - 1
"""Greatest counter: an iteration's hands are numbered in 63 bits (`rollout.HANDS_APART`)."""
_KEY: Final = "paohuzi-train"


class CheckpointError(PaohuziError, ValueError):
    """A file that is no checkpoint, torn, or of something else."""


class Evaluation(msgspec.Struct, forbid_unknown_fields=True):
    """How the averaged policy did."""

    iteration: int
    decisions: int
    seconds: float
    margins: dict[str, tuple[float, float]]
    """By agent: points a seat more than it in a hand, and the standard error."""

    @property
    def mean(self) -> float:
        """Mean margin over the agents; what the best network is best at."""
        return float(np.mean([margin for margin, _ in self.margins.values()])) if self.margins else float("nan")


@dataclass
class Checkpoint:
    """All that a run is.

    Attributes
    ----------
    config
        Its settings.
    arrays, counters
        The learner (`Learner.state`).
    history
        Evaluations so far.
    seconds
        Time that the run took so far, over all its parts.
    """

    config: Config
    arrays: dict[str, NDArray[Any]]
    counters: dict[str, int]
    history: list[Evaluation] = field(default_factory=list)
    seconds: float = 0.0


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    version: int
    encoding: int
    actions: int
    rules_hash: str
    digest: str
    config: dict[str, Any]
    counters: dict[str, int]
    history: list[Evaluation]
    seconds: Annotated[float, msgspec.Meta(ge=0.0, le=1e12)]


def write_checkpoint(path: str | os.PathLike[str], checkpoint: Checkpoint) -> None:
    """Write a checkpoint; on any error the file is as it was."""
    c = checkpoint
    header = _Header(
        VERSION, ENCODING_VERSION, TABLE_VERSION, rule_set(c.config.rules).hash, _digest(c.arrays),
        asdict(c.config), c.counters, c.history, c.seconds,
    )  # fmt: skip
    write_whole(path, save(c.arrays, {_KEY: msgspec.json.encode(header).decode()}))


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of the arrays and their names, so that damage shows."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + b"\0" + arrays[name].tobytes())
    return digest.hexdigest()


def check_fits(
    found: Checkpoint, arrays: Mapping[str, NDArray[Any]], counters: Mapping[str, int], what: str
) -> None:  # fmt: skip
    """Refuse a state that is none of a learner with these settings, of which a new one has `arrays` and `counters`.

    Raises
    ------
    CheckpointError
        A part is missing, too many, of another type or shape, or not finite.
    """
    if found.counters.keys() != counters.keys() or not all(0 <= n <= MOST for n in found.counters.values()):
        raise CheckpointError(f"{what}: counters {found.counters}; allowed: {', '.join(counters)}, from 0 to {MOST}")
    if found.counters["pool"] > found.config.pool:
        raise CheckpointError(f"{what}: {found.counters['pool']} past selves; allowed: {found.config.pool}")
    shapes = {name: array.shape for name, array in arrays.items()}
    policy = [shape for name, shape in shapes.items() if name.startswith("policy/")]
    critic = [shape for name, shape in shapes.items() if name.startswith("critic/")]
    pool = range(found.counters["pool"])
    shapes |= {f"pool/{number}/{place}": shape for number in pool for place, shape in enumerate(policy)}
    for number, shape in enumerate((*policy, *critic)):
        moments = {"step": (), "exp_avg": shape, "exp_avg_sq": shape}
        if any(f"adam/{number}/{key}" in found.arrays for key in moments):  # from its first step on
            shapes |= {f"adam/{number}/{key}": shape for key, shape in moments.items()}
    if differing := sorted(shapes.keys() ^ found.arrays.keys()):
        raise CheckpointError(f"{what}: {differing[0]} is {'missing' if differing[0] in shapes else 'too many'}")
    for name, array in found.arrays.items():
        if array.shape != shapes[name] or array.dtype != np.float32:
            raise CheckpointError(f"{what}: {name} is {array.dtype} {array.shape}; allowed: float32 {shapes[name]}")
        if not np.isfinite(array).all():
            raise CheckpointError(f"{what}: {name} has values that are not finite")


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint.

    Raises
    ------
    CheckpointError
        There is none, it is torn, or of another version or rule set; the message says which.
    """
    path = Path(path)
    if not path.is_file():
        what = "it is no regular file" if path.exists() else "there is no such file"
        raise CheckpointError(f"checkpoint {path}: {what}")
    try:
        with safe_open(path, "numpy") as file:
            text = (file.metadata() or {}).get(_KEY)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as error:  # or numpy lacks the type
        raise CheckpointError(f"checkpoint {path}: torn, or no checkpoint ({error})") from error
    if text is None:
        raise CheckpointError(f"checkpoint {path}: a safetensors file of something else")
    try:
        header = msgspec.json.decode(text, type=_Header)
    except msgspec.MsgspecError as error:
        raise CheckpointError(f"checkpoint {path}: header: {error}") from error
    own = (VERSION, ENCODING_VERSION, TABLE_VERSION)
    if (header.version, header.encoding, header.actions) != own:
        have = (header.version, header.encoding, header.actions)
        raise CheckpointError(f"checkpoint {path}: versions (checkpoint, encoding, actions) {have}; allowed: {own}")
    try:
        config = changed(Config(), header.config, f"checkpoint {path}")
    except ConfigError as error:
        raise CheckpointError(str(error)) from error
    now = rule_set(config.rules)
    if now.hash != header.rules_hash:
        raise CheckpointError(
            f"checkpoint {path}: trained for rule set {header.rules_hash}; allowed: {now.hash}, which is {config.rules}"
        )
    if _digest(arrays) != header.digest:
        raise CheckpointError(f"checkpoint {path}: damaged: its arrays do not match their digest")
    return Checkpoint(config, arrays, header.counters, header.history, header.seconds)
