"""A tournament's results as tables in the terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from benchmarks.arena import Spent
from benchmarks.intervals import Interval
from benchmarks.results import Results, rounded
from benchmarks.run import RunFolder
from paohuzi_env.files import write_whole
from paohuzi_env.show import print_table

Table = tuple[str, Sequence[str], list[Sequence[object]]]
"""Title, heads, rows."""
LONGEST_LABEL: Final = 40
PLACES: Final = ("dealer", "next seat", "last seat")


def number(value: float | None, digits: int = 3) -> str:
    """A number with its sign, as tables show it; "–" where there is none."""
    return "–" if value is None or value != value else f"{value:+.{digits}f}"


def plain(value: float | None, digits: int = 3) -> str:
    """The same for what is never negative."""
    return number(value, digits).removeprefix("+")


def bounds(interval: Interval, digits: int = 3) -> str:
    """An interval's bounds."""
    if interval.low is None or interval.high is None:
        return "–"
    return f"{number(interval.low, digits)} … {number(interval.high, digits)}"


def share(value: float | None, digits: int = 1) -> str:
    """A share in per cent."""
    return "–" if value is None or value != value else f"{100 * value:.{digits}f}%"


def labels_of(names: Sequence[str]) -> list[str]:
    """The names as tables and pictures show them: long ones shortened, and none like another."""
    found: list[str] = []
    for name in names:
        label = name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 15]}…{name[-14:]}"
        found.append(label if label not in found else f"{label} ({len(found) + 1})")
    return found


def tables_of(results: Results) -> list[Table]:
    """The tables that people look at."""
    names = labels_of([agent.name for agent in results.agents])
    base = names[results.baseline]
    agents: list[Sequence[object]] = [
        (
            name, a.hands, number(a.points.value), bounds(a.points), number(a.sound.value), number(a.trimmed),
            share(a.win_rate.value), number(a.rating.value), bounds(a.rating), ranks(a.ranks),
            "–" if a.luce is None else f"{number(a.luce.value, 2)} ± {plain(1.96 * a.luce.error, 2)}",
            share(a.fault_share, 2), f"{a.total:+d}", a.title,
        )
        for name, a in zip(names, results.agents, strict=True)
    ]  # fmt: skip
    pairs: list[Sequence[object]] = [
        (
            f"{names[p.a]} – {names[p.b]}", p.hands, number(p.margin.value), bounds(p.margin), bounds(p.alone),
            number(p.trimmed), number(p.effect), "–" if p.pairing is None else f"{p.pairing:.2f}",
            *(("–", "–") if p.control is None else (bounds(p.control.margin), plain(p.control.gain, 2))),
            bounds(p.excess),
        )
        for p in results.pairs
    ]  # fmt: skip
    behaviours: list[Sequence[object]] = [
        (name, *behaviour_cells(a.behaviour)) for name, a in zip(names, results.agents, strict=True)
    ]
    heads = ("pair", "hands", "margin", "95% of all at once", "95% alone", "trimmed", "effect", "pairing")
    return [
        (
            "Points a hand", ("agent", "hands", "points", "95%", "without faults", "trimmed", "won",
            f"rating to {base}", "95% of all at once", "rank", "ln strength", "faults", "total", "title"), agents,
        ),
        ("Margins", (*heads, "95% controlled", "its gain", "beyond ratings"), pairs),
        ("Behaviour", ("agent", *BEHAVIOUR), behaviours),
    ]  # fmt: skip


BEHAVIOUR: Final = {
    "chi": "chi", "peng": "peng", "pao": "pao", "wei": "wei", "ti": "ti", "chi taken": "chi_taken",
    "peng taken": "peng_taken", "hu passed": "hu_passed", "discards fed": "fed", "fed to hu": "fed_hu",
    "self-drawn": "self_drawn", "huxi": "huxi", "base": "base", "decisions": "decisions",
}  # fmt: skip
"""Heads of the behaviour table, and what stands below them."""
SHARES: Final = ("chi_taken", "peng_taken", "hu_passed", "fed", "fed_hu", "self_drawn")


