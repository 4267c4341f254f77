"""Nothing that an agent is given depends on what it may not know (rules 3.4, 3.5).

For thousands of positions, every agent, and every way in which something reaches it: the hidden part is replaced
(`swap`, and for the agent to act also by `Game.determinize`), and what the agent gets stays the same to the byte.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from aec import PRESETS, biased_game, choose_at_random, decisions
from swap import swap_passes, swap_wall, swapped

from paohuzi_env.core.actions import CHI, PASS
from paohuzi_env.core.state import WEI
from paohuzi_env.core.tiles import SHAPES
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.game import Game

pytestmark = pytest.mark.rule("3.4", "3.5")

RULES: list[Any] = [
    *PRESETS,
    {"preset": "hunan", "players": 2},
    {"preset": "hunan", "forced_pao": False, "split_pass": True},
    {"preset": "hunan", "own_draw_melds": False, "show_upcard": False},
]


def show(env: PaohuziEnv, game: Game) -> PaohuziEnv:
    """Put a hand on the environment's table as it is, over or not, possible or not."""
    env._array[0] = game._array[0]
    env._write_infos()
    return env


def given_to(env: PaohuziEnv, agent: str, *, pictures: bool = False, events: bool = True) -> dict[str, Any]:
    """Everything that reaches an agent, by the way it takes."""
    observation: Any = env.observe(agent)
    parts = {"": observation} if isinstance(observation, np.ndarray) else dict(observation)
    given: dict[str, Any] = {f"observation {name}": part.tobytes() for name, part in parts.items()}
    given["info"] = repr(env.infos.get(agent))
    given["legal"] = env.legal_actions(agent)
    history = 32 if events else 0
    given["view"] = env.view(agent, history).tobytes()
    if events:
        given["event log"] = env.event_log(agent)
        given["text"] = env.render_seat(agent, "ansi")
    else:
        del given["observation history"]
    if pictures:
        given["drawing"] = env.render_seat(agent, "svg")
        image: Any = env.render_seat(agent, "rgb_array")
        given["image"] = image.tobytes()
    return given


def check(env: PaohuziEnv, mirror: PaohuziEnv, chance: random.Random, *, pictures: bool = False) -> int:
    """Compare what each agent is given with what it gets with another hand behind it; how many comparisons."""
    game = env.referee_game()
    count = 0
    for agent in env.possible_agents:
        seat = env.seat_of(agent)
        if seat < 0:
            continue
        before = given_to(env, agent, pictures=pictures)
        show(mirror, swapped(game, seat, chance))
        assert mirror.get_state() != env.get_state()
        after = given_to(mirror, agent, pictures=pictures)
        for way, value in before.items():
            assert after[way] == value, f"{way} of {agent} depends on what it may not know: {game!r}"
        count += 1
    show(mirror, game)
    return count


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_an_agent_is_given_does_not_depend_on_what_it_may_not_know(rules: Any) -> None:
    options: dict[str, Any] = {"rules": rules, "history": 400, "info_level": 1, "features": True}
    chance, compared, ends = random.Random(f"leaks {rules}"), 0, 0
    for number in range(16):
        env = PaohuziEnv(**options, obs="flat" if number % 4 == 3 else "dict")
        env.reset(seed=number, options={"game": biased_game(rules, chance)})
        mirror = env.clone()
        for step, _ in enumerate(decisions(env, choose_at_random(chance, chance.choice((0.0, 0.7, 0.9))))):
            mirror.set_state(env.get_state())
            compared += check(env, mirror, chance, pictures=step == number)
        mirror.set_state(env.get_state())
        compared += check(env, mirror, chance, pictures=number < 2)  # after the end too
        ends += env.referee_game().record["winner"] >= 0
    assert compared > 120
    assert ends > 0


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_what_the_agent_to_act_is_given_is_the_same_in_every_hand_that_it_could_be_in(rules: Any) -> None:
    chance, compared = random.Random(f"determinized {rules}"), 0
    env = PaohuziEnv(rules, features=True, history=3)
    for number in range(8):
        env.reset(seed=number, options={"game": biased_game(rules, chance)})
        mirror = env.clone()
        for agent in decisions(env, choose_at_random(chance, 0.6)):
            game, seat = env.referee_game(), env.seat_of(agent)
            before = given_to(env, agent, events=False)
            for seed in range(2):
                assert given_to(show(mirror, game.determinize(seat, seed)), agent, events=False) == before
                compared += 1
            show(mirror, game)
    assert compared > 40


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_who_is_not_asked_learns_nothing_from_what_others_are_asked_and_pass(rules: Any) -> None:
    """From one event that a seat knows of to the next nothing changes for it, whatever others are asked meanwhile."""
    options: dict[str, Any] = {"rules": rules, "history": 400, "info_level": 1, "features": True}
    chance, compared = random.Random(f"asked {rules}"), 0
    env = PaohuziEnv(**options)
    for number in range(1000):
        if number > 20 and compared > 20:
            break
        env.reset(seed=number, options={"game": biased_game(rules, chance)} if number % 2 else None)
        before: dict[str, Any] = {}
        for actor in decisions(env, choose_at_random(chance, chance.choice((0.0, 0.3, 0.6)))):
            before.pop(actor, None)
            for agent in env.agents:
                if agent == actor:
                    continue
                given = given_to(env, agent)
                if agent in before and before[agent]["event log"] == given["event log"]:
                    compared += 1
                    assert given == before[agent], f"to {agent} it shows what {actor} is asked: {env.referee_game()!r}"
                before[agent] = given
    assert compared > 20


