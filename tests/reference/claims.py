"""What a hand may discard, and which chi and bi it may lay (chapters 4 and 6): pure functions.

Hands are lists of tiles, the wild ones (王) included; `melds` are the seat's own, on the table.
"""

from __future__ import annotations

from .tiles import QUADS, WILD, Meld, is_jiao, is_ju

Group = tuple[int, ...]


def owes_discard(hand: list[int], melds: list[Meld]) -> bool:
    """6.1, by the size of the concealed hand (王 count)."""
    quads = any(meld.name in QUADS for meld in melds)
    return len(hand) % 3 == (2 if quads else 0)


def discards(hand: list[int]) -> list[int]:
    """6.2: the kinds that the hand holds one or two of; never 王."""
    return [kind for kind in sorted(set(hand) - {WILD}) if hand.count(kind) in (1, 2)]


def may_end_with(hand: list[int], melds: list[Meld]) -> bool:
    """4.5: no discard is owed after the claim, or one is possible."""
    return not owes_discard(hand, melds) or bool(discards(hand))


def chi_groups(hand: list[int], melds: list[Meld], tile: int) -> list[Group]:
    """The chi groups of a live tile from which the whole can be completed (4.1 to 4.5)."""
    if hand.count(tile) >= 3:  # 4.3
        return []
    return _groups_with(hand, melds, tile)


def bi_groups(hand: list[int], melds: list[Meld], tile: int) -> list[Group]:
    """The bi groups, all of hand tiles, from which the whole can be completed (4.2)."""
    left = list(hand)
    left.remove(tile)
    return _groups_with(left, melds, tile)


def _groups_with(hand: list[int], melds: list[Meld], tile: int) -> list[Group]:
    """The groups of `tile` and two hand tiles after which the rest can be completed."""
    found = []
    for first in range(len(hand)):
        for second in range(first + 1, len(hand)):
            pair = [hand[first], hand[second]]
            if any(hand.count(each) >= 3 for each in pair):  # 4.3: a kan is never split
                continue
            group = tuple(sorted([tile, *pair]))
            if not is_ju(group) and not is_jiao(group):
                continue
            left = [each for index, each in enumerate(hand) if index not in (first, second)]
            if _completable(left, [*melds, Meld("chi", group)], tile):
                found.append(group)
    return found


def _completable(hand: list[int], melds: list[Meld], tile: int) -> bool:
    """Every copy of the eaten kind can be laid, and then a discard if one is owed (4.4)."""
    if tile not in hand:
        return may_end_with(hand, melds)
    return bool(bi_groups(hand, melds, tile))
