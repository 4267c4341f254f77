"""Intervals: known answers, the library's as judge, and coverage by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.intervals import (
    bca_bounds,
    mean_interval,
    ratio_intervals,
    resampled,
    simultaneous,
    t_interval,
    trimmed_mean,
)

SKEWED = np.random.default_rng(1).exponential(2.0, 80)


def test_resamples_sum_as_many_rows_as_there_are_and_every_column_from_the_same() -> None:
    table = np.stack([np.ones(30), np.arange(30.0), 2 * np.arange(30.0)], axis=1)
    sums = resampled(table, 500, 3)
    assert (sums[:, 0] == 30).all()
    assert np.array_equal(sums[:, 2], 2 * sums[:, 1])
    assert abs(sums[:, 1].mean() / 30 - 14.5) < 4 * np.sqrt((30**2 - 1) / 12 / 30 / 500)
    assert np.array_equal(sums, resampled(table, 500, 3))
    assert not np.array_equal(sums, resampled(table, 500, 4))


def test_bca_of_a_mean_is_the_librarys() -> None:
    ours = mean_interval(SKEWED, count=20_000)
    theirs = stats.bootstrap(
        (SKEWED,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(5)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.value == SKEWED.mean()
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)
    assert ours.high - ours.value > ours.value - ours.low  # type: ignore[operator]  # skewed as the data


def test_bca_of_a_ratio_is_the_librarys() -> None:
    generator = np.random.default_rng(2)
    above, below = generator.poisson(3, 60).astype(float), generator.integers(1, 6, 60).astype(float)
    ours = ratio_intervals(above[:, None], below[:, None], count=20_000)[0]
    theirs = stats.bootstrap(
        (above, below), lambda a, b, axis: a.sum(axis) / b.sum(axis), paired=True, vectorized=True, n_resamples=20_000,
        rng=np.random.default_rng(6),
    ).confidence_interval  # fmt: skip
    assert ours.value == above.sum() / below.sum()
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.03 * (theirs.high - theirs.low))


def test_t_interval_is_the_textbooks() -> None:
    found = t_interval(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (found.value, found.low, found.high) == pytest.approx((2.5, 0.44574, 4.55426), abs=1e-5)


@pytest.mark.parametrize("values", [np.zeros(10), np.full(10, 3.0)])
def test_what_never_varies_has_an_interval_of_no_width(values: np.ndarray) -> None:
    for found in (mean_interval(values), t_interval(values), simultaneous(values[:, None])[0][0]):
        assert (found.value, found.low, found.high) == (values[0], values[0], values[0])


def test_one_block_has_no_interval_and_nothing_over_nothing_is_no_number() -> None:
    one = np.array([2.0])
    for found in (mean_interval(one), t_interval(one), simultaneous(one[:, None])[0][0]):
        assert (found.value, found.low, found.high) == (2.0, None, None)
    assert np.isnan(ratio_intervals(np.zeros((5, 1)), np.zeros((5, 1)))[0].value)
    assert bca_bounds(1.0, np.array([]), np.array([1.0]), 0.95) == (None, None)


def test_trimmed_mean_leaves_out_the_ends() -> None:
    assert trimmed_mean(np.array([-1000.0, *range(18), 1000.0])) == 8.5


def test_simultaneous_bounds_of_one_column_are_as_wide_as_its_own_and_of_many_as_theory_says() -> None:
    generator = np.random.default_rng(7)
    table = generator.normal(0, 1, (400, 10))
    alone, width_alone = simultaneous(table[:, :1])
    t = t_interval(table[:, 0])
    assert alone[0].low == pytest.approx(t.low, abs=0.02)
    _, width = simultaneous(table)
    assert width_alone == pytest.approx(1.97, abs=0.1)
    assert width == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / 10)) / 2), abs=0.12)


def test_coverage() -> None:
    """Nominal 95%, of 600 samples of 100 skewed blocks; all within three standard errors of 93.5 to 96.5%."""
    generator = np.random.default_rng(11)
    hits = np.zeros(3)
    for run in range(600):
        table = generator.exponential(1.0, (100, 4)) * generator.integers(-1, 3, (100, 4))  # mean 0.5
        table -= 0.5
        b, t = mean_interval(table[:, 0], count=1000, seed=run), t_interval(table[:, 0])
        both, _ = simultaneous(table, count=1000, seed=run)
        hits += [
            b.low <= 0 <= b.high,  # type: ignore[operator]
            t.low <= 0 <= t.high,  # type: ignore[operator]
            all(i.low <= 0 <= i.high for i in both),  # type: ignore[operator]
        ]
    assert (hits / 600 > 0.92).all(), hits / 600
    assert (hits / 600 < 0.98).all(), hits / 600
