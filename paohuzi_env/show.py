"""A replayed hand as text, step by step, and small tables: what the command line and the demo print.

Everything here is the referee's view: all hands are open.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from paohuzi_env.core import state as st
from paohuzi_env.core import turn
from paohuzi_env.division import melds_of
from paohuzi_env.game import Game
from paohuzi_env.notation import GLYPHS, LETTERS, format_group, format_meld, tile_letter
from paohuzi_env.record import Decision, Record, Replay
from paohuzi_env.selfplay import Tally

TABLE_WIDTH: Final = 1000
"""Columns that a table may have where the output is no terminal, so that no cell is broken."""
_TO_GLYPHS: Final = str.maketrans(LETTERS, GLYPHS)
_SEATS_FROM_DEALER: Final = ("dealer", "next seat", "last seat")


def printable(text: object) -> str:
    """A text that does nothing but show: control characters (of a hostile file, say) become question marks."""
    return "".join(char if char.isprintable() else "?" for char in str(text))


# --- tables ---------------------------------------------------------------------------------------------------


class _Quiet(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the caller, as for any other output."""
        raise BrokenPipeError


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None) -> None:
    """Print a table; columns whose cells are numbers are aligned to the right."""
    rows = [[cell if isinstance(cell, int | float) else printable(cell) for cell in row] for row in rows]
    console = _Quiet(markup=False, emoji=False, highlight=False, file=sys.stdout)
    if not console.is_terminal:
        console.width = TABLE_WIDTH
    if title:
        console.print(printable(title))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for column, head in enumerate(heads):
        numbers = bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        table.add_column(head, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(str, row))
    console.print(table)


def tally_rows(tally: Tally, seats: int, seconds: float | None = None) -> list[tuple[str, str]]:
    """What happened in a number of hands, as rows of a table."""
    won = tally.won

    def share(count: int, of: int) -> str:
        return f"{count} ({100 * count / of:.1f}%)" if of else f"{count}"

    rows = [
        ("hands", f"{tally.hands}"),
        ("drawn hands", share(tally.drawn_hands, tally.hands)),
        ("decisions a hand", f"{tally.decisions / tally.hands:.1f}" if tally.hands else "-"),
    ]
    names = _SEATS_FROM_DEALER if seats == 3 else ("dealer", "other seat")
    rows += [(f"wins of the {name}", share(tally.wins[seat], won)) for seat, name in enumerate(names)]
    rows += [
        ("mean huxi of a win", f"{tally.huxi / won:.1f}" if won else "-"),
        ("mean base of a win", f"{tally.base / won:.1f}" if won else "-"),
    ]
    rows += [(f"pattern {name}", share(n, won)) for name, n in tally.patterns.most_common()]
    if seconds is not None:
        rate = f" ({tally.hands / seconds:,.0f} hands a second)" if seconds > 0 else ""
        rows.append(("time", f"{seconds:.2f} s{rate}"))
    return rows


# --- a hand step by step --------------------------------------------------------------------------------------


def hand_lines(replay: Replay, *, title: str = "", chinese: bool = False) -> Iterator[str]:
    """The whole hand as lines: the deal, a block for each decision, and the result.

    Parameters
    ----------
    replay
        The hand.
    title
        What stands in the first line before the rule set.
    chinese
        Write tiles as Chinese characters instead of letters.
    """
    text = _Words(replay, chinese)
    yield from text.deal(title)
    events = replay.record["events"]
    seen = 0
    for game, decision in replay.states():
        yield from text.unasked(events, seen, decision.event - 1)
        yield ""
        yield from text.decision(game, decision)
        seen = decision.event
    yield from text.unasked(events, seen, len(events))
    yield ""
    yield from text.end()


