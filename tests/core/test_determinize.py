"""Determinized hands: the same view to the byte, every tile somewhere, no forced move contradicted, evenly drawn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from deals import biased_deal
from numpy.typing import NDArray
from reference.rules import make_rules

from paohuzi_env.core import determinize as core
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED
from paohuzi_env.core.hidden import HIDDEN
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

RULES: list[Any] = [
    "hunan", "changde", "luzhou", "yongzhou", "bopi", "mini", {"preset": "hunan", "forced_pao": False},
    {"preset": "hunan", "players": 2}, {"preset": "luzhou", "players": 2},
]  # fmt: skip


def tiles_of(game: Game) -> list[int]:
    """How many tiles of each kind lie anywhere in the hand."""
    g = game.record
    counts = np.zeros(21, int)
    for s in range(3):
        counts += g["hand"][s]
        for i in range(int(g["river_n"][s])):
            counts[int(g["river"][s][i]) & 31] += 1
        for m in range(int(g["melds_n"][s])):
            kind, form = int(g["meld_kind"][s][m]), int(g["meld_type"][s][m])
            if form == 6:
                from paohuzi_env.game import group_of

                for tile in group_of(kind, int(g["meld_shape"][s][m])):
                    counts[tile] += 1
            else:
                counts[kind] += 4 if form in (4, 5) else 3
    counts += g["hand_aside"]
    for i in range(int(g["wall_next"]), game.rules.wall_size):
        counts[int(g["wall"][i])] += 1
    # A live tile lies nowhere else yet, unless it went into the drawer's hand or meld at once.
    if int(g["live"]) >= 0 and int(g["source"]) in (1, 4):
        counts[int(g["live"])] += 1
    return counts.tolist()


def deck_of(game: Game) -> list[int]:
    rules = game.rules
    return [4 if k % 10 < rules.ranks else 0 for k in range(20)] + [rules.wilds]


def dealt(rules: Any, chance: random.Random) -> Game:
    twin = make_rules(rules)
    deal = biased_deal(twin, chance)
    return Game.from_tiles(rules, deal["dealer"], deal["hands"], deal["upcard"], deal["wall"], aside=deal["aside"])


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.boundscheck
def test_a_sample_gives_the_same_view_keeps_every_tile_and_plays_on(rules: Any) -> None:
    chance = random.Random(str(rules))
    sampled = moved = 0
    for _ in range(30 if rules == "mini" else 12):
        game = dealt(rules, chance)
        while not game.over:
            seat = game.actor
            assert seat is not None
            seen = game.view(seat, history=32)
            sample = Game.from_view(rules, seen, chance.randrange(2**32))
            assert sample.view(seat, history=32).tobytes() == seen.tobytes()
            assert tiles_of(sample) == deck_of(game) == tiles_of(game)
            assert sample.legal_texts() == game.legal_texts()
            sampled += 1
            moved += sample.record["hand"].tobytes() != game.record["hand"].tobytes()
            if chance.random() < 0.2:
                while not sample.over:
                    sample.step(chance.choice(sample.legal_actions))
                assert sum(sample.scores) == 0
            game.step(chance.choice(game.legal_actions))
    assert sampled > 60
    assert moved > sampled // 4


def test_a_seed_gives_the_same_sample_and_another_one_another() -> None:
    game = Game.deal("hunan", 3)
    seat = game.actor
    assert seat is not None
    assert game.determinize(seat, 5) == game.determinize(seat, 5)
    assert len({game.determinize(seat, seed).record["wall"].tobytes() for seed in range(50)}) == 50


def test_only_the_seat_that_is_asked_can_be_determinized() -> None:
    game = Game.deal("hunan", 3)
    assert game.actor is not None
    before = game.to_bytes()
    with pytest.raises(ValueError, match="no decision"):
        game.determinize((game.actor + 1) % 3, 1)
    assert game.to_bytes() == before


# --- batches, refusals, marks -----------------------------------------------------------------------------------------


def positions(rules: Any, name: str) -> Iterator[tuple[Game, int]]:
    """Decisions of biased hands, without end: the game and who is asked."""
    chance = random.Random(name)
    while True:
        game = dealt(rules, chance)
        while game.actor is not None:
            yield game, game.actor
            game.step(chance.choice(game.legal_actions))


def mixed_views(count: int) -> Any:
    views = st.allocate(count, st.VIEW)
    for i, (game, seat) in zip(range(count), positions("hunan", "batch"), strict=False):
        views[i] = game.view(seat, history=8)[0]
    return views


@pytest.mark.interpreted
@pytest.mark.boundscheck
def test_a_batch_draws_what_single_calls_draw_in_any_slices() -> None:
    rules, count = rule_set("hunan"), 12
    views, of = mixed_views(3), np.array([0, 0, 0, 1, 2, 2, 1, 1, 0, 2, 2, 2])
    words = np.arange(100, 100 + count, dtype=np.uint64)
    codes: NDArray[np.int64] = np.full(count, -1)
    whole, sliced, single = (st.allocate(count, st.GAME) for _ in range(3))
    works = core.workspace(2)
    assert core.determinize_many(views, of, 0, count, rules.record, works, 1, whole, words, codes) == count
    assert not codes.any()
    for lo, hi in ((7, 12), (0, 7)):
        core.determinize_many(views, of, lo, hi, rules.record, works, 0, sliced, words, codes)
    for i in range(count):
        assert core.determinize_one(views, int(of[i]), rules.record, works, single, i, words[i]) == core.DRAWN_UP
    assert whole.tobytes() == sliced.tobytes() == single.tobytes()
    assert len({whole[i].tobytes() for i in range(count)}) == count


@pytest.mark.interpreted
def test_what_cannot_be_drawn_is_refused_and_the_game_stays() -> None:
    rules, works, games = rule_set("hunan"), core.workspace(), st.allocate(1, st.GAME)
    game = Game.deal(rules, 8)
    assert game.actor is not None
    before = games.tobytes()
    word = np.uint64(1)
    waiting = game.view((game.actor + 1) % 3)
    assert core.determinize_one(waiting, 0, rules.record, works, games, 0, word) == core.NOT_ASKED
    wrong = game.view(game.actor)
    wrong["wall_left"] += 1
    assert core.determinize_one(wrong, 0, rules.record, works, games, 0, word) == core.IMPOSSIBLE
    tight = game.view(game.actor)
    tight["cap"] = 0
    assert core.determinize_one(tight, 0, rules.record, works, games, 0, word) == core.IMPOSSIBLE
    assert games.tobytes() == before
    with pytest.raises(ValueError, match="no hand gives it"):
        Game.from_view(rules, tight, 1)


@pytest.mark.interpreted
def test_own_marks_stay_and_others_have_their_discards_only() -> None:
    for _, (game, seat) in zip(range(150 if COMPILED else 30), positions("hunan", "marks"), strict=False):
        true, sample = game.record, game.determinize(seat, 1).record
        for mark in ("stale_peng", "stale_chi", "stale_hu", "barred", "hand", "dealt", "rows", "kan_huxi", "huxi"):
            assert np.array_equal(sample[mark][seat], true[mark][seat]), mark
        for p in {0, 1, 2} - {seat}:
            assert sample["stale_peng"][p] == sample["stale_chi"][p] == true["discarded"][p]
            assert (sample["stale_hu"][p] == -1).all()
            assert not sample["barred"][p]
        assert sample["log_n"] == 0


def test_copies_are_equal_and_apart() -> None:
    sources, copies = st.allocate(2, st.GAME), st.allocate(5, st.GAME)
    for i in range(2):
        sources[i] = Game.deal("hunan", i).record
    of = np.array([1, 0, 1, 1, 0])
    core.clone_many(sources, of, 1, 4, copies)
    assert all(copies[i : i + 1].tobytes() == sources[of[i] : of[i] + 1].tobytes() for i in (1, 2, 3))
    assert copies[:1].tobytes() == copies[4:].tobytes() == bytes(st.GAME.itemsize)
    copies[1]["hand"][0] = 9
    assert not (sources["hand"] == 9).any()


def test_the_scratch_record_is_small_enough_to_have_one_a_thread() -> None:
    assert HIDDEN.itemsize < 6_000_000
