"""How long one waits: importing, the command line, and the first hand on a cold cache, a warm one, after an edit.

Each is a process of its own. What counts is the CPU-seconds that it takes: on an idle machine the clock says the same,
on a busy one it tells of the others. The cold start is given by the clock too. The kernel cache is a temporary folder;
the package that is edited is a copy. ``python -m benchmarks.cold_start`` prints these figures alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import paohuzi_env
from benchmarks.measure import Figure, Tally

GROUP: Final = "cold start"
NOTICE: Final = "paohuzi: compiling"
IMPORT: Final = ("-c", "import paohuzi_env")
HELP: Final = ("-m", "paohuzi_env", "--help")
HAND: Final = """
import random
from paohuzi_env import paohuzi_v0
env = paohuzi_v0.env()
env.reset(seed=42)
for agent in env.agent_iter():
    observation, _, termination, truncation, _ = env.last()
    over = termination or truncation
    env.step(None if over else random.choice(observation["action_mask"].nonzero()[0]))
"""
BATCH: Final = """
from paohuzi_env.vector import VectorEnv
env = VectorEnv(64)
env.reset()
for _ in range(100):
    env.step(env.sample_actions())
"""
EDITED: Final = ("core/scoring.py", "core/observe.py", "core/hu.py", "core/turn.py", "core/tiles.py")
"""Modules that are edited, one at a time: a leaf of the imports first, the root last."""


def cold_start_figures(runs: int = 5, tell: Callable[[str], None] = lambda _: None) -> list[Figure]:
    """All of them, in seconds. What compiles everything runs once, the rest `runs` times.

    Raises
    ------
    RuntimeError
        The cold start did not say that it compiles, or a warm one did.
    """
    with tempfile.TemporaryDirectory(prefix="paohuzi-bench-") as folder:
        package = shutil.copytree(
            Path(paohuzi_env.__file__).parent, Path(folder, "paohuzi_env"), ignore=shutil.ignore_patterns("__pycache__")
        )
        start = _Start(Path(folder), tell)
        cold = start.once("first hand, cold cache", ("-c", HAND), notice=True)
        batch = start.once("first batch after it", ("-c", BATCH))
        figures = [
            _figure("import paohuzi_env", start.several(runs, IMPORT), 1.5),
            _figure("paohuzi --help", start.several(runs, HELP), 0.8),
            _figure("first hand, cold cache", [cold], 60.0),
            Figure("first hand, cold cache, by the clock", GROUP, "s", (cold.wall,), None, True),
            _figure("first batch of VectorEnv, after that hand", [batch]),
            _figure("first hand, warm cache", start.several(runs, ("-c", HAND), notice=False), 3.0),
            _figure("first batch of VectorEnv, warm cache", start.several(runs, ("-c", BATCH), notice=False), 3.0),
        ]
        for name in EDITED:
            module = package / name
            before = module.read_text(encoding="utf-8")
            module.write_text(f"{before}\nEDITED = 1\n", encoding="utf-8")
            what = f"first hand after an edit of {name}"
            figures.append(_figure(what, [start.once(what, ("-c", HAND))]))
            module.write_text(before, encoding="utf-8")
    return figures


def _figure(name: str, runs: list[Tally], target: float | None = None) -> Figure:
    return Figure(name, GROUP, "CPU s", tuple(run.cpu for run in runs), target, True)


class _Start:
    """Starts Python with the copied package and a kernel cache beside it."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._environ = {
            **os.environ, "PAOHUZI_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(folder), "PAOHUZI_QUIET": "0"
        }  # fmt: skip

    def once(self, what: str, arguments: tuple[str, ...], notice: bool | None = None) -> Tally:
        """One start; `notice` says whether it must tell that it compiles."""
        self._tell(what)
        begin, spent = time.perf_counter(), _children_seconds()
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self._folder,
            env=self._environ,
            capture_output=True,
            text=True,
            check=False,
        )
        tally = Tally(1, _children_seconds() - spent, time.perf_counter() - begin)
        if done.returncode:
            raise RuntimeError(f"{what}: status {done.returncode}: {done.stderr.strip()[-500:]}")
        if notice is not None and (NOTICE in done.stderr) != notice:
            raise RuntimeError(f"{what}: {'no notice' if notice else 'a notice'} of compiling: {done.stderr[-500:]!r}")
        return tally

    def several(self, runs: int, arguments: tuple[str, ...], notice: bool | None = None) -> list[Tally]:
        """Several starts, after one that warms the file cache."""
        what = " ".join(arguments).strip().splitlines()[0]
        self.once(what, arguments, notice)
        return [self.once(what, arguments, notice) for _ in range(runs)]


def _children_seconds() -> float:
    """CPU-seconds of the processes that this one started and that have ended."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> None:
    """Print the figures."""
    for figure in cold_start_figures(tell=lambda line: print(line, file=sys.stderr)):
        target = f"   (below {figure.target})" if figure.target else ""
        print(f"{figure.name:45}{figure.value:8.2f} {figure.unit}{target}")


if __name__ == "__main__":
    main()
