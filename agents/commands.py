"""The command `python -m agents`: list the players, play against them, check another program.

Errors are one line on standard error; the exit status is that of the command `paohuzi`. Heavy imports wait until a
command needs them.
"""

from __future__ import annotations

import inspect
import secrets
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import tyro

from paohuzi_env.cli import Command, UsageError, in_range, named, run

if TYPE_CHECKING:
    from paohuzi_env.rules import RuleSet

PROGRAM: Final = "python -m agents"
MOST_PAUSE: Final = 60.0
LIST_WIDTH: Final = 100
LIST_MARGIN: Final = 12

_Command: TypeAlias = Annotated[tyro.conf.Positional[str], named("COMMAND", "")]
_Rules: TypeAlias = Annotated[str, named("RULES")]
_ManyRules: TypeAlias = Annotated[tuple[str, ...], named("RULES ...", "(default: every preset)")]
_Agents: TypeAlias = Annotated[tuple[str, ...], named("AGENT ...", "(default: heuristic)")]
_Number: TypeAlias = Annotated[int, named("N")]
_Seed: TypeAlias = Annotated[int | None, named("N", "(default: a new one)")]
_Seconds: TypeAlias = Annotated[float, named("SECONDS")]
_File: TypeAlias = Annotated[Path | None, named("FILE", "")]


# --- the commands: what they take -------------------------------------------------------------------------------------


def list_agents() -> Command:
    """List the agents that come with the project, their options and what they are.

    Any option goes behind the name: search:playouts=200. An agent of your own is MODULE:FACTORY.

    Example: python -m agents list
    """
    return _list


def play(
    *, agents: _Agents = (), seat: _Number = 0, rules: _Rules = "hunan", seed: _Seed = None, hands: _Number = 1,
    record: _File = None, watch: bool = False, pause: _Seconds = 0.0,
) -> Command:  # fmt: skip
    """Play a match against agents at the terminal, or watch them play.

    You choose by number or in the notation; ? shows what your hand waits for and a hint; q leaves the table.

    Example: python -m agents play --agents uniform --seat 1 --rules hunan --seed 7 --hands 3 --record match.phz.jsonl

    Parameters
    ----------
    agents
        The other players in playing order, separated by spaces (by commas too where none has options). Too few are
        filled up with the last of them; one more than seats is a table of four.
    seat
        Your place among the players, from 0.
    rules
        A preset's name, a .toml or .json file, or inline JSON.
    seed
        Fixes every deal and what the agents do.
    hands
        Hands of the match; the winner deals the next one.
    record
        Write the finished hands to this file; `paohuzi replay` verifies them.
    watch
        Only agents play, and you see all of their hands.
    pause
        Wait so long before each decision of an agent.
    """
    return partial(_play, agents, seat, rules, seed, hands, record, watch, pause)


def check(command: _Command, /, *, rules: _ManyRules = (), hands: _Number = 3, seed: _Number = 0) -> Command:
    """Check whether a program keeps to the protocol of agents/PROTOCOL.md. Exit status 1 if it does not.

    Example: python -m agents check "python3 agents/bots/bot.py" --rules hunan --hands 2

    Parameters
    ----------
    command
        Its command line in one argument, or external[move=2,memory=512]:COMMAND with limits.
    rules
        The rule sets that it is to play, separated by spaces.
    hands
        Hands of each, the program in all seats.
    seed
        Fixes every deal.
    """
    return partial(_check, command, rules, hands, seed)


COMMANDS: Final[dict[str, Callable[..., Command]]] = {"list": list_agents, "play": play, "check": check}


# --- the commands: what they do ---------------------------------------------------------------------------------------


def _list() -> int:
    from agents.registry import factory_of, names, options_of

    room = min(shutil.get_terminal_size((LIST_WIDTH, 24)).columns, LIST_WIDTH)
    for name in names():
        try:
            options = ", ".join(_shown(option, default) for option, default in options_of(name).items())
            about = (factory_of(name).__doc__ or "").strip().partition("\n")[0]
        except ImportError as error:
            options, about = "", f"cannot be used here: {error}"
        margin = " " * LIST_MARGIN
        print(_wrapped(about, room, f"{name:{LIST_MARGIN}}", margin))
        if options:
            print(_wrapped(options, room, f"{margin}options: ", f"{margin}  "))
    return 0


