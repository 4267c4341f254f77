"""The arena measured by itself, on few runs: coverage and errors on blocks that were really played."""

from __future__ import annotations

import re

import numpy as np
import pytest

import agents
from benchmarks.arena import play_blocks
from benchmarks.blocks import margins
from benchmarks.deals import deal_set
from benchmarks.plan import TournamentError
from benchmarks.sequential import Sprt
from benchmarks.simulate import coverage, simulate, sprt_errors
from paohuzi_env.errors import PaohuziError


@pytest.fixture(scope="module")
def pool() -> np.ndarray:
    players = [agents.make("greedy"), agents.make("uniform")]
    return margins(play_blocks(players, deal_set("tune", purpose="tuning"), range(1500)).hands, 0, 1)


def test_intervals_cover_the_margin_of_real_blocks(pool: np.ndarray) -> None:
    """600 tournaments of 150 skewed blocks: 95% within three standard errors."""
    found = coverage(pool, 150, 600, 1, resamples=1000)
    assert found.blocks == 150
    assert 0.92 <= found.bca <= 0.977
    assert 0.92 <= found.t <= 0.977
    assert found.sequence >= 0.95


def test_the_test_errs_as_seldom_as_it_says(pool: np.ndarray) -> None:
    test = Sprt(0.0, 0.2)
    null, alternative = sprt_errors(pool, test, 0.0, 800, 2), sprt_errors(pool, test, 0.2, 800, 3)
    assert null.accepts_h1 <= 0.05
    assert alternative.accepts_h0 <= 0.05
    assert null.undecided == alternative.undecided == 0
    assert 100 <= null.blocks < 400


def test_it_prints_what_it_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert simulate(["uniform", "uniform:seed=1"], "mini", 60, [30], 20, 0.5, 0) == 0
    out = capsys.readouterr().out
    assert "times its hands unpaired" in out
    assert "accepts H1" in out
    with pytest.raises(PaohuziError, match="3 agents; needed: 2"):
        simulate(["a", "b", "c"], "mini", 60, [30], 20, 0.5, 0)


@pytest.mark.parametrize(
    ("pool", "sizes", "runs", "effect", "message"),
    [
        (1, [10], 5, 0.1, "pool = 1; allowed: 2 to"),
        (10, [0], 5, 0.1, "blocks = 0; allowed: 2 to"),
        (10, [10], 0, 0.1, "runs = 0; allowed: 1 to"),
        (10, [10], 5, float("nan"), "effect = nan; allowed: 0.01 to 0.7"),
        (10, [10], 5, -1.0, "effect = -1.0"),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    pool: int, sizes: list[int], runs: int, effect: float, message: str
) -> None:
    with pytest.raises(TournamentError, match=re.escape(message)):
        simulate(["uniform", "greedy"], "mini", pool, sizes, runs, effect, 0)
