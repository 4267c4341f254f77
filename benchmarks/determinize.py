"""How fast hidden tiles are drawn from a view, and hands copied: ``python -m benchmarks.determinize``.

Positions are all decisions of some hands, each from the view of the seat that is asked, in two kinds of play: uniformly
random, and *claiming* (every win passed, every claim taken, discards random), in which hands get long and much is known
of the others'. A sample's time includes reading its view; ``again`` draws further samples from a view that was read.
Beside the figures stands the integer loop of `benchmarks.calibrate`, timed in the same run.

The percentiles are over positions: the samples of a position are timed together, or one would measure the clock.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibrate import calibrate
from benchmarks.evaluator import CALIBRATION_ROUNDS, rate
from paohuzi_env.core import actions as ac
from paohuzi_env.core import determinize as core
from paohuzi_env.core import state as st
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet, rule_set

SAMPLES: Final = 64
"""Samples of each position for its own mean."""
TARGETS: Final = {"sample": 5.0, "clone": 0.25}
"""Microseconds on average."""
PLAYS: Final = ("random", "claiming")


def choose(game: Game, play: str, chance: random.Random) -> int:
    """An action of a way to play."""
    legal = game.legal_actions
    if play == "claiming" and ac.PASS in legal:
        return ac.PASS if ac.HU in legal else legal[0]
    return chance.choice(legal)


def decision_views(hands: int, rules: RuleSet | str = "hunan", play: str = "random", seed: int = 0) -> Any:
    """The views of all decisions of so many hands, as a VIEW array."""
    found = list(_decisions(hands, rule_set(rules), play, seed))
    views = st.allocate(len(found), st.VIEW)
    for i, view in enumerate(found):
        views[i] = view[0]
    return views


def _decisions(hands: int, rules: RuleSet, play: str, seed: int) -> Iterator[Any]:
    chance = random.Random(seed)
    for index in range(hands):
        game = Game.deal(rules, seed, index)
        while game.actor is not None:
            yield game.view(game.actor)
            game.step(choose(game, play, chance))


class Sampler:
    """Draws samples from the views of an array, all in one call."""

    def __init__(self, views: Any, rules: RuleSet | str) -> None:
        self.views = views
        self.record = rule_set(rules).record
        self.works = core.workspace()
        self.games = st.allocate(max(SAMPLES, len(views)), st.GAME)
        self.words = np.random.default_rng(0).integers(2**64, size=len(self.games), dtype=np.uint64)
        self.codes = np.zeros(len(self.games), np.int64)

    def draw(self, of: NDArray[np.int64]) -> None:
        """One sample for each entry of `of`."""
        drawn = core.determinize_many(
            self.views, of, 0, len(of), self.record, self.works, 0, self.games, self.words, self.codes
        )
        assert drawn == len(of)

    def seconds(self, of: NDArray[np.int64], least: float = 0.0) -> float:
        """Seconds a sample: the best of three runs of `least` seconds."""
        best = np.inf
        for _ in range(3):
            rounds, start = 0, time.perf_counter()
            while rounds == 0 or time.perf_counter() - start < least:
                self.draw(of)
                rounds += 1
            best = min(best, (time.perf_counter() - start) / rounds / len(of))
        return float(best)


def measure(rules: RuleSet | str = "hunan", hands: int = 100, play: str = "random") -> dict[str, float]:
    """Microseconds by name, and tries a sample."""
    sampler = Sampler(decision_views(hands, rules, play), rules)
    count = len(sampler.views)
    once = np.arange(count)
    sampler.draw(once)
    figures = {"sample": sampler.seconds(once, 0.3) * 1e6}
    each = np.array([sampler.seconds(np.full(SAMPLES, i)) for i in range(count)]) * 1e6
    figures |= {"again": float(each.mean())}
    for name, part in (("median", 50), ("99th percentile", 99), ("slowest", 100)):
        figures[f"again, {name}"] = float(np.percentile(each, part))
    tries = []
    for i in range(count):
        sampler.draw(np.array([i]))
        tries.append(int(sampler.works["attempts"][0]))
    figures["tries"] = float(np.mean(tries))
    return figures


def clone_seconds(count: int = 1024) -> float:
    """Seconds for a copy of a hand, in a batch."""
    sources, games = st.allocate(1, st.GAME), st.allocate(count, st.GAME)
    of = np.zeros(count, np.int64)
    return 1 / rate(lambda: core.clone_many(sources, of, 0, count, games), count)


def main() -> None:
    """Print the figures of each preset and way to play."""
    loop = rate(lambda: calibrate(CALIBRATION_ROUNDS), CALIBRATION_ROUNDS)
    print(f"calibration: {loop / 1e6:,.0f} million rounds a second")
    clone = clone_seconds() * 1e6
    print(f"clone in a batch: {clone:.3f} us (target {TARGETS['clone']}), {clone * loop / 1e6:,.0f} rounds")
    print("\nus a sample (target", TARGETS["sample"], "on average)")
    names = ("sample", "again", "again, median", "again, 99th percentile", "again, slowest", "tries")
    print(f"{'rules, play':22}" + "".join(f"{name.removeprefix('again, '):>16}" for name in names))
    for rules in ("hunan", "luzhou", "yongzhou", "mini"):
        for play in PLAYS:
            figures = measure(rules, play=play)
            print(f"{rules + ', ' + play:22}" + "".join(f"{figures[name]:16.2f}" for name in names))


if __name__ == "__main__":
    main()
