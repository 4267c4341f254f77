"""Random position queries that are often wins: doors are put together, and one is taken apart again."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from reference.rules import Rules, make_rules
from reference.tiles import WILD, kinds_of, letters, units

TABLE = {"peng": 3, "wei": 3, "chouwei": 3, "pao": 4, "ti": 4, "chi": 0}
CLOSED = {"kan": 3, "ju": 0, "jiang": 2}
SOURCES = ("own_draw", "own_draw", "other_draw", "other_draw", "upcard_dealer", "upcard_other", "discard")
FLAGS = ("last_tile", "no_intake", "first_discard")


def random_query(spec: str | Mapping[str, Any], chance: random.Random) -> dict[str, Any]:
    """A query under a rule set; nearly always a possible position, about half of them wins or one tile off."""
    rules = make_rules(spec)
    while True:
        found = _position(rules, chance)
        if found is not None:
            hand, melds, tile = found
            break
    _make_wild(hand, rules, chance)
    if rules.wilds and hand.count(WILD) < rules.wilds and chance.random() < 0.2:
        tile = WILD
    if chance.random() < 0.15 and hand:  # now and then a tile that does not fit
        hand[chance.randrange(len(hand))] = chance.choice(kinds_of(rules.ranks))
    chance.shuffle(hand)
    query = {
        "rules": spec,
        "hand": "".join(letters([kind]) for kind in hand),
        "melds": melds,
        "tile": letters([tile]),
        "source": chance.choice(SOURCES),
    }
    query.update({flag: True for flag in FLAGS if chance.random() < 0.15})
    if chance.random() < 0.2:
        query["drawn_before"] = chance.randint(0, 4)
    return query


def _position(rules: Rules, chance: random.Random) -> tuple[list[int], list[str], int] | None:
    """Hand, melds and winning tile of a division into doors, or None where the dice made none."""
    pool = Counter(dict.fromkeys(kinds_of(rules.ranks), 4))
    laid = chance.randint(0, rules.doors - 1)
    few = chance.random() < 0.5  # few kinds of a meld, so that quads are not in nearly every hand
    names = [chance.choice(("peng", "wei", "chi") if few else tuple(TABLE)) for _ in range(laid)]
    last = chance.choice(("ju", "ju", "ju", "pair", "kan to pao", "meld to pao"))
    quads = sum(name in ("pao", "ti") for name in names) + ("pao" in last)
    closed = [chance.choice(("kan", "ju", "ju")) for _ in range(rules.doors - laid - 1)]
    if quads:
        if not closed:
            return None
        closed[-1] = "jiang"
    melds, hand = [], []
    for name in names:
        tiles = _take(pool, TABLE[name], chance)
        if tiles is None:
            return None
        melds.append(f"{name}:{letters(tiles)}")
    for name in closed:
        tiles = _take(pool, CLOSED[name], chance)
        if tiles is None:
            return None
        hand += tiles
    tiles = _take(pool, {"ju": 0, "pair": 3}.get(last, 4), chance)
    if tiles is None:
        return None
    tile = tiles.pop(chance.randrange(len(tiles)))
    if last == "meld to pao":
        melds.append(f"{chance.choice(('peng', 'wei', 'chouwei'))}:{letters(tiles)}")
    else:
        hand += tiles
    if any(hand.count(kind) > 3 for kind in hand):
        return None
    return hand, melds, tile


def _take(pool: Counter[int], alike: int, chance: random.Random) -> list[int] | None:
    """So many alike, or with 0 a ju or jiao, from the pool; None where there are none left."""
    for _ in range(20):
        tiles = [chance.choice(list(pool))] * alike if alike else list(chance.choice(_groups(pool)))
        if Counter(tiles) <= pool:
            pool.subtract(tiles)
            return tiles
    return None


def _groups(pool: Counter[int]) -> list[tuple[int, int, int]]:
    return units(max(kind % 10 for kind in pool) + 1)


def _make_wild(hand: list[int], rules: Rules, chance: random.Random) -> None:
    """Turn up to as many hand tiles as the deck has wild ones into wild ones."""
    for _ in range(chance.randint(0, rules.wilds)):
        if hand:
            hand[chance.randrange(len(hand))] = WILD
