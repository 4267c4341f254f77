"""Whole hands, frozen: as records and as text, made again and compared to the byte.

A difference means that the rules, the deal of a seed, the random choices or the written form has changed. If that
was meant, make the files anew and look at what `git diff` says::

    PAOHUZI_UPDATE_GOLDEN=1 python -m pytest tests/golden
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from paohuzi_env.record import Replay, record_line, record_of, replay, replay_records
from paohuzi_env.rules import rule_set
from paohuzi_env.selfplay import play_random
from paohuzi_env.show import hand_lines

FOLDER = Path(__file__).parent
SEED = 1


@dataclass(frozen=True)
class Recipe:
    """Which hand of random play it is, and what is in it."""

    name: str
    rules: str
    index: int
    events: tuple[str, ...]
    patterns: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    @property
    def record_file(self) -> Path:
        return FOLDER / f"{self.name}.phz.jsonl"

    @property
    def text_file(self) -> Path:
        return FOLDER / f"{self.name}.txt"


RECIPES = (
    Recipe("hunan-won", "hunan", 107, ("bi", "wei", "ti", "pao", "peng", "hu"), ("hai_di",)),
    Recipe("hunan-drawn", "hunan", 0, ("chouwei", "wei", "ti", "pao")),
    Recipe("hunan-forced-tianhu", "hunan", 2572, ("tianhu",)),
    Recipe("hunan-upcard", "hunan", 338, ("hu",)),
    Recipe("hunan-upcard-dealer", "hunan", 1981, ("ti", "hu")),
    Recipe("huaihua-won", "huaihua", 14, ("hu",), ("hong_hu",)),
    Recipe("changde-won", "changde", 21, ("hu",), ("shua_hou", "tuan_yuan")),
    Recipe("luzhou-discard", "luzhou", 39, ("peng", "hu")),
    Recipe("yongzhou-wild", "yongzhou", 6, ("draw *", "hu *"), ("zi_mo",)),
    Recipe("yongzhou-drawn", "yongzhou", 0, ("ti",)),
    Recipe("bopi-won", "bopi", 591, ("wei", "hu"), ("hong_hu",)),
    Recipe("mini-two-seats", "mini", 0, ("chi", "hu")),
)


def made(recipe: Recipe) -> tuple[str, str]:
    """The record's line and the hand's text, made anew."""
    rules = rule_set(recipe.rules)
    game, _ = play_random(rules, SEED, recipe.index, take_hu=True)
    record = record_of(
        game, seed=SEED, players=["random"] * rules.seats, legal=True, meta={"hand": recipe.index}, version=False
    )
    text = "\n".join(hand_lines(replay(record), title=recipe.name))
    return record_line(record), f"{text}\n"


def written(recipe: Recipe) -> Replay:
    """The frozen record, replayed."""
    (found,) = replay_records(recipe.record_file)
    return found


@pytest.fixture(scope="module", autouse=True)
def _update() -> None:
    if os.environ.get("PAOHUZI_UPDATE_GOLDEN", "0") not in ("", "0"):
        for recipe in RECIPES:
            line, text = made(recipe)
            recipe.record_file.write_text(line, encoding="utf-8", newline="\n")
            recipe.text_file.write_text(text, encoding="utf-8", newline="\n")


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_a_frozen_hand_is_made_again_to_the_byte(recipe: Recipe) -> None:
    line, text = made(recipe)
    assert recipe.record_file.read_bytes() == line.encode()
    assert recipe.text_file.read_bytes() == text.encode()


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_a_frozen_hand_replays_and_holds_what_it_was_chosen_for(recipe: Recipe) -> None:
    found = written(recipe)
    happened = [event.split(" ", 1)[1] for event in found.record["events"]]
    for event in recipe.events:
        assert any(text == event or text.startswith(f"{event} ") for text in happened), event
    assert tuple(found.record["result"].get("patterns", ())) == recipe.patterns


@pytest.mark.parametrize("recipe", RECIPES, ids=str)
def test_the_text_names_every_event_once_and_every_tile_dealt(recipe: Recipe) -> None:
    found = written(recipe)
    lines = recipe.text_file.read_text(encoding="utf-8").splitlines()
    numbers = [int(line[:4]) for line in lines if line[:4].strip().isdigit()]
    assert numbers == list(range(1, len(found.record["events"]) + 1))
    deal = "\n".join(lines[: found.rules.seats + 4])
    assert all(hand in deal for hand in found.record["hands"])
    assert f"wall {found.record['wall']}" in deal


@pytest.mark.rule("8.6")
def test_a_forced_tianhu_has_no_tile_and_its_kan_only() -> None:
    result = written(RECIPES[2]).record["result"]
    assert result["tile"] is None
    assert {group.partition(":")[0] for group in result["groups"]} <= {"ti", "kan"}


def test_no_file_is_left_over() -> None:
    kept = {file.name for file in FOLDER.iterdir() if file.suffix in (".jsonl", ".txt")}
    assert kept == {file.name for recipe in RECIPES for file in (recipe.record_file, recipe.text_file)}
