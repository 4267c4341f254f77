"""Every window of rules 5 opens in the environment, and the masks are what the slow twin allows there, both ways."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from aec import legal_in, mask_of
from deals import biased_deal
from lockstep import PRESETS, Pair, choose
from reference.rules import make_rules

from paohuzi_env.core import state as st
from paohuzi_env.core import turn
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.game import Game

RULES: dict[str, dict[str, Any]] = {
    **{name: {"preset": name} for name in PRESETS},
    "hunan, two seats": {"preset": "hunan", "players": 2},
    "hunan, free pao": {"preset": "hunan", "forced_pao": False},
    "hunan, low": {"preset": "hunan", "min_huxi": 6},
    "hunan, split": {"preset": "hunan", "split_pass": True, "hu_on_discard": True},
}
SEEN: Counter[str] = Counter()
PLAYED: list[str] = []


def window_of(game: Game) -> str:
    """The window in words: what is asked, of whom, on what."""
    g = game.record
    phase, who = (
        game.phase,
        ("the seat itself", "the next", "the one after")[(int(game.actor or 0) - int(g["turn"])) % game.rules.seats],
    )
    if phase in ("discard", "bi"):
        return phase
    if int(g["stage"]) == turn.UPCARD:
        return f"hu on the upcard: {'dealer' if game.actor == g['dealer'] else 'another'}"
    if int(g["stage"]) == turn.LAID:
        return f"hu on an own {'wild tile' if g['live'] == 20 else 'ti or wei'}"
    return f"{phase} on a {'discard' if g['source'] == st.FROM_DISCARD else 'draw'}: {who}"


@pytest.mark.rule("5.1", "5.3", "5.4", "5.5", "5.7")
@pytest.mark.parametrize("name", RULES)
def test_the_masks_are_the_twins_choices(name: str) -> None:
    rules, chance = RULES[name], random.Random(f"windows {name}")
    env = PaohuziEnv(rules)
    for _ in range(120 if name == "hunan" else 30):
        pair = Pair(rules, biased_deal(make_rules(rules), chance))
        if pair.core.over:
            continue
        env.reset(seed=0, options={"game": pair.core})
        policy = [chance.choice(("random", "hungry", "stubborn", "lazy")) for _ in range(3)]
        while not pair.twin.over:
            agent = env.agent_selection
            actor = env.seat_of(agent)
            assert actor == pair.twin.actor
            SEEN[window_of(env.referee_game())] += 1
            legal = {env.action_text(a): a for a in legal_in(mask_of(env, agent))}
            assert sorted(legal) == pair.twin.legal()
            assert all(not mask_of(env, other).any() for other in env.possible_agents if other != agent)
            text = choose(policy[actor], pair.core.hand(actor), sorted(legal), chance)
            pair.play(text)
            env.step(legal[text])
            assert env.referee_log() == pair.twin.events
        assert all(env.terminations.values())
        assert list(env.totals.values()) == pair.twin.result()["scores"]
    PLAYED.append(name)


WINDOWS = [
    "discard",
    "bi",
    "hu on the upcard: dealer",
    "hu on the upcard: another",
    "hu on an own ti or wei",
    "hu on an own wild tile",
    *(f"hu on a draw: {who}" for who in ("the seat itself", "the next", "the one after")),
    *(f"hu on a discard: {who}" for who in ("the next", "the one after")),
    *(f"pao on a draw: {who}" for who in ("the next", "the one after", "the seat itself")),
    *(f"pao on a discard: {who}" for who in ("the next", "the one after")),
    *(f"peng on a draw: {who}" for who in ("the next", "the one after")),
    *(f"peng on a discard: {who}" for who in ("the next", "the one after")),
    *(f"chi on a draw: {who}" for who in ("the seat itself", "the next")),
    "chi on a discard: the next",
]


@pytest.mark.rule("2.4", "4.2", "5.1", "5.3", "5.4", "5.5", "6.5", "10.4", "10.5")
def test_every_window_was_reached() -> None:
    if len(PLAYED) < len(RULES):
        pytest.skip("the test before, with all rule sets, fills the list")
    assert [window for window in WINDOWS if not SEEN[window]] == []
    assert set(SEEN) == set(WINDOWS)
