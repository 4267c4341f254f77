"""The heuristic player: rules of thumb of a good player over the best plan of its own hand.

Every position that an action leads to is worth

    plan_worth + floor_worth + pattern_worth - danger

in logarithms of expected points: how likely the doors that its plan lacks come (`agents.plan`), how likely the huxi
reach the floor and what a win then pays, which scoring patterns are near, and what a discard gives to the others.
Each rule of thumb is a kernel of its own; the numbers in them are `WEIGHTS`.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from math import exp, log, nan
from typing import Any, ClassVar, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from agents.base import CompiledAgent
from agents.own_hand import (
    OWN_HAND,
    SIGHT,
    chance_of_chi,
    count_unseen,
    load_hand,
    load_melds,
    may_hold_pair,
    move_chi,
    move_peng,
    move_tile,
    note_met,
    set_rows,
)  # fmt: skip
from agents.plan import CHANCES, PLAN, STEP, find_plan, prepare_plans
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import CHI, HU, NUM_ACTIONS, PAO, PASS, PENG
from paohuzi_env.core.chi import group_options
from paohuzi_env.core.features import place_melds
from paohuzi_env.core.melds import lay, set_hand_sums
from paohuzi_env.core.state import (
    BI_WINDOW,
    DA_ZI,
    DIAN_HU,
    DISCARDING,
    DUI_DUI_HU,
    H_KAN,
    H_PAO,
    H_PENG,
    H_WEI,
    HONG_HU,
    HONG_WU,
    OTHER_DRAW,
    OWN_DRAW,
    PAO_MELD,
    PENG_MELD,
    WU_HU,
    XIAO_ZI,
)  # fmt: skip
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, SHAPES, WILD, is_red
from paohuzi_env.core.waits import judge_draw
from paohuzi_env.rules import RuleSet, rule_set
from paohuzi_env.search import Policy

WEIGHTS: Final[dict[str, tuple[float, float, str]]] = {
    "door": (2.16, 2.568, "worth of a whole door"),
    "excess": (1.7, 2.067, "taken off for each door in the plan beyond those that are needed"),
    "never": (-3.71, -2.35, "logarithm of the chance that a tile comes of which none is left"),
    "chi_drawn": (0.158, 0.104, "share of a kind's tiles in the wall that come by chi"),
    "chi_fed": (0.03, 0.01, "share of a kind's tiles in other hands that come by chi"),
    "peng_drawn": (1.56, 0.01, "share of a pair's tiles in the wall that come by peng or wei"),
    "peng_fed": (0.306, 0.466, "share of a pair's tiles in other hands that come by peng"),
    "hu_drawn": (0.2, 0.146, "share of a kind's tiles in the wall that can be won on"),
    "stale": (0.23, 0.232, "what is left of a kind's tiles where it is stale"),
    "wei": (0.18, 0.246, "share of pairs that become a wei rather than a peng"),
    "quad": (0.752, 0.913, "share of fourth tiles in the wall that make a pao or ti"),
    "huxi_low": (0.127, 0.01, "worth of a huxi in choosing a plan, where the floor is reached"),
    "huxi_high": (0.169, 0.108, "worth of a huxi in choosing a plan, where the floor is far"),
    "floor_shift": (0.929, 0.404, "huxi that are added to those of the plan before the floor is looked at"),
    "floor_width": (1.09, 1.624, "huxi by which the plan may err"),
    "payoff": (1.25, 1.322, "worth of the logarithm of what a win pays"),
    "feed_peng": (0.108, 0.046, "worth of a peng to the seat that is given it"),
    "feed_chi": (0.16, 0.15, "worth of a chi to the next seat"),
    "feed_pao": (0.243, 0.287, "worth of a pao to the seat that is given it"),
    "feed_hu": (0.742, 0.273, "worth of a win on a discard, where the rules have it"),
    "ready": (1.0, 1.04, "added to the worth of a hand that waits for one tile, which is reckoned exactly"),
    "ready_pay": (1.3, 1.033, "worth of the logarithm of what such a hand is paid"),
    "ready_fed": (0.3, 0.183, "share of a kind's tiles in other hands that can be won on, where the rules have it"),
    "threat": (0.108, 0.191, "by how much of it each meld of a seat makes it more dangerous to give it something"),
    "dead": (0.486, 0.605, "taken off where the next intake may leave nothing to discard"),
    "claim_peng": (-0.026, 0.038, "added to a peng: the hand is nearer by more than the plan says"),
    "claim_chi": (-0.109, -0.093, "added to a chi"),
    "points": (3.66, 1.369, "logarithm of the points that a position of worth 0 is good for"),
    "pattern": (0.149, 0.066, "worth of the logarithm of the fan that may be expected"),
    "pattern_near": (0.549, 0.668, "tiles by which colours and sizes may still change, for a whole hand"),
    "pattern_far": (0.737, 1.788, "and for each door that is still to be made"),
    "alike": (1.01, 0.133, "worth of the logarithm of the fan of a hand of pengs, kan and quads"),
}
"""Weight -> its value, its value where a discard can be won on, and what it means."""
NAMES: Final = tuple(WEIGHTS)
(
    DOOR, EXCESS, NEVER, CHI_DRAWN, CHI_FED, PENG_DRAWN, PENG_FED, HU_DRAWN, STALE, WEI_SHARE, QUAD, HUXI_LOW,
    HUXI_HIGH, FLOOR_SHIFT, FLOOR_WIDTH, PAYOFF, FEED_PENG, FEED_CHI, FEED_PAO, FEED_HU, READY, READY_PAY, READY_FED,
    THREAT, DEAD, CLAIM_PENG, CLAIM_CHI, POINTS, PATTERN, PATTERN_NEAR, PATTERN_FAR, ALIKE,
) = range(len(NAMES))  # fmt: skip

MOST: Final = 100.0
LIMITS: Final = {
    **dict.fromkeys(("chi_drawn", "chi_fed", "peng_drawn", "peng_fed", "hu_drawn", "stale", "quad"), (0.0, MOST)),
    **dict.fromkeys(("floor_width", "pattern_near"), (0.01, MOST)),
    **dict.fromkeys(("pattern_far", "pattern", "alike", "ready_fed"), (0.0, MOST)),
    "points": (-20.0, 20.0),
    "never": (-20.0, -0.1),
    "wei": (0.0, 1.0),
}
"""Weight -> least and most, where not every number up to MOST makes sense."""

FINE: Final = 4
"""Entries of the floor table for a huxi."""
FLOORS: Final = 100 * FINE
BY_LARGE: Final = 3  # after the red tiles: with none, one, more of them in melds
BY_SMALL: Final = 4
BY_ALIKE: Final = 5

NOTHING: Final = -1e9

GAME_HERE: Final = st.allocate(0, st.GAME).dtype
EVAL_HERE: Final = st.allocate(0, st.EVAL).dtype
REST: Final = [
    ("share", "f8", (3,)),  # of the unseen tiles in the hand of each seat
    ("quad_share", "f8"),  # of the fourth tiles that will make a pao or ti
    ("win_share", "f8"),  # of the unseen tiles that can be won on
    ("game", GAME_HERE),  # for the evaluator
    ("eval", EVAL_HERE),
    ("danger", "f8", (20,)),  # of discarding each kind that the hand holds
    ("base_huxi", "f8"),  # of melds and kan, with the quads that they may become
    ("action_worth", "f8", (NUM_ACTIONS,)),  # of each action, in points
]
THOUGHTS: Final = np.dtype([*SIGHT, *REST, *OWN_HAND, *PLAN], align=True)
"""The scratch record."""


# --- what may come ----------------------------------------------------------------------------------------------------


@kernel
def expect_tiles(v: Any, r: Any, w: Any, p: Any) -> None:
    """How many tiles of each kind can be expected to come, by chi, by peng, and as a draw of anybody."""
    others = 0
    for s in range(v.players):
        if s != v.seat:
            others += v.hand_n[s]
    all_unseen = max(v.wall_left + others, 1)
    in_wall = v.wall_left / all_unseen
    in_hands = (1.0 - in_wall) * min(v.wall_left / 10.0, 1.0)
    for s in range(3):
        p.share[s] = v.hand_n[s] / all_unseen
    chi = w[CHI_DRAWN] * in_wall + w[CHI_FED] * in_hands
    peng = w[PENG_DRAWN] * in_wall + w[PENG_FED] * in_hands
    hu = w[HU_DRAWN] * in_wall
    p.win_share = in_wall + (w[READY_FED] * in_hands if r.hu_on_discard else 0.0)
    for k in range(KINDS):
        n = p.unseen[k]
        p.chi_comes[k] = n * chi * (w[STALE] if v.stale_chi >> k & 1 else 1.0)
        p.peng_comes[k] = n * peng * (w[STALE] if v.stale_peng >> k & 1 else 1.0)
        p.draw_comes[k] = n * hu
        p.pair_huxi[k] = w[WEI_SHARE] * r.huxi[H_WEI, k] + (1.0 - w[WEI_SHARE]) * r.huxi[H_PENG, k]
    p.quad_share = w[QUAD] * in_wall


@kernel
def sure_huxi(v: Any, r: Any, p: Any) -> float:
    """Huxi of melds and kan, with what they are expected to gain as pao and ti."""
    huxi = float(v.huxi[v.seat] + v.kan_huxi)
    for m in range(v.melds_n[v.seat]):
        kind = v.meld_kind[v.seat, m]
        t = v.meld_type[v.seat, m]
        if t < PAO_MELD and kind != NO_TILE:
            before = r.huxi[H_PENG if t == PENG_MELD else H_WEI, kind]
            huxi += p.unseen[kind] * p.quad_share * (r.huxi[H_PAO, kind] - before)
    for k in range(KINDS):
        if v.hand[k] == 3:
            huxi += p.unseen[k] * p.quad_share * (r.huxi[H_PAO, k] - r.huxi[H_KAN, k])
    return huxi


# --- rules of thumb ---------------------------------------------------------------------------------------------------


@kernel
def huxi_price(r: Any, w: Any, huxi: float, doors: int) -> float:
    """What a huxi is worth in choosing a plan: the more each door that is left must bring, the more."""
    each = (r.min_huxi - huxi) / max(doors, 1)
    return w[HUXI_LOW] + (w[HUXI_HIGH] - w[HUXI_LOW]) * min(max(each / 3.0, 0.0), 1.0)


@kernel
def floor_worth(floors: Any, huxi: float) -> float:
    """What so many expected huxi are worth: whether they reach the floor, and what a win with them pays."""
    return floors[min(int(huxi * FINE), FLOORS - 1)]


@kernel
def danger(v: Any, r: Any, w: Any, p: Any, k: int) -> float:
    """What discarding `k` gives to the others: peng, pao, chi, and where discards can be won on the hand."""
    n = p.unseen[k]
    cost = 0.0
    following = v.seat + 1 if v.seat + 1 < v.players else 0
    for s in range(v.players):
        if s == v.seat:
            continue
        q = p.share[s]
        threat = 1.0 + w[THREAT] * v.melds_n[s]
        use = 0.0
        if may_hold_pair(v, p, s, k):
            pair = q * q * (1.0 if n == 2 else 3.0 * (1.0 - q))
            cost += threat * w[FEED_PENG] * pair
            use += pair
        if n == 3 and v.cap[s, k] >= 3:
            cost += threat * w[FEED_PAO] * q * q * q
        if s == following and v.dead[s] == 0 and p.met_next >> k & 1 == 0:
            chi = chance_of_chi(p, k, q)
            cost += threat * w[FEED_CHI] * chi
            use += chi
        if r.hu_on_discard:
            cost += threat * w[FEED_HU] * use / (1.0 + v.hand_n[s])
    return cost


@kernel
def pattern_worth(r: Any, w: Any, fans: Any, p: Any) -> float:
    """What the scoring patterns are worth that colours, sizes and pairs of hand and melds may make."""
    red, large, small = p.laid[0], p.laid[1], p.laid[2]
    pairs = 0
    for k in range(KINDS):
        n = p.hand[0, k]
        if n:
            red += n * is_red(k)
            pairs += n == 2
            if k < RANKS:
                small += n
            else:
                large += n
    left = min(max(r.doors - p.melds - p.kans, 0), 7)
    worth = fans[min(p.laid[0], 2), left, min(red, 27)]
    worth += fans[BY_LARGE, left, min(large, 27)] + fans[BY_SMALL, left, min(small, 27)]
    if p.chis == 0 and r.pat_present[DUI_DUI_HU]:
        alike = p.melds + p.kans + pairs
        if alike + 2 >= r.doors:
            worth += fans[BY_ALIKE, left, min(alike, 27)]
    return worth


@kernel
def place_hand(v: Any, r: Any, p: Any) -> None:
    """Put the hand in `p` and its melds into seat 0 of the scratch game."""
    g = p.game
    for k in range(WILD + 1):
        g.hand[0, k] = p.hand[0, k]
    set_hand_sums(g, r, 0)
    place_melds(v, r, g)
    for m in range(p.new_n):
        lay(g, r, 0, p.new[m, 0], p.new[m, 1], p.new[m, 2], -1)


@kernel
def ready_worth(v: Any, r: Any, w: Any, p: Any) -> float:
    """What a hand is worth that waits for its last tile: every tile that may come is judged. NEVER if none wins."""
    place_hand(v, r, p)
    g, e = p.game, p.eval
    e.seat = 0
    e.explain = 0
    e.turned = 0
    e.first_discard = 0
    e.last_tile = 0
    e.no_intake = v.intake[v.seat] == 0 and p.new_n == 0
    e.drawn_before = v.drawn_before
    tiles = 0.0
    paid = 0.0
    for k in range(KINDS):
        n = float(p.unseen[k])
        if n == 0 or v.stale_hu[k] == p.huxi:
            continue
        e.kind = k
        e.source = OWN_DRAW if g.hand[0, WILD] else OTHER_DRAW
        hu = judge_draw(g, r, e)
        if not hu and e.source == OTHER_DRAW and r.own_draw_melds and g.hand[0, k] >= 2:
            e.source = OWN_DRAW
            hu = judge_draw(g, r, e)
            n /= 3.0
        if hu:
            tiles += n
            paid += n * e.base
    if tiles == 0.0:
        return NOTHING
    expected = tiles * p.win_share
    return log(1.0 - exp(-expected)) + w[READY_PAY] * log(0.5 + paid / tiles) + w[READY]


# --- positions --------------------------------------------------------------------------------------------------------


@kernel
def hand_worth(v: Any, r: Any, data: Any, p: Any) -> float:
    """What the hand in `p` is worth in logarithms, a door of its own included for each meld."""
    w = data[0]
    set_rows(r, p)
    doors = max(r.doors - p.melds - p.kans, 0)
    find_plan(p, doors)
    huxi = p.base_huxi + (p.huxi - v.huxi[v.seat]) + p.plan_huxi
    if p.plan_doors >= doors and p.plan_lacks <= 1 and w[READY] > -5.0:
        worth = ready_worth(v, r, w, p)
        if worth > NOTHING:
            return worth
    worth = p.plan_worth - p.per_huxi * p.plan_huxi - p.door * doors
    if p.pairs and p.kans and p.quads[0] == 0 and p.hand_n[0] - 3 * p.kans == 2:
        worth -= w[DEAD]
    return worth + floor_worth(data[2], huxi) + pattern_worth(r, w, data[3], p)


@kernel
def points(w: Any, worth: float) -> float:
    """A worth in points."""
    return exp(worth + w[POINTS])


@kernel
def worth_after(v: Any, r: Any, data: Any, p: Any) -> float:
    """What the hand is worth in points, after the best discard where one is owed."""
    w = data[0]
    if p.hand_n[0] % 3 != (2 if p.quads[0] else 0):
        return points(w, hand_worth(v, r, data, p))
    best = NOTHING
    for k in range(KINDS):
        if p.hand[0, k] == 1 or p.hand[0, k] == 2:
            move_tile(p, k, -1)
            best = max(best, points(w, hand_worth(v, r, data, p)) - p.danger[k])
            move_tile(p, k, 1)
    return best


@kernel
def worth_with_bi(v: Any, r: Any, data: Any, p: Any, kind: int) -> float:
    """`worth_after` the best bi group, where copies of the eaten tile are left."""
    if p.hand[0, kind] == 0:
        return worth_after(v, r, data, p)
    best = NOTHING
    set_rows(r, p)
    options = group_options(p, 0, kind, 1)
    for shape in range(SHAPES):
        if options >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, 1, 1)
            best = max(best, worth_after(v, r, data, p))
            move_chi(r, p, kind, shape, 1, -1)
    return best


@kernel
def weigh_groups(v: Any, r: Any, data: Any, p: Any, kind: int, from_hand: int) -> None:
    """What the hand is worth after each chi (or bi) of `kind`."""
    for shape in range(SHAPES):
        if v.legal >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, from_hand, 1)
            p.action_worth[CHI + shape] = worth_with_bi(v, r, data, p, kind)
            move_chi(r, p, kind, shape, from_hand, -1)


@kernel
def weigh_discards(v: Any, r: Any, data: Any, p: Any) -> None:
    """What the hand is worth after each discard, what it gives to the others taken off."""
    for k in range(KINDS):
        if v.legal >> k & 1:
            move_tile(p, k, -1)
            p.action_worth[k] = points(data[0], hand_worth(v, r, data, p)) - p.danger[k]
            move_tile(p, k, 1)


@kernel
def survey(v: Any, r: Any, data: Any, p: Any) -> None:
    """Look at the table and price the parts of the hand."""
    w = data[0]
    load_hand(v, p)
    load_melds(v, p)
    set_rows(r, p)
    count_unseen(v, r, p)
    note_met(v, p)
    expect_tiles(v, r, w, p)
    if v.phase > DISCARDING and v.phase < BI_WINDOW:  # what is passed is stale (5.8)
        p.chi_comes[v.live] *= w[STALE]
        p.peng_comes[v.live] *= w[STALE]
    for k in range(KINDS):
        if 0 < p.hand[0, k] < 3:
            p.danger[k] = danger(v, r, w, p, k)
    p.base_huxi = sure_huxi(v, r, p)
    p.door = w[DOOR]
    p.excess = w[EXCESS]
    p.per_huxi = huxi_price(r, w, p.base_huxi, r.doors - p.melds - p.kans)
    prepare_plans(p, r, data[1])


@kernel
def weigh(v: Any, r: Any, data: Any, p: Any) -> None:
    """What each action is worth in points, into `p.action_worth`; not hu and pao, which are always taken."""
    for a in range(NUM_ACTIONS):
        p.action_worth[a] = NOTHING
    survey(v, r, data, p)
    if v.phase == DISCARDING:
        weigh_discards(v, r, data, p)
        return
    if v.phase == BI_WINDOW:
        weigh_groups(v, r, data, p, v.bi_kind, 1)
        return
    w = data[0]
    passed = points(w, hand_worth(v, r, data, p))
    if v.legal >> PENG & 1:
        p.action_worth[PASS] = passed * exp(-w[CLAIM_PENG])
        p.base_huxi += p.unseen[v.live] * p.quad_share * (r.huxi[H_PAO, v.live] - r.huxi[H_PENG, v.live])
        move_peng(r, p, v.live, 1)
        p.action_worth[PENG] = worth_after(v, r, data, p)
    else:
        p.action_worth[PASS] = passed * exp(-w[CLAIM_CHI])
        weigh_groups(v, r, data, p, v.live, 0)


@kernel
def leading(legal: int, worth: Any) -> int:
    """The legal action that is worth most: a pass, or the lowest, of several. -1 where none is legal."""
    best = PASS if legal >> PASS & 1 else -1
    for a in range(NUM_ACTIONS):
        if legal >> a & 1 and (best < 0 or worth[a] > worth[best]):
            best = a
    return best


@kernel
def heuristic(v: Any, r: Any, data: Any, p: Any, word: Any) -> int:
    """The heuristic policy: `data` is the weights and the tables of chances, floors and fans."""
    if v.legal >> HU & 1:
        return HU
    if v.legal >> PAO & 1:
        return PAO
    weigh(v, r, data, p)
    return leading(v.legal, p.action_worth)


# --- tables -----------------------------------------------------------------------------------------------------------

Array: TypeAlias = NDArray[np.floating[Any]]


def log_chances(never: float) -> Array:
    """The logarithm of the chance that at least one tile comes, for 0, 1/STEP, 2/STEP, … expected ones."""
    expected = np.arange(1, CHANCES) / STEP
    return np.concatenate([[never], np.maximum(np.log1p(-np.exp(-expected)), never)])


def floor_table(rules: RuleSet, w: Array) -> Array:
    """For 0, 1/FINE, … expected huxi: the logarithms of the chance to reach the floor and of what is paid then."""
    huxi = np.arange(FLOORS) / FINE
    reach = -np.logaddexp(0, -(huxi + w[FLOOR_SHIFT] - rules.min_huxi) / w[FLOOR_WIDTH])
    above = np.maximum(huxi, rules.min_huxi)
    if rules.base_on == "huxi":
        return reach + w[PAYOFF] * np.log(above + 5.0)
    return reach + w[PAYOFF] * np.log(1.5 + np.maximum(above - rules.deng_from, 0) / rules.deng_step)


def fan_tables(rules: RuleSet, w: Array) -> Array:
    """What a count of tiles (or of pairs, kan and melds alike) is worth, by the doors that are still to be made."""
    r = rules.record[0]
    fans = np.ones((6, 8, 28))
    for left in range(8):
        width = w[PATTERN_NEAR] + w[PATTERN_FAR] * left
        for melded in range(3):
            for pattern in (HONG_HU, HONG_WU, DIAN_HU, WU_HU):
                if melded <= r["pat_up_to"][pattern]:
                    fans[melded, left] += extra_fan(r, pattern, width)
        fans[BY_LARGE, left] += extra_fan(r, DA_ZI, width)
        fans[BY_SMALL, left] += extra_fan(r, XIAO_ZI, width)
    worth = w[PATTERN] * np.log(fans)
    alike = logistic(2.0 * (np.arange(28) - rules.doors))
    worth[BY_ALIKE] = w[ALIKE] * np.log1p(max(int(r["pat_fan"][DUI_DUI_HU]) - 1, 0) * alike)
    return worth


def logistic(x: Array) -> Array:
    """1 / (1 + exp(-x)), whatever the size of x."""
    return 0.5 + 0.5 * np.tanh(x / 2)


def extra_fan(r: Any, pattern: int, width: float) -> Array:
    """What a pattern is expected to add to the fan of a hand, for 0 to 27 tiles that count for it now."""
    if not r["pat_present"][pattern]:
        return np.zeros(28)
    n = np.arange(28)
    chance = logistic((n - int(r["pat_from"][pattern]) + 0.5) / width)
    if r["pat_up_to"][pattern] < 27:
        chance -= logistic((n - int(r["pat_up_to"][pattern]) - 0.5) / width)
    return max(int(r["pat_fan"][pattern]) - 1, 0) * chance


# --- the agent --------------------------------------------------------------------------------------------------------


def heuristic_policy(rules: RuleSet | str = "hunan", **weights: float | str | None) -> Policy:
    """The heuristic policy for a rule set, with other weights than `WEIGHTS` where they are given.

    Raises
    ------
    ValueError
        A weight has no such name, or is no finite number.
    """
    rules = rule_set(rules)
    values = {name: both[rules.hu_on_discard] for name, both in WEIGHTS.items()}
    for name, value in weights.items():
        if name not in values:
            raise ValueError(f"unknown weight {name!r}; allowed: {', '.join(WEIGHTS)}")
        if value is not None:
            values[name] = number(name, value)
    w = np.array([values[name] for name in NAMES])
    data = (w, log_chances(float(w[NEVER])), floor_table(rules, w), fan_tables(rules, w))
    return Policy(heuristic, data, THOUGHTS)


def clipped(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights, in the order of `NAMES`, brought into their limits."""
    low, high = np.array([LIMITS.get(name, (-MOST, MOST)) for name in NAMES]).T
    return np.clip(weights, low, high)


def number(name: str, value: float | str) -> float:
    """A finite number, or a text of one."""
    try:
        result = float(value)
    except (TypeError, ValueError):
        result = nan
    low, high = LIMITS.get(name, (-MOST, MOST))
    if not low <= result <= high:
        raise ValueError(f"weight {name} = {value!r}; allowed: a number from {low:g} to {high:g}")
    return result


class Heuristic(CompiledAgent):
    """Plays by rules of thumb over the best plan of its hand; options are its weights.

    Parameters
    ----------
    rules
        The rule set.
    seed
        It has no use for random numbers.
    weights
        Numbers, or texts of them, that replace those of `WEIGHTS`.
    """

    __signature__: ClassVar = Signature(
        [Parameter("rules", Parameter.POSITIONAL_OR_KEYWORD, default="hunan")]
        + [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in ("seed", *NAMES)]
    )

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0, **weights: float | str | None) -> None:
        super().__init__(rules, heuristic_policy(rules, **weights), seed=seed)
