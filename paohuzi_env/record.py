"""Game records: a whole hand as one line of JSON, written from a `Game` and replayed through the rules.

Reading is two-way: every event, forced ones included, every list of legal choices and the result have to be
those that the rules give. A record that differs is a `RecordError` with its line, its event (counted from 1) and
the reason; nothing of it is half-taken. Whatever a file holds, no other error than that comes of it.

>>> from paohuzi_env.game import Game
>>> from paohuzi_env.record import record_of, replay
>>> game = Game.deal("hunan", seed=7)
>>> while not game.over:
...     game.step(game.legal_actions[0])
>>> replay(record_of(game, seed=7)).game == game
True
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, NoReturn, TypeAlias

from paohuzi_env import __version__
from paohuzi_env.core import log
from paohuzi_env.core import state as st
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.division import Win
from paohuzi_env.errors import IllegalActionError, NotationError, PaohuziError, RecordError
from paohuzi_env.game import Game, group_of
from paohuzi_env.notation import format_group, format_tiles, parse_tiles, tile_letter
from paohuzi_env.rules import RuleSet, rule_set

FORMAT: Final = "paohuzi-record/1"
NEEDED: Final = ("format", "rules", "dealer", "hands", "upcard", "wall", "events", "result")
KEYS: Final = (
    "format", "version", "rules", "rules_hash", "match", "seed", "players", "dealer", "drawn_before", "hands",
    "aside", "upcard", "wall", "events", "legal", "result", "meta",
)  # fmt: skip
"""Every key of a record, in the order in which they are written."""
WIN_KEYS: Final = ("winner", "tile", "huxi", "groups", "patterns", "fan", "deng", "base", "scores")
_OF_A_DIVISION: Final = ("groups", "patterns", "fan")
MATCH_KEYS: Final = ("id", "hand", "seats", "totals")
MOST_BYTES: Final = 1 << 20
"""Longest line that is read as a record; one with every legal list has some 20,000 bytes."""
MOST_DRAWN: Final = 30000
"""Most drawn hands that `drawn_before` can count."""

Record: TypeAlias = dict[str, Any]

_MOST_WORDS: Final = 500
_SIZES: Final = {"ti": 4, "pao": 4, "wei": 3, "chouwei": 3, "peng": 3, "draw": 1, "discard": 1, "hu": 1}
_PLAIN_EVENT: Final = re.compile(r"(?:[0-3] )?[a-z_]+(?: [a-z_A-J*]+)?")
_SPACES: Final = re.compile(r"[ \u3000]+")


# --- a finished hand as a record ----------------------------------------------------------------------------


@cache
def event_text(code: int) -> str:
    """One packed event of the core's log (`core.log`) as records write it: ``"1 chi abc"``."""
    seat, verb, kind, shape = code & 3, log.VERBS[code >> 2 & 31], code >> 7 & 31, code >> 12 & 7
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
    return _checked({key: record[key] for key in KEYS if key in record})


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
        clean = _checked(record)
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
        raise _refusal("rules", source, "a preset's name, or an object")  # and never a file
    try:
        rules = _rules_of_json(json.dumps(source, sort_keys=True))
        seats = len(record["hands"])
        if isinstance(source, str) and seats != rules.seats:  # a name says nothing of the table's size
            rules = _rules_of_json(json.dumps({"preset": source, "players": seats}))
    except (PaohuziError, TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"rules: {str(error)[:_MOST_WORDS]}") from error
    named = record.get("rules_hash", rules.hash)
    if named != rules.hash:
        raise _refusal("rules_hash", named, f"{rules.hash}, the hash of its rule set here")
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
                raise RecordError(f"{_shown(events[seen])}; the rules give {event!r}", event=seen + 1)
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
        raise RecordError(f"{_shown(events[seen])}; the hand is over", event=seen + 1)
    if legal is not None and len(legal) != len(decisions):
        raise RecordError(f"legal: {len(legal)} lists; {len(decisions)} decisions")
    return tuple(decisions)


def _decision(game: Game, event: str, number: int) -> Decision:
    seat, _, choice = event.partition(" ")
    if seat != str(game.actor):
        raise RecordError(f"{_shown(event)}; seat {game.actor} has to choose: {_options(game)}", event=number)
    try:
        return Decision(number, int(seat), game.action_of(choice), choice)
    except IllegalActionError as error:
        raise RecordError(f"{_shown(event)}; legal here: {_options(game)}", event=number) from error


