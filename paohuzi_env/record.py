"""Game records: a whole hand as one line of JSON, written from a `Game` and replayed through the rules.

Reading is two-way: every event, forced ones included, every list of legal choices and the result have to be
those that the rules give. A record that differs is a `RecordError` with its line, its event (counted from 1) and
the reason; nothing of it is half-taken. Whatever a file holds, no other error than that comes of it.

>>> from paohuzi_env.game import Game
>>> from paohuzi_env.record import record_of, replay
>>> game = Game.deal("hunan", seed=7)
>>> while not game.over:
...     game.step(game.legal_actions[0])
>>> replay(record_of(game, seed=7)).game.scores == game.scores
True
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from paohuzi_env import __version__
from paohuzi_env.core import log
from paohuzi_env.core import state as st
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.core.view import HIDDEN_KIND
from paohuzi_env.division import Win
from paohuzi_env.errors import MOST_WORDS, IllegalActionError, PaohuziError, RecordError, brief, shown
from paohuzi_env.game import MOST_DRAWN, Game, group_of
from paohuzi_env.notation import format_group, format_tiles, parse_tiles, tile_letter
from paohuzi_env.record_file import RecordWriter, write_records
from paohuzi_env.record_form import (
    FORMAT,
    KEYS,
    MOST_BYTES,
    Record,
    checked,
    parse_record,
    record_line,
    refusal,
)
from paohuzi_env.rules import RuleSet, rule_set

_OF_A_DIVISION: Final = ("groups", "patterns", "fan")
_SIZES: Final = {"ti": 4, "pao": 4, "wei": 3, "chouwei": 3, "peng": 3, "draw": 1, "discard": 1, "hu": 1}


# --- a finished hand as a record ----------------------------------------------------------------------------


@cache
def event_text(code: int) -> str:
    """One packed event of the core's log (`core.log`) as records write it: ``"1 chi abc"``.

    Of a view's events (`core.view`) another seat's wei is ``"1 wei ???"``.
    """
    seat, verb, kind, shape = code & 3, log.VERBS[code >> 2 & 31], code >> 7 & 31, code >> 12 & 7
    if kind == HIDDEN_KIND:
        return f"{seat} {verb} ???"
    if verb in ("chi", "bi"):
        return f"{seat} {verb} {format_group(group_of(kind, shape))}"
    if verb in _SIZES:
        return f"{seat} {verb} {tile_letter(kind) * _SIZES[verb]}"
    return f"{seat} fault {log.FAULTS[kind]}" if verb == "fault" else f"{seat} {verb}"


def events_of(game: Game, start: int = 0) -> list[str]:
    """The events of a hand so far, without the first `start`: all of them, so for the referee only."""
    g = game.record
    if g["log_n"] > st.LOG:
        raise AssertionError(f"{g['log_n']} events; room for {st.LOG}")
    return [event_text(code) for code in g["log"][start : g["log_n"]].tolist()]


def result_of(game: Game) -> Record:
    """The result of a finished hand, as records write it.

    Raises
    ------
    ValueError
        The hand is not over.
    """
    if not game.over:
        raise ValueError("the hand is not over: it has no result yet")
    g = game.record
    scores = list(game.scores)
    if g["fault_seat"] >= 0:
        kind = log.FAULTS[g["fault_kind"]]
        return {"fault": {"seat": int(g["fault_seat"]), "kind": kind}, "scores": scores}
    if g["winner"] < 0:
        return {"winner": None, "scores": scores}
    forced = int(g["win_source"]) == st.DEALT
    return {
        "winner": int(g["winner"]),
        "tile": None if forced else tile_letter(int(g["win_kind"])),
        "huxi": int(g["win_huxi"]),
        "groups": _forced_groups(game) if forced else Win(game).groups,
        "patterns": sorted(name for p, name in enumerate(st.PATTERNS) if int(g["patterns"]) >> p & 1),
        "fan": int(g["fan"]),
        "deng": int(g["deng"]) if game.rules.base_on == "deng" else None,
        "base": int(g["base"]),
        "scores": scores,
    }


def _forced_groups(game: Game) -> list[str]:
    """The ti and kan of a forced 天胡 (rules 8.6)."""
    counts = game.record["hand"][int(game.record["winner"])].tolist()
    return sorted(f"{'ti' if n == 4 else 'kan'}:{tile_letter(k) * n}" for k, n in enumerate(counts[:KINDS]) if n >= 3)


def record_of(
    game: Game, *, seed: int | None = None, players: Sequence[str] | None = None,
    legal: bool | Sequence[Sequence[str]] = False, match: Mapping[str, Any] | None = None,
    meta: Mapping[str, Any] | None = None, version: bool = True,
) -> Record:  # fmt: skip
    """The record of a finished hand.

    Parameters
    ----------
    game
        The hand; it must be over.
    seed
        Where the deal came from. Informative only: the deal itself is in the record.
    players
        A name for each seat.
    legal
        The legal choices of each decision, as `Game.legal_texts` gave them then; True to find them by playing
        the hand again (a millisecond or two).
    match
        The match that the hand belongs to: ``{"id", "hand", "seats", "totals"}``.
    meta
        Whatever else should be kept.
    version
        Whether to write the program's version and the rule set's hash.

    Raises
    ------
    ValueError
        The hand is not over.
    RecordError
        A part that was handed in has the wrong form.
    """
    g, rules = game.record, game.rules
    record: Record = {
        "format": FORMAT,
        "version": __version__ if version else None,
        "rules": rules.spec,
        "rules_hash": rules.hash if version else None,
        "match": None if match is None else dict(match),
        "seed": seed,
        "players": None if players is None else list(players),
        "dealer": int(g["dealer"]),
        "drawn_before": int(g["drawn_before"]) or None,
        **_deal_of(game),
        "events": events_of(game),
        "legal": None,
        "result": result_of(game),
        "meta": None if meta is None else dict(meta),
    }
    record = {key: value for key, value in record.items() if value is not None}
    if legal is True:
        record["legal"] = [state.legal_texts() for state, _ in replay(record).states()]
    elif legal is not False:
        record["legal"] = [list(choices) for choices in legal]
    return checked({key: record[key] for key in KEYS if key in record})


def _deal_of(game: Game) -> Record:
    """Hands, third hand, upcard and wall as they were dealt."""
    g, rules = game.record, game.rules
    upcard = int(g["upcard"])
    hands = [_tiles_of(g["dealt"][seat].tolist()) for seat in range(rules.seats)]
    hands[int(g["dealer"])].remove(upcard)
    return {
        "hands": [format_group(hand) for hand in hands],
        "aside": format_group(_tiles_of(g["hand_aside"].tolist())) if rules.seats == 2 else None,
        "upcard": tile_letter(upcard),
        "wall": format_tiles(g["wall"][: rules.wall_size].tolist()),
    }


def _tiles_of(counts: Sequence[int]) -> list[int]:
    return [kind for kind, copies in enumerate(counts) for _ in range(copies)]


# --- a record through the rules -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of a replayed hand.

    Attributes
    ----------
    event
        Number of its event in the record, counted from 1.
    seat
        Who decided.
    action
        The action's number (`core.actions`).
    choice
        The same as text, without the seat.
    """

    event: int
    seat: int
    action: int
    choice: str


