"""Determinized hands: the same view to the byte, every tile somewhere, no forced move contradicted, evenly drawn."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from deals import biased_deal
from reference.rules import make_rules

from paohuzi_env.core.state import WEI
from paohuzi_env.game import Game

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


def plain_sampler(game: Game, seat: int, chance: random.Random) -> list[list[int]]:
    """The other hands of a position without hidden wei: shuffle all unseen tiles until the caps hold."""
    g = game.record
    others = [s for s in range(3) if s != seat]
    held = int(g["dealer"]) if g["upcard_held"] and int(g["dealer"]) != seat else -1
    pool = [k for s in others for k in range(20) for _ in range(int(g["hand"][s][k]))]
    pool += [int(g["wall"][i]) for i in range(int(g["wall_next"]), game.rules.wall_size)]
    if held >= 0:
        pool.remove(int(g["upcard"]))
    while True:
        chance.shuffle(pool)
        hands, at = [], 0
        for s in others:
            size = int(g["hand_n"][s]) - (s == held)
            hand = pool[at : at + size] + ([int(g["upcard"])] if s == held else [])
            hands.append([hand.count(k) for k in range(20)])
            at += size
        capped = all(n <= int(g["cap"][s][k]) for s, h in zip(others, hands, strict=True) for k, n in enumerate(h))
        if capped and all(sum(n >= 3 for n in h) < 5 for h in hands):
            return hands


def test_tiles_fall_as_often_as_in_plain_shuffling_that_keeps_to_what_is_known() -> None:
    chance = random.Random(7)
    compared = 0
    for index in range(40):
        game = Game.deal("hunan", 17, index)
        for _ in range(12):
            if not game.over:
                game.step(chance.choice(game.legal_actions))
        if game.over or (game.record["meld_type"] == WEI).any() or game.record["dead"].any():
            continue
        seat = game.actor
        assert seat is not None
        others = [s for s in range(3) if s != seat]
        count = 600
        slow = np.array([plain_sampler(game, seat, chance) for _ in range(count)])
        fast = np.array([game.determinize(seat, n).record["hand"][others][:, :20] for n in range(count)])
        for share in (lambda a: a, lambda a: a >= 2, lambda a: a >= 3):
            p, q = share(slow).mean(axis=0), share(fast).mean(axis=0)
            spread = np.sqrt((share(slow).var(axis=0) + share(fast).var(axis=0)) / count) + 1e-3
            assert (abs(p - q) / spread).max() < 5.5
        compared += 1
        if compared == 4:
            break
    assert compared == 4
