"""`python -m benchmarks tournament` and `report`: from options to a plan, from a folder to tables and a page."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.arena import Spent
from benchmarks.plan import Plan, TournamentError, Watch
from benchmarks.results import Results, results_of
from benchmarks.run import RunFolder, play
from benchmarks.tables import show, write_results

FILES: Final = "results.json, agents.csv, pairs.csv, timing.json, report.html"
SAY_EVERY: Final = 30.0
"""Seconds between lines of progress where standard error is no terminal."""


def tournament(
    plan: Plan, out: Path, records: Path | None, *, baseline: str | None, resume: bool, workers: int, backend: str
) -> int:
    """Play a plan in a folder, print what came of it, and write it there."""
    plan.checked()
    number = _baseline(baseline, plan.agents)
    folder = RunFolder(out, records)
    folder.begin(plan.manifest(), resume=resume)
    began = time.perf_counter()
    with _Bar(plan) as bar:
        play(plan, folder, workers=workers, backend=backend, tell=bar.tell)
    seconds = time.perf_counter() - began
    conclude(folder, number)
    hands = plan.hands_per_block * sum(len(plan.chunk_blocks(chunk)) for chunk in bar.fresh)
    if hands:
        print(f"played now: {hands:,} hands in {seconds:.1f} s, {hands / seconds:,.0f} a second")
    print(f"written to {out}: {FILES}" + (f"; records: {records}" if records else ""))
    return 0


def conclude(folder: RunFolder, baseline: int = 0) -> Results:
    """Sum up what a folder holds, print it, and write it there."""
    from benchmarks.page import write_page

    manifest = folder.manifest()
    plan = Plan.of(manifest)
    hands, spent, watch = played(plan, folder)
    results = results_of(plan, manifest, hands, watch, baseline)
    names = [agent["name"] for agent in manifest["agents"]]
    if manifest["reference"] is not None:
        names.append(f"reference: {manifest['reference']['name']}")
    show(results, names, spent)
    write_results(results, names, spent, folder)
    write_page(results, names, spent, plan, folder, hands)
    return results


def report(out: Path, baseline: str | None) -> int:
    """Make tables and page anew from what has been played."""
    manifest = RunFolder(out).manifest()
    records = manifest.get("records")
    names = tuple(agent["name"] for agent in manifest["agents"])
    conclude(RunFolder(out, None if records is None else Path(records)), _baseline(baseline, names))
    print(f"written to {out}: {FILES}")
    return 0


def played(plan: Plan, folder: RunFolder) -> tuple[Any, list[Spent], Watch]:
    """All hands that count, what they took, and what stopped them; of an unfinished tournament the first chunks.

    Raises
    ------
    TournamentError
        Not even the first chunk is there.
    """
    watch = plan.watch()
    parts = []
    spent: list[Spent] = []
    for number in range(plan.chunks):
        if not folder.has(number):
            break
        chunk = folder.read(plan, number)
        parts.append(chunk.hands)
        spent = spent or [Spent() for _ in chunk.spent]
        for mine, more in zip(spent, chunk.spent, strict=True):
            mine.add(more)
        if watch.add(chunk.hands):
            break
    if not parts:
        raise TournamentError(f"{folder.path}: no chunk has been played; go on with --resume")
    return np.concatenate(parts), spent, watch


def _baseline(name: str | None, agents: Sequence[str]) -> int:
    if name is None:
        return 0
    if name not in agents:
        raise TournamentError(f"baseline {name!r}; allowed: {', '.join(agents)}")
    return agents.index(name)


class _Bar:
    """Progress on standard error: a bar in a terminal, else a line now and then."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._began = self._said = time.perf_counter()
        self._blocks = 0
        self._bar: Progress | None = None
        self._task: Any = None
        self.fresh: list[int] = []
        """Chunks that were not there before."""

    def __enter__(self) -> _Bar:
        if sys.stderr is not None and sys.stderr.isatty():
            columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task("blocks", total=self._plan.blocks)
        return self

    def tell(self, number: int, fresh: bool) -> None:
        """A chunk is there; `fresh`: it has been played just now."""
        blocks = len(self._plan.chunk_blocks(number))
        self._blocks += blocks
        if fresh:
            self.fresh.append(number)
        now = time.perf_counter()
        mine = sum(len(self._plan.chunk_blocks(chunk)) for chunk in self.fresh)
        rate = mine * self._plan.hands_per_block / (now - self._began)
        if self._bar is not None:
            self._bar.update(self._task, advance=blocks, description=f"blocks ({rate:,.0f} hands a second)")
        elif now - self._said >= SAY_EVERY and sys.stderr is not None:
            self._said = now
            text = f"{self._blocks:,} of {self._plan.blocks:,} blocks, {rate:,.0f} hands a second"
            print(text, file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()
