"""What the scripts share: their options, what is checked of every hand, and how strong a policy is.

The referees here are thin wrappers around the environment, and stay on it while a library trains. They change nothing
and take no part; they end the run where an action was not legal, a return is not the settlement, or a settlement does
not sum to zero.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import math
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper  # type: ignore[import-untyped]  # it ships no types

from paohuzi_env.game import Game
from paohuzi_env.single import SingleSeatVectorEnv
from paohuzi_env.vector import Batch, VectorEnv

COMMON: Final = ("torch", "numpy", "gymnasium", "pettingzoo", "numba")
ROWS: Final = 256
Act = Callable[[NDArray[np.int8], NDArray[np.bool_]], Any]
"""Actions for int8 (n, planes, 20) observations and bool (n, 32) masks."""


def require(truth: Any, what: str) -> None:
    """End the run where something is not so; an `assert` would be silent under ``python -O``."""
    if not truth:
        raise AssertionError(what)


# --- referees ---------------------------------------------------------------------------------------------------------


class SingleReferee(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Watches a single-seat environment, whose rewards are settlements divided by `scale`."""

    def __init__(self, env: gymnasium.Env[Any, Any], scale: float = 1.0) -> None:
        super().__init__(env)
        self.scale = scale
        self.decisions = 0
        self.settlements: list[int] = []

    def reset(self, **options: Any) -> Any:
        observation, info = self.env.reset(**options)
        self._mask = info["action_mask"].copy()
        return observation, info

    def step(self, action: Any) -> Any:
        require(self._mask[int(action)] == 1, f"action {action} is not legal")
        result = self.env.step(action)
        _, reward, over, cut, info = result
        self._mask = info["action_mask"].copy()
        self.decisions += 1
        require(not cut and not info["illegal"], "a hand was cut, or an action replaced")
        require(over or reward == 0, f"reward {reward} within a hand")
        if over:
            scores = self.unwrapped.referee_game().scores  # type: ignore[attr-defined]
            require(sum(scores) == 0, f"settlement {scores} does not sum to zero")
            require(math.isclose(float(reward) * self.scale, scores[info["seat"]]), f"{reward} is not of {scores}")
            self.settlements.append(scores[info["seat"]])
        return result


class Referee(BaseWrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """Watches the environment of all seats, whose rewards are settlements divided by `scale`."""

    def __init__(self, env: Any, scale: float = 1.0) -> None:
        super().__init__(env)
        self.scale = scale
        self.decisions = 0
        self.settlements: list[dict[str, int]] = []
        self._returns: dict[str, float] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed=seed, options=options)
        self._returns = dict.fromkeys(self.unwrapped.possible_agents, 0.0)

    def step(self, action: Any) -> None:
        raw = self.unwrapped
        agent = raw.agent_selection
        if raw.terminations[agent]:  # its dead step
            super().step(action)
            return
        require(int(action) in raw.legal_actions(agent), f"action {action} is not legal for {agent}")
        super().step(action)
        self.decisions += 1
        for name in self._returns:
            self._returns[name] += raw.rewards[name]
        if any(raw.terminations.values()):
            require(all(raw.terminations.values()) and not any(raw.truncations.values()), "not all ended at once")
            totals = raw.totals
            require(sum(totals.values()) == 0, f"settlement {totals} does not sum to zero")
            for name, value in self._returns.items():
                require(math.isclose(value * self.scale, totals[name]), f"returns {self._returns} are not {totals}")
            self.settlements.append(totals)


class VectorReferee:
    """Plays some rows of a `VectorEnv` (autoreset "same_step") along, one by one, on `Game`, and compares what ends."""

    def __init__(self, env: VectorEnv, seed: int, rows: int) -> None:
        self._env, self._seed = env, seed
        self.decisions = 0
        self.settlements: list[tuple[int, ...]] = []
        self._games = [self._deal(row) for row in range(rows)]

    def step(self, actions: NDArray[Any], batch: Batch) -> None:
        """Follow a step of the environment, after it."""
        require((batch.reward.sum(axis=1) == 0).all(), "rewards do not sum to zero")
        for row, game in enumerate(self._games):
            game.step(int(actions[row]))  # an error where it is not legal
            self.decisions += 1
            require(game.over == batch.done[row], f"row {row}: the hand's end")
            if game.over:
                paid = tuple(batch.reward[row, : game.rules.seats].tolist())
                require(paid == game.scores, f"row {row}: reward {paid} is not the settlement {game.scores}")
                self.settlements.append(game.scores)
                self._games[row] = self._deal(row)

    def _deal(self, row: int) -> Game:
        return Game.deal(self._env.rules, self._seed, int(self._env.hand_index[row]), stream=row)


