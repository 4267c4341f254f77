"""Make the font and the outlines of `paohuzi_env/fonts` from a complete font.

Needs fontTools, which nothing else here does:

    pip install fonttools
    python tests/tools/make_tile_font.py LXGWWenKai-Bold.ttf

Glyphs are taken over unchanged. The name is not: the originals' names are reserved (see fonts/OFL.txt).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fontTools import subset
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont

from paohuzi_env.canvas import FONT, OUTLINES
from paohuzi_env.picture import characters

NAME = "Paohuzi Tiles"
FOLDER = Path(__file__).parents[2] / "paohuzi_env" / "fonts"


def cut(source: str) -> TTFont:
    """The font with the characters that pictures use, renamed."""
    font = TTFont(source)
    options = subset.Options(hinting=False, layout_features=[], glyph_names=False, notdef_outline=True)
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "vhea", "vmtx", "gasp"]
    options.name_IDs = [0, 13, 14]
    cutter = subset.Subsetter(options)
    cutter.populate(text=characters())
    cutter.subset(font)
    names = font["name"]
    for number, text in ((1, NAME), (2, "Regular"), (3, f"{NAME} 1.0"), (4, NAME), (5, "Version 1.0"),
                         (6, NAME.replace(" ", ""))):  # fmt: skip
        names.setName(text, number, 3, 1, 0x409)
    return font


class PathPen(BasePen):
    """An outline as the data of an SVG path, in whole numbers and relative steps, which are short.

    The names of its methods are fontTools'.
    """

    def __init__(self, glyphs: object) -> None:
        super().__init__(glyphs)
        self.data = ""
        self._at = (0, 0)

    def _step(self, letter: str, *points: tuple[float, float]) -> None:
        whole = [(round(x), round(y)) for x, y in points]
        numbers = [n - at for point in whole for n, at in zip(point, self._at, strict=True)]
        text = "".join(f"{n}" if n < 0 else f" {n}" for n in numbers)
        self.data += letter + text.lstrip()
        self._at = whole[-1]

    def _moveTo(self, to: tuple[float, float]) -> None:  # noqa: N802
        self._step("m", to)
        self._start = self._at

    def _lineTo(self, to: tuple[float, float]) -> None:  # noqa: N802
        self._step("l", to)

    def _qCurveToOne(self, by: tuple[float, float], to: tuple[float, float]) -> None:  # noqa: N802
        self._step("q", by, to)

    def _closePath(self) -> None:  # noqa: N802
        self.data += "z"
        self._at = self._start


def outlines_of(font: TTFont) -> dict[str, object]:
    """Each character's advance and path."""
    glyphs, table = font.getGlyphSet(), font.getBestCmap()
    data = {}
    for char in sorted(characters()):
        pen = PathPen(glyphs)
        glyphs[table[ord(char)]].draw(pen)
        data[char] = [round(glyphs[table[ord(char)]].width), pen.data]
    return {"units": font["head"].unitsPerEm, "glyphs": data}


def main(source: str) -> None:
    font = cut(source)
    font.save(FOLDER / FONT)
    text = json.dumps(outlines_of(font), ensure_ascii=False, separators=(",", ":"))
    (FOLDER / OUTLINES).write_text(text.replace('],"', '],\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
