"""Determinized hands: the same view to the byte, every tile somewhere, no forced move contradicted, evenly drawn."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from deals import biased_deal
from reference.rules import make_rules

from paohuzi_env.core.state import WEI
from paohuzi_env.game import Game
from paohuzi_env.record import events_of

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


def replays_to(game: Game, seat: int, dealt_hand: list[int]) -> bool:
    """Whether the other seat of a small game, dealt this hand, could have been led by the same play to `game`.

    Its forced moves must come out as they did; where it passed, it may have been asked or not.
    """
    g = game.record
    other = 1 - seat
    dealer, upcard = int(g["dealer"]), int(g["upcard"])
    hands = [[k for k in range(20) for _ in range(int(g["dealt"][s][k]))] for s in range(2)]
    hands[other] = [k for k in range(20) for _ in range(dealt_hand[k])]
    if upcard not in hands[dealer]:
        return False
    hands[dealer].remove(upcard)
    drawn = [int(t) for t in g["wall"][: int(g["wall_next"])]]
    pool = [k for k in range(20) if k % 10 < 3 for _ in range(4)]
    for tile in [*hands[0], *hands[1], upcard, *drawn]:
        if tile not in pool:
            return False
        pool.remove(tile)
    twin = Game.from_tiles("mini", dealer, hands, upcard, drawn + pool[5:], aside=pool[:5])
    events = [e for e in events_of(game) if " pass " not in e]
    while True:
        done = [e for e in events_of(twin) if " pass " not in e]
        if done != events[: len(done)] or twin.over:
            return False
        if len(done) == len(events) and twin.actor == seat:
            return twin.legal_texts() == game.legal_texts()
        texts = twin.legal_texts()
        wanted = events[len(done)].split(" ", 1) if len(done) < len(events) else ["", ""]
        if wanted[0] == str(twin.actor) and wanted[1] in texts:
            twin.step(twin.action_of(wanted[1]))
        elif texts[-1].startswith("pass") or texts[0].startswith("pass"):
            twin.step(29)
        else:
            return False


def test_the_small_game_is_sampled_evenly_over_all_hands_that_play_allows() -> None:
    """Every hand of the other seat that replays to the position, weighed by the tiles that could make it up."""
    chance = random.Random(2)
    ruled_out = compared = 0
    for index in range(60):
        game = Game.deal("mini", 23, index)
        for _ in range(chance.randrange(7)):
            if not game.over:
                game.step(chance.choice(game.legal_actions))
        g, seat = game.record, game.actor
        if game.over or seat is None or (g["meld_type"] == WEI).any() or g["dead"].any():
            continue
        other = 1 - seat
        kinds = [k for k in range(20) if k % 10 < 3]
        unseen = Counter(dict.fromkeys(kinds, 0))
        unseen.update(k for k in kinds for _ in range(int(g["hand"][other][k]) + int(g["hand_aside"][k])))
        unseen.update(int(t) for t in g["wall"][int(g["wall_next"]) : game.rules.wall_size])
        spent = [int(g["dealt"][other][k]) - int(g["hand"][other][k]) for k in range(20)]
        weights: dict[tuple[int, ...], float] = {}
        size = int(g["hand_n"][other])
        fixed = int(g["upcard"]) if g["upcard_held"] and int(g["dealer"]) == other else -1
        for held in itertools.product(*(range(min(unseen[k], 4) + 1) for k in kinds)):
            if sum(held) != size:
                continue
            hand = [0] * 20
            for k, n in zip(kinds, held, strict=True):
                hand[k] = n
            ways = math.prod(
                math.comb(unseen[k] - (k == fixed), hand[k] - (k == fixed)) if hand[k] >= (k == fixed) else 0
                for k in kinds
            )
            if ways and replays_to(game, seat, [a + b for a, b in zip(hand, spent, strict=True)]):
                weights[tuple(hand)] = ways
            elif ways:
                ruled_out += 1
        assert weights
        total = sum(weights.values())
        count = 3000
        got = Counter(tuple(game.determinize(seat, n).record["hand"][other][:20].tolist()) for n in range(count))
        assert set(got) <= set(weights), (index, game)
        statistic = sum((got[h] - count * w / total) ** 2 / (count * w / total) for h, w in weights.items())
        freedom = len(weights) - 1
        assert statistic < freedom + 6 * math.sqrt(2 * freedom) + 12, (index, statistic, freedom)
        compared += 1
        if compared == 5:
            break
    assert compared == 5
    assert ruled_out > 20
