"""A match at the terminal: with a person at the table, or to look on."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from agents.base import Agent, Left
from agents.human import Human
from agents.play import Played, Watcher, play_match
from agents.registry import make
from paohuzi_env.core.view import public_event
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_tiles, tile_glyph, tile_letter
from paohuzi_env.record import event_text, write_records
from paohuzi_env.render import Table, ansi
from paohuzi_env.rules import RuleSet
from paohuzi_env.show import print_table, printable
from paohuzi_env.table import WORDS

NOBODY = -1


class TerminalMatch(Watcher):
    """A match that is shown while it is played.

    Parameters
    ----------
    texts
        The participants in playing order, as `registry.make` takes them.
    rules, seed, hands
        As in `play_match`; every agent gets the seed too.
    person
        The participant who plays at this terminal and sees what that seat may see. None for somebody who looks on and
        sees everything.
    pause
        Seconds before each decision of an agent.
    """

    def __init__(
        self, texts: Sequence[str], rules: RuleSet, seed: int, hands: int, *, person: int | None, pause: float
    ) -> None:
        self._texts, self._rules, self._seed, self._hands = texts, rules, seed, hands
        self._person, self._pause = person, pause
        self._names = ["you" if p == person else text for p, text in enumerate(texts)]
        self._agents: list[Agent] = []
        self._game: Game | None = None
        self._count = 0  # hands begun
        self._seen = 0  # events of the hand's log that have been told
        self._why = ""  # what went wrong in the hand

    def play(self, record: Path | None) -> None:
        """Play it; whatever ends it, the hands that were finished are recorded."""
        finished: list[Played] = []
        with ExitStack() as stack:
            for text in self._texts:
                agent = make(text, self._rules, seed=self._seed)
                stack.callback(agent.close)
                self._agents.append(agent)
            print(f"rules {self._rules} · seed {self._seed} · {' · '.join(map(printable, self._names))}")
            try:
                for played in play_match(self._agents, self._rules, self._seed, self._hands, self):
                    finished.append(played)
                    self._sum_up(played)
            except Left:
                print(f"You have left the table after {len(finished)} of {self._hands} hands.")
            finally:
                if record is not None and finished:
                    count = write_records(record, (played.record(self._texts) for played in finished))
                    print(f"Hands in {record}: {count}. To verify them: paohuzi replay {record}")

    # --- while it is played -------------------------------------------------------------------------------------------

    def before(self, game: Game, players: Sequence[int]) -> None:
        if game is not self._game:
            self._begin(game, players)
        if self._person is not None:
            self._tell_events(game, players)
        elif game.over:
            self._show(game, players, None)
        if self._pause and game.actor is not None and players[game.actor] != self._person:
            time.sleep(self._pause)

    def after(self, game: Game, players: Sequence[int], action: int) -> None:
        if self._person is None:
            self._show(game, players, action)

    def failed(self, players: Sequence[int], seat: int, why: str) -> None:
        self._why = why

    def _begin(self, game: Game, players: Sequence[int]) -> None:
        self._game, self._seen, self._why = game, 0, ""
        self._count += 1
        dealer = players[int(game.record["dealer"])]
        print(f"\nhand {self._count} of {self._hands} · {printable(self._names[dealer])} deals 庄", end="")
        print("" if self._person is None or self._person in players else " · you sit out")
        for agent in self._agents:
            if isinstance(agent, Human):
                agent.names = tuple(self._seated(players))

    def _seated(self, players: Sequence[int]) -> list[str]:
        return [self._names[p] for p in players]

    def _tell_events(self, game: Game, players: Sequence[int]) -> None:
        """What has happened since the last decision, as far as the person's seat knows it."""
        seat = players.index(self._person) if self._person in players else NOBODY
        codes = game.record["log"][self._seen : game.record["log_n"]].tolist()
        self._seen += len(codes)
        for code in codes:
            known = int(public_event(code, seat))
            if known >= 0:
                print(f"  {event_words(event_text(known), self._seated(players))}", flush=True)

    def _show(self, game: Game, players: Sequence[int], action: int | None) -> None:
        table = Table.of_game(game, chosen=action, names=self._seated(players))
        print(f"\n{ansi(table, colour=sys.stdout.isatty())}", end="", flush=True)

    def _sum_up(self, played: Played) -> None:
        """Scores and totals of a finished hand."""
        fault = int(played.game.record["fault_seat"])
        if fault >= 0:
            name = self._names[played.players[fault]]
            print(f"The hand was ended by a fault of {printable(name)}: {printable(self._why or 'no legal action')}")
        scores = dict(zip(played.players, played.game.scores, strict=True))
        rows = [(name, scores.get(p, "sat out"), played.totals[p]) for p, name in enumerate(self._names)]
        print()
        print_table(("player", f"hand {played.number + 1}", "total"), rows)


def event_words(text: str, names: Sequence[str]) -> str:
    """An event as records write it, in words: "heuristic 打 discard 一a"."""
    seat, _, rest = text.partition(" ")
    verb, _, tiles = rest.partition(" ")
    shown = tiles
    if verb != "fault" and "?" not in tiles:
        shown = " ".join(tile_glyph(kind) + tile_letter(kind) for kind in parse_tiles(tiles))
    return f"{printable(names[int(seat)])} (seat {seat}) {WORDS[verb]} {verb} {shown}".rstrip()
