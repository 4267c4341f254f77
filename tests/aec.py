"""Helpers for the tests of the AEC environment: playing it, and positions from it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from deals import biased_deal
from reference.rules import make_rules

from paohuzi_env.core.actions import HU, NUM_ACTIONS
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

PRESETS = ("hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi", "mini")
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "flat": {"obs": "flat"},
    "flat, history": {"obs": "flat", "history": 5},
    "history, infos": {"history": 7, "info_level": 1},
    "features": {"features": True, "history": 2},
    "match": {"hands": 4, "info_level": 1},
    "table of four": {"hands": 4, "table": 4},
    "table of four, flat": {"hands": 4, "table": 4, "obs": "flat", "info_level": 1},
    "substitute": {"illegal_action": "substitute"},
    "forfeit": {"illegal_action": "forfeit"},
    "luzhou": {"rules": "luzhou"},
    "yongzhou": {"rules": "yongzhou", "hands": 3},
    "two seats": {"rules": {"preset": "hunan", "players": 2}},
    "mini match": {"rules": "mini", "hands": 12},
    "signed_log": {"reward": "signed_log"},
}
"""Options of every kind, by a name for the test's id."""

Choose = Callable[[PaohuziEnv, str], int]


def choose_at_random(chance: random.Random, take: float = 0.0) -> Choose:
    """A policy: uniformly random; with probability `take` it takes a hu, or else does not pass, where it can."""

    def choose(env: PaohuziEnv, agent: str) -> int:
        legal = env.legal_actions(agent)
        if chance.random() < take:
            legal = [HU] if HU in legal else [a for a in legal if a < HU] or legal
        return chance.choice(legal)

    return choose


def decisions(env: PaohuziEnv, choose: Choose, limit: int = 10**9) -> Iterator[str]:
    """Play the episode on; the agent is yielded before each of its decisions. Ends before the dead steps."""
    while env.agents and not env.terminations[env.agent_selection] and limit > 0:
        yield env.agent_selection
        env.step(choose(env, env.agent_selection))
        limit -= 1


def play_out(env: PaohuziEnv, choose: Choose) -> int:
    """Play the episode to its end, dead steps included; the number of decisions."""
    count = sum(1 for _ in decisions(env, choose))
    while env.agents:
        env.step(None)
    return count


def biased_game(rules: str | Mapping[str, Any], chance: random.Random, style: str | None = None) -> Game:
    """A hand dealt so that rare things happen (`deals`), never over on the deal."""
    plain = {"preset": rules} if isinstance(rules, str) else dict(rules)
    while True:
        deal = biased_deal(make_rules(plain), chance, style)
        game = Game.from_tiles(
            rule_set(plain), deal["dealer"], deal["hands"], deal["upcard"], deal["wall"],
            aside=deal["aside"], drawn_before=chance.choice((0, 0, 0, 2)),
        )  # fmt: skip
        if not game.over:
            return game


def mask_of(env: PaohuziEnv, agent: str) -> Any:
    """The agent's mask, wherever it is."""
    if env.obs == "flat":
        return env.infos[agent]["action_mask"]
    observation: Any = env.observe(agent)
    return observation["action_mask"]


def legal_in(mask: Any) -> list[int]:
    """The actions of a mask."""
    assert mask.dtype == np.int8
    assert mask.shape == (NUM_ACTIONS,)
    assert set(mask.tolist()) <= {0, 1}
    actions: list[int] = np.flatnonzero(mask).tolist()
    return actions


def fingerprint(env: PaohuziEnv) -> bytes:
    """All that agents and referee can see of the environment, as bytes."""
    parts: list[Any] = [env.get_state(), env.infos]
    for agent in env.possible_agents:
        observation = env.observe(agent)
        parts.append(observation if isinstance(observation, np.ndarray) else sorted(observation.items()))
    return repr([p.tobytes() if isinstance(p, np.ndarray) else p for p in parts]).encode()