def _end_by_fault(game: Game, events: list[str], seen: int) -> bool:
    """End the hand if the record says that a player's fault ended it here."""
    seat, _, rest = events[seen].partition(" ")
    verb, _, kind = rest.partition(" ")
    if verb != "fault":
        return False
    if seat not in map(str, range(game.rules.seats)) or kind not in log.FAULTS:
        allowed = f"SEAT fault KIND, KIND one of {', '.join(log.FAULTS)}"
        raise RecordError(f"{_shown(events[seen])}; allowed: {allowed}", event=seen + 1)
    game.fault(int(seat), kind)
    return True


def _check_legal(game: Game, legal: list[list[str]], place: int, number: int) -> None:
    if place >= len(legal):
        raise RecordError(f"legal: {len(legal)} lists; more decisions", event=number)
    choices = game.legal_texts()
    if legal[place] != choices:
        raise RecordError(f"legal[{place}] {_shown(legal[place])}; the rules give {choices}", event=number)


def _check_result(game: Game, recorded: Record) -> None:
    """Compare the result; of several best divisions any will do (rules 8.8)."""
    ours = result_of(game)
    for key in recorded:
        if key not in ours:
            raise _refusal("key of result", key, ", ".join(ours))
    for key, value in ours.items():
        if key not in recorded:
            raise RecordError(f"result has no {key!r}; needed: {', '.join(ours)}")
        if key not in _OF_A_DIVISION and recorded[key] != value:
            raise RecordError(f"result {key} {_shown(recorded[key])}; the rules give {value!r}")
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
        shown = _shown(recorded[key])
        raise RecordError(f"result {key} {shown}: {why[:_MOST_WORDS]}; the rules give {ours[key]!r}")


def _options(game: Game) -> str:
    return ", ".join(game.legal_texts())


# --- the form of a record -----------------------------------------------------------------------------------


def _checked(record: object) -> Record:
    """A record of the right form, its tiles as letters; whether it follows the rules is not looked at."""
    record = _object(record, "record")
    if record.get("format") != FORMAT:
        raise _refusal("format", record.get("format"), repr(FORMAT))
    _only(record, KEYS, "record")
    for key in NEEDED:
        if key not in record:
            raise RecordError(f"record has no {key!r}; needed: {', '.join(NEEDED)}")
    clean = dict(record)
    clean["hands"] = [_tiles(h, "hand") for h in _list(record["hands"], "hands", 2, 4)]
    seats = len(clean["hands"])
    for key in ("upcard", "wall", "aside"):
        if key in record:
            clean[key] = _tiles(record[key], key)
    if len(clean["upcard"]) != 1:
        raise _refusal("upcard", record["upcard"], "one tile")
    if not isinstance(record["rules"], str):
        _object(record["rules"], "rules")
    clean["events"] = [_event(e, n) for n, e in enumerate(_list(record["events"], "events", 0, st.LOG), 1)]
    _number(record["dealer"], "dealer", 0, seats - 1)
    _number(record.get("drawn_before", 0), "drawn_before", 0, MOST_DRAWN)
    if "seed" in record:
        _number(record["seed"], "seed", 0, None)
    if "players" in record:
        clean["players"] = [_text(p, "player") for p in _list(record["players"], "players", seats, seats)]
    if "legal" in record:
        lists = _list(record["legal"], "legal", 0, st.LOG)
        clean["legal"] = [[_event(c, None) for c in _list(choices, "legal", 1, 40)] for choices in lists]
    for key in ("version", "rules_hash"):
        if key in record:
            _text(record[key], key)
    if "match" in record:
        _check_match(record["match"], seats)
    if "meta" in record:
        _object(record["meta"], "meta")
    clean["result"] = _result(record["result"], seats)
    return clean


