"""What came of a tournament: points with intervals, the cross table, ratings, faults, behaviour. No times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np

from benchmarks import blocks as bl
from benchmarks.deals import ELSEWHERE
from benchmarks.intervals import Interval, mean_interval, ratio_intervals, simultaneous, t_interval, trimmed_mean
from benchmarks.plan import Plan, Watch
from benchmarks.ratings import Luce, plackett_luce, points_model
from benchmarks.sequential import confidence_sequence
from benchmarks.variates import Controlled, controlled, variates
from paohuzi_env.core.log import FAULTS
from paohuzi_env.core.state import DEALT, OWN_DRAW
from paohuzi_env.ladder import title

DIGITS: Final = 6
"""Digits behind the point that results are kept with."""
ELSEWHERE_DEALS: Final = 20_000


@dataclass(frozen=True)
class AgentResult:
    """An agent's results. Points are base units a hand and seat.

    Attributes
    ----------
    hands
        Hands it played, counted once for each seat that it had.
    points, points_t, trimmed
        The mean over blocks with its BCa interval, with a t interval, and without the extreme blocks.
    sound
        The same over hands that no fault ended.
    win_rate
        Share of its hands that it won.
    total, title
        All its points, and the title that they give (rules 9.4).
    rating, ranks
        The points model's strength, and the ranks that it leaves open (`ratings.Ratings`).
    luce
        Plackett–Luce; None where somebody won no hand or lost none.
    faults, fault_share
        Hands that its faults ended, by kind, and their share.
    behaviour
        See `behaviour`.
    """

    name: str
    fingerprint: str
    hands: int
    points: Interval
    points_t: Interval
    trimmed: float
    sound: Interval
    win_rate: Interval
    total: int
    title: str
    rating: Interval
    ranks: tuple[int, int]
    luce: Luce | None
    faults: dict[str, int]
    fault_share: float
    behaviour: dict[str, float | None]


@dataclass(frozen=True)
class PairResult:
    """How far agent a is ahead of b where both sit at a table: points a seat, a hand.

    Attributes
    ----------
    margin
        With bounds that hold for all pairs at once.
    alone, alone_t, trimmed
        BCa and t interval of this pair by itself; the mean without the extreme blocks.
    effect
        Mean over standard deviation of a block: what `--sprt` is about. None where blocks are all alike.
    pairing
        How many times as many unpaired hands would be needed. None where nothing varies.
    control
        With control variates, where a reference played.
    excess
        The margin less the difference of ratings (`ratings.Ratings.excess`).
    """

    a: int
    b: int
    hands: int
    margin: Interval
    alone: Interval
    alone_t: Interval
    trimmed: float
    effect: float | None
    pairing: float | None
    control: Controlled | None
    excess: Interval


@dataclass(frozen=True)
class Results:
    """A tournament's results."""

    blocks: int
    hands: int
    drawn_share: float
    fault_share: float
    agents: list[AgentResult]
    pairs: list[PairResult]
    seats: list[Interval]
    baseline: int
    stopped: dict[str, Any] | None
    sequence: Interval | None = None
    plan: dict[str, Any] = field(default_factory=dict)


def results_of(
    plan: Plan, manifest: dict[str, Any], hands: Any, watch: Watch, baseline: int = 0, *, seed: int = 0
) -> Results:
    """Sum up the hands of a tournament.

    Parameters
    ----------
    plan, manifest
        What was played.
    hands
        Its HANDs, those of the reference among them.
    watch
        What looked on.
    baseline
        The agent that ratings are anchored at.
    seed
        Of the resamples.
    """
    names = [agent["name"] for agent in manifest["agents"]]
    k = len(names)
    own = hands[(hands["agents"][:, 0] < k)]
    reference = hands[hands["agents"][:, 0] >= k]
    ratings = points_model(own, k, plan.rule_set.seats, baseline, seed=seed)
    return Results(
        blocks=len(np.unique(own["block"])),
        hands=len(own),
        drawn_share=float(bl.drawn(own).mean()),
        fault_share=float(bl.faulty(own).mean()),
        agents=_agents(own, manifest["agents"], ratings, plackett_luce(own, k, baseline), seed),
        pairs=_pairs(own, reference, plan, ratings.excess, seed),
        seats=ratings.seats,
        baseline=baseline,
        stopped=watch.reason,
        sequence=_sequence(watch),
        plan=manifest,
    )


