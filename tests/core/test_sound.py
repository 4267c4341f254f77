"""Records that somebody hands in: hands pass, in every state they come to, and rubbish does not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from slotwise import everything

from paohuzi_env.core import state as st
from paohuzi_env.core.sound import first_unsound
from paohuzi_env.errors import StateError
from paohuzi_env.rules import preset_names, rule_set
from paohuzi_env.search import Rollouts
from paohuzi_env.vector import VectorEnv


def hands(count: int, rules: str = "hunan", steps: int = 25) -> Any:
    """GAME records after so many decisions, some of them over."""
    env = VectorEnv(count, rules, seed=5, autoreset="next_step", observe=False)
    env.reset()
    for _ in range(steps):
        env.step(env.sample_actions())
    return env.snapshot().games


@pytest.mark.parametrize("rules", preset_names())
def test_every_hand_that_is_played_passes(rules: str) -> None:
    env = VectorEnv(300, rules, seed=1, observe=False)
    env.reset()
    for _ in range(80):
        assert first_unsound(env.snapshot().games, env.rules.record) == -1
        env.step(env.sample_actions())


def test_rubbish_and_nothing_are_no_hands() -> None:
    rubbish = np.frombuffer(np.random.default_rng(0).bytes(500 * st.GAME.itemsize), st.GAME)
    games = st.allocate(1, st.GAME)
    for i in range(len(rubbish)):
        games[0] = rubbish[i]
        assert first_unsound(games, rule_set("hunan").record) == 0
    assert first_unsound(st.allocate(3, st.GAME), rule_set("hunan").record) == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("phase", 7), ("phase", -1), ("stage", 10), ("live", 21), ("turn", 3), ("dealer", -1), ("upcard", 22),
        ("actor", 3), ("actor", -1), ("legal", 0), ("legal", -1), ("wall_next", -1), ("wall_end", 31), ("log_n", 400),
        ("melds_n", 9), ("river_n", 33), ("hand", 5), ("hand", -1), ("dealt", 9), ("rows", 1 << 20), ("rows", -1),
        ("hand_n", 1), ("kans", 7), ("meld_kind", 20), ("meld_kind", -1), ("meld_shape", 6), ("meld_type", 7),
        ("meld_from", 8), ("wall", 21), ("peng_passed", 3), ("bi_kind", 20), ("winner", 3), ("last_shown", 21),
    ],
)  # fmt: skip
def test_each_number_that_would_lead_astray_is_found(field: str, value: int) -> None:
    games = hands(20)
    going_on = np.flatnonzero(games["phase"] != st.OVER)
    row = int(going_on[3])
    games[field][row] = value
    assert first_unsound(games, rule_set("hunan").record) == row


def test_rollouts_and_restore_refuse_them_and_change_nothing() -> None:
    games = hands(6)
    games["rows"][4, 1] = 1 << 24
    with pytest.raises(StateError, match=r"row 4: no hand that a kernel could play on; allowed: .* hunan"):
        Rollouts("hunan")(games)
    env = VectorEnv(6, seed=2)
    env.reset()
    kept = env.snapshot()
    env.step(env.sample_actions())
    before = everything(env)
    for changes in (
        {"games": games}, {"reward": kept.reward[:2]}, {"reward": np.int32(7)}, {"reward": kept.reward + 0.5},
        {"done_since": "xx"}, {"slots": kept.slots[:3]}, {"rules_hash": "0"},
    ):  # fmt: skip
        with pytest.raises(StateError):
            env.restore(dataclasses.replace(kept, **changes))
        assert everything(env) == before
    for nothing in (None, env.current):
        with pytest.raises(TypeError, match=r"snapshot = .*; allowed: what snapshot"):
            env.restore(nothing)  # type: ignore[arg-type]
