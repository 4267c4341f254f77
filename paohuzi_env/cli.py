"""The command `paohuzi`: evaluate positions, replay records, play random hands, list waits and rule sets.

Results go to standard output, errors as one line to standard error. Exit status: 0 done, 1 something is wrong with
what was given, 2 the command line is none, 130 interrupted, 141 the reader of the output has gone, 143 (129) ended by
SIGTERM (SIGHUP), which leaves no half of a file behind. Heavy imports wait until a command needs them.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn, TypeAlias

import tyro

from paohuzi_env import __version__
from paohuzi_env.errors import MOST_PATH, MOST_WORDS, PaohuziError, RecordError, brief, shown

if TYPE_CHECKING:
    from paohuzi_env.record import Record
    from paohuzi_env.rules import RuleSet

Command: TypeAlias = Callable[[], int]
PROGRAM: Final = "paohuzi"
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
SIGNALLED: Final = 128
"""Exit status of a command that a signal ended, less the signal's number."""
_ABOUT: Final = "Paohuzi 跑胡子: the rules, records and hands of the card game."


class UsageError(Exception):
    """An option's value that can't be: exit status 2."""


class _Signalled(BaseException):
    """A signal asks the process to end: what runs cleans up on its way out, as at an interrupt."""

    def __init__(self, number: int) -> None:
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


