"""A hand drawn: as text, as SVG, as an image.

>>> from paohuzi_env.game import Game
>>> from paohuzi_env.render import Table, ansi
>>> print(ansi(Table.of_game(Game.deal("mini", seed=1))).splitlines()[0])
跑胡子 mini · referee · 8 in the wall · upcard 壹A
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.cells import cell_len

from paohuzi_env import picture
from paohuzi_env.notation import HIDDEN, is_red, tile_glyph, tile_letter
from paohuzi_env.picture import SIZES, Size
from paohuzi_env.table import PATTERN_WORDS, WORDS, Event, LaidMeld, SeatRow, Settlement, Table, Window

__all__ = ["SIZES", "Size", "Table", "ansi", "rgb_array", "svg"]


# --- pictures ---------------------------------------------------------------------------------------------------------


def svg(table: Table, size: Size = "small") -> str:
    """The table as an SVG picture: no fonts or other files needed where it is shown.

    Parameters
    ----------
    table
        What is drawn.
    size
        "small" or "large"; each has one width and height for every table.
    """
    return picture.svg(table, size)


def rgb_array(table: Table, size: Size = "small") -> NDArray[np.uint8]:
    """The table as an image: uint8, (height, width, 3). Needs no display.

    Parameters
    ----------
    table
        What is drawn.
    size
        "small" or "large"; each has one width and height for every table.
    """
    return picture.rgb_array(table, size)


# --- text -------------------------------------------------------------------------------------------------------------

_RED: Final = "\x1b[31m"
_BOLD: Final = "\x1b[1m"
_PLAIN: Final = "\x1b[0m"
_INDENT: Final = " " * 4


def ansi(table: Table, *, colour: bool = False) -> str:
    """The table as text: each tile its character and its letter (二b), lines without trailing spaces.

    Parameters
    ----------
    table
        What is drawn.
    colour
        Write red tiles in red, and the choice that was taken in bold, with ANSI escapes.
    """
    return "\n".join(_lines(table, colour)) + "\n"


def _lines(table: Table, colour: bool) -> Iterator[str]:
    ink = _Ink(colour)
    seen_by = "referee" if table.viewer is None else f"seen by seat {table.viewer}"
    head = [f"跑胡子 {table.rules}", seen_by, f"{table.wall_left} in the wall"]
    if table.upcard is not None:
        head.append(f"upcard {ink.tile(table.upcard)}")
    if table.last_shown is not None:
        head.append(f"last tile {ink.tile(table.last_shown)}")
    yield " · ".join(head)
    if table.wall:
        yield f"wall {ink.tiles(table.wall)}"
    for row in table.seats:
        yield from _seat_lines(row, ink)
    if table.events:
        yield "last: " + " · ".join(_event_text(event, ink) for event in table.events)
    if table.live is not None:
        yield f"live {ink.tile(table.live)}, {live_text(table)}"
    if table.window is not None:
        yield from _window_lines(table.window, ink)
    if table.settlement is not None:
        yield from _settlement_lines(table.settlement, ink)


def live_text(table: Table) -> str:
    """Where the live tile came from, in words."""
    if table.live_from == "upcard":
        return "the upcard"
    return f"{'discarded' if table.live_from == 'discard' else 'drawn'} by seat {table.live_seat}"


class _Ink:
    """Tiles as text, red ones in red where wanted."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def tile(self, kind: int) -> str:
        if kind == HIDDEN:
            return "▒▒"
        text = tile_glyph(kind) + tile_letter(kind)
        return f"{_RED}{text}{_PLAIN}" if self._colour and is_red(kind) else text

    def tiles(self, kinds: Iterable[int]) -> str:
        return " ".join(map(self.tile, kinds))

    def bold(self, text: str) -> str:
        return f"{_BOLD}{text}{_PLAIN}" if self._colour else text


def _seat_lines(row: SeatRow, ink: _Ink) -> Iterator[str]:
    who = f"seat {row.seat}" + (f" {printable(row.name)}" if row.name else "")
    marks = [who]
    if row.dealer:
        marks.append("庄 dealer")
    if row.dead:
        marks.append("死手 dead hand")
    marks += [f"{len(row.hand)} in hand", f"{row.huxi} huxi on the table"]
    yield f"{'>' if row.to_act else ' '} {' · '.join(marks)}"
    known = [kind for kind in row.hand if kind != HIDDEN]
    parts = [f"{len(row.hand) - len(known)} face down"] if len(known) < len(row.hand) else []
    if known:
        parts.append(ink.tiles(known))
    yield f"{_INDENT}hand   {' + '.join(parts) or '-'}"
    if row.melds:
        yield f"{_INDENT}melds  {'  '.join(_meld_text(meld, ink) for meld in row.melds)}"
    if row.river:
        river = " ".join(ink.tile(kind) + ("'" if drawn else " ") for kind, drawn in row.river)
        yield f"{_INDENT}river  {river}".rstrip()


def _meld_text(meld: LaidMeld, ink: _Ink) -> str:
    worth = "" if meld.huxi is None else f" ({meld.huxi})"
    return f"{WORDS[meld.name]} {ink.tiles(meld.tiles)}{worth}"


def _event_text(event: Event, ink: _Ink) -> str:
    return f"{event.seat} {event.verb} {ink.tiles(event.tiles)}".rstrip()


def _window_lines(window: Window, ink: _Ink) -> Iterator[str]:
    yield f"seat {window.seat} to choose: {WORDS[window.phase]} {window.phase}"
    texts = [f"{WORDS[choice.verb.partition(' ')[0]]} {choice.verb}" for choice in window.choices]
    width = max(map(cell_len, texts))
    for place, (text, choice) in enumerate(zip(texts, window.choices, strict=True)):
        mark = "*" if place == window.chosen else "-"
        line = f"{text}{' ' * (width - cell_len(text))}  {ink.tiles(choice.tiles)}".rstrip()
        yield f"  {mark} {ink.bold(line) if place == window.chosen else line}"


def _settlement_lines(end: Settlement, ink: _Ink) -> Iterator[str]:
    scores = " ".join(f"{score:+d}" if score else "0" for score in end.scores)
    if end.fault is not None:
        yield f"fault of seat {end.fault[0]} ({end.fault[1]}) · scores {scores}"
        return
    if end.winner is None:
        yield f"荒庄 drawn hand · scores {scores}"
        return
    how = "as dealt" if end.tile is None else f"on {ink.tile(end.tile)}"
    yield f"胡 seat {end.winner} wins {how}{', self-drawn' if end.own else ''}"
    if end.groups:
        yield f"{_INDENT}doors  {'  '.join(_meld_text(group, ink) for group in end.groups)}"
    patterns = ", ".join(f"{PATTERN_WORDS[name]} {name}" for name in end.patterns) or "no pattern"
    deng = "" if end.deng is None else f" · {end.deng} deng"
    yield f"{_INDENT}{end.huxi} huxi · {patterns} · fan {end.fan}{deng} · base {end.base} · scores {scores}"


def printable(text: str) -> str:
    """A name that does nothing but show: control characters become question marks."""
    return "".join(char if char.isprintable() else "?" for char in text)
