"""A run: learn, look on, keep; from the start or from where it was stopped.

A run is a folder:

    checkpoint.safetensors   all that it is; resumed runs equal uninterrupted ones to the bit (on a CPU)
    best.safetensors         the averaged policy that did best on the validation deals: agents.make("network:…")
    last.safetensors         the averaged policy as it is now
    curve.png                margins over the run
    events.out.tfevents.*    for TensorBoard
"""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Final

import numpy as np
from filelock import FileLock, Timeout

import agents
from agents.base import CompiledAgent
from agents.network import Weights, network_as_policy, write_network
from benchmarks.arena import play_blocks
from benchmarks.blocks import margins
from benchmarks.deals import deal_set
from paohuzi_env.rules import RuleSet, rule_set
from paohuzi_env.search import Policy
from train.checkpoint import Checkpoint, CheckpointError, Evaluation, check_fits, read_checkpoint, write_checkpoint
from train.config import Config, ConfigError
from train.group import Group
from train.log import Log, draw_curve
from train.model import pick_device
from train.ppo import Learner

CHECKPOINT: Final = "checkpoint.safetensors"
BEST: Final = "best.safetensors"
LAST: Final = "last.safetensors"
CURVE: Final = "curve.png"
LOCK: Final = ".lock"


@dataclass
class Result:
    """How a run ended."""

    folder: Path
    history: list[Evaluation]
    decisions: int
    interrupted: bool
    seconds: float
    leads: bool
    """Whether this process is the one that writes and reports."""


def train(config: Config, folder: Path, *, resume: bool = False, quiet: bool = False) -> Result:
    """Run the settings, or the rest of them.

    Parameters
    ----------
    config
        The settings; of a run that is resumed, its own (see `config.check_resumed`).
    folder
        Where the run is kept; made if it is not there.
    resume
        Whether to go on from the folder's checkpoint. Without it a folder that has one is refused.
    quiet
        Print nothing.
    """
    file = folder / CHECKPOINT
    there = [name for name in (CHECKPOINT, BEST, LAST, CURVE) if (folder / name).exists()]
    if there and not resume:
        raise CheckpointError(f"{folder} holds {there[0]}; allowed: --resume of a run, or another --out")
    check_opponents(config)  # what is wrong with one is said now, not after hours of learning
    opponents = compiled_opponents(config)
    group = Group.from_environment(pick_device(config.device))
    with contextlib.ExitStack() as stack:
        stack.callback(group.leave)
        if group.rank == 0:
            stack.enter_context(alone(folder))
        learner = Learner(config, opponents, group)
        kept = Checkpoint(config, *learner.state())
        if resume:
            found = read_checkpoint(file)
            check_fits(found, kept.arrays, kept.counters, f"checkpoint {file}")
            kept = dataclasses.replace(found, config=config)
            learner.load_state(kept.arrays, kept.counters)
            if learner.done and _evaluated(learner, kept):
                raise CheckpointError(f"{folder}: the run is through ({learner.decisions} decisions); allowed: more")
        log = None
        if group.rank == 0:
            log = Log(folder, config.decisions, step=learner.iteration + learner.imitations, quiet=quiet)
            stack.callback(log.close)
        return _Run(learner, kept, folder, log).go()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """The folder of a run, made if it is not there; two runs at once would write over each other's files."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        with lock.acquire(blocking=False):
            yield
    except Timeout:
        raise CheckpointError(f"{folder}: another process is at this run; allowed: another --out") from None


def check_opponents(config: Config) -> None:
    """Refuse agents to evaluate against that can't be asked, or do not play: one that is not compiled plays a deal."""
    for text in config.evaluate_against:
        agent = agents.make(text, config.rules)
        if agent.interactive:
            raise ConfigError(f"evaluate_against: somebody sits behind {text}; allowed: agents that play by themselves")
        if agent.policy is None:
            with contextlib.closing(agent):
                other = agents.make("uniform", config.rules)
                hands = play_blocks([other, agent], deal_set("validation", purpose="tuning"), range(1)).hands
                if (hands["fault_seat"] >= 0).any():
                    raise ConfigError(f"evaluate_against: {text} commits faults ({agent.failure or 'no legal action'})")


def _evaluated(learner: Learner, kept: Checkpoint) -> bool:
    """Whether the averaged policy was evaluated as it is now."""
    return bool(kept.history) and kept.history[-1].iteration == learner.iteration + learner.imitations


