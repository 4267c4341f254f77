"""The search: legal, repeatable, right where exact expectations can be had; and the light player of its playouts."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

import agents
import agents.search
from agents.base import CompiledAgent, decision_words
from agents.light import Light, choose_light
from agents.search import Value
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import HU, PASS
from paohuzi_env.core.state import WEI
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_tiles
from paohuzi_env.rules import RuleSet, preset_names, rule_set
from paohuzi_env.search import Policy, Rollouts

MINI_DISCARDS = rule_set({"preset": "mini", "hu_on_discard": True})
"""The small game, but discards can be won on: some discards lose more often than not."""


@kernel
def highest(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    """The highest legal action, hu where it is legal: it passes whatever else it is offered."""
    if v.legal >> HU & 1:
        return HU
    action = 31
    while v.legal >> action & 1 == 0:
        action -= 1
    return action


@kernel
def passing(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    """The highest legal action: pass, even of a hu."""
    action = 31
    while v.legal >> action & 1 == 0:
        action -= 1
    return action


@kernel
def copies_of_one(v: Any, r: Any, data: Any, scratch: Any) -> float:
    """A hand is worth as many points as it has tiles of kind `data[0][0]`."""
    return float(v.hand[data[0][0]])


class Highest(CompiledAgent):
    def __init__(self, rules: Any, *, seed: int = 0) -> None:
        super().__init__(rules, Policy(highest), seed=seed)


class Passing(CompiledAgent):
    def __init__(self, rules: Any, *, seed: int = 0) -> None:
        super().__init__(rules, Policy(passing), seed=seed)


class Valuing(CompiledAgent):
    """Has a value function: it likes the tile `kind`."""

    def __init__(self, rules: Any, kind: int = 0, *, seed: int = 0) -> None:
        super().__init__(rules, Policy(highest), seed=seed)
        self.value = Value(copies_of_one, (np.array([kind]),))


class WithHistory(Passing):
    history = 3


HERE = __name__


def positions(rules: RuleSet | str, count: int, seed: int, share: float = 0.3) -> list[Game]:
    """Positions of random play with a choice, not in the order of play."""
    chance = random.Random(seed)
    found: list[Game] = []
    index = 0
    while len(found) < count:
        game = Game.deal(rules, seed, index)
        index += 1
        while not game.over:
            if len(game.legal_actions) > 1 and chance.random() < share:
                found.append(game.clone())
            hu = HU in game.legal_actions and chance.random() < 0.5
            game.step(HU if hu else chance.choice(game.legal_actions))
    chance.shuffle(found)
    return found[:count]


def views_of(games: list[Game]) -> Any:
    views = st.allocate(len(games), st.VIEW)
    for i, game in enumerate(games):
        assert game.actor is not None
        views[i] = game.view(game.actor)[0]
    return views


def choices(agent: agents.Agent, games: list[Game], first: int = 0) -> list[int]:
    index = np.arange(first, first + len(games))
    found: list[int] = agent.choose(views_of(games), decision_words(agent.seed, index, 0, 0, 0), index).tolist()
    return found


# --- any search -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", preset_names())
@pytest.mark.boundscheck
def test_its_choices_are_legal_in_every_rule_set_and_with_any_budget(rules: str) -> None:
    games = positions(rules, 24, 5)
    for playouts in (1, 2, 5, 90):
        for game, action in zip(games, choices(agents.make(f"search:{playouts}", rules), games), strict=True):
            assert action in game.legal_actions


@pytest.mark.interpreted
def test_in_the_small_game_it_plays_interpreted_as_it_does_compiled() -> None:
    games = positions("mini", 6, 3)
    agent = agents.make(f"search:30,policy={HERE}:Highest,prior={HERE}:Highest", "mini", seed=2)
    assert choices(agent, games) == [26, 10, 29, 29, 12, 1]


def test_a_choice_depends_on_view_and_word_alone() -> None:
    games = positions("hunan", 16, 8)
    views = views_of(games)
    words = decision_words(3, np.arange(16), 0, 0, 0)
    hands = np.arange(16)
    agent = agents.make("search:60", "hunan")
    together = agent.choose(views, words, hands)
    back = agent.choose(views[::-1].copy(), words[::-1], hands)[::-1]
    alone = [agents.make("search:60").choose(views[i : i + 1], words[i : i + 1], hands[:1])[0] for i in range(16)]
    assert together.tolist() == back.tolist() == alone
    others = [agent.choose(views, decision_words(s, np.arange(16), 0, 0, 0), hands).tolist() for s in range(8)]
    assert any(other != together.tolist() for other in others)


def test_hidden_tiles_do_not_change_a_choice() -> None:
    games = positions("hunan", 16, 9)
    sampled = []
    for i, game in enumerate(games):
        assert game.actor is not None
        sampled.append(game.determinize(game.actor, i))
    agent = agents.make("search:60", "hunan")
    assert choices(agent, games) == choices(agent, sampled)


def test_a_single_legal_action_is_answered_without_playouts() -> None:
    agent = agents.make("search:50", "mini")
    trial: Any = agent._trials[0]  # type: ignore[attr-defined]
    choices(agent, positions("mini", 1, 4))
    assert trial["playouts"] > 0
    forced = next(g for g in map(_opened, range(1000)) if not g.over and len(g.legal_actions) == 1)
    assert choices(agent, [forced]) == forced.legal_actions
    assert trial["playouts"] == 0


def _opened(index: int) -> Game:
    """A small hand, played at random until its actor has no choice, or to its end."""
    chance = random.Random(index)
    game = Game.deal("mini", 1, index)
    while not game.over and len(game.legal_actions) > 1:
        game.step(chance.choice(game.legal_actions))
    return game


def test_a_time_budget_ends_before_a_slice_that_it_has_no_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.arange(10_000) * 0.001)  # every look takes a millisecond
    monkeypatch.setattr(agents.search, "perf_counter", lambda: float(next(clock)))
    game = positions("hunan", 1, 12)[0]
    for milliseconds, slices in ((1.5, 1), (9.5, 8), (40, 0)):
        agent = agents.make(f"search:milliseconds={milliseconds}", "hunan")
        assert choices(agent, [game])[0] in game.legal_actions
        worlds = agent._trials[0]["worlds"]  # type: ignore[attr-defined]
        assert worlds == slices * agents.search.SLICE or slices == 0


def test_goals_differ_where_a_win_pays_less_than_waiting() -> None:
    games = positions("changde", 120, 6)
    points = choices(agents.make("search:200,prior=light", "changde"), games)
    wins = choices(agents.make("search:200,prior=light,goal=wins", "changde"), games)
    assert points != wins


# --- against the truth ------------------------------------------------------------------------------------------------


def worlds_of(game: Game, samples: int) -> tuple[list[Game], np.ndarray[Any, Any]]:
    """All hands that the actor of a small game could be sitting in, and the share of the arrangements that each has."""
    seat = game.actor
    assert seat is not None
    g = game.record
    other = 1 - seat
    start = int(g["wall_next"])
    unseen = Counter(game.hand(other)) + Counter(g["wall"][start : game.rules.wall_size].tolist())
    unseen += Counter({k: int(n) for k, n in enumerate(g["hand_aside"])})
    found: dict[bytes, Game] = {}
    for sample in range(samples):
        world = game.determinize(seat, sample)
        found.setdefault(world.record["hand"].tobytes() + world.record["wall"].tobytes(), world)
    ways = []
    for world in found.values():
        hand = Counter(world.hand(other))
        wall = Counter(world.record["wall"][start : game.rules.wall_size].tolist())
        ways.append(
            math.prod(math.perm(unseen[k], hand[k] + wall[k]) // math.factorial(hand[k]) for k in hand.keys() | wall)
        )
    return list(found.values()), np.array(ways, float) / sum(ways)


def plain(game: Game) -> bool:
    """Late in the hand, with nothing known of single hidden tiles: few worlds, easily counted."""
    g = game.record
    held = g["upcard_held"] and g["dealer"] != game.actor
    hidden = (g["meld_type"] == WEI).any()
    return 1 <= int(g["wall_end"]) - int(g["wall_next"]) <= 2 and not held and not hidden


@pytest.mark.parametrize("rules", [rule_set("mini"), MINI_DISCARDS], ids=str)
def test_it_finds_what_all_worlds_of_the_small_game_say_and_shuns_likely_losses(rules: RuleSet) -> None:
    """Means of playouts agree with exact expectations, and the choice with the best of them, against a bad prior."""
    search = agents.make(f"search:12000,policy={HERE}:Highest,prior={HERE}:Passing", rules)
    rollouts = Rollouts(rules, Policy(highest))
    compared = losses = overruled = 0
    asked = [g for g in positions(rules, 9000, 21) if plain(g) and (g.phase == "discard" or not rules.hu_on_discard)]
    for game in asked[:50]:
        worlds, share = worlds_of(game, 1500)
        seat, legal = game.actor, game.legal_actions
        assert seat is not None
        points = np.stack([rollouts(worlds, np.full(len(worlds), a))[:, seat] for a in legal])
        results = np.sign(points) * np.sqrt(abs(points))
        exact = results @ share
        spread = np.sqrt(np.maximum((results**2) @ share - exact**2, 0.0))
        choice = choices(search, [game])[0]
        assert exact[legal.index(choice)] > exact.max() - 0.1
        overruled += choice != PASS and PASS in legal and exact[legal.index(PASS)] < exact.max() - 0.1
        lost = (results < 0) @ share
        losses += lost.max() > 0.5 and lost[legal.index(choice)] < 0.3
        trial: Any = search._trials[0]  # type: ignore[attr-defined]
        for a, mean, sd in zip(legal, exact, spread, strict=True):
            if trial["alive"] >> a & 1:
                assert abs(trial["total"][a] / trial["worlds"] - mean) < 5 * sd / math.sqrt(trial["worlds"]) + 0.01
                compared += 1
    assert compared > 30
    assert losses > 0 if rules.hu_on_discard else overruled > 0


def test_it_takes_the_last_win_though_policy_and_prior_would_pass() -> None:
    """With no tile left a pass of hu wins nothing any more."""
    found = []
    light = agents.make("light")
    for index in range(3000):
        game = Game.deal("hunan", 77, index)
        while not game.over:
            g = game.record
            if HU in game.legal_actions and g["wall_next"] == g["wall_end"]:
                found.append(game.clone())
            if HU in game.legal_actions and g["wall_next"] < g["wall_end"]:
                game.step(PASS)
            else:
                game.step(choices(light, [game])[0])
        if len(found) >= 5:
            break
    assert len(found) >= 5
    agent = agents.make(f"search:64,policy={HERE}:Passing,prior={HERE}:Passing")
    assert choices(agent, found) == [HU] * len(found)


def test_a_value_function_ends_playouts_at_the_next_own_decision() -> None:
    """A value that counts one kind makes it keep that kind, and nothing else does."""
    kept = 0
    for game in [g for g in positions("hunan", 400, 31) if g.phase == "discard"][:60]:
        assert game.actor is not None
        if game.record["wall_next"] > 7:  # late hands may end before the next own decision
            continue
        single = [k for k in game.legal_actions if game.hand(game.actor).count(k) == 1]
        for kind in single[:2]:
            if len(game.legal_actions) > 4:
                agent = agents.make(f"search:400,policy={HERE}:Valuing:kind={kind},prior=light,depth=1")
                assert choices(agent, [game])[0] != kind
                kept += 1
    assert kept > 20


# --- options ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search:playouts=0", "playouts = 0; allowed"),
        ("search:playouts=x", "playouts = 'x'"),
        ("search:playouts=5,milliseconds=5", "allowed: one of them"),
        ("search:milliseconds=0", "milliseconds = 0.0; allowed"),
        ("search:milliseconds=nan", "milliseconds = nan; allowed"),
        ("search:milliseconds=inf", "milliseconds = inf; allowed"),
        ("search:policy=nobody", "unknown agent 'nobody'"),
        ("search:policy=search", "no compiled policy"),
        ("search:prior=nobody", "unknown agent 'nobody'"),
        ("search:depth=3", "light has no value function"),
        (f"search:depth=3,goal=wins,policy={HERE}:Valuing", "goal wins has no value function"),
        ("search:depth=-1", "depth = -1; allowed"),
        ("search:goal=money", "goal"),
        (f"search:prior={HERE}:WithHistory", "looks at past events"),
        ("search:trust=3", "unknown option 'trust'; allowed: playouts, milliseconds, policy, prior, depth, goal, seed"),
    ],
)
def test_bad_options_are_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        agents.make(text)


def test_its_fingerprint_tells_its_players_apart() -> None:
    texts = ("search", "search:prior=light", "search:policy=heuristic")
    assert len({agents.make(text, "mini").fingerprint for text in texts}) == 3


# --- the light player -------------------------------------------------------------------------------------------------


@entry
def choose_directly(games: Any, i: int, rules: Any, views: Any, data: Any, word: Any) -> int:
    return choose_light(games[i], rules[0], views[0], data, 0, word)


@pytest.mark.parametrize("rules", preset_names())
@pytest.mark.boundscheck
def test_the_light_player_chooses_in_a_game_what_it_chooses_in_the_view(rules: str) -> None:
    light = Light(rules)
    games = positions(rules, 150, 41)
    words = decision_words(0, np.arange(len(games)), 0, 0, 0)
    by_view = light.choose(views_of(games), words, np.arange(len(games)))
    array = st.allocate(len(games), st.GAME)
    for i, game in enumerate(games):
        array[i] = game.record
    views = st.allocate(1, st.VIEW)
    record, data = light.rules.record, light.policy.data
    direct = [choose_directly(array, i, record, views, data, words[i]) for i in range(len(games))]
    assert direct == by_view.tolist()
    assert all(action in game.legal_actions for game, action in zip(games, direct, strict=True))


@pytest.mark.parametrize(
    ("hand", "discard"),
    [
        ("abcabcdefABCDEFJJJGGi", "i"),  # whole doors, a kan, a pair, and a tile that goes with nothing
        ("abcabcdefABCDEFJJJffI", "I"),
        ("abcdefABCDEFJJJjjjGGi", "i"),  # of two kan neither may be touched
    ],
)
def test_the_light_player_discards_what_goes_with_nothing(hand: str, discard: str) -> None:
    own = parse_tiles(hand)
    rest = sorted((Counter(dict.fromkeys(range(20), 4)) - Counter(own)).elements(), key=lambda k: (k * 7 % 20, k))
    game = Game.from_tiles("hunan", 0, [own[:20], rest[:40:2], rest[1:40:2]], own[20], rest[40:])
    assert (game.actor, game.phase) == (0, "discard")
    assert game.action_text(choices(Light("hunan"), [game])[0]) == f"discard {discard}"
