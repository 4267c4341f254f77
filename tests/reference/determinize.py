"""All arrangements that a seat can be sitting in, found by dealing each and playing what the seat saw once more.

Nothing is concluded from anything here. The unseen tiles are put into the unseen places in every way; each is dealt
and played by an engine: who was seen to do something does it, who was asked and not seen to do anything passes. The
arrangement counts if all that the seat saw comes out the same.

An *engine* is the twin's `Game`, or anything with its `actor`, `legal()`, `play(text)` and `events`. A *frame* is what
is known of where tiles lie: plain counting.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Protocol

from .deal import deck
from .rules import Rules
from .tiles import LETTERS

Deal = dict[str, Any]
Arrangement = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""The other seats' hands, each in index order, and the kinds of their hidden wei, by seat and place among its melds."""


class Engine(Protocol):
    """What plays a hand."""

    @property
    def actor(self) -> int | None: ...
    @property
    def events(self) -> Sequence[str]: ...
    def legal(self) -> list[str]: ...
    def play(self, text: str) -> None: ...


@dataclass(frozen=True)
class Frame:
    """What is known of where tiles lie.

    Attributes
    ----------
    own
        The seat's hand as dealt, the upcard included if it is the dealer.
    gone
        For each other seat the tiles of its dealt hand that all have seen leave it.
    hand_n
        For each other seat the tiles it holds, 王 that it drew not counted.
    draws
        What was drawn, in order: a kind, or (seat, place among its melds) of a hidden wei.
    unseen
        The tiles that lie somewhere else, the upcard not among them where it is known to lie with the dealer.
    upcard, last
        The shown upcard and the tile shown at the wall's end, or None.
    """

    seat: int
    dealer: int
    players: int
    own: tuple[int, ...]
    gone: Mapping[int, tuple[int, ...]]
    hand_n: Mapping[int, int]
    draws: tuple[int | tuple[int, int], ...]
    unseen: tuple[int, ...]
    upcard: int | None
    last: int | None
    wall_left: int

    @property
    def weis(self) -> list[tuple[int, int]]:
        """The hidden wei: (seat, place among its melds)."""
        return sorted(draw for draw in self.draws if isinstance(draw, tuple))

    @property
    def held(self) -> int | None:
        """The shown upcard, while it lies in another's hand or hidden wei: no tile of its kind has left that hand."""
        return None if self.dealer == self.seat or self.upcard in self.gone[self.dealer] else self.upcard


def as_seen(events: Sequence[str], seat: int) -> list[str]:
    """Events as a seat saw them: others' passes not at all, others' wei without their kind."""
    seen = []
    for event in events:
        who, verb = event.split()[:2]
        if who == str(seat) or verb not in ("wei", "pass"):
            seen.append(event)
        elif verb == "wei":
            seen.append(f"{who} wei")
    return seen


# --- every way to place the unseen tiles ----------------------------------------------------------------------


def arrangements(frame: Frame) -> Iterator[tuple[Arrangement, int]]:
    """Every way to put the unseen tiles into hands and wei, with the number of physical arrangements that it is.

    A physical arrangement tells the four tiles of a kind apart, and of a wei the drawn tile from those of the hand. The
    order of what is left over is not counted: it is the same for all.
    """
    for kinds in product(sorted(set(frame.unseen)), repeat=len(frame.weis)):
        left, held, ways = Counter(frame.unseen), frame.held, 1
        for (seat, _), kind in zip(frame.weis, kinds, strict=True):
            if kind == held and seat == frame.dealer:  # the upcard and two more
                ways *= left[kind] * (left[kind] - 1)
                left[kind] -= 2
                held = None
            else:
                ways *= math.comb(left[kind], 2) * (left[kind] - 2)
                left[kind] -= 3
            if ways <= 0:
                break
        else:
            for hands, more in _hands(frame, list(frame.hand_n), left, held):
                yield (hands, kinds), ways * more


def _hands(
    frame: Frame, seats: list[int], left: Counter[int], held: int | None
) -> Iterator[tuple[tuple[tuple[int, ...], ...], int]]:
    if not seats:
        yield (), 1
        return
    seat, *others = seats
    mine = [held] if held is not None and seat == frame.dealer else []
    for hand, ways in _one_hand(left, frame.hand_n[seat] - len(mine), sorted(left)):
        for rest, more in _hands(frame, others, left - Counter(hand), held):
            yield (tuple(sorted(mine + hand)), *rest), ways * more


def _one_hand(left: Counter[int], size: int, kinds: list[int]) -> Iterator[tuple[list[int], int]]:
    if not kinds:
        if size == 0:
            yield [], 1
        return
    kind, *others = kinds
    for n in range(min(left[kind], size) + 1):
        for rest, ways in _one_hand(left, size - n, others):
            yield [kind] * n + rest, ways * math.comb(left[kind], n)


# --- dealing and playing one ----------------------------------------------------------------------------------