def named(metavar: str, hint: str | None = None) -> Any:
    """How an argument is called in the help, and what stands behind its description."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=hint)


_Rules: TypeAlias = Annotated[str, named("RULES")]
_Number: TypeAlias = Annotated[int, named("N")]
_Seat: TypeAlias = Annotated[int | None, named("SEAT", "")]
_File: TypeAlias = Annotated[Path | None, named("FILE", "")]
_Files: TypeAlias = Annotated[tyro.conf.Positional[tuple[Path, ...]], named("FILE ...", "")]
_Hand: TypeAlias = Annotated[tyro.conf.Positional[str], named("HAND", "")]
_Melds: TypeAlias = Annotated[
    tyro.conf.UseAppendAction[tuple[tuple[str, ...], ...]], named("MELD ...", "(may be repeated)")
]
_Names: TypeAlias = Annotated[tyro.conf.Positional[tuple[str, ...]], named("[NAME [NAME]]", "")]


# --- the commands: what they take -----------------------------------------------------------------------------
# tyro makes the options from the signatures and the help from the docstrings. Each gives back what is to be run.


def evaluate() -> Command:
    """Is it a win, and what does it pay? Position queries as JSON lines in, answers as JSON lines out.

    Every line is answered, a wrong one with {"error": ...}; then the exit status is 1.

    Example: echo '{"hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "other_draw"}' | paohuzi evaluate
    """  # noqa: E501 - an example is pasted whole
    return _evaluate


def replay(files: _Files, /, *, show: bool = False, chinese: bool = False) -> Command:
    """Replay game records through the rules and compare every event, every list of choices and the result.

    Exit status 1, with the file, the line, the event and the reason, if a record differs.

    Example: paohuzi replay games.phz.jsonl --show

    Parameters
    ----------
    files
        Files of game records, one JSON object a line.
    show
        Print each hand step by step: hands, melds, the live tile, the choices, what was chosen.
    chinese
        With --show: write tiles as Chinese characters.
    """
    return partial(_replay, files, show, chinese)


def selfplay(
    *, rules: _Rules = "hunan", games: _Number = 100, seed: _Number = 0, dealer: _Seat = None, take_hu: bool = False,
    record: _File = None, legal: bool = False,
) -> Command:  # fmt: skip
    """Play hands by uniformly random choices and sum up what happened.

    Hand i is dealt and played from (seed, i): the same however many are played.

    Example: paohuzi selfplay --rules hunan --games 1000 --seed 7 --take-hu --record games.phz.jsonl

    Parameters
    ----------
    rules
        A preset's name, a .toml or .json file, or inline JSON such as '{"preset": "hunan", "cap": 20}'.
    games
        How many hands.
    seed
        Fixes every deal and every choice.
    dealer
        The seat that deals every hand; without it each hand draws its own.
    take_hu
        Take every hu that is offered.
    record
        Write the hands to this file, all of them or none.
    legal
        Record the legal choices of every decision too.
    """
    return partial(_selfplay, rules, games, seed, dealer, take_hu, record, legal)


def waits(
    hand: _Hand,
    /,
    *,
    melds: _Melds = (),
    rules: _Rules = "hunan",
    chinese: bool = False,
) -> Command:
    """Every tile that would win a hand, drawn by itself or by another seat, and what it would pay.

    Example: paohuzi waits acfghiiCCCDEF --melds peng:eee ti:JJJJ

    Parameters
    ----------
    hand
        The concealed tiles, as letters or Chinese characters.
    melds
        The melds on the table, each KIND:TILES with KIND peng, wei, chouwei, pao, ti or chi.
    rules
        A preset's name, a .toml or .json file, or inline JSON.
    chinese
        Write tiles as Chinese characters.
    """
    return partial(_waits, hand, [meld for some in melds for meld in some], rules, chinese)


def rules(names: _Names = (), /) -> Command:
    """List the rule sets that come with the package, show one, or show where two differ.

    Example: paohuzi rules hunan luzhou

    Parameters
    ----------
    names
        None, one or two rule sets: a preset's name, a .toml or .json file, or inline JSON.
    """
    return partial(_rules, names)


COMMANDS: Final[dict[str, Callable[..., Command]]] = {
    "evaluate": evaluate,
    "replay": replay,
    "selfplay": selfplay,
    "waits": waits,
    "rules": rules,
}


# --- the commands: what they do -------------------------------------------------------------------------------


def _evaluate() -> int:
    from paohuzi_env.position import answer_lines

    if sys.stdin is None:
        raise UsageError("standard input is closed; position queries are read from it")
    wrong = False
    for answer in answer_lines(sys.stdin.buffer):
        wrong = wrong or "error" in answer
        print(json.dumps(answer), flush=True)
    return 1 if wrong else 0


def _replay(files: Sequence[Path], show: bool, chinese: bool) -> int:
    if not files:
        raise UsageError("replay needs a file of game records")
    from paohuzi_env.record import replay_records
    from paohuzi_env.selfplay import Tally
    from paohuzi_env.show import hand_lines, print_table

    rows: list[Sequence[object]] = []
    failed = False
    for path in files:
        tally, names = Tally(), set()
        try:
            for number, found in enumerate(replay_records(path), 1):
                tally.add(found.game, len(found.decisions))
                names.add(found.rules.name)
                if show:
                    lines = hand_lines(found, title=f"hand {number} of {path}", chinese=chinese)
                    print("\n".join(lines), end="\n\n")
            if not tally.hands:
                raise RecordError("no records", file=str(path))
        except (PaohuziError, OSError) as error:
            if isinstance(error, BrokenPipeError):
                raise
            failed = True
            complain(error)
        rows.append((path, ", ".join(sorted(names)), tally.hands, tally.drawn_hands, tally.won, tally.decisions))
    print_table(("file", "rules", "hands verified", "drawn", "won", "decisions"), rows)
    return 1 if failed else 0


def _selfplay(
    source: str, games: int, seed: int, dealer: int | None, take_hu: bool, record: Path | None, legal: bool
) -> int:  # fmt: skip
    rules = _rule_set(source)
    in_range("games", games, 1, None)
    in_range("seed", seed, 0, None)
    if dealer is not None:
        in_range("dealer", dealer, 0, rules.seats - 1)
    if legal and record is None:
        raise UsageError("--legal goes with --record")
    from paohuzi_env.record import record_of, write_records
    from paohuzi_env.selfplay import Tally, play_random
    from paohuzi_env.show import print_table, tally_rows

    play_random(rules, seed, 0)  # whatever has to be compiled is no part of the time
    tally = Tally()

    def records() -> Iterator[Record]:
        for index in _progress(games):
            game, decisions = play_random(rules, seed, index, dealer=dealer, take_hu=take_hu)
            tally.add(game, decisions)
            if record is not None:
                players = ["random"] * rules.seats
                meta = {"hand": index, "take_hu": take_hu}
                yield record_of(game, seed=seed, players=players, legal=legal, meta=meta)

    started = time.perf_counter()
    if record is not None:
        write_records(record, records())
    else:
        for _ in records():
            pass
    seconds = time.perf_counter() - started
    print_table((str(rules), f"seed {seed}"), tally_rows(tally, rules.seats, seconds))
    return 0


def _progress(games: int) -> Iterator[int]:
    """Count the hands, with a bar on standard error where that is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from range(games)
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(range(games), "playing", console=Console(stderr=True), transient=True)


