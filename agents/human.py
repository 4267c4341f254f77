"""A person at the terminal: the table as the seat sees it, numbered choices, hints on request."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.base import Agent, Left, one_view
from paohuzi_env.core.state import HISTORY
from paohuzi_env.errors import NotationError
from paohuzi_env.notation import (
    HIDDEN,
    Choice,
    Meld,
    format_choice,
    format_group,
    parse_choice,
    parse_tiles,
    tile_glyph,
    tile_letter,
)
from paohuzi_env.position import Wait, waits
from paohuzi_env.render import ansi
from paohuzi_env.rules import RuleSet
from paohuzi_env.show import printable
from paohuzi_env.table import WORDS, SeatRow, Table

COMPANY: Final = "heuristic"
"""Who gives hints, and sits at a person's table, where nobody is named."""
_HELP: Final = "a number, a choice such as 'discard a' or '打 一', ? for a hint, q to leave"


class Human(Agent):
    """A person at the terminal, who is shown the table and asked for each decision.

    Parameters
    ----------
    rules
        The rule set that is played.
    hint
        The agent that gives hints.
    """

    history = HISTORY
    batch = 1
    interactive = True

    def __init__(self, rules: RuleSet | str = "hunan", hint: str = COMPANY, *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        from agents.registry import make

        if hint.partition(":")[0] == "human":
            raise ValueError(f"hint = {hint!r}; allowed: another agent")
        self._adviser = make(hint, rules, seed=seed)
        self.names: tuple[str, ...] = ()
        """Who sits at each seat, where whoever runs it knows."""

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        return np.array([self._ask(view, word, hand) for view, word, hand in zip(views, words, hands, strict=True)])

    def ended(self, views: Any, hands: NDArray[np.int64]) -> None:
        for view in views:
            print(f"\n{self._drawn(Table.of_view(view, self.rules, names=self.names))}", end="")

    def close(self) -> None:
        self._adviser.close()

    def _ask(self, view: Any, word: Any, hand: Any) -> int:
        """Show the table and ask until the answer is a legal choice."""
        table = Table.of_view(view, self.rules, names=self.names)
        if table.window is None:
            raise ValueError(f"seat {table.viewer} has nothing to decide")
        window = table.window.choices
        actions = [action for action in range(32) if int(view["legal"]) >> action & 1]
        print(f"\n{self._drawn(replace(table, window=None))}seat {table.viewer}, {_question(table)}")
        for number, choice in enumerate(window, 1):
            print(f" {number:>2}  {in_words(choice)}")
        while True:
            text = _typed(f"{WORDS[table.window.phase]} 1-{len(window)} (? hint, q leave): ")
            if text in ("q", "quit"):
                raise Left(f"seat {table.viewer} has left the table")
            if text in ("?", "？"):
                self._hint(table, window, actions, view, word, hand)
                continue
            place = picked(text, window)
            if place is not None:
                return actions[place]
            print(f"{printable(text)[:60]!r} is none of them; type {_HELP}" if text else f"type {_HELP}")

    def _drawn(self, table: Table) -> str:
        return ansi(table, colour=sys.stdout.isatty())

    # --- hints --------------------------------------------------------------------------------------------------------

    def _hint(
        self, table: Table, window: tuple[Choice, ...], actions: list[int], view: Any, word: Any, hand: Any
    ) -> None:
        """What the hand waits for, and what the adviser would do."""
        for line in self._waiting(table, window):
            print(f"  {line}")
        views = one_view(view)
        answer = int(self._adviser.choose(views, np.array([word], np.uint64), np.array([hand], np.int64))[0])
        if answer in actions:
            print(f"  {self._adviser.name} would choose: {in_words(window[actions.index(answer)])}")

    def _waiting(self, table: Table, window: tuple[Choice, ...]) -> list[str]:
        """What the hand, or the hand after each discard, waits for."""
        row = table.seats[table.viewer or 0]
        if row.dead:
            return ["a dead hand waits for nothing"]
        if table.window is None or table.window.phase != "discard":
            return [f"waits for {self._waits(row, row.hand) or 'nothing yet'}"]
        found = []
        for choice in window:
            rest = list(row.hand)
            rest.remove(choice.tiles[0])
            if text := self._waits(row, rest):
                found.append(f"{in_words(choice)}: then waits for {text}")
        return found or ["no discard leaves a hand that waits for a win"]

    def _waits(self, row: SeatRow, hand: Any) -> str:
        """The tiles that would win, in words; empty where none would, or the hand is between two moves."""
        melds = [Meld("chi" if meld.name == "bi" else meld.name, meld.tiles) for meld in row.melds]
        try:
            return ", ".join(map(_wait_text, waits(hand, melds, self.rules)))
        except NotationError:
            return ""


def _typed(prompt: str) -> str:
    """What the person types; at the end of the input (or without one), the wish to leave."""
    try:
        return input(prompt).strip()
    except UnicodeDecodeError:
        return "\ufffd"
    except (EOFError, RuntimeError):
        print()
        return "q"


def _question(table: Table) -> str:
    """What is asked."""
    assert table.window is not None
    phase = table.window.phase
    word = f"{WORDS[phase]} {phase}"
    if phase == "discard" or table.live is None:
        return word
    return f"{word} on {tile_glyph(table.live)}{tile_letter(table.live)}?"


def _wait_text(wait: Wait) -> str:
    worth = wait.own or wait.other
    return f"{tile_glyph(wait.kind)}{tile_letter(wait.kind)}" + ("" if worth is None else f" ({worth.huxi} huxi)")


def in_words(choice: Choice) -> str:
    """A choice in Chinese and in the notation: 打 discard 二b."""
    verb = choice.verb
    word = WORDS[verb.partition(" ")[0]] + (WORDS[verb.partition(" ")[2]] if verb.startswith("pass") else "")
    tiles = "" if HIDDEN in choice.tiles else " ".join(tile_glyph(kind) + tile_letter(kind) for kind in choice.tiles)
    return f"{word} {verb} {tiles}".rstrip()


def picked(text: str, window: tuple[Choice, ...]) -> int | None:
    """The place of the choice that was typed: its number, the choice itself, its verb or its tiles if they are enough.

    Verbs are taken in Chinese too.
    """
    if text.isascii() and text.isdigit():
        return int(text) - 1 if 1 <= int(text[:9]) <= len(window) else None
    for verb, word in WORDS.items():
        if text.startswith(word) and verb in ("discard", "hu", "peng", "pao", "chi", "bi", "pass"):
            rest = text.removeprefix(word).strip()
            text = f"{verb} {next((v for v, w in WORDS.items() if w == rest), rest)}".strip()
            break
    try:
        wanted = format_choice(parse_choice(text))
    except NotationError:
        wanted = text
    try:
        tiles = format_group(parse_tiles(text))
    except NotationError:
        tiles = ""
    exact = [place for place, choice in enumerate(window) if format_choice(choice) == wanted]
    verbs = [place for place, choice in enumerate(window) if choice.verb.partition(" ")[0] == text]
    alike = [place for place, choice in enumerate(window) if tiles and format_group(choice.tiles) == tiles]
    return next((found[0] for found in (exact, verbs, alike) if len(found) == 1), None)