def _wrapped(text: str, room: int, first: str, others: str) -> str:
    return textwrap.fill(
        text, max(room, 2 * LIST_MARGIN), initial_indent=first, subsequent_indent=others, break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _shown(option: str, default: object) -> str:
    """An option and its default, as it would be written; the name alone where it has none."""
    if isinstance(default, bool):
        default = str(default).lower()
    return option if default in ("", None) or default is inspect.Parameter.empty else f"{option}={default}"


def _play(
    texts: Sequence[str], seat: int, source: str, seed: int | None, hands: int, record: Path | None, watch: bool,
    pause: float,
) -> int:  # fmt: skip
    from paohuzi_env.rules import rule_set

    rules = rule_set(source)
    in_range("hands", hands, 1, None)
    if seed is not None:
        in_range("seed", seed, 0, None)
    if not 0 <= pause <= MOST_PAUSE:
        raise UsageError(f"--pause {pause:g}; allowed: from 0 to {MOST_PAUSE:g}")
    if record is not None and not record.absolute().parent.is_dir():
        raise UsageError(f"--record {record}: {record.absolute().parent} is no folder")
    names = _others(texts, rules, watch)
    if watch:
        if seat:
            raise UsageError(f"--seat {seat} and --watch: who only watches has no seat")
    else:
        in_range("seat", seat, 0, len(names))
        names.insert(seat, "human")
    chosen = secrets.randbelow(1 << 31) if seed is None else seed
    from agents.terminal import TerminalMatch

    TerminalMatch(names, rules, chosen, hands, person=None if watch else seat, pause=pause).play(record)
    return 0


def _others(texts: Sequence[str], rules: RuleSet, watch: bool) -> list[str]:
    """The agents at the table: as named, filled up to the number that is needed."""
    names = [name for text in texts for name in (text.split(",") if not set(":[") & set(text) else [text]) if name]
    need = rules.seats - (not watch)
    most = need + (rules.seats == 3)  # a table of four
    if len(names) > most:
        raise UsageError(f"--agents: {len(names)} of them; allowed: at most {most} with {rules}")
    if not names:
        from agents.human import COMPANY

        names = [COMPANY]
    return names + names[-1:] * (need - len(names))


def _check(command: str, sources: Sequence[str], hands: int, seed: int) -> int:
    from agents.check import Checker, CheckError, Probe
    from agents.external import External
    from agents.registry import make
    from paohuzi_env.rules import preset_names, rule_set
    from paohuzi_env.show import print_table

    in_range("hands", hands, 1, None)
    in_range("seed", seed, 0, None)
    text = command if command.startswith(("external:", "external[")) else f"external:{command}"
    externals: list[External] = []
    for source in sources or preset_names():
        external = make(text, rule_set(source), seed=seed)
        assert isinstance(external, External)
        externals.append(external)
    checker = Checker(externals, hands, seed)
    probes: list[Probe] = []
    try:
        for probe in checker.probes():
            probes.append(probe)
            print(f"{'ok    ' if probe.passed else 'FAILED'} {probe.name}", file=sys.stderr, flush=True)
    finally:
        for external in externals:
            external.close()
    rows = [(probe.name, "ok" if probe.passed else "FAILED", probe.found) for probe in probes]
    print_table(("probe", "result", "what was found"), rows)
    if checker.latencies:
        heads = ("rules", "hands", "decisions", "median ms", "99% within ms", "most ms")
        print_table(heads, [latency.row() for latency in checker.latencies])
    failed = [probe.name for probe in probes if not probe.passed]
    if failed:
        raise CheckError(f"{len(failed)} of {len(probes)} probes failed: {', '.join(failed)}")
    print("It keeps to the protocol.")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process) and give the exit status."""
    return run(COMMANDS, argv, program=PROGRAM, about="Players of Paohuzi 跑胡子: who there is, a table to play at.")
