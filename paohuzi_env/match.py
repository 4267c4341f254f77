"""A match: who plays the next hand, and who deals it (rules 9.1 to 9.3).

Participants sit around the table, numbered in playing order. A hand has seats of its own, numbered from 0 among those
who play: at a table of four the participant opposite the dealer sits out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from paohuzi_env.game import MOST_DRAWN

DRAWN_IN_A_ROW: Final = 3
"""Drawn hands after which the deal goes on to the next participant (9.2)."""


@dataclass
class Match:
    """The score sheet of a match, moved on by `settle` after every hand.

    Attributes
    ----------
    hands
        Hands that the match has.
    table
        Participants.
    seats
        Seats that play a hand: as many, or three at a table of four.
    dealer
        The participant who deals the hand that is played now.
    hand
        Its number, from 0; `hands` when the match is over.
    drawn_before
        Drawn hands just before it (9.2).
    drawn_in_a_row
        The same since the deal last went on.
    totals
        The settlements so far, by participant, in base units.
    """

    hands: int
    table: int
    seats: int
    dealer: int
    hand: int = 0
    drawn_before: int = 0
    drawn_in_a_row: int = 0
    totals: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.totals:
            self.totals = [0] * self.table

    @property
    def over(self) -> bool:
        """Whether all hands have been played."""
        return self.hand >= self.hands

    @property
    def players(self) -> tuple[int, ...]:
        """The participants of this hand, by seat."""
        out = (self.dealer + 2) % self.table if self.table > self.seats else None
        return tuple(p for p in range(self.table) if p != out)

    @property
    def dealer_seat(self) -> int:
        """The dealer's seat in this hand."""
        return self.players.index(self.dealer)

    def settle(self, scores: Sequence[int], winner: int | None, *, drawn: bool) -> None:
        """Enter the scores of this hand, by seat, and find the next dealer: the winner, if there is one.

        After a hand that a fault ended, which is neither won nor drawn, the same participant deals again and the
        drawn hands before it count no longer (the rules know no faults).
        """
        players = self.players
        for participant, score in zip(players, scores, strict=True):
            self.totals[participant] += score
        self.hand += 1
        self.drawn_before = min(self.drawn_before + 1, MOST_DRAWN) if drawn else 0
        self.drawn_in_a_row = self.drawn_in_a_row + 1 if drawn else 0
        if winner is not None:
            self.dealer = players[winner]
        elif self.drawn_in_a_row == DRAWN_IN_A_ROW:
            self.dealer = (self.dealer + 1) % self.table
            self.drawn_in_a_row = 0


def dealer_at(seat: int, table: int, seats: int) -> int:
    """The first participant who, as dealer, sits at `seat` of the hand: the seat itself where all play."""
    for dealer in range(table):
        if Match(1, table, seats, dealer).dealer_seat == seat:
            return dealer
    raise ValueError(f"no dealer sits at seat {seat} of {seats} at a table of {table}")
