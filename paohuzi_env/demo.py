"""`python -m paohuzi_env.demo`: watch a hand of Paohuzi being played, recorded and verified.

Three simple players play a few hands; the hands are written to a file, read back through the rules, and one that
was won is shown step by step.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from paohuzi_env.cli import run_quietly
from paohuzi_env.notation import LARGE, WILD, parse_choice

HANDS: Final = 12
SEED: Final = 2026
RULES: Final = "hunan"


def company(hand: Sequence[int], kind: int) -> int:
    """How well a tile fits into a hand: a point for each tile it could stand with, more for those like it."""
    points = 0
    for other in hand:
        same_size = other < WILD and other // LARGE == kind // LARGE
        if other == kind:
            points += 3
        elif same_size and (abs(other - kind) <= 2 or {other % 10, kind % 10} <= {1, 6, 9}):
            points += 2  # three in a row, or 2-7-10
        elif abs(other - kind) == LARGE:
            points += 1  # two of one size and one of the other
    return points


def greedy(hand: Sequence[int], choices: Sequence[str]) -> str:
    """Win if possible, claim whatever is offered, and discard the tile that fits least.

    It sees its own hand and its choices, nothing else.
    """
    taken = [choice for choice in choices if not choice.startswith("pass")]
    for verb in ("hu", "pao", "peng"):
        for choice in taken:
            if choice.startswith(f"{verb} "):
                return choice

    def loss(choice: str) -> int:
        tiles = parse_choice(choice).tiles
        return sum(company(hand, kind) for kind in tiles)

    return min(taken, key=loss)


def _play(folder: Path) -> int:
    from paohuzi_env.game import Game
    from paohuzi_env.record import record_of, replay_records, write_records
    from paohuzi_env.selfplay import Tally
    from paohuzi_env.show import hand_lines, print_table, tally_rows

    print(f"Three players play {HANDS} hands of Paohuzi (rules: {RULES}).")
    print("They win when they can, claim every tile they can, and discard what fits least.\n", flush=True)
    started = time.perf_counter()
    tally = Tally()
    records = []
    for index in range(HANDS):
        game = Game.deal(RULES, SEED, index)
        decisions = 0
        while game.actor is not None:
            choice = greedy(game.hand(game.actor), game.legal_texts())
            game.step(game.action_of(choice))
            decisions += 1
        tally.add(game, decisions)
        records.append(record_of(game, seed=SEED, players=["greedy"] * 3, legal=True, meta={"hand": index}))
    file = folder / "demo.phz.jsonl"
    write_records(file, records)

    verified = list(replay_records(file))
    won = [found for found in verified if found.record["result"]["winner"] is not None]
    best = max(won or verified, key=lambda found: found.record["result"].get("base", 0))
    number = verified.index(best) + 1
    print(f"Hand {number}, from the referee's seat: all hands are open. > marks who decides. Lower case")
    print("letters are small tiles (a to j: 1 to 10), upper case letters are large ones.\n")
    print("\n".join(hand_lines(best, title=f"hand {number}")))
    print()
    print_table((f"all {HANDS} hands", ""), tally_rows(tally, 3))
    seconds = time.perf_counter() - started
    print(
        f"\n{len(verified)} hands replayed through the rules: every event, choice and result agrees ({seconds:.1f} s)."
    )
    print(f"The records are in {folder}. To go on from there:\n")
    print(f"  paohuzi replay {file} --show")
    print("  paohuzi selfplay --rules hunan --games 1000 --take-hu")
    print("  paohuzi waits acfghiiCCCDEF --melds peng:eee ti:JJJJ")
    return 0


def main() -> int:
    """Run the demo and give the exit status."""
    return run_quietly(lambda: _play(Path(tempfile.mkdtemp(prefix="paohuzi-demo-"))))


if __name__ == "__main__":
    sys.exit(main())
