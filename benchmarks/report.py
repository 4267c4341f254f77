"""The suite's results as a record, a table, a plot, and a section of the README.

python -m benchmarks.report benchmarks/results/bench.json              # the table again
python -m benchmarks.report benchmarks/results/bench.json --readme README.md
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.console import Console
from rich.table import Table

from benchmarks.measure import PER_CPU, Figure, ratio_runs
from benchmarks.throughput import BARE, CALIBRATION, SIZES, N, vector_name

FORMAT: Final = 1
BEGIN: Final = "<!-- bench:begin -->"
END: Final = "<!-- bench:end -->"
GROUPS: Final = (
    "yardsticks",
    "play",
    "threads",
    "peers",
    "ratios",
    "evaluator",
    "search",
    "memory",
    "cold start",
    "presets",
)
"""In the order of the table."""
LEFT_OUT: Final = ("presets",)
"""Groups that the README sums up in a sentence."""


@dataclass(frozen=True, slots=True)
class Line:
    """A figure as it is written: medians, the range of the runs, and what it is beside the yardsticks.

    Attributes
    ----------
    to_calibration
        Units for each thousand rounds of the calibration loop, the median over the rounds; None for what took no
        turns with it.
    to_bare
        The same beside the loop that only writes the arrays.
    """

    name: str
    group: str
    unit: str
    value: float
    low: float
    high: float
    runs: tuple[float, ...]
    target: float | None = None
    smaller_is_better: bool = False
    reached: bool | None = None
    to_calibration: float | None = None
    to_bare: float | None = None


@dataclass(frozen=True, slots=True)
class PeerNote:
    """What a peer was: its versions, or why there are no figures of it."""

    versions: dict[str, str] = field(default_factory=dict)
    unavailable: str | None = None
    games: dict[str, float] = field(default_factory=dict)  # case -> decisions a game


@dataclass(frozen=True, slots=True)
class Report:
    """One run of the suite.

    Attributes
    ----------
    load_before, load_after
        Load averages of 1, 5 and 15 minutes. Far above the cores that the suite uses itself (one, shortly two), the
        figures are those of a busy machine.
    """

    command: str
    started: str
    seconds: float
    quick: bool
    rounds: int
    machine: dict[str, Any]
    versions: dict[str, str]
    commit: dict[str, Any]
    load_before: list[float] | None
    load_after: list[float] | None
    lines: list[Line]
    peers: dict[str, PeerNote] = field(default_factory=dict)
    format: int = FORMAT

    def line(self, name: str) -> Line:
        """The line of that name.

        Raises
        ------
        KeyError
            There is none.
        """
        for line in self.lines:
            if line.name == name:
                return line
        raise KeyError(name)

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load(path: Path) -> Report:
    """The report that `save` wrote.

    Raises
    ------
    msgspec.ValidationError, ValueError
        The file is none, or of another format.
    """
    report = msgspec.json.decode(path.read_bytes(), type=Report)
    if report.format != FORMAT:
        raise ValueError(f"{path}: report of format {report.format}; allowed: {FORMAT}")
    return report


def lines_of(figures: Sequence[Figure], yardsticks: Mapping[str, Sequence[float]] | None = None) -> list[Line]:
    """Figures as lines; `yardsticks` has the runs of the two loops in the same rounds."""
    held = yardsticks or {}

    def beside(figure: Figure, name: str) -> float | None:
        runs = held.get(name)
        if runs is None or len(runs) != len(figure.runs) or not figure.unit.endswith(PER_CPU):
            return None
        return Figure(name, "", "", ratio_runs(figure.runs, runs)).value

    return [
        Line(
            f.name, f.group, f.unit, f.value, min(f.runs), max(f.runs), f.runs, f.target, f.smaller_is_better,
            f.reached, beside(f, CALIBRATION), beside(f, BARE),
        )
        for f in figures
    ]  # fmt: skip


# --- words ------------------------------------------------------------------------------------------------------------


def number(value: float | None) -> str:
    """Three digits that matter, whole numbers with commas."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e-3 or value == 0 else f"{value:.2e}"


def _goal(line: Line) -> str:
    if line.target is None:
        return ""
    return f"{'≤' if line.smaller_is_better else '≥'} {number(line.target)}"


def console() -> Console:
    """Standard output, with room for the table where it is no terminal."""
    found = Console()
    return found if found.is_terminal else Console(width=180)


def show(report: Report, console: Console) -> None:
    """Print the one table, and below it what it was made on."""
    table = Table(title="Benchmarks" + (" (quick)" if report.quick else ""))
    for column in ("figure", "median", "unit", "range", "target", "to calibration", "to bare loop"):
        table.add_column(column, justify="left" if column in ("figure", "unit") else "right")
    for group, lines in groupby(report.lines, key=lambda line: line.group):
        table.add_section()
        table.add_row(f"[bold]{group}")
        for line in lines:
            colour = {True: "green", False: "red", None: "default"}[line.reached]
            spread = f"{number(line.low)} – {number(line.high)}" if len(line.runs) > 1 else ""
            table.add_row(
                f"  {line.name}", f"[{colour}]{number(line.value)}", line.unit, spread, _goal(line),
                number(line.to_calibration), number(line.to_bare),
            )  # fmt: skip
    console.print(table)
    for name, note in report.peers.items():
        if note.unavailable:
            console.print(f"{name}: unavailable: {note.unavailable}", markup=False)
    console.print(provenance(report), markup=False)


