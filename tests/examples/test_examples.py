"""Every example runs as it stands, and README shows the examples to the letter."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EXAMPLES = sorted(HERE.glob("example_*.py"))
SHOWN = re.compile(r"<!-- example:(\w+) -->\n```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_without_a_warning(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(path)], cwd=ROOT, capture_output=True, text=True, check=False,
        env={"PATH": "", "PYTHONPATH": str(ROOT), "PAOHUZI_QUIET": "1", **_home()},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_examples_to_the_letter() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = SHOWN.findall(readme)
    assert len(shown) == readme.count("<!-- example:")
    for name, code in shown:
        assert code == (HERE / f"example_{name}.py").read_text(encoding="utf-8"), name
    assert {name for name, _ in shown} == {path.stem.removeprefix("example_") for path in EXAMPLES}


def _home() -> dict[str, str]:
    """What of the environment a cache folder depends on."""
    import os

    return {k: v for k, v in os.environ.items() if k in ("HOME", "PAOHUZI_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA")}