def _waits(hand: str, melds: Sequence[str], source: str, chinese: bool) -> int:
    rules = _rule_set(source)
    from paohuzi_env import position
    from paohuzi_env.notation import tile_glyph, tile_letter
    from paohuzi_env.show import print_table

    found = position.waits(utf8(hand), [utf8(meld) for meld in melds], rules)
    if not found:
        print("waits for nothing")
        return 0

    def cells(verdict: position.Verdict | None) -> tuple[object, ...]:
        if verdict is None:
            return ("-", "", "")
        return (verdict.huxi, ", ".join(verdict.patterns) or "none", verdict.base)

    name = tile_glyph if chinese else tile_letter
    heads = ("tile", "own draw: huxi", "patterns", "base", "other's draw: huxi", "patterns", "base")
    print_table(heads, [(name(wait.kind), *cells(wait.own), *cells(wait.other)) for wait in found])
    return 0


def _rules(names: Sequence[str]) -> int:
    if len(names) > 2:
        raise UsageError(f"{len(names)} rule sets; allowed: none, one, or two to compare")
    sets = [_rule_set(name) for name in names]
    from paohuzi_env.rules import difference, preset, preset_names
    from paohuzi_env.show import print_table

    if not sets:
        standard = preset(preset_names()[0])
        rows = [
            (name, r.hash, r.seats, r.min_huxi, r.wilds, len(difference(standard, r)))
            for name in preset_names()
            for r in [preset(name)]
        ]
        heads = ("rule set", "hash", "seats", "least huxi", "wild tiles", f"differs from {standard.name} in")
        print_table(heads, rows)
    elif len(sets) == 1:
        print_table(("field", "value"), list(_fields(sets[0])), title=f"{sets[0]}  hash {sets[0].hash}")
    else:
        a, b = sets
        differs = [(field, _value(x), _value(y)) for field, (x, y) in difference(a, b).items()]
        if differs:
            print_table(("field", f"{a} ({a.hash})", f"{b} ({b.hash})"), differs)
        else:
            print(f"no difference: both have the hash {a.hash}")
    return 0


