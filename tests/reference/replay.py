"""Replay a record through the twin and say where the two differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .game import Game
from .judge import verdicts
from .rules import Rules, make_rules
from .tiles import read_tiles

FAULT_PAYMENT = 10  # what the offender pays to every other seat


def new_game(record: Mapping[str, Any], rules: Rules | None = None) -> Game:
    """The twin's game on the record's deal; ValueError when the deal is none."""
    return Game(
        rules or make_rules(record["rules"]),
        record["dealer"],
        [read_tiles(hand) for hand in record["hands"]],
        read_tiles(record["upcard"])[0],
        read_tiles(record["wall"]),
        read_tiles(record.get("aside") or ""),
        record.get("drawn_before", 0),
    )


def replay(record: Mapping[str, Any]) -> list[str]:
    """Every difference between a record and the twin; empty when all agree.

    `legal` and `result` are compared where the record has them. It stops at the first event that
    differs, since nothing after it can be compared.
    """
    try:
        rules = make_rules(record["rules"])
        if len(record["hands"]) != rules.players and isinstance(record["rules"], str):
            rules = make_rules({"preset": record["rules"], "players": len(record["hands"])})
        game = new_game(record, rules)
    except ValueError as error:
        return [f"the deal: {error}"]
    recorded = list(record["events"])
    fault = recorded.pop() if recorded and recorded[-1].split()[1] == "fault" else None
    differences = _replay_events(game, recorded, fault is not None)
    if not differences and "legal" in record:
        differences += _compare_legal(game, record["legal"])
    if not differences and "result" in record:
        if fault is not None:
            differences += _compare_fault(game, fault, record["result"])
        else:
            differences += compare_results(game, record["result"])
    return differences


def _replay_events(game: Game, recorded: list[str], fault: bool) -> list[str]:
    compared = 0
    while True:
        for number in range(compared, len(game.events)):
            theirs = recorded[number] if number < len(recorded) else "nothing"
            if theirs != game.events[number]:
                return [f"event {number}: recorded {theirs!r}, twin {game.events[number]!r}"]
        compared = number = len(game.events)
        if game.over:
            if len(recorded) > number:
                return [f"event {number}: recorded {recorded[number]!r}, twin: the hand is over"]
            return []
        if number == len(recorded):
            if fault:
                return []
            return [f"event {number}: nothing recorded, twin asks {game.actor} {game.legal()}"]
        seat, choice = recorded[number].split(" ", 1)
        if seat != str(game.actor) or choice not in game.legal():
            asked = f"{game.actor} {game.legal()}"
            return [f"event {number}: recorded {recorded[number]!r}, twin asks {asked}"]
        game.play(choice)


def _compare_legal(game: Game, recorded: list[list[str]]) -> list[str]:
    if len(recorded) != len(game.legals):
        return [f"legal: {len(recorded)} lists recorded, twin has {len(game.legals)}"]
    return [
        f"legal {number}: recorded {theirs}, twin {ours}"
        for number, (theirs, ours) in enumerate(zip(recorded, game.legals, strict=True))
        if theirs != ours
    ]


def _compare_fault(game: Game, event: str, recorded: Mapping[str, Any]) -> list[str]:
    seat, _, kind = event.split(" ", 2)
    scores = [FAULT_PAYMENT] * game.players
    scores[int(seat)] = -FAULT_PAYMENT * (game.players - 1)
    expected = {"fault": {"seat": int(seat), "kind": kind}, "scores": scores}
    return [] if recorded == expected else [f"result: recorded {recorded}, twin {expected}"]


def compare_results(game: Game, recorded: Mapping[str, Any]) -> list[str]:
    """The differences between a recorded result and the twin's; any best division will do (8.8)."""
    ours = game.result()
    differences = []
    if set(recorded) != set(ours):
        differences.append(f"result: recorded keys {sorted(recorded)}, twin {sorted(ours)}")
    for key in ours:
        if key != "groups" and recorded.get(key) != ours[key]:
            differences.append(f"result {key}: recorded {recorded.get(key)}, twin {ours[key]}")
    if differences or "groups" not in ours or sorted(recorded["groups"]) == ours["groups"]:
        return differences
    if not _as_good(game, sorted(recorded["groups"])):
        return [f"result groups: recorded {recorded['groups']}, twin {ours['groups']}"]
    return []


def _as_good(game: Game, groups: list[str]) -> bool:
    """Whether the groups are a division that is worth what the twin's best one is."""
    if game.win is None:  # a forced 天胡 has one division only
        return False
    ours = game.result()
    return any(
        list(verdict.groups) == groups
        and {**verdict.as_answer(), "groups": None} == {**_shared(ours), "groups": None}
        for verdict in verdicts(game.rules, *game.win)
    )


def _shared(result: Mapping[str, Any]) -> dict[str, Any]:
    return {key: result[key] for key in ("huxi", "groups", "patterns", "fan", "deng", "base")}