def provenance(report: Report) -> str:
    """Command, machine, commit and how busy the machine was, in a sentence or two."""
    machine, commit = report.machine, report.commit
    changed = ", with changes" if commit.get("changed") else ""
    packages = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    busy = ""
    if report.load_before and report.load_after:
        busy = f"; load average {report.load_before[0]} before, {report.load_after[0]} after"
    return (
        f"{report.command} on {report.started[:10]}, commit {str(commit.get('hash'))[:12]}{changed}; "
        f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {machine['python']}, "
        f"{packages}{busy}"
    )


def markdown(report: Report) -> str:
    """The README's section: a table, and what it was made with."""
    text = [*_markdown_rows(report), "", *_peer_words(report), "", f"`{report.command}`: {_rest(provenance(report))}."]
    return "\n".join(text)


def _markdown_rows(report: Report) -> Iterator[str]:
    yield "| figure | median | target | to calibration |"
    yield "|---|---:|---:|---:|"
    for group, lines in groupby(report.lines, key=lambda line: line.group):
        if group in LEFT_OUT:
            continue
        yield f"| **{group}** | | | |"
        for line in lines:
            yield (
                f"| {line.name} | {number(line.value)} {line.unit} | {_goal(line)} | {number(line.to_calibration)} |"
            )


def _peer_words(report: Report) -> Iterator[str]:
    presets = [line for line in report.lines if line.group == "presets" and line.unit == "times"]
    if presets:
        said = ", ".join(f"{line.name.partition(' to ')[0]} {line.value:.2f}" for line in presets)
        yield f"Presets, as a ratio to hunan: {said}."
    for name, note in report.peers.items():
        if note.unavailable:
            yield f"{name} was not available."
        else:
            has = ", ".join(f"{package} {version}" for package, version in note.versions.items())
            games = ", ".join(f"{case} {mean:.0f}" for case, mean in note.games.items())
            yield f"{name}: {has}; decisions a game: {games}."


def _rest(sentence: str) -> str:
    return sentence.partition(" on ")[2].rstrip("; ")


def write_readme(report: Report, path: Path) -> None:
    """Put the section between the markers of the file.

    Raises
    ------
    ValueError
        The markers are not there, once each and in order.
    """
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{path} has not {BEGIN} and {END} once each, in this order")
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    path.write_text(f"{head}{BEGIN}\n{markdown(report)}\n{END}{tail}", encoding="utf-8")


# --- the picture ------------------------------------------------------------------------------------------------------


def plot(report: Report, path: Path) -> None:
    """Two panels as a PNG: decisions a CPU-second by N, and beside other environments."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    ours, grey = "#1f6f8b", "#9aa5ab"
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    rates = {line.name: line for line in report.lines}
    sizes = [n for n in SIZES if vector_name(n) in rates]
    lines = [rates[vector_name(n)] for n in sizes]
    left.plot(sizes, [line.value for line in lines], color=ours, marker="o")
    left.fill_between(sizes, [x.low for x in lines], [x.high for x in lines], color=ours, alpha=0.2, linewidth=0)
    left.set(xscale="log", xlabel="hands side by side (N)", ylabel="decisions per CPU-second", ylim=(0, None))
    left.set_xticks(sizes, [f"{n:,}" for n in sizes], fontsize=8)
    left.set_xticks([], minor=True)
    left.yaxis.set_major_formatter(lambda value, _: f"{value / 1e6:g} M" if value else "0")
    left.set_title("VectorEnv, observation and mask included", fontsize=10)

    best = vector_name(N)
    bars = [line for line in report.lines if line.group == "peers" and line.unit.endswith(PER_CPU)]
    shown = [*([rates[best]] if best in rates else []), *bars]
    shown.sort(key=lambda line: line.value)
    names = [f"Paohuzi, {line.name}" if line.group != "peers" else line.name.replace("_", " ") for line in shown]
    colours = [grey if line.group == "peers" else ours for line in shown]
    drawn = right.barh(names, [line.value for line in shown], color=colours, log=True)
    right.bar_label(drawn, [number(float(f"{line.value:.2g}")) for line in shown], padding=3, fontsize=8)
    right.set_xlim(1e3, right.get_xlim()[1] * 4)
    right.tick_params(axis="y", labelsize=8)
    right.set_xlabel("decisions per CPU-second, one core")
    right.set_title("beside other environments, random play", fontsize=10)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, metadata={"Software": None})
    plt.close(figure)


def main() -> None:
    """Show a saved report; with --readme, write its section into that file too."""
    parser = argparse.ArgumentParser(description="Show a saved report of the benchmark suite.")
    parser.add_argument("report", type=Path)
    parser.add_argument("--readme", type=Path, help="file that has the markers to write the section between")
    options = parser.parse_args()
    report = load(options.report)
    show(report, console())
    if options.readme:
        write_readme(report, options.readme)


if __name__ == "__main__":
    main()
