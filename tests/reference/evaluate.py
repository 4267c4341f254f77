"""Position queries as the record format has them: one JSON object in, one out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .judge import SOURCES, Verdict, Win, judge
from .rules import Rules, make_rules
from .tiles import LETTERS, QUADS, WILD, Meld, rank_of, read_meld, read_tiles

FLAGS = ("last_tile", "no_intake", "first_discard", "dead", "stale_hu")
FIELDS = ("rules", "hand", "melds", "tile", "source", "drawn_before", *FLAGS)


def answer(query: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a position query; `{"error": ...}` where it cannot be a position."""
    try:
        if not isinstance(query, Mapping):
            raise ValueError("a query is an object")
        rules, hand, melds, win = read_query(query)
    except (AttributeError, TypeError, ValueError) as error:
        return {"error": str(error)}
    verdict: Verdict | str
    if query.get("dead"):
        verdict = "dead hand"
    elif query.get("stale_hu"):
        verdict = "stale hu"
    else:
        verdict = judge(rules, *lay(rules, hand, melds, win))
    if isinstance(verdict, str):
        return {"hu": False, "why": verdict}
    return {"hu": True, **verdict.as_answer()}


def lay(
    rules: Rules, hand: list[int], melds: list[Meld], win: Win
) -> tuple[list[int], list[Meld], Win]:
    """The position with the own ti or wei of 6.5, or the dealer's 21st tile of 2.4, laid."""
    tile = win.tile
    assert tile is not None
    rest = [other for other in hand if other != tile]
    if win.source == "upcard_dealer":
        win = replace(win, laid=True)
        if tile != WILD and hand.count(tile) == 3:
            return rest, [*melds, Meld("ti", (tile,) * 4)], win
        return [*hand, tile], melds, win
    if win.source != "own_draw" or not rules.own_draw_melds or tile == WILD:
        return hand, melds, win
    if hand.count(tile) == 3:
        return rest, [*melds, Meld("ti", (tile,) * 4)], replace(win, laid=True)
    for meld in melds:
        if meld.name in ("wei", "chouwei") and meld.tiles[0] == tile:
            others = [other for other in melds if other is not meld]
            return hand, [*others, Meld("ti", (tile,) * 4)], replace(win, laid=True)
    if hand.count(tile) == 2:
        return rest, [*melds, Meld("wei", (tile,) * 3)], replace(win, laid=True)
    return hand, melds, win


def read_query(query: Mapping[str, Any]) -> tuple[Rules, list[int], list[Meld], Win]:
    """The position of a query; ValueError where it cannot be one."""
    for key in query:
        if key not in FIELDS:
            raise ValueError(f"unknown field {key!r}; allowed: {FIELDS}")
    for key in ("hand", "tile", "source"):
        if key not in query:
            raise ValueError(f"no field {key!r}")
    for key in FLAGS:
        if not isinstance(query.get(key, False), bool):
            raise ValueError(f"{key} = {query[key]!r}; allowed: true, false")
    drawn_before = query.get("drawn_before", 0)
    if type(drawn_before) is not int or drawn_before < 0:
        raise ValueError(f"drawn_before = {drawn_before!r}; allowed: a whole number from 0")
    source = query["source"]
    if source not in SOURCES:
        raise ValueError(f"unknown source {source!r}; allowed: {SOURCES}")
    rules = make_rules(query.get("rules", "hunan"))
    hand = sorted(read_tiles(query["hand"]))
    melds = [read_meld(text) for text in query.get("melds", [])]
    drawn = read_tiles(query["tile"])
    if len(drawn) != 1:
        raise ValueError(f"tile {query['tile']!r} is not one tile")
    _check_tiles(rules, hand, melds, drawn[0])
    _check_size(rules, hand, melds, bool(query.get("dead")))
    win = Win(
        drawn[0],
        source,
        concealed_before=len(hand),
        dealer=source == "upcard_dealer",
        last_tile=query.get("last_tile", False),
        no_intake=query.get("no_intake", False),
        first_discard=query.get("first_discard", False),
        drawn_before=drawn_before,
    )
    return rules, hand, melds, win


def _check_tiles(rules: Rules, hand: list[int], melds: list[Meld], tile: int) -> None:
    tiles = [*hand, tile, *[each for meld in melds for each in meld.tiles]]
    for kind in sorted(set(tiles)):
        most = rules.wilds if kind == WILD else 4
        if kind != WILD and rank_of(kind) > rules.ranks:
            most = 0
        if tiles.count(kind) > most:
            raise ValueError(f"{tiles.count(kind)} tiles of kind {LETTERS[kind]!r}")
    for kind in set(hand) - {WILD}:
        if hand.count(kind) == 4:
            raise ValueError(f"four {LETTERS[kind]!r} in the hand: a ti")


def _check_size(rules: Rules, hand: list[int], melds: list[Meld], dead: bool) -> None:
    """The numbers of tiles that play can reach (record format, after 6.1 and 6.3)."""
    total = len(hand) + sum(len(meld.tiles) for meld in melds)
    quads = len([meld for meld in melds if meld.name in QUADS])
    size = rules.hand_size
    sizes = {size} if quads == 0 else {size - 1 + quads}
    if quads >= 2:
        sizes.add(size - 2 + quads)
    if dead:
        late = {size + 1} if quads == 0 else {size + 1 + quads, size + quads}
        for wilds in range(min(rules.wilds, 2) + 1):
            sizes |= {each + wilds for each in late}
    if total not in sizes:
        raise ValueError("a number of tiles that 6.1 cannot reach")