def _fields(table: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every field of a rule set by its dotted name."""
    for field, value in table.items():
        if hasattr(value, "items") and value:
            yield from _fields(value, f"{prefix}{field}.")
        else:
            yield f"{prefix}{field}", _value(value)


def _value(value: object) -> str:
    return "{}" if hasattr(value, "items") else json.dumps(value, ensure_ascii=False)


def _rule_set(source: str) -> RuleSet:
    from paohuzi_env.rules import rule_set

    return rule_set(source if source.endswith((".toml", ".json")) else utf8(source))


def utf8(word: str) -> str:
    """An argument as text. Where the locale is not UTF-8, Python has put surrogates for what it could not decode.

    Not for names of files: the system is given those back byte by byte, which takes the surrogates.
    """
    try:
        return word if word.isascii() else os.fsencode(word).decode()
    except UnicodeError:
        return word


def in_range(name: str, value: int, low: int, high: int | None) -> None:
    if value < low or (high is not None and value > high):
        most = "" if high is None else f" to {high}"
        raise UsageError(f"--{name} {shown(value)}; allowed: from {low}{most}")


# --- the frame ------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line `argv` (default: that of the process) and give the exit status."""
    return run(COMMANDS, argv, program=PROGRAM, about=_ABOUT)


def run(
    commands: Mapping[str, Callable[..., Command]], argv: Sequence[str] | None = None, *, program: str, about: str
) -> int:
    """Run one of several commands.

    Parameters
    ----------
    commands
        By name: functions whose signature and docstring make the options and the help, and that give what is to be run.
    argv
        The command line, by default that of the process.
    program
        What the program is called in its help and in front of its errors.
    about
        What the help says first.

    Returns
    -------
    int
        The exit status.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)

    def command() -> int:
        return _parse(commands, arguments, program, about)()

    return run_quietly(command, program)


def run_quietly(command: Command, program: str = PROGRAM) -> int:
    """Run a command; give its exit status, or that of its error, which is one line on standard error."""
    try:
        if sys.stdout is None:  # closed by the caller
            sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process
        if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal without Chinese shows "?"
            sys.stdout.reconfigure(errors="replace")
        with _ending_by_signal(), _warning_in_one_line(program):
            status = command()
        sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        complain("interrupted", program)
        return INTERRUPTED
    except _Signalled as end:
        complain(end, program)
        return SIGNALLED + end.number
    except (PaohuziError, OSError, UsageError) as error:
        complain(error, program)
        return 2 if isinstance(error, UsageError) else 1
    return status


@contextlib.contextmanager
def _ending_by_signal() -> Iterator[None]:
    """While a command runs, raise `_Signalled` where SIGTERM or SIGHUP would end the process at once."""

    def handle(number: int, frame: object) -> NoReturn:
        raise _Signalled(number)

    taken: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; under nohup it is ignored, and stays so
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, handle)
                taken.append(number)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def _warning_in_one_line(program: str) -> Iterator[None]:
    """While a command runs, show a warning (of a cache folder that can't be written) as errors are shown."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        complain(str(message).removeprefix("paohuzi: "), program)

    before, warnings.showwarning = warnings.showwarning, show
    try:
        yield
    finally:
        warnings.showwarning = before


def _parse(commands: Mapping[str, Callable[..., Command]], argv: Sequence[str], program: str, about: str) -> Command:
    """Read the command line."""
    if list(argv) == ["--version"]:
        return _version
    try:
        with reading(program):
            command: Command = tyro.extras.subcommand_cli_from_dict(
                dict(commands),
                prog=program,
                description=f"{about}\n\nAn example of each command: {program} COMMAND --help",
                args=argv,
                config=(tyro.conf.FlagCreatePairsOff, tyro.conf.OmitArgPrefixes),
            )
    except SystemExit:  # --help
        return _nothing
    return command


@contextlib.contextmanager
def reading(program: str) -> Iterator[None]:
    """While tyro reads a command line: what it has to say about a wrong one becomes one line, and a `UsageError`."""
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            yield
    except SystemExit as end:
        if not end.code:  # --help
            raise
        raise UsageError(f"{_one_line(complaint.getvalue())} (see {program} --help)") from None


def _one_line(boxed: str) -> str:
    """The message in tyro's box, without the box, its title and the hints below its first rule."""
    words: list[str] = []
    for line in boxed.splitlines()[1:]:
        text = line.strip(" │|")
        if not set(text) <= set("╰╯─-+"):
            words.append(text)
        elif words:
            break
    return brief(" ".join(words), MOST_WORDS) or "a wrong command line"


def _version() -> int:
    print(f"paohuzi-env {__version__}")
    return 0


def _nothing() -> int:
    return 0


def complain(error: object, program: str = PROGRAM) -> None:
    """One line on standard error."""
    text = str(error)
    if isinstance(error, OSError) and error.strerror:
        name = error.filename
        text = error.strerror if name is None else f"{brief(str(name), MOST_PATH)}: {error.strerror}"
    text = "".join(char if char.isprintable() else " " for char in text)
    with contextlib.suppress(OSError, ValueError):
        print(f"{program}: {text}", file=sys.stderr, flush=True)


def _close_output() -> None:
    """Let the interpreter's last flush of standard output go nowhere, so that it says nothing."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


if __name__ == "__main__":
    sys.exit(main())
