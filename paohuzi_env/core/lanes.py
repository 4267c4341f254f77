"""Whole rows and words at a time: what a kernel says in one call here, the processor does in a few wide steps.

A compiled loop over a row goes entry by entry, since the compiler cannot know that no two records overlap. These
functions read all that they need before they write. Each is written twice: here as plain Python, which is what it
means and what interpreted runs do, and in `core._lanes` as instructions for the compiler. They check nothing: a row
is contiguous and has the entries that are asked for (of `out[plane]` the plane is checked where indices are).
Numbers of entries and planes are constants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from paohuzi_env.core._compile import COMPILED
from paohuzi_env.core.tiles import KINDS

if COMPILED:
    from paohuzi_env.core._lanes import as_intrinsic

P = ParamSpec("P")
R = TypeVar("R")


def wide(function: Callable[P, R]) -> Callable[P, R]:
    """In compiled runs, the instructions that mean what the function does."""
    return cast(Callable[P, R], as_intrinsic(function)) if COMPILED else function


@wide
def copy_fields(to: Any, source: Any, first: str, last: str) -> None:
    """Copy the fields `first` .. `last` from a record to another that has them in the same layout."""
    names = source.dtype.names
    for name in names[names.index(first) : names.index(last) + 1]:
        to[name] = source[name]


@wide
def copy_field(to: Any, source: Any) -> None:
    """Copy a field of a record into one of the same shape."""
    to[...] = source


@wide
def copy_seat(to: Any, source: Any, seat: int) -> None:
    """Copy a seat's part of a field by seat into a field of that part's shape."""
    to[...] = source[seat]


@wide
def clear(to: Any, rows: int) -> None:
    """Zero rows of KINDS int8."""
    to[:rows] = 0


@wide
def fill_row(to: Any, value: int) -> None:
    """Set KINDS int8 to one value."""
    to[:KINDS] = value


@wide
def copy_row(to: Any, row: Any) -> None:
    """Copy KINDS int8."""
    to[:KINDS] = row[:KINDS]


@wide
def subtract_rows(to: Any, row: Any, other: Any) -> None:
    """Write `row` less `other` into `to`, KINDS int8; `to` may be one of them."""
    to[:KINDS] = row[:KINDS] - other[:KINDS]


@wide
def spread_bits(to: Any, count: int, bits: int) -> None:
    """Write the low `count` bits (32 at most) as int8, an entry each."""
    for i in range(count):
        to[i] = bits >> i & 1


@wide
def put_thermometer(to: Any, first: int, row: Any) -> None:
    """Write KINDS counts as four rows from `first` on: 1 where the count is at least 1, 2, 3, 4."""
    counts = row[:KINDS].copy()  # it may be one of the four
    for n in range(4):
        to[first + n] = counts > n


@wide
def put_equal(to: Any, row: Any, value: int) -> None:
    """Write 1 (int8) where `row` has `value`, else 0: KINDS entries."""
    to[:KINDS] = row[:KINDS] == value


@wide
def places_of(row: Any, count: int, value: int) -> int:
    """A bit for each of the first `count` entries of a field, its rows one after the other, that is `value`."""
    entries = row.reshape(-1)
    return sum(1 << i for i in range(count) if entries[i] == value)


@wide
def ones(bits: int) -> int:
    """How many bits are set in a number from 0."""
    return int(bits).bit_count()


@wide
def lowest(bits: int) -> int:
    """The place of the lowest bit that is set; there must be one."""
    return (int(bits) & -int(bits)).bit_length() - 1


@wide
def fetch(rows: Any, i: int, size: int) -> None:
    """Say that the first `size` bytes of entry `i` will be written soon, so that they are on their way from memory."""


# --- between threads; interpreted runs do everything in one ---


@wide
def exchange(flags: Any, place: int, value: int) -> int:
    """Put a number (int64) in the place of another, which is returned, with no instant between for other threads."""
    old = int(flags[place])
    flags[place] = value
    return old


@wide
def exchange_if(flags: Any, place: int, value: int, expected: int) -> bool:
    """Put a number (int64) in the place of the one expected; False, and nothing is done, where another is there."""
    if flags[place] != expected:
        return False
    flags[place] = value
    return True


@wide
def look_again(flags: Any, place: int) -> int:
    """What other threads have put there by now, for a loop that waits: the processor rests for a moment first."""
    return int(flags[place])
