"""Stopping early without lying: a sequential test with error bounds, and intervals that hold at every moment.

The test (GSPRT) is between two *normalized effects* t = mean / standard deviation of a block's margin, so its length
depends on the bounds alone. Both hypotheses are fitted under the normal model with its deviation free; that is an
approximation for means of a few dozen blocks or more, hence the least number of blocks. `benchmarks.simulate` measures
the errors on blocks that were really played.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.checks import whole

Floats = NDArray[np.float64]
Verdict: TypeAlias = Literal["H0", "H1", "undecided"]
LEAST_BLOCKS: Final = 100
MOST_LEAST: Final = 1 << 40
LEAST_CLIP: Final = 1e-6
MOST_CLIP: Final = 1e6


@dataclass(frozen=True)
class Sprt:
    """A test of effect `t0` or less (H0) against effect `t1` or more (H1).

    Attributes
    ----------
    t0, t1
        Effects, mean over standard deviation of a block's margin; t0 < t1.
    alpha, beta
        Bounds for the errors: H1 accepted where t = t0, H0 accepted where t = t1.
    least
        Blocks before which nothing is decided.
    """

    t0: float
    t1: float
    alpha: float = 0.05
    beta: float = 0.05
    least: int = LEAST_BLOCKS

    def __post_init__(self) -> None:
        if not (self.t0 < self.t1 and math.isfinite(self.t1 - self.t0)):
            raise ValueError(f"effects {self.t0} and {self.t1}; allowed: the first below the second, both finite")
        for name, error in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < error < 0.5:
                raise ValueError(f"{name} = {error}; allowed: between 0 and 0.5")
        whole("least", self.least, 2, MOST_LEAST)

    @property
    def bounds(self) -> tuple[float, float]:
        """Log likelihood ratios at which H0 and H1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def ratio(self, n: int, total: float, squares: float) -> float:
        """The log likelihood ratio of H1 to H0 for n margins of that sum and sum of squares.

        0 where all margins are 0: equal players give no evidence for either.
        """
        if n == 0 or squares <= 0:
            return 0.0
        mean, square = total / n, squares / n
        return n * (_fit(self.t1, mean, square) - _fit(self.t0, mean, square))

    def verdict(self, n: int, total: float, squares: float) -> Verdict:
        """What can be said after n blocks."""
        if n < self.least or squares - total**2 / n <= 1e-12 * squares:
            return "undecided"  # without variance an effect has no size
        ratio, (low, high) = self.ratio(n, total, squares), self.bounds
        return "H1" if ratio >= high else "H0" if ratio <= low else "undecided"


def _fit(t: float, mean: float, square: float) -> float:
    """Log likelihood a block at the best deviation s, the mean being t s, constants aside.

    With u = 1 / s it is ln u - (square u² - 2 t mean u + t²) / 2, greatest where 1 / u = square u - t mean.
    """
    u = (t * mean + math.sqrt((t * mean) ** 2 + 4 * square)) / (2 * square)
    return math.log(u) - (square * u * u - 2 * t * mean * u + t * t) / 2


def confidence_sequence(values: Floats, clip: float, alpha: float = 0.05) -> tuple[Floats, Floats]:
    """Bounds after each block that hold after all of them at once with probability 1 - alpha.

    They are for the mean of margins clipped to -clip … clip, and valid whatever the margins' distribution: a
    predictable plug-in empirical Bernstein sequence (Waudby-Smith and Ramdas 2024, theorem 2), intersected over time.

    Parameters
    ----------
    values
        Margins in the order in which they were played.
    clip
        Where they are clipped; must be chosen before looking.
    alpha
        Probability that any bound is ever wrong.
    """
    if not LEAST_CLIP <= clip <= MOST_CLIP:
        raise ValueError(f"clip = {clip}; allowed: {LEAST_CLIP:g} to {MOST_CLIP:g}")
    x = (np.clip(values, -clip, clip) + clip) / (2 * clip)
    n = np.arange(1, len(x) + 1)
    means = (0.5 + np.cumsum(x)) / (n + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (n + 1)
    mean_before = np.concatenate([[0.5], means[:-1]])
    variance_before = np.concatenate([[0.25], variances[:-1]])
    bet = np.minimum(np.sqrt(2 * math.log(2 / alpha) / (variance_before * n * np.log(1 + n))), 0.5)
    weight = np.cumsum(bet)
    centre = np.cumsum(bet * x) / weight
    cost = np.cumsum((x - mean_before) ** 2 * (-np.log1p(-bet) - bet))
    half = (math.log(2 / alpha) + cost) / weight
    low = np.maximum.accumulate(np.maximum(centre - half, 0))
    high = np.minimum.accumulate(np.minimum(centre + half, 1))
    return low * 2 * clip - clip, high * 2 * clip - clip
