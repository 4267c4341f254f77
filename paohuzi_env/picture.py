"""The layout of a table: where every tile and word goes, in units; `canvas` draws it.

Three seats sit around the table: the onlooker below (the referee looks from seat 0), the next seat to the right, the
previous one to the left; of two, the other sits opposite. The frame has one size whatever lies on the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.canvas import Box, Shape, Text, text_width, to_rgb, to_svg
from paohuzi_env.errors import shown
from paohuzi_env.notation import GLYPHS, HIDDEN, WILD, Choice, is_large, is_red, tile_glyph, tile_letter
from paohuzi_env.table import PATTERN_WORDS, WORDS, Event, LaidMeld, SeatRow, Settlement, Table, Window

Size: TypeAlias = Literal["small", "large"]
SIZES: Final[tuple[Size, ...]] = ("small", "large")

WIDTH: Final = 1200
HEIGHT: Final = 800
SCALES: Final = MappingProxyType({"small": 0.75, "large": 1.5})
"""Pixels a unit."""
TALL: Final = 3.2
"""Height of a card for its width."""
SHORT: Final = 1.75
"""The same where only its upper end is shown."""

_WOOD, _FELT, _PANEL, _BUTTON = "#6b4423", "#1f5d46", "#184b39", "#2a7359"
_LIGHT, _DIM, _GOLD, _BADGE = "#f4ecd6", "#a9c3b3", "#f2c14e", "#b3261e"
_FACE, _EDGE, _GREY = "#f8f1de", "#8d7c58", "#85795f"
_VEIL, _DRAWN, _DRAWN_BAR = "#aebccb", "#b9cfb4", "#2f7d55"
_BACK, _BACK_LINE = "#3a5a80", "#9db4cf"
_INK, _RED, _WILD = "#1b1a18", "#c01d18", "#6a2c91"
_BAND, _RED_BAND, _WILD_BAND = "#d9d2bf", "#f3cfc4", "#e2d2ea"

_LABELS: Final = "跑胡子墩亮张底庄家死手息荒犯规出自摸番等分下上对座过"
_SIGNS: Final = "·×−+→…"


def characters() -> str:
    """Every character that a picture may hold, in order: what the bundled font has to have."""
    words = "".join((GLYPHS, *WORDS.values(), *PATTERN_WORDS.values(), _LABELS, _SIGNS))
    return "".join(sorted({*words, *map(chr, range(0x20, 0x7F))}))


def frame(size: Size) -> tuple[int, int]:
    """Width and height of a picture in pixels."""
    return round(WIDTH * _scale(size)), round(HEIGHT * _scale(size))


def svg(table: Table, size: Size) -> str:
    """`render.svg`."""
    return to_svg(layout(table), WIDTH, HEIGHT, _scale(size), f"Paohuzi, {table.rules}")


def rgb_array(table: Table, size: Size) -> NDArray[np.uint8]:
    """`render.rgb_array`."""
    return to_rgb(layout(table), WIDTH, HEIGHT, _scale(size))


def _scale(size: str) -> float:
    if size not in SCALES:
        raise ValueError(f"size = {shown(size)}; allowed: {', '.join(SCALES)}")
    return SCALES[size]


def layout(table: Table) -> list[Shape]:
    """Everything on the picture, the lowest first."""
    page = _Page()
    page.box(0, 0, WIDTH, HEIGHT, _WOOD)
    page.box(8, 8, WIDTH - 16, HEIGHT - 16, _FELT, radius=10)
    below = table.seats[table.viewer or 0]
    others = [table.seats[(below.seat + i) % len(table.seats)] for i in range(1, len(table.seats))]
    if len(others) == 1:
        _wide_panel(page, others[0], table, 16)
    else:
        _half_panel(page, others[1], table, 16)
        _half_panel(page, others[0], table, 606)
    _middle(page, table)
    _wide_panel(page, below, table, 546)
    _legend(page, WIDTH - 120, 546 + 238 - 49)
    return page.shapes


# --- parts ------------------------------------------------------------------------------------------------------------


class _Page:
    """Shapes so far, and how to add a tile or a text."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []

    def box(
        self, x: float, y: float, w: float, h: float, fill: str | None, line: str | None = None, width: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        self.shapes.append(Box(x, y, w, h, fill, line, width, radius))

    def text(self, x: float, y: float, text: str, size: float, fill: str = _LIGHT) -> float:
        """Write a text on the base line `y`; where it ends is returned."""
        self.shapes.append(Text(x, y, text, size, fill))
        return x + text_width(text, size)

    def centred(self, x: float, y: float, text: str, size: float, fill: str, *, turned: bool = False) -> None:
        half = text_width(text, size) / 2
        self.shapes.append(Text(x + half if turned else x - half, y, text, size, fill, turned))

    def badge(self, x: float, y: float, text: str, fill: str) -> float:
        """A text in a box on the base line `y`; where it ends is returned."""
        width = text_width(text, 15) + 12
        self.box(x, y - 16, width, 21, fill, radius=5)
        self.text(x + 6, y, text, 15)
        return x + width

    def card(self, x: float, y: float, w: float, kind: int, *, veiled: bool = False, marked: bool = False) -> None:
        """A whole card: its character above, and below upside down; between them its letter."""
        h = w * TALL
        if kind == HIDDEN:
            self._back(x, y, w, h)
            return
        ink, band = _inks(kind)
        self.box(x, y, w, h, _VEIL if veiled else _FACE, _GOLD if marked else _EDGE, w / 12 if marked else 1, w / 8)
        middle = y + h / 2
        large = kind != WILD and is_large(kind)
        if large:
            self.box(x + w * 0.1, middle - w * 0.36, w * 0.8, w * 0.72, band, radius=w * 0.08)
        glyph, size = tile_glyph(kind), w * 0.88
        self.centred(x + w / 2, y + w * 0.95, glyph, size, ink)
        self.centred(x + w / 2, y + h - w * 0.95, glyph, size, ink, turned=True)
        self.centred(x + w / 2, middle + w * 0.18, tile_letter(kind), w * 0.55, ink if large else _GREY)

    def short(self, x: float, y: float, w: float, kind: int, fill: str = _FACE, *, marked: bool = False) -> None:
        """The upper end of a card: its character and its letter."""
        h = w * SHORT
        if kind == HIDDEN:
            self._back(x, y, w, h)
            return
        ink, band = _inks(kind)
        self.box(x, y, w, h, fill, _GOLD if marked else _EDGE, w / 9 if marked else 1, w / 8)
        if kind != WILD and is_large(kind):
            self.box(x + w * 0.1, y + w * 1.08, w * 0.8, w * 0.58, band, radius=w * 0.08)
        self.centred(x + w / 2, y + w * 0.95, tile_glyph(kind), w * 0.9, ink)
        self.centred(x + w / 2, y + w * 1.53, tile_letter(kind), w * 0.55, _GREY)

    def _back(self, x: float, y: float, w: float, h: float) -> None:
        self.box(x, y, w, h, _BACK, "#24405f", 1, w / 8)
        inset = w * 0.16
        self.box(x + inset, y + inset, w - 2 * inset, h - 2 * inset, None, _BACK_LINE, 1, w / 12)


def _inks(kind: int) -> tuple[str, str]:
    """The colour of a tile's character, and of the band that large tiles have."""
    if kind == WILD:
        return _WILD, _WILD_BAND
    return (_RED, _RED_BAND) if is_red(kind) else (_INK, _BAND)


# --- a seat -----------------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """A row of cards: their width, the gap between them, and between groups of them."""

    card: float
    gap: float
    space: float

    def of_hand(self, hand: Sequence[int]) -> float:
        return len(hand) * (self.card + self.gap) + (self.space / 2) * _splits(hand)

    def of_melds(self, melds: Sequence[LaidMeld]) -> float:
        return sum(len(meld.tiles) * (self.card + self.gap) + self.space for meld in melds)

    def shrunk(self, factor: float) -> _Row:
        return _Row(self.card * factor, self.gap * factor, self.space * factor)


def _splits(hand: Sequence[int]) -> int:
    """1 where a hand has small and large tiles, which lie apart."""
    sizes = {is_large(kind) for kind in hand if kind not in (HIDDEN, WILD)}
    return int(len(sizes) == 2)


def _panel(page: _Page, row: SeatRow, table: Table, x: float, y: float, w: float, h: float) -> None:
    """What every seat has: the frame, the head line."""
    page.box(x, y, w, h, _PANEL, _GOLD if row.to_act else None, 3, 8)
    end = page.text(x + 12, y + 26, f"seat {row.seat}", 20, _GOLD if row.to_act else _LIGHT)
    if row.name:
        end = page.text(end + 8, y + 26, _cut(row.name, 17, 170), 17, _LIGHT)
    end += 10
    if row.dealer:
        end = page.badge(end, y + 25, "庄", _BADGE) + 6
    if row.dead:
        end = page.badge(end, y + 25, "死手", "#555555") + 6
    if table.settlement is not None and table.settlement.winner == row.seat:
        end = page.badge(end, y + 25, "胡", "#b8860b") + 6
    page.text(end + 4, y + 25, f"{row.huxi} 胡息", 17, _LIGHT)
    right = f"{len(row.hand)} 张"
    if table.settlement is not None:
        right = f"{_signed(table.settlement.scores[row.seat])} 分 · {right}"
    page.text(x + w - 12 - text_width(right, 16), y + 25, right, 16, _DIM)


def _half_panel(page: _Page, row: SeatRow, table: Table, x: float) -> None:
    """A seat above: hand, melds and river below each other."""
    y, w, h = 16.0, 578.0, 312.0
    _panel(page, row, table, x, y, w, h)
    usual = _Row(23, 1.5, 8)
    cards = usual.shrunk(min(1, (w - 24) / max(usual.of_hand(row.hand), 1)))
    _hand(page, row, table, cards, x + 12, y + 40)
    cards = usual.shrunk(min(1, (w - 24) / max(usual.of_melds(row.melds), 1)))
    _melds(page, row.melds, cards, x + 12, y + 124)
    _river(page, row, x + 12, y + 220, w - 24, 24)


def _wide_panel(page: _Page, row: SeatRow, table: Table, y: float) -> None:
    """A seat below, or opposite: hand and melds beside each other, and the river."""
    x, w, h = 16.0, 1168.0, 238.0 if y > 100 else 312.0
    _panel(page, row, table, x, y, w, h)
    usual = _Row(41, 2, 12)
    whole = usual.of_hand(row.hand) + 28 + usual.of_melds(row.melds)
    cards = usual.shrunk(min(1, (w - 24) / whole))
    top = y + (36 if h < 300 else 60)
    _melds(page, row.melds, cards, x + 12, top)
    _hand(page, row, table, cards, x + w - 12 - cards.of_hand(row.hand), top + 16)
    _river(page, row, x + 12, y + h - 49, w - 24, 24)


def _hand(page: _Page, row: SeatRow, table: Table, cards: _Row, x: float, y: float) -> None:
    """The concealed tiles; a kan is underlined, the discard that is chosen stands out."""
    chosen = _chosen_discard(table, row.seat)
    before = HIDDEN
    for kind in row.hand:
        if HIDDEN not in (before, kind) and WILD not in (before, kind) and is_large(before) != is_large(kind):
            x += cards.space / 2
        marked = kind == chosen and kind != before
        page.card(x, y - (cards.card * 0.3 if marked else 0), cards.card, kind, marked=marked)
        if kind not in (HIDDEN, WILD) and kind != before and row.hand.count(kind) == 3:
            width = 3 * (cards.card + cards.gap) - cards.gap
            page.box(x, y + cards.card * TALL + 2, width, 3, _GOLD, radius=1)
        x += cards.card + cards.gap
        before = kind


def _chosen_discard(table: Table, seat: int) -> int | None:
    window = table.window
    if window is None or window.seat != seat or window.chosen < 0:
        return None
    choice = window.choices[window.chosen]
    return choice.tiles[0] if choice.verb == "discard" else None


def _melds(page: _Page, melds: Iterable[LaidMeld], cards: _Row, x: float, y: float) -> None:
    """Melds with what they are and are worth above them; the claimed tile of a chi has a golden edge."""
    for meld in melds:
        worth = "" if meld.huxi is None else f" {meld.huxi}"
        page.text(x, y + 12, f"{WORDS[meld.name]}{worth}", 14, _LIGHT if meld.huxi else _DIM)
        for place, kind in enumerate(meld.tiles):
            known_below = place >= meld.face_up and kind != HIDDEN
            hidden = known_below and (place > 0 or meld.name == "ti")
            page.card(x, y + 16, cards.card, HIDDEN if hidden else kind, veiled=known_below,
                      marked=meld.name == "chi" and place == meld.taken)  # fmt: skip
            x += cards.card + cards.gap
        x += cards.space


def _river(page: _Page, row: SeatRow, x: float, y: float, w: float, card: float) -> None:
    """Untaken tiles in order, in lines; those drawn are darker, with a bar."""
    line = int(w // (card + 2))
    for place, (kind, drawn) in enumerate(row.river):
        left, top = x + place % line * (card + 2), y + place // line * (card * SHORT + 2)
        _river_tile(page, left, top, card, kind, drawn=drawn)


def _river_tile(page: _Page, x: float, y: float, card: float, kind: int, *, drawn: bool) -> None:
    page.short(x, y, card, kind, _DRAWN if drawn else _FACE)
    if drawn:
        page.box(x + card * 0.12, y + card * (SHORT - 0.14), card * 0.76, card * 0.1, _DRAWN_BAR)


# --- the middle -------------------------------------------------------------------------------------------------------


def _legend(page: _Page, x: float, y: float) -> None:
    """How a discard and a draw look in a river."""
    for word, drawn in (("discard", False), ("draw", True)):
        page.box(x, y + 14, 14, 24, _DRAWN if drawn else _FACE, _EDGE, 1, 2)
        if drawn:
            page.box(x + 2, y + 34, 10, 2, _DRAWN_BAR)
        x = page.text(x + 18, y + 33, WORDS[word], 15, _DIM) + 14


def _middle(page: _Page, table: Table) -> None:
    """Wall and upcard, the live tile, the pending decision or the settlement, and what happened last."""
    y = 338.0
    x = 24.0
    page.text(x, y + 12, f"墩 {table.wall_left}", 15, _LIGHT)
    for i in range(min(3, table.wall_left)):
        page.card(x + 4 * i, y + 18 + 2 * i, 34, HIDDEN)
    x += 62
    for label, kind in (("亮张", table.upcard), ("底张", table.last_shown)):
        if kind is not None:
            page.text(x, y + 12, label, 15, _LIGHT)
            page.card(x, y + 18, 36, kind)
            x += 56
    x = 220.0
    page.box(x, y - 2, 92, 146, _PANEL, radius=8)
    end = table.settlement
    kind, words = table.live, _live_words(table)
    if end is not None:
        kind, words = end.tile, "自摸" if end.own else "胡"
    if kind is not None:
        page.card(x + 27, y + 3, 38, kind, marked=True)
        page.centred(x + 46, y + 140, words, 14, _LIGHT)
    if table.window is not None:
        _window(page, table.window, 326, y)
    elif table.settlement is not None:
        _settlement(page, table.settlement, 326, y)
    _footer(page, table, y + 150)


def _live_words(table: Table) -> str:
    if table.live_from == "upcard":
        return "亮张"
    return f"{WORDS['discard' if table.live_from == 'discard' else 'draw']} seat {table.live_seat}"


def _window(page: _Page, window: Window, x: float, y: float) -> None:
    """The question, and a button a choice; the chosen one is golden."""
    question = "discard?" if window.phase == "discard" else f"{window.phase}?"
    page.text(x, y + 14, f"seat {window.seat} · {WORDS[window.phase]} {question}", 17, _GOLD)
    left, top = x, y + 24
    for place, choice in enumerate(window.choices):
        width = _button_width(choice)
        if left + width > WIDTH - 16:
            left, top = x, top + 60
        _button(page, choice, left, top, width, chosen=place == window.chosen)
        left += width + 6


_BUTTON_TILE: Final = 26


def _button_words(choice: Choice) -> str:
    verb = choice.verb.partition(" ")[0]
    return "" if verb == "discard" else WORDS[verb]


def _button_width(choice: Choice) -> float:
    words = text_width(_button_words(choice), 20)
    return 12 + words + (4 if words and choice.tiles else 0) + len(choice.tiles) * (_BUTTON_TILE + 2)


def _button(page: _Page, choice: Choice, x: float, y: float, width: float, *, chosen: bool) -> None:
    page.box(x, y, width, 56, _GOLD if chosen else _BUTTON, _LIGHT if chosen else None, 2, 6)
    end = x + 6
    if words := _button_words(choice):
        end = page.text(end, y + 35, words, 20, _INK if chosen else _LIGHT) + 4
    for kind in choice.tiles:
        page.short(end, y + 5, _BUTTON_TILE, kind)
        end += _BUTTON_TILE + 2


def _settlement(page: _Page, end: Settlement, x: float, y: float) -> None:
    """Who won, what it is worth, and the doors."""
    scores = "   ".join(f"seat {s}: {_signed(score)}" for s, score in enumerate(end.scores))
    if end.winner is None:
        what = "荒庄 drawn hand" if end.fault is None else f"犯规 seat {end.fault[0]}: {end.fault[1]}"
        page.text(x, y + 26, what, 24, _GOLD)
        page.text(x, y + 54, scores, 18, _LIGHT)
        return
    at = page.text(x, y + 20, f"seat {end.winner} 胡", 24, _GOLD) + 14
    how = "自摸 · " if end.own else ""
    page.text(at, y + 19, f"{how}{end.huxi} 胡息", 19, _LIGHT)
    patterns = " ".join(PATTERN_WORDS[name] for name in end.patterns)
    deng = "" if end.deng is None else f"{end.deng} 等 "
    worth = " · ".join(filter(None, [patterns, f"{deng}× {end.fan} 番", f"底 {end.base}"]))
    page.text(x, y + 46, worth, 17, _LIGHT)
    page.text(x + text_width(worth, 17) + 24, y + 46, scores, 17, _DIM)
    usual = _Row(25, 1, 10)
    row = usual.shrunk(min(1, (WIDTH - 24 - x) / max(usual.of_melds(end.groups), 1)))
    for group in end.groups:
        page.text(x, y + 72, WORDS[group.name], 14, _DIM)
        for kind in group.tiles:
            page.short(x, y + 78, row.card, kind)
            x += row.card + row.gap
        x += row.space


def _footer(page: _Page, table: Table, y: float) -> None:
    """The wall in drawing order, which only the referee has, and what happened last."""
    x = 24.0
    if table.wall:
        x = page.text(x, y + 26, "墩", 16, _DIM) + 6
        for kind in table.wall:
            page.short(x, y, 22, kind)
            x += 23.5
        x += 16
    events = [_event_words(event) for event in table.events]
    while events and text_width("  ·  ".join(events), 16) > WIDTH - 24 - x:
        events.pop(0)
    page.text(x, y + 26, "  ·  ".join(events), 16, _DIM)


def _event_words(event: Event) -> str:
    verb, _, rest = event.verb.partition(" ")
    tiles = "".join("?" if kind == HIDDEN else tile_glyph(kind) for kind in event.tiles)
    return f"{event.seat} {'过' if verb == 'pass' else ''}{WORDS.get(rest or verb, WORDS[verb])} {tiles}".rstrip()


def _cut(text: str, size: float, width: float) -> str:
    """As much of a text as fits."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(f"{text}…", size) > width:
        text = text[:-1]
    return f"{text}…"


def _signed(score: int) -> str:
    return f"{score:+d}".replace("-", "−") if score else "0"
