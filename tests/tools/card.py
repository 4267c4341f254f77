"""The card of the AEC environment, made from the code: what README.md shows between its `card` markers.

python tests/tools/card.py             # print it
python tests/tools/card.py --write     # put it into README.md
"""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

from paohuzi_env.core import actions as ac
from paohuzi_env.core.features import FEATURES
from paohuzi_env.core.observe import LAYOUT_VERSION, NUM_PLANES, PLANES, Plane
from paohuzi_env.core.perfect import PERFECT, PERFECT_PLANES
from paohuzi_env.env import HISTORY_COLUMNS, INFO_KEYS, STATE_PLANES, WALL_ROWS, PaohuziEnv
from paohuzi_env.paohuzi_v0 import ENV_ID

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
EXAMPLES = ROOT / "tests" / "examples"
BEGIN, END = "<!-- card:begin -->\n", "<!-- card:end -->\n"


def card() -> str:
    """The whole card as Markdown."""
    return "\n".join([INTRODUCTION, *options(), *action_table(), *observation_table(), *state_table(), *examples()])


INTRODUCTION = f"""\
| | |
|---|---|
| import | `from paohuzi_env import paohuzi_v0`; `paohuzi_v0.env(…)`, or `raw_env(…)` without PettingZoo's wrapper |
| registry | `pettingzoo.make("aec", "{ENV_ID}", …)` after that import (PettingZoo 1.27 and later) |
| agents | `player_0`, `player_1`, `player_2`; two in rule sets of two, four with `table=4` |
| actions | `Discrete({ac.NUM_ACTIONS})`, the same table for every rule set |
| observation | `{{"observation": int8 ({NUM_PLANES}, 20), "action_mask": int8 ({ac.NUM_ACTIONS},)}}`; the mask of an \
agent that is not to act is all zero |
| state | int8 ({STATE_PLANES}, 20): everything, for a critic and never for an actor |
| end | all agents terminate in one step, whose rewards are the settlement; nothing is ever truncated |

Forced moves cost no decision. A seat is asked only in windows where it has a legal choice, in the order of priority:
hu, pao or peng, chi. `agent_selection` shows everybody who is asked, as PettingZoo needs it; no observation holds it.
`observe`, `infos`, `view`, `event_log` and `render_seat` give an agent what it may know. `state`, `render` and the
methods that begin with `referee_` know everything.

PettingZoo's `average_total_reward` looks at no observation and so at no mask: its random actions are illegal here. Use
a loop as above.
"""


def options() -> list[str]:
    """The options with their defaults, from the signature and the docstring."""
    defaults = inspect.signature(PaohuziEnv.__init__).parameters
    text = inspect.getdoc(PaohuziEnv) or ""
    section = text.split("Parameters\n----------\n")[1].split("\n\nRaises")[0]
    lines = ["### Options", "", "| option | default | meaning |", "|---|---|---|"]
    for name, meaning in re.findall(r"^(\w+)\n((?:    .*\n?)+)", section, re.MULTILINE):
        lines.append(f"| `{name}` | `{defaults[name].default!r}` | {_cell(meaning)} |")
    infos = ", ".join(f"`{key}`" for key in INFO_KEYS)
    columns = ", ".join(HISTORY_COLUMNS)
    lines += ["", f"Keys of `info_level=1`: {infos}. Columns of `history`: {columns}."]
    reset = inspect.getdoc(PaohuziEnv.reset) or ""
    keys = reset.split("options\n")[1].split("\n\nRaises")[0]
    return [*lines, f"Options of `reset`: {_cell(keys)}", ""]


def action_table() -> list[str]:
    """The numbers of the actions."""
    shapes = (
        "the eaten tile is the run's lowest", "its middle one", "its highest", "2-7-10",
        "the eaten tile, another of its kind, one of the other size", "the eaten tile and two of the other size",
    )  # fmt: skip
    rows = [
        (f"{ac.DISCARD}–{ac.CHI - 1}", "discard of that kind: 0–9 small 1–10 (`a`–`j`), 10–19 large 1–10 (`A`–`J`)")
    ]
    rows += [(f"{ac.CHI + i}", f"chi, or bi: {shape}") for i, shape in enumerate(shapes)]
    rows += [
        (f"{ac.PENG}", "peng"),
        (f"{ac.PAO}", "pao, where a rule set makes it a choice"),
        (f"{ac.HU}", "hu"),
        (f"{ac.PASS}", "pass"),
        (f"{ac.PASS + 1}–{ac.NUM_ACTIONS - 1}", "kept free, never legal"),
    ]
    title = f"### Actions (table version {ac.TABLE_VERSION})"
    return [title, "", "| action | |", "|---|---|", *(f"| {number} | {meaning} |" for number, meaning in rows), ""]


def observation_table() -> list[str]:
    """The planes of the observation, and the optional ones."""
    return [
        f"### Observation (layout version {LAYOUT_VERSION})",
        "",
        "Planes over the 20 kinds; a *scalar* fills its plane, 127 at most. Seats are relative: self, next, previous.",
        "",
        "| planes | names | scalar | meaning |",
        "|---|---|---|---|",
        *(_plane(row, 0) for row in PLANES),
        *(_plane(row, NUM_PLANES) for row in FEATURES),
        "",
        f"From {NUM_PLANES} on: with `features=True` only.",
        "",
    ]


def state_table() -> list[str]:
    """The rows of `state()`."""
    first = NUM_PLANES + PERFECT_PLANES
    lines = ["### State", "", "| rows | meaning |", "|---|---|"]
    lines += [f"| {_span(0, NUM_PLANES)} | the observation of the seat to act (the dealer once the hand is over) |"]
    lines += [f"| {_span(NUM_PLANES + start, count)} | {meaning} |" for start, count, meaning in PERFECT]
    lines += [f"| {_span(first, WALL_ROWS)} | 1 + the kind of each tile still to be drawn, in order, over both rows |"]
    return [*lines, "", "Seats count from the seat to act.", ""]


def examples() -> list[str]:
    """The examples that README does not show elsewhere."""
    lines = []
    for title, name in (("A policy with a mask", "masked_policy"), ("A match at a table of four", "match")):
        code = (EXAMPLES / f"example_{name}.py").read_text(encoding="utf-8")
        lines += [f"### {title}", "", f"<!-- example:{name} -->", "```python", code + "```", ""]
    return lines


def _plane(row: Plane, offset: int) -> str:
    names = ", ".join(name if name == "…" else f"`{name}`" for name in _short(row.names))
    return (
        f"| {_span(offset + row.start, len(row.names))} | {names} | {'scalar' if row.scalar else ''} | {row.meaning} |"
    )


def _short(names: tuple[str, ...]) -> tuple[str, ...]:
    return names if len(names) <= 6 else (*names[:2], "…", names[-1])


def _span(first: int, count: int) -> str:
    return str(first) if count == 1 else f"{first}–{first + count - 1}"


def _cell(text: str) -> str:
    """Text of a docstring on one line."""
    return " ".join(text.split()).replace("``", "`").replace("|", "\\|")


def parts_of(readme: str) -> tuple[str, str, str]:
    """README before, between and after the markers."""
    before, found, rest = readme.partition(BEGIN)
    between, closed, after = rest.partition(END)
    if not found or not closed:
        raise SystemExit(f"{README} has no {BEGIN.strip()} … {END.strip()}")
    return before, between, after


def main() -> None:
    """Print the card, or write it into README.md."""
    if "--write" not in sys.argv[1:]:
        print(card(), end="")
        return
    before, _, after = parts_of(README.read_text(encoding="utf-8"))
    README.write_text(before + BEGIN + card() + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
