"""The sequential test and the confidence sequence: known answers, guards, and their error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from benchmarks.sequential import Sprt, confidence_sequence


def likelihood(t: float, x: np.ndarray) -> float:
    """The best normal log likelihood with mean t s and deviation s, found by search."""
    found = optimize.minimize_scalar(
        lambda s: len(x) * math.log(s) + float(((x - t * s) ** 2).sum()) / (2 * s * s), bounds=(1e-3, 1e3),
        method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    return -float(found.fun)


@pytest.mark.parametrize("shift", [-0.5, 0.0, 0.2, 3.0])
def test_the_ratio_is_that_of_the_best_likelihoods(shift: float) -> None:
    x = np.random.default_rng(3).normal(shift, 2.0, 150)
    test = Sprt(0.0, 0.2)
    assert test.ratio(150, x.sum(), (x**2).sum()) == pytest.approx(likelihood(0.2, x) - likelihood(0.0, x), abs=1e-5)


def test_bounds_are_walds() -> None:
    assert Sprt(0, 0.1, 0.05, 0.1).bounds == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


def test_nothing_is_decided_before_the_least_number_of_blocks() -> None:
    x = np.random.default_rng(4).normal(2.0, 1.0, 99)
    test = Sprt(0, 0.1)
    assert test.verdict(99, x.sum(), (x**2).sum()) == "undecided"
    assert Sprt(0, 0.1, least=50).verdict(99, x.sum(), (x**2).sum()) == "H1"
    assert Sprt(0, 0.1, least=50).verdict(99, -x.sum(), (x**2).sum()) == "H0"


@pytest.mark.parametrize("value", [0.0, 1.5])
def test_margins_without_variance_decide_nothing(value: float) -> None:
    test = Sprt(0, 0.1)
    assert test.verdict(5000, 5000 * value, 5000 * value**2) == "undecided"
    assert math.isfinite(test.ratio(5000, 5000 * value, 5000 * value**2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"t0": 0.1, "t1": 0.1}, "effects 0.1 and 0.1; allowed: the first below the second"),
        ({"t0": 0.0, "t1": 0.1, "alpha": 0.0}, "alpha = 0.0; allowed: between 0 and 0.5"),
        ({"t0": 0.0, "t1": 0.1, "beta": 0.7}, "beta = 0.7"),
    ],
)
def test_a_test_that_cannot_be_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Sprt(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("effect", "wrong"), [(0.0, "H1"), (0.2, "H0")])
def test_errors_stay_within_their_bounds(effect: float, wrong: str) -> None:
    """2000 runs on skewed margins with many zeros, looked at every 10 blocks."""
    generator = np.random.default_rng(5)
    test = Sprt(0.0, 0.2, 0.05, 0.05)
    verdicts = []
    for _ in range(2000):
        x = generator.exponential(1.0, 2000) * generator.integers(-1, 2, 2000)  # mean 0, variance 4/3
        x += effect * math.sqrt(4 / 3)
        totals, squares = np.cumsum(x), np.cumsum(x**2)
        looks = (test.verdict(n, totals[n - 1], squares[n - 1]) for n in range(100, 2001, 10))
        verdicts.append(next((v for v in looks if v != "undecided"), "undecided"))
    assert verdicts.count(wrong) / 2000 <= 0.05
    assert verdicts.count("undecided") == 0


def test_the_sequence_covers_at_every_moment() -> None:
    generator = np.random.default_rng(6)
    misses = 0
    for _ in range(400):
        x = np.clip(generator.normal(0.3, 2.0, 1500), -3, 3)
        low, high = confidence_sequence(x, 3.0)
        misses += bool((low > MEAN).any() or (high < MEAN).any())
    assert misses / 400 <= 0.05


MEAN = float(np.clip(np.random.default_rng(0).normal(0.3, 2.0, 4_000_000), -3, 3).mean())


def test_the_sequence_narrows_and_clips() -> None:
    x = np.random.default_rng(8).normal(1.0, 1.0, 4000)
    low, high = confidence_sequence(x, 5.0)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert low[-1] > 0.8
    assert high[-1] < 1.2
    wild = x.copy()
    wild[10] = 1e9
    assert confidence_sequence(wild, 5.0)[1][-1] < 1.2
    with pytest.raises(ValueError, match="clip = 0; allowed: 1e-06 to 1e\\+06"):
        confidence_sequence(x, 0)
