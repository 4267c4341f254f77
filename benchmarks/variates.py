"""Less chance by a reference: the same deals played by copies of one fixed agent tell how much was at stake in them.

A block lets every agent sit everywhere, so the luck of seats is out of it already; what is left to explain is how much
a deal is worth. The control variates of a block are, from the reference's own hands on its deals: the points that
changed hands, whether one was drawn, and the dealer's points. Their coefficients are fitted on other blocks than those
they are applied to (cross-fitting) and their means are taken from reference hands on deals that no block uses, so the
estimate stays unbiased whatever the coefficients are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.blocks import block_places, drawn
from benchmarks.intervals import Interval, t_interval

Floats = NDArray[np.float64]
FOLDS: Final = 10


@dataclass(frozen=True)
class Controlled:
    """A margin with its chance taken out as far as the reference explains it.

    Attributes
    ----------
    margin
        The mean and a t interval.
    gain
        Variance without the variates over that with them; 1 is no gain, None where both are 0.
    """

    margin: Interval
    gain: float | None


def variates(hands: Any) -> Floats:
    """The variates of each block from a reference's hands, in the order of blocks: (blocks, 3)."""
    places, n = block_places(hands)
    scores = hands["scores"].astype(np.float64)
    dealers = scores[np.arange(len(hands)), hands["dealer"]]
    columns = (np.maximum(scores, 0).sum(1), drawn(hands).astype(np.float64), dealers)
    counts = np.bincount(places, minlength=n)
    return np.stack([np.bincount(places, column, n) / counts for column in columns], axis=1)


def controlled(margins: Floats, own: Floats, elsewhere: Floats) -> Controlled:
    """The mean of margins, controlled.

    Parameters
    ----------
    margins
        (blocks,)
    own
        (blocks, q): the variates of these blocks.
    elsewhere
        (m, q): variates of other deals, for their means.
    """
    n = len(margins)
    plain = t_interval(margins)
    if n < 2 * FOLDS:
        return Controlled(plain, None)
    centred = own - elsewhere.mean(0)
    folds = np.arange(n) % FOLDS
    explained = np.empty(n)
    coefficients = np.zeros((n, own.shape[1]))
    for fold in range(FOLDS):
        there, here = folds != fold, folds == fold
        design = np.column_stack([np.ones(there.sum()), centred[there]])
        coefficient = np.linalg.lstsq(design, margins[there], rcond=None)[0][1:]
        explained[here] = centred[here] @ coefficient
        coefficients[here] = coefficient
    adjusted = margins - explained
    # The means of the variates are estimates too: their own variance, at the mean coefficient, is added.
    usual = coefficients.mean(0)
    extra = float(np.var(elsewhere @ usual, ddof=1) / len(elsewhere))
    variance = float(adjusted.var(ddof=1)) / n + extra
    interval = t_interval(adjusted)
    before = float(margins.var(ddof=1)) / n
    if before == 0:
        return Controlled(plain, None)
    assert interval.low is not None
    own_error = float(adjusted.std(ddof=1) / np.sqrt(n))
    half = (interval.value - interval.low) * (float(np.sqrt(variance)) / own_error if own_error > 0 else 1.0)
    return Controlled(Interval(interval.value, interval.value - half, interval.value + half), before / variance)