@dataclass(frozen=True)
class Replay:
    """A record that the rules have confirmed.

    Attributes
    ----------
    record
        The record, its tiles as letters.
    rules
        Its rule set.
    game
        The hand at its end.
    decisions
        Every decision in order.
    """

    record: Record
    rules: RuleSet
    game: Game
    decisions: tuple[Decision, ...]

    def deal(self) -> Game:
        """The hand anew, at its first decision (or its end, after a forced 天胡)."""
        return _deal(self.record, self.rules)

    def states(self) -> Iterator[tuple[Game, Decision]]:
        """The hand just before each decision, and the decision; each hand is a copy of its own."""
        game = self.deal()
        for decision in self.decisions:
            yield game.clone(), decision
            game.step(decision.action)


def replay(record: Mapping[str, Any], *, file: str | None = None, line: int | None = None) -> Replay:
    """Play a record through the rules and compare all of it.

    Parameters
    ----------
    record
        The record, as read from JSON. It is not changed.
    file, line
        Where it stands, for messages.

    Raises
    ------
    RecordError
        It breaks the format or the rules: the first thing found, with the event's number where one is meant.
    """
    try:
        clean = checked(record)
        rules = _rules_of(clean)
        game = _deal(clean, rules)
        decisions = _play(game, clean)
        _check_result(game, clean["result"])
    except RecordError as error:
        raise RecordError(error.reason, file=file, line=line, event=error.event) from error.__cause__
    return Replay(clean, rules, game, decisions)


