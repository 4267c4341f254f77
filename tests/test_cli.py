"""The command `paohuzi` from outside: what it prints, what it ends with, and that it never shows a traceback."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import pytest

from paohuzi_env import cli
from paohuzi_env.record import read_records, record_line, record_of, replay
from paohuzi_env.rules import preset_names, rule_set
from paohuzi_env.selfplay import Tally, play_random
from paohuzi_env.show import hand_lines, printable, tally_rows

DATA = Path(__file__).parent / "data"
QUERY = {"hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "other_draw"}


def paohuzi(
    *args: str, given: str | bytes = "", env: Mapping[str, str] | None = None, status: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run the command; its errors are one line and never a traceback."""
    data = given if isinstance(given, bytes) else given.encode()
    done = subprocess.run(
        [sys.executable, "-m", "paohuzi_env", *args], input=data, capture_output=True, timeout=300,
        env={**os.environ, "PAOHUZI_QUIET": "1", "PYTHONIOENCODING": "utf-8", **(env or {})}, check=False,
    )  # fmt: skip
    out = subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    )
    assert "Traceback" not in out.stderr
    assert out.returncode == status, out.stderr
    return out


def complaint(*args: str, status: int = 1) -> str:
    """The one line that a wrong call gives; asked in this process, since that is fifty times faster."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert cli.main(args) == status
    line = err.getvalue()
    assert line.count("\n") == 1
    assert line.startswith("paohuzi: ")
    return line


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """A file of three hands."""
    file = tmp_path / "games.phz.jsonl"
    hands = [
        record_of(play_random(rule_set("hunan"), 1, i, take_hu=True)[0], players=["a", "b", "c"]) for i in (0, 107, 338)
    ]
    file.write_text("".join(map(record_line, hands)), encoding="utf-8")
    return file


# --- help -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_the_example_in_the_help_runs(command: str, tmp_path: Path, games: Path) -> None:
    shown = paohuzi(command, "--help").stdout
    (example,) = re.findall(r"^Example: (.*)$", shown, re.MULTILINE)
    assert f"paohuzi {command}" in example
    given = ""
    if "|" in example:
        echo, example = example.split(" | ")
        given = shlex.split(echo)[1]
    words = shlex.split(example)[1:]
    words = [str(tmp_path / word) if word.endswith(".jsonl") else word for word in words]
    done = paohuzi(*words, given=given)
    assert done.stdout
    assert not done.stderr


def test_help_names_every_command() -> None:
    shown = paohuzi("--help").stdout
    assert all(f"• {command}" in shown for command in cli.COMMANDS)


@pytest.mark.skipif(os.name == "nt", reason="times of POSIX")
def test_help_is_there_at_once() -> None:
    before = os.times()
    paohuzi("--help")
    after = os.times()  # the processor's time: other programs do not count
    used = after.children_user + after.children_system - before.children_user - before.children_system
    assert used < 0.8


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, paohuzi_env.cli; sys.exit(any(m in sys.modules for m in ('numba', 'numpy', 'pettingzoo')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"paohuzi-env \d+\.\d+\.\d+\S*\n", paohuzi("--version").stdout)


@pytest.mark.parametrize(
    "args",
    [(), ("nonsense",), ("selfplay", "--games", "x"), ("selfplay", "--nonsense"), ("selfplay", "--games", "0"),
     ("selfplay", "--seed", "-1"), ("selfplay", "--dealer", "3"), ("selfplay", "--legal"), ("waits",), ("replay",),
     ("rules", "hunan", "hunan", "hunan"), ("replay", "--nonsense")],
)  # fmt: skip
def test_a_wrong_command_line_is_one_line_and_2(args: tuple[str, ...]) -> None:
    complaint(*args, status=2)


LONG = "x" * 20_000


@pytest.mark.parametrize(
    "args",
    [("rules", LONG), ("rules", f"{LONG}.toml"), ("rules", f'{{"{LONG}": 1}}'), ("waits", LONG), ("replay", LONG),
     ("waits", "abc", "--melds", LONG), ("selfplay", "--games", "1", "--record", LONG), ("selfplay", f"--{LONG}"),
     (LONG,), ("selfplay", "--games", LONG), ("selfplay", "--games", f"-{'9' * 4000}"), ("selfplay", "a b " * 9999),
     ("selfplay", "--rules", LONG)],
    ids=range(13),
)  # fmt: skip
def test_no_complaint_repeats_a_long_argument_whole(args: tuple[str, ...]) -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert cli.main(args) in (1, 2)
    assert len(err.getvalue()) < 1000
    assert err.getvalue().count("\n") == 1


# --- evaluate ---------------------------------------------------------------------------------------------------------


def test_evaluate_answers_every_line_and_ends_with_1_for_an_error() -> None:
    good = json.dumps(QUERY)
    answers = [json.loads(line) for line in paohuzi("evaluate", given=f"{good}\n{good}\n").stdout.splitlines()]
    assert [answer["huxi"] for answer in answers] == [22, 22]
    rubbish = b"\n".join([b"{", b"\xff\x00", good.encode(), b"[]", good.encode()])
    answers = [json.loads(line) for line in paohuzi("evaluate", given=rubbish, status=1).stdout.splitlines()]
    assert ["error" in answer for answer in answers] == [True, True, False, True, False]
    assert paohuzi("evaluate", given="").stdout == ""


def test_evaluate_answers_a_line_before_the_next_is_there() -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "paohuzi_env", "evaluate"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(2):
            child.stdin.write(json.dumps(QUERY).encode() + b"\n")
            child.stdin.flush()
            assert json.loads(child.stdout.readline())["hu"] is True
        child.stdin.close()
    assert child.returncode == 0


# --- replay -----------------------------------------------------------------------------------------------------------


def test_replay_verifies_and_sums_up(games: Path) -> None:
    shown = paohuzi("replay", str(games), str(DATA / "games-yongzhou.phz.jsonl")).stdout
    assert re.search(r"games\.phz\.jsonl +hunan +3 +1 +2 ", shown)
    assert re.search(r"games-yongzhou\.phz\.jsonl +yongzhou +20 ", shown)


@pytest.mark.parametrize("option", [(), ("--chinese",)])
def test_replay_shows_the_hands_step_by_step(games: Path, option: tuple[str, ...]) -> None:
    shown = paohuzi("replay", str(games), "--show", *option).stdout
    for number, record in enumerate(read_records(games), 1):
        lines = list(hand_lines(replay(record), title=f"hand {number} of {games}", chinese=bool(option)))
        assert "\n".join(lines) in shown
        assert len(lines) > len(record["events"])
    assert ("一" in shown) == bool(option)


def test_replay_says_where_and_why_a_record_is_wrong(games: Path) -> None:
    lines = games.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[1])
    record["events"][4] = "2 wei jjj"
    games.write_text("\n".join([lines[0], json.dumps(record), lines[2]]) + "\n", encoding="utf-8")
    done = paohuzi("replay", str(games), str(DATA / "games-bopi.phz.jsonl"), status=1)
    assert done.stderr == f"paohuzi: {games}:2: event 5: '2 wei jjj'; the rules give '2 wei iii'\n"
    assert re.search(r"games-bopi\.phz\.jsonl +bopi +15 ", done.stdout)  # the other file is looked at all the same


@pytest.mark.parametrize("data", [b"", b"\x00\xff\n", b"{}\n", b"[" * 100_000, b'{"format": "\x1b[31m"}\n'])
def test_replay_refuses_rubbish_in_one_line(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "rubbish"
    file.write_bytes(data)
    message = complaint("replay", str(file))
    assert str(file) in message
    assert "\x1b" not in message


@pytest.mark.parametrize(
    ("args", "status"),
    [(("replay", "nowhere"), 1), (("selfplay", "--games", "x"), 2), (("waits", "?"), 1), (("rules", "nonsense"), 1)],
)
def test_an_error_of_the_command_itself_is_one_line(args: tuple[str, ...], status: int) -> None:
    done = paohuzi(*args, status=status)
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("paohuzi: ")


def test_replay_of_what_is_no_file(tmp_path: Path) -> None:
    assert "No such file" in complaint("replay", str(tmp_path / "none"))
    assert "directory" in complaint("replay", str(tmp_path))


def test_names_of_a_hostile_record_do_not_reach_the_terminal(tmp_path: Path) -> None:
    game, _ = play_random(rule_set("mini"), 1, 0)
    file = tmp_path / "hostile.phz.jsonl"
    file.write_text(record_line(record_of(game, players=["\x1b[2J[bold]", "\n\n"])), encoding="utf-8")
    shown = paohuzi("replay", str(file), "--show").stdout
    assert "\x1b" not in shown
    assert "?[2J[bold]" in shown
    assert printable("a\x07b\u202e") == "a?b?"


# --- selfplay ---------------------------------------------------------------------------------------------------------


def test_selfplay_records_hands_that_do_not_depend_on_their_number(tmp_path: Path) -> None:
    few, many, another = (tmp_path / name for name in ("few", "many", "another"))
    options = ("selfplay", "--rules", "luzhou", "--seed", "5", "--take-hu", "--legal")
    shown = paohuzi(*options, "--games", "3", "--record", str(few)).stdout
    paohuzi(*options, "--games", "6", "--record", str(many))
    paohuzi(*options[:3], "--games", "3", "--record", str(another))
    assert many.read_text().startswith(few.read_text())
    assert another.read_text() != few.read_text()
    records = list(read_records(few))
    assert [record["meta"]["hand"] for record in records] == [0, 1, 2]
    assert all(record["seed"] == 5 and "legal" in record for record in records)
    assert re.search(r"hands +3 ", shown)


def test_selfplay_sums_up_what_it_played() -> None:
    shown = paohuzi("selfplay", "--rules", '{"preset": "hunan", "min_huxi": 6}', "--games", "60", "--take-hu").stdout
    tally = Tally()
    rules = rule_set({"preset": "hunan", "min_huxi": 6})
    for index in range(60):
        tally.add(*play_random(rules, 0, index, take_hu=True))
    for name, value in tally_rows(tally, 3):
        assert re.search(rf"^{re.escape(name)} +{re.escape(value)} *$", shown, re.MULTILINE), name
    assert tally.hands == tally.won + tally.drawn_hands == 60


def test_selfplay_deals_from_the_seat_that_is_given(tmp_path: Path) -> None:
    file = tmp_path / "games"
    paohuzi("selfplay", "--games", "5", "--dealer", "2", "--record", str(file))
    assert {record["dealer"] for record in read_records(file)} == {2}


def test_random_play_takes_a_thousand_hands_in_seconds() -> None:
    started = time.perf_counter()
    rules = rule_set("hunan")
    for index in range(1000):
        play_random(rules, 1, index)
    assert time.perf_counter() - started < 10


def test_selfplay_to_what_cannot_be_written(tmp_path: Path) -> None:
    assert "No such file" in complaint("selfplay", "--games", "2", "--record", str(tmp_path / "none" / "games"))
    assert "directory" in complaint("selfplay", "--games", "2", "--record", str(tmp_path))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_one_line() -> None:
    for games in ("1", "40"):  # found at the last flush; in between
        line = complaint("selfplay", "--games", games, "--record", "/dev/full")
        assert line == "paohuzi: /dev/full: No space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_disk_that_fills_up_midway_is_one_line_and_leaves_no_file(tmp_path: Path) -> None:
    import resource

    record_of(play_random(rule_set("hunan"), 0, 0)[0])  # so that no compiled kernel has to be kept
    file = tmp_path / "games"
    done = subprocess.run(
        [sys.executable, "-m", "paohuzi_env", "selfplay", "--games", "40", "--record", str(file)],
        stderr=subprocess.PIPE, env={**os.environ, "PAOHUZI_QUIET": "1"}, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )  # fmt: skip
    assert done.stderr == f"paohuzi: {file}: File too large\n".encode()
    assert done.returncode == 1
    assert not list(tmp_path.iterdir())


# --- waits and rules --------------------------------------------------------------------------------------------------


def test_waits_are_listed_for_own_draws_and_for_others() -> None:
    shown = paohuzi("waits", "acfghiiCCCDEF", "--melds", "peng:eee", "ti:JJJJ").stdout
    assert re.search(r"^b +22 +none +4 +22 +none +3 *$", shown, re.MULTILINE)
    again = paohuzi(
        "waits", "一三六七八九九叁叁叁肆伍陆", "--melds", "peng:五五五", "--melds", "ti:拾拾拾拾", "--chinese"
    )
    assert re.search(r"^二 +22 ", again.stdout, re.MULTILINE)
    assert paohuzi("waits", "aabbccddeeffgghhiijj").stdout == "waits for nothing\n"


@pytest.mark.skipif(os.name == "nt", reason="locales of POSIX")
def test_chinese_arguments_are_utf_8_in_a_locale_that_does_not_say_so(tmp_path: Path) -> None:
    plain = {"PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONIOENCODING": "utf-8"}
    words = ("waits", "一三六七八九九叁叁叁肆伍陆", "--melds", "peng:五五五", "ti:拾拾拾拾", "--chinese")
    assert paohuzi(*words, env=plain).stdout == paohuzi(*words).stdout
    rules, games = tmp_path / "湖南.toml", tmp_path / "局.jsonl"
    rules.write_text("cap = 7", encoding="utf-8")
    assert re.search(r"^cap +7 ", paohuzi("rules", str(rules), env=plain).stdout, re.MULTILINE)
    paohuzi("selfplay", "--games", "1", "--record", str(games), env=plain)
    assert len(list(read_records(games))) == 1
    paohuzi("replay", str(games), env=plain)
    assert "'湖南'" in paohuzi("rules", "湖南", env=plain, status=1).stderr
    assert "'名'" in paohuzi("rules", '{"名": 1}', env=plain, status=1).stderr
    assert "which is no tile" in paohuzi("waits", os.fsdecode(b"\xff\xfe"), env=plain, status=1).stderr


@pytest.mark.parametrize("args", [("xyz",), ("aaa",), ("acfghiiCCCDEF", "--melds", "nonsense"), ("aaaa" + "b" * 16,)])
def test_waits_of_what_is_no_hand(args: tuple[str, ...]) -> None:
    complaint("waits", *args)


def test_rules_lists_shows_and_compares(tmp_path: Path) -> None:
    shown = paohuzi("rules").stdout
    assert all(re.search(rf"^{name} +{rule_set(name).hash} ", shown, re.MULTILINE) for name in preset_names())
    one = paohuzi("rules", "luzhou").stdout
    assert rule_set("luzhou").hash in one
    assert re.search(r"^huxi\.ti\.large_red +18 ", one, re.MULTILINE)
    two = paohuzi("rules", "hunan", "huaihua").stdout
    assert re.search(r'^self_draw +"after" +"before" ', two, re.MULTILINE)
    file = tmp_path / "mine.toml"
    file.write_text('preset = "hunan"\nmin_huxi = 9\n')
    assert re.search(r"^min_huxi +9 +15 ", paohuzi("rules", str(file), "hunan").stdout, re.MULTILINE)
    assert "no difference" in paohuzi("rules", "hunan", "{}").stdout


@pytest.mark.parametrize("name", ["nonsense", "{", '{"preset": "hunan", "x": 1}', "none.toml", "none.json"])
@pytest.mark.parametrize("command", [("rules",), ("selfplay", "--rules"), ("waits", "a", "--rules")])
def test_a_rule_set_that_is_none(command: tuple[str, ...], name: str) -> None:
    complaint(*command, name)


# --- the surroundings -------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize(
    "args", [("replay", "{}", "--show"), ("rules", "hunan"), ("evaluate",), ("selfplay", "--games", "2")]
)
def test_a_closed_pipe_ends_the_command_quietly(games: Path, args: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    child = subprocess.run(
        [sys.executable, "-m", "paohuzi_env", *(word.replace("{}", str(games)) for word in args)],
        input=json.dumps(QUERY).encode(), stdout=write, stderr=subprocess.PIPE, check=False,
        env={**os.environ, "PAOHUZI_QUIET": "1"},
    )  # fmt: skip
    os.close(write)
    assert child.stderr == b""
    assert child.returncode == cli.PIPE_CLOSED


@pytest.mark.parametrize(
    "args", [("--help",), ("replay", "--help"), ("replay", "{}", "--show", "--chinese"), ("rules",)]
)
def test_a_terminal_that_knows_no_chinese_is_no_error(games: Path, args: tuple[str, ...]) -> None:
    words = [word.replace("{}", str(games)) for word in args]
    for encoding in ("ascii", "cp1252"):
        assert paohuzi(*words, env={"PYTHONIOENCODING": encoding, "LC_ALL": "C"}).stdout


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "words"),
    [("SIGINT", b"interrupted"), ("SIGTERM", b"ended by SIGTERM"), ("SIGHUP", b"ended by SIGHUP")],
)
def test_a_signal_that_ends_a_command_leaves_no_file(tmp_path: Path, number: str, words: bytes) -> None:
    file = tmp_path / "games"
    file.write_text("as it was")
    # A shell's background job ignores some signals, and so would its children: undo that first.
    with subprocess.Popen(
        [sys.executable, "-m", "paohuzi_env", "selfplay", "--games", "10000000", "--record", str(file)],
        stderr=subprocess.PIPE, env={**os.environ, "PAOHUZI_QUIET": "1"},
        preexec_fn=lambda: signal.signal(signal.Signals[number], signal.SIG_DFL),  # noqa: PLW1509  # no other thread
    ) as child:  # fmt: skip
        try:
            deadline = time.monotonic() + 200
            while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:  # until it plays
                time.sleep(0.05)
            child.send_signal(signal.Signals[number])
            assert child.communicate(timeout=60)[1] == b"paohuzi: " + words + b"\n"
            assert child.returncode == cli.SIGNALLED + signal.Signals[number]
        finally:
            child.kill()
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == "as it was"


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_signal_that_is_ignored_stays_so_and_handlers_are_given_back() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN), signal.signal(signal.SIGTERM, signal.SIG_DFL)
    found: list[object] = []
    try:
        cli.run_quietly(lambda: found.extend(map(signal.getsignal, (signal.SIGHUP, signal.SIGTERM))) or 0)
        assert found[0] is signal.SIG_IGN
        assert callable(found[1])
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before[0])
        signal.signal(signal.SIGTERM, before[1])


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
def test_records_go_to_standard_output_too(tmp_path: Path) -> None:
    options = ("selfplay", "--games", "3", "--seed", "5", "--record")
    paohuzi(*options, str(tmp_path / "games"))
    records = (tmp_path / "games").read_text(encoding="utf-8")
    for name in ("/dev/stdout", "/dev/fd/1"):
        shown = paohuzi(*options, name).stdout  # a pipe
        assert shown.startswith(records)
        assert "hands " in shown.removeprefix(records)
        file = tmp_path / "out"
        file.write_text("before\n", encoding="utf-8")
        with file.open("a", encoding="utf-8") as out:  # a plain file, gone on with and not written over
            subprocess.run([sys.executable, "-m", "paohuzi_env", *options, name], stdout=out, check=True)
        shown = file.read_text(encoding="utf-8").removeprefix("before\n")
        assert shown.startswith(records)
        assert "hands " in shown.removeprefix(records)


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_records_go_to_a_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-m", "paohuzi_env", "selfplay", "--games", "2", "--record", str(pipe)],
        stdout=subprocess.DEVNULL,
    ) as child:
        assert len(pipe.read_text(encoding="utf-8").splitlines()) == 2
    assert child.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_the_demo_plays_records_verifies_and_shows(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "paohuzi_env.demo"], capture_output=True, text=True, encoding="utf-8", check=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "PAOHUZI_QUIET": "1", "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    (file,) = tmp_path.glob("*/demo.phz.jsonl")
    records = list(read_records(file))
    assert str(file) in done.stdout
    assert "wins on" in done.stdout
    assert f"{len(records)} hands replayed" in done.stdout
    assert not done.stderr


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"), reason="nothing is kept")
def test_a_cache_folder_that_cannot_be_written_is_told_of_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    blocked = tmp_path / "file" / "cache"
    done = paohuzi("rules", "hunan", env={"PAOHUZI_CACHE_DIR": str(blocked)})
    assert done.stderr == ""  # it compiles nothing
    (tmp_path / "tmp").mkdir()
    program = (
        "from paohuzi_env import cli\nfrom paohuzi_env.core import _compile\n"
        "raise SystemExit(cli.run_quietly(lambda: print(_compile._writable_root()) or 0))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PAOHUZI_CACHE_DIR": str(blocked), "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip
    words = rf"paohuzi: cannot keep compiled kernels in {re.escape(str(blocked))} \(.*\); working in .* instead\n"
    assert re.fullmatch(words, told.stderr)
    assert told.stdout.startswith(str(tmp_path / "tmp"))


def test_a_warning_of_a_command_is_one_line_and_later_ones_are_pythons(capsys: pytest.CaptureFixture[str]) -> None:
    def command() -> int:
        warnings.warn("first\nsecond", RuntimeWarning, stacklevel=1)
        return 0

    before = warnings.showwarning
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert cli.run_quietly(command) == 0
    assert capsys.readouterr().err == "paohuzi: first second\n"
    assert warnings.showwarning is before


def test_main_gives_the_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["rules", "mini"]) == 0
    assert rule_set("mini").hash in capsys.readouterr().out
    assert cli.main(["rules", "nonsense"]) == 1
    assert cli.main(["nonsense"]) == 2
    assert capsys.readouterr().err.count("\n") == 2
