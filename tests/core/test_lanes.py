"""Whole rows at a time: each function does what it says, in records too, and touches nothing beside it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from paohuzi_env.core import lanes
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED, entry
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.state import MELDS
from paohuzi_env.core.tiles import KINDS


@entry
def copy_table(games: Any, views: Any) -> None:
    lanes.copy_fields(views[0], games[0], "discarded", "drawn")


@entry
def copy_end(games: Any, views: Any) -> None:
    lanes.copy_fields(views[0], games[0], "fan", "fault_kind")


@entry
def copy_hands(games: Any) -> None:
    lanes.copy_field(games[0].dealt, games[0].hand)


@entry
def copy_own(games: Any, views: Any, seat: int) -> None:
    lanes.copy_seat(views[0].hand, games[0].hand, seat)
    lanes.copy_seat(views[0].stale_hu, games[0].stale_hu, seat)


@entry
def write_rows(planes: Any, games: Any, views: Any, value: int, bits: int) -> None:
    g = games[0]
    lanes.fill_row(planes[1], value)
    lanes.copy_row(planes[2], g.cap[1])
    lanes.subtract_rows(planes[3], g.dealt[2], g.hand[2])
    lanes.subtract_rows(planes[3], planes[3], g.drawn)
    lanes.spread_bits(planes[4], KINDS, bits)
    lanes.put_thermometer(planes, 5, g.hand[0])
    lanes.put_equal(planes[9], g.stale_hu[1], value)


@entry
def write_mask(mask: Any, bits: int) -> None:
    lanes.spread_bits(mask, NUM_ACTIONS, bits)


@entry
def clear_planes(planes: Any) -> None:
    lanes.clear(planes[1:], 7)


@entry
def clear_observation(planes: Any) -> None:
    lanes.clear(planes[1:], NUM_PLANES)


@entry
def fetch_all(games: Any, planes: Any) -> None:
    for i in range(len(games)):
        lanes.fetch(games, i, 874)
    for i in range(len(planes)):
        lanes.fetch(planes, i, KINDS)


@entry
def find(games: Any, seat: int, value: int) -> int:
    return lanes.places_of(games[0].meld_type[seat], MELDS, value)


def noise(count: int, dtype: np.dtype[Any], seed: int) -> Any:
    """Records with something small in every field."""
    chance = np.random.default_rng(seed)
    records = st.allocate(count, dtype)
    for name in st.GAME.names or ():
        if name in (dtype.names or ()):
            records[name] = chance.integers(-1, 5, records[name].shape).astype(records[name].dtype, casting="unsafe")
    return records


@pytest.mark.parametrize(("copy", "fields"), [(copy_table, st.TABLE), (copy_end, st.END)])
def test_a_block_of_fields_is_copied_and_nothing_else(copy: Any, fields: list[Any]) -> None:
    games, views = noise(1, st.GAME, 1), noise(1, st.VIEW, 2)
    before = views.copy()
    copy(games, views)
    names = [field[0] for field in fields]
    for name in st.VIEW.names or ():
        assert np.array_equal(views[name], (games if name in names else before)[name]), name


def test_fields_and_parts_of_seats_are_copied() -> None:
    games, views = noise(1, st.GAME, 3), noise(1, st.VIEW, 4)
    before = views.copy()
    for seat in range(st.SEATS):
        copy_own(games, views, seat)
        for name in st.VIEW.names or ():
            own = name in ("hand", "stale_hu")
            assert np.array_equal(views[name][0], games[name][0][seat] if own else before[name][0]), name
    before = games.copy()
    copy_hands(games)
    for name in st.GAME.names or ():
        assert np.array_equal(games[name], before["hand" if name == "dealt" else name]), name


@pytest.mark.parametrize("seed", range(20))
def test_rows_are_written_and_nothing_else(seed: int) -> None:
    chance = np.random.default_rng(seed)
    games, views = noise(1, st.GAME, seed), noise(1, st.VIEW, seed)
    planes = chance.integers(-99, 99, (11, KINDS)).astype(np.int8)
    before, value, bits = planes.copy(), int(chance.integers(-1, 127)), int(chance.integers(0, 1 << KINDS))
    write_rows(planes, games, views, value, bits)
    g = games[0]
    assert np.array_equal(planes[[0, 10]], before[[0, 10]])
    assert (planes[1] == value).all()
    assert np.array_equal(planes[2], g["cap"][1])
    assert np.array_equal(planes[3], g["dealt"][2][:KINDS] - g["hand"][2][:KINDS] - g["drawn"])
    assert planes[4].tolist() == [bits >> k & 1 for k in range(KINDS)]
    for n in range(4):
        assert np.array_equal(planes[5 + n], g["hand"][0][:KINDS] > n)
    assert np.array_equal(planes[9], g["stale_hu"][1][:KINDS] == value)
    written = planes.copy()
    clear_planes(planes)
    assert not planes[1:8].any()
    assert np.array_equal(planes[[0, 8, 9, 10]], written[[0, 8, 9, 10]])


def test_rows_of_many_pieces_are_cleared_and_nothing_else() -> None:
    planes = np.random.default_rng(0).integers(1, 99, (NUM_PLANES + 2, KINDS)).astype(np.int8)
    before = planes.copy()
    clear_observation(planes)
    assert not planes[1:-1].any()
    assert np.array_equal(planes[[0, -1]], before[[0, -1]])


def test_to_fetch_changes_nothing() -> None:
    games, planes = noise(3, st.GAME, 5), np.arange(5 * KINDS, dtype=np.int8).reshape(5, KINDS)
    before = games.tobytes(), planes.tobytes()
    fetch_all(games, planes)
    assert (games.tobytes(), planes.tobytes()) == before


def test_a_mask_has_an_entry_for_each_bit() -> None:
    for bits in (0, 1, 1 << 29, (1 << 30) - 1, 0x15555555, 1 << 31):
        mask = np.full(NUM_ACTIONS + 2, 7, np.int8)
        write_mask(mask, bits)
        assert mask.tolist() == [bits >> a & 1 for a in range(NUM_ACTIONS)] + [7, 7]


def test_places_of_a_value_are_found() -> None:
    games = noise(1, st.GAME, 5)
    for seat in range(st.SEATS):
        for value in range(-1, 6):
            row = games["meld_type"][0][seat].tolist()
            assert find(games, seat, value) == sum(1 << i for i, x in enumerate(row) if x == value)


@entry
def swap(flags: Any, place: int, value: int) -> int:
    return lanes.exchange(flags, place, value)


@entry
def swap_if(flags: Any, place: int, value: int, expected: int) -> bool:
    return lanes.exchange_if(flags, place, value, expected)


@entry
def add_one_by_one(flags: Any, times: int) -> None:
    """Count in flags[1], which is nobody else's while flags[0] is 1."""
    for _ in range(times):
        while not lanes.exchange_if(flags, 0, 1, 0):
            lanes.look_again(flags, 0)
        flags[1] += 1
        lanes.exchange(flags, 0, 0)


def test_numbers_are_exchanged() -> None:
    flags = np.arange(5)
    assert swap(flags, 3, -7) == 3
    assert flags.tolist() == [0, 1, 2, -7, 4]
    assert not swap_if(flags, 2, 9, 3)
    assert flags.tolist() == [0, 1, 2, -7, 4]
    assert swap_if(flags, 2, 9, 2)
    assert flags.tolist() == [0, 1, 9, -7, 4]


@pytest.mark.skipif(not COMPILED, reason="interpreted runs have one thread")
def test_there_is_no_instant_between_for_other_threads() -> None:
    flags = np.zeros(2, np.int64)
    add_one_by_one(flags, 0)
    with ThreadPoolExecutor(3) as pool:
        for future in [pool.submit(add_one_by_one, flags, 30_000) for _ in range(3)]:
            future.result()
    assert flags.tolist() == [0, 90_000]
