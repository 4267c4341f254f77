"""The greedy player: nearest first, then huxi; legal, and the same every time."""

from __future__ import annotations

import numpy as np
import pytest
from situations import answer, deal_around, every_decision, first_discard

import agents
from agents.base import decision_words
from paohuzi_env.core import state as st
from paohuzi_env.core.distance import distance_of, progress_table
from paohuzi_env.core.waits import place_seat
from paohuzi_env.game import Game
from paohuzi_env.rules import preset_names


def far(game: Game, kind: int) -> int:
    """Tiles that the hand of seat 0, without melds, lacks after discarding a kind."""
    hand = game.record["hand"][0].copy()
    hand[kind] -= 1
    placed = st.allocate(1, st.GAME)
    place_seat(placed, 0, game.rules.record, 0, hand, np.zeros((0, 3), np.int64))
    return int(distance_of(progress_table(), placed, 0, game.rules.record, 0))


def test_no_discard_leaves_it_nearer() -> None:
    greedy = agents.make("greedy")
    compared = 0
    for index in range(60):
        game = Game.deal("hunan", 8, index, dealer=0)
        if game.actor != 0 or game.record["phase"] != st.DISCARDING or game.record["melds_n"][0]:
            continue
        chosen = int(greedy.choose(game.view(0), np.zeros(1, np.uint64), np.zeros(1, np.int64))[0])
        assert far(game, chosen) == min(far(game, kind) for kind in game.legal_actions)
        compared += 1
    assert compared > 40


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("hand", "upcard", "discard"),
    [
        ("aaabbbcccddABCDEFGHI", "j", "j"),  # fits nowhere
        ("aaaccceeeddffiiEECCG", "I", "G"),  # of two that fit nowhere the first
    ],
)
def test_it_discards_the_tile_that_it_does_not_need(hand: str, upcard: str, discard: str) -> None:
    assert first_discard("greedy", hand, upcard) == discard


@pytest.mark.interpreted
def test_it_wins_when_it_can() -> None:
    game = deal_around("hunan", "AAABBBabcdefghiDEFgh", "i")
    assert answer(agents.make("greedy"), game.view(0)) == "hu"


def test_it_claims_what_brings_it_nearer_and_passes_the_rest() -> None:
    greedy = agents.make("greedy")
    said = set()
    for seed in range(40):
        game = deal_around("hunan", "abdeghijABDEGHIJcCfF", "b", dealer=0, seed=seed)
        while not game.over and game.actor is not None:
            view = game.view(game.actor)
            if game.actor == 0 and view["phase"][0] in (3, 4):
                said.add(answer(greedy, view)[:3])
            legal = game.legal_actions
            game.step(legal[-1] if legal[-1] == 29 else legal[0])
    assert {"pas", "chi"} <= said


@pytest.mark.boundscheck
@pytest.mark.parametrize("rules", preset_names())
def test_its_actions_are_legal_and_the_same_every_time(rules: str) -> None:
    greedy = agents.make("greedy", rules)
    views = np.concatenate(every_decision(rules, 60, seed=21))
    words = decision_words(0, np.arange(len(views)), 0, 0, 0)
    actions = greedy.choose(views, words, np.arange(len(views)))
    assert (views["legal"] >> actions & 1).all()
    backwards = greedy.choose(views[::-1].copy(), words, np.arange(len(views)))
    assert (actions == backwards[::-1]).all()
