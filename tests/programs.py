"""Programs for the tests of external players: how to start the hostile one, and whether anything of it is left."""

from __future__ import annotations

import contextlib
import shlex
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOSTILE = ROOT / "tests" / "agents" / "hostile.py"
BOTS = ROOT / "agents" / "bots"


def new_mark() -> str:
    return f"mark-{uuid.uuid4().hex}"


def hostile(way: str, mark: str) -> str:
    """The command line of a program that breaks the protocol in this way."""
    return shlex.join([sys.executable, "-I", "-S", str(HOSTILE), way, mark])


def left(mark: str) -> list[str]:
    """The command lines of all processes that have the mark (Linux), without those of `python -c`, which run them."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                words = (process / "cmdline").read_bytes().split(b"\0")
                if mark.encode() in words and b"-c" not in words:
                    found.append(b" ".join(words).decode(errors="replace"))
    return found


def soon_gone(mark: str, seconds: float = 5.0) -> bool:
    """Whether no process has the mark any more, after some time at most."""
    until = time.monotonic() + seconds
    while left(mark):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
