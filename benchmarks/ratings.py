"""Ratings for tables of two or three.

Primary, since hands are paid in points: the *additive points model*. What a seat is paid is its agent's strength less
the table's mean strength, plus what its place after the dealer is worth, plus chance; least squares over the hands,
with all sums kept by block, so that a bootstrap over blocks is a sum of weighted blocks. Every hand counts: a drawn
hand pays 0, a fault what it cost.

Beside it Plackett–Luce on who won (choix): the chance to win is an agent's share of the table's strengths. Drawn hands
and hands that a fault ended have no winner and do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import choix
import numpy as np
from numpy.typing import NDArray

from benchmarks.blocks import block_places, margin_sums
from benchmarks.intervals import LEVEL, RESAMPLES, Interval, around, deviations, resampled

Floats = NDArray[np.float64]
TINY: Final = 1e-9
"""What rounding leaves where numbers are equal."""


@dataclass(frozen=True)
class Ratings:
    """What the points model says.

    Attributes
    ----------
    strengths
        Points a hand ahead of the baseline, for each agent; the bounds hold for all at once.
    seats
        What the dealer's place, the next and the last are worth, of sum zero.
    ranks
        For each agent the best and the worst rank, from 1, that the differences leave open, all of them at once.
    excess
        For each pair that met, by how much its own margin is above the difference of strengths. Bounds (for all at
        once) without 0 say that strengths do not tell all: "better" may go round in a circle.
    """

    strengths: list[Interval]
    seats: list[Interval]
    ranks: list[tuple[int, int]]
    excess: dict[tuple[int, int], Interval]


def points_model(
    hands: Any, agents: int, seats: int, baseline: int = 0, *, level: float = LEVEL, count: int = RESAMPLES,
    seed: int = 0,
) -> Ratings:  # fmt: skip
    """Strengths of all agents, anchored at a baseline, and what seats are worth.

    Raises
    ------
    ValueError
        Some agents have not met the others, even through third ones.
    """
    normal, right = _normal_equations(hands, agents, seats)
    n, width = right.shape
    free = [p for p in range(width) if p not in (baseline, width - 1)]  # anchored; the seats' sum is taken out below
    whole, aim = normal.sum(0)[np.ix_(free, free)], right.sum(0)[free]
    if np.linalg.matrix_rank(whole) < len(free):
        raise ValueError("the agents fall into parts that never met; needed: hands that link them all")
    pairs, met, counts = _met(hands, agents)
    estimate = _full(np.linalg.solve(whole, aim[:, None])[None, :, 0], free, width, agents)
    excess = _excess(met.sum(0)[None], counts.sum(0)[None], estimate, pairs)
    if n < 2:
        plain = [Interval(float(value)) for value in estimate[0]]
        lone = {pair: Interval(float(value)) for pair, value in zip(pairs, excess[0], strict=True)}
        return Ratings(plain[:agents], plain[agents:], [(1, agents)] * agents, lone)
    sums = resampled(np.concatenate([normal.reshape(n, -1), right, met, counts], axis=1), count, seed)
    squares, aims, met, counts = np.split(sums, np.cumsum([width * width, width, len(pairs)]), axis=1)
    wholes = squares.reshape(-1, width, width)[:, free][:, :, free]
    replicates = _full(np.linalg.solve(wholes, aims[:, free][:, :, None])[:, :, 0], free, width, agents)
    over = _bounds(excess[0], _excess(met, counts, replicates, pairs), level)
    return Ratings(
        _bounds(estimate[0, :agents], replicates[:, :agents], level),
        _bounds(estimate[0, agents:], replicates[:, agents:], level),
        _ranks(estimate[0, :agents], replicates[:, :agents], level),
        dict(zip(pairs, over, strict=True)),
    )


def _met(hands: Any, agents: int) -> tuple[list[tuple[int, int]], Floats, Floats]:
    """The pairs that met, and by block and pair the sum of margins and the number of hands."""
    found = {pair: margin_sums(hands, *pair) for pair in combinations(range(agents), 2)}
    pairs = [pair for pair, (_, counts) in found.items() if counts.any()]
    return pairs, np.stack([found[p][0] for p in pairs], axis=1), np.stack([found[p][1] for p in pairs], axis=1)


def _excess(sums: Floats, counts: Floats, parameters: Floats, pairs: list[tuple[int, int]]) -> Floats:
    """Each pair's margin less the difference of strengths: (replicates, pairs)."""
    first, second = np.array(pairs).T
    with np.errstate(invalid="ignore", divide="ignore"):
        excess = sums / counts - (parameters[:, first] - parameters[:, second])
    return np.asarray(np.where(np.abs(excess) < TINY, 0.0, excess))


