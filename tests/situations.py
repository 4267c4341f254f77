"""Positions in notation, for what agents answer in them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

import agents
from agents.base import decision_words
from paohuzi_env.core.actions import CHI, HU, PASS, PENG
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_tiles, tile_letter

NAMES = {HU: "hu", PASS: "pass", PENG: "peng"}


def deal_around(rules: Any, hand: str, upcard: str, *, dealer: int = 0, first: str = "", seed: int = 1) -> Game:
    """A hand in which seat 0 holds `hand`; the rest is shuffled, `first` the tiles that are drawn first."""
    mine, up, top = parse_tiles(hand), parse_tiles(upcard)[0], parse_tiles(first)
    deck = [k for k in range(20) for _ in range(4)]
    for tile in (*mine, up, *top):
        deck.remove(tile)
    chance = random.Random(seed)
    while True:  # others without quads, and with few kan
        chance.shuffle(deck)
        others = deck[:20], deck[20:40]
        if all(other.count(k) < 3 for other in others for k in other):
            return Game.from_tiles(rules, dealer, [mine, *others], up, [*top, *deck[40:]])


def answer(agent: agents.Agent, view: Any) -> str:
    """What an agent answers to a view: a tile's letter, the name of a claim, or chi with the number of its shape."""
    word = decision_words(agent.seed, 0, 0, 0, 0)
    action = int(agent.choose(view, word, np.zeros(1, np.int64))[0])
    if action < CHI:
        return tile_letter(action)
    return NAMES.get(action, f"chi{action - CHI}")


def first_discard(name: str, hand: str, upcard: str, rules: Any = "hunan") -> str:
    """What the dealer with a hand discards first."""
    game = deal_around(rules, hand, upcard)
    assert game.actor == 0
    return answer(agents.make(name, rules), game.view(0))


def every_decision(rules: Any, count: int, seed: int) -> list[Any]:
    """Views of the seat to act, along hands that are played at random."""
    views = []
    for index in range(count):
        game = Game.deal(rules, seed, index)
        chance = random.Random(index)
        while not game.over:
            assert game.actor is not None
            views.append(game.view(game.actor))
            game.step(chance.choice(game.legal_actions))
    return views
