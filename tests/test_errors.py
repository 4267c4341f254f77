"""Messages show a value that a caller gave, and stay short whatever it is."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from paohuzi_env.checks import one_of, truth, whole
from paohuzi_env.errors import MOST_SHOWN, MOST_WORDS, RecordError, brief, shown
from paohuzi_env.game import Game
from paohuzi_env.learners import Tables
from paohuzi_env.notation import Choice, Meld, parse_choice, parse_meld, parse_tiles, tile_letter
from paohuzi_env.position import answer
from paohuzi_env.record_form import checked
from paohuzi_env.rewards import checked_reward
from paohuzi_env.rules import rule_set, seed_word
from paohuzi_env.vector import VectorEnv

LONG = "x" * 20_000


class Rude:
    def __repr__(self) -> str:
        return "rude\n\x1b[31m"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("hunann", "'hunann'"),
        ("湖南", "'湖南'"),
        (3, "3"),
        ("a" * 58, f"'{'a' * 58}'"),
        ("a" * 59, f"'{'a' * 59}…"),
        ("\x1b[31m\n\ud800\u202e", r"'\x1b[31m\n\ud800\u202e'"),
        (np.arange(4).reshape(2, 2), "array([[0, 1], [2, 3]])"),
        (Rude(), "rude [31m"),
    ],
)
def test_a_value_is_shown_as_python_does_but_short_and_safe(value: Any, text: str) -> None:
    assert shown(value) == text
    assert shown(value).isprintable()


def test_what_python_cannot_write_is_named_by_its_type() -> None:
    assert shown(10**5000) == "of type int"
    nest: list[Any] = []
    for _ in range(100_000):
        nest = [nest]
    assert shown(nest) == "of type list"


def test_a_text_is_cut_where_it_is_too_long() -> None:
    assert brief("a" * MOST_SHOWN) == "a" * MOST_SHOWN
    assert brief("a" * MOST_SHOWN + "b") == "a" * MOST_SHOWN + "…"
    assert brief("abc", 2) == "ab…"


DOORS: dict[str, Callable[[Any], Any]] = {
    "rule set": rule_set,
    "rule file": lambda value: rule_set(f"{value}.toml"),
    "inline rules": lambda value: rule_set(f'{{"{value}": 1, "{value}": 1}}'),
    "preset": lambda value: rule_set({"preset": value}),
    "rule field": lambda value: rule_set({value: value}),
    "number": lambda value: rule_set({"cap": value}),
    "flag": lambda value: rule_set({"forced_pao": value}),
    "choice": lambda value: rule_set({"self_draw": value}),
    "table": lambda value: rule_set({"huxi": value}),
    "key": lambda value: rule_set({"patterns": {value: 1}}),
    "pattern": lambda value: rule_set({"patterns": {"hong_hu": value}}),
    "pair": lambda value: rule_set({"joint": {value: 1}}),
    "seed": seed_word,
    "whole": lambda value: whole("n", value, 0, 1),
    "range": lambda value: whole("n", 10 ** len(value), 0, 1),
    "truth": lambda value: truth("b", value),
    "one of": lambda value: one_of("c", value, ("a",)),
    "tiles": parse_tiles,
    "kind": lambda value: tile_letter(10 ** len(value)),
    "meld": parse_meld,
    "meld kind": lambda value: Meld(value, (1, 1, 1)),
    "choice text": parse_choice,
    "verb": lambda value: Choice(value, (1,)),
    "record": lambda value: checked({"format": value}),
    "record key": lambda value: checked({"format": "paohuzi-record/1", value: 1}),
    "action": lambda value: Game.deal("mini", 1).action_of(value),
    "step": lambda value: Game.deal("mini", 1).step(value),
    "big action": lambda value: Game.deal("mini", 1).step(10 ** len(value)),
    "fault": lambda value: Game.deal("mini", 1).fault(0, value),
    "reward": lambda value: checked_reward(value, 1),
    "scale": lambda value: checked_reward("scaled", value),
    "autoreset": lambda value: VectorEnv(1, "mini", autoreset=value),
    "dtype": lambda value: VectorEnv(1, "mini", observation_dtype=value),
    "out": lambda value: VectorEnv(1, "mini", out={value: np.zeros(1)}),
    "num_envs": lambda value: VectorEnv(value, "mini"),
    "opponent": lambda value: Tables(1, "mini", [value], 0, None, "settlement", 1, "raise", False, "int8", 1),
    "seat": lambda value: Tables(1, "mini", "uniform", value, None, "settlement", 1, "raise", False, "int8", 1),
}


@pytest.mark.parametrize("door", DOORS)
def test_no_message_repeats_a_long_value_whole(door: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        DOORS[door](LONG)
    assert 10 < len(str(caught.value)) < 1200
    assert "x" * (MOST_WORDS + 1) not in str(caught.value)
    assert "set_int_max_str_digits" not in str(caught.value)


@pytest.mark.parametrize("field", ["rules", "hand", "melds", "tile", "source", "dead", "drawn_before", LONG])
def test_no_answer_repeats_a_long_value_whole(field: str) -> None:
    good: dict[str, Any] = {"hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "discard"}
    for value in (LONG, [LONG], {"preset": LONG}):
        assert len(answer({**good, field: value})["error"]) <= MOST_WORDS + 1


def test_a_record_error_keeps_its_parts_in_copies() -> None:
    error = RecordError("wrong", file="a", line=3, event=4)
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert str(twin) == "a:3: event 4: wrong"