def _normal_equations(hands: Any, agents: int, seats: int) -> tuple[Floats, Floats]:
    """Of every block, times the number of seats: (blocks, p, p) and (blocks, p), p agents and places.

    A hand's payments sum to 0, so agents and places count less their mean at the table. All entries are whole.
    """
    places, n = block_places(hands)
    width = agents + seats
    design = np.zeros((len(hands), seats, width))
    rows = np.arange(len(hands))
    for seat in range(seats):
        design[rows, seat, hands["agents"][:, seat]] = 1
        design[rows, seat, agents + (seat - hands["dealer"]) % seats] = 1
    points = hands["scores"][:, :seats].astype(np.float64)
    there = design.sum(1)
    squares = seats * np.einsum("hsp,hsq->hpq", design, design) - there[:, :, None] * there[:, None, :]
    aims = seats * np.einsum("hsp,hs->hp", design, points)
    normal, right = np.zeros((n, width, width)), np.zeros((n, width))
    np.add.at(normal, places, squares)
    np.add.at(right, places, aims)
    return normal, right


def _full(solved: Any, free: list[int], width: int, agents: int) -> Floats:
    """All parameters from the free ones; those of the seats with their mean taken out."""
    full = np.zeros((len(solved), width))
    full[:, free] = solved
    full[:, agents:] -= full[:, agents:].mean(1, keepdims=True)
    return full


def _bounds(estimate: Floats, replicates: Floats, level: float) -> list[Interval]:
    """Simultaneous bounds (max-t) around estimates from their bootstrap replicates."""
    errors = replicates.std(0, ddof=1)
    width = float(np.quantile(deviations(replicates - estimate, errors).max(1), level))
    return around(estimate, width * errors)


def _ranks(estimate: Floats, replicates: Floats, level: float) -> list[tuple[int, int]]:
    """Ranks left open by simultaneous bounds of all differences."""
    k = len(estimate)
    first, second = np.triu_indices(k, 1)
    bounds = _bounds(estimate[first] - estimate[second], replicates[:, first] - replicates[:, second], level)
    best, worst = [1] * k, [k] * k
    for i, j, bound in zip(first.tolist(), second.tolist(), bounds, strict=True):
        assert bound.low is not None
        assert bound.high is not None
        if bound.low > 0:
            worst[i], best[j] = worst[i] - 1, best[j] + 1
        elif bound.high < 0:
            worst[j], best[i] = worst[j] - 1, best[i] + 1
    return list(zip(best, worst, strict=True))


@dataclass(frozen=True)
class Luce:
    """A Plackett–Luce strength on the natural logarithm's scale, and its standard error (clustered by block)."""

    value: float
    error: float


def plackett_luce(hands: Any, agents: int, baseline: int = 0) -> list[Luce] | None:
    """Log strengths against a baseline's from who won; None unless every agent has won a hand and lost one."""
    won = hands[hands["winner"] >= 0]
    seated = won["agents"]
    winners = seated[np.arange(len(won)), won["winner"]].astype(np.int64)
    counts = np.stack([(seated == a).sum(1) for a in range(agents)], axis=1).astype(np.float64)
    wins = np.bincount(winners, minlength=agents)
    if len(won) == 0 or (wins == 0).any() or (counts.sum(0) - wins <= 0).any():
        return None
    losers = [
        tuple(agent for seat, agent in enumerate(row) if agent >= 0 and seat != winner)
        for row, winner in zip(seated.tolist(), won["winner"].tolist(), strict=True)
    ]
    try:
        strengths = choix.ilsr_top1(agents, list(zip(winners.tolist(), losers, strict=True)))
    except ValueError:  # agents that never met, or one part that never lost to another
        return None
    weights = counts * np.exp(strengths)
    chances = weights / weights.sum(1, keepdims=True)
    places, n = block_places(won)
    scores = np.zeros((n, agents))
    np.add.at(scores, places, np.eye(agents)[winners] - chances)
    bread = np.linalg.pinv(np.diag(chances.sum(0)) - chances.T @ chances)
    spread = bread @ (scores.T @ scores) @ bread
    ahead = np.eye(agents) - np.eye(agents)[baseline]  # each less the baseline
    variances = np.einsum("ij,jk,ik->i", ahead, spread, ahead)
    return [
        Luce(float(s - strengths[baseline]), float(np.sqrt(max(v, 0.0))))
        for s, v in zip(strengths, variances, strict=True)
    ]
