"""Hands played by uniformly random choices, and what happened in them.

Hand i under a seed is always the same hand: dealt from (seed, i), as `Game.deal` does, and played by choices drawn
from (seed, i) too, however many hands are played and in whatever order.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from paohuzi_env.core import state as st
from paohuzi_env.core.actions import HU
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet

_WORD: Final = (1 << 64) - 1


class Chance:
    """Random numbers keyed by text: SplitMix64, the same on every machine (`core.rng` is its compiled twin)."""

    def __init__(self, key: str) -> None:
        self._word = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "little")

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        self._word = z = self._word + 0x9E3779B97F4A7C15 & _WORD
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _WORD
        return ((z ^ z >> 31) >> 32) * n >> 32


@dataclass
class Tally:
    """What happened in a number of hands.

    Attributes
    ----------
    hands, drawn_hands, decisions
        How many.
    wins
        By seat, counted from the dealer: the dealer, the next, the last.
    huxi, base
        Sums over the wins.
    patterns
        How many wins had each pattern; "none" for those without.
    """

    hands: int = 0
    drawn_hands: int = 0
    decisions: int = 0
    wins: Counter[int] = field(default_factory=Counter)
    huxi: int = 0
    base: int = 0
    patterns: Counter[str] = field(default_factory=Counter)

    @property
    def won(self) -> int:
        """Hands that somebody won."""
        return sum(self.wins.values())

    def add(self, game: Game, decisions: int) -> None:
        """Count a finished hand."""
        g = game.record
        self.hands += 1
        self.decisions += decisions
        if g["winner"] < 0:
            self.drawn_hands += int(g["fault_seat"] < 0)
            return
        self.wins[(int(g["winner"]) - int(g["dealer"])) % game.rules.seats] += 1
        self.huxi += int(g["win_huxi"])
        self.base += int(g["base"])
        bits = int(g["patterns"])
        self.patterns.update([name for p, name in enumerate(st.PATTERNS) if bits >> p & 1] if bits else ["none"])


def play_random(
    rules: RuleSet, seed: int, index: int, *, dealer: int | None = None, take_hu: bool = False
) -> tuple[Game, int]:
    """Play hand `index` under `seed` to its end by uniformly random choices.

    Parameters
    ----------
    rules
        The rule set.
    seed, index
        Whole numbers from 0; they fix the deal and every choice.
    dealer
        The dealer's seat; None draws it from the seed and index too.
    take_hu
        Take every hu that is offered.

    Returns
    -------
    tuple
        The finished hand, and the number of its decisions.

    Raises
    ------
    ValueError
        The seed, the index or the dealer is out of range.
    """
    game = Game.deal(rules, seed, index, dealer=dealer)
    chance = Chance(f"choices of hand {index} under seed {seed}")
    decisions = 0
    while actions := game.legal_actions:
        game.step(HU if take_hu and HU in actions else actions[chance.below(len(actions))])
        decisions += 1
    return game, decisions
