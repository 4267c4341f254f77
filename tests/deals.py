"""Deals and rule sets for comparisons: uniform ones seldom reach the rarer clauses, so most are biased."""

from __future__ import annotations

import random
from typing import Any

from reference.deal import deck, exchange_last_tile
from reference.rules import Rules, make_rules
from reference.tiles import WILD, kinds_of, units

STYLES = ("uniform", "uniform", "kans", "quads", "pairs", "ready", "ready", "mixed", "mixed")


def biased_deal(rules: Rules, chance: random.Random, style: str | None = None) -> dict[str, Any]:
    """A deal of the rule set as the arguments of the twin's `Game` that follow the rules.

    `style` says what the hands are rich in; `mixed` draws one for each hand, and None any of all.
    """
    style = style or chance.choice(STYLES)
    pool = deck(rules)
    chance.shuffle(pool)
    hands = []
    for _ in range(3):
        mine = chance.choice(STYLES[:-2]) if style == "mixed" else style
        hands.append(_hand(rules, pool, mine, chance))
    for hand in hands:
        while len(hand) < rules.hand_size:
            hand.append(pool.pop())
        chance.shuffle(hand)
    if style != "uniform" and chance.random() < 0.6:
        _bring_useful_tiles_up(pool, hands, chance)
    upcard, wall = pool[0], pool[1:]
    return {
        "dealer": chance.randrange(rules.players),
        "hands": hands[: rules.players],
        "upcard": upcard,
        "wall": exchange_last_tile(wall) if rules.show_last_tile else wall,
        "aside": hands[2] if rules.players == 2 else [],
    }


def _hand(rules: Rules, pool: list[int], style: str, chance: random.Random) -> list[int]:
    """The beginning of a hand, taken from the pool."""
    hand: list[int] = []
    plan: list[tuple[int, ...]] = []
    kinds = kinds_of(rules.ranks)
    groups = units(rules.ranks)
    if style == "kans":
        plan = [(k,) * 3 for k in chance.sample(kinds, min(len(kinds), chance.randint(2, 5)))]
    elif style == "quads":
        plan = [(k,) * 4 for k in chance.sample(kinds, min(len(kinds), chance.randint(1, 3)))]
    elif style == "pairs":
        plan = [(k,) * 2 for k in chance.sample(kinds, min(len(kinds), chance.randint(3, 8)))]
    elif style == "ready":
        for _ in range(rules.doors):
            kind = chance.choice(kinds)
            size = chance.choices((0, 3, 4, 2), (6, 3, 1, 1))[0]
            plan.append((kind,) * size if size else chance.choice(groups))
    if rules.wilds and chance.random() < 0.5:
        plan.insert(0, (WILD,) * chance.randint(1, rules.wilds))
    for tiles in plan:
        if len(hand) + len(tiles) <= rules.hand_size and all(pool.count(t) >= tiles.count(t) for t in tiles):
            for tile in tiles:
                pool.remove(tile)
                hand.append(tile)
    return hand


def _bring_useful_tiles_up(pool: list[int], hands: list[list[int]], chance: random.Random) -> None:
    """Put tiles that make quads, kan or runs of a hand nearer to the front of the wall."""

    def use(tile: int) -> float:
        copies = max(hand.count(tile) for hand in hands)
        return chance.random() * 3 - copies - (tile == WILD)

    pool.sort(key=use)


# --- rule sets ----------------------------------------------------------------------------------------------

PATTERNS = (
    "hong_hu", "dian_hu", "hong_wu", "wu_hu", "dui_dui_hu", "hai_di", "da_zi", "xiao_zi", "tian_hu", "di_hu",
    "ting_hu", "si_qi_hong", "shua_hou", "hang_hang_xi", "jia_hang_hang",
)  # fmt: skip


def random_rules(chance: random.Random) -> dict[str, Any]:
    """A rule set with random values in the fields of chapter 11, valid for the core and the twin."""
    preset = chance.choice(("hunan", "hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi"))
    rules: dict[str, Any] = {"preset": preset}

    def sometimes(field: str, *values: Any, p: float = 0.3) -> None:
        if chance.random() < p:
            rules[field] = chance.choice(values)

    sometimes("min_huxi", 0, 3, 6, 9, p=0.6)
    sometimes("players", 2, p=0.2)
    for flag in ("hu_on_discard", "forced_peng", "show_last_tile", "split_pass", "huang_fan"):
        sometimes(flag, True, False)
    for flag in ("forced_pao", "own_draw_melds", "show_upcard"):
        sometimes(flag, False, True)
    sometimes("wilds", 0, 1, 2, p=0.15)
    sometimes("tian_hu_quads", 0, 1, 2)
    sometimes("tian_hu_kans", 0, 3, 4)
    sometimes("pattern_level", "none", "basic", "half", "full", p=0.5)
    sometimes("fan_combine", "add", "multiply")
    sometimes("discard_payment", "each", "discarder")
    sometimes("cap", 1, 5, 12, 20)
    sometimes("deng_from", 0, 6, 12)
    sometimes("deng_step", 1, 2, 10)
    sometimes("turn_up", 1, 3, 7)
    sometimes("draw_penalty", 2)
    sometimes("tian_hu_for", "any", "dealer")
    sometimes("di_hu_on", "opening", "first_discard")
    if preset != "bopi":
        sometimes("self_draw", "none", "before", "after")
    patterns = {}
    for name in PATTERNS:
        if chance.random() < 0.12:
            patterns[name] = chance.choice((None, 1, 2, 7))
    if patterns:
        rules["patterns"] = patterns
    if chance.random() < 0.1:
        rules["joint"] = {"hong_hu+dui_dui_hu": 9}
    if chance.random() < 0.1:
        rules["lone"] = {"hong_hu": 5}
    if chance.random() < 0.2:
        unit = chance.choice(("peng", "kan", "pao", "ti", "wei"))
        rules["huxi"] = {unit: {"small_black": 0, "large_red": 10}}
    least = make_rules(rules).min_huxi
    if chance.random() < 0.2:
        rules["min_huxi_plain"] = max(least, 1) + chance.randint(0, 6)
    elif preset == "huaihua" and least > 18:
        rules["min_huxi_plain"] = None
    made = make_rules(rules)
    if not made.hu_on_discard:
        rules |= {"discard_payment": "each", "di_hu_on": "opening"}
    if not made.wilds:
        rules["draw_penalty"] = 0
    return rules
