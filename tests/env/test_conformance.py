"""PettingZoo's own tests pass, and what they do not ask: dead steps, masks, spaces, wrappers, registry."""

from __future__ import annotations

import importlib
import random
import time
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from aec import PRESETS, SETTINGS, choose_at_random, decisions, legal_in, mask_of
from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
from pettingzoo.utils import TerminateIllegalWrapper, turn_based_aec_to_parallel

from paohuzi_env import paohuzi_v0
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.env import INFO_KEYS, PaohuziEnv

settings = pytest.mark.parametrize("options", SETTINGS.values(), ids=list(SETTINGS))
# The masks of agents that are not to act are all zero, and one who sits out sees zeros: api_test wonders at both.
zeros_are_meant = pytest.mark.filterwarnings(
    "ignore:Action mask numpy array is all zeros:UserWarning", "ignore:Observation numpy array is all zeros:UserWarning"
)


@zeros_are_meant
@settings
@pytest.mark.parametrize("make", [paohuzi_v0.env, paohuzi_v0.raw_env])
def test_api_test(make: Any, options: dict[str, Any]) -> None:
    api_test(make(**options), num_cycles=300)


@settings
def test_seed_test(options: dict[str, Any]) -> None:
    seed_test(lambda: paohuzi_v0.env(**options), num_cycles=300)


def test_render_test(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(paohuzi_v0.env, {"svg": lambda drawing: drawing.startswith("<svg")})
    assert "player_0" in capsys.readouterr().out


def test_performance_benchmark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() * 10)  # half a second instead of five
    performance_benchmark(paohuzi_v0.env())
    assert "Finished" in capsys.readouterr().out


