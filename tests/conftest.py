"""The twin is importable as `reference`, and helpers of several folders by their names."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse names of tests that differ from process to process: pytest-xdist can't share out such tests."""
    wrong = [item.nodeid for item in items if re.search(r" at 0x[0-9a-f]{6}", item.nodeid)]
    if wrong:
        raise pytest.UsageError(f"an address in the name of a test; give it an id: {wrong[0]}")