def _result(value: object, seats: int) -> Record:
    """A result of the right form: of a fault, of a drawn hand, or of a win."""
    result = dict(_object(value, "result"))
    if "fault" in result:
        _all_of(result, ("fault", "scores"), "result")
        fault = _object(result["fault"], "fault")
        _all_of(fault, ("seat", "kind"), "fault")
        _number(fault["seat"], "seat of fault", 0, seats - 1)
        if not isinstance(fault["kind"], str) or fault["kind"] not in log.FAULTS:
            raise _refusal("kind of fault", fault["kind"], ", ".join(log.FAULTS))
    elif result.get("winner") is None:
        _all_of(result, ("winner", "scores"), "result")
    else:
        _all_of(result, WIN_KEYS, "result")
        _number(result["winner"], "winner", 0, seats - 1)
        if result["tile"] is not None:
            result["tile"] = _tiles(result["tile"], "tile")
        for key in ("huxi", "fan", "base"):
            _number(result[key], key, 0, None)
        if result["deng"] is not None:
            _number(result["deng"], "deng", 0, None)
        result["groups"] = [_door(_text(g, "group")) for g in _list(result["groups"], "groups", 0, st.MELDS)]
        result["patterns"] = [_text(p, "pattern") for p in _list(result["patterns"], "patterns", 0, len(st.PATTERNS))]
    for score in _list(result["scores"], "scores", seats, seats):
        _number(score, "score", None, None)
    return result


def _check_match(value: object, seats: int) -> None:
    match = _object(value, "match")
    _all_of(match, MATCH_KEYS, "match")
    if not isinstance(match["id"], str):
        _number(match["id"], "id of match", 0, None)
    _number(match["hand"], "hand of match", 0, None)
    totals = _list(match["totals"], "totals of match", seats, None)
    for total in totals:
        _number(total, "total", None, None)
    for seat in _list(match["seats"], "seats of match", seats, seats):
        _number(seat, "participant", 0, len(totals) - 1)
    if len(set(match["seats"])) < seats:
        raise _refusal("seats of match", match["seats"], "another participant in each")


def _event(value: object, number: int | None) -> str:
    """An event, or without `number` a choice, in the one way to write it."""
    what = "choice" if number is None else "event"
    try:
        text = _text(value, what)
        if len(text) > 60 or _PLAIN_EVENT.fullmatch(text):
            return text
        words = _SPACES.split(text.strip(" \u3000"))
        head = 2 if number is not None else 1
        if len(words) <= head or words[head - 1] in ("pass", "fault"):
            return " ".join(words)
        return " ".join([*words[:head], format_group(parse_tiles("".join(words[head:])))])
    except NotationError as error:
        raise RecordError(f"{what} {_shown(value)}: {error}", event=number) from error
    except RecordError as error:
        raise RecordError(error.reason, event=number) from None


def _door(text: str) -> str:
    name, colon, tiles = text.partition(":")
    if text.isascii() and " " not in text:
        return text
    try:
        return f"{name.strip(' ')}{colon}{format_group(parse_tiles(tiles))}"
    except NotationError as error:
        raise RecordError(f"group {_shown(text)}: {error}") from error


def _tiles(value: object, what: str) -> str:
    try:
        return format_tiles(parse_tiles(_text(value, what)))
    except NotationError as error:
        raise RecordError(f"{what}: {error}") from error


