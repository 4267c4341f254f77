"""`python -m train demo`: teach a small network for two minutes, measure it, and watch it play a hand.

What `make demo` shows of the trainer: a table against the other players, the curve, and a hand in which every decision
of the network stands beside what it had thought of the others.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.inputs import MOST_ACTIVE, PAD, encode_views, input_tables
from agents.network import Weights, answers, read_network
from agents.registry import naming
from paohuzi_env.core import state as st
from paohuzi_env.game import Game
from paohuzi_env.record import Replay, record_of, replay
from paohuzi_env.rules import rule_set
from paohuzi_env.show import hand_lines, print_table
from train.config import Config, ConfigError, preset
from train.run import BEST, CURVE, alone, evaluate, train

OPPONENTS: Final = ("uniform", "greedy", "heuristic")
DEMO: Final = Path("runs/demo")
"""Where the demo's run goes unless somebody says where."""
HAND: Final = 2026
"""Seed of the hand that is shown; the first that somebody wins."""


def demo(folder: Path, minutes: float = 2.0, rules: str = "hunan", *, replace: bool = False) -> bool:
    """Train for so many minutes from nothing, and show what came of it.

    Parameters
    ----------
    folder
        Where the run goes.
    minutes
        Time for learning. What it comes to depends on the machine.
    rules
        The rule set.
    replace
        Whether to delete the folder, with all that is in it, before. Without it one that holds a run is refused.

    Returns
    -------
    bool
        Whether it was shown to its end, and not interrupted while it learned.
    """
    if not minutes > 0:
        raise ConfigError(f"minutes = {minutes:g}; allowed: above 0")
    config: Config = dataclasses.replace(preset("demo"), rules=rules, minutes=minutes)
    if replace:
        with alone(folder):  # not a run that somebody is at
            shutil.rmtree(folder, ignore_errors=True)
    print(f"A network learns Paohuzi by playing itself, from nothing, for {minutes:g} minutes (rules: {rules}).\n")
    result = train(config, folder)
    if result.interrupted:
        print(f"Interrupted after {result.decisions:,} decisions; the run is in {folder}.")
        return False
    weights, _ = read_network(folder / BEST, rules)
    found = evaluate(weights, rule_set(rules), OPPONENTS, config.evaluate_deals)
    rows = [(agent, f"{margin:+.2f}", f"{error:.2f}") for agent, (margin, error) in found.items()]
    print(f"\nIt has learned from {result.decisions:,} decisions. On {config.evaluate_deals} deals, each played in")
    print("every seating, its seat makes so many points a hand more than the other's:\n")
    print_table(("against", "points a hand", "standard error"), rows)
    print(f"\nThe curve is {folder / CURVE}. A hand against itself; behind each choice stand its chances:\n")
    print("\n".join(annotated(weights, rules)))
    print(f"\nPlay it with agents.make({naming('network', folder / BEST)!r}, {rules!r}).")
    print("A stronger one: python -m train --preset quick")
    return True


def annotated(weights: Weights, rules: str) -> Iterator[str]:
    """A hand that a network plays against itself, each decision with the chances it gave to its choices."""
    for index in range(1000):
        found, thoughts = play_hand(weights, rules, index)
        if found.record["result"]["winner"] is not None:
            break
    at = iter(thoughts)
    for line in hand_lines(found, title="the network against itself"):
        yield f"{line}  {next(at)}" if re.match(r" {6}seat \d: ", line) else line


def play_hand(weights: Weights, rules: str, index: int) -> tuple[Replay, list[str]]:
    """A hand by likeliest actions, and for each decision the chances of the best three choices."""
    game = Game.deal(rules, HAND, index)
    thoughts = []
    while not game.over:
        legal = game.legal_actions
        chances = np.exp(thought(weights, game)[legal].astype(np.float64))
        chances /= chances.sum()
        best = np.argsort(-chances, kind="stable")
        ranked = [f"{game.action_text(legal[i])} {chances[i]:.0%}" for i in best[:3]]
        thoughts.append(f"[{', '.join(ranked)}]" if len(legal) > 1 else "[no choice]")
        game.step(legal[int(best[0])])
    record = record_of(game, seed=HAND, players=["network"] * game.rules.seats, legal=True)
    return replay(record), thoughts


def thought(weights: Weights, game: Game) -> NDArray[np.float32]:
    """The network's answer to the position, for the seat to act."""
    assert game.actor is not None
    active, count = np.zeros((1, MOST_ACTIVE), np.int16), np.zeros(1, np.int16)
    encode_views(game.view(game.actor), game.rules.record, st.allocate(1, PAD), input_tables(game.rules), active, count)
    return answers(weights, active, count).reshape(-1)