def _rules_of(record: Record) -> RuleSet:
    source = record["rules"]
    if isinstance(source, str) and not re.fullmatch(r"[a-z_]+", source):
        raise refusal("rules", source, "a preset's name, or an object")  # and never a file
    try:
        rules = _rules_of_json(json.dumps(source, sort_keys=True))
        seats = len(record["hands"])
        if isinstance(source, str) and seats != rules.seats:  # a name says nothing of the table's size
            rules = _rules_of_json(json.dumps({"preset": source, "players": seats}))
    except (PaohuziError, TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"rules: {brief(str(error), MOST_WORDS)}") from error
    named = record.get("rules_hash", rules.hash)
    if named != rules.hash:
        raise refusal("rules_hash", named, f"{rules.hash}, the hash of its rule set here")
    return rules


@lru_cache(maxsize=16)
def _rules_of_json(text: str) -> RuleSet:
    """One rule set for all records that write it alike: each has a large table for the kernels."""
    return rule_set(json.loads(text))


def _deal(record: Record, rules: RuleSet) -> Game:
    hands = [parse_tiles(hand) for hand in record["hands"]]
    wall = parse_tiles(record["wall"])
    try:
        game = Game.from_tiles(
            rules, record["dealer"], hands, parse_tiles(record["upcard"])[0], wall,
            aside=parse_tiles(record.get("aside", "")), drawn_before=record.get("drawn_before", 0),
        )  # fmt: skip
    except ValueError as error:
        raise RecordError(f"the deal: {error}") from error
    if game.record["wall"][: len(wall)].tolist() != wall:
        raise RecordError("the deal: wall is not as it lies after the exchange of its last tile (rules 10.4)")
    return game


def _play(game: Game, record: Record) -> tuple[Decision, ...]:
    """Play the record's events to the end of the hand, comparing each, and each list of legal choices."""
    events: list[str] = record["events"]
    legal: list[list[str]] | None = record.get("legal")
    decisions: list[Decision] = []
    seen = 0
    while True:
        for event in events_of(game, seen):
            if seen == len(events):
                raise RecordError(f"the record ends here; the rules go on with {event!r}", event=seen + 1)
            if events[seen] != event:
                raise RecordError(f"{shown(events[seen])}; the rules give {event!r}", event=seen + 1)
            seen += 1
        if game.over:
            break
        if seen == len(events):
            raise RecordError(
                f"the record ends here; seat {game.actor} has to choose: {_options(game)}", event=seen + 1
            )
        if _end_by_fault(game, events, seen):
            continue
        decision = _decision(game, events[seen], seen + 1)
        if legal is not None:
            _check_legal(game, legal, len(decisions), seen + 1)
        decisions.append(decision)
        game.step(decision.action)
    if seen < len(events):
        raise RecordError(f"{shown(events[seen])}; the hand is over", event=seen + 1)
    if legal is not None and len(legal) != len(decisions):
        raise RecordError(f"legal: {len(legal)} lists; {len(decisions)} decisions")
    return tuple(decisions)


def _decision(game: Game, event: str, number: int) -> Decision:
    seat, _, choice = event.partition(" ")
    if seat != str(game.actor):
        raise RecordError(f"{shown(event)}; seat {game.actor} has to choose: {_options(game)}", event=number)
    try:
        return Decision(number, int(seat), game.action_of(choice), choice)
    except IllegalActionError as error:
        raise RecordError(f"{shown(event)}; legal here: {_options(game)}", event=number) from error


