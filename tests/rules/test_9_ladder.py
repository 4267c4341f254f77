"""Ladder titles (rules 9.4)."""

from __future__ import annotations

import pytest

from paohuzi_env.ladder import TITLES, title


@pytest.mark.rule("9.4")
@pytest.mark.parametrize(
    ("points", "name"),
    [
        (-500, "包身工"), (0, "包身工"), (29, "包身工"), (29.5, "包身工"), (30, "短工"), (59, "短工"), (60, "长工"),
        (839, "猎人"), (840, "中农"), (5000, "小财主"), (68999, "总督"), (69000, "巡抚"), (99999, "巡抚"),
        (100000, "丞相"), (150000, "帝王"), (10**9, "帝王"),
    ],
)  # fmt: skip
def test_points_give_the_highest_title_reached(points: float, name: str) -> None:
    assert title(points) == name


@pytest.mark.rule("9.4")
def test_titles_rise() -> None:
    assert len(TITLES) == 23
    assert [points for points, _ in TITLES] == sorted({points for points, _ in TITLES})
