"""Pictures and text of a table: right, complete, of constant size, and no more than the onlooker may know."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFont
from rich.cells import cell_len

from paohuzi_env import canvas, picture
from paohuzi_env.core import state as st
from paohuzi_env.core.actions import HU
from paohuzi_env.core.tiles import WILD
from paohuzi_env.core.view import view_game
from paohuzi_env.division import Win
from paohuzi_env.game import Game
from paohuzi_env.notation import HIDDEN, Choice, format_group, is_red, tile_glyph, tile_letter
from paohuzi_env.render import SIZES, Table, ansi, rgb_array, svg
from paohuzi_env.rules import preset_names
from paohuzi_env.table import LaidMeld, Window

DATA = Path(__file__).parent / "data"
FONT = Path(canvas.__file__).parent / "fonts" / canvas.FONT
RED, BLACK = (0xC0, 0x1D, 0x18), (0x1B, 0x1A, 0x18)


@pytest.fixture(autouse=True)
def _no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)


def view_of(game: Game, seat: int, history: int = 10) -> Any:
    views = st.allocate(1, st.VIEW)
    view_game(game._array, 0, game.rules.record, views, 0, seat, history)
    return views[0]


def positions(rules: str, seed: int, hands: int = 1) -> Iterator[Game]:
    """Every position of some random hands, in which a hu is never passed."""
    chance = random.Random(seed)
    for hand in range(hands):
        game = Game.deal(rules, seed, hand)
        yield game.clone()
        while not game.over:
            game.step(HU if HU in game.legal_actions else chance.choice(game.legal_actions))
            yield game.clone()


def tables(game: Game) -> list[Table]:
    """The referee's table and each seat's."""
    return [Table.of_game(game), *(Table.of_view(view_of(game, s), game.rules) for s in range(game.rules.seats))]


def dealt() -> Game:
    """A hand of `mini`: seat 0 deals and holds abcAB and the upcard c."""
    order = [0, 1, 2, 10, 11, 0, 1, 10, 12, 12]
    rest = [k for k in (0, 1, 2, 10, 11, 12) for _ in range(4)]
    for kind in order:
        rest.remove(kind)
    rest.remove(2)
    return Game.from_tiles("mini", 0, [order[:5], order[5:]], 2, rest[5:], aside=rest[:5])


def drawn_kinds(picture_text: str) -> set[str]:
    return set(re.findall(r'<path id="(u[0-9a-f]+)"', picture_text))


def near(image: Any, colour: tuple[int, int, int]) -> int:
    return int((np.abs(image.astype(int) - np.array(colour)).max(axis=2) < 24).sum())


# --- text -------------------------------------------------------------------------------------------------------------


def test_a_text_shows_every_tile_by_character_and_letter() -> None:
    assert ansi(Table.of_game(dealt())) == (
        "跑胡子 mini · referee · 8 in the wall · upcard 三c\n"
        "wall 三c 壹A 壹A 贰B 贰B 贰B 叁C 叁C\n"
        "> seat 0 · 庄 dealer · 6 in hand · 0 huxi on the table\n"
        "    hand   一a 二b 三c 三c 壹A 贰B\n"
        "  seat 1 · 5 in hand · 0 huxi on the table\n"
        "    hand   一a 二b 壹A 叁C 叁C\n"
        "seat 0 to choose: 打 discard\n"
        "  - 打 discard  一a\n"
        "  - 打 discard  二b\n"
        "  - 打 discard  三c\n"
        "  - 打 discard  壹A\n"
        "  - 打 discard  贰B\n"
    )


def test_a_seat_reads_its_own_hand_and_the_number_of_the_others() -> None:
    text = ansi(Table.of_view(view_of(dealt(), 1), "mini"))
    assert "seen by seat 1" in text
    assert "    hand   一a 二b 壹A 叁C 叁C\n" in text
    assert "    hand   6 face down\n" in text
    assert "wall " not in text.replace("in the wall", "")
    assert "to choose" not in text


def test_the_choice_that_is_taken_is_marked() -> None:
    game = dealt()
    for table in (Table.of_game(game, chosen=2), Table.of_view(view_of(game, 0), "mini", chosen=2)):
        assert "  * 打 discard  三c\n" in ansi(table)
        assert ansi(table).count("  * ") == 1


def test_red_tiles_are_red_where_colour_is_wanted() -> None:
    text = ansi(Table.of_game(dealt()), colour=True)
    assert "\x1b[31m二b\x1b[0m" in text
    assert "\x1b[31m一a" not in text
    assert re.sub(r"\x1b\[\d+m", "", text) == ansi(Table.of_game(dealt()))


def test_tiles_of_a_river_stand_in_columns_though_characters_are_wide() -> None:
    table = Table.of_game(dealt())
    river = ((0, False), (11, True), (12, False), (9, True))
    text = ansi(replace(table, seats=(replace(table.seats[0], river=river), table.seats[1])))
    line = next(line for line in text.splitlines() if "river" in line)
    assert line == "    river  一a  贰B' 叁C  十j'"
    assert [cell_len(line[: line.index(letter)]) for letter in "aBCj"] == [13, 18, 23, 28]


def test_a_name_does_nothing_but_show() -> None:
    table = Table.of_game(dealt(), names=("\x1b[2J", "李四"))
    assert "\x1b" not in ansi(table)
    assert "seat 1 李四" in ansi(table)
    ET.fromstring(svg(table))


# --- fonts ------------------------------------------------------------------------------------------------------------


def test_the_font_has_every_character_that_a_picture_may_hold() -> None:
    font = ImageFont.truetype(str(FONT), 64, layout_engine=ImageFont.Layout.BASIC)
    missing = bytes(font.getmask("\uffff"))
    lacking = [c for c in picture.characters() if c != " " and bytes(font.getmask(c)) == missing]
    assert not lacking
    assert set(canvas.outlines().glyphs) == set(picture.characters())
    assert FONT.stat().st_size < 100_000


def test_tiles_have_different_faces() -> None:
    font = ImageFont.truetype(str(FONT), 64, layout_engine=ImageFont.Layout.BASIC)
    assert len({bytes(font.getmask(tile_glyph(kind))) for kind in range(WILD + 1)}) == WILD + 1
    paths = {canvas.outlines().glyphs[tile_glyph(kind)].path for kind in range(WILD + 1)}
    assert len(paths) == WILD + 1


def test_outlines_are_those_of_the_font() -> None:
    units = canvas.outlines().units
    font = ImageFont.truetype(str(FONT), units, layout_engine=ImageFont.Layout.BASIC)
    for char, glyph in canvas.outlines().glyphs.items():
        assert font.getlength(char) == glyph.advance, char
        if glyph.path:
            mask, (x, y) = font.getmask2(char, anchor="ls")
            left, top, right, bottom = mask.getbbox()
            ink = (x + left, -(y + bottom), x + right, -(y + top))
            assert np.allclose(path_box(glyph.path), ink, atol=45), char  # control points may lie outside


def path_box(path: str) -> tuple[int, int, int, int]:
    """The box around all points of an outline of relative m, l, q, z."""
    x = y = 0
    start = (0, 0)
    points = []
    for letter, rest in re.findall(r"([mlqz])([^mlqz]*)", path):
        numbers = [int(n) for n in re.findall(r"-?\d+", rest)]
        if letter == "z":
            x, y = start
            continue
        steps = list(zip(numbers[::2], numbers[1::2], strict=True))
        points += [(x + dx, y + dy) for dx, dy in steps]
        x, y = points[-1]
        if letter == "m":
            start = (x, y)
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def test_a_character_that_the_font_lacks_is_a_question_mark() -> None:
    assert canvas.drawable("李a") == "?a"


# --- pictures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_frames_are_rgb_of_one_size(size: Any) -> None:
    width, height = picture.frame(size)
    for game in list(positions("hunan", 1))[::16]:
        for table in tables(game):
            image = rgb_array(table, size)
            assert image.shape == (height, width, 3)
            assert image.dtype == np.uint8
            assert image.flags.c_contiguous
            root = ET.fromstring(svg(table, size))
            assert (float(root.attrib["width"]), float(root.attrib["height"])) == (width, height)


def test_an_unknown_size_is_refused() -> None:
    for draw in (svg, rgb_array):
        with pytest.raises(ValueError, match="size = 'huge'; allowed: small, large"):
            draw(Table.of_game(dealt()), "huge")  # type: ignore[arg-type]


def test_a_picture_has_red_and_black_ink() -> None:
    image = rgb_array(Table.of_game(Game.deal("hunan", 1)))
    assert near(image, RED) > 300
    assert near(image, BLACK) > 1000
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 100


@pytest.mark.parametrize("kind", range(WILD + 1))
def test_each_tile_is_drawn_in_its_colour_with_its_character(kind: int) -> None:
    table = replace(Table.of_game(dealt()), live=kind, live_from="draw", live_seat=0, window=None, wall=(), upcard=None)
    empty = replace(table, live=None)
    image, before = rgb_array(table, "large"), rgb_array(empty, "large")
    changed = (image != before).any(axis=2, keepdims=True)
    face = np.where(changed, image, 255)
    assert (near(face, RED) > 50) == is_red(kind)
    assert (near(face, BLACK) > 50) == (not is_red(kind) and kind != WILD)
    assert canvas.glyph_id(tile_glyph(kind)) in drawn_kinds(svg(table))


def test_faces_differ_as_images() -> None:
    table = replace(Table.of_game(dealt()), live_from="draw", live_seat=0)
    images = {rgb_array(replace(table, live=kind)).tobytes() for kind in range(WILD + 1)}
    assert len(images) == WILD + 1


def test_discards_are_drawn_otherwise_than_draws() -> None:
    table = Table.of_game(dealt())
    rivers = [((3, drawn),) for drawn in (False, True)]
    both = [replace(table, seats=(replace(table.seats[0], river=river), table.seats[1])) for river in rivers]
    assert svg(both[0]) != svg(both[1])
    assert not np.array_equal(rgb_array(both[0]), rgb_array(both[1]))
    assert "四d'" not in ansi(both[0])
    assert "四d'" in ansi(both[1])


def test_the_choice_that_is_taken_is_drawn_otherwise() -> None:
    game = dealt()
    plain, chosen = Table.of_game(game), Table.of_game(game, chosen=2)
    assert svg(plain) != svg(chosen)
    assert not np.array_equal(rgb_array(plain), rgb_array(chosen))


def test_nothing_leaves_the_frame_however_full_the_table_is() -> None:
    for table in (Table.of_game(Game.deal("hunan", 1)), Table.of_game(dealt())):
        for shape in picture.layout(crowded(table)):
            if isinstance(shape, canvas.Box):
                assert 0 <= shape.x <= shape.x + shape.w <= picture.WIDTH
                assert 0 <= shape.y <= shape.y + shape.h <= picture.HEIGHT
            else:
                end = canvas.text_width(shape.text, shape.size) * (-1 if shape.turned else 1)
                assert min(shape.x, shape.x + end) >= 0
                assert max(shape.x, shape.x + end) <= picture.WIDTH


def crowded(table: Table) -> Table:
    """More on the table than any hand has."""
    river = tuple((k % 20, k % 3 == 0) for k in range(st.RIVER))
    melds = tuple(LaidMeld("ti", (k + 10,) * 4, 1, huxi=12) for k in range(7))
    seats = tuple(
        replace(row, river=river, melds=melds, hand=tuple(range(21)), name="W" * 99, dead=True, dealer=True)
        for row in table.seats
    )
    choices = (*(Choice("chi", (11, 16, 19)) for _ in range(6)), Choice("pass chi"))
    return replace(
        table, seats=seats, wall=tuple(range(20)), window=Window(0, "chi", choices, 1), live=20, last_shown=3
    )


def test_outlines_in_an_svg_are_named_once_and_all_there() -> None:
    text = svg(Table.of_game(Game.deal("yongzhou", 4)))
    named = re.findall(r'id="(\w+)"', text)
    assert len(named) == len(set(named))
    assert set(re.findall(r'href="#(\w+)"', text)) == set(named)
    assert "font" not in text


def test_the_pictures_of_the_readme_are_there() -> None:
    for name in ("render-seat.png", "render-referee.png"):
        with Image.open(DATA / name) as image:
            assert image.size == picture.frame("large")
        assert (DATA / name).stat().st_size < 150_000


# --- all positions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", preset_names())
def test_every_position_of_every_preset_can_be_drawn(rules: str) -> None:
    for number, game in enumerate(positions(rules, 11, 6)):
        for table in tables(game):
            text = ansi(table)
            assert not any(line != line.rstrip() for line in text.splitlines())
            if number % 9 == 0 or game.over:
                ET.fromstring(svg(table))
        if number % 60 == 0:
            rgb_array(tables(game)[-1])


@pytest.mark.parametrize("rules", preset_names())
def test_the_doors_of_a_win_are_a_best_division_in_every_view(rules: str) -> None:
    won = 0
    for game in positions(rules, 5, 40):
        if game.over and game.record["winner"] >= 0:
            settlement = Table.of_game(game).settlement
            assert settlement is not None
            assert all(table.settlement == settlement for table in tables(game))
            assert settlement.groups
            won += 1
            if settlement.tile is not None:
                groups = [f"{door.name}:{format_group(door.tiles)}" for door in settlement.groups]
                assert Win(game).why_not(groups, sorted(settlement.patterns), settlement.fan) is None
    assert won


def test_a_fault_is_shown() -> None:
    game = dealt()
    game.fault(0, "illegal")
    assert "fault of seat 0 (illegal) · scores -10 +10" in ansi(Table.of_game(game))
    for table in tables(game):
        svg(table)


def test_drawing_leaves_random_states_as_they_are() -> None:
    game = Game.deal("hunan", 2)
    before = random.getstate(), str(np.random.get_state()), game.to_bytes()  # noqa: NPY002
    for table in tables(game):
        ansi(table), svg(table), rgb_array(table)
    assert before == (random.getstate(), str(np.random.get_state()), game.to_bytes())  # noqa: NPY002


# --- hidden tiles -----------------------------------------------------------------------------------------------------


def other_worlds(game: Game, seat: int, chance: random.Random) -> Iterator[Game]:
    """Games that differ from `game` in nothing that `seat` can see."""
    twin = game.clone()
    g = twin._array[0]
    wall = g["wall"][int(g["wall_next"]) : int(g["wall_end"])]
    wall[:] = chance.sample(wall.tolist(), len(wall))
    yield twin
    others = [s for s in range(game.rules.seats) if s != seat]
    if len(others) == 2:
        twin = game.clone()
        g = twin._array[0]
        a, b = (chance.choice([k for k in range(20) if g["hand"][s, k]] or [-1]) for s in others)
        if a >= 0 <= b:
            for s, out, come in ((others[0], a, b), (others[1], b, a)):
                for field in ("hand", "dealt"):
                    g[field][s, out] -= 1
                    g[field][s, come] += 1
            yield twin
    for s in others:
        for m in range(int(game.record["melds_n"][s])):
            if game.record["meld_type"][s, m] == st.WEI:
                yield with_another_wei(game, s, m)


def with_another_wei(game: Game, seat: int, place: int) -> Game:
    """The same game with a hidden wei of another kind."""
    twin = game.clone()
    g = twin._array[0]
    old = int(g["meld_kind"][seat, place])
    new = old + 1 if old % 10 < 9 else old - 1
    g["meld_kind"][seat, place] = new
    g["huxi"][seat] += int(game.rules.record[0]["huxi"][st.H_WEI, new] - game.rules.record[0]["huxi"][st.H_WEI, old])
    g["dealt"][seat, old] -= 2
    g["dealt"][seat, new] += 2
    return twin


@pytest.mark.parametrize("rules", ["hunan", "yongzhou", "luzhou", "mini"])
def test_what_a_seat_can_not_see_changes_nothing_that_it_is_shown(rules: str) -> None:
    chance = random.Random(7)
    compared = painted = 0
    for number, game in enumerate(positions(rules, 21, 8)):
        if game.over or (number % 3 and rules != "mini"):
            continue
        for seat in range(game.rules.seats):
            view = view_of(game, seat)
            table = Table.of_view(view, rules)
            for world in other_worlds(game, seat, chance):
                other = view_of(world, seat)
                assert other.tobytes() == view.tobytes()
                twin = Table.of_view(other, rules)
                assert ansi(twin) == ansi(table)
                assert svg(twin) == svg(table)
                compared += 1
                if number % 36 == 6:
                    painted += 1
                    assert rgb_array(twin).tobytes() == rgb_array(table).tobytes()
                    assert (Table.of_game(world) != Table.of_game(game)) == (world != game)
    assert compared > (20 if rules == "mini" else 100)
    assert painted


@pytest.mark.parametrize("rules", ["hunan", "yongzhou", "huaihua"])
def test_a_seats_picture_has_no_character_of_a_kind_that_it_has_not_seen(rules: str) -> None:
    unseen = 0
    for game in positions(rules, 31, 6):
        if game.over:
            continue
        for seat in range(3):
            shown = drawn_kinds(svg(Table.of_view(view_of(game, seat), rules)))
            text = ansi(Table.of_view(view_of(game, seat), rules))
            for kind in hidden_kinds(game, seat):
                unseen += 1
                assert canvas.glyph_id(tile_glyph(kind)) not in shown
                assert tile_glyph(kind) + tile_letter(kind) not in text
    assert unseen > 100


def hidden_kinds(game: Game, seat: int) -> list[int]:
    """The kinds of which every copy lies in other hands, the wall and hidden wei."""
    g = game.record
    hidden = np.zeros(WILD + 1, int)
    for s in range(3):
        if s == seat:
            continue
        hidden += g["hand"][s]
        for m in range(int(g["melds_n"][s])):
            if g["meld_type"][s, m] == st.WEI:
                hidden[int(g["meld_kind"][s, m])] += 3
    for kind in g["wall"][int(g["wall_next"]) : int(g["wall_end"])]:
        hidden[kind] += 1
    hidden[int(g["upcard"])] = 0
    return [kind for kind in range(20) if hidden[kind] == 4]


def test_a_wei_is_hidden_from_others_and_known_to_its_owner() -> None:
    for game in positions("hunan", 41, 6):
        g = game.record
        for s in range(3):
            for m in range(int(g["melds_n"][s])):
                if g["meld_type"][s, m] == st.WEI and not game.over:
                    kind = int(g["meld_kind"][s, m])
                    seen = [table.seats[s].melds[m] for table in tables(game)]
                    for viewer, meld in zip((None, 0, 1, 2), seen, strict=True):
                        known = viewer in (None, s)
                        assert meld.tiles == ((kind if known else HIDDEN),) * 3
                        assert meld.face_up == 0
                        assert (meld.huxi is None) == (not known)
