"""Titles by total points, for tables of results (rules 9.4)."""

from __future__ import annotations

from bisect import bisect_right
from typing import Final

TITLES: Final = (
    (0, "包身工"), (30, "短工"), (60, "长工"), (90, "佃户"), (180, "贫农"), (320, "渔夫"), (530, "猎人"), (840, "中农"),
    (1150, "富农"), (1600, "掌柜"), (2300, "商人"), (3450, "衙役"), (5000, "小财主"), (6900, "大财主"),
    (9200, "小地主"), (12600, "大地主"), (17700, "知县"), (23000, "通判"), (32200, "知府"), (46000, "总督"),
    (69000, "巡抚"), (100000, "丞相"), (150000, "帝王"),
)  # fmt: skip
"""The points from which on a title is borne, ascending; whoever has fewer than 30, below zero too, bears the first."""


def title(points: float) -> str:
    """The title that so many points give."""
    return TITLES[max(bisect_right(TITLES, points, key=lambda row: row[0]) - 1, 0)][1]
