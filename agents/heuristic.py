"""The heuristic player: rules of thumb of a good player over the best plan of its own hand.

Every position that an action leads to is worth

    plan_worth + floor_worth + pattern_worth - danger

in logarithms of expected points: how likely the doors that its plan lacks come (`agents.plan`), how likely the huxi
reach the floor and what a win then pays, which scoring patterns are near, and what a discard gives to the others.
Each rule of thumb is a kernel of its own; the numbers in them are `WEIGHTS`.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from agents.base import CompiledAgent
from agents.own_hand import OWN_HAND, load_hand, move_chi, move_peng, move_tile, set_rows
from agents.plan import CHANCES, PLAN, STEP, find_plan, prepare_plans
from paohuzi_env.core._compile import kernel
from paohuzi_env.core.actions import CHI, HU, PAO, PASS, PENG
from paohuzi_env.core.chi import group_options
from paohuzi_env.core.state import BI_WINDOW, DISCARDING, H_KAN, H_PAO, H_PENG, H_WEI, PAO_MELD, PENG_MELD, WEI
from paohuzi_env.core.tiles import KINDS, NO_TILE, RANKS, SHAPES, WILD, partner
from paohuzi_env.rules import RuleSet
from paohuzi_env.search import Policy

WEIGHTS: Final[dict[str, tuple[float, str]]] = {
    "door": (3.0, "worth of a whole door"),
    "excess": (2.2, "taken off for each door in the plan beyond those that are needed"),
    "never": (-3.0, "logarithm of the chance that a tile comes of which none is left"),
    "chi_drawn": (0.2, "share of a kind's tiles in the wall that come by chi"),
    "chi_fed": (0.03, "share of a kind's tiles in other hands that come by chi"),
    "peng_drawn": (0.6, "share of a pair's tiles in the wall that come by peng or wei"),
    "peng_fed": (0.1, "share of a pair's tiles in other hands that come by peng"),
    "hu_drawn": (0.9, "share of a kind's tiles in the wall that can be won on"),
    "stale": (0.3, "what is left of a kind's tiles where it is stale"),
    "wei": (0.4, "share of pairs that become a wei rather than a peng"),
    "quad": (0.6, "share of fourth tiles in the wall that make a pao or ti"),
    "huxi_low": (0.10, "worth of a huxi in choosing a plan, where the floor is reached"),
    "huxi_high": (0.25, "worth of a huxi in choosing a plan, where the floor is far"),
    "floor_shift": (1.0, "huxi that are added to those of the plan before the floor is looked at"),
    "floor_width": (2.5, "huxi by which the plan may err"),
    "payoff": (0.7, "worth of the logarithm of what a win pays"),
    "feed_peng": (0.25, "worth of a peng to the seat that is given it"),
    "feed_chi": (0.20, "worth of a chi to the next seat"),
    "feed_pao": (0.5, "worth of a pao to the seat that is given it"),
    "feed_hu": (1.0, "worth of a win on a discard, where the rules have it"),
    "claim_peng": (0.1, "added to a peng: the hand is nearer by more than the plan says"),
    "claim_chi": (0.0, "added to a chi"),
}
"""Weight -> its value and what it means."""
NAMES: Final = tuple(WEIGHTS)
(
    DOOR, EXCESS, NEVER, CHI_DRAWN, CHI_FED, PENG_DRAWN, PENG_FED, HU_DRAWN, STALE, WEI_SHARE, QUAD, HUXI_LOW,
    HUXI_HIGH, FLOOR_SHIFT, FLOOR_WIDTH, PAYOFF, FEED_PENG, FEED_CHI, FEED_PAO, FEED_HU, CLAIM_PENG, CLAIM_CHI,
) = range(len(NAMES))  # fmt: skip

TABLE: Final = [
    ("unseen", "i8", (20,)),  # tiles of each kind that the seat cannot see
    ("met", "i8"),  # bit for each kind that nobody can peng any more
    ("met_next", "i8"),  # bit for each kind that the next seat cannot chi any more
    ("share", "f8", (3,)),  # of the unseen tiles in the hand of each seat
    ("quad_share", "f8"),  # of the fourth tiles that will make a pao or ti
    ("base_huxi", "f8"),  # of melds and kan, with the quads that they may become
]
"""Fields of a scratch record, beside those of OWN_HAND and PLAN."""


# --- what the table shows ---------------------------------------------------------------------------------------------


@kernel
def count_unseen(v: Any, r: Any, p: Any) -> None:
    """How many tiles of each kind lie where the seat cannot see them (as `core.observe.put_unseen`)."""
    for k in range(KINDS):
        gone = v.spent[0, k] + v.spent[1, k] + v.spent[2, k]
        p.unseen[k] = 4 * (k % RANKS < r.ranks) - v.hand[k] - v.drawn[k] - gone
    if 0 <= v.upcard < KINDS and v.upcard_held and v.seat != v.dealer:
        p.unseen[v.upcard] -= 1
    if 0 <= v.last_shown < KINDS:
        p.unseen[v.last_shown] -= 1


@kernel
def note_met(v: Any, p: Any) -> None:
    """Kinds that were live and left lying: hands only shrink, so who could not take them then cannot later (5.8)."""
    p.met = 0
    p.met_next = 0
    following = v.seat + 1 if v.seat + 1 < v.players else 0
    for s in range(v.players):
        for i in range(v.river_n[s]):
            tile = v.river[s, i]
            p.met |= 1 << (tile & 31)
            if s == v.seat or (s == following and tile >= 32):
                p.met_next |= 1 << (tile & 31)
    p.met_next |= v.discarded[following]


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
def floor_worth(r: Any, w: Any, huxi: float) -> float:
    """The logarithm of the chance that so many expected huxi reach the floor, and of what a win with them pays."""
    x = (huxi + w[FLOOR_SHIFT] - r.min_huxi) / w[FLOOR_WIDTH]
    reach = -log(1.0 + exp(-max(x, -30.0)))
    above = max(huxi, r.min_huxi)
    if r.base_on_huxi:
        return reach + w[PAYOFF] * log(above + 5.0)
    return reach + w[PAYOFF] * log(1.5 + (above - r.deng_from) / r.deng_step)


@kernel
def may_hold_pair(v: Any, p: Any, s: int, k: int) -> bool:
    """Whether seat `s` could peng a discard of `k`."""
    return v.dead[s] == 0 and v.cap[s, k] >= 2 and (p.met | v.discarded[s]) >> k & 1 == 0 and p.unseen[k] >= 2


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
        use = 0.0
        if may_hold_pair(v, p, s, k):
            pair = q * q * (1.0 if n == 2 else 3.0 * (1.0 - q))
            cost += w[FEED_PENG] * pair
            use += pair
        if n == 3 and v.cap[s, k] >= 3:
            cost += w[FEED_PAO] * q * q * q
        if s == following and v.dead[s] == 0 and p.met_next >> k & 1 == 0:
            chi = chance_of_chi(p, k, q)
            cost += w[FEED_CHI] * chi
            use += chi
        if r.hu_on_discard:
            cost += w[FEED_HU] * use / (1.0 + v.hand_n[s])
    return cost


@kernel
def chance_of_chi(p: Any, k: int, q: float) -> float:
    """The chance that a hand with a share `q` of the unseen tiles has two that go with `k`."""
    miss = 1.0
    for shape in range(SHAPES):
        a = partner(k, shape, 0)
        if a != NO_TILE:
            b = partner(k, shape, 1)
            n = p.unseen[a]
            if a == b:
                miss *= 1.0 - n * (n - 1) / 2 * q * q
            else:
                miss *= 1.0 - min(n * q, 0.9) * min(p.unseen[b] * q, 0.9)
    return 1.0 - max(miss, 0.0)


# --- positions --------------------------------------------------------------------------------------------------------


@kernel
def hand_worth(v: Any, r: Any, w: Any, p: Any) -> float:
    """What the hand in `p` is worth, whatever a discard gives."""
    set_rows(r, p)
    find_plan(p, max(r.doors - p.melds - p.kans, 0))
    huxi = p.base_huxi + (p.huxi - v.huxi[v.seat]) + p.plan_huxi
    return p.plan_worth - p.per_huxi * p.plan_huxi + floor_worth(r, w, huxi)


@kernel
def worth_after(v: Any, r: Any, w: Any, p: Any) -> float:
    """`hand_worth` after the best discard, where one is owed."""
    if p.hand_n[0] % 3 != (2 if p.quads[0] else 0):
        return hand_worth(v, r, w, p)
    best = -1e9
    for k in range(KINDS):
        if p.hand[0, k] == 1 or p.hand[0, k] == 2:
            move_tile(p, k, -1)
            best = max(best, hand_worth(v, r, w, p) - danger(v, r, w, p, k))
            move_tile(p, k, 1)
    return best


@kernel
def worth_with_bi(v: Any, r: Any, w: Any, p: Any, kind: int) -> float:
    """`hand_worth` after the best bi group, where copies of the eaten tile are left."""
    if p.hand[0, kind] == 0:
        return worth_after(v, r, w, p)
    best = -1e9
    options = group_options(p, 0, kind, 1)
    for shape in range(SHAPES):
        if options >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, 1, 1)
            best = max(best, worth_after(v, r, w, p) + p.door)
            move_chi(r, p, kind, shape, 1, -1)
    return best


@kernel
def best_group(v: Any, r: Any, w: Any, p: Any, kind: int, from_hand: int, least: float) -> int:
    """The chi (or bi) of `kind` that leaves the best hand, or PASS where none is worth `least`."""
    best = least
    action = PASS
    for shape in range(SHAPES):
        if v.legal >> (CHI + shape) & 1:
            move_chi(r, p, kind, shape, from_hand, 1)
            worth = worth_with_bi(v, r, w, p, kind) + p.door
            move_chi(r, p, kind, shape, from_hand, -1)
            if worth > best:
                best = worth
                action = CHI + shape
    return action


@kernel
def best_discard(v: Any, r: Any, w: Any, p: Any) -> int:
    """The discard after which the hand is worth most, what it gives to the others taken off."""
    best = -1e9
    action = -1
    for k in range(KINDS):
        if v.legal >> k & 1:
            move_tile(p, k, -1)
            worth = hand_worth(v, r, w, p) - danger(v, r, w, p, k)
            move_tile(p, k, 1)
            if worth > best:
                best = worth
                action = k
    return action


@kernel
def survey(v: Any, r: Any, w: Any, chances: Any, p: Any) -> None:
    """Look at the table and price the parts of the hand."""
    load_hand(v, p)
    set_rows(r, p)
    count_unseen(v, r, p)
    note_met(v, p)
    expect_tiles(v, r, w, p)
    if v.phase > DISCARDING and v.phase < BI_WINDOW:  # what is passed is stale (5.8)
        p.chi_comes[v.live] *= w[STALE]
        p.peng_comes[v.live] *= w[STALE]
    p.base_huxi = sure_huxi(v, r, p)
    p.door = w[DOOR]
    p.excess = w[EXCESS]
    p.per_huxi = huxi_price(r, w, p.base_huxi, r.doors - p.melds - p.kans)
    prepare_plans(p, r, chances)


@kernel
def heuristic(v: Any, r: Any, data: Any, p: Any, word: Any) -> int:
    """The heuristic policy: `data` is the weights and the logarithms of chances."""
    if v.legal >> HU & 1:
        return HU
    if v.legal >> PAO & 1:
        return PAO
    w = data[0]
    survey(v, r, w, data[1], p)
    if v.phase == DISCARDING:
        return best_discard(v, r, w, p)
    if v.phase == BI_WINDOW:
        return best_group(v, r, w, p, v.bi_kind, 1, -1e9)
    passed = hand_worth(v, r, w, p)
    if v.legal >> PENG & 1:
        move_peng(r, p, v.live, 1)
        taken = worth_after(v, r, w, p) + p.door + w[CLAIM_PENG]
        return PENG if taken > passed else PASS
    return best_group(v, r, w, p, v.live, 0, passed - w[CLAIM_CHI])


# --- the agent --------------------------------------------------------------------------------------------------------


def log_chances(never: float) -> NDArray[np.float64]:
    """The logarithm of the chance that at least one tile comes, for 0, 1/STEP, 2/STEP, … expected ones."""
    return np.array([never] + [max(log(1 - exp(-i / STEP)), never) for i in range(1, CHANCES)])


def heuristic_policy(**weights: float) -> Policy:
    """The heuristic policy, with weights other than `WEIGHTS` where they are given."""
    unknown = sorted(set(weights) - set(WEIGHTS))
    if unknown:
        raise ValueError(f"weight {unknown[0]!r}; allowed: {', '.join(WEIGHTS)}")
    values = np.array([weights.get(name, WEIGHTS[name][0]) for name in NAMES])
    scratch = np.dtype([*OWN_HAND, *TABLE, *PLAN], align=True)
    return Policy(heuristic, (values, log_chances(float(values[NEVER]))), scratch)


class Heuristic(CompiledAgent):
    """Plays by rules of thumb over the best plan of its hand; options are its weights."""

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0, **weights: float) -> None:
        super().__init__(rules, heuristic_policy(**weights), seed=seed)
