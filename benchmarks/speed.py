"""The whole speed suite: ``make bench``, or ``python -m benchmarks speed --quick``.

Cases take turns in each round with a calibration loop and with one that only writes the arrays, and so do the peers.
One table is printed; the full run writes `bench.json` and `bench.png` to `benchmarks/results`, a quick one to `.bench`.
"""

from __future__ import annotations

import datetime as dt
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from rich.console import Console

from benchmarks import aec, evaluator, machine, peers, report, search, throughput
from benchmarks.cold_start import cold_start_figures
from benchmarks.measure import Case, Figure, Tally, figures_of, interleave, ratio_runs
from benchmarks.memory import memory_figures
from paohuzi_env.errors import shown

Part: TypeAlias = Literal["play", "presets", "evaluator", "search", "threads", "memory", "cold"]
Tell: TypeAlias = Callable[[str], None]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
RESULTS: Final = Path(__file__).parent / "results"
PEER_TARGETS: Final = {
    "riichienv: mahjong": 35.0,
    "open_spiel: bridge": 10.0,
    "pgx: sparrow mahjong": 15.0,
    "pgx: leduc holdem": 1.0,
}
"""How many times as fast as the peer `VectorEnv` is to be."""


@dataclass(frozen=True, slots=True)
class Options:
    """How fast Paohuzi is, beside a calibration loop and beside other environments.

    Attributes
    ----------
    quick
        Fewer and shorter rounds, in a minute or two: to look, not to quote.
    parts
        What to measure.
    peers
        Environments of others to measure beside, each installed on demand.
    out
        The folder for bench.json and bench.png.
    """

    quick: bool = False
    parts: tuple[Part, ...] = PARTS
    peers: tuple[str, ...] = peers.NAMES
    out: Path | None = None

    @property
    def rounds(self) -> int:
        """Rounds of each case."""
        return 3 if self.quick else 7

    @property
    def seconds(self) -> float:
        """CPU-seconds of a case in a round."""
        return 0.2 if self.quick else 1.0


def run(options: Options, tell: Tell = lambda _: None, command: str = "") -> report.Report:
    """Measure what the options name; `command` is what the report says that it was made with.

    Raises
    ------
    ValueError
        A peer's name is unknown.
    """
    for name in options.peers:
        if name not in peers.NAMES:
            raise ValueError(f"unknown peer {shown(name)}; allowed: {', '.join(peers.NAMES)}")
    started, begin, before = dt.datetime.now(dt.UTC), time.perf_counter(), machine.load()
    notes: dict[str, report.PeerNote] = {}
    lines = _taking_turns(options, tell, notes)
    if "threads" in options.parts:
        tell("two threads")
        for n in (throughput.N, max(throughput.SIZES)):
            lines += report.lines_of(throughput.thread_scaling(n, pairs=10 if options.quick else 40))
    if "evaluator" in options.parts:
        tell("slowest hand with wild tiles")
        worst = Figure("slowest hand with wild tiles", "evaluator", "ms", (evaluator.worst_wild_hand(),), 1.0, True)
        lines += report.lines_of([worst])
    if "memory" in options.parts:
        tell("memory")
        lines += report.lines_of(memory_figures())
    if "cold" in options.parts:
        lines += report.lines_of(cold_start_figures(1 if options.quick else 5, tell))
    lines.sort(key=lambda line: report.GROUPS.index(line.group))  # stable: within a group as measured
    return report.Report(
        command=command,
        started=started.isoformat(timespec="seconds"), seconds=round(time.perf_counter() - begin, 1),
        quick=options.quick, rounds=options.rounds, machine=machine.machine(), versions=machine.versions(),
        commit=machine.commit(), load_before=before, load_after=machine.load(), lines=lines, peers=notes,
    )  # fmt: skip


def _taking_turns(options: Options, tell: Tell, notes: dict[str, report.PeerNote]) -> list[report.Line]:
    """All cases that are rates, and the ratios between them; fills in what the peers were."""
    cases = throughput.yardsticks()
    targets: dict[str, float] = dict(throughput.TARGETS)
    if "play" in options.parts:
        cases += throughput.vector_cases() + aec.cases()
    if "presets" in options.parts:
        cases += throughput.preset_cases()
    if "evaluator" in options.parts:
        tell("collecting positions")
        cases += evaluator.cases(positions=500 if options.quick else 2000)
        targets |= evaluator.TARGETS
    if "search" in options.parts:
        cases += search.cases()
        targets |= search.TARGETS
    failures: dict[str, str] = {}
    with ExitStack() as stack:
        for name in options.peers:
            tell(f"{name}: installing or starting it")
            try:
                peer = stack.enter_context(peers.Peer(name, peers.install(name)))
                cases += peer.start()
                notes[name] = report.PeerNote(peer.versions)
            except peers.PeerError as error:
                notes[name] = report.PeerNote(unavailable=str(error))
        tallies = interleave(cases, options.rounds, options.seconds, tell, failures)
    for case, reason in failures.items():
        notes[case.partition(":")[0]] = report.PeerNote(unavailable=reason)
    for case, runs in tallies.items():
        name, _, what = case.partition(": ")
        if name in notes and (games := sum(t.games for t in runs)):
            notes[name].games[what] = round(sum(t.units for t in runs) / games, 1)
    figures = figures_of(cases, tallies, targets) + _ratios(cases, tallies)
    held = {name: [t.rate for t in tallies[name]] for name in (throughput.CALIBRATION, throughput.BARE)}
    return report.lines_of(figures, held)


def _ratios(cases: Sequence[Case], tallies: dict[str, list[Tally]]) -> list[Figure]:
    """`VectorEnv` beside the peers and beside the bare loop, and each preset beside hunan."""
    rates = {name: [t.rate for t in runs] for name, runs in tallies.items()}
    ours = rates.get(throughput.vector_name(throughput.N))
    hunan = rates.get(throughput.preset_name("hunan"))
    figures = []
    for case in cases:
        if case.name not in rates:
            continue
        if case.group == "presets" and hunan:
            runs = ratio_runs(rates[case.name], hunan)
            figures.append(Figure(f"{case.name.rpartition(', ')[2]} to hunan", "presets", "times", runs))
        elif case.group == "peers" and ours:
            runs = ratio_runs(ours, rates[case.name])
            figures.append(Figure(f"to {case.name}", "ratios", "times", runs, PEER_TARGETS.get(case.name)))
    return figures


def measure(options: Options) -> int:
    """Measure, print the table, write the files."""
    console = report.console()
    words = sys.argv[1:]
    command = " ".join(["python -m benchmarks", *words]) if words != ["speed"] else "make bench"
    folder = options.out or (peers.CACHE if options.quick else RESULTS)
    with Console(stderr=True).status("…") as status:
        found = run(options, status.update, command)
    report.show(found, console)
    found.save(folder / "bench.json")
    report.plot(found, folder / "bench.png")
    console.print(f"written: {folder / 'bench.json'}, {folder / 'bench.png'}", markup=False)
    return 0
