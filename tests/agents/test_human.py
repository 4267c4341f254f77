"""A person at the terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import agents
from agents.base import Left
from agents.human import Human, picked
from agents.play import play_match
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_choice
from paohuzi_env.record import read_records, replay_records
from paohuzi_env.rules import rule_set

if os.name == "posix":
    from terminal import PROMPT, Terminal

posix = pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal")
RULES = rule_set("hunan")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the person types, line by line; then the input ends."""
    lines: list[str] = []
    prompts: Iterator[str] = iter(lambda: lines.pop(0), object())

    def read(prompt: str = "") -> str:
        print(prompt)
        if not lines:
            raise EOFError
        return next(prompts)

    monkeypatch.setattr("builtins.input", read)
    return lines


def asked(game: Game) -> int:
    agent = agents.make("human")
    assert game.actor is not None
    view = game.view(game.actor, agent.history)
    return int(agent.choose(view, np.zeros(1, np.uint64), np.zeros(1, np.int64))[0])


def at_a(phase: str) -> Game:
    """A hand in which somebody is asked for that."""
    for number in range(300):
        game = Game.deal("hunan", 7, number)
        while game.actor is not None:
            if game.phase == phase:
                return game
            game.step(game.legal_actions[0])
    raise AssertionError(phase)


@pytest.mark.parametrize(
    ("text", "place"),
    [("1", 0), ("2", 1), ("3", 2), ("discard c", 1), ("打 三", 1), ("打三", 1), ("三", 1), ("c", 1), ("discard  C", 2)],
)
def test_a_discard_can_be_typed_in_several_ways(text: str, place: int) -> None:
    window = tuple(map(parse_choice, ("discard a", "discard c", "discard C")))
    assert picked(text, window) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [("chi bca", 0),  ("吃 一二三", 0), ("abc", 0), ("chi aAA", 1), ("pass", 2), ("过", 2), ("pass chi", 2),
     ("过 吃", 2)],
)  # fmt: skip
def test_a_claim_can_be_typed_in_several_ways(text: str, place: int) -> None:
    window = tuple(map(parse_choice, ("chi abc", "chi aAA", "pass chi")))
    assert picked(text, window) == place


@pytest.mark.parametrize(
    "text", ["", "0", "4", "-1", "9" * 5000, "chi", "吃", "chi abd", "discard a", "x", "\x00", "²", "pass hu", "\ufffd"]
)
def test_what_is_not_one_choice_is_none(text: str) -> None:
    assert picked(text, tuple(map(parse_choice, ("chi abc", "chi aAA", "pass chi")))) is None


def test_a_wrong_answer_is_asked_again_and_says_what_can_be_typed(typed: list[str], capsys: Any) -> None:
    game = at_a("chi")
    typed += ["nonsense\x1b[2J", "0", "", "pass"]
    assert game.action_text(asked(game)) == "pass chi"
    shown = capsys.readouterr().out
    assert "\x1b[2J" not in shown
    assert "is none of them; type a number, a choice such as 'discard a'" in shown
    assert shown.count("type a number") == 3


def test_the_table_is_shown_in_both_languages_and_nothing_hidden(typed: list[str], capsys: Any) -> None:
    game = at_a("discard")
    typed += ["1"]
    assert asked(game) == game.legal_actions[0]
    shown = capsys.readouterr().out
    assert "庄 dealer" in shown
    assert "打 discard" in shown
    assert "20 face down" in shown
    assert shown.count("hand   ") == 3


@pytest.mark.parametrize("phase", ["discard", "hu", "peng", "chi", "bi"])
def test_a_hint_tells_waits_and_what_the_adviser_would_do(phase: str, typed: list[str], capsys: Any) -> None:
    game = at_a(phase)
    typed += ["?", "1"]
    asked(game)
    shown = capsys.readouterr().out
    assert " would choose: " in shown
    assert "wait" in shown


def test_the_adviser_can_be_named_but_is_no_person() -> None:
    assert agents.make("human:uniform").__class__ is Human
    for text in ("human:human", "human:human:uniform"):
        with pytest.raises(agents.AgentError, match="allowed: another agent"):
            agents.make(text)
    with pytest.raises(agents.AgentError, match="unknown agent 'nobody'"):
        agents.make("human:nobody")


@pytest.mark.parametrize("lines", [[], ["q"], ["quit"]])
def test_the_end_of_input_leaves_the_table(lines: list[str], typed: list[str]) -> None:
    typed += lines
    with pytest.raises(Left, match="has left the table"):
        next(play_match([agents.make(t) for t in ("human", "uniform", "uniform")], RULES, 3, 1))


# --- at a terminal ----------------------------------------------------------------------------------------------------


@posix
def test_a_match_is_played_and_its_record_is_verified(tmp_path: Path) -> None:
    file = tmp_path / "match.phz.jsonl"
    with Terminal(
        "agents", "play", "--agents", "uniform", "--seat", "1", "--seed", "7", "--hands", "2", "--record", str(file)
    ) as terminal:  # fmt: skip
        shown = terminal.read()
        assert "\x1b[31m" in shown  # red tiles are red
        assert " would choose: " in terminal.ask("?")
        assert "is none of them" in terminal.ask("no such thing")
        assert "is none of them" in terminal.ask("\udcff")  # a byte that is no UTF-8
        for _ in range(200):
            if not terminal.shown.endswith(PROMPT):
                break
            terminal.ask("1")
        assert terminal.end() == 0
    assert "Traceback" not in terminal.shown
    assert len(re.findall(r"hand \d of 2 · .* deals 庄", terminal.shown)) == 2
    found = list(replay_records(file))
    assert [hand.record["match"]["hand"] for hand in found] == [0, 1]
    assert all(hand.record["players"].count("human") == 1 for hand in found)
    scores = [hand.record["result"]["scores"][hand.record["match"]["seats"].index(1)] for hand in found]
    assert found[-1].record["match"]["totals"][1] == sum(scores)
    assert re.search(rf"^you +\S+ +{sum(scores)} *$", terminal.shown, re.MULTILINE)


@posix
@pytest.mark.parametrize(
    ("key", "status", "words"), [("\x04", 0, "You have left the table"), ("\x03", 130, "interrupted")]
)
def test_leaving_keeps_the_finished_hands(key: str, status: int, words: str, tmp_path: Path) -> None:
    file = tmp_path / "match.phz.jsonl"
    args = ("--rules", "mini", "--seed", "5", "--hands", "9", "--record", str(file))
    with Terminal("agents", "play", *args) as terminal:
        terminal.read()
        for _ in range(60):
            if "hand 2 of 9" in terminal.shown:
                break
            terminal.ask("1")
        if key == "\x03":
            terminal.interrupt()
        else:
            terminal.type(key)
        assert terminal.end() == status
    assert words in terminal.shown
    assert "Traceback" not in terminal.shown
    assert len(list(read_records(file))) >= 1
