"""The small training game: its whole tree from a deal is enumerated, by core and twin together."""

from __future__ import annotations

import random
from typing import Any

import pytest
from reference.deal import random_deal
from reference.game import Game as Twin
from reference.rules import Rules, make_rules

from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

FIELDS = ("players", "hand_size", "ranks", "doors", "min_huxi", "deng_from", "tian_hu_quads", "tian_hu_kans")
MINI: Rules = make_rules({"preset": "hunan", **{field: rule_set("mini")[field] for field in FIELDS}})


def walk(core: Game, deal: dict[str, Any], played: tuple[str, ...]) -> tuple[int, int, int]:
    """Nodes, ends and won ends below a position; core and twin agree in each."""
    twin = Twin(MINI, **deal)
    for choice in played:
        twin.play(choice)
    assert core.over == twin.over
    if core.over:
        assert list(core.scores) == twin.result()["scores"]
        return 1, 1, int(any(core.scores))
    assert core.actor == twin.actor
    assert core.legal_texts() == twin.legal()
    nodes, ends, won = 1, 0, 0
    for action in core.legal_actions:
        below = core.clone()
        below.step(action)
        n, e, w = walk(below, deal, (*played, core.action_text(action)))
        nodes, ends, won = nodes + n, ends + e, won + w
    return nodes, ends, won


@pytest.mark.rule("10.4", "11")
@pytest.mark.interpreted
def test_the_whole_tree_of_a_deal_is_the_twins() -> None:
    total = [0, 0, 0]
    chance = random.Random(4)
    for _ in range(8):
        deal = random_deal(MINI, chance)
        core = Game.from_tiles("mini", deal["dealer"], deal["hands"], deal["upcard"], deal["wall"], aside=deal["aside"])
        total = [a + b for a, b in zip(total, walk(core, deal, ()), strict=True)]
    nodes, ends, won = total
    assert nodes > 2000
    assert ends > 1000
    assert 0 < won < ends
