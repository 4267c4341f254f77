"""What holds in every hand, whatever is dealt and chosen."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from deals import biased_deal, random_rules
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from lockstep import PRESETS, events_of
from reference.rules import make_rules

from paohuzi_env.core import actions as ac
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED
from paohuzi_env.core.tiles import NO_TILE, WILD
from paohuzi_env.core.turn import LIVE_HU
from paohuzi_env.errors import IllegalActionError
from paohuzi_env.game import Game, group_of
from paohuzi_env.rules import rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

examples = settings(max_examples=40 if COMPILED else 8, deadline=None, derandomize=True)

seeds = some.integers(0, 2**32 - 1)
choices = some.lists(some.integers(0, ac.NUM_ACTIONS), max_size=120)
rule_sets = some.sampled_from([*PRESETS, "random"])


def fields_of(name: str, seed: int) -> dict[str, Any]:
    """The preset, or a rule set with random fields."""
    return random_rules(random.Random(seed)) if name == "random" else {"preset": name}


def deal_of(fields: dict[str, Any], seed: int) -> dict[str, Any]:
    """A biased deal as the arguments of `Game.from_tiles` beside the rules."""
    deal: dict[str, Any] = biased_deal(make_rules(fields), random.Random(seed))
    return deal


def dealt(fields: dict[str, Any], seed: int) -> Game:
    """A hand just dealt."""
    return Game.from_tiles(rule_set(fields), **deal_of(fields, seed))


def stops(game: Game, wishes: list[int]) -> Iterator[Game]:
    """The game at the deal and after each choice; `wishes` says which legal action is taken, then the first."""
    yield game
    for number in range(10_000):
        if game.over:
            return
        legal = game.legal_actions
        game.step(legal[wishes[number] % len(legal)] if number < len(wishes) else legal[0])
        yield game
    pytest.fail("a hand that never ends")


def tiles_everywhere(game: Game) -> Counter[int]:
    """Every tile of the game, counted wherever it lies."""
    g, count = game.record, Counter[int]()
    for seat in range(game.rules.seats):
        count.update(game.hand(seat))
        count.update(int(tile) & 31 for tile in g["river"][seat][: g["river_n"][seat]])
        for m in range(g["melds_n"][seat]):
            kind, meld = int(g["meld_kind"][seat][m]), g["meld_type"][seat][m]
            if meld == st.CHI_MELD:
                count.update(group_of(kind, int(g["meld_shape"][seat][m])))
            else:
                count[kind] += 4 if meld in (st.PAO_MELD, st.TI) else 3
    count.update(int(t) for t in g["wall"][g["wall_next"] :] if t != NO_TILE)
    for kind in range(WILD + 1):
        count[kind] += int(g["hand_aside"][kind])
    if game.over:
        if g["winner"] >= 0 and g["win_source"] in (st.OWN_DRAW, st.OTHER_DRAW, st.FROM_DISCARD):
            count[int(g["win_kind"])] += not is_laid(game)
    elif g["stage"] >= LIVE_HU and g["live"] != NO_TILE and game.phase in ("hu", "pao", "peng", "chi"):
        count[int(g["live"])] += 1
    return +count


def is_laid(game: Game) -> bool:
    """Whether the tile that won lies in the winner's ti or wei, or is a wild one in its hand."""
    drawn = [event for event in events_of(game) if " pass " not in event][-2]
    return drawn.split()[1] in ("ti", "wei", "chouwei") or drawn.endswith("*")


def deck_of(game: Game) -> Counter[int]:
    """The rule set's deck."""
    ranks, wilds = game.rules.ranks, game.rules.wilds
    return +Counter({**{k: 4 for k in range(20) if k % 10 < ranks}, WILD: wilds})


@pytest.mark.rule("1.1", "3.3")
@examples
@given(rule_sets, seeds, choices)
def test_every_tile_is_in_exactly_one_place(name: str, seed: int, wishes: list[int]) -> None:
    for game in stops(dealt(fields_of(name, seed), seed), wishes):
        assert tiles_everywhere(game) == deck_of(game)


@pytest.mark.rule("6.1")
@examples
@given(some.sampled_from([p for p in PRESETS if p != "yongzhou"]), seeds, choices)
def test_the_number_of_tiles_of_a_seat_follows_from_its_quads(name: str, seed: int, wishes: list[int]) -> None:
    for game in stops(dealt({"preset": name}, seed), wishes):
        g, size = game.record, game.rules.hand_size
        for seat in range(game.rules.seats):
            quads, melds = int(g["quads"][seat]), int(g["melds_n"][seat])
            total = int(g["hand_n"][seat]) + 3 * melds + quads
            rest = {size} if quads == 0 else {size - 1 + quads} | ({size - 2 + quads} if quads > 1 else set())
            if g["dead"][seat]:
                rest = {size + 1} if quads == 0 else {size + quads, size + 1 + quads}
            if game.phase == "discard" and game.actor == seat:
                assert not g["dead"][seat]
                assert int(g["hand_n"][seat]) % 3 == (2 if quads else 0)
                assert total == (size + 1 if quads == 0 else size + quads)
            elif game.phase in ("peng", "chi", "pao"):
                assert total in rest, (seat, events_of(game))


@pytest.mark.rule("3.3", "10.5")
@examples
@given(rule_sets, seeds, choices)
def test_hands_only_shrink_but_for_drawn_wild_tiles(name: str, seed: int, wishes: list[int]) -> None:
    before: list[Counter[int]] = []
    for game in stops(dealt(fields_of(name, seed), seed), wishes):
        now = [Counter(game.hand(seat)) for seat in range(game.rules.seats)]
        for hand, old in zip(now, before, strict=False):
            assert not {kind for kind in hand if kind != WILD and hand[kind] > old[kind]}
            assert hand[WILD] >= old[WILD]
        before = now


