"""What the environments of many hands share: the hands themselves, the threads over them, and the checks of arrays."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core import batch
from paohuzi_env.core import state as st
from paohuzi_env.errors import StateError, shown
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet

T = TypeVar("T")


class Slots:
    """N hands, the scratch that kernels need beside them, and the threads that share them.

    Copies and pickles hold the hands; threads are started where they are first needed.

    Attributes
    ----------
    games : GAME, (N,)
    slots : SLOT, (N,)
        Which hand of which seed each game is (`core.batch`).
    evals, views, orders
        Scratch, a row a thread.
    """

    def __init__(self, rules: RuleSet, count: int, threads: int) -> None:
        self.rules = rules
        self.games: Any = st.allocate(count, st.GAME)
        self.slots: Any = st.allocate(count, batch.SLOT)
        self.evals: Any = st.allocate(threads, st.EVAL)
        self.views: Any = st.allocate(threads, st.VIEW)
        self.orders = np.zeros((threads, st.DECK), np.int8)
        bounds = [count * t // threads for t in range(threads + 1)]
        self._slices = list(itertools.pairwise(bounds))
        self._pool: ThreadPoolExecutor | None = None
        self._pool_process = 0

    def each(self, work: Callable[[int, int, int], T]) -> list[T]:
        """Call `work(thread, lo, hi)` for each thread's slice, side by side; the first one's in the calling thread.

        To hand work over and wait for it costs as much as some hundred decisions.
        """
        first, *others = [(t, lo, hi) for t, (lo, hi) in enumerate(self._slices)]
        if not others:
            return [work(*first)]
        if self._pool is None or self._pool_process != os.getpid():  # a forked child has no threads of its parent's
            self._pool, self._pool_process = ThreadPoolExecutor(len(others)), os.getpid()
        futures = [self._pool.submit(work, *call) for call in others]
        try:
            own = work(*first)
        finally:
            for future in futures:
                future.exception()  # it is over: nobody writes into the arrays when this returns or raises
        return [own, *(future.result() for future in futures)]

    def first(self, work: Callable[[int, int, int], int]) -> int:
        """The lowest row that `work` returns, or -1 where each slice gives -1."""
        return min((int(row) for row in self.each(work) if row >= 0), default=-1)

    def game(self, row: int) -> Game:
        """A copy of the hand in a row."""
        return Game(self.rules, taken(self.games, np.array([row])))

    def replace(self, rows: NDArray[np.int64], games: Any, slots: Any) -> None:
        """Put other hands into some rows.

        Raises
        ------
        StateError
            They are of another layout, or not as many.
        """
        for name, new, own in (("games", games, self.games), ("slots", slots, self.slots)):
            if not isinstance(new, np.ndarray) or new.dtype != own.dtype or new.shape != rows.shape:
                have = f"shape {getattr(new, 'shape', None)}, dtype {str(getattr(new, 'dtype', None))[:60]}"
                raise StateError(
                    f"snapshot whose {name} have {have}; allowed: {len(rows)} rows as this version has them"
                )
        as_bytes(self.games)[rows] = as_bytes(games)
        as_bytes(self.slots)[rows] = as_bytes(slots)

    def close(self) -> None:
        """End the threads. A later call starts them again."""
        if self._pool is not None and self._pool_process == os.getpid():
            self._pool.shutdown()
        self._pool = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_pool": None}


def as_bytes(records: Any) -> NDArray[np.uint8]:
    """The records' own memory, a row a record. Copied so, the bytes between fields come along (and it is fast)."""
    plain_records = np.ascontiguousarray(records)
    return plain_records.view(np.uint8).reshape(len(records), records.dtype.itemsize)


def taken(records: Any, rows: NDArray[np.int64]) -> Any:
    """Copies of some records, to the byte."""
    copy = np.zeros(len(rows), records.dtype)
    as_bytes(copy)[:] = as_bytes(records)[rows]
    return copy


# --- checks --------------------------------------------------------------------------------------------------------


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in range; a bool is none."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} = {shown(value)}; allowed: a whole number from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name} = {shown(value)}; allowed: a whole number from {low} to {high}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """A bool, and nothing that merely counts as one."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} = {shown(value)}; allowed: True, False")
    return bool(value)


def plain(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """The array as kernels were compiled for: contiguous, aligned, writable, no subclass. A copy where it is not."""
    return np.require(array, dtype, ["C", "A", "W", "E"])


def whole_numbers(name: str, values: Any, count: int) -> NDArray[np.int64]:
    """An array of whole numbers (not floats, not bools) of shape (count,), as int64."""
    array = np.asarray(values)
    if array.shape != (count,):
        raise ValueError(f"{name} of shape {array.shape}; allowed: ({count},)")
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} of dtype {array.dtype}; allowed: whole numbers")
    return plain(array, np.int64)


def in_range(name: str, array: NDArray[np.int64], low: int, high: int) -> NDArray[np.int64]:
    """The array, whose numbers are all in range; else an error that names the row."""
    wrong = np.flatnonzero((array < low) | (array > high))
    if wrong.size:
        raise ValueError(f"row {wrong[0]}: {name} {array[wrong[0]]}; allowed: {low} to {high}")
    return array


def row_mask(name: str, mask: Any, count: int) -> NDArray[np.bool_]:
    """A bool array of shape (count,) with at least one True; a copy."""
    if not isinstance(mask, np.ndarray) or mask.shape != (count,) or mask.dtype != np.bool_:
        have = f"shape {getattr(mask, 'shape', None)}, dtype {getattr(mask, 'dtype', None)}"
        raise ValueError(f"{name} of {have}; allowed: bool ({count},)")
    if not mask.any():
        raise ValueError(f"{name} chooses no row; allowed: at least one True")
    return np.array(mask, np.bool_, order="C")


def row_numbers(rows: Any, count: int) -> NDArray[np.int64]:
    """Numbers of rows, each once; all where `rows` is None."""
    if rows is None:
        return np.arange(count)
    array = np.atleast_1d(np.asarray(rows))
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise ValueError(f"rows of shape {array.shape}, dtype {array.dtype}; allowed: a list of row numbers")
    wrong = np.flatnonzero((array < 0) | (array >= count))
    if wrong.size:
        raise ValueError(f"row {array[wrong[0]]}; allowed: 0 to {count - 1}")
    return array.astype(np.int64)


def given_array(name: str, array: Any, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A caller's array to write into, as kernels can take it."""
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        have = f"shape {getattr(array, 'shape', None)}, dtype {getattr(array, 'dtype', None)}"
        raise ValueError(f"{name} of {have}; allowed: shape {shape}, dtype {np.dtype(dtype)}")
    if not (array.flags.c_contiguous and array.flags.writeable and array.flags.aligned):
        raise ValueError(f"{name} is not a writable, contiguous, aligned array")
    return array.view(np.ndarray)
