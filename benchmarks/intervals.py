"""Intervals from blocks: cluster bootstrap (BCa), t, simultaneous (max-t), trimmed mean.

`scipy.stats.bootstrap` makes the same BCa interval of one statistic; here one set of resamples serves all columns of
a table, and the jackknife costs a pass over the blocks instead of one for each block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]
RESAMPLES: Final = 4000
LEVEL: Final = 0.95
TRIM: Final = 0.05
"""Share of the blocks that a trimmed mean leaves out at each end."""
_CELLS: Final = 1 << 22


@dataclass(frozen=True)
class Interval:
    """An estimate with its bounds; bounds are None where too few blocks were played."""

    value: float
    low: float | None = None
    high: float | None = None


def resampled(table: Floats, count: int = RESAMPLES, seed: int = 0) -> Floats:
    """Column sums of `count` resamples, with replacement, of the rows (blocks) of a table: (count, columns)."""
    n = len(table)
    generator = np.random.default_rng(seed)
    found = np.empty((count, table.shape[1]))
    step = max(1, _CELLS // n)
    for lo in range(0, count, step):
        rows = min(step, count - lo)
        cells = generator.integers(0, n, (rows, n)) + np.arange(rows)[:, None] * n
        found[lo : lo + rows] = np.bincount(cells.reshape(-1), minlength=rows * n).reshape(rows, n) @ table
    return found


def ratio_intervals(
    above: Floats, below: Floats, *, level: float = LEVEL, count: int = RESAMPLES, seed: int = 0
) -> list[Interval]:
    """BCa interval of sum(above) / sum(below) for each column; both (blocks, columns).

    Where a column has nothing below the line, the value is NaN.
    """
    k = above.shape[1]
    sums = resampled(np.concatenate([above, below], axis=1), count, seed)
    found = []
    for column in range(k):
        num, den = above[:, column], below[:, column]
        total = den.sum()
        if total == 0:
            found.append(Interval(float("nan")))
            continue
        with np.errstate(invalid="ignore", divide="ignore"):
            replicates = sums[:, column] / sums[:, k + column]
            jackknife = (num.sum() - num) / (total - den)
        value = float(num.sum() / total)
        low, high = bca_bounds(value, replicates[np.isfinite(replicates)], jackknife[np.isfinite(jackknife)], level)
        found.append(Interval(value, low, high))
    return found


def mean_interval(values: Floats, *, level: float = LEVEL, count: int = RESAMPLES, seed: int = 0) -> Interval:
    """BCa interval of a mean over blocks."""
    column = np.asarray(values, np.float64)[:, None]
    return ratio_intervals(column, np.ones_like(column), level=level, count=count, seed=seed)[0]


def bca_bounds(value: float, replicates: Floats, jackknife: Floats, level: float) -> tuple[float | None, float | None]:
    """Bounds by the bias-corrected and accelerated bootstrap (Efron 1987); None where there are less than 2 blocks."""
    if len(jackknife) < 2 or len(replicates) < 2:
        return None, None
    if replicates.min() == replicates.max():
        return value, value
    below = ((replicates < value).mean() + (replicates <= value).mean()) / 2
    bias = stats.norm.ppf(np.clip(below, 0.5 / len(replicates), 1 - 0.5 / len(replicates)))
    pull = jackknife.mean() - jackknife
    squares = (pull**2).sum()
    acceleration = (pull**3).sum() / (6 * squares**1.5) if squares > 0 else 0.0
    z = bias + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(replicates, stats.norm.cdf(bias + z / (1 - acceleration * z)))
    return float(low), float(high)


def t_interval(values: Floats, level: float = LEVEL) -> Interval:
    """Student's interval of a mean over blocks."""
    n = len(values)
    mean = float(np.mean(values))
    if n < 2:
        return Interval(mean)
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Interval(mean, mean - half, mean + half)


def trimmed_mean(values: Floats, share: float = TRIM) -> float:
    """The mean without the lowest and the highest blocks."""
    return float(stats.trim_mean(values, share))


def simultaneous(
    table: Floats, *, level: float = LEVEL, count: int = RESAMPLES, seed: int = 0
) -> tuple[list[Interval], float]:
    """Intervals for the mean of every column, right in all of them at once with probability `level`; and how wide.

    The bounds are so many standard errors away as the greatest studentized deviation of a resample has at that level
    (max-t bootstrap over blocks). `table` is (blocks, columns), a number in each cell.
    """
    n, k = table.shape
    means = table.mean(0)
    errors = table.std(0, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(k)
    if n < 2:
        return [Interval(float(mean)) for mean in means], float("nan")
    sums = resampled(np.concatenate([table, table**2], axis=1), count, seed) / n
    spread = np.sqrt(np.maximum(sums[:, k:] - sums[:, :k] ** 2, 0) / (n - 1))
    ratio = deviations(sums[:, :k] - means, spread)
    width = float(np.quantile(ratio.max(1), level)) if k else 0.0
    return around(means, width * errors), width


def around(values: Floats, halves: Floats) -> list[Interval]:
    """Intervals so far to both sides of values."""
    return [Interval(float(v), float(v - h), float(v + h)) for v, h in zip(values, halves, strict=True)]


def deviations(difference: Floats, errors: Any) -> Floats:
    """|difference| in standard errors; 0 where both are 0, as in a column that never varies."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.nan_to_num(np.abs(difference) / errors, nan=0.0, posinf=0.0), np.float64)
