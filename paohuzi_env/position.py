"""Position queries: one seat's hand, melds and a tile as text; is it a win, and what does it pay?

The line form is that of the record format: one JSON object a line in, one out. `answer` and `answer_lines`
never raise for what a query says; `Position` and `waits` do.

>>> from paohuzi_env.position import answer
>>> query = {"hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "other_draw"}
>>> answer(query)["huxi"]
22
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import IO, Any, Final, TypeAlias, TypeVar

import numpy as np

from paohuzi_env.core import state as st
from paohuzi_env.core import waits as core
from paohuzi_env.core.tiles import LOW, RED_RUN, WILD, XXY, XYY
from paohuzi_env.errors import MOST_WORDS, NotationError, PaohuziError, RuleSetError, brief, shown
from paohuzi_env.game import MELD_NAMES, MOST_DRAWN, SOURCES
from paohuzi_env.notation import (
    MELD_KINDS,
    Meld,
    format_group,
    group_name,
    parse_meld,
    parse_tiles,
    rank_of,
    tile_letter,
)
from paohuzi_env.rules import RuleSet, empty_evals, preset_names, rule_set

FLAGS: Final = ("last_tile", "no_intake", "first_discard", "dead", "stale_hu")
QUERY_FIELDS: Final = ("rules", "hand", "melds", "tile", "source", *FLAGS, "drawn_before")
MOST_BYTES: Final = 1 << 16
"""Longest line that is read as a query; the longest possible one needs a tenth of it."""

Answer: TypeAlias = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A win: its best division and what that is worth (rules 7.5, 8).

    Attributes
    ----------
    huxi
        Points of all doors.
    groups
        The doors as text, melds on the table included. Of equally good divisions, one.
    patterns
        Names of the scoring patterns, sorted.
    fan
        The multiplier, 1 without a pattern.
    deng
        Score units, or None in a rule set whose base is made of huxi (rules 10.6).
    base
        What one other seat pays, after any cap.
    """

    huxi: int
    groups: tuple[str, ...]
    patterns: tuple[str, ...]
    fan: int
    deng: int | None
    base: int

    def as_answer(self) -> Answer:
        """The keys that answers to queries and results of records share."""
        return {
            "huxi": self.huxi,
            "groups": list(self.groups),
            "patterns": list(self.patterns),
            "fan": self.fan,
            "deng": self.deng,
            "base": self.base,
        }


@dataclass(frozen=True, slots=True)
class Wait:
    """A kind that would win a hand.

    Attributes
    ----------
    kind
        The kind, 20 for 王.
    own
        What it is worth when the seat draws it itself (a ti or wei of rules 6.5 laid first), None for no win.
    other
        What it is worth when another seat draws it, None for no win.
    """

    kind: int
    own: Verdict | None
    other: Verdict | None


