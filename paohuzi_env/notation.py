"""Text to tiles, melds and choices, and back.

The words of the notation
-------------------------
kind
    The face of a tile as an index: ``a``..``j`` = 0..9 (small 1..10), ``A``..``J`` =
    10..19 (large 1..10), ``*`` = 20 (the wild tile 王).
ju, jiao
    一句话: three in a row or 2-7-10, of one size. 绞: two small and one large tile of a
    rank, or the reverse.
kan
    坎: three alike in the hand. Not the kan of mahjong, which is four.
meld
    A unit laid on the table: peng, wei, chouwei, pao, ti or chi.
door
    Any complete unit of a won hand: a meld, kan, ju, jiao, or a jiang (将, a pair).
choice
    What a seat may decide, without the seat: ``discard a``, ``pass hu``, ``chi abc``.

Readers take letters, Chinese characters and their variants, mixed, and ignore spaces
(ASCII and full-width). Writers write letters. Everything refused is a `NotationError`,
whatever was handed in. This module knows what a text says, not whether the rules allow
it now: five of a tile, or a choice nobody has, are for others to find.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Final, Literal, TypeAlias

from paohuzi_env.errors import NotationError, shown

GroupName: TypeAlias = Literal["ju", "jiao"]

LETTERS: Final = "abcdefghijABCDEFGHIJ*"  # of each kind, by index
GLYPHS: Final = "一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾王"  # of each kind, by index
LARGE: Final = 10  # large 1; and how far a large kind is from its small twin
WILD: Final = 20
HIDDEN: Final = -1  # in place of each tile of another seat's wei (rules 3.4)

MELD_KINDS: Final = ("peng", "wei", "chouwei", "pao", "ti", "chi")
DOOR_KINDS: Final = (*MELD_KINDS, "kan", "ju", "jiao", "jiang")
CHOICE_VERBS: Final = (
    *("discard", "hu", "peng", "pao", "chi", "bi"),
    *("pass hu", "pass peng", "pass chi", "pass pao"),
)

_RED_RANKS: Final = (2, 7, 10)
_SPACES: Final = " \u3000"

# Other ways to write a kind. 两 and 兩 are the everyday "two", hence small; 弌弍弎 are
# old formal (hence large) forms, 弐 and 壱 the Japanese ones.
_VARIANTS: Final = ("b两兩", "d亖", "A壱弌", "B貳貮弐弍", "C參叄参弎", "F陸", "G漆")


def _reading_table() -> dict[str, int]:
    """Make the table of every character that is read as a tile."""
    table = {letter: kind for kind, letter in enumerate(LETTERS)}
    table.update({glyph: kind for kind, glyph in enumerate(GLYPHS)})
    for entry in _VARIANTS:
        table.update(dict.fromkeys(entry, table[entry[0]]))
    # Look-alikes of these in Kangxi radicals, CJK compatibility and full-width forms.
    for block in (range(0x2F00, 0x2FD6), range(0xF900, 0xFB00), range(0xFF01, 0xFF5F)):
        for twin in map(chr, block):
            plain = unicodedata.normalize("NFKC", twin)
            if plain in table:
                table[twin] = table[plain]
    return table


_KIND_OF: Final = _reading_table()

_GROUPS: Final[dict[tuple[int, ...], GroupName]] = {
    **{(a, a + 1, a + 2): "ju" for size in (0, LARGE) for a in range(size, size + 8)},
    **{(size + 1, size + 6, size + 9): "ju" for size in (0, LARGE)},
    **{(a, a, a + LARGE): "jiao" for a in range(10)},
    **{(a, a + LARGE, a + LARGE): "jiao" for a in range(10)},
}
_ALIKE: Final = {
    **dict.fromkeys(("peng", "wei", "chouwei", "kan"), 3),
    **dict.fromkeys(("pao", "ti"), 4),
    "jiang": 2,
}
_SHAPE: Final = {
    **{name: f"{count} alike" for name, count in _ALIKE.items()},
    "ju": "three in a row or 2-7-10, of one size",
    "jiao": "two small and one large of a rank, or the reverse",
    **dict.fromkeys(("chi", "bi"), "a ju (abc, bgj) or a jiao (aaA, aAA)"),
    **dict.fromkeys(("discard", "hu"), "one tile, a wild for hu only"),
}
# A wild may fill these at a win (rules 10.5); a jiang may even be two of them.
_TAKES_WILDS: Final = ("wei", "ti", "ju", "jiao", "jiang")


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    raise NotationError(f"{what} of type {type(value).__name__}; allowed: a text")


def _one_of(value: str, allowed: tuple[str, ...], what: str) -> str:
    if value in allowed:
        return value
    raise NotationError(f"{what} {shown(value)}; allowed: {', '.join(allowed)}")


def _refuse(kind: str, tiles: Sequence[int]) -> NotationError:
    allowed = _SHAPE.get(kind, "none after a pass")
    return NotationError(f"tiles {shown(format_tiles(tiles))} are no {kind}; allowed: {allowed}")


def _kind(kind: int, last: int = WILD) -> int:
    """Give `kind` as a plain int, or raise `NotationError` if it is no kind."""
    number = index(kind)
    if 0 <= number <= last:
        return number
    raise NotationError(f"kind {shown(number)}; allowed: 0 to {last}")


def _in_order(kinds: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(map(_kind, kinds)))


def tile_letter(kind: int) -> str:
    """Give the letter of a kind: ``a``..``j``, ``A``..``J`` or ``*``."""
    return LETTERS[_kind(kind)]


def tile_glyph(kind: int) -> str:
    """Give the Chinese character of a kind: 一..十, 壹..拾 or 王."""
    return GLYPHS[_kind(kind)]


def rank_of(kind: int) -> int:
    """Give the rank 1..10 of a kind. The wild tile has none and is refused."""
    return _kind(kind, WILD - 1) % 10 + 1


def is_large(kind: int) -> bool:
    """Tell whether a kind is large (大写). The wild tile has no size and is refused."""
    return _kind(kind, WILD - 1) >= LARGE


def is_red(kind: int) -> bool:
    """Tell whether a kind is red: rank 2, 7 or 10 (rules 1.2).

    False for the wild tile: its face is not red. What it counts as in a won hand is
    what it stands for there, which this function does not know.
    """
    return _kind(kind) != WILD and rank_of(kind) in _RED_RANKS


def parse_tiles(text: str) -> list[int]:
    """Read tiles, in the order written.

    The empty text is no tiles. Any number of tiles is read, alike or not.

    Raises
    ------
    NotationError
        For a character that is no tile (its place counts from 1) or a value no text.
    """
    kinds = []
    for place, char in enumerate(_text(text, "tiles"), start=1):
        kind = _KIND_OF.get(char)
        if kind is not None:
            kinds.append(kind)
        elif char not in _SPACES:
            raise NotationError(
                f"character {place} of tiles {shown(text)} is {shown(char)}, which is no "
                "tile; allowed: a-j, A-J, * and their Chinese characters"
            )
    return kinds


def format_tiles(kinds: Iterable[int]) -> str:
    """Write tiles as letters **in the order given**, as a wall needs.

    For a hand or a group, whose order means nothing, use `format_group`.
    """
    return "".join(map(tile_letter, kinds))


def format_group(kinds: Iterable[int]) -> str:
    """Write tiles as letters in index order: small before large, wilds last."""
    return format_tiles(_in_order(kinds))


def group_name(tiles: Iterable[int]) -> GroupName | None:
    """Name three real tiles: ``"ju"``, ``"jiao"``, or None when they are neither.

    The order of the tiles is free. Three alike, a wild, or another number of tiles
    give None; a value that is no kind raises `NotationError`.
    """
    return _GROUPS.get(_in_order(tiles))


def _fits(kind: str, tiles: tuple[int, ...]) -> bool:
    """Tell whether tiles, wilds standing for any, can be a unit of this kind."""
    real = tuple(tile for tile in tiles if tile != WILD)
    if len(real) < len(tiles) and kind not in _TAKES_WILDS:
        return False
    if kind in _ALIKE:
        some = bool(real) or kind == "jiang"
        return some and len(tiles) == _ALIKE[kind] and len(set(real)) <= 1
    if kind in ("chi", "bi"):
        return tiles in _GROUPS
    return bool(real) and any(
        name == kind and len(tiles) == len(group) and Counter(real) <= Counter(group)
        for group, name in _GROUPS.items()
    )


@dataclass(frozen=True, slots=True)
class Meld:
    """A meld on the table, or a door of a won hand; always a valid one.

    Equal melds are equal whatever order their tiles were given in.

    Attributes
    ----------
    kind
        One of `DOOR_KINDS`.
    tiles
        Kinds in index order, wilds last. `HIDDEN` three times in another seat's wei.

    Raises
    ------
    NotationError
        When the kind is unknown or the tiles are no such unit. Wilds are taken only
        where a win may use them (rules 10.5): wei, ti, ju, jiao, jiang, with one real
        tile at least, but for a jiang.
    """

    kind: str
    tiles: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the kind and the tiles, and put the tiles in index order."""
        _one_of(self.kind, DOOR_KINDS, "meld kind")
        tiles = tuple(self.tiles)
        if self.kind != "wei" or tiles != (HIDDEN,) * 3:
            tiles = _in_order(tiles)
            if not _fits(self.kind, tiles):
                raise _refuse(self.kind, tiles)
        object.__setattr__(self, "tiles", tiles)

    @property
    def is_hidden(self) -> bool:
        """Whether the tiles are not shown: another seat's wei (rules 3.4)."""
        return HIDDEN in self.tiles


