"""Kinds, notation, melds and the three-tile units (chapters 1, 3 and the record format).

kind -- 0..9 small 1..10, 10..19 large 1..10, 20 the wild tile (王)
ju   -- three in a row or 2-7-10, of one size
jiao -- two of one size and one of the other, all of one rank
kan  -- three alike in the hand (not mahjong's kan)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LETTERS = "abcdefghijABCDEFGHIJ*"
WILD = 20
RED_RANKS = (2, 7, 10)

CHINESE = {
    **dict(zip("一二三四五六七八九十", range(10), strict=True)),
    **dict(zip("壹贰叁肆伍陆柒捌玖拾", range(10, 20), strict=True)),
    **{"两": 1, "兩": 1, "壱": 10, "貳": 11, "弍": 11, "貮": 11, "參": 12, "叄": 12, "参": 12},
    **{"陸": 15, "王": 20},
}

MELD_NAMES = ("peng", "wei", "chouwei", "pao", "ti", "chi")
QUADS = ("pao", "ti")


def rank_of(kind: int) -> int:
    """The rank 1..10 of a kind other than the wild one."""
    return kind % 10 + 1


def is_large(kind: int) -> bool:
    """Whether the kind is large (1.1)."""
    return kind >= 10


def is_red(kind: int) -> bool:
    """Whether the kind is red (1.2)."""
    return rank_of(kind) in RED_RANKS


def letters(tiles: Iterable[int]) -> str:
    """Tiles written in index order."""
    return "".join(LETTERS[tile] for tile in sorted(tiles))


def read_tiles(text: str) -> list[int]:
    """Tiles from letters and Chinese characters, in the order written; ValueError otherwise."""
    tiles = []
    for sign in text:
        if sign.isspace():
            continue
        if sign in LETTERS:
            tiles.append(LETTERS.index(sign))
        elif sign in CHINESE:
            tiles.append(CHINESE[sign])
        else:
            raise ValueError(f"unknown tile {sign!r}")
    return tiles


def is_ju(tiles: Iterable[int]) -> bool:
    """Three in a row or 2-7-10, of one size (3.1)."""
    tiles = sorted(tiles)
    if len(tiles) != 3 or WILD in tiles or len({is_large(tile) for tile in tiles}) != 1:
        return False
    ranks = [rank_of(tile) for tile in tiles]
    return ranks == [2, 7, 10] or ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2]


def is_jiao(tiles: Iterable[int]) -> bool:
    """Two small and one large of a rank, or the reverse (3.1)."""
    tiles = sorted(tiles)
    if len(tiles) != 3 or WILD in tiles:
        return False
    return len({rank_of(tile) for tile in tiles}) == 1 and len(set(tiles)) == 2


def units(ranks: int) -> list[tuple[int, int, int]]:
    """Every ju and jiao of a game with the ranks 1..`ranks`, each in index order."""
    kinds = kinds_of(ranks)
    triples = [(a, b, c) for a in kinds for b in kinds for c in kinds if a <= b <= c]
    return [triple for triple in triples if is_ju(triple) or is_jiao(triple)]


def kinds_of(ranks: int) -> list[int]:
    """The kinds, other than the wild one, of a game with the ranks 1..`ranks`."""
    return [kind for kind in range(20) if rank_of(kind) <= ranks]


@dataclass(frozen=True)
class Meld:
    """One meld on the table, named as it was laid."""

    name: str
    tiles: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name}:{letters(self.tiles)}"


def read_meld(text: str) -> Meld:
    """A meld from `kind:tiles`; ValueError when it is none."""
    name, colon, tiles_text = text.partition(":")
    if not colon or name not in MELD_NAMES:
        raise ValueError(f"{text!r} is no meld; allowed kinds: {MELD_NAMES}")
    tiles = sorted(read_tiles(tiles_text))
    if name == "chi":
        good = is_ju(tiles) or is_jiao(tiles)
    else:
        size = 4 if name in QUADS else 3
        good = len(tiles) == size and len(set(tiles)) == 1 and WILD not in tiles
    if not good:
        raise ValueError(f"{text!r} is no meld")
    return Meld(name, tuple(tiles))
