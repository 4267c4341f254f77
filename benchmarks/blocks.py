"""From hands to blocks: sums over each block, which are the independent sample that all intervals are made of.

Sums are kept, not means: they are whole or half numbers, which floats add exactly, in whatever order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core.state import SEATS

Floats = NDArray[np.float64]


def block_places(hands: Any) -> tuple[NDArray[np.int64], int]:
    """For each hand the place of its block among the blocks, by number; and how many blocks there are."""
    numbers, places = np.unique(hands["block"], return_inverse=True)
    return places.astype(np.int64), len(numbers)


def sums_by_agent(hands: Any, values: NDArray[Any], agents: int) -> Floats:
    """Sum of `values` (hands, 3), which are by seat, for each block and agent: (blocks, agents)."""
    places, n = block_places(hands)
    seated = hands["agents"] >= 0
    cells = places[:, None] * agents + hands["agents"]
    weights = np.broadcast_to(values, seated.shape)[seated].astype(np.float64)
    return np.asarray(np.bincount(cells[seated], weights, n * agents).reshape(n, agents), np.float64)


def hand_margins(hands: Any, a: int, b: int) -> Floats:
    """How far agent a is ahead of b in each hand: points a seat of a less points a seat of b. NaN where one is missing.

    Where points are skill less the table's mean skill, this is the difference of skill, whoever else sits there.
    """
    scores = hands["scores"].astype(np.float64)
    mine, theirs = hands["agents"] == a, hands["agents"] == b
    with np.errstate(invalid="ignore"):
        return np.asarray((scores * mine).sum(1) / mine.sum(1) - (scores * theirs).sum(1) / theirs.sum(1))


def margin_sums(hands: Any, a: int, b: int) -> tuple[Floats, Floats]:
    """Sum of the margins of a over b in each block, and the number of hands in which both sat: (blocks,) each."""
    places, n = block_places(hands)
    margins = hand_margins(hands, a, b)
    met = ~np.isnan(margins)
    sums, counts = np.bincount(places[met], margins[met], n), np.bincount(places[met], minlength=n)
    return np.asarray(sums, np.float64), counts.astype(np.float64)


def margins(hands: Any, a: int, b: int) -> Floats:
    """Mean margin of a over b in each block where they met: points a hand."""
    sums, counts = margin_sums(hands, a, b)
    return sums[counts > 0] / counts[counts > 0]


def pairing_gain(hands: Any, a: int, b: int) -> float | None:
    """Variance of a mean margin from unpaired hands, over that from as many hands in blocks; None where both are 0.

    Unpaired hands have deals of their own, so theirs is the variance over deals, averaged over the seatings.
    """
    met = hands[~np.isnan(hand_margins(hands, a, b))]
    by_block = margins(met, a, b)
    each = hand_margins(met, a, b)
    keys, kinds = np.unique(np.stack([met["group"], met["seating"], met["hand"]], axis=1), axis=0, return_inverse=True)
    counts = np.bincount(kinds.reshape(-1), minlength=len(keys))
    if len(by_block) < 2 or counts.min() < 2:
        return None
    sums = np.bincount(kinds.reshape(-1), each)
    squares = np.bincount(kinds.reshape(-1), each**2)
    alone = float(np.mean((squares - sums**2 / counts) / (counts - 1)))
    paired = float(by_block.var(ddof=1))
    if alone == 0 and paired == 0:
        return None
    return alone / len(keys) / paired if paired > 0 else float("inf")


def won(hands: Any) -> NDArray[np.bool_]:
    """Who won each hand, by seat: (hands, 3)."""
    return np.asarray(hands["winner"][:, None] == np.arange(SEATS))


def faulty(hands: Any) -> NDArray[np.bool_]:
    """Hands that a fault ended: (hands,)."""
    return np.asarray(hands["fault_seat"] >= 0)


def drawn(hands: Any) -> NDArray[np.bool_]:
    """Drawn hands (荒庄): (hands,)."""
    return np.asarray((hands["winner"] < 0) & (hands["fault_seat"] < 0))
