"""Rollouts: equal to the same hands played singly, under the built-in policy and under one's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from paohuzi_env.core import state as st
from paohuzi_env.core._compile import kernel
from paohuzi_env.errors import IllegalActionError
from paohuzi_env.game import Game
from paohuzi_env.search import Choices, Policy, Rollouts

PRESETS = ("hunan", "luzhou", "yongzhou", "mini")


@kernel
def lowest(v: Any, r: Any, word: Any) -> int:
    """The lowest legal action."""
    action = 0
    while v.legal >> action & 1 == 0:
        action += 1
    return action


@kernel
def never_legal(v: Any, r: Any, word: Any) -> int:
    """An action that no window offers."""
    return 31


@kernel
def heaviest(v: Any, r: Any, data: Any, scratch: Any, word: Any) -> int:
    """The legal action with the greatest weight; counts its calls."""
    scratch.calls += 1
    best = -1
    for action in range(32):
        if v.legal >> action & 1 and (best < 0 or data[0][action] > data[0][best]):
            best = action
    return best


def dealt(rules: str, count: int) -> list[Game]:
    return [Game.deal(rules, 11, i) for i in range(count)]


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.boundscheck
def test_a_policy_of_ones_own_plays_the_hand_that_it_plays_singly(rules: str) -> None:
    games = dealt(rules, 40)
    scores = Rollouts(rules, lowest)(games)
    for game, row in zip(games, scores, strict=True):
        single = game.clone()
        while not single.over:
            single.step(single.legal_actions[0])
        assert tuple(row[: single.rules.seats]) == single.scores


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_policy_reads_its_data_and_has_room_to_work_in() -> None:
    games = dealt("mini", 20)
    room = np.dtype([("calls", "i8")])
    rising = Policy(heaviest, (np.arange(32.0),), room)
    falling = Policy(heaviest, (-np.arange(32.0),), room)
    assert (Rollouts("mini", falling)(games) == Rollouts("mini", lowest)(games)).all()
    assert (Rollouts("mini", rising)(games) != Rollouts("mini", lowest)(games)).any()
    views = np.concatenate([game.view(game.actor) for game in games if game.actor is not None])
    words = np.zeros(len(views), np.uint64)
    legal = [game.legal_actions for game in games if not game.over]
    assert Choices("mini", rising)(views, words).tolist() == [actions[-1] for actions in legal]
    assert Choices("mini", lowest)(views, words).tolist() == [actions[0] for actions in legal]
    for wrong, some in ((list(views), words), (views, words[1:]), (games, words)):
        with pytest.raises(ValueError, match=r"views: .*; allowed: a VIEW array of one axis, and as many words"):
            Choices("mini", lowest)(wrong, some)


@pytest.mark.interpreted
def test_an_illegal_choice_of_a_policy_is_replaced_by_the_lowest_legal_one() -> None:
    games = dealt("mini", 10)
    assert (Rollouts("mini", never_legal)(games) == Rollouts("mini", lowest)(games)).all()


@pytest.mark.parametrize("rules", PRESETS)
def test_uniform_rollouts_are_zero_sum_repeatable_and_leave_the_games_alone(rules: str) -> None:
    games = dealt(rules, 200)
    before = [game.to_bytes() for game in games]
    rollouts = Rollouts(rules)
    scores = rollouts(games, seed=3)
    assert rollouts.decisions > len(games)
    assert (scores.sum(axis=1) == 0).all()
    assert (scores == Rollouts(rules, threads=3)(games, seed=3)).all()
    assert (scores != rollouts(games, seed=4)).any() or rules == "mini"
    assert before == [game.to_bytes() for game in games]


def test_rows_with_equal_words_share_their_random_numbers() -> None:
    game = Game.deal("hunan", 5)
    scores = Rollouts("hunan")([game] * 50, words=np.full(50, 9))
    assert (scores == scores[0]).all()


def test_the_tried_action_is_played_first() -> None:
    game = Game.deal("mini", 3)
    actions = game.legal_actions
    scores = Rollouts("mini", lowest)([game] * len(actions), np.array(actions))
    for action, row in zip(actions, scores, strict=True):
        single = game.clone()
        single.step(action)
        while not single.over:
            single.step(single.legal_actions[0])
        assert tuple(row[:2]) == single.scores


def test_uniform_choices_are_uniform() -> None:
    """The first decision of one hand, drawn from many words: each legal action about equally often."""
    from paohuzi_env.core.batch import pick
    from paohuzi_env.core.rng import key

    legal = 0b1011_0000_1001
    hits = np.zeros(32)
    for index in range(4000):
        hits[pick(legal, np.uint64(key(np.uint64(1), 0, index)))] += 1
    share = hits[hits > 0] / hits.sum()
    assert len(share) == 5
    assert abs(share - 0.2).max() < 0.03


def test_bad_rows_are_named_and_nothing_is_played() -> None:
    games = dealt("hunan", 3)
    rollouts = Rollouts("hunan")
    with pytest.raises(IllegalActionError, match="row 1: action 30"):
        rollouts(games, np.array([-1, 30, -1]))
    with pytest.raises(ValueError, match="shape"):
        rollouts(games, np.array([1, 2]))
    with pytest.raises(ValueError, match="dtype"):
        rollouts(games, np.array([1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="row 0"):
        rollouts(dealt("luzhou", 1))
    with pytest.raises(ValueError, match="dtype"):
        rollouts(np.zeros(3, st.VIEW))
    with pytest.raises(ValueError, match="dtype"):
        rollouts(np.zeros(3, st.GAME.newbyteorder()))
    with pytest.raises(ValueError, match=r"shape \(1, 3\)"):
        rollouts(np.zeros((1, 3), st.GAME))
    for no_hands in (None, 5, games[0], iter(games)):
        with pytest.raises(TypeError, match=r"games of type .*; allowed"):
            rollouts(no_hands)
    for below in (-2, -99):
        with pytest.raises(IllegalActionError, match=f"row 2: action {below}"):
            rollouts(games, np.array([-1, -1, below]))
    with pytest.raises(IllegalActionError, match="row 0"):
        rollouts(games, np.array([2**64 - 1, 0, 0], np.uint64))
    for threads in (0, -1, 10**6):
        with pytest.raises(ValueError, match="threads"):
            Rollouts("hunan", threads=threads)
    for no_number in (2.5, "2", True, None):
        with pytest.raises(TypeError, match="threads"):
            Rollouts("hunan", threads=no_number)  # type: ignore[arg-type]


def test_a_policy_of_ones_own_has_a_view_for_each_thread() -> None:
    games = dealt("mini", 300)
    assert (Rollouts("mini", lowest, threads=150)(games) == Rollouts("mini", lowest)(games)).all()


@pytest.mark.parametrize("wrong", [1.5, "1", None, True, -1, 3])
def test_a_hand_takes_whole_numbers_in_range_and_names_what_is_wrong(wrong: Any) -> None:
    game = Game.deal("hunan", 5)
    before = game.to_bytes()
    for call in (
        lambda: game.view(wrong),
        lambda: game.hand(wrong),
        lambda: game.view(0, -1 if wrong in (3, 1) else wrong),
        lambda: game.determinize(wrong, 1),
        lambda: game.fault(wrong, "crash"),
        lambda: Game.deal("hunan", 5, -1 if wrong == 3 else wrong),
        lambda: Game.deal("hunan", 5, stream=-1 if wrong == 3 else wrong),
        lambda: Game.deal("hunan", 5, dealer=3 if wrong is None else wrong),
    ):
        with pytest.raises((TypeError, ValueError), match="allowed"):
            call()
    assert game.to_bytes() == before


def test_a_policy_is_a_function() -> None:
    with pytest.raises(TypeError, match="policy = 'x'; allowed"):
        Rollouts("hunan", "x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"policy = <function.*; allowed"):
        Rollouts("hunan", lambda v, r, word: 0)


@pytest.mark.parametrize("wrong", [-1, 32, 1.0, "0", None, True])
def test_no_action_is_no_text(wrong: Any) -> None:
    with pytest.raises(IllegalActionError, match="is not legal for seat"):
        Game.deal("hunan", 5).action_text(wrong)


@pytest.mark.parametrize("wrong", [-1, 21, 300, 10**30, 2.5, None, True, "a"])
def test_given_tiles_are_kinds(wrong: Any) -> None:
    tiles = [*range(20)] * 4
    hands = [tiles[:20], tiles[20:40], tiles[40:60]]
    for bad_hands, upcard, wall in (
        ([[wrong, *tiles[1:20]], *hands[1:]], 0, tiles[61:]),
        (hands, wrong, tiles[61:]),
        (hands, 0, [*tiles[61:79], wrong]),
        (wrong, 0, tiles[61:]),
        ([wrong, *hands[1:]], 0, tiles[61:]),
        (hands, 0, wrong),
    ):
        with pytest.raises((TypeError, ValueError), match="allowed"):
            Game.from_tiles("hunan", 0, bad_hands, upcard, wall)


def test_bytes_and_views_are_what_they_should_be() -> None:
    for no_bytes in (None, 5, "text", [1], np.zeros(9, np.uint8)):
        with pytest.raises(TypeError, match=r"a saved hand of type .*; allowed: bytes"):
            Game.from_bytes(no_bytes)  # type: ignore[arg-type]
    for no_view in (None, 5, np.zeros(1, st.GAME), np.zeros(2, st.VIEW), np.zeros((), st.VIEW)):
        with pytest.raises(TypeError, match=r"view of type .*; allowed"):
            Game.from_view("hunan", no_view, 1)