# --- strength ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Strength:
    """Base units a hand of a policy in a seat drawn with the hand, against uniformly random players.

    A uniformly random policy has 0 by symmetry; `error` is the standard error of the mean.
    """

    mean: float
    error: float
    hands: int

    @property
    def errors(self) -> float:
        """The mean in standard errors."""
        return self.mean / self.error if self.error else 0.0


def strength(act: Act, hands: int, seed: int = 1_000_000) -> Strength:
    """Play so many hands against uniformly random players.

    Every row plays as many, since to stop at the first that are over would favour short hands. Hands in which the
    policy was asked nothing count with the hand that followed.
    """
    envs = SingleSeatVectorEnv(ROWS, autoreset_mode="SameStep")
    each = -(-hands // ROWS)
    results: list[list[float]] = [[] for _ in range(ROWS)]
    observations, infos = envs.reset(seed=seed)
    while min(map(len, results)) < each:
        missed = infos["missed_score"]
        actions = np.asarray(act(observations, infos["action_mask"].astype(np.bool_)))
        observations, rewards, over, _, infos = envs.step(actions)
        for row in np.flatnonzero(over):
            results[row].append(float(rewards[row] + missed[row]))
    scores = np.array([row[:each] for row in results]).ravel()
    return Strength(float(scores.mean()), float(scores.std(ddof=1) / math.sqrt(scores.size)), int(scores.size))


def masked_argmax(values: NDArray[Any], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The legal action of the highest value in each row."""
    return np.where(masks, values, -np.inf).argmax(axis=1)


# --- a run ------------------------------------------------------------------------------------------------------------


class Budget:
    """So many updates, or as many as the minutes allow.

        while budget.another():
            …  # one update
    """

    def __init__(self, updates: int, minutes: float | None) -> None:
        self.updates, self.minutes = updates, minutes
        self.done = 0
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since the training began."""
        return time.perf_counter() - self._started

    @property
    def left(self) -> float:
        """The part of the budget that is left, from 1 down to 0: for what is annealed."""
        used = self.done / self.updates if self.minutes is None else self.seconds / (self.minutes * 60)
        return max(0.0, 1.0 - used)

    def another(self) -> bool:
        """Count one more update, if there is still one to make."""
        if self.done and self.left == 0:
            return False
        self.done += 1
        return True


@dataclass(frozen=True, slots=True)
class Options:
    """What a script was asked for."""

    updates: int
    minutes: float | None
    seed: int

    def budget(self) -> Budget:
        """The clock starts."""
        return Budget(self.updates, self.minutes)

    @property
    def hands(self) -> int:
        """Hands to measure a policy's strength by: few for a look, more where it was trained for minutes."""
        return 512 if self.minutes is None else 8192


@dataclass(slots=True)
class Result:
    """What a script came to.

    Attributes
    ----------
    how
        What of the library plays what of ours, in a sentence.
    hands, decisions
        Played to the end under a referee, in training and after.
    strength
        Of what was trained, where there is one policy to measure.
    """

    how: str
    updates: int = 0
    hands: int = 0
    decisions: int = 0
    strength: Strength | None = None
    notes: list[str] = field(default_factory=list)

    def add(self, *referees: Any) -> None:
        """Count what referees have watched."""
        for referee in referees:
            self.hands += len(referee.settlements)
            self.decisions += referee.decisions


def main(name: str, packages: Sequence[str], play: Callable[[Options], Result], doc: str | None, updates: int) -> None:
    """A script's command line: ``--updates`` or ``--minutes``, ``--seed``, and ``--out`` for the result as JSON."""
    parser = argparse.ArgumentParser(
        prog=f"python -m consumers.{name}.play", description=doc, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"example: PYTHONPATH=tests .consumers/{name}/bin/python -m consumers.{name}.play --minutes 5",
    )  # fmt: skip
    parser.add_argument("--updates", type=int, default=updates, help="updates of the learner (default: %(default)s)")
    parser.add_argument("--minutes", type=float, help="train that long instead")
    parser.add_argument("--seed", type=int, default=0, help="of deals and learner (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="file to write the result to, as JSON")
    given = parser.parse_args()
    if given.updates < 1 or (given.minutes is not None and given.minutes <= 0):
        parser.error("--updates and --minutes must be above 0")
    _one_thread()
    started = time.perf_counter()
    result = play(Options(given.updates, given.minutes, given.seed))
    require(result.hands > 0, "no hand was played to its end")
    found = asdict(result) | {
        "seconds": round(time.perf_counter() - started, 1),
        "python": platform.python_version(),
        "versions": {package: importlib.metadata.version(package) for package in packages},
        "beside": {package: _version(package) for package in COMMON if _version(package)},
    }
    text = json.dumps(found, indent=1)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")


def _one_thread() -> None:
    """The libraries' nets are small, and the machine may be shared."""
    try:
        import torch
    except ImportError:
        return
    torch.set_num_threads(1)


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
