"""Ratings: strengths that are known are found, with bounds that cover; the library's fit has errors that are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.lockstep import HAND
from benchmarks.ratings import plackett_luce, points_model
from benchmarks.schedule import groups_of, seatings


def world(
    skill: list[float], places: tuple[float, ...], kind: Any, blocks: int, noise: float, seed: int, beats: float = 0.0
) -> Any:
    """Hands in which payments are strength, place and noise, rounded; `beats`: agent i is so much better to i + 1."""
    generator = np.random.default_rng(seed)
    seats = len(places)
    groups = groups_of(kind, len(skill), seats)
    rows = [(g, s, seating) for g, group in enumerate(groups) for s, seating in enumerate(seatings(group, seats))]
    hands = np.zeros((blocks, len(rows)), HAND)
    hands["agents"] = -1
    hands["block"] = np.arange(blocks)[:, None]
    for at, (group, number, seating) in enumerate(rows):
        hands["group"][:, at], hands["seating"][:, at] = group, number
        hands["agents"][:, at, :seats] = seating
    flat = hands.reshape(-1)
    flat["dealer"] = np.repeat(generator.integers(0, seats, blocks), len(rows))
    agents = flat["agents"][:, :seats].astype(int)
    place = (np.arange(seats) - flat["dealer"][:, None]) % seats
    gain = np.array(skill, float)[agents] + np.array(places)[place]
    for i in range(seats):
        for j in range(seats):
            ahead = (agents[:, j] - agents[:, i]) % len(skill)
            gain[:, i] += beats / seats * ((ahead == 1).astype(int) - (ahead == len(skill) - 1))
    gain += generator.normal(0, noise, gain.shape)
    flat["scores"][:, :seats] = np.rint(1000 * (gain - gain.mean(1, keepdims=True)))
    flat["winner"] = gain.argmax(1)
    flat["fault_seat"] = -1
    return flat


@pytest.mark.parametrize(
    ("kind", "places"), [("pairs", (0.5, -0.2, -0.3)), ("gauntlet", (0.5, -0.2, -0.3)), ("tables", (1.0, -1.0))]
)
def test_strengths_and_places_are_found(kind: str, places: tuple[float, ...]) -> None:
    skill = [1.0, 0.25, -2.0, 0.0]
    exact = points_model(world(skill, places, kind, 20, 0.0, 0), 4, len(places), baseline=1)
    assert [s.value / 1000 for s in exact.strengths] == pytest.approx([0.75, 0, -2.25, -0.25], abs=2e-3)
    assert [s.value / 1000 for s in exact.seats] == pytest.approx(places, abs=2e-3)
    assert exact.ranks == [(1, 1), (2, 2), (4, 4), (3, 3)]
    found = points_model(world(skill, places, kind, 400, 3.0, 1), 4, len(places), baseline=1)
    for bound, truth in zip(found.strengths, [0.75, 0, -2.25, -0.25], strict=True):
        assert bound.low is not None
        assert bound.high is not None
        assert bound.low <= 1000 * truth <= bound.high
    assert found.strengths[1].low == found.strengths[1].high == 0
    assert found.ranks[2] == (4, 4)


def test_the_bounds_cover_all_at_once() -> None:
    skill = [0.0, 0.3, -0.3]
    hits = 0
    for seed in range(200):
        found = points_model(world(skill, (0.0, 0.0, 0.0), "tables", 100, 2.0, seed), 3, 3, count=500)
        hits += all(b.low <= 1000 * t <= b.high for b, t in zip(found.strengths, skill, strict=True))  # type: ignore[operator]
    assert 0.90 <= hits / 200 <= 0.99


def test_a_circle_shows_in_what_the_strengths_leave() -> None:
    straight = points_model(world([0, 0, 0], (0, 0, 0), "pairs", 300, 1.0, 3), 3, 3)
    round_ = points_model(world([0, 0, 0], (0, 0, 0), "pairs", 300, 1.0, 3, beats=1.0), 3, 3)
    assert all(e.low <= 0 <= e.high for e in straight.excess.values())  # type: ignore[operator]
    assert all(not e.low <= 0 <= e.high for e in round_.excess.values())  # type: ignore[operator]
    assert [np.sign(round_.excess[pair].value) for pair in ((0, 1), (1, 2), (0, 2))] == [1, 1, -1]


def test_one_block_has_no_bounds_and_agents_that_never_met_no_ratings() -> None:
    one = points_model(world([1, 0], (0, 0, 0), "pairs", 1, 0.0, 0), 2, 3)
    assert one.strengths[1].value == pytest.approx(-1000, abs=2)
    assert one.strengths[1].low is None
    apart = world([1, 0, 0, 1], (0, 0, 0), "pairs", 3, 0.0, 0)
    with pytest.raises(ValueError, match="never met"):
        points_model(apart[np.isin(apart["group"], [0, 5])], 4, 3)


def test_the_chance_to_win_is_plackett_and_luces() -> None:
    """Winners drawn with chances 4 : 2 : 1 among whoever sits there, the same agent twice included."""
    generator = np.random.default_rng(4)
    hands = world([0, 0, 0], (0, 0, 0), "pairs", 600, 1.0, 4)
    weights = np.array([4.0, 2.0, 1.0])[hands["agents"]]
    hands["winner"] = (np.log(weights) + generator.gumbel(size=weights.shape)).argmax(1)
    found = plackett_luce(hands, 3, baseline=2)
    assert found is not None
    for strength, truth in zip(found, np.log([4, 2, 1]), strict=True):
        assert abs(strength.value - truth) <= 3.5 * strength.error + 1e-9
        assert strength.error < 0.1
    hands["winner"][::2] = -1  # drawn hands do not count
    fewer = plackett_luce(hands, 3, baseline=2)
    assert fewer is not None
    assert fewer[0].error > found[0].error


def test_the_error_of_a_strength_is_its_deviation_from_world_to_world() -> None:
    values, errors = [], []
    for seed in range(80):
        found = plackett_luce(world([0.5, 0.0], (0, 0, 0), "pairs", 60, 1.0, seed), 2, baseline=1)
        assert found is not None
        values.append(found[0].value)
        errors.append(found[0].error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.25)


def test_an_agent_that_never_won_has_no_such_strength() -> None:
    hands = world([9, 0], (0, 0, 0), "pairs", 5, 0.1, 0)
    assert plackett_luce(hands[hands["seating"] < 3], 2) is None
    hands["winner"] = -1
    assert plackett_luce(hands, 2) is None
