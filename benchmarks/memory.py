"""How many bytes a game takes in `VectorEnv`: by its own account, and by the process's size."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from benchmarks.measure import Figure
from paohuzi_env.core import batch
from paohuzi_env.core import state as st
from paohuzi_env.vector import VectorEnv

TARGET: Final = 4096.0
_GROWTH: Final = """
import resource, sys
from paohuzi_env.vector import VectorEnv
def size():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()
VectorEnv(1).reset()
before = size()
env = VectorEnv(int(sys.argv[1]))
env.reset()
print((size() - before) / env.num_envs)
"""


def memory_figures(n: int = 65536) -> list[Figure]:
    """Bytes a game. The process's size is asked where there is /proc."""
    env = VectorEnv(64)
    own = [
        Figure("a game with its arrays", "memory", "bytes", (env.nbytes / env.num_envs,), TARGET, True),
        Figure("of it, the GAME record", "memory", "bytes", (float(st.GAME.itemsize),), None, True),
        Figure("of it, the SLOT record", "memory", "bytes", (float(batch.SLOT.itemsize),), None, True),
    ]
    if sys.platform != "linux":
        return own
    done = subprocess.run([sys.executable, "-c", _GROWTH, str(n)], check=True, capture_output=True, text=True)
    name = f"growth of the process, N = {n}"
    return [*own, Figure(name, "memory", "bytes / game", (float(done.stdout),), TARGET, True)]
