"""The report of a tournament as one HTML file that needs no other."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from benchmarks import blocks as bl
from benchmarks.arena import Spent
from benchmarks.plan import Plan, TournamentError
from benchmarks.recording import ORDER
from benchmarks.results import Results
from benchmarks.run import RunFolder
from benchmarks.sequential import confidence_sequence
from benchmarks.tables import TIME_HEADS, bounds, labels_of, lines_of, number, tables_of, time_rows
from paohuzi_env.files import write_whole
from paohuzi_env.record import parse_record, replay
from paohuzi_env.show import hand_lines

NOTES: Final = {
    "Points a hand": "Points are base units a seat and hand. Intervals are over blocks (deals in all seatings): BCa "
    "bootstrap. Rating: the additive points model with seat effects. ln strength: Plackett–Luce on who won, without "
    "drawn hands. Total and title: all points together (rules 9.4).",
    "Margins": "Points a seat of the first less points a seat of the second, where both sit at a table. Effect: mean "
    "over standard deviation of a block. Pairing: how many times as many unpaired hands would say as much. Beyond "
    "ratings: what the difference of ratings does not explain; bounds without 0 hint at a circle.",
    "Behaviour": "Counts a hand; shares of the occasions: windows asked, wins offered, discards, hands, wins won.",
    "Time": "By the clock, inside the agent; no part of the results.",
}
WIDTH: Final = 7.5


def write_page(
    results: Results, names: Sequence[str], spent: Sequence[Spent], plan: Plan, folder: RunFolder, hands: Any
) -> None:
    """Write report.html into the folder."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    labels = labels_of([agent.name for agent in results.agents])
    tables = [*tables_of(results), ("Time", TIME_HEADS, time_rows(names, spent))]
    own = hands[hands["agents"][:, 0] < len(results.agents)]
    page = environment.get_template("page.html.j2").render(
        title=" · ".join(labels),
        lines=lines_of(results),
        tables=tables,
        notes=NOTES,
        names=labels,
        cross=cross_table(results),
        pictures=list(_pictures(results, plan, own)),
        hands=list(_hands(plan, folder, own)),
        manifest=json.dumps(results.plan, ensure_ascii=False, indent=1),
    )
    write_whole(folder.path / "report.html", page.encode())


def cross_table(results: Results) -> list[tuple[str, list[tuple[str, str, str]]]]:
    """Rows of (agent, cells); a cell is its text, its sign where that is sure, and its bounds."""
    cells = {}
    for pair in results.pairs:
        low, high = pair.margin.low, pair.margin.high
        sign = 0 if low is None or high is None else int(low > 0) - int(high < 0)
        hint = bounds(pair.margin)
        back = "–" if low is None or high is None else f"{number(-high)} … {number(-low)}"
        cells[pair.a, pair.b] = (number(pair.margin.value), _sign(sign), hint)
        cells[pair.b, pair.a] = (number(-pair.margin.value), _sign(-sign), back)
    places = range(len(results.agents))
    names = labels_of([agent.name for agent in results.agents])
    return [(names[a], [cells.get((a, b), ("", "", "")) for b in places]) for a in places]


def _sign(sign: int) -> str:
    return ("minus", "", "plus")[sign + 1]


# --- pictures -------------------------------------------------------------------------------------------------------


def _pictures(results: Results, plan: Plan, own: Any) -> Iterator[tuple[str, Markup]]:
    labels = labels_of([agent.name for agent in results.agents])
    base = labels[results.baseline]
    yield f"Ratings, in points a hand ahead of {base}; the bounds hold for all at once.", _ratings(results, labels)
    a, b = results.pairs[0].a, results.pairs[0].b
    names = f"{labels[a]} – {labels[b]}"
    margins = bl.margins(own, a, b)
    yield f"Mean margin {names} as blocks went on, with its 95% interval at each moment.", _course(margins, plan)
    yield f"Margins {names} of single blocks.", _spread(margins)