@dataclass(frozen=True, slots=True)
class Position:
    """A seat's hand and melds, and the tile that may win; always one that its numbers of tiles allow.

    Only the numbers are checked: not whether play leads here, nor whether rules 2.2 would have ended it.

    Attributes
    ----------
    rules
        The rule set.
    hand
        Concealed tiles without the winning one, in index order.
    melds
        Melds on the table, in the order given.
    tile
        The winning tile, which is in neither.
    source
        Where it came from: one of "own_draw", "other_draw", "upcard_dealer", "upcard_other", "discard".
    last_tile
        It was the wall's last.
    no_intake
        The seat has had no intake (rules 10.3, ting_hu).
    first_discard
        It is the dealer's first discard, and the seat is the next (rules 10.4).
    dead
        The hand is dead (rules 6.3).
    stale_hu
        The seat has passed a hu on this kind with the same huxi on the table (rules 5.9).
    drawn_before
        Drawn hands just before this one (rules 10.3, huang_fan).

    Raises
    ------
    NotationError
        Five of a tile, a tile that the rule set does not have, four alike in the hand, an unknown source, a
        number of tiles that play cannot reach.
    """

    rules: RuleSet
    hand: tuple[int, ...]
    melds: tuple[Meld, ...]
    tile: int
    source: str
    last_tile: bool = False
    no_intake: bool = False
    first_discard: bool = False
    dead: bool = False
    stale_hu: bool = False
    drawn_before: int = 0

    def __post_init__(self) -> None:
        """Check everything, and put the hand in index order."""
        object.__setattr__(self, "hand", tuple(sorted(int(kind) for kind in self.hand)))
        object.__setattr__(self, "melds", tuple(self.melds))
        tile_letter(self.tile)
        if self.source not in SOURCES:
            raise NotationError(f"source {shown(self.source)}; allowed: {', '.join(SOURCES)}")
        drawn: object = self.drawn_before  # whatever a caller's query held
        if isinstance(drawn, bool) or not isinstance(drawn, int) or not 0 <= drawn <= MOST_DRAWN:
            raise NotationError(f"drawn_before {shown(drawn)}; allowed: a whole number from 0 to {MOST_DRAWN}")
        _check_copies(self.rules, self.hand, self.melds, [self.tile])
        _check_size(self.rules, self.hand, self.melds, self.dead)

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Position:
        """Read a position query, as the record format has it.

        Raises
        ------
        NotationError
            The query is no object, lacks a field, has an unknown one or one of the wrong type, or is no
            position.
        RuleSetError
            The rule set is none.
        """
        if not isinstance(query, Mapping):
            raise NotationError(f"a query of type {_type(query)}; allowed: an object")
        for name in query:
            if name not in QUERY_FIELDS:
                raise NotationError(f"unknown field {shown(name)}; allowed: {', '.join(QUERY_FIELDS)}")
        for name in ("hand", "tile", "source"):
            if name not in query:
                raise NotationError(f"no field {name!r}; needed: hand, tile, source")
        for name in FLAGS:
            if not isinstance(query.get(name, False), bool):
                raise NotationError(f"{name} {shown(query[name])}; allowed: true, false")
        melds = query.get("melds", [])
        if not isinstance(melds, list | tuple):
            raise NotationError(f"melds of type {_type(melds)}; allowed: a list of KIND:TILES")
        tile = _read("tile", parse_tiles, query["tile"])
        if len(tile) != 1:
            raise NotationError(f"tile {shown(query['tile'])} is {len(tile)} tiles; allowed: one")
        return cls(
            _read("rules", _rules_of, query.get("rules", "hunan")),
            tuple(_read("hand", parse_tiles, query["hand"])),
            tuple(_read(f"melds[{place}]", parse_meld, meld) for place, meld in enumerate(melds)),
            tile[0],
            query["source"],
            **{name: query.get(name, False) for name in FLAGS},
            drawn_before=query.get("drawn_before", 0),
        )

    def verdict(self) -> Verdict | str:
        """The best division of the win (rules 7.5), or in words why it is none."""
        why = self._barred()
        if why is not None:
            return why
        table = _Table(self.rules, self.hand, self.melds, self)
        return table.judge(self.tile, self.source)

    def _barred(self) -> str | None:
        """Why the hand may not win on this tile whatever the rest of it."""
        own = self.source in ("own_draw", "upcard_dealer")
        if self.dead:
            return "dead hand"
        if self.stale_hu:
            return "stale hu: passed on this tile with the same huxi on the table"
        if self.source == "discard" and not self.rules.hu_on_discard:
            return "a discard does not win in this rule set"
        if self.source == "upcard_other" and not self.rules.show_upcard:
            return "the upcard is not shown in this rule set"
        if WILD in self.hand and not own:
            return "a hand with a wild tile wins on its own draws only"
        if self.tile == WILD and not own:
            return "another seat's wild tile does not win"
        return None


# --- the questions ------------------------------------------------------------------------------------------


def answer(query: Mapping[str, Any]) -> Answer:
    """Answer a position query.

    Returns
    -------
    dict
        ``{"hu": True, "huxi", "groups", "patterns", "fan", "deng", "base"}`` for a win,
        ``{"hu": False, "why"}`` for none, ``{"error"}`` where the query cannot be a position. Nothing is
        raised for what the query says.
    """
    try:
        verdict = Position.from_query(query).verdict()
    except PaohuziError as error:
        return _error(str(error))
    if isinstance(verdict, str):
        return {"hu": False, "why": verdict}
    return {"hu": True, **verdict.as_answer()}


def answer_lines(lines: Iterable[str | bytes]) -> Iterator[Answer]:
    """Answer JSON lines, one answer a line, in order.

    A line that is no JSON, no object, empty, longer than `MOST_BYTES` or not UTF-8 is answered with
    ``{"error"}``, and those after it are still answered. From a file (an object with `readline`) no more than
    that is read at once, however long its lines; open it in binary, or what is not UTF-8 ends the reading.
    """
    reader = getattr(lines, "readline", None)
    for line in lines if reader is None else _read_lines(lines):  # type: ignore[arg-type]
        try:
            query = _parse_line(line)
        except NotationError as error:
            yield _error(str(error))
        else:
            yield answer(query)


