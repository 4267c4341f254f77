"""What a settlement is worth to a learner: the rewards that every adapter offers.

    settlement   the score itself, in base units: whole numbers of sum zero
    scaled       the score divided by `scale`
    win          +1 shared by the seats that gain, -1 shared by those that pay; 0 where nobody does
    signed_log   sign(score) * log(1 + |score|): large wins count less; its sum is not zero

Each is a function of the settlement alone, so it fits a hand, a batch of them, or a record.
"""

from __future__ import annotations

import math
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from paohuzi_env.errors import shown

Reward = Literal["settlement", "scaled", "win", "signed_log"]
REWARDS: Final[tuple[Reward, ...]] = get_args(Reward)
DEFAULT_SCALE: Final = 10.0
"""Divisor of "scaled": what a faulty player pays to each other seat."""


def checked_reward(reward: Any, scale: Any = DEFAULT_SCALE) -> tuple[Reward, float]:
    """The two options of an adapter, or an error that names the wrong one.

    Raises
    ------
    ValueError
        The reward is none of `REWARDS`, or the scale no finite number above zero.
    """
    if not isinstance(reward, str) or reward not in REWARDS:
        raise ValueError(f"reward = {shown(reward)}; allowed: {', '.join(REWARDS)}")
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not math.isfinite(scale) or scale <= 0:
        raise ValueError(f"reward_scale = {shown(scale)}; allowed: a number above 0")
    return reward, float(scale)


def shaped(scores: ArrayLike, reward: Reward = "settlement", scale: float = DEFAULT_SCALE) -> NDArray[np.float64]:
    """The rewards of settlements.

    Parameters
    ----------
    scores
        Scores of all seats of a hand, seats along the last axis.
    reward
        One of `REWARDS`.
    scale
        Divisor of "scaled"; the others take no notice of it.

    Returns
    -------
    float64
        The rewards, in the shape of `scores`.
    """
    reward, scale = checked_reward(reward, scale)
    x = np.array(scores, np.float64)
    if reward == "scaled":
        return x / scale
    if reward == "signed_log":
        return np.sign(x) * np.log1p(np.abs(x))
    if reward == "win":
        gains = np.maximum((x > 0).sum(-1, keepdims=True), 1)
        pays = np.maximum((x < 0).sum(-1, keepdims=True), 1)
        return np.where(x > 0, 1 / gains, np.where(x < 0, -1 / pays, 0.0))
    return x