def behaviour_cells(behaviour: dict[str, float | None]) -> list[str]:
    """A row of the behaviour table."""
    return [share(behaviour[key]) if key in SHARES else plain(behaviour[key], 2) for key in BEHAVIOUR.values()]


def ranks(open_: tuple[int, int]) -> str:
    """A rank, or the ranks that are open."""
    return str(open_[0]) if open_[0] == open_[1] else f"{open_[0]}–{open_[1]}"


def lines_of(results: Results) -> list[str]:
    """What is to be said beside the tables."""
    plan = results.plan
    deals = plan["deals"]
    lines = [
        f"{results.blocks:,} blocks, {results.hands:,} hands; {share(results.drawn_share)} drawn, "
        f"{share(results.fault_share, 2)} ended by a fault; deal set "
        f"{deals['set']} v{deals['version']} ({deals['hash']}), rules {plan['rules_hash']}",
        "worth of a place: "
        + ", ".join(f"{name} {number(seat.value)}" for name, seat in zip(PLACES, results.seats, strict=False)),
    ]
    if results.stopped is not None:
        stop = results.stopped
        lines.append(
            f"stopped after {stop['blocks']:,} blocks by {stop['test']}: {stop['verdict']}; "
            "intervals of a fixed size are too narrow after that"
        )
    elif plan["sprt"] is not None or plan["anytime"] is not None:
        lines.append(f"nothing was decided in {results.blocks:,} blocks")
    if results.sequence is not None:
        lines.append(
            f"at every moment 95%: mean margin clipped to ±{plan['anytime']:g}: {number(results.sequence.value)} "
            f"({bounds(results.sequence)})"
        )
    return lines


def time_rows(names: Sequence[str], spent: Sequence[Spent]) -> list[Sequence[object]]:
    """Times of each agent."""
    return [
        (name, s.decisions, f"{1000 * s.seconds / max(s.decisions, 1):.4f}", f"{1000 * s.slowest:.3f}", s.error)
        for name, s in zip(labels_of(names), spent, strict=True)
    ]


TIME_HEADS: Final = ("agent", "decisions", "ms a decision", "slowest call, ms a decision", "first error")


def show(results: Results, names: Sequence[str], spent: Sequence[Spent]) -> None:
    """Print the tables."""
    for title, heads, rows in tables_of(results):
        print_table(heads, rows, title=title)
        print()
    print_table(TIME_HEADS, time_rows(names, spent), title="Time")
    print()
    print("\n".join(lines_of(results)))


# --- files --------------------------------------------------------------------------------------------------------


def write_results(results: Results, names: Sequence[str], spent: Sequence[Spent], folder: RunFolder) -> None:
    """results.json, agents.csv and pairs.csv, which are the same whenever the plan is; timing.json, which is not."""
    _write(folder, "results.json", _json(rounded(dataclasses.asdict(results))))
    _write(folder, "agents.csv", _csv(_flat(rounded(dataclasses.asdict(agent))) for agent in results.agents))
    rows = []
    for pair in results.pairs:
        row = rounded(dataclasses.asdict(pair))
        rows.append(_flat({**row, "a": results.agents[pair.a].name, "b": results.agents[pair.b].name}))
    _write(folder, "pairs.csv", _csv(rows))
    times = {name: dataclasses.asdict(s) for name, s in zip(names, spent, strict=True)}
    _write(folder, "timing.json", _json(times))


def _write(folder: RunFolder, name: str, text: str) -> None:
    write_whole(folder.path / name, text.encode())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _flat(value: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """One level: an interval's value stands under its own name, its bounds behind it."""
    found: dict[str, Any] = {}
    for key, below in value.items():
        name = prefix.removesuffix("_") if prefix and key == "value" else f"{prefix}{key}"
        if isinstance(below, dict):
            found |= _flat(below, f"{prefix}{key}_")
        elif isinstance(below, list):
            found |= {f"{name}_{at}": item for at, item in enumerate(below, 1)}
        else:
            found[name] = below
    return found


def _csv(rows: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> str:
    rows = list(rows)
    heads = list(dict.fromkeys(head for row in rows for head in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, heads, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()
