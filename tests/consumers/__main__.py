"""Runs the consumers, one after another.

Each gets a virtual environment of its own in `.consumers` of the checkout, with its pinned requirements and the
project as a wheel, as anybody would install it. When it has run, its environment is removed: together they take many
gigabytes. What each came to is written to a JSON file, and the table of it to the README.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmarks import machine, peers
from consumers import table

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
CACHE: Final = ROOT / ".consumers"
RESULTS: Final = HERE / "results.json"
SECONDS: Final = 900
"""What a script may take beyond the minutes that it is asked to train."""


class ConsumerError(Exception):
    """A consumer that could not be installed, or did not come through."""


def run(name: str, script: Sequence[str] = (), seconds: float = SECONDS, cache: Path = CACHE) -> dict[str, Any]:
    """Install a consumer and run its script; what it came to, and what the installation took.

    Raises
    ------
    ConsumerError
        It could not be installed, or did not come through; the text ends with the last lines of its output.
    """
    started = time.perf_counter()
    try:
        python = peers.install(name, cache, HERE)
    except peers.PeerError as error:
        raise ConsumerError(str(error)) from error
    _install_project(python)
    took = time.perf_counter() - started
    size = sum(file.lstat().st_size for file in (cache / name).rglob("*"))
    found = _play(name, python, script, seconds)
    return found | {"installed_seconds": round(took, 1), "installed_mib": round(size / 2**20)}


def _install_project(python: Path) -> None:
    """The checkout as a wheel; pip then says whether its ranges and the library's agree."""
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    wheel = ["install", "--quiet", "--no-deps", "--no-build-isolation", "--force-reinstall", str(ROOT)]
    for command in (wheel, ["check"]):
        done = subprocess.run([*pip, *command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise ConsumerError(f"pip {command[0]} failed\n{_tail(done.stdout + done.stderr)}")


def _play(name: str, python: Path, script: Sequence[str], seconds: float) -> dict[str, Any]:
    """Run the script in an empty folder, away from the checkout; it and what it started have ended afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        out, log = Path(folder) / "result.json", Path(folder) / "log.txt"
        command = [str(python), "-P", "-m", f"consumers.{name}.play", "--out", str(out), *script]
        env = os.environ | {"PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1", "TMPDIR": folder}
        with log.open("wb") as output:
            process = subprocess.Popen(
                command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True,
            )  # fmt: skip
            try:
                status = f"status {process.wait(seconds)}"
            except subprocess.TimeoutExpired:
                status = f"not ended after {seconds:.0f} s"
            finally:
                _end(process)
        if status != "status 0" or not out.is_file():
            raise ConsumerError(f"{status}\n{_tail(log.read_text(encoding='utf-8', errors='replace'))}")
        found: dict[str, Any] = json.loads(out.read_bytes())
        return found


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and the workers that it has left."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _tail(text: str, lines: int = 30) -> str:
    return "\n".join(text.rstrip().splitlines()[-lines:])


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: 0 if all came through, 1 if one did not, 2 for a wrong command line."""
    given = _parser().parse_args(arguments)
    if unknown := [name for name in given.names if name not in table.NAMES]:
        print(f"unknown consumer {', '.join(map(repr, unknown))}; allowed: {', '.join(table.NAMES)}", file=sys.stderr)
        return 2
    try:  # what would fail at the end is said before an hour has passed
        table.load(given.results)
        if given.readme:
            table.with_table(given.readme.read_text(encoding="utf-8"), table.Results())
    except (OSError, ValueError) as error:  # of msgspec too
        print(error, file=sys.stderr)
        return 2
    names = tuple(given.names) or table.NAMES
    options = {name: getattr(given, name) for name in ("updates", "minutes", "seed")}
    script = [word for name, value in options.items() if value is not None for word in (f"--{name}", f"{value:g}")]
    seconds = SECONDS + 60 * (given.minutes or 0)
    failed = False
    for name in names:
        print(f"{name}: installing and running it", flush=True)
        facts: dict[str, Any] = {
            "options": " ".join(script),
            "date": dt.datetime.now(dt.UTC).date().isoformat(),
            "machine": machine.machine(),
            "commit": machine.commit(("paohuzi_env", f"tests/consumers/{name}", "tests/consumers/harness.py")),
        }
        try:
            facts |= run(name, script, seconds, given.cache)
            print(f"{name}: {_words(facts)}", flush=True)
        except ConsumerError as error:
            failed, facts["failure"] = True, str(error)
            print(f"{name}: failed: {error}", file=sys.stderr, flush=True)
        finally:
            if not given.keep:
                shutil.rmtree(given.cache / name, ignore_errors=True)
        results = table.load(given.results)
        into = results.runs if given.minutes is None else results.trained
        into[name] = msgspec.convert(facts, table.Found)
        results.save(given.results)
        if given.readme:
            text = table.with_table(given.readme.read_text(encoding="utf-8"), results)
            given.readme.write_text(text, encoding="utf-8")
    return int(failed)


def _words(facts: dict[str, Any]) -> str:
    versions = ", ".join(f"{package} {version}" for package, version in facts["versions"].items())
    text = f"{versions}: {facts['updates']} updates, {facts['hands']} hands checked in {facts['seconds']} s"
    if strength := facts["strength"]:
        text += f"; {strength['mean']:+.2f} ± {strength['error']:.2f} base units a hand against random players"
    return f"{text}; installed in {facts['installed_seconds']} s, {facts['installed_mib']} MiB"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m consumers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog='example: make consumers NAME="sb3 cleanrl" CONSUMERS_ARGS="--minutes 5 --keep"',
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(table.NAMES)} (default: all)")
    parser.add_argument("--updates", type=int, help="updates of the learner (default: the script's, a few)")
    parser.add_argument("--minutes", type=float, help="train that long instead, and measure what came of it")
    parser.add_argument("--seed", type=int, help="of deals and learner")
    parser.add_argument("--keep", action="store_true", help="keep the environments for the next time")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder of the environments")
    parser.add_argument("--results", type=Path, default=RESULTS, help="JSON file that is brought up to date")
    parser.add_argument("--readme", type=Path, help="file that has the markers to write the table between")
    return parser


if __name__ == "__main__":
    sys.exit(main())
