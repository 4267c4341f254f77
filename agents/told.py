"""What another program is told, as plain JSON values in the project's notation. `PROTOCOL.md` is its description.

Everything about a hand comes out of a VIEW, so a program sees nothing that the seat may not know.
"""

from __future__ import annotations

import json
from typing import Any, Final

from paohuzi_env import __version__
from paohuzi_env.core import state as st
from paohuzi_env.core import turn
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.tiles import KINDS, NO_TILE, WILD
from paohuzi_env.game import PHASES, SOURCES
from paohuzi_env.notation import HIDDEN, format_choice, format_tiles, tile_letter
from paohuzi_env.record import event_text
from paohuzi_env.rules import RuleSet
from paohuzi_env.table import LaidMeld, SeatRow, Settlement, Table

PROTOCOL: Final = 1
"""The version of `PROTOCOL.md`."""
QUIT: Final[dict[str, Any]] = {"quit": {}}

Told = dict[str, Any]


def line_of(message: Told) -> bytes:
    """A message as its line."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def hello(rules: RuleSet, limits: Told) -> Told:
    """The first message: what is played, and what a program has to keep to."""
    return {
        "hello": {
            "protocol": PROTOCOL,
            "game": "paohuzi 跑胡子",
            "version": __version__,
            "limits": limits,
            "rules": rules.spec,
            "rules_hash": rules.hash,
            "fields": rules.values_,
        }
    }


def choices(view: Any, rules: RuleSet) -> dict[str, int]:
    """The legal choices of a view as records write them, sorted by code point, and the action that each is."""
    return _choices(Table.of_view(view, rules), int(view["legal"]))


def _choices(table: Table, legal: int) -> dict[str, int]:
    actions = [action for action in range(NUM_ACTIONS) if legal >> action & 1]
    window = () if table.window is None else table.window.choices
    return dict(sorted((format_choice(choice), action) for choice, action in zip(window, actions, strict=True)))


def move(view: Any, rules: RuleSet, *, number: int, seed: int) -> tuple[Told, dict[str, int]]:
    """The question for a decision, and the legal choices with their actions.

    Parameters
    ----------
    view
        The VIEW record of a seat that has to decide.
    rules
        The rule set.
    number
        What the hand is called.
    seed
        A number for the program's random choices.
    """
    table = Table.of_view(view, rules)
    legal = _choices(table, int(view["legal"]))
    told = {
        "number": number,
        "seed": seed,
        **_asked(view),
        **_own(view),
        **_common(view, table),
        "seats": [_seat(view, row) for row in table.seats],
        "events": [event_text(code) for code in view["history"][: int(view["history_n"])].tolist()],
        "legal": list(legal),  # last, so that a program without a JSON reader finds it
    }
    return {"move": told}, legal


def end(view: Any, rules: RuleSet, *, number: int) -> Told:
    """The notice that a hand has ended, from the view of a seat that played it."""
    settled = Table.of_view(view, rules).settlement
    told = {"number": number, "seat": int(view["seat"])}
    return {"end": {**told, **({} if settled is None else _result(settled))}}


def _asked(v: Any) -> Told:
    """The decision: what about, which tile, from where."""
    phase, turn_of = PHASES[v["phase"]], int(v["turn"])
    told: Told = {"phase": phase, "tile": None, "source": None, "from": None, "laid": False}
    if phase == "bi":
        return told | {"tile": tile_letter(v["bi_kind"])}
    if v["live"] == NO_TILE or phase == "discard":
        return told
    source = int(v["source"])
    laid = source in (st.OWN_DRAW, st.UPCARD_DEALER)
    if source == st.OTHER_DRAW and turn_of == v["seat"]:
        source = st.OWN_DRAW
    giver = int(v["dealer"]) if source in (st.UPCARD_DEALER, st.UPCARD_OTHER) else turn_of
    return told | {"tile": tile_letter(v["live"]), "source": SOURCES[source], "from": giver, "laid": laid}


def _own(v: Any) -> Told:
    """What the seat alone knows."""
    stale_hu = {tile_letter(kind): int(v["stale_hu"][kind]) for kind in range(WILD + 1) if v["stale_hu"][kind] >= 0}
    return {
        "seat": int(v["seat"]),
        "hand": _counted(v["hand"]),
        "dealt": _counted(v["dealt"]),
        "kan_huxi": int(v["kan_huxi"]),
        "marks": {
            "stale_peng": _kinds(v["stale_peng"]),
            "stale_chi": _kinds(v["stale_chi"]),
            "stale_hu": stale_hu,
            "barred": bool(v["barred"]),
            "peng_passed": bool(v["peng_passed"]),
        },
        "before": {
            "huxi": int(v["huxi_before"]),
            "held": int(v["held_before"]),
            "clean": bool(v["clean_before"]),
        },
    }


def _common(v: Any, table: Table) -> Told:
    """What all know of the table's middle."""
    return {
        "dealer": int(v["dealer"]),
        "turn": table.turn,
        "upcard": None if table.upcard is None else tile_letter(table.upcard),
        "upcard_held": bool(v["upcard_held"]),
        "last_shown": None if table.last_shown is None else tile_letter(table.last_shown),
        "wall": table.wall_left,
        "discards": int(v["discards"]),
        "dealer_discards": int(v["dealer_discards"]),
        "drawn_before": int(v["drawn_before"]),
        "drawn": _counted(v["drawn"]),
    }


