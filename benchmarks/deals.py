"""Deal sets: hands to measure agents on, apart from those that they are trained and tuned with.

Three sets, without end, numbered from 0. `tune` is for whatever changes an agent: a search for parameters, the choice
of a checkpoint. `validation` is to look at while that goes on. `test` is for the figure that is published, and is
refused to tuning. What is dealt is fixed by a set's name and `VERSION`; the dealer is dealt with the hand.

No environment deals from the stream of the sets (its streams are numbers of slots, from 0), whatever its seed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np

from benchmarks.lockstep import deal_rows
from paohuzi_env.checks import one_of, whole
from paohuzi_env.core import state as st
from paohuzi_env.errors import PaohuziError
from paohuzi_env.rules import RuleSet, empty_evals

Name: TypeAlias = Literal["tune", "validation", "test"]
Purpose: TypeAlias = Literal["tuning", "report"]
NAMES: Final[tuple[Name, ...]] = get_args(Name)
PURPOSES: Final[tuple[Purpose, ...]] = get_args(Purpose)
VERSION: Final = 1
"""Raised when any hand of a set changes; it goes into every hash, and so into every deal."""
STREAM: Final = 1 << 61
MOST_DEALS: Final = 1 << 40
ELSEWHERE: Final = 1 << 39
"""Number of the first deal that no tournament uses: a reference's means are taken there."""
_SLICE: Final = 4096


class DealSetError(PaohuziError, ValueError):
    """A deal set that is unknown, or refused to a purpose."""


@dataclass(frozen=True)
class DealSet:
    """One of the sets; make it with `deal_set`.

    Attributes
    ----------
    name
        "tune", "validation" or "test".
    version
        Of the sets' hands.
    """

    name: Name
    version: int = VERSION

    @property
    def seed(self) -> np.uint64:
        """The generator's seed of the set."""
        digest = hashlib.sha256(f"paohuzi deals {self.version} {self.name}".encode()).digest()
        return np.uint64(int.from_bytes(digest[:8], "little"))

    def deal(self, rules: RuleSet, numbers: Any, dealers: Any = None, drawn_before: Any = None) -> Any:
        """GAME (n,): the hands of these numbers at their first decision.

        Parameters
        ----------
        rules
            The rule set.
        numbers
            int (n,): which hands.
        dealers
            int (n,): the dealer of each; -1, or None for all: drawn with the hand. The tiles are the same.
        drawn_before
            int (n,): drawn hands just before each; None for none.
        """
        numbers = np.ascontiguousarray(numbers, np.int64)
        games = st.allocate(len(numbers), st.GAME)
        deal_rows(
            games, rules.record, empty_evals(), np.zeros(st.DECK, np.int8), self.seed, STREAM, numbers,
            np.full(len(numbers), -1, np.int64) if dealers is None else np.ascontiguousarray(dealers, np.int64),
            np.zeros(len(numbers), np.int64) if drawn_before is None else np.ascontiguousarray(drawn_before, np.int64),
        )  # fmt: skip
        return games

    def hash(self, rules: RuleSet, numbers: range) -> str:
        """16 hexadecimal digits over the rule set's hash, the set's version and these hands as dealt."""
        digest = hashlib.sha256(f"{rules.hash} {self.version} {numbers.start} {numbers.stop}".encode())
        for start in range(numbers.start, numbers.stop, _SLICE):
            games = self.deal(rules, np.arange(start, min(start + _SLICE, numbers.stop)))
            for field in ("dealer", "upcard", "dealt", "hand_aside", "wall"):
                digest.update(np.ascontiguousarray(games[field], np.int8).tobytes())
        return digest.hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


def deal_set(name: str, *, purpose: str) -> DealSet:
    """A deal set, for a purpose: "tuning", after which an agent may be another, or "report", after which none is.

    Raises
    ------
    DealSetError
        There is no such set or purpose, or the set is `test` and the purpose tuning.
    """
    try:
        known: Name = one_of("deal set", name, NAMES)
        one_of("purpose", purpose, PURPOSES)
    except ValueError as error:
        raise DealSetError(str(error)) from error
    if known == "test" and purpose == "tuning":
        raise DealSetError("deal set 'test' for purpose 'tuning'; allowed: tune, validation")
    return DealSet(known)


def deal_range(first: object, count: object) -> range:
    """So many deals (or blocks) from a number on."""
    start = whole("first", first, 0, MOST_DEALS)
    return range(start, start + whole("blocks", count, 1, MOST_DEALS))
