"""The deck, a deal and what one seat has (chapters 1 and 2)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .rules import Rules
from .tiles import WILD, Meld, is_red, kinds_of


@dataclass
class Seat:
    """One seat's tiles and marks."""

    hand: list[int]
    melds: list[Meld] = field(default_factory=list)
    stale_peng: set[int] = field(default_factory=set)  # 5.8
    stale_chi: set[int] = field(default_factory=set)  # 5.8
    stale_hu: dict[int, int] = field(default_factory=dict)  # 5.9: kind -> table huxi at the pass
    dead: bool = False  # 6.3
    walked: bool = False  # 5.3, 走跑: may not hu any more
    intake: bool = False  # 10.3, ting_hu: took a tile that counts


def deck(rules: Rules) -> list[int]:
    """All tiles of the game, in index order (1.1, 1.3)."""
    return sorted(kinds_of(rules.ranks) * 4 + [WILD] * rules.wilds)


def exchange_last_tile(wall: Sequence[int]) -> list[int]:
    """10.4: a red last tile goes to the top, to be drawn next, while a black one remains."""
    wall = list(wall)
    while wall and is_red(wall[-1]) and not all(is_red(tile) for tile in wall):
        wall.insert(0, wall.pop())
    return wall


def random_deal(rules: Rules, chance: random.Random) -> dict[str, Any]:
    """A shuffled deal as the arguments of `Game` that follow the rules."""
    tiles = deck(rules)
    chance.shuffle(tiles)
    size = rules.hand_size
    hands = [tiles[seat * size : (seat + 1) * size] for seat in range(3)]
    upcard, wall = tiles[3 * size], tiles[3 * size + 1 :]
    return {
        "dealer": chance.randrange(rules.players),
        "hands": hands[: rules.players],
        "upcard": upcard,
        "wall": exchange_last_tile(wall) if rules.show_last_tile else wall,
        "aside": hands[2] if rules.players == 2 else [],
    }


def check_deal(
    rules: Rules,
    dealer: int,
    hands: Sequence[Sequence[int]],
    upcard: int,
    wall: Sequence[int],
    aside: Sequence[int],
) -> None:
    """ValueError where the tiles are no deal of this rule set."""
    sizes = [len(hand) for hand in hands]
    if sizes != [rules.hand_size] * rules.players or not 0 <= dealer < rules.players:
        raise ValueError(f"hands of {sizes} tiles, dealer {dealer}")
    if len(aside) != (rules.hand_size if rules.players == 2 else 0):
        raise ValueError(f"{len(aside)} tiles aside")
    tiles = [tile for hand in hands for tile in hand]
    if sorted([*tiles, upcard, *wall, *aside]) != deck(rules):
        raise ValueError("the deal is not the deck")
    if rules.show_last_tile and list(wall) != exchange_last_tile(wall):  # 10.4
        raise ValueError("the wall's last tile is red though a black one remains")
