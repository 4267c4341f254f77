"""One hand, played move by move exactly as chapters 2 to 7 tell it.

The hand is one script (`_hand`) that stops at every decision; whatever is forced it does itself.
All of the state is lists of tiles; every question is answered from them anew.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any

from .claims import Group, bi_groups, chi_groups, discards, may_end_with, owes_discard
from .deal import Seat, check_deal
from .doors import huxi_of
from .judge import Verdict, Win, forced_verdict, is_forced_tianhu, judge
from .rules import Rules
from .tiles import LETTERS, QUADS, WILD, Meld, letters

# What follows: ("discard", seat) or ("draw", seat); None when the hand is over.
Step = tuple[str, int] | None
Script = Generator[tuple[int, list[str]], str, Any]


class Game:
    """One hand from its deal to its result.

    `hands` by seat, the dealer's without the upcard; `wall` in drawing order, after any exchange
    of its last tile (10.4). ValueError when the deal is none or a choice is not legal.
    """

    def __init__(
        self,
        rules: Rules,
        dealer: int,
        hands: Sequence[Sequence[int]],
        upcard: int,
        wall: Sequence[int],
        aside: Sequence[int] = (),
        drawn_before: int = 0,
    ) -> None:
        check_deal(rules, dealer, hands, upcard, wall, aside)
        self.rules = rules
        self.dealer = dealer
        self.players = rules.players
        self.upcard = upcard
        self.wall = list(wall)
        self.aside = list(aside)
        self.drawn_before = drawn_before
        self.seats = [Seat(sorted(hand)) for hand in hands]
        self.events: list[str] = []
        self.legals: list[list[str]] = []  # one list a decision made
        self.over = False
        self._first_discard_made = False  # the dealer's (10.4)
        self._live_owner = dealer  # who discarded the live tile
        self._result: dict[str, Any] = {}
        self.win: tuple[list[int], list[Meld], Win] | None = None  # what the winner was judged on
        self._choices: list[str] = []
        self._actor: int | None = None
        self._script = self._hand()
        self._resume(None)

    # --- the outside ---------------------------------------------------------------------

    @property
    def actor(self) -> int | None:
        """The seat that must choose, None when the hand is over."""
        return self._actor

    def legal(self) -> list[str]:
        """The choices of the actor, sorted by code point; empty when the hand is over."""
        return list(self._choices)

    def play(self, text: str) -> None:
        """Make one of `legal()`."""
        if text not in self._choices:
            raise ValueError(f"{text!r} is not legal; allowed: {self._choices}")
        self.legals.append(list(self._choices))
        self.events.append(f"{self._actor} {text}")
        self._resume(text)

    def result(self) -> dict[str, Any]:
        """The record's result; ValueError while the hand goes on."""
        if not self.over:
            raise ValueError("the hand is not over")
        return dict(self._result)

    def table_huxi(self, seat: int) -> int:
        """The huxi of the melds laid by a seat (5.9)."""
        return sum(huxi_of(self.rules, meld) for meld in self.seats[seat].melds)

    def _resume(self, text: str | None) -> None:
        try:
            self._actor, self._choices = self._script.send(text)  # type: ignore[arg-type]
        except StopIteration:
            self._actor, self._choices, self.over = None, [], True

    # --- small questions -------------------------------------------------------------------

    def _after(self, seat: int, steps: int = 1) -> int:
        return (seat + steps) % self.players

    def _order(self, seat: int) -> list[int]:
        """All seats in playing order from `seat`."""
        return [self._after(seat, steps) for steps in range(self.players)]

    def _log(self, seat: int, text: str) -> None:
        self.events.append(f"{seat} {text}")

    def _has_meld(self, seat: int, names: tuple[str, ...], kind: int) -> bool:
        return any(m.name in names and m.tiles[0] == kind for m in self.seats[seat].melds)

    def _lay(self, seat: int, name: str, kind: int) -> None:
        """Lay a meld of one kind: its copies leave the hand, a smaller meld of it is replaced."""
        mine = self.seats[seat]
        size = 4 if name in QUADS else 3
        mine.hand = [tile for tile in mine.hand if tile != kind]
        grows = ("peng", "wei", "chouwei")
        mine.melds = [m for m in mine.melds if m.name not in grows or m.tiles[0] != kind]
        mine.melds.append(Meld(name, (kind,) * size))

    def _lay_unasked(self, seat: int, name: str, kind: int) -> None:
        """A forced meld (6.6), with its event; an asked one has the event of its choice."""
        self._lay(seat, name, kind)
        self._log(seat, f"{name} {letters(self.seats[seat].melds[-1].tiles)}")

    # --- the script ------------------------------------------------------------------------

    def _hand(self) -> Script:
        dealer = self.dealer
        self.seats[dealer].hand = sorted([*self.seats[dealer].hand, self.upcard])
        for seat in self._order(dealer):  # 2.2
            if is_forced_tianhu(self.rules, self.seats[seat].hand):
                self._forced_tianhu(seat)
                return
        for seat in self._order(dealer):  # 2.3
            for kind in sorted(set(self.seats[seat].hand) - {WILD}):
                if self.seats[seat].hand.count(kind) == 4:
                    self._lay_unasked(seat, "ti", kind)
        won = yield from self._upcard_window()
        step = None if won else self._step_after_intake(dealer)  # 2.5
        while step is not None:
            verb, seat = step
            step = yield from (self._discard(seat) if verb == "discard" else self._draw(seat))

    def _step_after_intake(self, seat: int) -> Step:
        """6.1, 6.4."""
        mine = self.seats[seat]
        if owes_discard(mine.hand, mine.melds):
            return "discard", seat
        return "draw", self._after(seat)

    def _discard(self, seat: int) -> Generator[tuple[int, list[str]], str, Step]:
        mine = self.seats[seat]
        kinds = discards(mine.hand)
        if not kinds:  # 6.3
            mine.dead = True
            self._log(seat, "nodiscard")
            return "draw", self._after(seat)
        choice = yield from self._ask(seat, [f"discard {LETTERS[kind]}" for kind in kinds])
        tile = LETTERS.index(choice.split()[1])
        mine.hand.remove(tile)
        mine.stale_peng.add(tile)  # 5.8
        mine.stale_chi.add(tile)
        first = seat == self.dealer and not self._first_discard_made
        if seat == self.dealer:
            self._first_discard_made = True
        return (yield from self._live(tile, seat, drawn=False, first=first))

    def _draw(self, seat: int) -> Generator[tuple[int, list[str]], str, Step]:
        """6.5."""
        mine = self.seats[seat]
        if len(self.wall) <= (1 if self.rules.show_last_tile else 0):  # 9.3, 10.4
            self._drawn_hand()
            return None
        tile = self.wall.pop(0)
        before = self.table_huxi(seat)
        if tile == WILD:  # 10.5
            self._log(seat, "draw *")
            win = self._win_by(seat, tile, "own_draw")
            if (yield from self._hu_window(seat, mine.hand, win, before)):
                return None
            mine.hand.append(tile)
            return self._step_after_intake(seat)
        if not self.rules.own_draw_melds:  # 10.4
            name = None
        elif mine.hand.count(tile) == 3 or self._has_meld(seat, ("wei", "chouwei"), tile):
            name = "ti"
        elif mine.hand.count(tile) == 2:
            name = "chouwei" if tile in mine.stale_peng | mine.stale_chi else "wei"
        else:
            name = None
        if name is None:
            self._log(seat, f"draw {LETTERS[tile]}")
            return (yield from self._live(tile, seat, drawn=True))
        win = self._win_by(seat, tile, "own_draw", laid=True)
        self._lay_unasked(seat, name, tile)
        if (yield from self._hu_window(seat, mine.hand, win, before)):
            return None
        self._note_intake(seat)
        return self._step_after_intake(seat)

    def _note_intake(self, seat: int) -> None:
        """10.3, ting_hu: any chi, peng or wei; a ti or pao after which a discard is owed."""
        mine = self.seats[seat]
        if mine.melds[-1].name not in QUADS or owes_discard(mine.hand, mine.melds):
            mine.intake = True

    # --- windows ---------------------------------------------------------------------------

    def _ask(self, seat: int, choices: list[str]) -> Generator[tuple[int, list[str]], str, str]:
        """One decision: identical choices are one (4.4)."""
        return (yield seat, sorted(set(choices)))

    def _win_by(self, seat: int, tile: int, source: str, **flags: bool) -> Win:
        """How the tile came; `hai_di` needs the wall's last tile, which 10.4 never draws."""
        drawn = source in ("own_draw", "other_draw")
        return Win(
            tile,
            source,
            concealed_before=len(self.seats[seat].hand),
            dealer=seat == self.dealer,
            last_tile=drawn and not self.wall,
            no_intake=not self.seats[seat].intake,
            drawn_before=self.drawn_before,
            **flags,
        )

    def _hu_window(
        self, seat: int, hand: list[int], win: Win, before: int
    ) -> Generator[tuple[int, list[str]], str, bool]:
        """Ask {hu, pass} where the seat can win; `before` is its table huxi before the tile."""
        mine = self.seats[seat]
        assert win.tile is not None
        if mine.dead or mine.walked or mine.stale_hu.get(win.tile) == before:
            return False
        verdict = judge(self.rules, hand, mine.melds, win)
        if isinstance(verdict, str):
            return False
        sign = LETTERS[win.tile]
        if (yield from self._ask(seat, [f"hu {sign}", "pass hu"])) == "pass hu":
            mine.stale_hu[win.tile] = self.table_huxi(seat)  # 5.9
            return False
        self._won(seat, hand, win)
        return True

    def _upcard_window(self) -> Generator[tuple[int, list[str]], str, bool]:
        """2.4; `luzhou` and a 王: only the dealer."""
        for seat in self._order(self.dealer):
            mine = self.seats[seat]
            if seat == self.dealer:
                win = self._win_by(seat, self.upcard, "upcard_dealer", laid=True)
                if self.upcard in mine.hand:
                    win = replace(win, concealed_before=len(mine.hand) - 1)
            else:
                win = self._win_by(seat, self.upcard, "upcard_other")
            if (yield from self._hu_window(seat, mine.hand, win, self.table_huxi(seat))):
                return True
        return False

    def _live(
        self, tile: int, owner: int, drawn: bool, first: bool = False
    ) -> Generator[tuple[int, list[str]], str, Step]:
        """Chapter 5: the windows on a live tile that `owner` drew or discarded."""
        self._live_owner = owner
        for seat in self._order(owner):  # 5.1
            if seat == owner and not drawn:
                continue
            source = "discard" if not drawn else "own_draw" if seat == owner else "other_draw"
            first_discard = first and seat == self._after(owner)
            win = self._win_by(seat, tile, source, first_discard=first_discard)
            hand, before = self.seats[seat].hand, self.table_huxi(seat)
            if (yield from self._hu_window(seat, hand, win, before)):
                return None
        for seat in self._order(owner):  # 5.2, 5.3
            if self._can_pao(seat, tile, owner, drawn):
                if (yield from self._pao_window(seat, tile)):
                    self._note_intake(seat)
                    return self._step_after_intake(seat)
        passed: list[tuple[int, str]] = []
        step = yield from self._claims(tile, owner, drawn, passed)
        for seat, window in passed:  # 5.8
            if window == "peng" or not self.rules.split_pass:
                self.seats[seat].stale_peng.add(tile)
            if window == "chi" or not self.rules.split_pass:
                self.seats[seat].stale_chi.add(tile)
        return step or ("draw", self._after(owner))  # 5.6

    def _pao_window(self, seat: int, tile: int) -> Generator[tuple[int, list[str]], str, bool]:
        """Forced, or a choice that bars hu when declined (5.3); a dead hand is not asked (6.3)."""
        if self.rules.forced_pao or self.seats[seat].dead:
            self._lay_unasked(seat, "pao", tile)
            return True
        choice = yield from self._ask(seat, [f"pao {letters((tile,) * 4)}", "pass pao"])
        if choice == "pass pao":
            self.seats[seat].walked = True
            return False
        self._lay(seat, "pao", tile)
        return True

    def _peng_window(self, seat: int, tile: int) -> Generator[tuple[int, list[str]], str, bool]:
        """A choice, or forced (5.4, 10.4)."""
        if self.rules.forced_peng:
            self._lay_unasked(seat, "peng", tile)
            return True
        choice = yield from self._ask(seat, [f"peng {letters((tile,) * 3)}", "pass peng"])
        if choice == "pass peng":
            return False
        self._lay(seat, "peng", tile)
        return True

    def _claims(
        self, tile: int, owner: int, drawn: bool, passed: list[tuple[int, str]]
    ) -> Generator[tuple[int, list[str]], str, Step]:
        """The peng and chi windows (5.4, 5.5); who passed what is added to `passed`."""
        for seat in self._order(owner):
            if self._can_peng(seat, tile, owner, drawn):
                if (yield from self._peng_window(seat, tile)):
                    self._note_intake(seat)
                    return self._step_after_intake(seat)
                passed.append((seat, "peng"))
        for seat in [owner, self._after(owner)] if drawn else [self._after(owner)]:
            mine = self.seats[seat]
            if mine.dead or tile in mine.stale_chi:
                continue
            groups = chi_groups(mine.hand, mine.melds, tile)
            if groups:
                choice = yield from self._ask(seat, [*_texts("chi", groups), "pass chi"])
                if choice == "pass chi":
                    passed.append((seat, "chi"))
                    continue
                if (seat, "peng") in passed:  # taking it by chi marks nothing (5.8)
                    passed.remove((seat, "peng"))
                yield from self._chi_and_bi(seat, tile, choice)
                return self._step_after_intake(seat)
        return None

    def _can_pao(self, seat: int, tile: int, owner: int, drawn: bool) -> bool:
        """5.3; the own kan or wei only where own draws are shown (10.4), else it was a ti."""
        mine = self.seats[seat]
        if drawn and self._has_meld(seat, ("peng",), tile):
            return True
        if seat == owner and (not drawn or self.rules.own_draw_melds):
            return False
        return mine.hand.count(tile) == 3 or self._has_meld(seat, ("wei", "chouwei"), tile)

    def _can_peng(self, seat: int, tile: int, owner: int, drawn: bool) -> bool:
        """5.4, 5.8, 4.5; the drawer only where own draws are shown (10.4)."""
        mine = self.seats[seat]
        if seat == owner and (not drawn or self.rules.own_draw_melds):
            return False
        if mine.dead or tile in mine.stale_peng or mine.hand.count(tile) != 2:
            return False
        left = [other for other in mine.hand if other != tile]
        return may_end_with(left, [*mine.melds, Meld("peng", (tile,) * 3)])

    # --- chi and bi ------------------------------------------------------------------------

    def _chi_and_bi(self, seat: int, tile: int, choice: str) -> Script:
        mine = self.seats[seat]
        self._take_group(seat, choice, eaten=tile)
        while tile in mine.hand:
            groups = bi_groups(mine.hand, mine.melds, tile)
            choice = yield from self._ask(seat, _texts("bi", groups))
            self._take_group(seat, choice, eaten=None)
        self._note_intake(seat)

    def _take_group(self, seat: int, choice: str, eaten: int | None) -> None:
        group = [LETTERS.index(sign) for sign in choice.split()[1]]
        from_hand = list(group)
        if eaten is not None:
            from_hand.remove(eaten)
        for tile in from_hand:
            self.seats[seat].hand.remove(tile)
        self.seats[seat].melds.append(Meld("chi", tuple(group)))

    # --- endings ---------------------------------------------------------------------------

    def _forced_tianhu(self, seat: int) -> None:
        """2.2, 8.6."""
        self._log(seat, "tianhu")
        hand, dealer = self.seats[seat].hand, seat == self.dealer
        verdict = forced_verdict(self.rules, hand, dealer, self.drawn_before)
        self._pay(seat, None, verdict, payer=None)

    def _won(self, seat: int, hand: list[int], win: Win) -> None:
        assert win.tile is not None
        turned = self.wall[len(self.wall) - min(self.rules.turn_up, len(self.wall)) :]
        win = replace(win, turned=turned.count(win.tile))  # 10.6
        verdict = judge(self.rules, hand, self.seats[seat].melds, win)
        assert isinstance(verdict, Verdict)
        self.win = (list(hand), list(self.seats[seat].melds), win)
        payer = None
        if win.source == "discard" and self.rules.discard_payment == "discarder":
            payer = self._live_owner
        self._pay(seat, win.tile, verdict, payer)

    def _pay(self, seat: int, tile: int | None, verdict: Verdict, payer: int | None) -> None:
        """8.7, 10.4."""
        scores = [-verdict.base] * self.players
        if payer is not None:
            scores = [0] * self.players
            scores[payer] = -verdict.base * (self.players - 1)
        scores[seat] = verdict.base * (self.players - 1)
        sign = None if tile is None else LETTERS[tile]
        self._result = {"winner": seat, "tile": sign, **verdict.as_answer(), "scores": scores}

    def _drawn_hand(self) -> None:
        """9.3, 10.5: a seat pays `draw_penalty` for each 王 it holds to each seat without one."""
        held = [seat.hand.count(WILD) for seat in self.seats]
        scores = [0] * self.players
        for payer, count in enumerate(held):
            for other, theirs in enumerate(held):
                if count > 0 and theirs == 0:
                    scores[payer] -= count * self.rules.draw_penalty
                    scores[other] += count * self.rules.draw_penalty
        self._result = {"winner": None, "scores": scores}


def _texts(verb: str, groups: list[Group]) -> list[str]:
    return [f"{verb} {letters(group)}" for group in groups]