def _split_meld(text: str, kinds: tuple[str, ...]) -> tuple[str, str]:
    kind, _, tiles = _text(text, "meld").partition(":")
    kind = kind.strip(_SPACES)
    if kind not in kinds:
        raise NotationError(f"meld {shown(text)}; allowed: KIND:TILES with KIND one of {', '.join(kinds)}")
    return kind, tiles


def parse_meld(text: str, *, hidden: bool = False) -> Meld:
    """Read a meld on the table: ``peng:ccc``, ``chi:bgj``, ``ti:aaaa``.

    The order of the tiles is free. A wild is refused: no meld on the table holds one.
    With `hidden`, ``wei:???`` is taken too: in a seat's view, never in a full record.
    """
    kind, tiles = _split_meld(text, MELD_KINDS)
    if kind == "wei" and tiles.strip(_SPACES) == "???":
        if hidden:
            return Meld("wei", (HIDDEN,) * 3)
        raise NotationError("a full record or position never hides a wei ('wei:???')")
    meld = Meld(kind, tuple(parse_tiles(tiles)))
    if WILD in meld.tiles:
        raise NotationError(f"meld {shown(text)}: a wild is never on the table")
    return meld


def parse_door(text: str) -> Meld:
    """Read a door of a won hand: ``kan:CCC``, ``jiang:ii``, ``ju:gj*``, ``pao:aaaa``.

    Takes each of `DOOR_KINDS`, with wilds where `Meld` does, but nothing hidden.
    """
    kind, tiles = _split_meld(text, DOOR_KINDS)
    return Meld(kind, tuple(parse_tiles(tiles)))


