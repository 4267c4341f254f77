"""Copies, pickles and saved states go on identically; nothing survives a reset; seeds fix everything."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
from typing import Any

import cloudpickle
import numpy as np
import pytest
from aec import SETTINGS, choose_at_random, decisions, fingerprint, mask_of, play_out

from paohuzi_env import paohuzi_v0
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set
from paohuzi_env.vector import VectorEnv

settings = pytest.mark.parametrize("options", SETTINGS.values(), ids=list(SETTINGS))


def by_state(env: PaohuziEnv, options: dict[str, Any]) -> PaohuziEnv:
    other = PaohuziEnv(**options)
    other.set_state(env.get_state())
    return other


COPIES: dict[str, Any] = {
    "deepcopy": lambda env, options: copy.deepcopy(env),
    "pickle": lambda env, options: pickle.loads(pickle.dumps(env)),
    "clone": lambda env, options: env.clone(),
    "get_state, set_state": by_state,
}


@settings
@pytest.mark.parametrize("make_copy", COPIES.values(), ids=list(COPIES))
def test_a_copy_goes_on_identically_for_a_thousand_steps(make_copy: Any, options: dict[str, Any]) -> None:
    env = PaohuziEnv(**options)
    env.reset(seed=1)
    first, second = random.Random(1), random.Random(1)
    for _ in range(7):
        env.step(choose_at_random(first, 0.6)(env, env.agent_selection))
    choose_at_random(second, 0.6)
    second.setstate(first.getstate())
    other = make_copy(env, options)
    assert fingerprint(other) == fingerprint(env)
    ours, theirs = choose_at_random(first, 0.6), choose_at_random(second, 0.6)
    for step in range(1000):
        assert other.agent_selection == env.agent_selection
        if not env.agents:
            env.reset()
            other.reset()
        elif env.terminations[env.agent_selection]:
            assert other.last(observe=False)[1:4] == env.last(observe=False)[1:4]
            env.step(None)
            other.step(None)
        else:
            env.step(ours(env, env.agent_selection))
            other.step(theirs(other, other.agent_selection))
        assert other.rewards == env.rewards
        assert other._cumulative_rewards == env._cumulative_rewards
        if step % 50 == 0:
            assert fingerprint(other) == fingerprint(env)
    assert fingerprint(other) == fingerprint(env)


@settings
@pytest.mark.parametrize("make_copy", COPIES.values(), ids=list(COPIES))
def test_a_copy_is_independent(make_copy: Any, options: dict[str, Any]) -> None:
    env = PaohuziEnv(**options)
    env.reset(seed=2)
    other = make_copy(env, options)
    before = fingerprint(env)
    play_out(other, choose_at_random(random.Random(2)))
    other.reset()
    other.observation_space("player_0").seed(1)
    assert fingerprint(env) == before


def test_the_wrapped_environment_copies_and_pickles_in_the_middle_of_a_hand() -> None:
    env = paohuzi_v0.env()
    env.reset(seed=3)
    for _ in range(5):
        env.step(env.unwrapped.legal_actions(env.agent_selection)[0])
    env.unwrapped.render_seat("player_0", "rgb_array")
    env.close()
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env)), pickle.loads(cloudpickle.dumps(env))):
        assert other.agent_selection == env.agent_selection
        assert fingerprint(other.unwrapped) == fingerprint(env.unwrapped)


def test_the_mask_is_the_same_after_a_state_was_saved_and_taken_back() -> None:
    env, other = PaohuziEnv(), PaohuziEnv()
    for episode in range(10):
        env.reset(seed=episode)
        for agent in decisions(env, choose_at_random(random.Random(episode), 0.5)):
            other.set_state(env.get_state())
            assert (mask_of(other, agent) == mask_of(env, agent)).all()


def test_an_environment_that_was_never_reset_pickles() -> None:
    env = pickle.loads(pickle.dumps(PaohuziEnv()))
    env.reset(seed=0)
    assert env.agents


# --- nothing stale ------------------------------------------------------------------------------------------


@settings
@pytest.mark.parametrize("steps", [0, 1, 9, 10**6], ids=["at once", "after a step", "midway", "at the end"])
def test_nothing_survives_a_reset(options: dict[str, Any], steps: int) -> None:
    used, fresh = PaohuziEnv(**options), PaohuziEnv(**options)
    used.reset(seed=5)
    for _ in decisions(used, choose_at_random(random.Random(5), 0.8), steps):
        pass
    if steps > 9:
        used.step(None)  # one dead step of several
    else:
        with pytest.raises(TypeError):
            used.step("0")  # type: ignore[arg-type]
    used.infos[used.agents[0]]["mine"] = 1
    used.rewards[used.agents[0]] = 5.0
    used.reset(seed=6)
    fresh.reset(seed=6)
    assert fingerprint(used) == fingerprint(fresh)
    first, second = choose_at_random(random.Random(6)), choose_at_random(random.Random(6))
    assert play_out(used, first) == play_out(fresh, second)
    assert fingerprint(used) == fingerprint(fresh)


@settings
def test_what_was_handed_out_never_changes_later(options: dict[str, Any]) -> None:
    env = PaohuziEnv(**options)
    env.reset(seed=7)
    kept: list[tuple[Any, Any]] = []

    def keep(value: Any) -> None:
        kept.append((value, copy.deepcopy(value)))

    for agent in decisions(env, choose_at_random(random.Random(7))):
        keep(env.observe(agent))
        keep(env.observe(env.possible_agents[0]))
        keep(dict(env.infos))
        keep(env.state())
        keep(env.event_log("player_1"))
        keep(env.totals)
        keep(env.get_state())
        if env.seat_of("player_1") >= 0:
            keep(env.view("player_1"))
    env.reset()
    for value, before in kept:
        assert repr(value) == repr(before)


def test_what_was_handed_out_can_be_changed_without_harm() -> None:
    env = PaohuziEnv(obs="flat", info_level=1)
    env.reset(seed=8)
    before = fingerprint(env)
    observation: Any = env.observe(env.agent_selection)
    observation[:] = 0
    env.state()[:] = 0
    env.event_log("player_0").append("x")
    env.totals["player_0"] = 9
    env.referee_game().step(env.legal_actions(env.agent_selection)[0])
    assert fingerprint(env) == before


# --- seeds --------------------------------------------------------------------------------------------------


@settings
def test_the_same_seed_gives_the_same_episodes_and_another_one_others(options: dict[str, Any]) -> None:
    def story(seed: int) -> list[bytes]:
        env = PaohuziEnv(**options)
        env.reset(seed=seed)
        choose = choose_at_random(random.Random(0))
        states = []
        for _ in range(3):  # the later episodes follow from the seed too
            states.append(env.get_state())
            play_out(env, choose)
            env.reset()
        return states

    assert story(1) == story(1)
    assert not set(story(1)) & set(story(2))


def test_without_a_seed_every_environment_is_another_one() -> None:
    envs = [PaohuziEnv() for _ in range(4)]
    for env in envs:
        env.reset()
    assert len({env.get_state() for env in envs}) == 4


def test_a_reset_without_a_seed_does_not_begin_again() -> None:
    env = PaohuziEnv()
    env.reset(seed=9)
    games = []
    for _ in range(20):
        games.append(env.referee_game())
        env.reset()
    assert len(set(games)) == 20


def test_the_hands_are_those_of_a_vector_environment_with_that_seed() -> None:
    env, vector = PaohuziEnv("mini"), VectorEnv(1, "mini", seed=10, autoreset="same_step")
    env.reset(seed=10)
    vector.reset()
    chance = random.Random(10)
    for _ in range(300):
        assert env.referee_game() == vector.game(0)
        action = chance.choice(env.legal_actions(env.agent_selection))
        env.step(action)
        batch = vector.step(np.array([action]))
        if batch.done[0]:
            assert list(env.rewards.values()) == batch.reward[0][:2].tolist()
            env.reset()


def test_long_seeds_count_whole_and_numpys_are_taken() -> None:
    env, states = PaohuziEnv(), []
    for seed in (7, 7 + 2**64, 7 + 2**200, np.int64(7), np.uint8(7)):
        env.reset(seed=seed)  # type: ignore[arg-type]
        states.append(env.referee_game())
    assert states[0] == states[3] == states[4]
    assert len(set(states)) == 3


GOLDEN = "abbcddgiiAAABCEFFGHHIacdeegggiijjBEGGHHIJabcdeffhhjABCCDEFGIJ"
"""The hands of seats 0, 1 and 2 under seed 0."""


def test_the_deal_of_a_seed_stays_the_same_from_version_to_version() -> None:
    env = PaohuziEnv()
    env.reset(seed=0)
    hands = [env.referee_game().hand(seat) for seat in range(3)]
    assert hands == [Game.deal("hunan", 0).hand(seat) for seat in range(3)]
    tiles = "".join("abcdefghijABCDEFGHIJ"[k] for hand in hands for k in hand)
    assert tiles == GOLDEN


def test_global_random_state_is_neither_used_nor_changed() -> None:
    states = []
    for salt in (1, 2):
        random.seed(salt)
        np.random.seed(salt)  # noqa: NPY002  # the global generator is what this is about
        before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
        env = PaohuziEnv(hands=2)
        env.reset()
        env.reset(seed=12)
        play_out(env, lambda e, a: e.legal_actions(a)[0])
        env.get_state()
        env.clone().reset()
        assert (random.getstate(), repr(np.random.get_state())) == before  # noqa: NPY002
        states.append(env.get_state())
    assert states[0] == states[1]


def test_a_seed_gives_the_same_episode_in_another_process() -> None:
    program = (
        "from paohuzi_env.env import PaohuziEnv\n"
        "env = PaohuziEnv(hands=3, table=4)\nenv.reset(seed=13)\n"
        "while not all(env.terminations.values()): env.step(env.legal_actions(env.agent_selection)[-1])\n"
        "import hashlib; print(hashlib.sha256(env.get_state()).hexdigest())"
    )
    outputs = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1


def test_a_seeded_reset_keeps_the_options() -> None:
    env = PaohuziEnv(reward="scaled", reward_scale=5, illegal_action="forfeit", hands=2)
    env.reset(seed=1)
    env.reset(seed=2)
    env.step(31)
    assert sorted(env.rewards.values()) == [-4, 2, 2]


def test_a_shared_rule_set_is_not_copied_with_the_environment() -> None:
    rules = rule_set("hunan")
    env = PaohuziEnv(rules)
    env.reset(seed=0)
    assert env.clone().rules is rules
    assert len(pickle.dumps(env)) < 100_000
