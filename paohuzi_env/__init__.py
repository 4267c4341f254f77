"""Paohuzi 跑胡子 as a research environment: the rules, PettingZoo and Gymnasium adapters, records."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paohuzi_env.env import PaohuziEnv
    from paohuzi_env.game import Game
    from paohuzi_env.rules import RuleSet, rule_set
    from paohuzi_env.search import Rollouts
    from paohuzi_env.single import SingleSeatEnv, SingleSeatVectorEnv
    from paohuzi_env.vector import VectorEnv

__version__ = "0.1.0"

# Public name -> the module that defines it. Looked up at first use (PEP 562), so that `import paohuzi_env`
# imports neither numba nor pettingzoo. For type checkers each name is also imported under TYPE_CHECKING.
_HOMES: dict[str, str] = {
    "Game": "paohuzi_env.game",
    "PaohuziEnv": "paohuzi_env.env",
    "Rollouts": "paohuzi_env.search",
    "RuleSet": "paohuzi_env.rules",
    "SingleSeatEnv": "paohuzi_env.single",
    "SingleSeatVectorEnv": "paohuzi_env.single",
    "VectorEnv": "paohuzi_env.vector",
    "rule_set": "paohuzi_env.rules",
}

__all__ = [
    "Game", "PaohuziEnv", "Rollouts", "RuleSet", "SingleSeatEnv", "SingleSeatVectorEnv", "VectorEnv", "__version__",
    "rule_set",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


if "gymnasium" in sys.modules:  # who has it gets the names in its registry; nobody else pays for the import
    from paohuzi_env import registration

    registration.register()