def compiled_opponents(config: Config) -> list[Policy]:
    """The opponents' compiled policies."""
    policies = []
    for text in config.opponents:
        policy = agents.make(text, config.rules).policy
        if policy is None:
            raise ConfigError(f"opponents: {text} has no compiled policy to play with in a rollout")
        policies.append(policy)
    return policies


def evaluate(weights: Weights, rules: RuleSet, against: tuple[str, ...], deals: int) -> dict[str, tuple[float, float]]:
    """Margins of a network over agents on the validation deals, by agent, with standard errors."""
    me = CompiledAgent(rules, network_as_policy(weights, rules))
    found = {}
    for text in against:
        played = play_blocks([me, agents.make(text, rules)], deal_set("validation", purpose="tuning"), range(deals))
        by_block = margins(played.hands, 0, 1)
        found[text] = (float(by_block.mean()), float(by_block.std(ddof=1) / np.sqrt(len(by_block))))
    return found


class _Run:
    def __init__(self, learner: Learner, kept: Checkpoint, folder: Path, log: Log | None) -> None:
        self.learner, self.kept, self.folder, self.log = learner, kept, folder, log
        self.rules = rule_set(learner.config.rules)
        self.before = kept.seconds
        self.began = time.monotonic()

    @property
    def seconds(self) -> float:
        return self.before + time.monotonic() - self.began

    def go(self) -> Result:
        c, learner = self.learner.config, self.learner
        since = time.monotonic()
        limit = 0.0
        stop = False
        with signals() as asked:
            while not learner.done and not stop:
                found = learner.iterate()
                limit = limit or time.monotonic() + 60 * c.minutes  # what is compiled in the first is not counted
                step = learner.iteration + learner.imitations
                now = time.monotonic()
                if self.log:
                    rows = found["asked"] if learner.iteration == 0 else learner.group.size * len(learner.streams.rows)
                    speed = {"speed/decisions": rows / (now - since), "speed/hands": found["hands"] / (now - since)}
                    self.log.metrics(step, learner.decisions, found, speed)
                since = now
                if c.evaluate_every and step % c.evaluate_every == 0:
                    self._evaluate()
                    since = time.monotonic()
                late = bool(c.minutes) and now > limit
                stop = learner.group.sum(int(bool(asked) or late)) > 0  # all processes stop at the same iteration
                if step % c.save_every == 0:
                    self._save()
            interrupted = stop and not learner.done and bool(asked)
            self._save()  # nothing that goes wrong while it is evaluated loses what was learned
            if not _evaluated(learner, self.kept) and not interrupted:
                self._evaluate()
                self._save()
        leads = self.log is not None
        return Result(self.folder, self.kept.history, learner.decisions, interrupted, self.seconds, leads)

    def _evaluate(self) -> None:
        """Play the averaged policy against the agents of the settings; keep it where it is the best so far."""
        c, learner = self.learner.config, self.learner
        if not self.log:
            return
        weights = learner.average.weights()
        found = Evaluation(
            learner.iteration + learner.imitations, learner.decisions, self.seconds,
            evaluate(weights, self.rules, c.evaluate_against, c.evaluate_deals),
        )  # fmt: skip
        alike = (old.mean for old in self.kept.history if old.margins.keys() == found.margins.keys())
        best = max(alike, default=float("-inf"))  # over other agents a mean says nothing about this one
        self.kept.history.append(found)
        self.log.evaluation(found)
        if found.mean >= best:
            write_network(self.folder / BEST, weights, self.rules, self._trained())

    def _save(self) -> None:
        if not self.log:
            return
        self.kept.arrays, self.kept.counters = self.learner.state()
        self.kept.seconds = self.seconds
        self.log.flush()
        write_network(self.folder / LAST, self.learner.average.weights(), self.rules, self._trained())
        write_checkpoint(self.folder / CHECKPOINT, self.kept)
        if self.kept.history:
            draw_curve(self.folder / CURVE, self.kept.history, f"Self-play on {self.rules}")

    def _trained(self) -> str:
        return f"{self.learner.decisions} decisions of self-play, seed {self.learner.config.seed}"


@contextmanager
def signals() -> Iterator[list[int]]:
    """Ctrl-C and termination, noted instead of raised: the list is filled by the first one, a second one raises."""
    asked: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    old = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield asked
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)
