"""Kill a tournament, one of its workers or a bot with SIGKILL, go on with it, and compare with one left in peace.

python -m tests.benchmarks.killing --times 10
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Literal

import numpy as np
import tyro

from benchmarks.plan import Plan
from benchmarks.run import RunFolder
from benchmarks.tournament import played

ROOT = Path(__file__).parents[2]
Victim = Literal["tournament", "worker", "bot"]
VICTIMS: tuple[Victim, ...] = ("tournament", "worker", "bot")
TABLES = ("results.json", "agents.csv", "pairs.csv")


def command(folder: Path, pids: Path | None, blocks: int = 12) -> list[str]:
    """A tournament of some seconds on two workers, recorded."""
    home = "tests.benchmarks.players"
    bot = f"{home}:Slow:ms=4" if pids is None else f"{home}:Slow:ms=4,pids={pids}"
    return [
        sys.executable, "-m", "benchmarks", "tournament", "--agents", bot, f"{home}:Lowest:mixed=true,seed=5",
        "--blocks", str(blocks), "--chunk", "2", "--workers", "2", "--out", str(folder), "--resume",
        "--record", str(folder / "records"),
    ]  # fmt: skip


def run(folder: Path, pids: Path | None) -> None:
    """The tournament from where it is to its end."""
    subprocess.run(command(folder, pids), cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def children(pid: int) -> list[int]:
    """All processes below one, from /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            child = int(stat.parent.name)
            found += [child, *children(child)]
    return found


def is_worker(pid: int) -> bool:
    """Whether a process is one of joblib's workers."""
    try:
        return b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def kill(victim: Victim, process: subprocess.Popen[bytes], pids: Path, choice: random.Random) -> bool:
    """Kill it; False where there is none."""
    if victim == "tournament":
        process.kill()
        return True
    if victim == "worker":
        alive = [pid for pid in children(process.pid) if is_worker(pid)]
    else:
        mine = set(children(process.pid))
        alive = [pid for pid in map(int, pids.read_text().split()) if pid in mine] if pids.exists() else []
    if not alive:
        return False
    os.kill(choice.choice(alive), signal.SIGKILL)
    return True


def killed(folder: Path, victim: Victim, choice: random.Random, after: float) -> bool:
    """Run a tournament, kill after so many seconds of playing, and bring it to its end; whether anything was killed."""
    pids = folder.with_name("pids")
    process = subprocess.Popen(command(folder, pids), cwd=ROOT, stdout=subprocess.DEVNULL)
    while not (folder / "chunks").exists() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(after)
    done = False
    while not done and process.poll() is None:  # a bot may not have been started yet
        done = kill(victim, process, pids, choice)
        time.sleep(0.02)
    process.wait()
    if process.returncode:
        run(folder, pids)
    return done


def hands_of(folder: Path) -> np.ndarray:
    """All hands that were played."""
    run_folder = RunFolder(folder, folder / "records")
    hands, _, _ = played(Plan.of(run_folder.manifest()), run_folder)
    assert isinstance(hands, np.ndarray)
    return hands


def differences(folder: Path, peace: Path, victim: Victim) -> list[str]:
    """What is not as it is in peace. Of a bot's death its hands are faults; all others must be the same."""
    there, here = hands_of(peace), hands_of(folder)
    sound = here["fault_seat"] < 0
    wrong = [] if np.array_equal(there[sound], here[sound]) else ["hands"]
    if victim == "bot":
        return wrong if (~sound).sum() <= 2 else [*wrong, f"{(~sound).sum()} faults"]
    wrong += [name for name in TABLES if _table(peace / name) != _table(folder / name)]
    lines = sum(len(file.read_text().splitlines()) for file in (folder / "records").glob("*.jsonl"))
    leftovers = [str(file) for file in folder.rglob("*.part")] if victim == "worker" else []
    return [*wrong, *([] if lines == len(here) else [f"{lines} records of {len(here)} hands"]), *leftovers]


def _table(file: Path) -> str:
    """A table without what names the folder."""
    text = file.read_text()
    if file.suffix == ".json":
        content = json.loads(text)
        content["plan"].pop("records")
        text = json.dumps(content)
    return text


def main(times: int = 10, seed: int = 0) -> int:
    """Kill so often, each time another victim at a random moment, and say what came of it."""
    choice = random.Random(seed)
    failures = 0
    with tempfile.TemporaryDirectory() as home:
        pids = Path(home, "pids")  # the same name is the same agent
        peace = Path(home, "peace")
        run(peace, pids)
        for number in range(times):
            folder = Path(home, f"killed-{number}")
            victim, after = VICTIMS[number % 3], choice.uniform(0, 4)
            done = killed(folder, victim, choice, after)
            wrong = differences(folder, peace, victim)
            failures += bool(wrong)
            what = (
                f"killed {victim} after {after:.2f} s"
                if done
                else f"{victim}: nothing left to kill after {after:.2f} s"
            )
            print(f"{what}: {', '.join(wrong) or 'the same'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(tyro.cli(main))