def format_meld(meld: Meld) -> str:
    """Write a meld or a door: ``chi:abc``; a hidden wei is ``wei:???``."""
    tiles = "???" if meld.is_hidden else format_tiles(meld.tiles)
    return f"{meld.kind}:{tiles}"


@dataclass(frozen=True, slots=True)
class Choice:
    """What a seat may decide, without the seat; always well formed.

    Attributes
    ----------
    verb
        One of `CHOICE_VERBS`. A pass names its window: ``"pass hu"``.
    tiles
        Kinds in index order: one for discard and hu, the whole group for chi and bi,
        three alike for peng, four for pao, none for a pass. Only hu takes a wild.
    """

    verb: str
    tiles: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Check the verb and the tiles, and put the tiles in index order."""
        _one_of(self.verb, CHOICE_VERBS, "choice")
        tiles = _in_order(self.tiles)
        if self.verb in ("discard", "hu"):
            fits = len(tiles) == 1 and (self.verb == "hu" or tiles != (WILD,))
        elif self.verb.startswith("pass"):
            fits = not tiles
        else:
            fits = _fits(self.verb, tiles)
        if not fits:
            raise _refuse(self.verb, tiles)
        object.__setattr__(self, "tiles", tiles)


def parse_choice(text: str) -> Choice:
    """Read a choice without its seat: ``discard a``, ``bi bBB``, ``pass peng``.

    The order of a group's tiles is free; extra spaces are ignored. Whether the choice
    is legal now is not looked at.
    """
    text = _text(text, "choice").replace("\u3000", " ").strip(" ")
    verb, _, rest = text.partition(" ")
    if verb == "pass":
        return Choice(f"pass {rest.strip(' ')}")
    return Choice(_one_of(verb, CHOICE_VERBS, "choice"), tuple(parse_tiles(rest)))


def format_choice(choice: Choice) -> str:
    """Write a choice: ``discard a``, ``pass hu``, ``chi aAA``."""
    return f"{choice.verb} {format_tiles(choice.tiles)}".rstrip(" ")
