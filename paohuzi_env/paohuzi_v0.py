"""Paohuzi for PettingZoo, version 0: `env` (with PettingZoo's order checks) and `raw_env`.

    from paohuzi_env import paohuzi_v0
    env = paohuzi_v0.env(rules="hunan", hands=1)

Where PettingZoo has a registry (from 1.27 on), importing this module registers the environment there:
``pettingzoo.make("aec", "paohuzi/paohuzi-v0", rules="hunan")``.
"""

from __future__ import annotations

from typing import Final

import pettingzoo  # type: ignore[import-untyped]  # it ships no types

from paohuzi_env.env import OPTIONS, PaohuziEnv, env, raw_env

ENV_ID: Final = "paohuzi/paohuzi-v0"


def _register() -> None:
    """Tell PettingZoo's registry, if there is one and it does not know yet."""
    if hasattr(pettingzoo, "register") and ENV_ID not in pettingzoo.aec_registry:
        pettingzoo.register("aec", ENV_ID, entry_point=f"{__name__}:env")


_register()

__all__ = ["ENV_ID", "OPTIONS", "PaohuziEnv", "env", "raw_env"]
