"""Agents for the arena's tests: plain ones, and such as fail."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.base import FAULT_OF, Agent


class Lowest(Agent):
    """The lowest legal action, or the one at a place that the word says."""

    batch = 7

    def __init__(self, rules: Any, mixed: bool = False, *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.mixed = mixed

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        chosen = np.empty(len(views), np.int64)
        for i, legal in enumerate(views["legal"].tolist()):
            options = [a for a in range(32) if legal >> a & 1]
            chosen[i] = options[int(words[i] >> np.uint64(40)) % len(options) if self.mixed else 0]
        return chosen


class WordlessError(Exception):
    """Can't be shown."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Failing(Lowest):
    """Fails at its decision number `at` of every hand whose deal's word is even, in one of several ways."""

    batch = 64

    def __init__(self, rules: Any, how: str = "raise", *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.how = how

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        chosen = super().choose(views, words, hands)
        bad = (views["discards"] >= 4) & (words % np.uint64(8) == 0)
        if not bad.any():
            return chosen
        if self.how == "raise":
            raise RuntimeError("out of order")
        if self.how == "exit":
            raise SystemExit(0)
        if self.how == "wordless":
            raise WordlessError
        if self.how == "ragged":
            return [[1], [2, 3]]  # type: ignore[return-value]
        if self.how == "unsigned":
            return np.where(bad, np.uint64(2**64 - 1), chosen.astype(np.uint64))
        if self.how == "float":
            return chosen / 2
        chosen[bad] = {"illegal": 31, "negative": -99, "timeout": FAULT_OF["timeout"]}[self.how]
        return chosen


class Deadly(Lowest):
    """Kills the process that it plays in, so many times over all processes; a file counts."""

    def __init__(self, rules: Any, file: str = "", times: int = 1, *, seed: int = 0) -> None:
        super().__init__(rules, True, seed=seed)
        self.file = Path(file)
        self.times = times

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        with self.file.open("a+") as file:
            file.seek(0)
            if len(file.read()) < self.times:
                file.write("x")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        return super().choose(views, words, hands)


class Slow(Lowest):
    """Takes its time, and says where its program is: a `cat` that must be alive, as a bot would be."""

    batch = 64

    def __init__(self, rules: Any, ms: float = 1.0, pids: str = "", *, seed: int = 0) -> None:
        super().__init__(rules, True, seed=seed)
        self.ms = ms
        self.pids = pids
        self._bot: subprocess.Popen[bytes] | None = None

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        time.sleep(self.ms / 1000)
        chosen = super().choose(views, words, hands)
        if self.pids:
            for i in range(len(views)):
                if not self._echo(bytes([65 + int(chosen[i])]) + b"\n"):
                    chosen[i] = FAULT_OF["crash"]
        return chosen

    def _echo(self, line: bytes) -> bool:
        if self._bot is None or self._bot.poll() is not None:
            self.close()
            self._bot = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            with Path(self.pids).open("a") as file:
                file.write(f"{self._bot.pid}\n")
        assert self._bot.stdin is not None
        assert self._bot.stdout is not None
        try:
            self._bot.stdin.write(line)
            self._bot.stdin.flush()
            return self._bot.stdout.readline() == line
        except OSError:
            return False

    def close(self) -> None:
        if self._bot is not None:
            for pipe in (self._bot.stdin, self._bot.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]
            self._bot.wait()
            self._bot = None
