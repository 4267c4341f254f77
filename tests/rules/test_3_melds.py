"""Rules, chapter 3: what the units are worth, kan are never split, hands only shrink."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from table import NO_HU, Table, judged

from paohuzi_env.game import Game

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]

PLAIN = "chi:def chi:ghi chi:DEF chi:GHI chi:aAA"  # five doors without huxi
FREE = {"preset": "hunan", "min_huxi": 0}


@pytest.mark.rule("3.1")
@pytest.mark.parametrize(
    ("unit", "hand", "tile", "source", "huxi"),
    [
        ("ti:bbbb", "bbbjj", "b", "own_draw", 9),
        ("ti:BBBB", "BBBjj", "B", "own_draw", 12),
        ("pao:bbbb", "bbbjj", "b", "other_draw", 6),
        ("pao:BBBB", "BBBjj", "B", "other_draw", 9),
        ("wei:bbb", "bbcCC", "b", "own_draw", 3),
        ("wei:BBB", "BBcCC", "B", "own_draw", 6),
        ("kan:bbb", "bbbhi", "j", "other_draw", 3),
        ("kan:BBB", "BBBhi", "j", "other_draw", 6),
        ("peng:bbb", "bbcCC", "b", "other_draw", 1),
        ("peng:BBB", "BBcCC", "B", "other_draw", 3),
        ("ju:abc", "abhij", "c", "other_draw", 3),
        ("ju:ABC", "ABhij", "C", "other_draw", 6),
        ("ju:bgj", "bghij", "j", "other_draw", 3),
        ("ju:BGJ", "BGhij", "J", "other_draw", 6),
        ("ju:bcd", "bchij", "d", "other_draw", 0),
        ("jiao:bBB", "BBcCC", "b", "other_draw", 0),
        ("jiao:bbB", "bbcCC", "B", "own_draw", 0),
        ("jiang:jj", "bbbjj", "b", "own_draw", 9),
    ],
)
def test_a_unit_is_worth(unit: str, hand: str, tile: str, source: str, huxi: int) -> None:
    answer = judged(hand, tile, PLAIN, source, FREE)
    assert unit in answer["groups"]
    assert answer["huxi"] == huxi


@pytest.mark.rule("3.1")
@pytest.mark.parametrize(("meld", "huxi"), [("chouwei:bbb", 3), ("chouwei:BBB", 6), ("chi:ABC", 6), ("chi:bgj", 3)])
def test_a_meld_on_the_table_is_worth_the_same(meld: str, huxi: int) -> None:
    assert judged("hi", "j", f"{PLAIN} {meld}", "other_draw", FREE)["huxi"] == huxi


@pytest.mark.rule("3.1")
@pytest.mark.parametrize(("hand", "tile"), [("ac", "e"), ("aB", "C"), ("ij", "a"), ("IJ", "a"), ("bB", "c")])
def test_nothing_else_is_a_ju_or_a_jiao(hand: str, tile: str) -> None:
    assert not judged(hand, tile, "chi:def chi:def chi:DEF chi:DEF chi:GHI chi:ghi", "other_draw", FREE)["hu"]


@pytest.mark.rule("3.2", "6.2")
def test_a_kan_tile_is_never_discarded() -> None:
    table = Table(["aaabbcDE", "", ""], "F", **NO_HU)
    assert table.asked == (0, ["discard D", "discard E", "discard F", "discard b", "discard c"])


@pytest.mark.rule("3.2")
def test_a_kan_is_not_split_to_make_a_hand() -> None:
    melds = "chi:aAA chi:bBB chi:fFF chi:gGG wei:JJJ"
    assert judged("cceee", "d", melds, rules=FREE)["hu"] is False
    assert judged("cddde", "c", melds, rules=FREE)["hu"] is False  # cde, and cdd is nothing
    assert judged("cdehi", "j", melds, rules=FREE)["hu"] is True


@pytest.mark.rule("3.2", "4.3")
def test_a_kan_tile_goes_into_no_chi() -> None:
    table = Table(["cAABBDDF", "abbbddef", ""], "E", **NO_HU)
    table.do("0 discard c")
    assert table.asked == (1, ["chi cde", "pass chi"])  # neither abc nor bcd


@pytest.mark.rule("3.3")
@pytest.mark.parametrize("seed", range(3))
def test_a_hand_only_shrinks(seed: int) -> None:
    game, chance = Game.deal("hunan", seed), random.Random(seed)
    before = [game.hand(s) for s in range(3)]
    while not game.over:
        game.step(chance.choice(game.legal_actions))
        now = [game.hand(s) for s in range(3)]
        assert all(Counter(now[s]) <= Counter(before[s]) for s in range(3))
        before = now


@pytest.mark.rule("3.1", "3.3")
def test_a_pao_from_a_kan_takes_three_hand_tiles_and_one_from_a_meld_takes_none() -> None:
    table = Table(["cAABBDDF", "cccabdef", ""], "E", **NO_HU).do("0 discard c")
    assert (table.melds(1), table.hand(1)) == (["pao:cccc"], "abdef")
    table = Table(["cAABBDDF", "ccabdefF", ""], "E", wall="c", **NO_HU)
    table.do("0 discard c", "1 peng ccc", "1 discard F").pass_until("1 pao cccc")
    assert (table.melds(1), table.hand(1)) == (["pao:cccc"], "abdef")