def waits(
    hand: Position | str | Sequence[int], melds: Iterable[Meld | str] = (), rules: RuleSet | str = "hunan"
) -> list[Wait]:
    """Every kind that would win a hand (听), for its own draws and for those of others (rules 7.2, 7.3).

    A kind of which all copies are in the hand and its melds cannot come and is left out. A wild tile comes by
    one's own draw only (rules 10.5). A dead hand waits for nothing; a hu passed before is not looked at.

    Parameters
    ----------
    hand
        The concealed tiles, as text or as kinds; or a `Position`, whose tile and source do not matter but
        whose flags do.
    melds
        The melds on the table; with a `Position`, its own are taken.
    rules
        The rule set; with a `Position`, its own is taken.

    Returns
    -------
    list of Wait
        By kind, ascending.

    Raises
    ------
    NotationError
        The tiles are no hand that waits for a tile: see `Position`.
    """
    if isinstance(hand, Position):
        asked, flags = (hand.rules, hand.hand, hand.melds), hand
        if hand.dead:
            return []
    else:
        kinds = parse_tiles(hand) if isinstance(hand, str) else [int(kind) for kind in hand]
        table = tuple(parse_meld(meld) if isinstance(meld, str) else meld for meld in melds)
        asked, flags = (rule_set(rules), tuple(sorted(kinds)), table), None
        _check_copies(*asked, ())
        _check_size(*asked, dead=False)
    return _Table(*asked, flags).waits()


# --- the kernels' side --------------------------------------------------------------------------------------


class _Table:
    """One seat's hand and melds in a GAME record, ready for the kernels."""

    def __init__(self, rules: RuleSet, hand: Sequence[int], melds: Sequence[Meld], flags: Position | None) -> None:
        self._rules = rules
        self._games = st.allocate(1, st.GAME)
        self._games["dealer"] = 1  # seat 0 asks; only an upcard says who deals, and its source says it too
        self._evals = empty_evals()
        self._flags = flags
        counts = np.bincount(np.array(hand, np.int64), minlength=WILD + 1)
        rows = np.array([_meld_row(meld) for meld in melds], np.int64).reshape(-1, 3)
        core.place_seat(self._games, 0, rules.record, 0, counts, rows)

    def _pose(self) -> None:
        flags = self._flags
        if flags is not None:
            for name in ("last_tile", "no_intake", "first_discard", "drawn_before"):
                self._evals[name] = getattr(flags, name)

    def judge(self, kind: int, source: str) -> Verdict | str:
        evals = self._evals
        self._pose()
        evals["seat"] = 0
        evals["kind"] = kind
        evals["source"] = SOURCES.index(source)
        evals["explain"] = 1
        if core.judge_drawn(self._games, 0, self._rules.record, evals):
            return _verdict(self._rules, evals)
        if not evals["divides"][0]:
            return "no division into doors"
        huxi, least = int(evals["seen_huxi"][0]), self._rules.min_huxi
        if huxi < least:
            return f"huxi {huxi} < {least}"
        return f"huxi {huxi} < {self._rules.min_huxi_plain} without a pattern"

    def waits(self) -> list[Wait]:
        out = st.allocate(1, core.WAITS)
        self._pose()
        core.list_posed_waits(self._games, 0, 0, self._rules.record, self._evals, out)
        by_draw = [int(bits) for bits in out["kinds"][0]]
        found = []
        for kind in range(WILD + 1):
            own, other = (
                self.judge(kind, SOURCES[source]) if by_draw[source] >> kind & 1 else None
                for source in (st.OWN_DRAW, st.OTHER_DRAW)
            )
            assert not isinstance(own, str)  # the kernel has said that they win
            assert not isinstance(other, str)
            if own is not None or other is not None:
                found.append(Wait(kind, own, other))
        return found


def _meld_row(meld: Meld) -> tuple[int, int, int]:
    """A meld as `core.waits.place_seat` reads it: type, kind, and for a chi the shape of its first tile."""
    first = meld.tiles[0]
    shape = 0
    if meld.kind == "chi":
        if group_name(meld.tiles) == "jiao":
            shape = XXY if meld.tiles[1] == first else XYY
        else:
            shape = LOW if meld.tiles[1] == first + 1 else RED_RUN
    return MELD_NAMES.index(meld.kind), first, shape


def _verdict(rules: RuleSet, evals: Any) -> Verdict:
    e = evals[0]
    tiles = [[int(t) for t in row if t >= 0] for row in e["group_tiles"][: e["groups"]]]
    names = [MELD_NAMES[t] for t in e["group_type"][: e["groups"]]]
    base = int(e["base"])
    return Verdict(
        huxi=int(e["huxi"]),
        groups=tuple(f"{name}:{format_group(group)}" for name, group in zip(names, tiles, strict=True)),
        patterns=tuple(sorted(name for p, name in enumerate(st.PATTERNS) if int(e["patterns"]) >> p & 1)),
        fan=int(e["fan"]),
        deng=int(e["deng"]) if rules.base_on == "deng" else None,
        base=base if rules.cap is None else min(base, rules.cap),
    )


# --- checking -----------------------------------------------------------------------------------------------


