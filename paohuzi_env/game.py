"""One hand of Paohuzi as a Python object: deal, act, look, copy, save.

`Game` is a thin, friendly cover of one GAME record; the rules live in `paohuzi_env.core`. It holds everything there
is to know about a hand, so it is the referee's: give a player `game.view(seat)`, never the game.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from paohuzi_env import __version__
from paohuzi_env.checks import whole
from paohuzi_env.core import actions as ac
from paohuzi_env.core import deal, determinize, log, turn
from paohuzi_env.core import state as st
from paohuzi_env.core.tiles import KINDS, NO_TILE, RED_RUN, SHAPES, WILD, XXY, XYY
from paohuzi_env.core.view import view_game
from paohuzi_env.errors import GameOverError, IllegalActionError, StateError, shown
from paohuzi_env.notation import format_group, format_tiles, tile_letter
from paohuzi_env.rules import RuleSet, empty_evals, rule_set, seed_word

STATE_VERSION: Final = 2
"""Layout of saved bytes; raised whenever GAME or what stands before it changes."""
_HEADER: Final = struct.Struct("<4sHH8s")  # magic, version, size of GAME, rule set; a digest of these and GAME follows
_DIGEST: Final = 8
MOST_HANDS: Final = 2**62
"""Largest index and stream of a deal."""
MOST_DRAWN: Final = 30_000
"""Most drawn hands in a row that a hand can be told of (GAME.drawn_before)."""
_MAGIC: Final = b"PHZ\x00"
_SCRATCH: Final = threading.local()

PHASES: Final = ("discard", "hu", "pao", "peng", "chi", "bi", "over")
MELD_NAMES: Final = ("", "peng", "wei", "chouwei", "pao", "ti", "chi", "kan", "ju", "jiao", "jiang")
SOURCES: Final = ("own_draw", "other_draw", "upcard_dealer", "upcard_other", "discard")


def group_of(kind: int, shape: int) -> tuple[int, int, int]:
    """The three kinds, in index order, of the group in which `kind` stands as `shape` (core.tiles)."""
    other = kind + 10 if kind < 10 else kind - 10
    if shape == XXY:
        tiles = (kind, kind, other)
    elif shape == XYY:
        tiles = (kind, other, other)
    elif shape == RED_RUN:
        base = kind - kind % 10
        tiles = (base + 1, base + 6, base + 9)
    else:
        tiles = (kind - shape, kind - shape + 1, kind - shape + 2)
    a, b, c = sorted(tiles)
    return a, b, c


class Game:
    """One hand, from the deal to the settlement.

    Make one with `Game.deal` (from a seed) or `Game.from_tiles` (from given tiles).

    Attributes
    ----------
    rules : RuleSet
        The rule set that it is played by.
    """

    __slots__ = ("_array", "_evals", "rules")

    def __init__(self, rules: RuleSet, array: Any) -> None:
        self.rules = rules
        self._array = array
        self._evals = empty_evals()

    # --- making one -------------------------------------------------------------------------------------------------

    @classmethod
    def deal(
        cls, rules: RuleSet | str = "hunan", seed: int = 0, index: int = 0, *, stream: int = 0,
        dealer: int | None = None, drawn_before: int = 0,
    ) -> Game:  # fmt: skip
        """Deal hand `index` of `stream` under `seed`; the dealer is drawn from them too unless given.

        The same arguments give the same hand on every machine and in every version with the same major number.
        """
        rules = rule_set(rules)
        dealer = -1 if dealer is None else whole("dealer", dealer, 0, rules.seats - 1)
        index = whole("index", index, 0, MOST_HANDS)
        stream = whole("stream", stream, 0, MOST_HANDS)
        drawn_before = whole("drawn_before", drawn_before, 0, MOST_DRAWN)
        game = cls(rules, st.allocate(1, st.GAME))
        deal.deal_key(
            game._array, 0, rules.record, game._evals, np.zeros(st.DECK, np.int8), seed_word(seed), stream, index,
            dealer, drawn_before,
        )  # fmt: skip
        return game

    @classmethod
    def from_tiles(
        cls, rules: RuleSet | str, dealer: int, hands: Sequence[Sequence[int]], upcard: int, wall: Sequence[int],
        *, aside: Sequence[int] = (), drawn_before: int = 0,
    ) -> Game:  # fmt: skip
        """Deal the given tiles: hands by seat (the dealer's without the upcard) and the wall in drawing order.

        Raises
        ------
        TypeError, ValueError
            The tiles are no kinds, not the rule set's deck, or a part of them has the wrong size.
        """
        rules = rule_set(rules)
        dealer = whole("dealer", dealer, 0, rules.seats - 1)
        drawn_before = whole("drawn_before", drawn_before, 0, MOST_DRAWN)
        if len(_listed("hands", hands)) != rules.seats:
            raise ValueError(f"{len(hands)} hands; {rules.seats} seats play")
        size = rules.hand_size
        dealt = [t for s, hand in enumerate(hands) for t in _kinds(f"hand of seat {s}", hand, size)]
        dealt += _kinds("aside", aside, size if rules.seats == 2 else 0)
        dealt += _kinds("upcard", [upcard], 1)
        dealt += _kinds("wall", wall, rules.wall_size)
        order = np.array(dealt, np.int8)
        _check_deck(rules, order)
        game = cls(rules, st.allocate(1, st.GAME))
        full = np.zeros(st.DECK, np.int8)
        full[: len(order)] = order
        deal.deal_order(game._array, 0, rules.record, game._evals, full, dealer, drawn_before)
        return game

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def record(self) -> Any:
        """The GAME record: all of the hand, hidden tiles included. Read it, do not write it."""
        return self._array[0]

    @property
    def over(self) -> bool:
        """Whether the hand has ended."""
        return bool(self._array["phase"][0] == st.OVER)

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the hand is over."""
        seat = int(self._array["actor"][0])
        return seat if seat >= 0 else None

    @property
    def phase(self) -> str:
        """What the pending decision is about: "discard", "hu", "pao", "peng", "chi", "bi"; "over" at the end."""
        return PHASES[self._array["phase"][0]]

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions of the pending decision, ascending; empty when the hand is over."""
        bits = int(self._array["legal"][0])
        return [a for a in range(ac.NUM_ACTIONS) if bits >> a & 1]

    @property
    def scores(self) -> tuple[int, ...]:
        """The settlement by seat: zeros until the hand is over, and always of sum zero."""
        return tuple(int(x) for x in self._array["scores"][0][: self.rules.seats])

    def hand(self, seat: int) -> list[int]:
        """The concealed tiles of a seat, in index order."""
        seat = whole("seat", seat, 0, self.rules.seats - 1)
        counts = self._array["hand"][0][seat]
        return [k for k in range(WILD + 1) for _ in range(counts[k])]

    def view(self, seat: int, history: int = 0) -> Any:
        """What `seat` may know, with its last `history` public events: one VIEW record, in an array of length one."""
        seat = whole("seat", seat, 0, self.rules.seats - 1)
        history = whole("history", history, 0, st.HISTORY)
        views = st.allocate(1, st.VIEW)
        view_game(self._array, 0, self.rules.record, views, 0, seat, history)
        return views

    def live_kind(self) -> int:
        """The tile that the pending decision is about: live, just drawn, upcard, or eaten; NO_TILE for a discard."""
        g = self._array
        if g["phase"][0] == st.BI_WINDOW:
            return int(g["bi_kind"][0])
        if g["phase"][0] == st.HU_WINDOW and g["stage"][0] == turn.UPCARD:
            return int(g["upcard"][0])
        return int(g["live"][0])

    def action_text(self, action: int) -> str:
        """A legal action as records write it, without the seat: "discard f", "chi abc", "pass hu"."""
        if not _is_action(action) or not int(self._array["legal"][0]) >> int(action) & 1:
            raise self._illegal(action)
        if action < ac.CHI:
            return f"discard {tile_letter(action)}"
        if action == ac.PASS:
            return f"pass {self.phase}"
        kind = self.live_kind()
        if action < ac.CHI + SHAPES:
            return f"{self.phase} {format_group(group_of(kind, action - ac.CHI))}"
        if action == ac.HU:
            return f"hu {tile_letter(kind)}"
        return f"peng {tile_letter(kind) * 3}" if action == ac.PENG else f"pao {tile_letter(kind) * 4}"

    def legal_texts(self) -> list[str]:
        """All legal choices as records write them, sorted by code point."""
        return sorted(self.action_text(a) for a in self.legal_actions)

    def action_of(self, text: str) -> int:
        """The legal action that `text` names; the inverse of `action_text`.

        Raises
        ------
        IllegalActionError
            No legal action is written so.
        """
        for action in self.legal_actions:
            if self.action_text(action) == text:
                return action
        allowed = ", ".join(self.legal_texts()) or "nothing"
        raise IllegalActionError(f"{shown(text)} is not legal now; allowed: {allowed}")

    # --- acting -------------------------------------------------------------------------------------------------------

    def step(self, action: int) -> None:
        """Apply a legal action and play on to the next decision, forced moves included.

        Raises
        ------
        GameOverError
            The hand has ended.
        IllegalActionError
            The action is not legal now; the game is as it was.
        """
        if self.over:
            raise GameOverError("the hand is over: no action is possible")
        if not _is_action(action) or not turn.act(self._array, 0, self.rules.record, self._evals, int(action)):
            raise self._illegal(action)

    def fault(self, seat: int, kind: str) -> None:
        """End the hand by a fault of `seat`: it pays a fixed 10 to every other seat. `kind`: see `core.log.FAULTS`."""
        if self.over:
            raise GameOverError("the hand is over: no fault is possible")
        seat = whole("seat", seat, 0, self.rules.seats - 1)
        if kind not in log.FAULTS:
            raise ValueError(f"fault {shown(kind)}; allowed: {', '.join(log.FAULTS)}")
        turn.end_by_fault(self._array, 0, self.rules.record, seat, log.FAULTS.index(kind))

    def _illegal(self, action: object) -> IllegalActionError:
        allowed = ", ".join(f"{a} ({self.action_text(a)})" for a in self.legal_actions)
        return IllegalActionError(f"action {shown(action)} is not legal for seat {self.actor}; allowed: {allowed}")

    # --- copying and saving -------------------------------------------------------------------------------------------

    def clone(self) -> Game:
        """An independent copy."""
        array = st.allocate(1, st.GAME)
        array[0] = self._array[0]
        return Game(self.rules, array)

    def determinize(self, seat: int, seed: int) -> Game:
        """A hand that `seat`, which has to decide, could be sitting in: see `from_view`."""
        return Game.from_view(self.rules, self.view(seat), seed)

    @classmethod
    def from_view(cls, rules: RuleSet | str, view: Any, seed: int) -> Game:
        """A hand drawn uniformly from those that give a view of `view()`; the same seed gives the same hand.

        Of other seats' passes it knows nothing, and its log is the view's history: see `core.determinize`.

        Raises
        ------
        TypeError
            It is no VIEW record.
        ValueError
            The view is of a seat that is not asked, or none that play under this rule set can reach.
        """
        if not isinstance(view, np.ndarray) or view.dtype != st.VIEW or view.shape != (1,):
            raise TypeError(f"view of type {type(view).__name__}; allowed: a VIEW record in an array of length one")
        game = cls(rule_set(rules), st.allocate(1, st.GAME))
        code = determinize.determinize_one(
            view, 0, game.rules.record, _workspace(), game._array, 0, seed_word(seed)
        )
        if code != determinize.DRAWN_UP:
            why = "the seat has no decision" if code == determinize.NOT_ASKED else "no hand gives it"
            raise ValueError(f"view of seat {int(view['seat'][0])}: {why}; allowed: the view of a pending decision")
        return game

    __copy__ = clone

    def __deepcopy__(self, memo: Any) -> Game:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return Game.from_bytes, (self.to_bytes(), self.rules)

    def to_bytes(self) -> bytes:
        """All of the hand as bytes, with the layout's version, the rule set's hash and a digest in front."""
        head = _HEADER.pack(_MAGIC, STATE_VERSION, st.GAME.itemsize, bytes.fromhex(self.rules.hash))
        body = bytes(self._array.tobytes())
        return head + _digest(head, body) + body

    @classmethod
    def from_bytes(cls, data: bytes, rules: RuleSet | str = "hunan") -> Game:
        """The hand that `to_bytes` saved.

        The digest finds damage, not deceit: whoever can choose the bytes can choose the hand, a senseless one too.

        Raises
        ------
        StateError
            The bytes are none of a hand, of another version, of another rule set, cut short or damaged.
        """
        rules = rule_set(rules)
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(f"a saved hand of type {type(data).__name__}; allowed: bytes")
        data = bytes(data)
        if len(data) < _HEADER.size or data[:4] != _MAGIC:
            raise StateError(f"{len(data)} bytes that are no saved hand")
        _, version, size, saved = _HEADER.unpack(data[: _HEADER.size])
        if version != STATE_VERSION:
            raise StateError(
                f"saved hand of layout {version}; this is paohuzi_env {__version__}, layout {STATE_VERSION}"
            )
        if size != st.GAME.itemsize:  # interpreted and compiled runs differ
            raise StateError(f"saved hand of {size} bytes for GAME; it has {st.GAME.itemsize} here")
        if saved.hex() != rules.hash:
            raise StateError(f"saved hand of rule set {saved.hex()}; allowed: {rules.hash} ({rules})")
        start = _HEADER.size + _DIGEST
        if len(data) != start + size:
            raise StateError(f"saved hand of {len(data)} bytes; {start + size} needed")
        if data[_HEADER.size : start] != _digest(data[: _HEADER.size], data[start:]):
            raise StateError("a damaged saved hand: its bytes do not match their digest")
        array = st.allocate(1, st.GAME)
        array.view(np.uint8).reshape(-1)[:] = np.frombuffer(data, np.uint8, offset=start)
        return cls(rules, array)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.rules == other.rules and self._array.tobytes() == other._array.tobytes()

    def __hash__(self) -> int:
        return int.from_bytes(hashlib.sha256(self.to_bytes()).digest()[:8], "little", signed=True)

    def __repr__(self) -> str:
        who = "over" if self.over else f"seat {self.actor} to {self.phase}"
        hands = " ".join(format_tiles(self.hand(s)) or "-" for s in range(self.rules.seats))
        return f"<Game {self.rules} {who}: {hands}>"


def _digest(head: bytes, body: bytes) -> bytes:
    return hashlib.blake2b(head + body, digest_size=_DIGEST).digest()


def _workspace() -> Any:
    """Scratch for determinization, made once for each thread: making it takes much longer than a sample."""
    if not hasattr(_SCRATCH, "work"):
        _SCRATCH.work = determinize.workspace()
    return _SCRATCH.work


def _is_action(action: object) -> bool:
    """Whether it is the number of an action, legal or not."""
    if isinstance(action, bool | np.bool_) or not isinstance(action, int | np.integer):
        return False
    return bool(0 <= action < ac.NUM_ACTIONS)


def _listed(name: str, values: object) -> Sequence[Any] | NDArray[Any]:
    if not isinstance(values, Sequence | np.ndarray) or isinstance(values, str | bytes):
        raise TypeError(f"{name} of type {type(values).__name__}; allowed: lists of kinds from 0 to {WILD}")
    return values


def _kinds(name: str, tiles: object, want: int) -> list[int]:
    """So many kinds, as a list."""
    tiles = _listed(name, tiles)
    if len(tiles) != want:
        raise ValueError(f"{name}: {len(tiles)} tiles; {want} needed")
    return [whole(name, kind, 0, WILD) for kind in tiles]


def _check_deck(rules: RuleSet, order: NDArray[np.int8]) -> None:
    """Refuse kinds that are not exactly the rule set's deck."""
    counts = np.bincount(order, minlength=WILD + 1)
    for kind in range(WILD + 1):
        want = rules.wilds if kind == WILD else (4 if kind % 10 < rules.ranks else 0)
        if counts[kind] != want:
            raise ValueError(f"{int(counts[kind])} tiles {tile_letter(kind)!r} in the deck; {want} needed")


__all__ = ["KINDS", "NO_TILE", "Game", "group_of"]
