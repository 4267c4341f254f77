"""The command `python -m agents` from outside, and the compliance check on good and bad programs."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import BOTS, ROOT, hostile, left, new_mark

from agents import commands
from agents.base import Agent
from agents.registry import names, options_of
from paohuzi_env.record import replay_records

LINUX = sys.platform == "linux"


def run(*args: str, status: int = 0) -> tuple[str, str]:
    """Run the command in this process; what it wrote to standard output and error."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert commands.main(args) == status, err.getvalue()
    return out.getvalue(), err.getvalue()


def complaint(*args: str, status: int = 2) -> str:
    """The one line that a wrong call gives."""
    out, err = run(*args, status=status)
    assert err.count("\n") == 1
    assert err.startswith("python -m agents: ")
    assert out == ""
    return err


# --- help and list ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", commands.COMMANDS)
def test_the_example_in_the_help_runs(command: str, tmp_path: Path) -> None:
    shown, _ = run(command, "--help")
    (example,) = re.findall(r"^Example: python -m agents (.*)$", shown, re.MULTILINE)
    words = [str(tmp_path / word) if word.endswith(".jsonl") else word for word in shlex.split(example)]
    assert words[0] == command
    done = subprocess.run(
        [sys.executable, "-m", "agents", *words], cwd=ROOT, input="1\n" * 500, capture_output=True, text=True,
        timeout=120, check=False, env={**os.environ, "PAOHUZI_QUIET": "1", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    shown, _ = run("--help")
    assert all(f"• {command}" in shown for command in commands.COMMANDS)
    code = "import sys, agents.commands; sys.exit(any(m in sys.modules for m in ('pettingzoo', 'torch', 'PIL')))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_every_agent_is_listed_with_its_options_and_what_it_is() -> None:
    shown, _ = run("list")
    for name in names():
        (part,) = re.findall(rf"^{name} .*\n(?: .*\n)*", shown, re.MULTILINE)
        assert all(option in part for option in options_of(name))
        assert len(part.splitlines()[0].removeprefix(name).strip()) > 10
    assert "restarts=100" in shown
    assert max(map(len, shown.splitlines())) <= 100


# --- play -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Expected one of"),
        (("nonsense",), "Unrecognized options: nonsense"),
        (("play", "--hands", "0"), "--hands 0; allowed: from 1"),
        (("play", "--seed", "-1"), "--seed -1; allowed: from 0"),
        (("play", "--seat", "3"), "--seat 3; allowed: from 0 to 2"),
        (("play", "--seat", "-1"), "--seat -1"),
        (("play", "--watch", "--seat", "1"), "who only watches has no seat"),
        (("play", "--pause", "-1"), "--pause -1; allowed: from 0 to 60"),
        (("play", "--pause", "nan"), "--pause nan"),
        (("play", "--agents", "uniform,uniform,uniform,uniform"), "4 of them; allowed: at most 3"),
        (("play", "--rules", "mini", "--agents", "uniform", "uniform"), "2 of them; allowed: at most 1 with mini"),
        (("play", "--record", "no/such/folder/x.jsonl"), "no/such/folder is no folder"),
        (("check",), "COMMAND"),
        (("check", "sh", "--hands", "0"), "--hands 0"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_2(args: Sequence[str], message: str) -> None:
    assert message in complaint(*args)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("play", "--agents", "nobody"), "unknown agent 'nobody'; allowed: uniform"),
        (("play", "--rules", "nowhere"), "unknown rule set 'nowhere'"),
        (("check", "no-such-program"), "'no-such-program': no such program"),
        (("check", "external[move=0]:sh"), "move = 0.0"),
        (("check", ""), "no command"),
        (("check", "sh", "--rules", "nowhere"), "unknown rule set"),
    ],
)
def test_what_is_wrong_with_a_name_is_one_line_and_1(args: Sequence[str], message: str) -> None:
    assert message in complaint(*args, status=1)


def test_agents_play_while_you_watch_and_the_records_replay(tmp_path: Path) -> None:
    file = tmp_path / "watched.phz.jsonl"
    args = ("play", "--watch", "--agents", "uniform", "uniform:seed=4", "--seed", "3", "--hands", "2")
    shown, _ = run(*args, "--record", str(file))
    found = list(replay_records(file))
    decisions = sum(len(hand.decisions) for hand in found)
    assert shown.count("· referee ·") == decisions + 2  # before each decision, and at each end
    assert "face down" not in shown
    assert shown.count("\n  * ") == decisions  # what was chosen is marked
    assert [hand.record["players"].count("uniform:seed=4") for hand in found] == [2, 2]  # the last is filled in
    assert run(*args)[0] == shown.rpartition("Hands in")[0]  # same seed, same match


def test_at_a_table_of_four_one_sits_out(tmp_path: Path) -> None:
    file = tmp_path / "four.phz.jsonl"
    shown, _ = run("play", "--watch", "--agents", "uniform,uniform,uniform,uniform", "--seed", "3", "--hands", "3",
                   "--record", str(file))  # fmt: skip
    assert shown.count("sat out") == 3
    for hand in replay_records(file):
        assert len(hand.record["match"]["totals"]) == 4


