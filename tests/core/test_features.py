"""The derived planes: equal to the waits and the distance that they stand for, and nothing hidden in them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from paohuzi_env.core import state as st
from paohuzi_env.core.distance import distance_of, progress_table
from paohuzi_env.core.features import (
    DISTANCE,
    FEATURE_PLANES,
    FEATURES,
    HUXI_OTHER,
    HUXI_OWN,
    WAITS_OTHER,
    WAITS_OWN,
    features_game,
)
from paohuzi_env.core.waits import WAITS, list_waits
from paohuzi_env.game import Game
from paohuzi_env.rules import empty_evals


def planes(game: Game, seat: int) -> np.ndarray:
    out = np.full((FEATURE_PLANES, 20), 9, np.int8)
    features_game(
        game._array, 0, game.rules.record, st.allocate(1, st.VIEW), empty_evals(), st.allocate(1, st.GAME),
        st.allocate(1, WAITS), progress_table(), seat, out,
    )  # fmt: skip
    return out


@pytest.mark.rule("7.1")
@pytest.mark.parametrize("rules", ["hunan", "luzhou", "yongzhou", "changde", "mini"])
def test_they_are_the_waits_and_the_distance_of_the_hand(rules: str) -> None:
    chance = random.Random(rules)
    wins = 0
    for index in range(60):
        game = Game.deal({"preset": rules, "min_huxi": 3, "min_huxi_plain": None}, 8, index)
        waits = st.allocate(1, WAITS)
        while not game.over:
            for seat in range(game.rules.seats):
                got = planes(game, seat)
                list_waits(game._array, 0, seat, game.rules.record, empty_evals(), waits)
                g, w = game.record, waits[0]
                alive = not g["dead"][seat] and not g["barred"][seat]
                own = [int(w["kinds"][0]) >> k & 1 if alive else 0 for k in range(20)]
                other = [int(w["kinds"][1]) >> k & 1 if alive else 0 for k in range(20)]
                assert got[WAITS_OWN].tolist() == own
                assert got[WAITS_OTHER].tolist() == other
                assert ((got[HUXI_OWN] > 0) <= (got[WAITS_OWN] > 0)).all()
                assert ((got[HUXI_OTHER] > 0) <= (got[WAITS_OTHER] > 0)).all()
                assert (got[DISTANCE] == distance_of(progress_table(), game._array, 0, game.rules.record, seat)).all()
                wins += sum(own) + sum(other)
            game.step(chance.choice(game.legal_actions))
    assert wins > 50


def test_the_index_table_covers_every_plane_once() -> None:
    covered = [p.start + i for p in FEATURES for i in range(len(p.names))]
    assert covered == list(range(FEATURE_PLANES))
