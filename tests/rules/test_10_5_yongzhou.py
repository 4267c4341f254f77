"""Rules 10.5: yongzhou, with two wild tiles."""

from __future__ import annotations

import pytest
from table import NO_HU, SMALL, Table, judged

from paohuzi_env.game import Game

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck, pytest.mark.rule("10.5")]

NO_WIN = {**NO_HU, "preset": "yongzhou"}
WINS = {**SMALL, "preset": "yongzhou"}
FREE = {"preset": "yongzhou", "min_huxi": 0}


@pytest.mark.rule("1.3")
def test_the_deck_has_82_tiles_and_the_wall_21() -> None:
    game = Game.deal("yongzhou", 4)
    assert len([t for t in game.record["wall"] if t >= 0]) == 21
    assert game.rules.deck_size == 82


@pytest.mark.rule("3.3", "6.1")
def test_a_drawn_wild_tile_is_shown_enters_the_hand_and_a_discard_is_owed() -> None:
    table = Table(["E", "abf", "*"], "D", wall="*", quiet="E", **NO_WIN).do("0 discard E").pass_until("1 draw *")
    assert table.hand(1).endswith("*")
    assert table.window == "1 discard"


def test_a_wild_tile_is_never_discarded_and_goes_into_no_chi_peng_or_wei() -> None:
    table = Table(["c", "c*a*fFAB", ""], "D", wall="c", quiet="c", **NO_WIN).do("0 discard c")
    assert not any(e.startswith(("1 pass", "1 wei", "1 peng")) for e in table.events)
    dealer = Table(["ab*", "*", ""], "D", **NO_WIN)
    assert "discard *" not in dealer.asked[1]


def test_a_wild_upcard_enters_the_dealers_hand_and_only_he_is_asked() -> None:
    table = Table(["abDDDffc", "bcAAAEee", "*"], "*", **WINS)
    assert table.asked == (0, ["hu *", "pass hu"])
    table.do("0 pass hu")
    assert table.window == "0 discard"
    assert table.hand(0).endswith("*")


@pytest.mark.rule("7.2")
def test_who_holds_a_wild_tile_wins_on_own_draws_only() -> None:
    for drawer, wall, asked in ((1, "c", True), (2, "Ec", False)):
        table = Table(["E", "abDDDfF*", "*dAABBCe"], "d", wall=wall, **WINS).do("0 discard E")
        table.pass_until(f"{drawer} draw c")
        assert (table.window == "1 hu") is asked


def test_it_may_still_chi_and_peng() -> None:
    table = Table(["c", "abf*", "*"], "D", quiet="c", **NO_WIN).do("0 discard c")
    assert table.window == "1 chi"
    table.do("1 chi abc")
    assert "*" in table.hand(1)


def test_the_drawer_of_a_wild_tile_may_win_with_it_and_a_pass_is_a_pass_of_the_wild() -> None:
    table = Table(["E", "abDDDffF", "AABBCed"], "d", wall="*e*", **WINS)
    while "1 draw *" not in table.events:
        table.pass_once() if table.game.phase != "discard" else table.pair.play("discard E")
    assert table.asked == (1, ["hu *", "pass hu"])
    table.do("1 pass hu")
    assert table.window == "1 discard"
    assert int(table.game.record["stale_hu"][1][20]) == 0


@pytest.mark.rule("2.2", "8.6")
def test_a_forced_win_counts_real_tiles_and_colours_that_pay_most() -> None:
    result = Table(["", "aaacccdddeeefffhiAC*", ""], "J", preset="yongzhou").result
    assert (result["patterns"], result["fan"]) == (["wu_hu", "zi_mo"], 8)
    assert Table(["", "aaacccdddeeeff*", ""], "J", preset="yongzhou").events != ["1 tianhu"]


FIVE = "chi:def chi:ghi chi:DEF chi:GHI chi:aAA"


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "group"),
    [
        ("CC*hi", "j", FIVE, "wei:CC*"),
        ("C**hi", "j", FIVE, "wei:C**"),
        ("CCC*j", "j", FIVE, "ti:CCC*"),
        ("j*", "j", f"{FIVE} wei:CCC", "ti:CCC*"),
        ("j*", "j", f"{FIVE} chouwei:CCC", "ti:CCC*"),
        ("CC**j", "j", FIVE, "ti:CC**"),
        ("AB*hi", "j", FIVE, "ju:AB*"),
        ("bB*hi", "j", FIVE, "jiao:bB*"),
    ],
)
def test_a_wild_tile_completes_a_unit(hand: str, tile: str, melds: str, group: str) -> None:
    answer = judged(hand, tile, melds, "own_draw", FREE)
    assert group in answer["groups"]


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "huxi"),
    [
        ("CC*hi", "j", FIVE, 6),
        ("CCC*j", "j", FIVE, 12),
        ("AB*hi", "j", FIVE, 6),
        ("A**hi", "j", "chi:def chi:ghi chi:DEF chi:GHI chi:aaA", 6),
        ("BG*hi", "j", "chi:def chi:ghi chi:DEF chi:def chi:aAA", 6),
    ],
)
def test_the_unit_has_its_full_huxi(hand: str, tile: str, melds: str, huxi: int) -> None:
    assert judged(hand, tile, melds, "own_draw", FREE)["huxi"] == huxi


def test_a_table_peng_and_a_wild_tile_do_not_become_a_pao() -> None:
    answer = judged("j*", "j", f"{FIVE} peng:CCC", "own_draw", FREE)
    assert not any(group.startswith("pao") for group in answer.get("groups", []))


