"""The observation says what its index table promises: each plane is decoded and compared with what has happened.

The judge (`facts`) follows the events of the hand in plain Python.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aec import PRESETS, biased_game, choose_at_random, decisions
from facts import Facts, expected

from paohuzi_env.core import log
from paohuzi_env.core.features import FEATURE_PLANES, FEATURES
from paohuzi_env.core.observe import NUM_PLANES, PLANES, Plane
from paohuzi_env.core.perfect import HANDS, PERFECT, PERFECT_PLANES
from paohuzi_env.env import STATE_PLANES, WALL_ROWS, PaohuziEnv
from paohuzi_env.record import event_text

RULES: list[Any] = [
    *PRESETS,
    {"preset": "hunan", "players": 2},
    {"preset": "luzhou", "players": 2},
    {"preset": "hunan", "forced_pao": False, "split_pass": True},
    {"preset": "yongzhou", "show_upcard": False, "own_draw_melds": False},
    {"preset": "hunan", "hu_on_discard": True, "min_huxi": 6},
]


def decoded(planes: np.ndarray, tables: tuple[Plane, ...]) -> dict[str, list[int]]:
    """The planes by their names in the index table."""
    return {name: planes[row.start + i].tolist() for row in tables for i, name in enumerate(row.names)}


def test_the_index_table_numbers_every_plane_once_and_in_order() -> None:
    names = [name for row in PLANES for name in row.names]
    assert len(names) == len(set(names)) == NUM_PLANES
    assert [row.start for row in PLANES] == np.cumsum([0, *(len(row.names) for row in PLANES)])[:-1].tolist()
    assert sum(len(row.names) for row in FEATURES) == FEATURE_PLANES
    assert sum(count for _, count, _ in PERFECT) == PERFECT_PLANES


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_plane_says_what_has_happened(rules: Any) -> None:
    env, chance = PaohuziEnv(rules), random.Random(str(rules))
    used: Counter[str] = Counter()
    positions = 0
    for number in range(100 if rules == "hunan" else 24):
        env.reset(seed=number, options={"game": biased_game(rules, chance)} if number % 4 else None)
        for _ in decisions(env, choose_at_random(chance, chance.choice((0.0, 0.6, 0.9)))):
            facts = Facts(env.referee_game())
            for agent in env.possible_agents:
                seen: Any = env.observe(agent)
                got, want = decoded(seen["observation"], PLANES), expected(facts, env.seat_of(agent))
                assert got.keys() == want.keys()
                for name, values in want.items():
                    assert got[name] == values, f"{name} of {agent} in hand {number}: {facts.game}"
                used.update(name for name, values in want.items() if any(values))
            positions += 1
    assert positions > 60
    never = {name for row in PLANES for name in row.names} - used.keys()
    COVERED.update(used.keys())
    PLAYED.append(rules)
    assert len(never) < 60, never


COVERED: set[str] = set()
PLAYED: list[Any] = []


def test_every_plane_was_seen_in_use() -> None:
    if len(PLAYED) < len(RULES):
        pytest.skip("the test before, with all rule sets, fills the list")
    # Four alike are laid before anybody decides (rules 2.3, 6.5); a wei shows at the end of its seat's win only (3.4).
    never = {"hand>=4", "wei[next]", "wei[previous]"}
    assert {name for row in PLANES for name in row.names} - COVERED == never


def test_the_upcard_window_is_told_from_a_concealed_draw() -> None:
    env = PaohuziEnv()
    record = json.loads((Path(__file__).parents[1] / "golden/hunan-upcard.phz.jsonl").read_text())
    env.reset(options={"record": record})
    assert (env.referee_game().phase, env.referee_log()) == ("hu", [])
    seen: Any = env.observe(env.agent_selection)
    got = decoded(seen["observation"], PLANES)
    assert (got["live_upcard"][0], got["live_concealed"][0]) == (1, 0)


@pytest.mark.parametrize("rules", PRESETS)
def test_flat_mode_is_the_same_numbers_in_one_row(rules: str) -> None:
    plain = PaohuziEnv(rules, features=True, history=4)
    flat = PaohuziEnv(rules, features=True, history=4, obs="flat")
    plain.reset(seed=1)
    flat.reset(seed=1)
    choose = choose_at_random(random.Random(1))
    while not any(plain.terminations.values()):
        for agent in plain.possible_agents:
            parts: Any = plain.observe(agent)
            row = np.concatenate([parts["observation"].ravel(), parts["history"].ravel()])
            assert (flat.observe(agent) == row).all()
            assert (flat.infos[agent]["action_mask"] == parts["action_mask"]).all()
        action = choose(plain, plain.agent_selection)
        plain.step(action)
        flat.step(action)


@pytest.mark.parametrize("rules", PRESETS)
def test_features_come_after_the_planes_and_leave_them_alone(rules: str) -> None:
    env, plain = PaohuziEnv(rules, features=True), PaohuziEnv(rules)
    for seed in range(5):
        env.reset(seed=seed)
        plain.reset(seed=seed)
        choose = choose_at_random(random.Random(seed), 0.5)
        while not any(env.terminations.values()):
            for agent in env.possible_agents:
                seen: Any = env.observe(agent)
                without: Any = plain.observe(agent)
                assert (seen["observation"][:NUM_PLANES] == without["observation"]).all()
                assert env.observation_space(agent).contains(seen)
                assert seen["observation"][NUM_PLANES:].shape == (FEATURE_PLANES, 20)
            action = choose(env, env.agent_selection)
            env.step(action)
            plain.step(action)


@pytest.mark.parametrize("rules", [*PRESETS, {"preset": "hunan", "players": 2}], ids=str)
@pytest.mark.parametrize("history", [1, 6, 400])
def test_history_is_the_last_public_events(rules: Any, history: int) -> None:
    env = PaohuziEnv(rules, history=history)
    seats = env.rules.seats
    env.reset(seed=2)
    for _ in decisions(env, choose_at_random(random.Random(2), 0.5)):
        for agent in env.possible_agents:
            seen: Any = env.observe(agent)
            texts = env.event_log(agent)[-history:]
            rows = seen["history"].tolist()
            assert rows[: history - len(texts)] == [[-1] * 4] * (history - len(texts))
            for text, (rel, verb, kind, shape) in zip(texts, rows[history - len(texts) :], strict=True):
                seat = (env.seat_of(agent) + rel) % seats
                if kind == 31:
                    assert text == f"{seat} wei ???"
                else:
                    code = seat | verb << 2 | max(kind, 0) << 7 | max(shape, 0) << 12
                    assert event_text(code) == text
                    assert (kind < 0) == (log.VERBS[verb] in ("nodiscard", "tianhu"))
                    assert (shape < 0) == (log.VERBS[verb] not in ("chi", "bi"))


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_state_holds_all_hands_and_the_wall_in_order(rules: Any) -> None:
    env = PaohuziEnv(rules)
    for seed in range(6):
        env.reset(seed=seed)
        for agent in decisions(env, choose_at_random(random.Random(seed))):
            state, game = env.state(), env.referee_game()
            assert state.shape == (STATE_PLANES, 20)
            own: Any = env.observe(agent)
            assert (state[:NUM_PLANES] == own["observation"]).all()
            for rel in range(env.rules.seats):
                seat = (game.actor + rel) % env.rules.seats
                held = Counter(k for k in game.hand(seat) if k < 20)
                assert state[NUM_PLANES + HANDS + rel].tolist() == [held[k] for k in range(20)]
            g = game.record
            wall = g["wall"][int(g["wall_next"]) : int(g["wall_end"])].tolist()
            assert [k - 1 for k in state[-WALL_ROWS:].ravel().tolist() if k] == wall
