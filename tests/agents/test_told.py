"""What a program is told: all that the seat may know, and nothing else."""

from __future__ import annotations

import contextlib
import json
import random
import re
from typing import Any

import numpy as np
import pytest
from aec import PRESETS, biased_game
from programs import BOTS
from swap import swapped

from agents import told
from paohuzi_env.core import state as st
from paohuzi_env.core.actions import HU
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_meld, parse_tiles
from paohuzi_env.record import events_of
from paohuzi_env.rules import rule_set

RULES: list[Any] = [
    *PRESETS,
    {"preset": "hunan", "players": 2},
    {"preset": "hunan", "forced_pao": False, "split_pass": True},
    {"preset": "hunan", "own_draw_melds": False, "show_upcard": False},
]


def played(rules: Any, hands: int, name: str) -> Any:
    """Positions of hands that are played at random, hu seldom taken: the game and who decides."""
    chance = random.Random(name)
    for number in range(hands):
        game = biased_game(rules, chance, "ready") if number % 2 else Game.deal(rules, 3, number)
        while game.actor is not None:
            yield game, game.actor
            legal = game.legal_actions
            if HU in legal and chance.random() < 0.8:
                legal.remove(HU)
            game.step(chance.choice(legal))


def question(game: Game, seat: int) -> tuple[dict[str, Any], dict[str, int]]:
    message, legal = told.move(game.view(seat, 32)[0], game.rules, number=5, seed=6)
    assert message == json.loads(told.line_of(message))
    return message["move"], legal


@pytest.mark.rule("3.4", "3.5")
@pytest.mark.parametrize("rules", RULES, ids=str)
def test_it_does_not_depend_on_what_the_seat_may_not_know(rules: Any) -> None:
    chance = random.Random(f"told {rules}")
    compared = 0
    for game, seat in played(rules, 4, f"leaks {rules}"):
        assert question(swapped(game, seat, chance), seat) == question(game, seat)
        assert question(game.clone(), seat) == question(game, seat)
        compared += 1
    assert compared > 10


@pytest.mark.rule("3.4", "3.5")
def test_the_notice_of_the_end_does_not_depend_on_what_the_seat_may_not_know() -> None:
    chance, kinds = random.Random("end"), set()
    for number in range(30):
        game = Game.deal("hunan", 3, number)
        while game.actor is not None:
            game.step(chance.choice(game.legal_actions))
        for seat in range(3):
            notice = told.end(game.view(seat)[0], game.rules, number=1)
            assert told.end(swapped(game, seat, chance).view(seat)[0], game.rules, number=1) == notice
            assert notice["end"]["scores"] == list(game.scores)
            kinds.add(notice["end"]["winner"] is None)
    assert kinds == {True, False}


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_it_is_in_the_notation_and_agrees_with_the_game(rules: Any) -> None:
    phases: set[str] = set()
    for compared, (game, seat) in enumerate(played(rules, 60, f"agrees {rules}")):
        if {"discard", "hu"} <= phases and compared > 100:
            break
        move, legal = question(game, seat)
        g = game.record
        assert list(legal) == move["legal"] == game.legal_texts()
        assert [game.action_of(text) for text in legal] == list(legal.values())
        assert parse_tiles(move["hand"]) == game.hand(seat)
        assert (move["seat"], move["dealer"], move["phase"]) == (seat, int(g["dealer"]), game.phase)
        if game.phase == "discard":
            assert (move["tile"], move["source"], move["from"]) == (None, None, None)
        else:
            assert parse_tiles(move["tile"]) == [game.live_kind()]
        assert [row["hand"] for row in move["seats"]] == [len(game.hand(s)) for s in range(game.rules.seats)]
        assert move["wall"] == int(g["wall_end"]) - int(g["wall_next"])
        for row in move["seats"]:
            melds = [parse_meld(meld, hidden=True) for meld in row["melds"]]
            assert sum(meld.is_hidden for meld in melds) == len(row["wei_not"])
            assert len(row["taken"]) == len(melds)
        events = [e for e in events_of(game) if " pass " not in e][-32:]
        shown = [e if e.startswith(f"{seat} ") else re.sub(r" wei .*", " wei ???", e) for e in events]
        assert move["events"] == shown
        if move["source"] == "own_draw":
            assert move["from"] == seat
        assert list(move)[-1] == "legal"
        phases.add(game.phase)
    assert {"discard", "hu"} <= phases


DERIVED = {
    "players": "the number of seats", "over": "no question then", "legal": "`legal`", "stage": "`phase` and `laid`",
    "quads": "the ti and pao of `melds`", "melds_n": "`melds`", "river_n": "`river`", "history_n": "`events`",
    **dict.fromkeys(
        ("winner", "win_kind", "win_source", "fault_seat", "fault_kind", "win_huxi", "fan", "deng", "base", "patterns",
         "scores", "winner_hand"), "only after the end"),
}  # fmt: skip


OTHER_SEAT = ("seat", "dealer", "turn")
PLACES = ("meld_type", "meld_kind", "meld_shape", "meld_from", "river", "history", "wei_not")


def test_every_field_of_the_view_is_told() -> None:
    """A view that differs in a field gives another question: a program is told all of it."""
    missing = set(st.VIEW.names or ()) - set(DERIVED)
    chance = random.Random("fields")
    for game, seat in played("yongzhou", 60, "fields"):
        view = game.view(seat, 32)
        before = told.line_of(told.move(view[0], game.rules, number=0, seed=0)[0])
        for field in sorted(missing):
            other = view.copy()
            values = other[field].reshape(-1)
            places = np.flatnonzero(values) if field in PLACES else range(len(values))
            if not len(places):
                continue
            place = int(chance.choice(places))
            value = int(values[place])
            values[place] = (value + 1) % 3 if field in OTHER_SEAT else value + 1 if value < 1 else value - 1
            with contextlib.suppress(IndexError, ValueError):  # no view that play can reach
                if told.line_of(told.move(other[0], game.rules, number=0, seed=0)[0]) != before:
                    missing.discard(field)
        if not missing:
            break
    assert missing == set()


def test_hello_has_the_rules_as_data() -> None:
    rules = rule_set({"preset": "hunan", "cap": 20})
    hello = json.loads(told.line_of(told.hello(rules, {"move": 1.0})))["hello"]
    assert (hello["protocol"], hello["rules_hash"]) == (told.PROTOCOL, rules.hash)
    assert rule_set(hello["rules"]) == rules == rule_set(hello["fields"])


def test_the_page_names_every_key() -> None:
    page = (BOTS.parent / "PROTOCOL.md").read_text(encoding="utf-8")
    table = page.partition("## What a move holds")[2].partition("## Limits")[0]
    named = set(re.findall(r"`([a-z_]+)`", table))
    game = Game.deal("hunan", 5)
    assert game.actor is not None
    move, _ = question(game, game.actor)
    keys = {*move, *move["marks"], *move["before"], *move["seats"][0]}
    assert keys <= named
    for key in ("phase", "source"):
        assert move[key] is None or move[key] in named
