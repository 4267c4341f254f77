"""Make the pictures that the README shows: a seat's view, and the referee's of a win.

python tests/tools/make_render_pictures.py
"""

from __future__ import annotations

import random
from pathlib import Path

from PIL import Image

from paohuzi_env.core import state as st
from paohuzi_env.core.actions import HU, PASS
from paohuzi_env.core.view import view_game
from paohuzi_env.game import Game
from paohuzi_env.render import Table, rgb_array

DATA = Path(__file__).parents[1] / "data"
MIDDLE, DECISIONS = 219, 23
WIN = 382


def played(seed: int, decisions: int = -1) -> Game:
    """A hand in which everybody claims what can be claimed and wins what can be won, after some decisions."""
    game, chance = Game.deal("hunan", seed), random.Random(seed)
    while not game.over and decisions:
        legal = game.legal_actions
        game.step(HU if HU in legal else chance.choice([a for a in legal if a != PASS] or legal))
        decisions -= 1
    return game


def save(table: Table, name: str) -> None:
    image = Image.fromarray(rgb_array(table, "large"))
    image.quantize(128, dither=Image.Dither.NONE).save(DATA / name, optimize=True)


def main() -> None:
    game = played(MIDDLE, DECISIONS)
    assert game.actor is not None
    views = st.allocate(1, st.VIEW)
    view_game(game._array, 0, game.rules.record, views, 0, game.actor, 6)
    save(Table.of_view(views[0], game.rules, chosen=game.legal_actions[0]), "render-seat.png")
    save(Table.of_game(played(WIN)), "render-referee.png")


if __name__ == "__main__":
    main()
