"""The form of a game record: what keys and types it has, and one line of JSON to and from it.

Whether a record follows the rules is `paohuzi_env.record`'s to say. Whatever is handed in here, the only error is
`RecordError`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn, TypeAlias

from paohuzi_env.core import log
from paohuzi_env.core import state as st
from paohuzi_env.errors import NotationError, RecordError, shown
from paohuzi_env.game import MOST_DRAWN
from paohuzi_env.notation import format_group, format_tiles, parse_tiles

FORMAT: Final = "paohuzi-record/1"
NEEDED: Final = ("format", "rules", "dealer", "hands", "upcard", "wall", "events", "result")
KEYS: Final = (
    "format", "version", "rules", "rules_hash", "match", "seed", "players", "dealer", "drawn_before", "hands",
    "aside", "upcard", "wall", "events", "legal", "result", "meta",
)  # fmt: skip
"""Every key of a record, in the order in which they are written."""
WIN_KEYS: Final = ("winner", "tile", "huxi", "groups", "patterns", "fan", "deng", "base", "scores")
MATCH_KEYS: Final = ("id", "hand", "seats", "totals")
MOST_BYTES: Final = 1 << 20
"""Longest line that is read as a record; one with every legal list has some 20,000 bytes."""

Record: TypeAlias = dict[str, Any]

_PLAIN_EVENT: Final = re.compile(r"(?:[0-3] )?[a-z_]+(?: [a-z_A-J*]+)?")
_SPACES: Final = re.compile(r"[ \u3000]+")


def checked(record: object) -> Record:
    """A record of the right form, its tiles as letters; whether it follows the rules is not looked at."""
    record = _object(record, "record")
    if record.get("format") != FORMAT:
        raise refusal("format", record.get("format"), repr(FORMAT))
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
        raise refusal("upcard", record["upcard"], "one tile")
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
            raise refusal("kind of fault", fault["kind"], ", ".join(log.FAULTS))
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
        raise refusal("seats of match", match["seats"], "another participant in each")


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
        raise RecordError(f"{what} {shown(value)}: {error}", event=number) from error
    except RecordError as error:
        raise RecordError(error.reason, event=number) from None


def _door(text: str) -> str:
    name, colon, tiles = text.partition(":")
    if text.isascii() and " " not in text:
        return text
    try:
        return f"{name.strip(' ')}{colon}{format_group(parse_tiles(tiles))}"
    except NotationError as error:
        raise RecordError(f"group {shown(text)}: {error}") from error


def _tiles(value: object, what: str) -> str:
    try:
        return format_tiles(parse_tiles(_text(value, what)))
    except NotationError as error:
        raise RecordError(f"{what}: {error}") from error


def _object(value: object, what: str) -> Mapping[str, Any]:
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return value
    raise refusal(what, value, "an object")


def _only(value: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    for key in value:
        if key not in keys:
            raise refusal(f"key of {what}", key, ", ".join(keys))


def _all_of(value: Mapping[str, Any], keys: Sequence[str], what: str) -> None:
    _only(value, keys, what)
    for key in keys:
        if key not in value:
            raise RecordError(f"{what} has no {key!r}; needed: {', '.join(keys)}")


def _list(value: object, what: str, low: int, high: int | None) -> Sequence[Any]:
    if isinstance(value, list | tuple) and low <= len(value) and (high is None or len(value) <= high):
        return value
    if not isinstance(value, list | tuple):
        raise refusal(what, value, "a list")
    number = f"{low}" if low == high else f"{low} to {high}" if high is not None else f"{low} or more"
    raise RecordError(f"{what}: {len(value)} entries; allowed: {number}")


def _text(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    raise refusal(what, value, "a text")


def _number(value: object, what: str, low: int | None, high: int | None) -> None:
    if type(value) is int and (low is None or low <= value) and (high is None or value <= high):
        return
    bounds = "" if low is None else f" from {low}" if high is None else f" from {low} to {high}"
    raise refusal(what, value, f"a whole number{bounds}")


def refusal(what: str, value: object, allowed: str) -> RecordError:
    return RecordError(f"{what} {shown(value)}; allowed: {allowed}")




# --- a line -------------------------------------------------------------------------------------------------


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
    return checked(value)


def _no_constant(name: str) -> NoReturn:
    raise RecordError(f"no JSON: {name}")


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise refusal("key", next(name for name in names if names.count(name) > 1), "once in an object")
    return found


def record_line(record: Mapping[str, Any]) -> str:
    """A record as its line, with the line's end.

    Raises
    ------
    RecordError
        It is no record, or holds what JSON can't (a NaN, an object of another kind).
    """
    try:
        text = json.dumps(checked(record), ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError(f"no JSON: {error}") from error
    return f"{text}\n"