def _ratings(results: Results, labels: Sequence[str]) -> Markup:
    agents = sorted(zip(labels, results.agents, strict=True), key=lambda pair: pair[1].rating.value)
    figure, axes = _axes(0.45 * len(agents) + 1.0)
    for place, (_, agent) in enumerate(agents):
        rating = agent.rating
        if rating.low is not None and rating.high is not None:
            axes.plot([rating.low, rating.high], [place, place], color="#31688e", linewidth=2)
        axes.plot([rating.value], [place], "o", color="#31688e")
    axes.axvline(0, color="#999999", linewidth=0.8)
    axes.set_yticks(range(len(agents)), [label for label, _ in agents], parse_math=False)  # "$" is no formula
    axes.set_ylim(-0.6, len(agents) - 0.4)
    axes.set_xlabel("points a hand")
    return _svg(figure)


def _course(margins: Any, plan: Plan) -> Markup:
    figure, axes = _axes(3.2)
    n = np.arange(1, len(margins) + 1)
    mean = np.cumsum(margins) / n
    if plan.anytime is None:
        error = np.sqrt(np.maximum(np.cumsum(margins**2) / n - mean**2, 0) / np.maximum(n - 1, 1))
        low, high = mean - 1.96 * error, mean + 1.96 * error
    else:
        low, high = confidence_sequence(margins, plan.anytime)
    from_ = min(20, len(n) - 1)  # before that the bounds are all there would be to see
    axes.fill_between(n[from_:], low[from_:], high[from_:], color="#31688e", alpha=0.2, linewidth=0)
    axes.plot(n[from_:], mean[from_:], color="#31688e")
    axes.axhline(0, color="#999999", linewidth=0.8)
    axes.set_xlabel("blocks")
    axes.set_ylabel("points a hand")
    return _svg(figure)


def _spread(margins: Any) -> Markup:
    figure, axes = _axes(2.6)
    axes.hist(margins, bins=60, color="#31688e")
    axes.axvline(float(margins.mean()), color="#d1495b")
    axes.set_xlabel("points a hand")
    axes.set_ylabel("blocks")
    return _svg(figure)


def _axes(height: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Any) -> Markup:
    import matplotlib as mpl

    file = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "paohuzi", "svg.fonttype": "none"}):  # the same picture is the same text
        figure.savefig(file, format="svg", metadata={"Date": None})
    return Markup(file.getvalue()[file.getvalue().index("<svg") :])


# --- hands ----------------------------------------------------------------------------------------------------------


def _hands(plan: Plan, folder: RunFolder, own: Any) -> Iterator[tuple[str, str, str, str]]:
    """A few recorded hands: what it is, link, place, text."""
    if folder.records is None:
        return
    most = np.abs(own["scores"]).max(1)
    wanted = [("the dearest hand", at) for at in np.argsort(-most, kind="stable")[:2]]
    wanted += [("ended by a fault", at) for at in np.flatnonzero(bl.faulty(own))[:2]]
    wanted += [("the longest hand", int(own["events"].argmax()))]
    wanted += [("a drawn hand", at) for at in np.flatnonzero(bl.drawn(own))[:1]]
    for what, at in wanted:
        hand = own[at]
        chunk = int(hand["block"] - plan.first) // plan.chunk
        file = folder.record_file(chunk)
        all_of_chunk = folder.read(plan, chunk).hands
        here = np.ones(len(all_of_chunk), bool)
        for field in ORDER:
            here &= all_of_chunk[field] == hand[field]
        line = int(np.flatnonzero(here)[0])
        if file is None or not file.exists():
            continue
        with file.open("rb") as lines:
            text = next((text.decode(errors="replace") for number, text in enumerate(lines) if number == line), None)
        if text is None:
            raise TournamentError(f"{file} has no line {line + 1}; remove it and go on with --resume")
        found = replay(parse_record(text), file=str(file), line=line + 1)
        seats = ", ".join(f"{seat}: {name}" for seat, name in enumerate(found.record["players"]))
        body = "\n".join(hand_lines(found, title=f"block {hand['block']}, {seats},"))
        yield what, quote(Path(os.path.relpath(file, folder.path)).as_posix()), f"{file.name}, line {line + 1}", body