def test_a_person_who_sits_out_sees_what_everybody_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt="": "1")
    shown, _ = run("play", "--agents", "uniform,uniform,uniform", "--seat", "2", "--seed", "9", "--hands", "6")
    out = [part for part in re.split(r"^hand \d of 6", shown, flags=re.MULTILINE) if "you sit out" in part]
    assert out
    for part in out:
        assert " 摸 draw " in part
        assert "pass" not in part
        assert not re.search(r" wei [^?\n]*[a-jA-J]", part.partition("player")[0])


def test_a_new_seed_is_told() -> None:
    shown = {run("play", "--watch", "--rules", "mini")[0].partition("\n")[0] for _ in range(2)}
    assert len(shown) == 2
    assert all(re.search(r"seed \d+", line) for line in shown)


@pytest.mark.skipif(not LINUX, reason="processes are looked for in /proc")
def test_a_fault_is_told_and_recorded(tmp_path: Path) -> None:
    file, mark = tmp_path / "fault.phz.jsonl", new_mark()
    agent = f"external:{hostile('status 3', mark)}"
    shown, _ = run("play", "--watch", "--agents", agent, "uniform", "--seed", "3", "--record", str(file))
    assert "The hand was ended by a fault of external:" in shown
    assert "crash: it ended with status 3" in shown
    (hand,) = replay_records(file)
    assert hand.record["result"]["fault"]["kind"] == "crash"
    assert hand.record["players"][1:] == ["uniform", "uniform"]
    assert left(mark) == []


class Broken(Agent):
    """A third party's that fails at its first decision, or when it is told of the end."""

    def __init__(self, rules: Any, how: str = "raises", *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.how = how

    def choose(self, views: Any, words: Any, hands: Any) -> Any:
        if self.how == "exits":
            raise SystemExit(0)
        if self.how == "raises":
            raise RuntimeError("out of order")
        if self.how == "shape":
            return np.zeros((2, 2))
        return np.array([_lowest(legal) for legal in views["legal"]])

    def ended(self, views: Any, hands: Any) -> None:
        if self.how == "ended":
            raise RuntimeError("out of order at last")


def _lowest(legal: int) -> int:
    return (int(legal) & -int(legal)).bit_length() - 1


@pytest.mark.parametrize(
    ("how", "kind", "why"),
    [
        ("raises", "crash", "RuntimeError: out of order"),
        ("exits", "crash", "SystemExit: 0"),
        ("shape", "garbage", "answers of shape (2, 2)"),
        ("ended", None, ""),
    ],
)
def test_what_somebodys_code_raises_at_the_table_is_a_fault(
    how: str, kind: str | None, why: str, tmp_path: Path
) -> None:
    file = tmp_path / "fault.phz.jsonl"
    broken = f"{__name__}:Broken:{how}"
    shown, _ = run("play", "--watch", "--agents", broken, broken, broken, "--seed", "3", "--record", str(file))
    assert (f"The hand was ended by a fault of {broken}" in shown) == (kind is not None)
    assert why in shown
    (hand,) = replay_records(file)
    assert hand.record["result"].get("fault", {}).get("kind") == kind


# --- check ------------------------------------------------------------------------------------------------------------


def check(command: str, *args: str, status: int = 0) -> tuple[str, str]:
    return run("check", command, "--rules", "mini", "--hands", "2", *args, status=status)


def test_a_good_program_passes_with_a_table_of_times() -> None:
    shown, told = run("check", f"{sys.executable} {BOTS / 'bot.py'}", "--hands", "1")
    assert "It keeps to the protocol." in shown
    assert "FAILED" not in shown
    assert told.count("ok ") == len(re.findall(r"  ok  ", shown)) == 13
    assert re.search(r"^yongzhou +1 +\d+ +[\d.]+ +[\d.]+ +[\d.]+", shown, re.MULTILINE)


def test_the_shell_bot_passes() -> None:
    assert "It keeps to the protocol." in check(f"sh {BOTS / 'bot.sh'}")[0]


@pytest.mark.skipif(not LINUX, reason="processes are looked for in /proc")
@pytest.mark.parametrize(
    ("way", "probe", "why"),
    [
        ("hello: not JSON", "hello", "garbage: 'uciok'"),
        ("hello: hangs", "hello", "timeout: no answer within 1 s"),
        ('action "fly"', "plays mini", "illegal: 'fly'"),
        ("fails", "plays mini", "ValueError: no idea 不知道"),
        ("ASCII only", "unknown keys, Chinese text", "crash"),
        ("answers notices", "notices", "garbage"),
        ("does not end", "quit", "did not end by itself, with status 0"),
    ],
)
def test_a_bad_program_fails_the_probe_that_is_about_it(way: str, probe: str, why: str) -> None:
    mark = new_mark()
    limits = "move=2,start=1" if way == "hello: hangs" else "move=20"
    shown, told = check(f"external[{limits}]:{hostile(way, mark)}", status=1)
    rows = dict(re.findall(r"^(\S.*?)  +FAILED +(.*?) *$", shown, re.MULTILINE))
    assert why in rows[probe]
    assert told.splitlines()[-1].startswith("python -m agents: ")
    assert probe in told.splitlines()[-1]
    assert "It keeps" not in shown
    assert left(mark) == []


@pytest.mark.skipif(not LINUX, reason="processes are looked for in /proc")
def test_a_check_that_is_interrupted_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = new_mark()

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agents.check.Checker._strange", interrupt)
    _, told = check(hostile("good", mark), status=130)
    assert told.splitlines()[-1] == "python -m agents: interrupted"
    assert left(mark) == []
