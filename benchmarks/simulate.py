"""The arena measured by itself: do its intervals cover, does its test err as seldom as it says, what does pairing save?

Margins of really played blocks are the world: tournaments are drawn from them, with replacement, so that the true mean
is known and their skew, their zeros and their tails are those of the game.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents import make
from benchmarks.arena import play_blocks
from benchmarks.blocks import margins, pairing_gain
from benchmarks.deals import deal_set
from benchmarks.intervals import mean_interval, t_interval
from benchmarks.plan import TournamentError
from benchmarks.sequential import Sprt, confidence_sequence
from paohuzi_env.checks import whole
from paohuzi_env.show import print_table

Floats = NDArray[np.float64]
LEVEL: Final = 0.95
LOOK_EVERY: Final = 10
MOST_SIMULATED: Final = 10_000_000
LEAST_EFFECT: Final = 0.01
MOST_EFFECT: Final = 0.7  # beyond it the test has fewer blocks than it waits for
MOST_BLOCKS: Final = 50
"""Most blocks of a sequential test, in expected lengths (1 / effect²)."""


@dataclasses.dataclass(frozen=True)
class Coverage:
    """Shares of simulated tournaments whose interval held the truth."""

    blocks: int
    bca: float
    t: float
    sequence: float


def coverage(pool: Floats, blocks: int, runs: int, seed: int, *, resamples: int = 2000) -> Coverage:
    """Draw tournaments of so many blocks from a pool and count how often the intervals hold the pool's mean.

    The confidence sequence counts where it held at every moment; its truth is the mean of clipped margins.
    """
    generator = np.random.default_rng(seed)
    truth = float(pool.mean())
    clip = float(np.quantile(np.abs(pool), 0.99)) or 1.0
    clipped = float(np.clip(pool, -clip, clip).mean())
    hits = np.zeros(3)
    for run in range(runs):
        x = generator.choice(pool, blocks)
        b, t = mean_interval(x, level=LEVEL, count=resamples, seed=run), t_interval(x, LEVEL)
        low, high = confidence_sequence(x, clip, 1 - LEVEL)
        hits += [
            _holds(b.low, truth, b.high), _holds(t.low, truth, t.high), _holds(low.max(), clipped, high.min())
        ]  # fmt: skip
    return Coverage(blocks, *(hits / runs).tolist())


def _holds(low: float | None, truth: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= truth <= high


@dataclasses.dataclass(frozen=True)
class Errors:
    """Of a sequential test: shares of runs, and the mean number of blocks."""

    truth: float
    accepts_h1: float
    accepts_h0: float
    undecided: float
    blocks: float


def sprt_errors(pool: Floats, test: Sprt, effect: float, runs: int, seed: int) -> Errors:
    """Run a test on margins like the pool's, moved so that their effect is this one."""
    generator = np.random.default_rng(seed)
    world = pool - pool.mean() + effect * pool.std()
    most = int(MOST_BLOCKS / max(abs(test.t1), abs(test.t0)) ** 2)
    verdicts, lengths = [], []
    for _ in range(runs):
        x = generator.choice(world, most)
        totals, squares = np.cumsum(x), np.cumsum(x**2)
        verdict, n = next(_looks(test, totals, squares), ("undecided", most))
        verdicts.append(verdict)
        lengths.append(n)
    h1, h0, none = (verdicts.count(which) / runs for which in ("H1", "H0", "undecided"))
    return Errors(effect, h1, h0, none, float(np.mean(lengths)))


def _looks(test: Sprt, totals: Floats, squares: Floats) -> Iterator[tuple[str, int]]:
    """The first decision, looking every few blocks."""
    for n in range(test.least, len(totals) + 1, LOOK_EVERY):
        verdict = test.verdict(n, float(totals[n - 1]), float(squares[n - 1]))
        if verdict != "undecided":
            yield verdict, n


def simulate(
    texts: Sequence[str], rules: str, pool: int, sizes: Sequence[int], runs: int, effect: float, seed: int
) -> int:
    """Measure all of it and print it."""
    if len(texts) != 2:
        raise TournamentError(f"{len(texts)} agents; needed: 2")
    try:
        for name, value, least in (("pool", pool, 2), ("runs", runs, 1), *(("blocks", size, 2) for size in sizes)):
            whole(name, value, least, MOST_SIMULATED)
        whole("seed", seed, 0, 1 << 64)
        if not LEAST_EFFECT <= effect <= MOST_EFFECT:
            raise ValueError(f"effect = {effect}; allowed: {LEAST_EFFECT:g} to {MOST_EFFECT:g}")
    except ValueError as error:
        raise TournamentError(str(error)) from error
    agents = [make(text, rules) for text in texts]
    hands = play_blocks(agents, deal_set("validation", purpose="report"), range(pool)).hands
    world = margins(hands, 0, 1)
    gain = pairing_gain(hands, 0, 1)
    print(
        f"{texts[0]} – {texts[1]}, {pool:,} blocks played: margin {world.mean():+.4f}, deviation {world.std():.4f}, "
        f"effect {world.mean() / world.std() if world.std() else 0:+.3f}; "
        f"a block is worth {'–' if gain is None else f'{gain:.2f}'} times its hands unpaired"
    )
    rows = [dataclasses.astuple(coverage(world, n, runs, seed)) for n in sizes]
    print_table(("blocks", "BCa", "t", "at every moment"), _in_percent(rows), title=f"Coverage of 95%, {runs:,} runs")
    test = Sprt(0.0, effect)
    errors = [dataclasses.astuple(sprt_errors(world, test, true, runs, seed)) for true in (0.0, effect)]
    print_table(
        ("true effect", "accepts H1", "accepts H0", "undecided", "mean blocks"),
        [(f"{true:g}", f"{h1:.2%}", f"{h0:.2%}", f"{no:.2%}", f"{n:,.0f}") for true, h1, h0, no, n in errors],
        title=f"Test of effect 0 against {effect:g}, errors bounded by 5%, {runs:,} runs",
    )
    return 0


def _in_percent(rows: Sequence[tuple[int, float, float, float]]) -> list[tuple[int, str, str, str]]:
    return [(n, f"{b:.2%}", f"{t:.2%}", f"{s:.2%}") for n, b, t, s in rows]
