"""A slot of `VectorEnv` played hand by hand through `Game`: the slow judge of the batched environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core import state as st
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES, observe_game
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet
from paohuzi_env.vector import Batch, VectorEnv

FIELDS = Batch.__slots__
_views = st.allocate(1, st.VIEW)


def observed(game: Game, seat: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observation and mask of a seat, from a single hand."""
    array = st.allocate(1, st.GAME)
    array[0] = game.record
    obs, mask = np.zeros((NUM_PLANES, KINDS), np.int8), np.zeros(NUM_ACTIONS, np.int8)
    observe_game(array, 0, game.rules.record, _views, seat, obs, mask)
    return obs, mask


class Slot:
    """One row: the same hands, and what the row of each array of `Batch` has to be."""

    def __init__(self, rules: RuleSet, seed: int, stream: int, mode: str, dealer: int | None = None) -> None:
        self.rules, self.seed, self.stream, self.mode, self.dealer = rules, seed, stream, mode, dealer
        self.index = 0
        self.reward = self.reward_since = [0, 0, 0]
        self.done = False
        self.done_since = [False] * 3
        self.deal()

    def deal(self) -> None:
        """Hand `index`, or the first one after it in which somebody is asked."""
        self.game = Game.deal(self.rules, self.seed, self.index, stream=self.stream, dealer=self.dealer)
        while self.game.over:
            self.index += 1
            self.game = Game.deal(self.rules, self.seed, self.index, stream=self.stream, dealer=self.dealer)

    def next_hand(self) -> None:
        self.index += 1
        self.deal()

    def reset(self) -> None:
        """A masked reset."""
        self.next_hand()
        self.reward, self.done, self.done_since = [0, 0, 0], False, [True] * 3

    def step(self, action: int) -> None:
        self.reward, self.done = [0, 0, 0], False
        if self.game.over:
            assert self.mode == "next_step"
            self.next_hand()
            return
        actor = self.game.actor
        assert actor is not None
        self.reward_since = [0 if s == actor else x for s, x in enumerate(self.reward_since)]
        self.done_since = [x and s != actor for s, x in enumerate(self.done_since)]
        self.game.step(action)
        if self.game.over:
            self.reward = [*self.game.scores, 0][:3]
            self.reward_since = [a + b for a, b in zip(self.reward_since, self.reward, strict=True)]
            self.done, self.done_since = True, [True] * 3
            if self.mode == "same_step":
                self.next_hand()

    def row(self) -> dict[str, Any]:
        """The row of each array."""
        obs, mask = np.zeros((NUM_PLANES, KINDS), np.int8), np.zeros(NUM_ACTIONS, np.int8)
        if self.game.actor is not None:
            obs, mask = observed(self.game, self.game.actor)
        return {
            "observation": obs,
            "action_mask": mask,
            "actor": -1 if self.game.actor is None else self.game.actor,
            "reward": self.reward,
            "reward_since": self.reward_since,
            "done": self.done,
            "done_since": self.done_since,
        }


def assert_same(batch: Batch, row: int, slot: Slot) -> None:
    """The row of every array is the slot's, to the byte."""
    for name, wanted in slot.row().items():
        have = getattr(batch, name)[row]
        if not np.array_equal(have, np.asarray(wanted)):
            raise AssertionError(f"row {row}, {name}: {have!r} instead of {wanted!r} in {slot.game!r}")


def play(env: VectorEnv, steps: int, salt: int = 0) -> list[bytes]:
    """Play so many steps by the environment's own random actions; all bytes of each."""
    return [all_bytes(env.step(env.sample_actions(salt))) for _ in range(steps)]


def all_bytes(batch: Batch) -> bytes:
    """Every byte of a batch."""
    return b"".join(getattr(batch, name).tobytes() for name in FIELDS)


def everything(env: VectorEnv) -> bytes:
    """Every byte that an environment would go on from, and what it shows."""
    kept = env.snapshot()
    return kept.games.tobytes() + kept.slots.tobytes() + all_bytes(env.current)
