"""What the consumers came to: the file that keeps it, and the README's table."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec

FORMAT: Final = 1
BEGIN: Final = "<!-- consumers:begin -->"
END: Final = "<!-- consumers:end -->"
NAMES: Final = tuple(sorted(folder.parent.name for folder in Path(__file__).parent.glob("*/play.py")))


@dataclass(frozen=True, slots=True)
class Strength:
    """Base units a hand against uniformly random players, the standard error of that mean, and how many hands."""

    mean: float
    error: float
    hands: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one run of a consumer came to.

    Attributes
    ----------
    options
        Of the command line, but for the names.
    failure
        Why there is nothing else, if it failed.
    how
        What of the library plays what of ours.
    hands, decisions
        Played to the end, and each checked.
    notes
        What else there is to say, each a few words.
    versions, beside
        Of the library, and of what both it and the environment need.
    """

    options: str
    date: str
    machine: dict[str, Any]
    commit: dict[str, Any]
    failure: str | None = None
    how: str = ""
    updates: int = 0
    hands: int = 0
    decisions: int = 0
    strength: Strength | None = None
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    python: str = ""
    versions: dict[str, str] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    installed_seconds: float = 0.0
    installed_mib: int = 0


@dataclass(slots=True)
class Results:
    """The latest short run of each consumer, and the latest in which it trained for minutes."""

    runs: dict[str, Found] = field(default_factory=dict)
    trained: dict[str, Found] = field(default_factory=dict)
    format: int = FORMAT

    def save(self, path: Path) -> None:
        """Write it as JSON, whole or not at all."""
        self.runs, self.trained = dict(sorted(self.runs.items())), dict(sorted(self.trained.items()))
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")
            Path(name).chmod(0o644)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink()
            raise


def load(path: Path) -> Results:
    """The results that `Results.save` wrote; none where there is no file.

    Raises
    ------
    msgspec.ValidationError, ValueError
        The file is none, or of another format.
    """
    if not path.exists():
        return Results()
    results = msgspec.json.decode(path.read_bytes(), type=Results)
    if results.format != FORMAT:
        raise ValueError(f"{path}: format {results.format}; allowed: {FORMAT}")
    return results


def markdown(results: Results) -> str:
    """The README's section: a table of the short runs, one of the trained policies, and what they were made with."""
    lines = ["| library | what plays | updates | hands, checked | with |", "|---|---|---:|---:|---|"]
    for name, run in results.runs.items():
        if run.failure:
            lines.append(f"| {name} | failed on {run.date}: {run.failure.splitlines()[0]} | | | |")
        else:
            beside = {package: version for package, version in run.beside.items() if package not in run.versions}
            lines.append(f"| {_listed(run.versions)} | {run.how} | {run.updates} | {run.hands} | {_listed(beside)} |")
    lines += ["", *(f"{name}: {', '.join(run.notes)}." for name, run in results.runs.items() if run.notes)]
    lines += _made_with(results.runs)
    trained = {name: run for name, run in results.trained.items() if run.strength}
    if trained:
        lines += ["", "| trained with | took | updates | base units a hand against random players |"]
        lines += ["|---|---:|---:|---:|"]
        for run in trained.values():
            lines.append(f"| {_listed(run.versions)} | {run.seconds / 60:.1f} min | {run.updates} | {_strength(run)} |")
        lines += ["", *_made_with(trained)]
    return "\n".join(lines)


def _listed(versions: dict[str, str]) -> str:
    return ", ".join(f"{package} {version}" for package, version in versions.items())


def _strength(run: Found) -> str:
    s = run.strength
    assert s is not None
    return f"{s.mean:+.2f} ± {s.error:.2f} ({s.mean / s.error:.0f} standard errors, {s.hands} hands)"


def _made_with(runs: dict[str, Found]) -> Iterator[str]:
    """A sentence for each set of options, date, commit and machine that there is: the command, and what it ran on."""
    made: dict[tuple[str, str], list[str]] = {}
    for name, run in runs.items():
        machine, commit = run.machine, str(run.commit.get("hash"))[:12]
        changed = ", with changes" if run.commit.get("changed") else ""
        where = f"{run.date}, commit {commit}{changed}; {machine['processor']}, {machine['cores']} cores, "
        made.setdefault((run.options, where + str(machine["python"])), []).append(name)
    for (options, where), names in made.items():
        which = f' NAME="{" ".join(names)}"' if len(names) < len(NAMES) else ""
        given = f' CONSUMERS_ARGS="{options}"' if options else ""
        yield f"`make consumers{which}{given}`: {where}."


def with_table(text: str, results: Results) -> str:
    """A README's text with the section between its markers made anew.

    Raises
    ------
    ValueError
        The markers are not there, once each and in order.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"the text has not {BEGIN} and {END} once each, in this order")
    head, rest = text.split(BEGIN)
    return f"{head}{BEGIN}\n{markdown(results)}\n{END}{rest.split(END)[1]}"