def _object(value: object, what: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise _refusal(what, value, "an object")


def _only(value: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    for key in value:
        if key not in keys:
            raise _refusal(f"key of {what}", key, ", ".join(keys))


def _all_of(value: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    _only(value, keys, what)
    for key in keys:
        if key not in value:
            raise RecordError(f"{what} has no {key!r}; needed: {', '.join(keys)}")


def _list(value: object, what: str, low: int, high: int | None) -> Sequence[Any]:
    if isinstance(value, list | tuple) and low <= len(value) and (high is None or len(value) <= high):
        return value
    if not isinstance(value, list | tuple):
        raise _refusal(what, value, "a list")
    number = f"{low}" if low == high else f"{low} to {high}" if high is not None else f"{low} or more"
    raise RecordError(f"{what}: {len(value)} entries; allowed: {number}")


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    raise _refusal(what, value, "a text")


def _number(value: object, what: str, low: int | None, high: int | None) -> None:
    if type(value) is int and (low is None or low <= value) and (high is None or value <= high):
        return
    bounds = "" if low is None else f" from {low}" if high is None else f" from {low} to {high}"
    raise _refusal(what, value, f"a whole number{bounds}")


def _refusal(what: str, value: object, allowed: str) -> RecordError:
    return RecordError(f"{what} {_shown(value)}; allowed: {allowed}")


def _shown(value: object) -> str:
    """A value for a message: short, and safe to print."""
    try:
        text = ascii(value)
    except (RecursionError, ValueError):  # nested too deeply; a number of too many digits
        return f"of type {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:60]}…"


# --- files --------------------------------------------------------------------------------------------------


def parse_record(line: str | bytes) -> Record:
    """Read one line as a record: its form is checked, its tiles become letters; it is not replayed.

    Raises
    ------
    RecordError
        The line is no JSON object of the record format.
    """
    if len(line) > MOST_BYTES:
        raise RecordError(f"a line of more than {MOST_BYTES} bytes; allowed: a record")
    try:
        text = line.decode() if isinstance(line, bytes) else line
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair can't be written again
    except UnicodeDecodeError as error:
        raise RecordError(f"a line that is not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except UnicodeEncodeError as error:
        raise RecordError("a text that is no Unicode: half a surrogate pair") from error
    except RecursionError as error:
        raise RecordError("a line of too many nested brackets") from error
    except ValueError as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"no JSON: {error}" if text.strip() else "an empty line") from error
    return _checked(value)


def _no_constant(name: str) -> NoReturn:
    raise RecordError(f"no JSON: {name}")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _refusal("key", next(name for name in names if names.count(name) > 1), "once in an object")
    return found


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


def record_line(record: Mapping[str, Any]) -> str:
    """A record as its line, with the line's end.

    Raises
    ------
    RecordError
        It is no record, or holds what JSON can't (a NaN, an object of another kind).
    """
    try:
        text = json.dumps(_checked(record), ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"no JSON: {error}") from error
    return f"{text}\n"


def write_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to a file: all of them, or on any error none, the file being as it was.

    The records may be made while they are written. What is no plain file (a pipe, ``/dev/null``) is written
    to directly.

    Returns
    -------
    int
        How many were written.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            return _write_all(file, records)
    part = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            count = _write_all(file, records)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.filename == str(part):
            error.filename = str(path)  # what the caller has named
        raise
    return count


def _write_all(file: IO[str], records: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    for record in records:
        file.write(record_line(record))
        count += 1
    return count


class RecordWriter:
    """Appends records to a file one by one, for runs that may be killed: the file never keeps half a line.

    Each record reaches the system as one write. If that fails midway (a full disk), the file is cut back to
    its last whole line; half a line that a killed process left is cut off when the file is opened again. One
    writer a file at a time.

    Parameters
    ----------
    path
        The file; it is made if it does not exist.
    sync
        Whether to wait for the disk after each record, so that even a power failure loses none.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self.path = Path(path)
        self.count = 0
        self._sync = sync
        self._file: IO[bytes] = self.path.open("r+b" if self.path.exists() else "x+b", buffering=0)
        self._end = self._whole_lines()

    def _whole_lines(self) -> int:
        """Cut off half a line at the file's end; a whole record that only lacks the line's end is kept."""
        size = self._file.seek(0, os.SEEK_END)
        start = size
        tail = b""
        while start > 0 and b"\n" not in tail and len(tail) <= MOST_BYTES:
            step = min(start, 1 << 16)
            start = self._file.seek(start - step)
            tail = self._file.read(step) + tail
        if start > 0 and b"\n" not in tail:
            self._file.close()
            raise RecordError(f"a line of more than {MOST_BYTES} bytes at its end", file=str(self.path))
        half = tail[tail.rfind(b"\n") + 1 :]
        if not half:
            return size
        try:
            parse_record(half)
        except RecordError:
            self._file.truncate(size - len(half))
            return size - len(half)
        self._file.seek(size)
        self._file.write(b"\n")
        return size + 1

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record."""
        data = record_line(record).encode()
        self._file.seek(self._end)
        try:
            if self._file.write(data) != len(data):
                raise OSError(f"{self.path}: only a part of a record could be written")
            if self._sync:
                os.fsync(self._file.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                self._file.truncate(self._end)
            raise
        self._end += len(data)
        self.count += 1

    def close(self) -> None:
        """Close the file. More than once is allowed."""
        self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


__all__ = [
    "FORMAT",
    "Decision",
    "Record",
    "RecordWriter",
    "Replay",
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
