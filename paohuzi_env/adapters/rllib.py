"""RLlib: the observation under the names, and in the form, that its masked modules ask for.

    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

    register_env("paohuzi", lambda config: PettingZooEnv(RLlibNames(paohuzi_v0.env(**config))))

Nothing of RLlib is imported here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper  # type: ignore[import-untyped]  # it ships no types


class RLlibNames(BaseWrapper):  # type: ignore[misc]  # untyped base
    """Gives ``{"action_mask": int8 (32,), "observations": float32 (planes * 20,)}``.

    RLlib's `ActionMaskingTorchRLModule` reads these keys, feeds the observations to a net that takes vectors, and adds
    the mask's logarithm to the logits.

    Parameters
    ----------
    env
        `paohuzi_v0.env` or `raw_env` with ``obs="dict"`` and without a history, wrapped or not.

    Raises
    ------
    ValueError
        Its observations are not of this form.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        raw = env.unwrapped
        if raw.obs != "dict" or raw.history:
            raise ValueError(f'obs = {raw.obs!r}, history = {raw.history}; allowed here: obs = "dict", history = 0')
        self._spaces = {agent: _renamed(env.observation_space(agent)) for agent in raw.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The agent's observation space: the same object at each call."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What the agent may know now, and what it may do."""
        seen = super().observe(agent)
        return {
            "action_mask": seen["action_mask"],
            "observations": seen["observation"].reshape(-1).astype(np.float32),
        }


def _renamed(space: Any) -> spaces.Dict:
    """The space of the same numbers."""
    planes, mask = space["observation"], space["action_mask"]
    return spaces.Dict({
        "action_mask": spaces.Box(0, 1, mask.shape, np.int8),
        "observations": spaces.Box(float(planes.low.min()), float(planes.high.max()), (planes.low.size,), np.float32),
    })
