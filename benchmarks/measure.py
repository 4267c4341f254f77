"""How the suite measures: cases that take turns, and the median of what each got.

Every case runs once in each round, so that a noisy machine is noisy for all of them alike. A case's rate is units a
CPU-second of its process; a ratio of two cases is the median of the ratios within the rounds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

PER_CPU: Final = " / CPU s"
"""How the unit of a rate ends."""


class CaseError(Exception):
    """A case that can't be measured (any more); the text says why."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one run of a case came to.

    Attributes
    ----------
    units
        Decisions, rollouts, rows: what the case counts.
    cpu, wall
        Seconds of its process, and of the clock.
    games
        Games that ended, where the case counts them.
    """

    units: int
    cpu: float
    wall: float
    games: int = 0

    @property
    def rate(self) -> float:
        """Units a CPU-second."""
        return self.units / self.cpu


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to measure.

    Attributes
    ----------
    name
        As the table shows it; unique in a run.
    group, unit
        The part of the table, and what is counted.
    run
        Works for about so many CPU-seconds and says what it did.
    """

    name: str
    group: str
    unit: str
    run: Callable[[float], Tally]


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table: the runs, in order, and what they are to be measured against.

    Attributes
    ----------
    target
        What is to be reached, or None.
    smaller_is_better
        True for times and sizes.
    """

    name: str
    group: str
    unit: str
    runs: tuple[float, ...]
    target: float | None = None
    smaller_is_better: bool = False

    @property
    def value(self) -> float:
        """The median of the runs."""
        return statistics.median(self.runs)

    @property
    def reached(self) -> bool | None:
        """Whether the target is reached; None without one."""
        if self.target is None:
            return None
        return self.value <= self.target if self.smaller_is_better else self.value >= self.target


def repeating(step: Callable[[], int]) -> Callable[[float], Tally]:
    """A case's `run` that calls `step`, which returns units, until the CPU-seconds are spent."""

    def run(seconds: float) -> Tally:
        units = 0
        wall = time.perf_counter()
        start = time.process_time()
        while (cpu := time.process_time() - start) < seconds:
            units += step()
        return Tally(units, cpu, time.perf_counter() - wall)

    return run


def interleave(
    cases: Sequence[Case],
    rounds: int,
    seconds: float,
    tell: Callable[[str], None] = lambda _: None,
    failures: dict[str, str] | None = None,
) -> dict[str, list[Tally]]:
    """Run the cases in turn, `rounds` times, after a short round that is not counted.

    Parameters
    ----------
    cases
        With names of their own.
    rounds
        Runs of each that count.
    seconds
        CPU-seconds of a case in a round.
    tell
        Called with a line about what comes next.
    failures
        Takes the reasons of cases that failed, by name.

    Returns
    -------
    dict
        The tallies of each case by name, a round each. A case that raised `CaseError` is left out.
    """
    if len({case.name for case in cases}) != len(cases):
        raise ValueError(f"cases of one name: {[case.name for case in cases]}")
    tallies: dict[str, list[Tally]] = {case.name: [] for case in cases}
    for number in range(rounds + 1):
        for case in cases:
            if case.name not in tallies:
                continue
            tell(f"round {number} of {rounds}: {case.name}" if number else f"warming up: {case.name}")
            try:
                tally = case.run(seconds if number else seconds / 10)
            except CaseError as error:
                del tallies[case.name]
                if failures is not None:
                    failures[case.name] = str(error)
            else:
                if number:
                    tallies[case.name].append(tally)
    return tallies


def figures_of(
    cases: Iterable[Case], tallies: Mapping[str, Sequence[Tally]], targets: Mapping[str, float]
) -> list[Figure]:
    """A figure for each case that has tallies: its rates."""
    return [
        Figure(
            case.name, case.group, f"{case.unit}{PER_CPU}", tuple(t.rate for t in tallies[case.name]),
            targets.get(case.name),
        )
        for case in cases
        if case.name in tallies
    ]  # fmt: skip


def ratio_runs(above: Sequence[float], below: Sequence[float]) -> tuple[float, ...]:
    """The ratio within each round."""
    return tuple(a / b for a, b in zip(above, below, strict=True))