def test_a_ti_made_with_a_wild_tile_needs_the_jiang() -> None:
    # wei CCC with the wild would be a ti and there is a pair; without a pair the wild goes elsewhere.
    with_pair = judged("j*", "j", f"{FIVE} wei:CCC", "own_draw", FREE)
    assert {"ti:CCC*", "jiang:jj"} <= set(with_pair["groups"])
    without = judged("i*", "j", f"{FIVE} wei:CCC", "own_draw", FREE)
    assert not any(group.startswith("ti") for group in without["groups"])


COLOURS = "wei:AAA wei:CCC wei:DDD chi:def chi:DEF"


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "source", "patterns", "fan"),
    [
        ("BGdef", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde", "other_draw", ["hong_hu"], 2),
        ("BGefg", "J", "chi:bgj chi:bgj wei:JJJ chi:DEF chi:cde", "other_draw", ["hong_hu"], 2),
        ("hHefg", "H", COLOURS, "other_draw", ["dian_hu"], 3),
        ("hHcde", "H", COLOURS, "other_draw", ["wu_hu"], 4),
        ("hHcde", "H", COLOURS, "own_draw", ["wu_hu", "zi_mo"], 8),
    ],
)
def test_colours_and_zi_mo_multiply(
    hand: str, tile: str, melds: str, source: str, patterns: list[str], fan: int
) -> None:
    answer = judged(hand, tile, melds, source, "yongzhou")
    assert (answer["patterns"], answer["fan"], answer["base"]) == (patterns, fan, answer["deng"] * fan)


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "name"),
    [
        ("*", "h", "ti:AAAA wei:CCC wei:DDD chi:def chi:DEF chi:efg", "wang_diao"),
        ("*", "*", "ti:AAAA wei:CCC wei:DDD chi:def chi:DEF chi:efg", "shuang_wang"),
        ("**", "h", "wei:AAA wei:CCC wei:DDD chi:def chi:DEF chi:efg", "shuang_wang"),
        ("hH", "H", "wei:AAA wei:CCC wei:DDD chi:def chi:DEF chi:efg", "zi_mo"),
    ],
)
def test_only_the_first_multiplier_that_holds_counts(hand: str, tile: str, melds: str, name: str) -> None:
    names = judged(hand, tile, melds, "own_draw", "yongzhou")["patterns"]
    assert [n for n in names if n in ("zi_mo", "wang_diao", "shuang_wang")] == [name]


def test_wang_chuang_needs_a_hand_without_ti_and_pao() -> None:
    # The drawn h and two wild tiles would make a wei, but there is a ti: the jiang of h and a wild pays instead.
    names = judged("**EF", "h", "ti:AAAA wei:CCC wei:DDD chi:def chi:DEF", "own_draw", "yongzhou")["patterns"]
    assert ("wang_diao" in names, "shuang_wang" in names) == (True, False)


def test_the_dealers_upcard_counts_as_drawn() -> None:
    names = judged("AAACCCEEEiiideffgh**", "h", "", "upcard_dealer", "yongzhou")["patterns"]
    assert "shuang_wang" in names


@pytest.mark.rule("9.3")
def test_a_drawn_hand_costs_five_for_each_wild_to_each_seat_without_one() -> None:
    for hands, scores in ((["*", "*", ""], [-5, -5, 10]), (["", "**", ""], [10, -20, 10])):
        table = Table(hands, "A", preset="yongzhou", min_huxi=1000).play_until("never")
        assert table.result == {"winner": None, "scores": scores}


@pytest.mark.rule("6.3")
def test_a_hand_of_kan_and_wild_tiles_that_owes_a_discard_dies() -> None:
    # The wei of C leaves two kan and two wild tiles: eight owe nothing, and with one of three kan nine do.
    table = Table(["F", "aaabbb*C", ""], "E", wall="*", quiet="FC", **NO_WIN).do("0 discard F")
    assert table.pass_until("1 draw *").asked == (1, ["discard C"])
    assert table.do("1 discard C").hand(1) == "aaabbb**"
    dying = Table(["F", "aaaCC*bb", ""], "E", wall="CeAb", quiet="FCb", **NO_WIN).do("0 discard F")
    dying.pass_until("1 wei CCC")
    assert dying.asked == (1, ["discard b"])


@pytest.mark.rule("6.3")
def test_a_dead_hand_with_wild_tiles_can_owe_a_discard_again() -> None:
    # aaabbb is dead; the pao of a leaves bbb, and two drawn wild tiles make five, which with a quad owe a discard.
    table = Table(["F", "aaabbbCC", ""], "E", wall="CaeA*eB*", quiet="CF", **NO_WIN).do("0 discard F")
    table.pass_until("1 nodiscard").play_until("never")
    assert table.events.count("1 nodiscard") == 2
    assert table.events[table.events.index("1 draw *") + 1] != "1 nodiscard"


@pytest.mark.rule("8.6", "10.3")
def test_in_a_forced_win_a_wild_tile_may_be_the_fourth_of_a_rank() -> None:
    table = Table(["", "hhhhIIIIiiiCCCEEEa*", ""], "J", preset="changde", wilds=1)
    assert "tuan_yuan" in table.result["patterns"]
    without = Table(["", "hhhhIIIIiiiCCCEEEa", ""], "J", end="*", preset="changde", wilds=1)
    assert "tuan_yuan" not in without.result["patterns"]


@pytest.mark.rule("8.6")
@pytest.mark.parametrize(("hand", "dui"), [("aaabbbcccdddeeefffA*", True), ("aaabbbcccdddeeefffAB", False)])
def test_in_a_forced_win_a_wild_tile_may_make_the_pair_that_is_left(hand: str, dui: bool) -> None:
    rules = {"preset": "hunan", "wilds": 1}
    table = Table(["", hand, ""], "J", end="" if "*" in hand else "*", **rules)
    assert ("dui_dui_hu" in table.result["patterns"]) is dui
