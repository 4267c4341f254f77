"""What the environments of many hands share: the hands themselves, the threads over them, and the checks of arrays."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.checks import refuse_unsound
from paohuzi_env.core import batch
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED
from paohuzi_env.crew import NAP, Crew, processors
from paohuzi_env.errors import StateError, shown
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet

T = TypeVar("T")

AWAKE: Final = 4e-4
"""Seconds that a thread looks out for the next job before it sleeps."""


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
    flags
        What each thread is at (`core.batch.post`).
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
        self.flags = np.zeros(threads * batch.APART, np.int64)
        self._crew: Crew | None = None

    def each(self, work: Callable[[int, int, int], T]) -> list[T]:
        """Call `work(thread, lo, hi)` for each thread's slice, side by side; the first one's in the calling thread.

        To hand work over and wait for it costs as much as some hundred decisions.
        """
        first, *others = [(t, lo, hi) for t, (lo, hi) in enumerate(self._slices)]
        if not others:
            return [work(*first)]
        with self._together() as crew:
            batch.dismiss(self.flags, len(self._slices))
            for call in others:
                crew.give(call[0], work, *call)
            own = work(*first)
            return [own, *(crew.answer(t) for t, _, _ in others)]

    def post(self, job: int, serve: Callable[[int, int, int, int], None]) -> None:
        """Do a job of `core.batch.serve` on each thread's slice, side by side; the first one's in the calling thread.

        The other threads look out for the next job for a fraction of a millisecond before they sleep.

        Parameters
        ----------
        job
            `core.batch.CHECK`, `STEP` or `SAMPLE`.
        serve
            Called with a thread, how often it may look in vain, and its slice. It must be the same one, with the same
            arrays, from call to call: a thread that is awake goes on with those that it has.
        """
        if not COMPILED or len(self._slices) == 1:
            for t, (lo, hi) in enumerate(self._slices):
                batch.post(self.flags, t, job)
                serve(t, 1, lo, hi)
            return
        with self._together() as crew:
            looks = looks_within(AWAKE) if len(self._slices) <= processors() else 1
            for t, (lo, hi) in enumerate(self._slices):
                if batch.post(self.flags, t, job) == batch.IDLE and t > 0:
                    crew.give(t, serve, t, looks, lo, hi)
            serve(0, 1, *self._slices[0])
            while not batch.settled(self.flags, len(self._slices), 4 * looks):
                crew.check()
                time.sleep(NAP)

    def lowest_found(self) -> int:
        """The lowest row that the job CHECK has found, or -1 where it has found none."""
        found = self.flags[1 :: batch.APART]
        return int(min(found[found >= 0], default=-1))

    @contextlib.contextmanager
    def _together(self) -> Iterator[Crew]:
        """The threads beside the calling one, for one call. Where that is not through, interrupted or in error, nobody
        is at work afterwards: the next call finds no thread that may still write, and no job that was never begun.
        """
        crew = self._crew
        if crew is not None and crew.is_torn:
            self.close()
        if self._crew is None or self._crew.process != os.getpid():  # a forked child has no threads of its parent's
            self.flags[:] = batch.IDLE
            self._crew = Crew(range(1, len(self._slices)))
        crew = self._crew
        crew.is_torn = True
        try:
            yield crew
        except BaseException:
            self.close()
            raise
        crew.is_torn = False

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
        refuse_unsound(games, self.rules)
        as_bytes(self.games)[rows] = as_bytes(games)
        as_bytes(self.slots)[rows] = as_bytes(slots)

    def close(self) -> None:
        """End the threads. A later call starts them again."""
        if self._crew is not None and self._crew.process == os.getpid():
            batch.dismiss(self.flags, len(self._slices))
            self._crew.end()
        self._crew = None  # not before they have ended: a thread that is left over would take the next one's jobs

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_crew": None, "flags": np.zeros_like(self.flags)}


@cache
def looks_within(seconds: float) -> int:
    """How often a thread can look at a flag in that time; measured, since a look's rest takes 15 to 50 ns."""
    flags = np.full(batch.APART, batch.STEP)
    batch.settled(flags, 1, 1)  # compiled or loaded
    tried, took = 500, []
    for _ in range(20):
        start = time.perf_counter()
        batch.settled(flags, 1, tried)
        took.append(time.perf_counter() - start)
    return max(1, int(tried * seconds / min(took)))  # whatever else the machine does only lengthens it


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