@settings
def test_all_agents_end_in_one_step_and_then_make_their_dead_steps(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    choose = choose_at_random(random.Random(1), 0.7)
    for episode in range(5):
        env.reset(seed=episode)
        for _ in decisions(env, choose):
            assert not any(env.terminations.values())
            assert not any(env.truncations.values())
            assert env.agents == env.possible_agents
        assert env.agents == env.possible_agents
        assert list(env.terminations.values()) == [True] * env.table
        assert not any(env.truncations.values())
        assert all(type(value) is bool for value in (*env.terminations.values(), *env.truncations.values()))
        with pytest.raises(ValueError, match="None"):
            env.step(0)
        for left in range(env.table, 0, -1):
            assert len(env.agents) == left
            assert set(env.agents) == env.rewards.keys() == env.terminations.keys()
            assert set(env.agents) == env.truncations.keys() == env.infos.keys()
            assert all(reward == 0 for reward in env.rewards.values()) or left == env.table
            env.step(None)
        assert env.agents == []
        with pytest.raises(RuntimeError, match="reset"):
            env.step(None)


@settings
def test_a_drawn_hand_is_a_termination(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    choose = choose_at_random(random.Random(2))  # which seldom wins
    for episode in range(40):
        env.reset(seed=episode)
        for _ in decisions(env, choose):
            pass
        if env.referee_game().record["winner"] < 0:
            assert all(env.terminations.values())
            assert not any(env.truncations.values())
            return
    raise AssertionError("no drawn hand in 40 episodes")


@settings
def test_the_mask_is_the_legal_actions_for_the_agent_to_act_and_zero_for_all_others(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    choose = choose_at_random(random.Random(3), 0.5)
    for episode in range(10):
        env.reset(seed=episode)
        for agent in decisions(env, choose):
            game = env.referee_game()
            assert legal_in(mask_of(env, agent)) == env.legal_actions(agent) == game.legal_actions != []
            assert env.seat_of(agent) == game.actor
            for other in env.possible_agents:
                if other != agent:
                    assert legal_in(mask_of(env, other)) == env.legal_actions(other) == []
        for agent in env.possible_agents:
            assert legal_in(mask_of(env, agent)) == []


@settings
def test_every_agent_can_be_observed_at_any_time_and_fits_its_space(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    env.reset(seed=4)

    def look() -> None:
        for agent in env.possible_agents:
            observation: Any = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            if env.obs == "flat":
                assert observation.dtype == np.int8
                assert observation.ndim == 1
            else:
                assert all(part.dtype == np.int8 for part in observation.values())
                assert "action_mask" not in env.infos.get(agent, {})

    for _ in decisions(env, choose_at_random(random.Random(4))):
        look()
        assert env.state().dtype == np.int8
        assert env.state_space.contains(env.state())
    while env.agents:
        look()
        env.step(None)
    look()
    assert env.state_space.contains(env.state())


@settings
def test_spaces_are_the_same_objects_and_alike_for_all_agents(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    first = env.possible_agents[0]
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent) is env.observation_spaces[agent]
        assert env.action_space(agent) is env.action_space(agent) is env.action_spaces[agent]
        assert env.observation_space(agent) == env.observation_space(first)
        assert env.action_space(agent) == gymnasium.spaces.Discrete(NUM_ACTIONS)
    assert len({id(space) for space in env.action_spaces.values()}) == env.table  # each is seeded by itself


def test_agents_are_named_and_numbered() -> None:
    assert paohuzi_v0.raw_env().possible_agents == ["player_0", "player_1", "player_2"]
    assert paohuzi_v0.raw_env(table=4).possible_agents[-1] == "player_3"
    assert paohuzi_v0.raw_env("mini").possible_agents == ["player_0", "player_1"]


def test_the_metadata_and_attributes_that_wrappers_look_for() -> None:
    env = paohuzi_v0.raw_env()
    assert env.metadata["name"] == str(env) == "paohuzi_v0"
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_fps"] > 0
    assert not hasattr(env, "seed")
    env.reset(seed=0)
    books = ("agents", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos", "agent_selection")
    for name in books:
        assert name in vars(env)
        setattr(env, name, getattr(env, name))


@settings
def test_infos_have_the_same_numeric_keys_from_reset_to_end(options: dict[str, Any]) -> None:
    env = paohuzi_v0.raw_env(**options)
    keys = {*(INFO_KEYS if env.info_level else ()), *(("action_mask",) if env.obs == "flat" else ())}
    env.reset(seed=5)
    for _ in decisions(env, choose_at_random(random.Random(5))):
        for agent in env.agents:
            assert env.infos[agent].keys() == keys
            assert all(isinstance(v, int | np.ndarray) for v in env.infos[agent].values())
            assert env.infos[agent] is env.infos[agent]
    assert all(info.keys() == keys for info in env.infos.values())
    if env.info_level:
        assert all(info["seat"] == env.seat_of(agent) for agent, info in env.infos.items())
        winner = int(env.referee_game().record["winner"])
        assert all(info["last_winner"] == winner for info in env.infos.values())


def test_terminate_illegal_wrapper_plays_and_starts_anew() -> None:
    wrapped = TerminateIllegalWrapper(paohuzi_v0.env(), illegal_reward=-1)
    fresh = paohuzi_v0.raw_env()
    wrapped.reset(seed=6)
    wrapped.last()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrapped.step(31)
    assert all(wrapped.terminations.values())
    wrapped.reset(seed=7)
    fresh.reset(seed=7)
    chance = random.Random(7)
    while not any(fresh.terminations.values()):
        assert wrapped.agent_selection == fresh.agent_selection
        ours, theirs = fresh.last(), wrapped.last()
        assert (ours[0]["observation"] == theirs[0]["observation"]).all()
        assert ours[1:] == theirs[1:]
        action = chance.choice(legal_in(ours[0]["action_mask"]))
        wrapped.step(action)
        fresh.step(action)


def test_turn_based_aec_to_parallel_plays_a_hand() -> None:
    env = paohuzi_v0.env()
    env.unwrapped.metadata = {**env.metadata, "is_parallelizable": True}  # it plays turn by turn even so
    parallel: Any = turn_based_aec_to_parallel(env)
    parallel.reset(seed=8)
    chance, totals = random.Random(8), dict.fromkeys(parallel.possible_agents, 0.0)
    raw = env.unwrapped
    while raw.agents:
        actor = raw.agent_selection
        action = chance.choice(raw.legal_actions(actor))
        _, rewards, *_ = parallel.step({agent: action if agent == actor else 31 for agent in parallel.agents})
        for agent, reward in rewards.items():
            totals[agent] += reward
    assert totals == raw.totals


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no registry")
def test_the_registry_makes_the_environment() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(paohuzi_v0)  # registers once
    env = pettingzoo.make("aec", "paohuzi/paohuzi-v0", rules="mini", hands=2)
    assert isinstance(env.unwrapped, PaohuziEnv)
    assert env.unwrapped.hands == 2
    assert isinstance(pettingzoo.make("aec", "paohuzi/paohuzi").unwrapped, PaohuziEnv)


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_plays_through_pettingzoos_loop(preset: str) -> None:
    env = paohuzi_v0.env(rules=preset)
    env.reset(seed=9)
    for agent in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else env.action_space(agent).sample(observation["action_mask"]))
    assert env.agents == []


def test_env_is_wrapped_so_that_use_before_reset_is_an_error() -> None:
    with pytest.raises(AttributeError, match="reset"):
        _ = paohuzi_v0.env().agents
    env = paohuzi_v0.env()
    env.close()
    env.reset(seed=0)
    env.close()
    env.reset(seed=0)
    assert env.agents
