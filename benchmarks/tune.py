"""Search for the heuristic player's weights: evolution strategies by duels on the deal set `tune`.

Each step draws a direction and lets the weights moved along it play those moved against it, in every seating of the
same deals. The margin says how far to go; the deals of a step are used once.

    python -m benchmarks.tune --rules luzhou --steps 200 --blocks 150

prints the weights found, and what they win against those they began with on deals of `validation`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.heuristic import WEIGHTS, Heuristic, clipped
from benchmarks.arena import play_blocks
from benchmarks.deals import DealSet, deal_set
from benchmarks.intervals import t_interval
from paohuzi_env.rules import RuleSet, rule_set

Vector = NDArray[np.float64]

SPREAD: Final = 0.25
"""How far weights are moved in a trial, as a share of what they are."""
LEAST_SPREAD: Final = 0.05
RATE: Final = 0.25
LAST_RATE: Final = 0.03
MOMENTUM: Final = 0.9


def margins(rules: RuleSet, first: Vector, second: Vector, deals: DealSet, blocks: range) -> Vector:
    """For each block, points a hand of a seat that plays by `first` weights over one that plays by `second`."""
    players = [Heuristic(rules, **dict(zip(WEIGHTS, weights, strict=True))) for weights in (first, second)]
    hands = play_blocks(players, deals, blocks).hands
    seats = hands["agents"]
    theirs = [np.where(seats == a, hands["scores"], 0).sum(axis=1) / (seats == a).sum(axis=1) for a in (0, 1)]
    sums = np.zeros(len(blocks))
    np.add.at(sums, hands["block"] - blocks.start, theirs[0] - theirs[1])
    return sums / (len(hands) / len(blocks))


def search(
    start: Vector, duel: Callable[[Vector, Vector, int], float], steps: int, *, seed: int = 0,
    told: Callable[[int, Vector], None] | None = None,
) -> Vector:  # fmt: skip
    """Weights found from `start`: `duel(first, second, step)` is the margin of the first over the second.

    `told(step, weights)` is called after each step.
    """
    chance = np.random.default_rng(seed)
    scale = np.maximum(np.abs(start) * SPREAD, LEAST_SPREAD)
    weights, pace, usual = start.copy(), np.zeros(len(start)), 0.0
    for step in range(steps):
        way = chance.standard_normal(len(start))
        margin = duel(clipped(weights + scale * way), clipped(weights - scale * way), step)
        usual = 0.95 * usual + 0.05 * margin**2 if step else margin**2
        pace = MOMENTUM * pace + (1 - MOMENTUM) * margin / np.sqrt(usual + 1e-9) * way
        rate = RATE * (1 - step / steps) + LAST_RATE
        weights = clipped(weights + rate * scale * pace)
        if told:
            told(step + 1, weights)
    return weights


def tune(rules: RuleSet | str, steps: int, blocks: int, *, seed: int = 0) -> dict[str, float]:
    """The weights that a search of so many steps, of so many deals each, finds for a rule set."""
    rules = rule_set(rules)
    deals = deal_set("tune", purpose="tuning")
    start = np.array([both[rules.hu_on_discard] for *both, _ in WEIGHTS.values()])

    def duel(first: Vector, second: Vector, step: int) -> float:
        return float(margins(rules, first, second, deals, range(step * blocks, (step + 1) * blocks)).mean())

    found = search(start, duel, steps, seed=seed)
    return {name: round(float(weight), 3) for name, weight in zip(WEIGHTS, found, strict=True)}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tune", description="Tune the heuristic player.")
    parser.add_argument("--rules", default="hunan")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--blocks", type=int, default=150, help="deals of a step")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judged", type=int, default=2000, help="deals of the last comparison")
    asked = parser.parse_args()
    rules = rule_set(asked.rules)
    found = tune(rules, asked.steps, asked.blocks, seed=asked.seed)
    print(json.dumps(found, indent=1))
    start = np.array([both[rules.hu_on_discard] for *both, _ in WEIGHTS.values()])
    judges = deal_set("validation", purpose="tuning")
    won = margins(rules, np.array(list(found.values())), start, judges, range(asked.judged))
    sure = t_interval(won)
    print(f"margin over the weights before: {sure.value:+.3f} points a hand, 95% {sure.low:+.3f} … {sure.high:+.3f}")


if __name__ == "__main__":
    main()
