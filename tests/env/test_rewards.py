"""Rewards over an episode are the settlement, whatever the options; what an illegal action costs."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from aec import PRESETS, SETTINGS, biased_game, choose_at_random, decisions, fingerprint

from paohuzi_env.core.actions import HU, NUM_ACTIONS
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.errors import IllegalActionError

settings = pytest.mark.parametrize("options", SETTINGS.values(), ids=list(SETTINGS))


def collected(env: PaohuziEnv, choose: Any) -> tuple[dict[str, float], dict[str, float]]:
    """What `last()` gives each agent over the episode, dead steps included, and the sum of `env.rewards`."""
    got, given = dict.fromkeys(env.possible_agents, 0.0), dict.fromkeys(env.possible_agents, 0.0)
    while env.agents:
        agent = env.agent_selection
        _, reward, termination, _, _ = env.last(observe=False)
        got[agent] += reward
        env.step(None if termination else choose(env, agent))
        if not termination:
            for name, value in env.rewards.items():
                given[name] += value
    return got, given


@settings
def test_the_rewards_of_last_and_of_env_rewards_sum_to_the_settlement(options: dict[str, Any]) -> None:
    env = PaohuziEnv(**{**options, "reward": "settlement"})
    choose = choose_at_random(random.Random(1), 0.8)
    paid = 0
    for episode in range(20):
        env.reset(seed=episode)
        got, given = collected(env, choose)
        scores = dict.fromkeys(env.possible_agents, 0)
        for record in env.referee_records():
            seats = record.get("match", {}).get("seats", range(env.rules.seats))
            for participant, score in zip(seats, record["result"]["scores"], strict=True):
                scores[f"player_{participant}"] += score
        assert got == given == env.totals == scores
        assert sum(got.values()) == 0
        assert all(float(value).is_integer() for value in got.values())
        paid += any(got.values())
    assert paid >= 3


@settings
def test_the_last_live_step_has_the_settlement_of_all_seats_in_env_rewards(options: dict[str, Any]) -> None:
    env = PaohuziEnv(**{**options, "reward": "settlement", "hands": 1})
    choose = choose_at_random(random.Random(2), 0.8)
    for episode in range(10):
        env.reset(seed=episode)
        for _ in decisions(env, choose):
            assert not any(env.rewards.values()) or env._carried is not None
        assert env.rewards == env.totals


@pytest.mark.parametrize("preset", PRESETS)
def test_a_win_pays_the_winner_from_the_others(preset: str) -> None:
    env = PaohuziEnv(preset)
    choose, chance = choose_at_random(random.Random(3), 1.0), random.Random(3)
    wins = 0
    for _ in range(30):
        env.reset(seed=0, options={"game": biased_game(preset, chance)})
        for _ in decisions(env, choose):
            pass
        game = env.referee_game()
        if game.record["winner"] >= 0:
            wins += 1
            rewards = list(env.rewards.values())
            assert rewards == list(game.scores)
            assert rewards[int(game.record["winner"])] == -sum(r for r in rewards if r < 0) > 0
    assert wins > 3


@pytest.mark.parametrize(
    ("options", "win", "total"),
    [
        ({}, lambda base: [2.0 * base, -base, -base], 0),
        ({"reward": "scaled", "reward_scale": 4}, lambda base: [base / 2, -base / 4, -base / 4], 0),
        ({"reward": "win"}, lambda base: [1.0, -0.5, -0.5], 0),
        (
            {"reward": "signed_log"},
            lambda base: [math.log1p(2 * base), -math.log1p(base), -math.log1p(base)],
            None,
        ),
    ],
    ids=["settlement", "scaled", "win", "signed_log"],
)
def test_each_kind_of_reward(options: dict[str, Any], win: Any, total: float | None) -> None:
    env = PaohuziEnv(**options)
    choose = choose_at_random(random.Random(4), 1.0)
    seen = 0
    for episode in range(60):
        env.reset(seed=episode)
        got, _ = collected(env, choose)
        game = env.referee_game()
        winner = int(game.record["winner"])
        assert env.totals == dict(zip(env.possible_agents, game.scores, strict=True))
        if winner < 0:
            assert set(got.values()) == {0.0}
            continue
        seen += 1
        want = win(int(game.record["base"]))
        in_order = [got[f"player_{(winner + i) % 3}"] for i in range(3)]
        assert in_order == pytest.approx(want)
        if total is not None:
            assert sum(got.values()) == pytest.approx(total, abs=1e-12)
    assert seen > 5


def first_illegal(env: PaohuziEnv) -> int:
    legal = env.legal_actions(env.agent_selection)
    return next(a for a in range(NUM_ACTIONS) if a not in legal)


@settings
def test_raise_leaves_everything_as_it_was(options: dict[str, Any]) -> None:
    env = PaohuziEnv(**{**options, "illegal_action": "raise"})
    env.reset(seed=5)
    for agent in decisions(env, choose_at_random(random.Random(5), 0.5)):
        before = fingerprint(env)
        for action in [a for a in range(-3, NUM_ACTIONS + 3) if a not in env.legal_actions(agent)]:
            with pytest.raises(IllegalActionError, match="allowed"):
                env.step(action)
        assert fingerprint(env) == before


@pytest.mark.parametrize("action", [None, -1, 30, 31, 32, 10**30, -(10**30)], ids=str)
def test_substitute_plays_the_lowest_legal_action(action: int | None) -> None:
    env, twin = PaohuziEnv(illegal_action="substitute"), PaohuziEnv()
    for episode in range(3):
        env.reset(seed=episode)
        twin.reset(seed=episode)
        while not any(env.terminations.values()):
            twin.step(twin.legal_actions(twin.agent_selection)[0])
            env.step(first_illegal(env) if action is None else action)
            assert fingerprint(env) == fingerprint(twin)


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({}, [-20, 10, 10]),
        ({"reward": "scaled", "reward_scale": 2}, [-10, 5, 5]),
        ({"reward": "win"}, [-1, 0.5, 0.5]),
        ({"rules": "mini"}, [-10, 10]),
        ({"rules": "mini", "reward": "win"}, [-1, 1]),
    ],
    ids=["settlement", "scaled", "win", "two seats", "two seats, win"],
)
def test_forfeit_ends_the_hand_and_the_offender_pays_ten_to_each(options: dict[str, Any], want: list[float]) -> None:
    for steps in (0, 1, 9):
        env = PaohuziEnv(illegal_action="forfeit", **options)
        env.reset(seed=11)
        for _ in decisions(env, lambda e, a: max(x for x in e.legal_actions(a) if x != HU), steps):
            pass
        if options.get("rules") == "mini" and any(env.terminations.values()):
            continue  # a hand may be shorter
        assert not any(env.terminations.values())
        offender = int(env.agent_selection[-1])
        env.step(first_illegal(env))
        assert all(env.terminations.values())
        assert not any(env.truncations.values())
        seats = len(env.possible_agents)
        assert [env.rewards[f"player_{(offender + i) % seats}"] for i in range(seats)] == want
        assert sum(env.rewards.values()) == 0
        assert env.event_log("player_0")[-1] == f"{offender} fault illegal"
        assert env.referee_records()[0]["result"]["fault"] == {"seat": offender, "kind": "illegal"}


def test_a_forfeit_ends_its_hand_and_not_the_match() -> None:
    env = PaohuziEnv(hands=3, illegal_action="forfeit")
    env.reset(seed=12)
    for hand in range(3):
        assert env.hand == hand
        dealer = int(env.referee_game().record["dealer"])
        env.step(31)
        assert sum(env.rewards.values()) == 0
        assert max(env.rewards.values()) == 10
        assert int(env.referee_game().record["dealer"]) == dealer  # nobody has won
    assert all(env.terminations.values())
