"""How fast the hand evaluator judges: ``python -m benchmarks.evaluator``.

Positions are those that uniformly random play reaches: at each decision one seat that waits for a tile (not one that
owes a discard, which no tile can complete). They lie in one array of games, and one call goes through all of them, so
the figures are the kernels' own, a CPU-second of one core each. Beside them stands a fixed integer loop, timed in the
same run: the ratio of the two is what compares machines.

| figure | one of it |
|---|---|
| verdicts | does one tile, drawn by another, win for one seat (20 kinds of each position) |
| waits | the whole list of a seat: 20 kinds, for its own draws and for others' |
| ready | the same, of positions that wait for a tile at least (random play seldom gets there) |
| calibration | rounds of the integer loop |
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibrate import calibrate
from benchmarks.measure import Case, repeating
from paohuzi_env.core import state as st
from paohuzi_env.core import waits as core
from paohuzi_env.game import Game
from paohuzi_env.notation import parse_tiles
from paohuzi_env.rules import RuleSet, empty_evals, rule_set

RUNS: Final = 5
LEAST_SECONDS: Final = 0.3
CALIBRATION_ROUNDS: Final = 1_000_000
SLOW_HANDS: Final = ("DccddeeffggCCDEEFFG**", "GddeeffgghDDEEFFGHH**", "JaabcdeefgAABBCDDEG**")
"""The tile drawn, then the hand."""
TARGETS: Final = {"verdicts": 3_000_000, "waits": 100_000}
"""What the evaluator is meant to reach, a second."""


def random_positions(count: int, rules: RuleSet | str = "hunan", seed: int = 0) -> tuple[Any, NDArray[np.int64]]:
    """Positions of random play, each with a seat that waits for a tile.

    Returns
    -------
    tuple
        The games (GAME records) and for each the seat.
    """
    rules = rule_set(rules)
    games = st.allocate(count, st.GAME)
    seats = np.zeros(count, np.int64)
    found = _waiting_seats(rules, seed)
    for i in range(count):
        game, seats[i] = next(found)
        games[i] = game.record
    return games, seats


def ready_positions(count: int, rules: RuleSet | str = "hunan", seed: int = 0) -> tuple[Any, NDArray[np.int64]]:
    """As `random_positions`, but only seats that some tile would win for."""
    rules = rule_set(rules)
    games = st.allocate(count, st.GAME)
    seats = np.zeros(count, np.int64)
    evals, out = empty_evals(), st.allocate(1, core.WAITS)
    n = 0
    for game, seat in _waiting_seats(rules, seed):
        games[n] = game.record
        core.list_waits(games, n, seat, rules.record, evals, out)
        if out["kinds"].any():
            seats[n] = seat
            n += 1
            if n == count:
                break
    return games, seats


def _waiting_seats(rules: RuleSet, seed: int) -> Iterator[tuple[Game, int]]:
    chance = random.Random(seed)
    index = 0
    while True:
        game = Game.deal(rules, seed, index)
        index += 1
        while not game.over:
            owing = game.actor if game.phase in ("discard", "bi") else None
            yield game, chance.choice([s for s in range(rules.seats) if s != owing])
            game.step(chance.choice(game.legal_actions))


def rate(work: Callable[[], object], units: int, runs: int = RUNS) -> float:
    """Units a CPU-second: the median of `runs` runs of `LEAST_SECONDS` at least, after one to warm up."""
    work()
    rates = []
    for _ in range(runs):
        rounds = 0
        start = time.process_time()
        while (spent := time.process_time() - start) < LEAST_SECONDS:
            work()
            rounds += 1
        rates.append(rounds * units / spent)
    return statistics.median(rates)


def worst_wild_hand(count: int = 2000, seed: int = 0) -> float:
    """Milliseconds of the slowest single verdict on an own draw of a hand with both wild tiles.

    Asked without a least number of huxi, so that no use of the wild tiles is cut short; of random hands and of those
    that a search for slow ones has found.
    """
    rules = rule_set({"preset": "yongzhou", "min_huxi": 0})
    games, evals = st.allocate(1, st.GAME), empty_evals()
    chance = random.Random(seed)
    deck = [kind for kind in range(20) for _ in range(3)]
    hands = [parse_tiles(text) for text in SLOW_HANDS]
    hands += [[*chance.sample(deck, rules.hand_size - 1), 20, 20] for _ in range(count)]
    worst = 0.0
    for kind, *hand in hands:
        games[:] = np.zeros(1, st.GAME)
        counts = np.bincount(hand, minlength=21)
        core.place_seat(games, 0, rules.record, 0, counts, np.zeros((0, 3), np.int64))
        evals["source"], evals["kind"], evals["explain"] = st.OWN_DRAW, kind, 1
        times = []
        for _ in range(5):  # the least of them: what the machine does beside is not the hand's
            start = time.perf_counter()
            core.judge_drawn(games, 0, rules.record, evals)
            times.append(time.perf_counter() - start)
        worst = max(worst, min(times))
    return worst * 1000


def cases(rules: RuleSet | str = "hunan", positions: int = 2000, seed: int = 0) -> list[Case]:
    """The rates as cases of the suite, which take turns with others."""
    return [
        Case(name, "evaluator", "waits" if "waits" in name else "verdicts", repeating(partial(_counted, work, units)))
        for name, work, units in _works(rule_set(rules), positions, seed)
    ]


def measure(rules: RuleSet | str = "hunan", positions: int = 2000, runs: int = RUNS, seed: int = 0) -> dict[str, float]:
    """All figures by name: rates a CPU-second, and the slowest wild hand in milliseconds."""
    figures = {"calibration": rate(partial(calibrate, CALIBRATION_ROUNDS), CALIBRATION_ROUNDS, runs)}
    for name, work, units in _works(rule_set(rules), positions, seed):
        figures[name] = rate(work, units, runs)
    figures["worst wild hand, ms"] = worst_wild_hand()
    return figures


def _works(rules: RuleSet, positions: int, seed: int) -> Iterator[tuple[str, Callable[[], object], int]]:
    """Name, one call of the work, and the units of it."""
    evals = empty_evals()
    for name, collect, count in (
        ("", random_positions, positions),
        ("ready ", ready_positions, positions // 10),
    ):
        games, seats = collect(count, rules, seed)
        out = st.allocate(count, core.WAITS)
        verdicts = partial(core.count_wins, games, seats, rules.record, evals)
        lists = partial(core.list_many_waits, games, seats, rules.record, evals, out)
        yield f"{name}verdicts", verdicts, 20 * count
        yield f"{name}waits", lists, count


def _counted(work: Callable[[], object], units: int) -> int:
    work()
    return units


def main() -> None:
    """Print the figures, their targets, and their ratios to the calibration loop."""
    figures = measure()
    print(f"{'figure':22}{'a CPU-second':>16}{'target':>12}{'to calibration':>16}")
    for name, value in figures.items():
        if name.endswith("ms"):
            print(f"{name:22}{value:16.3f}{1:12}")
            continue
        target = f"{TARGETS[name]:,}" if name in TARGETS else ""
        print(f"{name:22}{value:16,.0f}{target:>12}{value / figures['calibration']:16.6f}")


if __name__ == "__main__":
    main()
