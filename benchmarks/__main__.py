"""`python -m benchmarks`: how strong agents are, and how fast the environment is.

Results go to standard output, progress and errors (one line) to standard error. Exit status: 0 done, 1 something is
wrong with what was given, 2 the command line is none, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Final, Literal, TypeAlias

import tyro

from benchmarks.deals import Name, Purpose
from benchmarks.plan import Plan, TournamentError, default_kind, split_agents
from benchmarks.schedule import Kind
from benchmarks.sequential import LEAST_BLOCKS
from benchmarks.speed import Options
from paohuzi_env.cli import Command, named, run, utf8
from paohuzi_env.rules import rule_set

_Agents: TypeAlias = Annotated[tuple[str, ...], named("AGENT ...")]
_Rules: TypeAlias = Annotated[str, named("RULES")]
_Number: TypeAlias = Annotated[int, named("N")]
_Folder: TypeAlias = Annotated[Path, named("DIR")]
_Records: TypeAlias = Annotated[Path | None, named("DIR", "")]
_Agent: TypeAlias = Annotated[str | None, named("AGENT", "")]
_Effects: TypeAlias = Annotated[tuple[float, float] | None, named("T0 T1", "")]
_Points: TypeAlias = Annotated[float | None, named("POINTS", "")]
ABOUT: Final = "How strong agents of Paohuzi are, and how fast the environment is."


def tournament(
    *, agents: _Agents, blocks: _Number = 1000, rules: _Rules = "hunan", schedule: Literal["auto", Kind] = "auto",
    deals: Name = "validation", purpose: Purpose = "report", first: _Number = 0, hands_per_match: _Number = 1,
    seed: _Number = 0, baseline: _Agent = None, reference: _Agent = None, sprt: _Effects = None, alpha: float = 0.05,
    beta: float = 0.05, least: _Number = LEAST_BLOCKS, anytime: _Points = None, out: _Folder = Path("runs/tournament"),
    record: _Records = None, resume: bool = False, chunk: _Number = 256, workers: _Number = 1,
    backend: Literal["loky", "ray", "dask"] = "loky",
) -> Command:  # fmt: skip
    """Play agents against each other on the same deals in every seating, and say what is known of who is better.

    A block is one deal in all seatings: 6 hands for three agents at a table, 3 + 3 for two. The same plan gives the
    same results on any number of workers, killed and resumed as often as you like.

    Example: python -m benchmarks tournament --agents heuristic greedy uniform --blocks 500 --out runs/first

    Parameters
    ----------
    agents
        Two or more, as "greedy" or "search:playouts=200"; with spaces or commas between.
    blocks
        Most deal blocks.
    rules
        A preset's name, a .toml or .json file, or inline JSON.
    schedule
        pairs: each two; gauntlet: the first and each other; tables: each three (two where two play) at a table.
        auto: tables where the agents just fill one, else pairs.
    deals
        The deal set.
    purpose
        What for: the test set is refused to tuning.
    first
        Number of the first block.
    hands_per_match
        Hands of a match; a block is then a match in every seating.
    seed
        The agents' seed, where their texts say none.
    baseline
        The agent that ratings are anchored at; the first one by default.
    reference
        A fixed agent whose hands against itself tell what is at stake in a deal: control variates.
    sprt
        Stop once a sequential test (GSPRT) decides between these effects of the first agent against the second: mean
        over standard deviation of a block's margin.
    alpha
        With --sprt: bound for the chance to accept T1 where T0 is true.
    beta
        With --sprt: bound for the chance to accept T0 where T1 is true.
    least
        With --sprt: blocks before which nothing is decided.
    anytime
        Stop once an interval that holds at every moment leaves 0 out; margins are clipped to ±POINTS.
    out
        The folder of the run.
    record
        Write every hand's record into this folder.
    resume
        Go on with the run that the folder holds.
    chunk
        Blocks that are played together and written whole; smaller for slow agents.
    workers
        Processes.
    backend
        What they run on; a cluster is found by RAY_ADDRESS or DASK_SCHEDULER_ADDRESS.
    """
    return partial(
        _tournament, agents, blocks, rules, schedule, deals, purpose, first, hands_per_match, seed, baseline, reference,
        None if sprt is None else (*sprt, alpha, beta, least), anytime, out, record, resume, chunk, workers, backend,
    )  # fmt: skip


def _tournament(
    texts: tuple[str, ...], blocks: int, rules: str, schedule: Literal["auto", Kind], deals: str, purpose: str,
    first: int, hands_per_match: int, seed: int, baseline: str | None, reference: str | None,
    sprt: tuple[float, float, float, float, int] | None, anytime: float | None, out: Path, record: Path | None,
    resume: bool, chunk: int, workers: int, backend: str,
) -> int:  # fmt: skip
    from benchmarks.tournament import tournament

    if workers < 1:
        raise TournamentError(f"workers = {workers}; allowed: from 1")
    agents, chosen = split_agents([utf8(text) for text in texts]), rule_set(rules)
    kind = default_kind(len(agents), chosen.seats) if schedule == "auto" else schedule
    plan = Plan(
        agents, chosen.spec, deals, purpose, kind, first, blocks, min(chunk, max(blocks, 1)), hands_per_match, seed,
        reference, sprt, anytime,
    )  # fmt: skip
    return tournament(plan, out, record, baseline=baseline, resume=resume, workers=workers, backend=backend)


def report(
    folder: Annotated[tyro.conf.Positional[Path], named("DIR")], /, *, baseline: _Agent = None
) -> Command:  # fmt: skip
    """Make tables and page anew from what a tournament has played so far.

    Example: python -m benchmarks report runs/first --baseline uniform

    Parameters
    ----------
    folder
        The folder of the run.
    baseline
        The agent that ratings are anchored at; the first one by default.
    """

    def command() -> int:
        from benchmarks.tournament import report

        return report(folder, baseline)

    return command


def simulate(
    *, agents: _Agents = ("greedy", "uniform"), rules: _Rules = "hunan", pool: _Number = 4000,
    blocks: tuple[int, ...] = (100, 400), runs: _Number = 2000, effect: float = 0.15, seed: _Number = 0,
) -> Command:  # fmt: skip
    """Measure the arena itself: coverage of its intervals, errors of its sequential test, what pairing saves.

    Blocks of two agents are really played; tournaments are then drawn from them, so that the truth is known.

    Example: python -m benchmarks simulate --agents greedy uniform --runs 2000

    Parameters
    ----------
    agents
        Two agents.
    rules
        The rule set.
    pool
        Blocks that are played.
    blocks
        Blocks of a simulated tournament; several numbers, several sizes.
    runs
        Simulated tournaments of each size.
    effect
        The sequential test is of effect 0 against this one.
    seed
        Of the simulation.
    """

    def command() -> int:
        from benchmarks.simulate import simulate

        return simulate(split_agents(agents), rules, pool, blocks, runs, effect, seed)

    return command


def speed(options: Annotated[Options, tyro.conf.OmitArgPrefixes]) -> Command:
    """How fast the environment is, beside a calibration loop and beside other environments.

    Example: python -m benchmarks speed --quick
    """

    def command() -> int:
        from benchmarks.speed import measure

        return measure(options)

    return command


COMMANDS: Final[dict[str, Callable[..., Command]]] = {
    "tournament": tournament,
    "report": report,
    "simulate": simulate,
    "speed": speed,
}


def main() -> int:
    """Run the process's command line."""
    return run(COMMANDS, program="python -m benchmarks", about=ABOUT)


if __name__ == "__main__":
    sys.exit(main())
