"""Positions for rule tests: a dealt table, written in notation, on which the core plays and its twin watches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep import Pair, result_of, stale_of
from reference.deal import deck, exchange_last_tile
from reference.rules import make_rules
from reference.tiles import LETTERS, letters, read_tiles, units

from paohuzi_env.position import answer

SMALL: dict[str, Any] = {
    "hand_size": 8,
    "doors": 3,
    "ranks": 6,
    "min_huxi": 0,
    "tian_hu_quads": 0,
    "tian_hu_kans": 0,
}
"""A small game of `a`..`f` and `A`..`F`: hands of eight tiles, three doors, a wall of 23."""
NO_HU: dict[str, Any] = {**SMALL, "min_huxi": 1000}
"""The same without wins, for windows other than hu."""


def _company(kind: int) -> set[int]:
    """Every kind that stands in a ju or jiao with this one."""
    return {tile for unit in units(10) if kind in unit for tile in unit}


class Table:
    """One hand on given tiles; what is left open is filled up so that hands get few pairs.

    `wall` is what is drawn first, `end` what lies last. Tiles filled in have no company for those in `quiet`, as far
    as there are enough others. Seat 0 deals unless said.
    """

    def __init__(
        self,
        hands: Sequence[str],
        upcard: str,
        wall: str = "",
        end: str = "",
        dealer: int = 0,
        drawn_before: int = 0,
        quiet: str = "",
        **fields: Any,
    ) -> None:
        loud = set(read_tiles(quiet)) | {t for kind in read_tiles(quiet) for t in _company(kind)}
        rules = {"preset": "hunan", **fields}
        chosen = make_rules(rules)
        pool = deck(chosen)
        for tile in read_tiles("".join([*hands, upcard, wall, end])):
            pool.remove(tile)
        full = [read_tiles(hand) for hand in [*hands, *[""] * (3 - len(hands))]]
        for hand in full:
            while len(hand) < chosen.hand_size:
                tile = min(pool, key=lambda t: (hand.count(t) > 1, t in loud, hand.count(t), t))
                pool.remove(tile)
                hand.append(tile)
        rest = [*read_tiles(wall), *pool, *read_tiles(end)]
        self.pair = Pair(
            rules,
            {
                "dealer": dealer,
                "hands": full[: chosen.players],
                "upcard": read_tiles(upcard)[0],
                "wall": exchange_last_tile(rest) if chosen.show_last_tile else rest,
                "aside": full[2] if chosen.players == 2 else [],
            },
            drawn_before,
        )

    @property
    def game(self) -> Any:
        """The core's game."""
        return self.pair.core

    @property
    def asked(self) -> tuple[int | None, list[str]]:
        """Who has to decide, and between what."""
        return self.game.actor, self.game.legal_texts()

    @property
    def window(self) -> str:
        """Who is asked about what: "1 peng"."""
        return f"{self.game.actor} {self.game.phase}"

    @property
    def events(self) -> list[str]:
        """All that happened so far."""
        return self.pair.twin.events

    @property
    def result(self) -> dict[str, Any]:
        """The result of a hand that is over."""
        assert self.game.over
        return result_of(self.game)

    def do(self, *events: str) -> Table:
        """Decide as written, each as its event: "1 peng aaa"."""
        for event in events:
            seat, choice = event.split(" ", 1)
            assert self.game.actor == int(seat), f"{event}: {self.asked}"
            assert choice in self.game.legal_texts(), f"{event}: {self.asked}"
            self.pair.play(choice)
        return self

    def pass_until(self, event: str) -> Table:
        """Pass whatever is asked until `event` has happened."""
        while event not in self.events:
            self.pass_once()
        return self

    def pass_once(self) -> None:
        """Pass the open window."""
        passes = [choice for choice in self.game.legal_texts() if choice.startswith("pass")]
        assert passes, f"nothing to pass: {self.asked} after {self.events}"
        self.pair.play(passes[0])

    def play_until(self, window: str) -> Table:
        """Pass, and discard the first that is legal, until `window` opens or the hand is over."""
        while self.window != window and not self.game.over:
            if self.game.phase == "discard":
                self.pair.play(self.game.legal_texts()[0])
            else:
                self.pass_once()
        return self

    def pass_to_discard(self) -> int:
        """Pass until somebody has to discard; returns who."""
        while self.game.phase != "discard":
            self.pass_once()
        return int(self.game.actor)

    def after(self, event: str) -> list[str]:
        """What happened after `event`."""
        return self.events[self.events.index(event) + 1 :]

    def hand(self, seat: int) -> str:
        """The concealed tiles of a seat."""
        return letters(self.game.hand(seat))

    def melds(self, seat: int) -> list[str]:
        """The melds on the table before a seat, sorted."""
        return sorted(str(meld) for meld in self.pair.twin.seats[seat].melds)

    def dead(self, seat: int) -> bool:
        """Whether the hand of a seat is dead."""
        return bool(self.game.record["dead"][seat])

    def stale(self, seat: int) -> tuple[str, str]:
        """The kinds that a seat may not peng, and those that it may not chi."""
        peng, chi = stale_of(self.game, seat)
        return letters(peng), letters(chi)

    def wall(self) -> str:
        """The tiles not drawn yet."""
        return "".join(LETTERS[t] for t in self.pair.twin.wall)


def judged(
    hand: str, tile: str, melds: str = "", source: str = "other_draw", rules: Any = "hunan", **more: Any
) -> dict[str, Any]:
    """The answer to a position query."""
    query = {"rules": rules, "hand": hand, "melds": melds.split(), "tile": tile, "source": source, **more}
    found: dict[str, Any] = answer(query)
    assert "error" not in found, found
    return found