def _agents(own: Any, about: Sequence[dict[str, Any]], ratings: Any, luce: Any, seed: int) -> list[AgentResult]:
    k = len(about)
    one = np.ones(own["agents"].shape)
    sound = ~bl.faulty(own)[:, None] * one
    scores = own["scores"].astype(np.float64)
    counts = bl.sums_by_agent(own, one, k)
    points = bl.sums_by_agent(own, scores, k)
    above = np.concatenate([points, bl.sums_by_agent(own, scores * sound, k), bl.sums_by_agent(own, bl.won(own), k)], 1)
    below = np.concatenate([counts, bl.sums_by_agent(own, sound, k), counts], 1)
    bounds = ratio_intervals(above, below, seed=seed)
    at_fault = own["agents"][np.arange(len(own)), own["fault_seat"]]
    found = []
    for i, agent in enumerate(about):
        there = counts[:, i] > 0
        means = points[there, i] / counts[there, i]
        kinds = np.bincount(own["fault_kind"][bl.faulty(own) & (at_fault == i)], minlength=len(FAULTS))
        total = int(points[:, i].sum())
        found.append(
            AgentResult(
                name=agent["name"], fingerprint=agent["fingerprint"], hands=int(counts[:, i].sum()), points=bounds[i],
                points_t=t_interval(means), trimmed=trimmed_mean(means), sound=bounds[k + i],
                win_rate=bounds[2 * k + i], total=total, title=title(total), rating=ratings.strengths[i],
                ranks=ratings.ranks[i], luce=None if luce is None else luce[i],
                faults={name: int(n) for name, n in zip(FAULTS, kinds, strict=True) if n},
                fault_share=float(kinds.sum() / counts[:, i].sum()), behaviour=behaviour(own, i),
            )
        )  # fmt: skip
    return found


def _pairs(
    own: Any, reference: Any, plan: Plan, excess: dict[tuple[int, int], Interval], seed: int
) -> list[PairResult]:
    met = [pair for pair in combinations(range(len(plan.agents)), 2) if pair in excess]
    table = np.stack([bl.margins(own, a, b) for a, b in met], axis=1)
    bounds, _ = simultaneous(table, seed=seed)
    chance = elsewhere = None
    if len(reference):
        chance, elsewhere = variates(reference), variates(_played_elsewhere(plan))
    found = []
    for column, (a, b) in enumerate(met):
        values = table[:, column]
        deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        found.append(
            PairResult(
                a=a, b=b, hands=int(bl.margin_sums(own, a, b)[1].sum()), margin=bounds[column],
                alone=mean_interval(values, seed=seed), alone_t=t_interval(values), trimmed=trimmed_mean(values),
                effect=float(values.mean() / deviation) if deviation > 0 else None,
                pairing=bl.pairing_gain(own, a, b),
                control=None if chance is None or elsewhere is None else controlled(values, chance, elsewhere),
                excess=excess[a, b],
            )
        )  # fmt: skip
    return found


def _played_elsewhere(plan: Plan) -> Any:
    """The reference's hands against itself on deals of its own."""
    from agents.registry import make
    from benchmarks.arena import play_blocks

    assert plan.reference is not None
    agent = make(plan.reference, plan.rule_set, seed=plan.seed)
    try:
        blocks = range(ELSEWHERE, ELSEWHERE + ELSEWHERE_DEALS)
        return play_blocks([agent], plan.deal_set(), blocks, groups=[(0,)]).hands
    finally:
        agent.close()


def _sequence(watch: Watch) -> Interval | None:
    """The confidence sequence's bounds at the end."""
    if watch.clip is None or len(watch.margins) == 0:
        return None
    low, high = confidence_sequence(watch.margins, watch.clip)
    value = float(np.clip(watch.margins, -watch.clip, watch.clip).mean())
    return Interval(value, float(low[-1]), float(high[-1]))


def behaviour(hands: Any, agent: int) -> dict[str, float | None]:
    """What an agent does: counts a hand, and shares; None where there was no occasion.

    chi, peng, pao, wei, ti, bi: a hand. chi_taken, peng_taken: of the windows it was asked in. hu_passed: of the wins
    offered to it. fed: of its discards, those that another seat claimed; fed_hu: hands a discard of its own gave away.
    self_drawn: of its wins. huxi, base: mean of its wins. decisions: a hand.
    """
    mine = hands["agents"] == agent
    wins = bl.won(hands) & mine
    taken = hands["win_source"] != DEALT  # the forced win asks nobody

    def count(name: str) -> int:
        return int(hands[name][mine].sum())

    def share(above: float, below: float) -> float | None:
        return float(above / below) if below else None

    n, won = int(mine.sum()), int(wins.sum())
    rows = wins.any(1)
    hu = int((wins & taken[:, None]).sum())
    return {
        **{name: share(count(name), n) for name in ("chi", "peng", "pao", "wei", "ti", "bi")},
        "chi_taken": share(count("chi"), count("chi") + count("pass_chi")),
        "peng_taken": share(count("peng"), count("peng") + count("pass_peng")),
        "hu_passed": share(count("pass_hu"), count("pass_hu") + hu),
        "fed": share(count("fed"), count("discards")),
        "fed_hu": share(count("fed_hu"), n),
        "self_drawn": share(int((wins & (hands["win_source"] == OWN_DRAW)[:, None]).sum()), won),
        "huxi": share(int(hands["huxi"][rows].sum()), won),
        "base": share(int(hands["base"][rows].sum()), won),
        "decisions": share(count("decisions"), n),
    }


def rounded(value: Any) -> Any:
    """Plain values for JSON: floats to `DIGITS`, what is no number as null."""
    if isinstance(value, dict):
        return {key: rounded(below) for key, below in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(below) for below in value]
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0 if math.isfinite(value) else None
    return value