@pytest.mark.rule("6.6", "4.5")
@examples
@given(rule_sets, seeds, choices)
def test_somebody_has_a_choice_until_the_hand_is_over(name: str, seed: int, wishes: list[int]) -> None:
    for game in stops(dealt(fields_of(name, seed), seed), wishes):
        legal, texts = game.legal_actions, game.legal_texts()
        assert (game.actor is None) == game.over == (not legal)
        assert len(set(texts)) == len(texts) == len(legal)
        assert all(game.action_text(game.action_of(text)) == text for text in texts)
        assert ("pass" in " ".join(texts)) == (game.phase in ("hu", "pao", "peng", "chi"))


@pytest.mark.rule("7.5")
@examples
@given(rule_sets, seeds, choices, some.randoms(use_true_random=False))
def test_the_order_of_tiles_in_a_hand_never_matters(
    name: str, seed: int, wishes: list[int], chance: random.Random
) -> None:
    fields = fields_of(name, seed)
    deal = deal_of(fields, seed)
    other = {**deal, "hands": [chance.sample(hand, len(hand)) for hand in deal["hands"]]}
    one, two = (Game.from_tiles(rule_set(fields), **tiles) for tiles in (deal, other))
    for a, b in zip(stops(one, wishes), stops(two, wishes), strict=True):
        assert a.to_bytes() == b.to_bytes()


@examples
@given(rule_sets, seeds, choices)
def test_copies_and_saved_bytes_are_the_game(name: str, seed: int, wishes: list[int]) -> None:
    fields = fields_of(name, seed)
    copies: list[Game] = []
    for number, game in enumerate(stops(dealt(fields, seed), wishes)):
        if number % 7:
            continue
        copies = [game.clone(), copy.deepcopy(game), Game.from_bytes(game.to_bytes(), game.rules)]
        copies.append(pickle.loads(pickle.dumps(game)))
        for twin in copies:
            assert twin == game
            assert hash(twin) == hash(game)
            assert twin.to_bytes() == game.to_bytes()
            assert twin.legal_texts() == game.legal_texts()
        if not game.over:
            first = game.legal_actions[0]
            before = game.to_bytes()
            for twin in copies:
                twin.step(first)
            assert game.to_bytes() == before
            assert len({twin.to_bytes() for twin in copies}) == 1
            assert copies[0] != game


@examples
@given(rule_sets, seeds, choices, some.integers(-3, 40))
def test_an_illegal_action_raises_and_changes_nothing(name: str, seed: int, wishes: list[int], action: int) -> None:
    for number, game in enumerate(stops(dealt(fields_of(name, seed), seed), wishes)):
        if game.over or number % 5:
            continue
        for wrong in {action, *range(ac.NUM_ACTIONS)} - set(game.legal_actions):
            before = game.to_bytes()
            with pytest.raises(IllegalActionError):
                game.step(wrong)
            assert game.to_bytes() == before


@pytest.mark.rule("7.6", "6.6")
@examples
@given(some.sampled_from(PRESETS), seeds, some.randoms(use_true_random=False))
def test_declining_hu_keeps_every_forced_move(name: str, seed: int, chance: random.Random) -> None:
    """Who always declines plays the same hand as where nobody can win."""
    fields = {"preset": name, "min_huxi": 0, "min_huxi_plain": None, "tian_hu_quads": 0, "tian_hu_kans": 0}
    game = dealt(fields, seed)
    other = dealt({**fields, "min_huxi": 1000}, seed)
    while not other.over:
        while game.phase == "hu":
            game.step(ac.PASS)
        assert (game.actor, game.legal_texts()) == (other.actor, other.legal_texts())
        action = chance.choice(other.legal_actions)
        game.step(action)
        other.step(action)
    while game.phase == "hu":
        game.step(ac.PASS)
    assert game.over
    assert [event for event in events_of(game) if "pass hu" not in event] == events_of(other)


@pytest.mark.rule("8.7", "10.4", "10.5")
@examples
@given(rule_sets, seeds, choices)
def test_payments_sum_to_zero(name: str, seed: int, wishes: list[int]) -> None:
    for game in stops(dealt(fields_of(name, seed), seed), wishes):
        assert sum(game.scores) == 0
        assert game.over or not any(game.scores)
    if game.record["winner"] >= 0:
        assert game.scores[game.record["winner"]] > 0


@pytest.mark.rule("2.1")
@examples
@given(rule_sets, some.integers(0, 2**80), some.integers(0, 1000), choices)
def test_the_same_seed_and_choices_are_the_same_hand(name: str, seed: int, index: int, wishes: list[int]) -> None:
    rules = rule_set(fields_of(name, seed))
    one, two = (Game.deal(rules, seed, index) for _ in range(2))
    for a, b in zip(stops(one, wishes), stops(two, wishes), strict=True):
        assert a.to_bytes() == b.to_bytes()
    assert tiles_everywhere(one) == deck_of(one)


@pytest.mark.rule("9.3")
@examples
@given(some.sampled_from(PRESETS), seeds)
def test_a_hand_in_which_nobody_wins_uses_up_the_wall(name: str, seed: int) -> None:
    game = dealt({"preset": name, "tian_hu_quads": 0, "tian_hu_kans": 0}, seed)
    while not game.over:
        passes = [a for a in game.legal_actions if a == ac.PASS]
        game.step((passes or game.legal_actions)[0])
    assume(game.record["winner"] < 0)
    assert game.record["wall_next"] == game.record["wall_end"]
