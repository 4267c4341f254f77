"""Agents at a table: a match of hands with rotation of the deal, faults and totals (rules 9)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np

from agents.base import RAISED, Agent, answers, decision_words, in_words
from paohuzi_env.core.log import FAULTS
from paohuzi_env.game import Game
from paohuzi_env.match import Match
from paohuzi_env.record import Record, record_of
from paohuzi_env.rules import RuleSet


class Watcher:
    """Is told of a match while it is played; `players` are the participants by seat."""

    def before(self, game: Game, players: Sequence[int]) -> None:
        """A decision is to be made, or the hand is over."""

    def after(self, game: Game, players: Sequence[int], action: int) -> None:
        """A decision has been made, and is not carried out yet."""

    def failed(self, players: Sequence[int], seat: int, why: str) -> None:
        """The code or the program of a player has failed."""


SILENT: Final = Watcher()


@dataclass(frozen=True)
class Played:
    """A finished hand of a match.

    Attributes
    ----------
    number
        Its number in the match, from 0.
    game
        The hand at its end.
    players
        The participant in each seat.
    totals
        The settlements up to and with this hand, by participant.
    seed
        What the match was dealt from.
    """

    number: int
    game: Game
    players: tuple[int, ...]
    totals: tuple[int, ...]
    seed: int

    def record(self, names: Sequence[str]) -> Record:
        """Its record; `names` by participant."""
        match = {"id": self.seed, "hand": self.number, "seats": list(self.players), "totals": list(self.totals)}
        return record_of(self.game, seed=self.seed, players=[names[p] for p in self.players], match=match)


def play_match(
    agents: Sequence[Agent], rules: RuleSet, seed: int, hands: int, watcher: Watcher = SILENT
) -> Iterator[Played]:
    """Play a match; each hand is given when it is over.

    Parameters
    ----------
    agents
        The participants in playing order: as many as seats, or one more at a table of four.
    rules
        The rule set.
    seed
        Fixes every deal.
    hands
        How many hands.
    watcher
        Is told of everything while it happens.
    """
    match = Match(hands, len(agents), rules.seats, 0)
    while not match.over:
        number = match.hand
        drawn_by_lot = number == 0 and match.table == match.seats
        dealer = None if drawn_by_lot else match.dealer_seat
        game = Game.deal(rules, seed, number, dealer=dealer, drawn_before=match.drawn_before)
        if drawn_by_lot:
            match.dealer = int(game.record["dealer"])
        players = match.players
        play_hand(game, agents, players, number, watcher)
        g = game.record
        winner = int(g["winner"]) if g["winner"] >= 0 else None
        match.settle(game.scores, winner, drawn=winner is None and int(g["fault_seat"]) < 0)
        yield Played(number, game, players, tuple(match.totals), seed)


def play_hand(
    game: Game, agents: Sequence[Agent], players: Sequence[int], number: int, watcher: Watcher = SILENT
) -> None:
    """Play a hand to its end: by the rules, or by the fault of a player whose answer is no legal action."""
    seated = [agents[p] for p in players]
    decisions = [0] * len(seated)
    hand = np.array([number], np.int64)
    while (seat := game.actor) is not None:
        watcher.before(game, players)
        agent = seated[seat]
        word = decision_words(agent.seed, number, 0, seat, decisions[seat])
        note = partial(watcher.failed, players, seat)
        action = int(answers(agent, game.view(seat, agent.history), word, hand, note)[0])
        decisions[seat] += 1
        fault = fault_of(game, action)
        if fault is not None:
            game.fault(seat, fault)
            break
        watcher.after(game, players, action)
        game.step(action)
    watcher.before(game, players)
    for seat, agent in enumerate(seated):
        try:
            agent.ended(game.view(seat, agent.history), hand)
        except RAISED as error:  # the hand is over: it is no fault
            watcher.failed(players, seat, in_words(error))


def fault_of(game: Game, action: Any) -> str | None:
    """The fault that an agent's answer is, or None for a legal action."""
    if action in game.legal_actions:
        return None
    return FAULTS[-1 - action] if -len(FAULTS) <= action < 0 else "illegal"
