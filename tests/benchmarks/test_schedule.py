"""Who meets whom, and how they sit."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.schedule import groups_of, seatings


def test_groups() -> None:
    assert groups_of("pairs", 3, 3) == ((0, 1), (0, 2), (1, 2))
    assert groups_of("gauntlet", 4, 3) == ((0, 1), (0, 2), (0, 3))
    assert groups_of("tables", 3, 3) == ((0, 1, 2),)
    assert len(groups_of("tables", 5, 3)) == 10
    assert groups_of("tables", 3, 2) == groups_of("pairs", 3, 2)


@pytest.mark.parametrize(("kind", "agents", "least"), [("pairs", 1, 2), ("tables", 2, 3), ("gauntlet", 0, 2)])
def test_too_few_agents(kind: str, agents: int, least: int) -> None:
    with pytest.raises(ValueError, match=f"{agents} agents; needed for {kind}: {least} or more"):
        groups_of(kind, agents, 3)  # type: ignore[arg-type]


def test_three_take_every_seat_twice_and_have_every_neighbour() -> None:
    found = seatings((4, 7, 9), 3)
    assert len(set(found)) == 6
    assert Counter((seat, agent) for row in found for seat, agent in enumerate(row)).most_common()[-1][1] == 2
    lefts = Counter((row[i], row[(i + 1) % 3]) for row in found for i in range(3))
    assert set(lefts.values()) == {3}


def test_two_at_three_seats_are_one_against_two_and_the_reverse() -> None:
    found = seatings((0, 1), 3)
    assert found == ((0, 1, 1), (1, 0, 1), (1, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0))


def test_two_at_two_seats_change_places() -> None:
    assert seatings((3, 1), 2) == ((3, 1), (1, 3))


def test_one_alone_fills_the_table() -> None:
    assert seatings((2,), 3) == ((2, 2, 2),)


def test_a_group_that_cannot_sit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"group \(0, 1, 2\); allowed: 1 to 2 different agents"):
        seatings((0, 1, 2), 2)
    with pytest.raises(ValueError, match=r"group \(1, 1\)"):
        seatings((1, 1), 3)
