"""Playing a plan: chunks on any number of workers, each written whole, in a folder that a killed run goes on from.

    manifest.json          what is played (`plan.Plan.manifest`)
    chunks/000000.npz      HANDs and times of a chunk
    results.json, *.csv    what came of it (`results`, `tables`), without times
    timing.json            the times
    report.html            the page

Workers get texts and numbers and give back arrays: they share no files, so they may be on other machines.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import threading
import time
import warnings
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import joblib
import numpy as np
from joblib.externals.loky.process_executor import BrokenProcessPool
from joblib.parallel import get_active_backend

from agents.base import RAISED
from benchmarks.arena import Spent, play_blocks
from benchmarks.lockstep import HAND
from benchmarks.plan import FORMAT, Plan, TournamentError, Watch, difference
from benchmarks.recording import Recorder
from paohuzi_env.errors import shown
from paohuzi_env.files import write_whole

MANIFEST: Final = "manifest.json"
LOST_ROUNDS: Final = 3
"""Times in a row that workers may die before any of them has finished a chunk."""
Tell = Callable[[int, bool], None]
"""What is told of each chunk in its order: its number, and whether it has been played just now."""


@dataclass(frozen=True)
class Chunk:
    """What a worker gives back.

    Attributes
    ----------
    number
        Of the chunk.
    hands
        HAND (n,).
    spent
        For each agent.
    records
        Lines of records, if asked for.
    """

    number: int
    hands: Any
    spent: list[Spent]
    records: str | None = None


def play_chunk(plan: Plan, number: int, record: bool) -> Chunk:
    """Play one chunk with agents of its own, so that nothing they may remember comes from another one."""
    deals = plan.deal_set()
    with contextlib.ExitStack() as stack:
        agents = plan.make_agents()
        for agent in agents:
            stack.callback(_closed, agent)
        recorder = Recorder(agents, plan.rule_set, deals, plan.hands_per_match) if record else None
        played = play_blocks(
            agents, deals, plan.chunk_blocks(number), groups=plan.groups, hands_per_match=plan.hands_per_match,
            on_hands=recorder,
        )  # fmt: skip
    return Chunk(number, played.hands, played.spent, None if recorder is None else recorder.text())


def _closed(agent: Any) -> None:
    with contextlib.suppress(*RAISED):  # its hands are played; how it goes is its own matter
        agent.close()


# --- the folder -------------------------------------------------------------------------------------------------


class RunFolder:
    """The folder of a tournament.

    Parameters
    ----------
    path
        The folder.
    records
        The folder for records, if any.
    """

    def __init__(self, path: Path, records: Path | None = None) -> None:
        self.path = path
        self.records = records

    def begin(self, manifest: dict[str, Any], *, resume: bool) -> None:
        """Make the folder, or go on with the one that is there.

        Raises
        ------
        TournamentError
            It holds a tournament already and `resume` is not given, or another one, and where that differs.
        """
        full = {**manifest, "records": None if self.records is None else str(self.records)}
        file = self.path / MANIFEST
        if file.exists():
            there = self.manifest()
            if not resume:
                raise TournamentError(f"{self.path} holds a tournament; allowed: --resume, or another folder")
            wrong = list(difference(there, full))
            if wrong:
                more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
                raise TournamentError(f"{self.path} holds another tournament: {wrong[0]}{more}")
            return
        if (self.path / "chunks").exists():
            raise TournamentError(f"{self.path} holds chunks without {MANIFEST}; allowed: another folder")
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(file, (json.dumps(full, ensure_ascii=False, indent=1) + "\n").encode())

    def manifest(self) -> dict[str, Any]:
        """What is played here.

        Raises
        ------
        TournamentError
            There is no manifest that can be read.
        """
        file = self.path / MANIFEST
        try:
            found = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise TournamentError(f"{self.path} holds no tournament: {MANIFEST} is missing") from error
        except ValueError as error:
            raise TournamentError(f"{file} is no manifest: {error}") from error
        if not isinstance(found, dict):
            raise TournamentError(f"{file} is no manifest")
        try:
            if (format_ := found["format"]) != FORMAT:
                raise ValueError(f"format {shown(format_)}; allowed: {FORMAT}")
            if not isinstance(found.get("records"), str | None):
                raise TypeError(f"records {shown(found['records'])}; allowed: a folder's name, null")
            Plan.of(found).checked()
        except KeyError as error:
            raise TournamentError(f"{file} is no manifest: {error} is missing") from error
        except (AttributeError, TypeError, ValueError) as error:
            raise TournamentError(f"{file} is no manifest: {error}") from error
        return found

    def _file(self, number: int) -> Path:
        return self.path / "chunks" / f"{number:06d}.npz"

    def record_file(self, number: int) -> Path | None:
        """Where the records of a chunk are."""
        return None if self.records is None else self.records / f"chunk-{number:06d}.phz.jsonl"

    def has(self, number: int) -> bool:
        """Whether a chunk is there, with its records."""
        records = self.record_file(number)
        return self._file(number).exists() and (records is None or records.exists())

    def write(self, chunk: Chunk) -> None:
        """Write a chunk whole: its records first, so that a chunk that is there has them."""
        records = self.record_file(chunk.number)
        if records is not None and chunk.records is not None:
            records.parent.mkdir(parents=True, exist_ok=True)
            write_whole(records, chunk.records.encode())
        content = io.BytesIO()
        spent = np.array([(s.decisions, s.seconds, s.slowest) for s in chunk.spent])
        np.savez_compressed(content, hands=chunk.hands, spent=spent, errors=np.array([s.error for s in chunk.spent]))
        self._file(chunk.number).parent.mkdir(exist_ok=True)
        write_whole(self._file(chunk.number), content.getvalue())

    def read(self, plan: Plan, number: int) -> Chunk:
        """A chunk of a plan.

        Raises
        ------
        TournamentError
            It is missing or damaged, or holds other hands than the plan has there.
        """
        file = self._file(number)
        try:
            content = np.load(io.BytesIO(file.read_bytes()), allow_pickle=False)
            hands, spent, errors = content["hands"], content["spent"], content["errors"]
            _refuse_other_hands(plan, number, hands)
            rows = list(zip(spent.tolist(), errors.tolist(), strict=True))
            found = [Spent(int(n), float(seconds), float(most), str(text)) for (n, seconds, most), text in rows]
            if len(found) != plan.players:
                raise ValueError(f"times of {len(found)} agents; needed: {plan.players}")
        except _UNREADABLE as error:
            raise TournamentError(f"{file} can't be read ({error}); remove it and go on with --resume") from error
        return Chunk(number, hands, found)


_UNREADABLE: Final = (
    OSError, ValueError, KeyError, IndexError, TypeError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error,
)  # fmt: skip
"""What NumPy raises for a file that it did not write so."""


def _refuse_other_hands(plan: Plan, number: int, hands: Any) -> None:
    """Refuse what is not the hands of a chunk: a file of another chunk, or one that has been edited."""
    if hands.dtype != HAND or hands.ndim != 1:
        raise ValueError("it holds no hands, or those of another version")
    blocks, counts = np.unique(hands["block"], return_counts=True)
    wanted = plan.chunk_blocks(number)
    if not np.array_equal(blocks, np.asarray(wanted, np.int64)) or (counts != plan.hands_per_block).any():
        raise ValueError(f"it holds other hands than {plan.hands_per_block} of each block {wanted[0]} to {wanted[-1]}")
    seated = hands["agents"][:, : plan.rule_set.seats]
    if seated.min() < 0 or seated.max() >= plan.players:
        raise ValueError(f"it has agents {seated.min()} to {seated.max()}; allowed: 0 to {plan.players - 1}")


# --- playing ----------------------------------------------------------------------------------------------------


def play(
    plan: Plan, folder: RunFolder, *, workers: int = 1, backend: str = "loky", tell: Tell = lambda *_: None
) -> Watch:
    """Play what the folder lacks, on so many workers; `tell` hears of every chunk.

    A chunk whose worker died is played again by another one.

    Raises
    ------
    TournamentError
        Workers died several times in a row. Finished chunks are kept.
    """
    watch = plan.watch()
    waiting = iter(range(plan.chunks))  # chunks count in their order, however they come
    number = next(waiting, None)

    def goes_on() -> bool:
        nonlocal number
        while number is not None and watch.reason is None and folder.has(number):
            watch.add(folder.read(plan, number).hands)
            tell(number, number in fresh)
            number = next(waiting, None)
        return number is not None and watch.reason is None

    fresh: set[int] = set()
    lost = 0
    while goes_on():
        lost += 1
        todo = [n for n in range(plan.chunks) if not folder.has(n)]
        try:
            with contextlib.closing(_chunks(plan, todo, folder.records is not None, workers, backend)) as chunks:
                for chunk in chunks:
                    lost = 0
                    folder.write(chunk)
                    fresh.add(chunk.number)
                    if not goes_on():
                        break
        except Exception as error:
            if not _is_lost_worker(error):
                raise
            if lost == LOST_ROUNDS:
                why = f"workers died {lost} times without finishing a chunk"
                raise TournamentError(f"{why}; finished chunks are kept, go on with --resume") from error
    return watch


def _is_lost_worker(error: Exception) -> bool:
    return isinstance(error, BrokenProcessPool) or type(error).__module__.partition(".")[0] in ("ray", "distributed")


def _chunks(
    plan: Plan, todo: list[int], record: bool, workers: int, backend: str
) -> Generator[Chunk, None, None]:
    """Chunks as they are finished, in any order."""
    jobs = [joblib.delayed(play_chunk)(plan, number, record) for number in todo]
    with _configured(workers, backend):
        if get_active_backend()[0].supports_return_generator:
            yield from _unordered(jobs)
            return
        width = 2 * joblib.effective_n_jobs(workers)
        for start in range(0, len(jobs), width):  # the backend gives lists only: what is finished is kept by waves
            yield from joblib.Parallel(batch_size=1)(jobs[start : start + width])


def _unordered(jobs: Iterable[Any]) -> Generator[Chunk, None, None]:
    found = joblib.Parallel(batch_size=1, return_as="generator_unordered")(jobs)
    try:
        for chunk in found:  # noqa: UP028 - `yield from` would close it before the warning is muted
            yield chunk
    finally:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\d+ tasks (which were still|have been)", UserWarning)
            found.close()


def _leave_with(parent: int) -> None:
    """Let this worker end when its parent has gone: a tournament that is killed leaves nobody behind."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextlib.contextmanager
def _configured(workers: int, backend: str) -> Iterator[None]:
    """The joblib backend; a cluster is found by RAY_ADDRESS or DASK_SCHEDULER_ADDRESS, else it is this machine."""
    with contextlib.ExitStack() as stack:
        try:
            if backend == "ray":
                import ray
                from ray.util.joblib import register_ray

                if not ray.is_initialized():
                    ray.init(log_to_driver=False)
                    stack.callback(ray.shutdown)
                register_ray()
            elif backend == "dask":
                import distributed

                stack.enter_context(distributed.Client())
        except ImportError as error:
            raise TournamentError(f"backend {backend!r} needs a package that is not installed: {error}") from error
        options = {"initializer": _leave_with, "initargs": (os.getpid(),)} if backend == "loky" else {}
        stack.enter_context(joblib.parallel_config(backend=backend, n_jobs=workers, **options))
        yield
