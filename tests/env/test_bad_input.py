"""What a caller can get wrong: a clear error, and the environment as it was."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest
from aec import choose_at_random, decisions, fingerprint, play_out

from paohuzi_env import paohuzi_v0
from paohuzi_env.env import OPTIONS, PaohuziEnv
from paohuzi_env.errors import GameOverError, PaohuziError, StateError
from paohuzi_env.game import Game

NO_NUMBERS: list[Any] = [
    None, True, False, np.True_, np.array(True), 1.0, float("nan"), np.float64(3), np.float32(3), np.array(3.0), "3",
    b"3", "discard a", [3], (3,), {3}, {"player_0": 3}, np.array([3]), np.array([[3]]), np.arange(32), np.array([]),
    np.ones(32, np.int8), pytest.param(object(), id="object"), 3j, np.array("3"), np.datetime64(3, "s"), int, ...,
]  # fmt: skip
NUMBERS = (
    [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.intp, np.array]
    + [lambda a, t=t: np.array(a, t) for t in (np.int8, np.uint8, np.int32, np.uint64)]
)  # fmt: skip


@pytest.mark.parametrize("policy", ["raise", "substitute", "forfeit"])
@pytest.mark.parametrize("action", NO_NUMBERS, ids=repr)
def test_an_action_that_is_no_whole_number_is_an_error_under_every_policy(action: Any, policy: Any) -> None:
    env = PaohuziEnv(illegal_action=policy)
    env.reset(seed=1)
    for _ in decisions(env, choose_at_random(random.Random(1)), 4):
        before = fingerprint(env)
        with pytest.raises(TypeError, match="whole number 0 to 31"):
            env.step(action)
        assert fingerprint(env) == before


@pytest.mark.parametrize("kind", NUMBERS)
def test_numpys_whole_numbers_and_arrays_without_dimension_are_actions(kind: Any) -> None:
    env, twin = PaohuziEnv(), PaohuziEnv()
    env.reset(seed=2)
    twin.reset(seed=2)
    for _ in range(10):
        action = twin.legal_actions(twin.agent_selection)[-1]
        env.step(kind(action))
        twin.step(action)
        assert env.get_state() == twin.get_state()


@pytest.mark.parametrize("action", [-1, 30, 31, 32, 100, -(2**70), 2**70, np.int64(-1), np.uint64(2**63), np.array(-5)])
def test_a_number_outside_the_table_is_illegal(action: Any) -> None:
    env = PaohuziEnv()
    env.reset(seed=3)
    before = fingerprint(env)
    with pytest.raises(ValueError, match="not legal for player"):
        env.step(action)
    assert fingerprint(env) == before


def test_the_message_of_an_illegal_action_names_what_is_allowed() -> None:
    env = PaohuziEnv()
    env.reset(seed=4)
    agent = env.agent_selection
    with pytest.raises(PaohuziError) as caught:
        env.step(31)
    assert f"action 31 is not legal for {agent}" in str(caught.value)
    for action in env.legal_actions(agent):
        assert f"{action} ({env.action_text(action)})" in str(caught.value)


def test_acting_without_a_hand_is_an_error() -> None:
    env = PaohuziEnv()
    for call in (
        lambda: env.step(0), lambda: env.observe("player_0"), env.state, env.get_state, env.referee_game,
        env.referee_log, env.referee_records, lambda: env.event_log("player_0"), lambda: env.view("player_0"),
        lambda: env.legal_actions("player_0"), lambda: env.action_text(0), lambda: env.seat_of("player_0"),
        lambda: env.render_seat("player_0"),
    ):  # fmt: skip
        with pytest.raises(GameOverError, match="reset"):
            call()
    env.reset(seed=5)
    play_out(env, choose_at_random(random.Random(5)))
    before = env.get_state()
    for action in (0, None, 31):
        with pytest.raises(GameOverError, match="reset"):
            env.step(action)
    assert env.get_state() == before
    env.reset()
    assert env.agents


def test_a_dead_agent_only_takes_none() -> None:
    env = PaohuziEnv()
    env.reset(seed=6)
    for _ in decisions(env, choose_at_random(random.Random(6))):
        pass
    before = fingerprint(env)
    for action in (0, 29, -1, True, "x", np.int64(1)):
        with pytest.raises(ValueError, match="None"):
            env.step(action)  # type: ignore[arg-type]
    assert fingerprint(env) == before


@pytest.mark.parametrize("agent", ["player_3", "player_", "", "Player_0", 0, None])
def test_an_unknown_agent_is_an_error(agent: Any) -> None:
    env = PaohuziEnv()
    env.reset(seed=7)
    for call in (env.observe, env.event_log, env.view, env.legal_actions, env.seat_of, env.render_seat):
        with pytest.raises(ValueError, match="player_0, player_1, player_2"):
            call(agent)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"rule": "hunan"}, TypeError, "unknown option rule; allowed: rules, hands"),
        ({"max_cycles": 5}, TypeError, "max_cycles"),
        ({"features": 1}, TypeError, "True, False"),
        ({"rules": "hunann"}, ValueError, "hunan, huaihua"),
        ({"rules": {"preset": "hunan", "caps": 1}}, ValueError, "caps"),
        ({"hands": 0}, ValueError, "hands = 0; allowed: 1"),
        ({"hands": 2.0}, TypeError, "whole number"),
        ({"hands": True}, TypeError, "whole number"),
        ({"table": 5}, ValueError, "allowed: 3 to 4"),
        ({"table": 2}, ValueError, "allowed: 3 to 4"),
        ({"rules": "mini", "table": 4}, ValueError, "allowed: 2 to 2"),
        ({"dealer": 3}, ValueError, "allowed: 0 to 2"),
        ({"dealer": "0"}, TypeError, "dealer"),
        ({"obs": "box"}, ValueError, "dict, flat"),
        ({"history": -1}, ValueError, "allowed: 0 to 400"),
        ({"history": 401}, ValueError, "allowed: 0 to 400"),
        ({"reward": "points"}, ValueError, "settlement, scaled, win, signed_log"),
        ({"reward": None}, ValueError, "settlement"),
        ({"reward_scale": 0}, ValueError, "above 0"),
        ({"reward_scale": float("nan")}, ValueError, "above 0"),
        ({"reward_scale": "2"}, ValueError, "above 0"),
        ({"illegal_action": "ignore"}, ValueError, "raise, substitute, forfeit"),
        ({"info_level": 2}, ValueError, "allowed: 0 to 1"),
        ({"render_mode": "gui"}, ValueError, "human, ansi, rgb_array, svg"),
    ],
    ids=str,
)
def test_a_wrong_option_says_what_is_allowed(options: dict[str, Any], error: type[Exception], words: str) -> None:
    for make in (paohuzi_v0.env, paohuzi_v0.raw_env, PaohuziEnv):
        with pytest.raises(error) as caught:
            make(**options)
        assert words in str(caught.value)


def test_all_options_are_documented() -> None:
    text = PaohuziEnv.__doc__ or ""
    for option in OPTIONS:
        assert f"\n    {option}\n" in text


def no_hunan() -> Game:
    return Game.deal("bopi", 1)


def finished() -> Game:
    game = Game.deal("hunan", 1)
    while not game.over:
        game.step(game.legal_actions[0])
    return game


@pytest.mark.parametrize(
    ("seed", "options", "error", "words"),
    [
        (-1, None, ValueError, "whole number from 0"),
        ("1", None, ValueError, "seed"),
        (1.0, None, ValueError, "seed"),
        (True, None, ValueError, "seed"),
        (None, [("dealer", 0)], TypeError, "mapping"),
        (1, {"dealer": 3}, ValueError, "allowed: 0 to 2"),
        (1, {"dealer": "player_0"}, TypeError, "dealer"),
        (1, {"record": "x.jsonl"}, TypeError, "mapping"),
        (1, {"record": {}}, ValueError, "format"),
        (1, {"game": b""}, TypeError, "Game"),
        (1, {"game": no_hunan}, StateError, "rule set"),
        (1, {"game": finished}, ValueError, "over"),
        (1, {"game": lambda: Game.deal("hunan", 1, dealer=1), "dealer": 2}, ValueError, "contradicts"),
        (1, {"game": lambda: Game.deal("hunan", 1), "record": {}}, ValueError, "one of them"),
    ],
)
def test_a_wrong_reset_leaves_the_episode_as_it_was(seed: Any, options: Any, error: Any, words: str) -> None:
    if isinstance(options, dict):
        options = {key: value() if callable(value) else value for key, value in options.items()}
    env = PaohuziEnv()
    env.reset(seed=8)
    for _ in decisions(env, choose_at_random(random.Random(8)), 5):
        pass
    before = fingerprint(env)
    with pytest.raises(error) as caught:
        env.reset(seed=seed, options=options)
    assert words in str(caught.value)
    assert fingerprint(env) == before
    env.step(env.legal_actions(env.agent_selection)[0])


def test_unknown_keys_of_reset_options_are_ignored() -> None:
    env, plain = PaohuziEnv(), PaohuziEnv()
    env.reset(seed=9, options={"options": 1, "dealers": "x"})
    plain.reset(seed=9)
    assert fingerprint(env) == fingerprint(plain)


def broken_states(good: bytes) -> dict[str, bytes]:
    flipped = bytearray(good)
    flipped[-5] ^= 1
    version = bytearray(good)
    version[4] ^= 1
    layout = bytearray(good)
    layout[6] ^= 1
    return {
        "empty": b"", "text": b"hello, this is no state at all" * 4, "cut": good[:-1], "longer": good + b"\0",
        "flipped": bytes(flipped), "version": bytes(version), "layout": bytes(layout), "head only": good[:30],
        "a hand": Game.deal("hunan", 1).to_bytes(),
    }  # fmt: skip


def test_no_bit_of_saved_bytes_can_be_changed_unnoticed() -> None:
    env = PaohuziEnv(hands=2)
    env.reset(seed=10)
    play_out(env, choose_at_random(random.Random(10)))
    game, episode = env.referee_game().to_bytes(), env.get_state()
    chance = random.Random(1)
    for data, take_back in ((game, Game.from_bytes), (episode, env.set_state)):
        places = [*range(64), *(chance.randrange(len(data)) for _ in range(400))]
        for place in places:
            damaged = bytearray(data)
            damaged[place] ^= 1 << chance.randrange(8)
            before = fingerprint(env)
            with pytest.raises(StateError):
                take_back(bytes(damaged))
            assert fingerprint(env) == before
        for other in (data[:-1], data[:40], data + b"\0", data[:100] + data[101:] + b"\0", bytes(len(data))):
            with pytest.raises(StateError):
                take_back(other)
        take_back(data)


@pytest.mark.parametrize("name", broken_states(bytes(100)))
def test_bytes_that_are_no_state_are_refused(name: str) -> None:
    env = PaohuziEnv()
    env.reset(seed=10)
    data = broken_states(env.get_state())[name]
    env.step(env.legal_actions(env.agent_selection)[0])
    before = fingerprint(env)
    with pytest.raises(StateError):
        env.set_state(data)
    assert fingerprint(env) == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rules": "huaihua"}, "rule set"),
        ({"rules": {"preset": "hunan", "cap": 20}}, "rule set"),
        ({"hands": 2}, "1 hands"),
        ({"table": 4}, "table of 3"),
    ],
    ids=str,
)
def test_a_state_of_another_rule_set_or_kind_of_match_is_refused(options: dict[str, Any], words: str) -> None:
    source, env = PaohuziEnv(), PaohuziEnv(**options)
    source.reset(seed=11)
    with pytest.raises(StateError, match=words):
        env.set_state(source.get_state())
    env.reset(seed=11)
    before = fingerprint(env)
    with pytest.raises(StateError, match=words):
        env.set_state(source.get_state())
    assert fingerprint(env) == before
    with pytest.raises(TypeError, match="bytes"):
        env.set_state("x")  # type: ignore[arg-type]


def test_render_without_a_mode_warns_and_gives_nothing() -> None:
    env = PaohuziEnv()
    env.reset(seed=12)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert env.render() is None
    assert "render_mode" in str(caught[0].message)
    with pytest.raises(ValueError, match="human, ansi"):
        env.render_seat("player_0", "png")  # type: ignore[arg-type]


def test_names_of_the_package() -> None:
    import paohuzi_env

    assert paohuzi_env.PaohuziEnv is PaohuziEnv
    with pytest.raises(AttributeError):
        _ = paohuzi_env.NoSuchName
