"""Every example runs as it stands; those of README are run by its own test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = sorted(HERE.glob("example_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], cwd=ROOT, capture_output=True, text=True, check=False,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "PAOHUZI_QUIET": "1", **_home()},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def _home() -> dict[str, str]:
    """What of the environment a cache folder depends on."""
    return {k: v for k, v in os.environ.items() if k in ("HOME", "PAOHUZI_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA")}
