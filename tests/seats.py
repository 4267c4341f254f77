"""Players and comparisons for the tests of the single-seat environments; importable in spawned processes."""

from __future__ import annotations

from typing import Any

import numpy as np

MINI = {"preset": "mini", "players": 3}
"""Short hands of three players."""


def lowest(observation: Any, mask: Any) -> int:
    """A policy: the lowest legal action."""
    return int(mask.argmax())


class Lowest:
    """The same as a batch policy."""

    def act(self, views: Any, observations: Any, masks: Any) -> Any:
        return masks.argmax(1)


def hand(env: Any, seed: int | None = None, choose: Any = lowest) -> list[Any]:
    """A whole hand: what each reset and step gave."""
    obs, info = env.reset(seed=seed)
    seen = [(obs, info)]
    over = False
    while not over:
        obs, reward, over, cut, info = env.step(choose(obs, info["action_mask"]))
        seen.append((obs, reward, over, cut, info))
    return seen


def same(a: Any, b: Any) -> bool:
    """Equality of nested results, to the type and the byte."""
    if isinstance(a, np.ndarray) and a.dtype != object:
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, np.ndarray | tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and set(a) == set(b) and all(same(a[k], b[k]) for k in a)
    return type(a) is type(b) and a == b
