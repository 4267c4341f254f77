"""The README's generated sections: `python -m tests.tools.readme` rewrites them, a test keeps them equal.

A section stands between ``<!-- NAME:begin -->`` and ``<!-- NAME:end -->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from paohuzi_env.core.features import FEATURES
from paohuzi_env.core.observe import NUM_PLANES, PLANES, Plane
from paohuzi_env.core.perfect import PERFECT, PERFECT_PLANES
from paohuzi_env.env import PaohuziEnv
from tests.tools.rule_table import rule_table

README: Final = Path(__file__).parents[2] / "README.md"

ACTIONS: Final = (
    ("0–19", "`discard`", "a tile of that kind: 0–9 small 一 to 十, 10–19 large 壹 to 拾"),
    ("20", "`chi` / `bi` low", "the eaten (laid) tile x in x, x+1, x+2"),
    ("21", "`chi` / `bi` middle", "in x−1, x, x+1"),
    ("22", "`chi` / `bi` high", "in x−2, x−1, x"),
    ("23", "`chi` / `bi` red run", "in 2-7-10"),
    ("24", "`chi` / `bi` xxY", "with one of its kind and one of the other size"),
    ("25", "`chi` / `bi` xYY", "with two of the other size"),
    ("26", "`peng`", "碰"),
    ("27", "`pao`", "跑, only where a rule set makes it a choice"),
    ("28", "`hu`", "胡: win on the tile"),
    ("29", "`pass`", "decline the window"),
    ("30–31", "", "kept free"),
)


def _planes(table: Iterable[Plane], offset: int = 0) -> list[str]:
    rows = []
    for plane in table:
        first, last = offset + plane.start, offset + plane.start + len(plane.names) - 1
        number = str(first) if first == last else f"{first}–{last}"
        names = ", ".join(f"`{name}`" for name in plane.names[:6]) + (", …" if len(plane.names) > 6 else "")
        scalar = "whole plane" if plane.scalar else "by kind"
        rows.append(f"| {number} | {names} | {scalar} | {plane.meaning} |")
    return rows


def _options() -> list[str]:
    """The constructor's options, from its docstring."""
    body = (PaohuziEnv.__doc__ or "").split("Parameters\n    ----------\n")[1].split("\n\n    Raises")[0]
    rows = []
    for name, text in re.findall(r"^    (\w+)\n((?:        .*\n?)+)", body, re.MULTILINE):
        cell = " ".join(text.split()).replace("|", "\\|")
        rows.append(f"| `{name}` | {cell} |")
    return rows


def card() -> str:
    """The environment's card: spaces, actions, planes, options."""
    lines = [
        "| | |",
        "|---|---|",
        "| import | `from paohuzi_env import paohuzi_v0`; `paohuzi_v0.env(…)`, `paohuzi_v0.raw_env(…)` |",
        "| agents | `player_0`, `player_1`, `player_2` (two in a game of two, `player_3` too at a table of four) |",
        f'| observation | `{{"observation": int8 ({NUM_PLANES}, 20), "action_mask": int8 (32,)}}` |',
        "| actions | `Discrete(32)`; the mask is all zeros for whoever is not asked |",
        "| rewards | when the hand ends: the settlement in base units, of sum zero |",
        "| ends | all agents terminate in the same step; nothing is truncated |",
        "",
        "Forced moves (tianhu, ti, wei, pao, and where a rule set says so peng) cost no decision. Windows on a live",
        "tile open in the order hu, pao, peng, chi, and ask one seat at a time.",
        "",
        "<details><summary>Actions</summary>",
        "",
        "| action | | |",
        "|---|---|---|",
        *(f"| {number} | {name} | {meaning} |" for number, name, meaning in ACTIONS),
        "",
        "</details>",
        "",
        f"<details><summary>Observation: {NUM_PLANES} planes over the 20 kinds</summary>",
        "",
        "Seats are relative: self, next, previous. A scalar fills its plane.",
        "",
        "| plane | name | | meaning |",
        "|---|---|---|---|",
        *_planes(PLANES),
        "",
        "With `features=True` these follow:",
        "",
        "| plane | name | | meaning |",
        "|---|---|---|---|",
        *_planes(FEATURES, NUM_PLANES),
        "",
        "</details>",
        "",
        "<details><summary>Perfect information (`state()`, `VectorEnv.perfect()`), for critics only</summary>",
        "",
        f"`VectorEnv.perfect()` gives int8 ({PERFECT_PLANES}, 20) a slot; `state()` the observation's planes, these,",
        "and two rows with the wall in drawing order.",
        "",
        "| plane | meaning |",
        "|---|---|",
        *(f"| {a if n == 1 else f'{a}–{a + n - 1}'} | {meaning} |" for a, n, meaning in PERFECT),
        "",
        "</details>",
        "",
        "<details><summary>Options</summary>",
        "",
        "| option | meaning |",
        "|---|---|",
        *_options(),
        "",
        "</details>",
    ]
    return "\n".join(lines)


SECTIONS: Final[dict[str, Callable[[], str]]] = {"card": card, "rulesets": rule_table}


def section(text: str, name: str) -> str:
    """The generated section as it stands in a README's text."""
    return text.split(f"<!-- {name}:begin -->\n")[1].split(f"<!-- {name}:end -->", maxsplit=1)[0].rstrip("\n")


def updated(text: str) -> str:
    """A README's text with its generated sections made anew."""
    for name, make in SECTIONS.items():
        head, rest = text.split(f"<!-- {name}:begin -->\n")
        tail = rest.split(f"<!-- {name}:end -->")[1]
        text = f"{head}<!-- {name}:begin -->\n{make()}\n<!-- {name}:end -->{tail}"
    return text


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")