def _check_copies(rules: RuleSet, hand: Sequence[int], melds: Sequence[Meld], others: Sequence[int]) -> None:
    """Refuse more copies of a tile than the deck has, and four alike in the hand."""
    for meld in melds:
        if meld.kind not in MELD_KINDS or meld.is_hidden or WILD in meld.tiles:
            raise NotationError(
                f"{meld.kind} {shown(meld.tiles)} is no meld on the table; allowed: {', '.join(MELD_KINDS)}"
            )
    tiles = [*hand, *others, *(tile for meld in melds for tile in meld.tiles)]
    for kind in sorted(set(tiles)):
        letter = tile_letter(kind)
        if kind == WILD:
            most = rules.wilds
        else:
            most = 4 if rank_of(kind) <= rules.ranks else 0
        if tiles.count(kind) > most:
            raise NotationError(f"{tiles.count(kind)} tiles {letter!r}; the rule set has {most}")
        if kind != WILD and list(hand).count(kind) == 4:
            raise NotationError(f"four {letter!r} in the hand; they are laid as a ti before any win")


def _check_size(rules: RuleSet, hand: Sequence[int], melds: Sequence[Meld], dead: bool) -> None:
    """Refuse a number of tiles that play cannot reach (rules 6.1, 6.3)."""
    total = len(hand) + sum(len(meld.tiles) for meld in melds)
    quads = sum(meld.kind in ("pao", "ti") for meld in melds)
    size = rules.hand_size
    allowed = {size - 1 + quads if quads else size}
    if quads >= 2:
        allowed.add(size - 2 + quads)
    if dead:
        late = {size + 1 + quads, size + quads} if quads else {size + 1}
        allowed |= {number + wilds for number in late for wilds in range(rules.wilds + 1)}
    if total not in allowed:
        raise NotationError(
            f"{total} tiles in hand and melds with {quads} ti or pao, which play cannot reach; "
            f"allowed: {', '.join(map(str, sorted(allowed)))}"
        )


# --- lines and words ----------------------------------------------------------------------------------------


def _read(field: str, reader: Callable[[Any], T], value: object) -> T:
    """The value of a field by its reader, whose error then names the field."""
    try:
        return reader(value)
    except (NotationError, RuleSetError) as error:
        raise type(error)(f"{field}: {error}") from error


def _rules_of(source: object) -> RuleSet:
    """The rule set of a query: a preset's name or an object, never a file."""
    if isinstance(source, Mapping):
        try:
            return _rules_of_json(json.dumps(source, sort_keys=True))
        except (TypeError, ValueError, RecursionError) as error:
            if isinstance(error, PaohuziError):
                raise
            raise NotationError(f"no JSON: {error}") from error
    if isinstance(source, RuleSet):
        return source
    if isinstance(source, str) and source in preset_names():
        return rule_set(source)
    names = ", ".join(preset_names())
    raise NotationError(f'{shown(source)}; allowed: {names}, or an object {{"preset": NAME, …}}')


@lru_cache(maxsize=16)
def _rules_of_json(text: str) -> RuleSet:
    """One rule set for all queries that write it alike: each has a large record for the kernels."""
    return rule_set(json.loads(text))


def _read_lines(file: IO[Any]) -> Iterator[str | bytes]:
    """The lines of a file; of one that is too long, only its beginning."""
    while line := file.readline(MOST_BYTES + 1):
        yield line
        end = b"\n" if isinstance(line, bytes) else "\n"
        while len(line) > MOST_BYTES and line[-1:] != end:
            line = file.readline(MOST_BYTES + 1) or end


def _parse_line(line: str | bytes) -> Mapping[str, Any]:
    if len(line) > MOST_BYTES:
        raise NotationError(f"a line of more than {MOST_BYTES} bytes; allowed: a query")
    try:
        text = line.decode() if isinstance(line, bytes) else line
        query = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant, object_pairs_hook=_object)
    except UnicodeDecodeError as error:
        raise NotationError(f"a line that is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except RecursionError as error:
        raise NotationError("a line of too many nested brackets") from error
    except ValueError as error:
        if isinstance(error, PaohuziError):
            raise
        if not text.strip():
            raise NotationError("an empty line; allowed: a JSON object") from error
        raise NotationError(f"no JSON: {error}") from error
    if not isinstance(query, dict):
        raise NotationError(f"a query of type {_type(query)}; allowed: an object")
    return query


def _no_constant(name: str) -> Any:
    raise NotationError(f"no JSON: {name}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a query; a key written twice is refused, since only one of its values could count."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise NotationError(f"field {shown(twice)} is written twice; allowed: once")
    return found


def _type(value: object) -> str:
    return type(value).__name__


def _error(words: str) -> Answer:
    return {"error": brief(words, MOST_WORDS)}


__all__ = [
    "Answer",
    "Position",
    "Verdict",
    "Wait",
    "answer",
    "answer_lines",
    "waits",
]