def deal_of(frame: Frame, arrangement: Arrangement, rest: Sequence[int] | None = None) -> Deal:
    """The deal from which an arrangement comes; what is left over lies in index order, or as `rest` says."""
    hands, kinds = arrangement
    wei = dict(zip(frame.weis, kinds, strict=True))
    dealt = {frame.seat: list(frame.own)}
    for seat, hand in zip(frame.hand_n, hands, strict=True):
        dealt[seat] = [*frame.gone[seat], *hand, *(k for (p, _), k in wei.items() if p == seat for _ in range(2))]
    if rest is None:
        left = Counter(frame.unseen) + Counter([] if frame.held is None else [frame.held])
        left.subtract(tile for hand in hands for tile in hand)
        left.subtract(k for k in wei.values() for _ in range(3))
        rest = sorted(left.elements())
    upcard = frame.upcard if frame.upcard is not None else dealt[frame.dealer][0]
    dealt[frame.dealer].remove(upcard)
    wall = [wei[draw] if isinstance(draw, tuple) else draw for draw in frame.draws]
    return {
        "dealer": frame.dealer,
        "hands": [dealt[seat] for seat in range(frame.players)],
        "upcard": upcard,
        "wall": [*wall, *rest[: frame.wall_left], *([] if frame.last is None else [frame.last])],
        "aside": list(rest[frame.wall_left :]),
    }


def plays_on(engine: Engine, seen: Sequence[str], seat: int) -> bool:
    """Play what `seat` saw; whether it can all have happened and the seat is asked now."""
    while True:
        so_far = as_seen(engine.events, seat)
        if so_far != list(seen[: len(so_far)]) or engine.actor is None:
            return False
        coming = seen[len(so_far)] if len(so_far) < len(seen) else ""
        if engine.actor == seat and not coming:
            return True
        who, _, text = coming.partition(" ")
        legal = engine.legal()
        if who != str(engine.actor) or text not in legal:
            passes = [choice for choice in legal if choice.startswith("pass")]
            if engine.actor == seat or not passes:
                return False
            text = passes[0]
        engine.play(text)


def consistent_arrangements(
    frame: Frame, events: Sequence[str], start: Callable[[Deal], Engine], same: Callable[[Engine], bool]
) -> dict[Arrangement, int]:
    """The arrangements that give what the seat saw, with their weights; `same` compares what events do not tell."""
    seen = as_seen(events, frame.seat)
    found = {}
    for arrangement, ways in arrangements(frame):
        engine = start(deal_of(frame, arrangement))
        if plays_on(engine, seen, frame.seat) and same(engine):
            found[arrangement] = ways
    return found


def tells_of_chi(events: Sequence[str], seat: int) -> bool:
    """Whether another seat ate a kind that was live before: what it could not complete then is told by that."""
    live: list[str] = []
    for event in events:
        who, verb, *tiles = event.split()
        if verb == "chi" and who != str(seat) and live[-1] in live[:-1]:
            return True
        if verb in ("draw", "discard"):
            live += tiles
    return False


# --- the frame ------------------------------------------------------------------------------------------------


def frame_of(view: Mapping[str, Any], events: Sequence[str], rules: Rules) -> Frame:
    """The frame of a view (what is public in it, and the own hand) after `events`."""
    seat, dealer, players = int(view["seat"]), int(view["dealer"]), int(view["players"])
    others = [p for p in range(players) if p != seat]
    draws = _draws(view, as_seen(events, seat), rules)
    frame = Frame(
        seat=seat, dealer=dealer, players=players,
        own=tuple(k for k in range(21) for _ in range(view["dealt"][k])),
        gone={p: tuple(k for k in range(20) for _ in range(view["spent"][p][k])) for p in others},
        hand_n={p: int(view["hand_n"][p]) - int(view["wild_draws"][p]) for p in others},
        draws=tuple(draws), unseen=(),
        upcard=int(view["upcard"]) if view["upcard"] >= 0 else None,
        last=int(view["last_shown"]) if view["last_shown"] >= 0 else None,
        wall_left=int(view["wall_left"]),
    )  # fmt: skip
    unseen = Counter(deck(rules))
    unseen.subtract(frame.own)
    unseen.subtract(kind for p in others for kind in frame.gone[p])
    unseen.subtract(draw for draw in draws if not isinstance(draw, tuple))
    unseen.subtract(tile for tile in (frame.held, frame.last) if tile is not None)
    return replace(frame, unseen=tuple(sorted(unseen.elements())))


def _draws(view: Mapping[str, Any], seen: Sequence[str], rules: Rules) -> list[int | tuple[int, int]]:
    """What was drawn, in order. The first ti are those of the opening: what is left of the wall tells how many."""
    drawing = [event for event in seen if event.split()[1] in ("draw", "ti", "wei", "chouwei")]
    drawn = len(deck(rules)) - 3 * rules.hand_size - 1 - rules.show_last_tile - int(view["wall_left"])
    opening = len(drawing) - drawn
    laid = Counter[int]()  # melds of each seat so far, in the order in which they were laid
    draws: list[int | tuple[int, int]] = []
    for event in seen:
        who, verb, *tiles = event.split()
        p = int(who)
        kind = LETTERS.index(tiles[0][0]) if tiles and verb != "pass" else -1
        if verb == "wei":
            kind = int(view["meld_kind"][p][laid[p]])
            draws.append(kind if kind >= 0 else (p, laid[p]))
        elif verb == "ti" and opening > 0:
            opening -= 1
        elif verb in ("draw", "chouwei", "ti"):
            draws.append(kind)
        grew = any(
            view["meld_kind"][p][m] == kind and view["meld_type"][p][m] in (4, 5) for m in range(laid[p])
        )  # a peng or wei that this ti or pao has replaced
        if verb in ("wei", "chouwei", "peng", "chi", "bi") or (verb in ("ti", "pao") and not grew):
            laid[p] += 1
    return draws
