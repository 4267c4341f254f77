"""Drawing: a picture as a list of boxes and texts, written as SVG or painted with Pillow.

A picture is laid out once, in units; both writers draw the same list. Letters are outlines in the SVG, so that it
looks the same where the font is not installed; Pillow takes them from the bundled font. `fonts/README.md` says how
font and outlines are made.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from io import BytesIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL import Image, ImageFont

FONT: Final = "PaohuziTiles.ttf"
OUTLINES: Final = "PaohuziTiles.json"
UNKNOWN: Final = "?"
"""Drawn in place of a character that the font lacks."""
_FINER: Final = 2  # Pillow's boxes have hard edges: paint larger, then shrink


class Box(NamedTuple):
    """A filled rectangle, its corners rounded by `radius`, with a line of `width` inside its edge."""

    x: float
    y: float
    w: float
    h: float
    fill: str | None
    line: str | None = None
    width: float = 1
    radius: float = 0


class Text(NamedTuple):
    """A line of text that begins at `x` on the base line `y`; `turned` by half a turn, it ends there."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    turned: bool = False


Shape: TypeAlias = Box | Text


class Glyph(NamedTuple):
    """A character: how far it goes on, and its outline as the data of an SVG path, both in units of the font."""

    advance: int
    path: str


class Outlines(NamedTuple):
    """The bundled font as outlines."""

    units: int  # of an em
    glyphs: Mapping[str, Glyph]


@cache
def outlines() -> Outlines:
    """The outlines of every character of the bundled font."""
    data = json.loads(_font_file(OUTLINES).decode("utf-8"))
    return Outlines(data["units"], MappingProxyType({c: Glyph(*g) for c, g in data["glyphs"].items()}))


def drawable(text: str) -> str:
    """The text with a question mark for each character that the font lacks."""
    glyphs = outlines().glyphs
    return "".join(char if char in glyphs else UNKNOWN for char in text)


def text_width(text: str, size: float) -> float:
    """How wide a text is in letters of `size`."""
    font = outlines()
    return sum(font.glyphs[char].advance for char in drawable(text)) * size / font.units


def _font_file(name: str) -> bytes:
    return resources.files("paohuzi_env").joinpath("fonts", name).read_bytes()


# --- SVG --------------------------------------------------------------------------------------------------------------


def to_svg(shapes: Sequence[Shape], width: int, height: int, scale: float, title: str) -> str:
    """Shapes as an SVG of `width` by `height` units, each of `scale` pixels."""
    used = sorted({char for shape in shapes if isinstance(shape, Text) for char in drawable(shape.text)})
    glyphs = outlines().glyphs
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width * scale)}" height="{_n(height * scale)}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        "<defs>",
        *(f'<path id="{glyph_id(char)}" d="{glyphs[char].path}"/>' for char in used if glyphs[char].path),
        "</defs>",
        *(_svg_box(shape) if isinstance(shape, Box) else _svg_text(shape) for shape in shapes),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def glyph_id(char: str) -> str:
    """The name of a character's outline in an SVG."""
    return f"u{ord(char):04x}"


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _svg_box(box: Box) -> str:
    inset = box.width / 2 if box.line else 0
    size = f'x="{_n(box.x + inset)}" y="{_n(box.y + inset)}" width="{_n(box.w - 2 * inset)}" '
    size += f'height="{_n(box.h - 2 * inset)}"'
    corner = f' rx="{_n(max(box.radius - inset, 0))}"' if box.radius else ""
    line = f' stroke="{box.line}" stroke-width="{_n(box.width)}"' if box.line else ""
    return f'<rect {size}{corner} fill="{box.fill or "none"}"{line}/>'


def _svg_text(text: Text) -> str:
    font = outlines()
    scale = text.size / font.units
    uses, x = [], 0
    for char in drawable(text.text):
        glyph = font.glyphs[char]
        if glyph.path:
            place = f' x="{x}"' if x else ""
            uses.append(f'<use href="#{glyph_id(char)}"{place}/>')
        x += glyph.advance
    turn = (-scale, scale) if text.turned else (scale, -scale)
    matrix = f"matrix({turn[0]:.5g} 0 0 {turn[1]:.5g} {_n(text.x)} {_n(text.y)})"
    return f'<g transform="{matrix}" fill="{text.fill}">{"".join(uses)}</g>'


# --- Pillow -----------------------------------------------------------------------------------------------------------


def to_rgb(shapes: Iterable[Shape], width: int, height: int, scale: float) -> NDArray[np.uint8]:
    """Shapes painted: uint8, (height * scale, width * scale, 3)."""
    from PIL import Image, ImageDraw

    k = scale * _FINER
    image = Image.new("RGB", (round(width * k), round(height * k)))
    draw = ImageDraw.Draw(image)
    for shape in shapes:
        if isinstance(shape, Text):
            _paint_text(draw, shape, k)
            continue
        # Pillow counts the last row and column in.
        corners = [shape.x * k, shape.y * k, (shape.x + shape.w) * k - 1, (shape.y + shape.h) * k - 1]
        line = max(round(shape.width * k), 1) if shape.line else 0
        draw.rounded_rectangle(list(map(round, corners)), round(shape.radius * k), shape.fill, shape.line, line)
    return np.array(image.reduce(_FINER))


def _paint_text(draw: Any, text: Text, k: float) -> None:
    if not text.turned:
        draw.text((text.x * k, text.y * k), drawable(text.text), text.fill, _font(text.size * k), anchor="ls")
        return
    mask, left, above = _turned(drawable(text.text), text.size * k)
    draw.bitmap((round(text.x * k - left), round(text.y * k - above)), mask, text.fill)


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.truetype(BytesIO(_font_file(FONT)), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _turned(text: str, size: float) -> tuple[Image.Image, int, int]:
    """A text turned by half a turn, and how far its picture goes to the left of and above the point it ends at."""
    from PIL import Image, ImageDraw

    font = _font(size)
    left, top, right, bottom = font.getbbox(text, anchor="ls")
    mask = Image.new("L", (int(right - left) + 2, int(bottom - top) + 2))
    ImageDraw.Draw(mask).text((1 - left, 1 - top), text, 255, font, anchor="ls")
    return mask.transpose(Image.Transpose.ROTATE_180), mask.width - int(1 - left), mask.height - int(1 - top)
