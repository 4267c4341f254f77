"""The heuristic player: its rules of thumb in positions, its weights, legality in every rule set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from situations import answer, deal_around, every_decision, first_discard

import agents
from agents.base import decision_words
from agents.heuristic import NAMES, WEIGHTS, heuristic_policy
from agents.registry import options_of
from paohuzi_env.notation import parse_tiles
from paohuzi_env.rules import preset_names, rule_set
from paohuzi_env.search import Choices


def discard_of(view: Any, rules: Any = "hunan", **weights: float) -> str:
    options = ",".join(f"{name}={value}" for name, value in weights.items())
    return answer(agents.make(f"heuristic:{options}" if options else "heuristic", rules), view)


# --- rules of thumb -------------------------------------------------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("hand", "upcard", "discard"),
    [
        ("aaabbbcccddABCDEFGHI", "j", "j"),  # fits nowhere
        ("AAABBBabcdefghDEbceJ", "H", "D"),  # three doors lack a tile and two may: the large ones have no huxi
    ],
)
def test_it_discards_the_tile_that_it_does_not_need(hand: str, upcard: str, discard: str) -> None:
    assert first_discard("heuristic", hand, upcard) == discard


@pytest.mark.interpreted
def test_it_wins_when_it_can() -> None:
    game = deal_around("hunan", "AAABBBabcdefghiDEFgh", "i")
    assert answer(agents.make("heuristic"), game.view(0)) == "hu"


@pytest.mark.interpreted
def test_it_does_not_wait_for_tiles_that_are_gone() -> None:
    """Five doors are whole, two are needed, and de, GH and JJ lack a tile each."""
    game = deal_around("hunan", "AAABBBabcghiDEFdeGHJ", "J")
    for waits, parts in (("cf", "de"), ("FI", "GH")):
        view = game.view(0)
        for kind in parse_tiles(waits):
            view["drawn"][0, kind] = 4 - view["hand"][0, kind]
        assert discard_of(view) in parts


def test_it_gives_what_nobody_can_use_any_more() -> None:
    """Two tiles that fit nowhere: one has lain in a river, so it is given; where that counts."""
    game = deal_around("hunan", "aaabbbcccdddABCDEFGJ", "i")
    view = game.view(0)
    assert discard_of(view) in "GJi"
    met = view.copy()
    met["river"][0, 0, 0] = parse_tiles("i")[0] + 32
    met["river_n"][0, 0] = 1
    met["drawn"][0, parse_tiles("i")[0]] = 1
    assert discard_of(met, feed_peng=50, feed_chi=50) == "i"


def test_it_plays_a_black_hand_for_its_fan() -> None:
    """One red tile, J, and one black one fit nowhere: without J the hand is all black."""
    view = deal_around("hunan", "aaaccceeeddffiiEECCH", "J").view(0)
    assert discard_of(view, pattern=3.0, pattern_far=0.0) == "J"


def test_a_claim_that_ruins_the_hand_is_passed_and_one_that_completes_a_door_taken() -> None:
    said: dict[str, int] = {}
    heuristic = agents.make("heuristic")
    for seed in range(60):
        game = deal_around("hunan", "abdeghijABDEGHIJcCfF", "b", seed=seed)
        while not game.over and game.actor is not None:
            view = game.view(game.actor)
            claim = game.actor == 0 and view["phase"][0] in (3, 4)
            action = answer(heuristic, view)
            if claim:
                said[action[:3]] = said.get(action[:3], 0) + 1
            legal = game.legal_actions
            game.step(int(heuristic.choose(view, decision_words(0, 0, 0, 0, 0), np.zeros(1, np.int64))[0]) if claim
                      else legal[-1] if legal[-1] == 29 else legal[0])  # fmt: skip
    assert said.get("chi", 0) > 5
    assert said.get("pas", 0) > 5


# --- weights --------------------------------------------------------------------------------------------------------


def test_every_weight_has_a_meaning_and_is_an_option() -> None:
    assert set(options_of("heuristic")) == set(WEIGHTS)
    assert all(meaning for *_, meaning in WEIGHTS.values())
    assert tuple(WEIGHTS) == NAMES


def test_a_weight_is_changed_without_compiling_again() -> None:
    base, other = heuristic_policy("hunan"), heuristic_policy("hunan", feed_peng=3.0)
    assert base.function is other.function
    assert base.scratch == other.scratch
    assert [(a == b).all() for a, b in zip(base.data, other.data, strict=True)] == [False, True, True, True]


def test_where_a_discard_can_be_won_on_it_has_other_weights() -> None:
    assert (heuristic_policy("hunan").data[0] != heuristic_policy("luzhou").data[0]).any()
    assert (heuristic_policy("hunan").data[0] == heuristic_policy("yongzhou").data[0]).all()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("courage=1", "unknown option 'courage'; allowed:"),
        ("feed_peng=x", "weight feed_peng = 'x'; allowed: a number from -100 to 100"),
        ("stale=-1", "weight stale = '-1'; allowed: a number from 0 to 100"),
        ("door=nan", "weight door = 'nan'; allowed: a number from -100 to 100"),
    ],
)
def test_a_wrong_weight_says_what_is_allowed(option: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(f"heuristic:{option}")
    assert message in str(caught.value)


# --- every rule set -------------------------------------------------------------------------------------------------


@pytest.mark.boundscheck
@pytest.mark.parametrize("rules", [*preset_names(), '{"preset": "hunan", "forced_pao": false, "players": 2}'])
def test_its_actions_are_legal_and_the_same_every_time(rules: str) -> None:
    heuristic = agents.make("heuristic", rule_set(rules))
    views = np.concatenate(every_decision(rule_set(rules), 60, seed=22))
    words = decision_words(0, np.arange(len(views)), 0, 0, 0)
    actions = heuristic.choose(views, words, np.arange(len(views)))
    assert (views["legal"] >> actions & 1).all()
    backwards = Choices(rule_set(rules), heuristic_policy(rules if rules[0] != "{" else rule_set(rules)))
    assert (actions == backwards(views[::-1].copy(), words)[::-1]).all()


@pytest.mark.parametrize("value", [-100.0, 100.0])
@pytest.mark.parametrize("name", ["door", "excess", "floor_shift", "payoff", "claim_chi", "feed_hu", "points"])
def test_extreme_weights_change_its_play_not_its_legality(name: str, value: float) -> None:
    value = max(min(value, 20.0), -20.0) if name == "points" else value
    views = np.concatenate(every_decision("hunan", 10, seed=23))
    words = decision_words(0, np.arange(len(views)), 0, 0, 0)
    actions = Choices("hunan", heuristic_policy("hunan", **{name: value}))(views, words)
    assert (views["legal"] >> actions & 1).all()


@pytest.mark.boundscheck
def test_a_hand_of_pairs_of_one_size_fits_its_tables() -> None:
    game = deal_around("hunan", "aabbccddeeffgghhiijj", "A")
    assert game.actor == 0
    assert discard_of(game.view(0)) in set("abcdefghijA")
