"""The distance to a complete hand against an exhaustive search, and by hand."""

from __future__ import annotations

import random
from functools import cache

import pytest

from paohuzi_env.core.distance import distance_of, progress_table
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_tiles

KINDS = range(20)


def units() -> list[tuple[int, ...]]:
    """Every door of three, as its tiles."""
    found = []
    for size in (0, 10):
        found += [(size + r, size + r + 1, size + r + 2) for r in range(8)] + [(size + 1, size + 6, size + 9)]
    for k in range(10):
        found += [(k, k, k + 10), (k, k + 10, k + 10), (k, k, k), (k + 10, k + 10, k + 10)]
    return found


PARTS = sorted({tuple(sorted(p)) for u in units() for p in (u, u[:2], u[1:], (u[0], u[2]))}, key=len, reverse=True)


@cache
def fits(counts: tuple[int, ...], doors: int, jiang: bool) -> int:
    """Most tiles of `counts` that fit into so many doors: try everything with the first tile, or leave it out."""
    first = next((k for k in KINDS if counts[k]), None)
    if first is None or (doors == 0 and not jiang):
        return 0
    best = fits(_without(counts, (first,)), doors, jiang)
    if jiang:
        best = max(best, 1 + fits(_without(counts, (first,)), doors, False))
        if counts[first] >= 2:
            best = max(best, 2 + fits(_without(counts, (first, first)), doors, False))
    if doors:
        best = max(best, 1 + fits(_without(counts, (first,)), doors - 1, jiang))
        for part in PARTS:
            if part[0] == first and all(counts[k] >= part.count(k) for k in part):
                best = max(best, len(part) + fits(_without(counts, part), doors - 1, jiang))
    return best


def _without(counts: tuple[int, ...], tiles: tuple[int, ...]) -> tuple[int, ...]:
    left = list(counts)
    for tile in tiles:
        left[tile] -= 1
    return tuple(left)


def slow(game: Game, seat: int) -> int:
    g = game.record
    counts = tuple(0 if n == 3 else int(n) for n in g["hand"][seat][:20])
    doors = max(game.rules.doors - int(g["melds_n"][seat]) - int(g["kans"][seat]), 0)
    jiang = bool(g["quads"][seat]) and doors > 0
    return 3 * (doors - jiang) + 2 * jiang - fits(counts, doors - jiang, jiang)


def fast(game: Game, seat: int) -> int:
    return int(distance_of(progress_table(), game._array, 0, game.rules.record, seat))


@pytest.mark.rule("7.1")
def test_it_is_what_an_exhaustive_search_finds() -> None:
    chance = random.Random(3)
    compared = 0
    for index in range(60):
        game = Game.deal("hunan", 5, index)
        while not game.over and compared < 400:
            game.step(chance.choice(game.legal_actions))
            seat = chance.randrange(3)
            if game.record["hand_n"][seat] <= 14 and chance.random() < 0.5:
                assert fast(game, seat) == slow(game, seat), (game, seat)
                compared += 1
        fits.cache_clear()
    assert compared == 400


@pytest.mark.rule("7.1", "3.2")
@pytest.mark.parametrize(
    ("hand", "distance"),
    [
        ("abcdefghijABCDEFGHIJ", 1),  # six runs, and the tens of both sizes: a jiao
        ("aaabbbcccdddeeefffgh", 1),  # six kan and two tiles of a run
        ("aaabbbcccdddeeefffgj", 1),  # 7 and 10 want the 2
        ("aaabbbcccdddeeefffgG", 1),  # small and large seven: a jiao
        ("aaabbbcccdddeeefffgI", 2),  # two tiles that share no door
    ],
)
def test_by_hand(hand: str, distance: int) -> None:
    tiles = parse_tiles(hand)
    rest = [k for k in range(20) for _ in range(4 - tiles.count(k))]
    chance = random.Random(1)
    while True:  # other hands without quads
        chance.shuffle(rest)
        others = rest[:20], rest[20:40]
        if all(o.count(k) < 3 for o in others for k in o):
            break
    game = Game.from_tiles({"tian_hu_kans": 0}, 1, [tiles, *others], rest[40], rest[41:])
    assert fast(game, 0) == distance
