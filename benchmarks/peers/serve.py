"""Runs inside a peer's environment: measures its cases when asked. It needs nothing but Python.

    python -P serve.py NAME/play.py

The first line of output names the cases and the versions; then each line of input, ``{"case": …, "seconds": …}``, is
answered by what that run came to. What the peer itself prints goes to standard error.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import runpy
import sys
import time
from typing import IO, Any


def main() -> None:
    """Serve until the input ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    if hasattr(os, "sched_setaffinity"):  # one core, whatever pools of threads the peer brings
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    peer = runpy.run_path(sys.argv[1])
    cases = peer["cases"]()
    versions = {name: importlib.metadata.version(name) for name in peer["PACKAGES"]}
    _reply(replies, {"cases": list(cases), "versions": versions})
    for line in sys.stdin:
        asked = json.loads(line)
        wall = time.perf_counter()
        start = time.process_time()
        units, games = cases[asked["case"]](asked["seconds"])
        cpu = time.process_time() - start
        _reply(replies, {"units": units, "games": games, "cpu": cpu, "wall": time.perf_counter() - wall})


def _reply(replies: IO[str], what: dict[str, Any]) -> None:
    print(json.dumps(what), file=replies, flush=True)


if __name__ == "__main__":
    main()
