"""Every division of a hand into doors (7.1, 7.3, 7.4, 10.5), by brute force.

The smallest real tile that is still free must belong to some unit, so every unit that holds it is
tried; each further tile of the unit is a real one or a wild one (王).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from .rules import Rules
from .tiles import QUADS, WILD, Meld, is_ju, is_large, is_red, kinds_of, letters, rank_of, units


@dataclass(frozen=True)
class Door:
    """One unit of a winning hand.

    `kinds` says what each tile stands for, `tiles` what it is (20 for a wild one).
    """

    name: str
    kinds: tuple[int, ...]
    tiles: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}:{letters(self.tiles)}"


def plain_door(name: str, kinds: tuple[int, ...]) -> Door:
    """A door without wild tiles."""
    return Door(name, kinds, kinds)


def huxi_of(rules: Rules, door: Door | Meld) -> int:
    """The huxi of a door or of a table meld (3.1; `luzhou`: 10.4)."""
    kinds = door.kinds if isinstance(door, Door) else door.tiles
    name = "wei" if door.name == "chouwei" else door.name
    if name in ("chi", "ju", "jiao"):
        if not is_ju(kinds):
            return 0
        ranks = [rank_of(kind) for kind in sorted(kinds)]
        name = "other"
        if ranks == [1, 2, 3]:
            name = "ju_123"
        elif ranks == [2, 7, 10]:
            name = "ju_2710"
    size = "large" if is_large(kinds[0]) else "small"
    colour = "red" if is_red(kinds[0]) and not name.startswith("ju") else "black"
    return rules.huxi.get(name, {}).get(f"{size}_{colour}", 0)


@cache
def _units(ranks: int) -> tuple[tuple[int, ...], ...]:
    return tuple(units(ranks))


def _taking(door: Door) -> Iterator[Door]:
    """The door as it is, and as the ti that one wild tile makes of it (10.5)."""
    yield door
    if door.name in ("kan", "wei", "chouwei"):
        kind = door.kinds[0]
        yield Door("ti", (kind,) * 4, (*door.tiles, WILD))


def _unit_doors(first: int, free: list[int], wilds: int, rules: Rules) -> Iterator[Door]:
    """Every unit with the real tile `first` that the other free tiles and the wilds allow."""
    shapes: list[tuple[str, tuple[int, ...]]] = [("jiang", (first, first))]
    for unit in _units(rules.ranks):
        if first in unit:
            shapes.append(("ju" if is_ju(unit) else "jiao", unit))
    if wilds:
        shapes.append(("wei", (first,) * 3))
        shapes.append(("ti", (first,) * 4))
    for name, shape in shapes:
        others = list(shape)
        others.remove(first)
        fillings = set()
        for filling in itertools.product(*[(kind, WILD) for kind in others]):
            fillings.add(tuple(sorted(filling)))
        for filling in sorted(fillings):
            used = filling.count(WILD)
            if used > wilds:
                continue
            if name == "wei" and used == 0:  # three alike are a kan (3.2) or a peng (7.3)
                continue
            if name == "ti" and used != 2:  # pair + 王王; kan + 王 is `_taking`
                continue
            if all(filling.count(kind) <= free.count(kind) for kind in filling if kind != WILD):
                yield Door(name, shape, (first, *filling))


def _split(free: list[int], wilds: int, jiang: bool, rules: Rules) -> Iterator[list[Door]]:
    """Every way to lay all free tiles in units; at most one jiang, and none unless `jiang`."""
    if not free:
        if wilds == 0:
            yield []
        elif wilds == 2 and jiang:  # the one unit without a real tile
            for kind in kinds_of(rules.ranks):
                yield [Door("jiang", (kind, kind), (WILD, WILD))]
        return
    first = min(free)
    rest = list(free)
    rest.remove(first)
    for door in _unit_doors(first, rest, wilds, rules):
        if door.name == "jiang" and not jiang:
            continue
        left = list(rest)
        for tile in door.tiles[1:]:
            if tile != WILD:
                left.remove(tile)
        still_jiang = jiang and door.name != "jiang"
        left_wilds = wilds - door.tiles.count(WILD)
        for others in _split(left, left_wilds, still_jiang, rules):
            yield [door, *others]


def divisions(
    rules: Rules, melds: list[Meld], fixed: list[Door], free: list[int]
) -> Iterator[list[Door]]:
    """Every division into exactly `doors` doors with a jiang if and only if there is a quad (7.1).

    `melds` lie on the table, `fixed` holds what is settled already (kan, and the unit that the
    winning tile completed), `free` all other tiles, wild ones included.
    """
    real = [tile for tile in free if tile != WILD]
    wilds = len(free) - len(real)
    settled = [plain_door(meld.name, meld.tiles) for meld in melds] + fixed
    choices = [list(_taking(door)) if wilds else [door] for door in settled]
    for chosen in itertools.product(*choices):
        used = sum(door.tiles.count(WILD) for door in chosen)
        if used > wilds:
            continue
        for split in _split(real, wilds - used, True, rules):
            doors = [*chosen, *split]
            quads = [door for door in doors if door.name in QUADS]
            pairs = [door for door in doors if door.name == "jiang"]
            if len(doors) == rules.doors and len(pairs) == (1 if quads else 0):
                yield doors


def without_kans(hand: list[int]) -> tuple[list[Door], list[int]]:
    """The kans of a hand, each a whole door (3.2), and the other tiles."""
    kans = [kind for kind in sorted(set(hand)) if kind != WILD and hand.count(kind) == 3]
    rest = [tile for tile in hand if tile not in kans]
    return [plain_door("kan", (kind,) * 3) for kind in kans], rest


def roles(
    rules: Rules, hand: list[int], melds: list[Meld], tile: int, source: str
) -> Iterator[tuple[list[Meld], list[Door], list[int]]]:
    """Every role of a shown winning tile (7.3), as (melds, fixed doors, free tiles)."""
    kans, rest = without_kans(hand)
    # (iii) it joins a ju, a jiao or a jiang; any kan of its kind stays whole
    yield melds, kans, [*rest, tile]
    if tile == WILD:
        return
    # (i) pao with a kan in hand
    if hand.count(tile) == 3:
        others = [kan for kan in kans if kan.kinds[0] != tile]
        yield melds, [*others, plain_door("pao", (tile,) * 4)], rest
    # (i) pao with a meld on the table; a peng never grows by a discard (5.3)
    for meld in melds:
        grows = meld.name in ("wei", "chouwei") or (meld.name == "peng" and source != "discard")
        if grows and meld.tiles[0] == tile:
            table = [other for other in melds if other is not meld]
            yield table, [*kans, plain_door("pao", (tile,) * 4)], rest
    # (ii) peng with exactly two in hand, not on one's own draw, unless own draws are shown (10.4)
    if hand.count(tile) == 2 and (source != "own_draw" or not rules.own_draw_melds):
        left = [other for other in rest if other != tile]
        yield melds, [*kans, plain_door("peng", (tile,) * 3)], left
