"""Checks of single values that callers pass: each gives the value as a plain one, or says what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np

from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.sound import first_unsound
from paohuzi_env.errors import StateError, shown
from paohuzi_env.rules import RuleSet


def whole(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} = {shown(value)}; allowed: a whole number from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name} = {shown(value)}; allowed: {low} to {high}")
    return int(value)


def truth(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} = {shown(value)}; allowed: True, False")
    return bool(value)


def one_of(name: str, value: object, allowed: tuple[str, ...]) -> Any:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} = {shown(value)}; allowed: {', '.join(allowed)}")
    return value


def action_number(action: object) -> int:
    """An action as an int: NumPy's whole numbers and arrays of no dimension are taken too."""
    if isinstance(action, np.ndarray) and action.shape == ():
        action = action[()]
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        shape = f" and shape {action.shape}" if isinstance(action, np.ndarray) else ""
        raise TypeError(
            f"action of type {type(action).__name__}{shape}; allowed: a whole number 0 to {NUM_ACTIONS - 1}"
        )
    return int(action)


def refuse_unsound(games: Any, rules: RuleSet) -> None:
    """Refuse records that are no hands, before a kernel follows their numbers beyond its arrays.

    Raises
    ------
    StateError
        One is none; its row is named.
    """
    row = first_unsound(games, rules.record)
    if row >= 0:
        raise StateError(f"row {row}: no hand that a kernel could play on; allowed: records of hands of {rules}")