def test_nobody_sees_whether_a_chi_is_to_be_followed_by_bi() -> None:
    """After a chi its seat is asked for a bi or for a discard: what the others can conclude depends on neither."""
    chance = random.Random("bi")
    env = PaohuziEnv()
    shown: dict[Any, int] = {}
    phases: dict[Any, set[str]] = {}
    for number in range(150):
        env.reset(seed=number)
        while not env.terminations[env.agent_selection]:
            actor, game = env.agent_selection, env.referee_game()
            seat, kind = env.seat_of(actor), game.live_kind()
            legal = env.legal_actions(actor)
            action = chance.choice([a for a in legal if CHI <= a < CHI + SHAPES] or legal)
            env.step(action)
            if game.phase != "chi" or action == PASS or env.agent_selection != actor:
                continue
            for agent in env.agents:
                if agent != actor:
                    before, own = int(game.record["cap"][seat][kind]), int(game.record["turn"]) == seat
                    case, cap = (before, own, action), int(env.view(agent)["cap"][0][seat][kind])
                    assert shown.setdefault(case, cap) == cap
                    phases.setdefault(case, set()).add(env.referee_game().phase)
    assert sum(seen == {"bi", "discard"} for seen in phases.values()) > 3


def test_at_a_table_of_four_nobody_learns_more() -> None:
    env = PaohuziEnv(hands=8, table=4, history=20, info_level=1)
    chance = random.Random(7)
    env.reset(seed=7)
    mirror = env.clone()
    compared = 0
    for _ in decisions(env, choose_at_random(chance, 0.8)):
        mirror.set_state(env.get_state())
        compared += check(env, mirror, chance)
        (out,) = [a for a in env.possible_agents if env.seat_of(a) < 0]
        before = env.event_log(out), repr(env.observe(out)), repr(env.infos[out])
        show(mirror, swapped(env.referee_game(), -1, chance))
        assert (mirror.event_log(out), repr(mirror.observe(out)), repr(mirror.infos[out])) == before
    assert compared > 400


@pytest.mark.parametrize("way", ["state", "render", "referee_log"])
def test_the_judge_sees_a_leak(way: str) -> None:
    """What is the referee's does depend on hidden things, so the comparison can fail at all."""
    env = PaohuziEnv(render_mode="ansi")
    env.reset(seed=8)
    for _ in decisions(env, choose_at_random(random.Random(8)), 12):
        pass
    mirror, other = env.clone(), env.referee_game()
    swap_wall(other._array[0], random.Random(8))
    swap_passes(other._array[0], random.Random(1))
    show(mirror, other)
    assert repr(getattr(mirror, way)()) != repr(getattr(env, way)())


@pytest.mark.parametrize("field", ["hand", "stale_peng", "wei", "wei_not", "wall"])
def test_the_judge_sees_each_kind_of_hidden_thing_move(field: str) -> None:
    chance = random.Random(9)
    moved = 0
    env = PaohuziEnv()
    for number in range(30):
        env.reset(seed=number, options={"game": biased_game("hunan", chance, "pairs")})
        for _ in decisions(env, choose_at_random(chance), 15):
            pass
        game = env.referee_game()
        for seat in range(3):
            other = swapped(game, seat, chance)
            for p in range(3):
                if field == "wei_not":  # of a hidden wei it stays, since the seat is shown it
                    changed = (other.record["wei_not"][p] != game.record["wei_not"][p]).any()
                    assert p == seat or not changed
                    moved += changed
                if p == seat:
                    assert (other.record["hand"][p] == game.record["hand"][p]).all()
                    assert (other.record["stale_peng"][p] == game.record["stale_peng"][p]).all()
                elif field == "wei":
                    is_wei = game.record["meld_type"][p] == WEI
                    moved += (other.record["meld_kind"][p] != game.record["meld_kind"][p])[is_wei].any()
                elif field not in ("wall", "wei_not"):
                    moved += (other.record[field][p] != game.record[field][p]).any()
            moved += field == "wall" and (other.record["wall"] != game.record["wall"]).any()
    assert moved > 5
