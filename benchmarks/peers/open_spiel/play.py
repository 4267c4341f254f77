"""OpenSpiel's bridge, C++ stepped from Python: an observation of 571 floats and the legal mask at each decision.

Dealing is a chance node a card, as the game has it. The double-dummy solver is off: with it a deal costs half a second.
The first case reads the observation as the API's list, as most code does; the second has it written into an array,
which newer versions can.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

PACKAGES = ("open_spiel", "numpy")


def cases() -> dict[str, Callable[[float], tuple[int, int]]]:
    """Uniformly random play for so many CPU-seconds: decisions, and games that ended."""
    game = pyspiel.load_game("bridge(use_double_dummy_result=false)")
    chance = random.Random(1)
    array = np.zeros(game.observation_tensor_size(), np.float32)

    def as_list(state: Any) -> Any:
        return state.observation_tensor()

    def into_array(state: Any) -> Any:
        return state.write_observation_tensor(array)

    def playing(observe: Callable[[Any], Any]) -> Callable[[float], tuple[int, int]]:
        def play(seconds: float) -> tuple[int, int]:
            decisions = games = 0
            end = time.process_time() + seconds
            while time.process_time() < end:
                state = game.new_initial_state()
                while not state.is_terminal():
                    if state.is_chance_node():
                        state.apply_action(chance.choice(state.chance_outcomes())[0])
                        continue
                    observe(state)
                    state.legal_actions_mask()
                    state.apply_action(chance.choice(state.legal_actions()))
                    decisions += 1
                games += 1
            return decisions, games

        return play

    found = {"bridge": playing(as_list)}
    if hasattr(game.new_initial_state(), "write_observation_tensor"):
        found["bridge, into an array"] = playing(into_array)
    return found