def _seat(v: Any, row: SeatRow) -> Told:
    """What the viewer knows of one seat, itself included."""
    s = row.seat
    hidden = [m for m, meld in enumerate(row.melds) if HIDDEN in meld.tiles]
    return {
        "hand": len(row.hand),
        "wilds": int(v["wild_draws"][s]),
        "melds": [_meld(meld) for meld in row.melds],
        "taken": [_taken(meld, int(v["meld_from"][s, m])) for m, meld in enumerate(row.melds)],
        "wei_not": [_kinds(v["wei_not"][s, m]) for m in hidden],
        "river": [f"{'draw' if drawn else 'discard'} {tile_letter(kind)}" for kind, drawn in row.river],
        "discarded": _kinds(v["discarded"][s]),
        "huxi": row.huxi,
        "dead": row.dead,
        "intake": bool(v["intake"][s]),
        "spent": _counted(v["spent"][s]),
        "cap": "".join(map(str, v["cap"][s].tolist())),
    }


def _meld(meld: LaidMeld) -> str:
    name = "chi" if meld.name == "bi" else meld.name
    return f"{name}:{'???' if HIDDEN in meld.tiles else format_tiles(meld.tiles)}"


def _taken(meld: LaidMeld, origin: int) -> str | None:
    """The event that brought the tile with which a meld was laid, as far as it is known; None for the hand alone."""
    if origin < 0:
        return None
    verb = "draw" if origin >= turn.DRAWN else "discard"
    tile = meld.tiles[max(meld.taken, 0)]
    return f"{origin % turn.DRAWN} {verb} {'?' if tile == HIDDEN else tile_letter(tile)}"


def _result(end: Settlement) -> Told:
    """A result as records write it."""
    scores = list(end.scores)
    if end.fault is not None:
        return {"fault": {"seat": end.fault[0], "kind": end.fault[1]}, "scores": scores}
    if end.winner is None:
        return {"winner": None, "scores": scores}
    return {
        "winner": end.winner,
        "tile": None if end.tile is None else tile_letter(end.tile),
        "huxi": end.huxi,
        "groups": sorted(_meld(group) for group in end.groups),
        "patterns": sorted(end.patterns),
        "fan": end.fan,
        "deng": end.deng,
        "base": end.base,
        "scores": scores,
    }


def _counted(counts: Any) -> str:
    """Copies by kind as tiles."""
    return "".join(tile_letter(kind) * copies for kind, copies in enumerate(counts.tolist()))


def _kinds(bits: Any) -> str:
    """A bit for each kind as tiles."""
    return "".join(tile_letter(kind) for kind in range(KINDS) if int(bits) >> kind & 1)