def _end_by_fault(game: Game, events: list[str], seen: int) -> bool:
    """End the hand if the record says that a player's fault ended it here."""
    seat, _, rest = events[seen].partition(" ")
    verb, _, kind = rest.partition(" ")
    if verb != "fault":
        return False
    if seat not in map(str, range(game.rules.seats)) or kind not in log.FAULTS:
        allowed = f"SEAT fault KIND, KIND one of {', '.join(log.FAULTS)}"
        raise RecordError(f"{shown(events[seen])}; allowed: {allowed}", event=seen + 1)
    game.fault(int(seat), kind)
    return True


def _check_legal(game: Game, legal: list[list[str]], place: int, number: int) -> None:
    if place >= len(legal):
        raise RecordError(f"legal: {len(legal)} lists; more decisions", event=number)
    choices = game.legal_texts()
    if legal[place] != choices:
        raise RecordError(f"legal[{place}] {shown(legal[place])}; the rules give {choices}", event=number)


def _check_result(game: Game, recorded: Record) -> None:
    """Compare the result; of several best divisions any will do (rules 8.8)."""
    ours = result_of(game)
    for key in recorded:
        if key not in ours:
            raise refusal("key of result", key, ", ".join(ours))
    for key, value in ours.items():
        if key not in recorded:
            raise RecordError(f"result has no {key!r}; needed: {', '.join(ours)}")
        if key not in _OF_A_DIVISION and recorded[key] != value:
            raise RecordError(f"result {key} {shown(recorded[key])}; the rules give {value!r}")
    if "groups" in ours:
        _check_division(game, recorded, ours)


def _check_division(game: Game, recorded: Record, ours: Record) -> None:
    """Compare groups, patterns and fan, which another best division can have too."""
    theirs = {**recorded, "groups": sorted(recorded["groups"])}
    if all(theirs[key] == ours[key] for key in _OF_A_DIVISION):
        return
    why: str | None = "not those of the forced win"
    if game.record["win_source"] != st.DEALT:
        why = Win(game).why_not(recorded["groups"], recorded["patterns"], recorded["fan"])
    if why is not None:
        key = next(key for key in _OF_A_DIVISION if theirs[key] != ours[key])
        theirs_shown = shown(recorded[key])
        raise RecordError(f"result {key} {theirs_shown}: {brief(why, MOST_WORDS)}; the rules give {ours[key]!r}")


def _options(game: Game) -> str:
    return ", ".join(game.legal_texts())


# --- files --------------------------------------------------------------------------------------------------


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, Record]]:
    """The records of a file with the numbers of their lines."""
    name = os.fspath(path)
    with Path(path).open("rb") as file:
        number = 0
        while line := file.readline(MOST_BYTES + 1):
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            try:
                yield number, parse_record(line)
            except RecordError as error:
                where = RecordError(error.reason, file=name, line=number, event=error.event)
                raise where from error.__cause__


def replay_records(path: str | os.PathLike[str]) -> Iterator[Replay]:
    """Replay the records of a file, one at a time.

    Raises
    ------
    RecordError
        A line is no record or breaks the rules; those before it have been given.
    OSError
        The file can't be read.
    """
    for number, record in _lines(path):
        yield replay(record, file=os.fspath(path), line=number)


def read_records(path: str | os.PathLike[str], *, verify: bool = True) -> Iterator[Record]:
    """Read the records of a file, one at a time, each replayed first.

    Without `verify` only their form is checked: for files that are known to be good, some fifty times faster.

    Raises
    ------
    RecordError
        A line is no record or breaks the rules; those before it have been given.
    OSError
        The file can't be read.
    """
    if verify:
        return (found.record for found in replay_records(path))
    return (record for _, record in _lines(path))


__all__ = [
    "FORMAT",
    "MOST_DRAWN",
    "Decision",
    "Record",
    "RecordWriter",
    "Replay",
    "event_text",
    "events_of",
    "parse_record",
    "read_records",
    "record_line",
    "record_of",
    "replay",
    "replay_records",
    "result_of",
    "write_records",
]
