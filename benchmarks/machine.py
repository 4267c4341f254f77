"""What a run was made on: machine, versions, commit."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("numpy", "numba", "llvmlite", "gymnasium", "pettingzoo")


def machine() -> dict[str, Any]:
    """Processor, cores that may be used, memory, system, Python."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def load() -> list[float] | None:
    """The load averages of 1, 5 and 15 minutes, where the system has them: how busy the machine was."""
    return [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None


def versions() -> dict[str, str]:
    """Of the packages that the figures depend on."""
    return {name: importlib.metadata.version(name) for name in PACKAGES}


def commit(paths: Sequence[str] = ("paohuzi_env", "benchmarks", ":!benchmarks/results")) -> dict[str, Any]:
    """The checkout's commit, and whether what is at the paths differs from it; None where there is no git."""
    changes = _git("status", "--porcelain", "--", *paths)
    return {"hash": _git("rev-parse", "HEAD"), "changed": None if changes is None else bool(changes)}


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    fields = dict(line.replace("\t", "").split(":", 1) for line in text.splitlines() if ":" in line)
    name = fields.get("model name", platform.machine()).strip()
    return (
        " ".join(f"{name}, family {fields['cpu family']} model {fields['model']}".split())
        if "model" in fields
        else name
    )


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None