class _Words:
    """The words for one hand."""

    def __init__(self, replay: Replay, chinese: bool) -> None:
        self._replay = replay
        self._chinese = chinese
        players = replay.record.get("players", [])
        dealer = replay.record["dealer"]
        names = [f"seat {s}" for s in range(replay.rules.seats)]
        for s, player in enumerate(players):
            names[s] += f" {printable(player)}"
        names[dealer] += " (dealer)"
        self._names = [_wide(name, max(map(cell_len, names))) for name in names]

    def tiles(self, text: str) -> str:
        """Tiles given as letters, as they are to be written."""
        return text.translate(_TO_GLYPHS) if self._chinese else text

    def event(self, text: str, skip: int = 1) -> str:
        """An event (`skip` 1) or a choice (0), its tiles as they are to be written."""
        words = text.split(" ")
        if len(words) > skip + 1 and words[skip] not in ("pass", "fault"):
            words[-1] = self.tiles(words[-1])
        return " ".join(words)

    def meld(self, text: str) -> str:
        name, _, tiles = text.partition(":")
        return f"{name}:{self.tiles(tiles)}"

    def deal(self, title: str) -> Iterator[str]:
        record = self._replay.record
        seed = f" · seed {record['seed']}" if "seed" in record else ""
        yield f"{printable(title)}{' · ' if title else ''}rules {self._replay.rules}{seed}"
        for seat, hand in enumerate(record["hands"]):
            yield f"  {self._names[seat]}  {self.tiles(hand)}"
        if "aside" in record:
            yield f"  set aside unseen: {self.tiles(record['aside'])}"
        shown = "" if self._replay.rules.show_upcard else " (not shown)"
        yield f"  upcard {self.tiles(record['upcard'])}{shown} · wall {self.tiles(record['wall'])}"

    def unasked(self, events: Sequence[str], start: int, end: int) -> Iterator[str]:
        """What happened without a decision."""
        for number in range(start, end):
            yield f"{number + 1:4}  {self.event(events[number])}"

    def decision(self, game: Game, decision: Decision) -> Iterator[str]:
        left = int(game.record["wall_end"]) - int(game.record["wall_next"])
        yield f"{decision.event:4}  {self.question(game)} · {left} tiles left in the wall"
        for seat in range(game.rules.seats):
            yield self.seat(game, seat, decision.seat)
        choices = ", ".join(self.event(choice, 0) for choice in game.legal_texts())
        yield f"      choices: {choices}"
        yield f"      seat {decision.seat}: {self.event(decision.choice, 0)}"

    def question(self, game: Game) -> str:
        """What is asked, and about which tile."""
        g = game.record
        actor, phase = game.actor, game.phase
        if phase == "discard":
            return f"seat {actor} owes a discard"
        tile = self.tiles(tile_letter(game.live_kind()))
        if phase == "bi":
            return f"seat {actor} has eaten {tile} and must lay its other {tile}: bi"
        if int(g["stage"]) == turn.UPCARD:
            where = "the upcard"
        elif int(g["source"]) == st.FROM_DISCARD:
            where = f"discarded by seat {int(g['turn'])}"
        else:
            where = f"drawn by seat {int(g['turn'])}"
        return f"live {tile}, {where}: {phase} for seat {actor}?"

    def seat(self, game: Game, seat: int, actor: int) -> str:
        g = game.record
        melds = " ".join(self.meld(format_meld(meld)) for meld in melds_of(game, seat))
        river = [int(k) % turn.RIVER_DRAWN for k in g["river"][seat][: g["river_n"][seat]]]
        parts = [f"    {'>' if seat == actor else ' '} {self._names[seat]}"]
        parts.append(_wide(self.tiles(format_group(game.hand(seat))) or "-", 42 if self._chinese else 21))
        if melds:
            parts.append(f"{melds} ({int(g['huxi'][seat])} huxi)")
        if river:
            parts.append(f"river {self.tiles(''.join(map(tile_letter, river)))}")
        if g["dead"][seat]:
            parts.append("dead hand")
        return "  ".join(parts).rstrip()

    def end(self) -> Iterator[str]:
        result: Record = self._replay.record["result"]
        scores = " ".join(f"{score:+d}" if score else "0" for score in result["scores"])
        if "fault" in result:
            fault: dict[str, Any] = result["fault"]
            yield f"      fault of seat {fault['seat']} ({fault['kind']}) · scores {scores}"
        elif result["winner"] is None:
            yield f"      drawn hand: the wall is empty · scores {scores}"
        else:
            how = f"on {self.tiles(result['tile'])}" if result["tile"] else "on the deal (tianhu)"
            yield f"      seat {result['winner']} wins {how}: {' '.join(map(self.meld, result['groups']))}"
            patterns = ", ".join(result["patterns"]) or "no pattern"
            deng = "" if result["deng"] is None else f" · {result['deng']} deng"
            yield (
                f"      {result['huxi']} huxi · {patterns} · fan {result['fan']}{deng} · base {result['base']}"
                f" · scores {scores}"
            )


def _wide(text: str, width: int) -> str:
    """The text with spaces up to a width in columns (a Chinese character has two)."""
    return text + " " * (width - cell_len(text))
