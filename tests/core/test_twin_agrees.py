"""The core plays as its slow twin does: every list of choices, every event, every settlement.

`python tests/lockstep.py` plays as many hands as one likes; here are some of each kind.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from deals import biased_deal, random_rules
from lockstep import PRESETS, DifferenceError, Pair, Tally, play_hand
from reference.rules import make_rules

fast = [pytest.mark.interpreted, pytest.mark.boundscheck]


def play(name: str, rules: dict[str, Any] | None, hands: int, style: str | None = None) -> Tally:
    """So many hands of a rule set (None: a random one for each hand), drawn from `name`."""
    tally = Tally()
    for number in range(hands):
        chance = random.Random(f"{name}:{number}")
        chosen = rules if rules is not None else random_rules(chance)
        try:
            play_hand(chosen, chance, tally, style)
        except DifferenceError as error:
            raise AssertionError(f"hand {number} of {name!r} with {chosen}: {error}") from error
    return tally


@pytest.mark.parametrize("preset", [pytest.param(p, marks=fast) for p in PRESETS])
def test_a_few_hands_of_each_preset(preset: str) -> None:
    play("a few", {"preset": preset}, 3)


@pytest.mark.parametrize("preset", PRESETS)
def test_biased_hands_of_each_preset(preset: str) -> None:
    tally = play("biased", {"preset": preset}, 60)
    assert tally.seen["win"] > 5


def test_uniform_hands_of_the_default_rules() -> None:
    play("uniform", {"preset": "hunan"}, 150, "uniform")


def test_biased_hands_of_the_default_rules_reach_the_rare_clauses() -> None:
    tally = play("rare", {"preset": "hunan"}, 500)
    for event in ("bi", "chouwei", "nodiscard", "pass hu", "second quad", "tianhu", "wei", "drawn hand"):
        assert tally.seen[event], f"no {event!r} in {tally.hands} hands"


@pytest.mark.boundscheck
def test_random_rule_sets() -> None:
    tally = play("any", None, 400)
    assert tally.seen["pass pao"]


@pytest.mark.parametrize("preset", PRESETS[:-1])
def test_tables_of_two(preset: str) -> None:
    play("two", {"preset": preset, "players": 2}, 20)


def test_a_small_game_with_random_fields() -> None:
    for number in range(300):
        chance = random.Random(f"small:{number}")
        rules = {
            "preset": "mini",
            "players": chance.choice((2, 3)),
            "min_huxi": chance.randint(0, 4),
            "tian_hu_quads": chance.choice((0, 2)),
            **{f: chance.random() < 0.5 for f in ("split_pass", "forced_pao", "hu_on_discard", "own_draw_melds")},
        }
        play_hand(rules, chance, Tally())


def test_a_difference_is_noticed() -> None:
    rules = {"preset": "hunan"}
    pair = Pair(rules, biased_deal(make_rules(rules), random.Random(3), "uniform"))
    pair.core.step(pair.core.legal_actions[0])
    with pytest.raises(DifferenceError, match="events: core"):
        pair.check()
