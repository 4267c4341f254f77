"""Rules 10.4: luzhou."""

from __future__ import annotations

import pytest
from reference.tiles import letters, read_tiles
from table import NO_HU, SMALL, Table, judged

from paohuzi_env.core.tiles import is_red
from paohuzi_env.game import Game

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck, pytest.mark.rule("10.4")]

NO_WIN = {**NO_HU, "preset": "luzhou"}
WINS = {**SMALL, "preset": "luzhou"}
FREE = {"preset": "luzhou", "min_huxi": 0}
PLAIN = "chi:def chi:ghi chi:DEF chi:GHI chi:aAA"  # five doors without huxi


@pytest.mark.parametrize(
    ("unit", "huxi"),
    [
        ("peng:ccc", 1), ("peng:bbb", 6), ("peng:CCC", 3), ("peng:BBB", 9), ("chi:abc", 3), ("chi:ABC", 6),
        ("chi:bgj", 6), ("chi:BGJ", 9), ("chi:bcd", 0), ("chi:bBB", 0),
    ],
)  # fmt: skip
def test_a_unit_on_the_table_is_worth(unit: str, huxi: int) -> None:
    assert judged("hi", "j", f"{PLAIN} {unit}", rules=FREE)["huxi"] == huxi


@pytest.mark.parametrize(
    ("kind", "kan", "pao", "ti"), [("c", 6, 9, 12), ("b", 9, 12, 15), ("C", 9, 12, 15), ("B", 12, 15, 18)]
)
def test_kan_zhao_and_long_are_worth(kind: str, kan: int, pao: int, ti: int) -> None:
    assert judged(kind * 3 + "hi", "j", PLAIN, rules=FREE)["huxi"] == kan
    assert judged(kind * 3 + "jj", kind, PLAIN, rules=FREE)["huxi"] == pao
    assert judged("j", "j", f"{PLAIN} ti:{kind * 4}", rules=FREE)["huxi"] == ti


@pytest.mark.parametrize("source", ["own_draw", "other_draw", "discard"])
def test_a_third_copy_is_a_peng_and_a_fourth_a_pao_whoever_drew_it(source: str) -> None:
    assert "peng:bbb" in judged("bbcCC", "b", PLAIN, source, FREE)["groups"]
    assert "pao:bbbb" in judged("bbbjj", "b", PLAIN, source, FREE)["groups"]


@pytest.mark.rule("8.1")
@pytest.mark.parametrize(
    ("hand", "tile", "melds", "huxi", "deng"),
    [
        ("BG", "J", f"{PLAIN} peng:ccc", 10, 1),
        ("BG", "J", "chi:abc chi:ABC peng:ccc chi:def chi:ghi chi:DEF", 19, 1),
        ("BG", "J", "chi:bgj chi:ABC peng:ccc chi:def chi:ghi chi:DEF", 22, 2),
    ],
)
def test_deng_are_counted_from_ten_by_ten(hand: str, tile: str, melds: str, huxi: int, deng: int) -> None:
    answer = judged(hand, tile, melds, rules="luzhou")
    assert (answer["huxi"], answer["deng"]) == (huxi, deng)


def test_nine_huxi_do_not_win() -> None:
    assert not judged("BG", "J", f"{PLAIN} chi:cCC", rules="luzhou")["hu"]


@pytest.mark.parametrize(
    ("hand", "tile", "melds", "source", "more", "patterns"),
    [
        ("BG", "J", "chi:bgj chi:bgj peng:JJJ chi:def chi:DEF chi:DEF", "other_draw", {}, ["hong_hu"]),
        ("hh", "h", "peng:AAA peng:CCC peng:DDD peng:aaa chi:def chi:DEF", "other_draw", {}, ["wu_hu"]),
        ("BG", "J", f"{PLAIN} peng:ccc", "discard", {"first_discard": True}, ["di_hu"]),
        ("BG", "J", f"{PLAIN} peng:ccc", "discard", {}, []),
        ("BG", "J", f"{PLAIN} peng:ccc", "other_draw", {"last_tile": True}, []),
    ],
)
def test_patterns(hand: str, tile: str, melds: str, source: str, more: dict[str, bool], patterns: list[str]) -> None:
    answer = judged(hand, tile, melds, source, "luzhou", **more)
    assert answer["patterns"] == patterns
    assert answer["fan"] == {"hong_hu": 2, "wu_hu": 4, "di_hu": 2, "": 1}[patterns[0] if patterns else ""]


# --- claims -----------------------------------------------------------------------------------------------------


def test_peng_is_forced_on_a_discard() -> None:
    table = Table(["c", "", "ccf"], "E", quiet="c", **NO_WIN).do("0 discard c")
    assert table.after("0 discard c")[0] == "2 peng ccc"
    assert table.window == "2 discard"


@pytest.mark.rule("11")
@pytest.mark.parametrize(("hand", "event"), [("ccf", "1 peng ccc"), ("cccf", "1 pao cccc")])
def test_an_own_draw_is_shown_and_makes_a_forced_peng_or_pao(hand: str, event: str) -> None:
    table = Table(["D", hand, ""], "E", wall="c", quiet="cD", **NO_WIN).do("0 discard D").pass_until("1 draw c")
    assert table.after("1 draw c")[0] == event


def test_an_opening_quad_is_a_long() -> None:
    assert Table(["", "cccc", ""], "E", **NO_WIN).events[0] == "1 ti cccc"


@pytest.mark.rule("5.3")
def test_all_hu_windows_come_before_the_pao_and_the_pao_before_the_peng() -> None:
    table = Table(["cdBBCEEF", "cccADeeB", "abDDDffF"], "d", **WINS).do("0 discard c")
    assert table.window == "2 hu"
    table.do("2 pass hu")
    assert table.after("2 pass hu")[0] == "1 pao cccc"


def test_hu_goes_before_a_forced_peng() -> None:
    table = Table(["cdBBCEEF", "abDDDffF", "ccADeebB"], "d", **WINS).do("0 discard c")
    assert table.window == "1 hu"
    table.do("1 pass hu")
    assert table.after("1 pass hu")[0] == "2 peng ccc"


@pytest.mark.rule("5.8")
def test_who_broke_up_a_pair_makes_no_peng_of_it() -> None:
    table = Table(["cc", "", "c"], "E", wall="Dc", quiet="c", **NO_WIN).do("0 discard c")
    table.play_until("never")
    assert not any("peng ccc" in event for event in table.events)


@pytest.mark.rule("4.5")
def test_a_peng_that_leaves_only_kan_is_neither_made_nor_asked() -> None:
    table = Table(["c", "", "aaabbbcc"], "E", wall="F", quiet="cF", **NO_WIN).do("0 discard c")
    assert table.after("0 discard c")[0] == "1 draw F"
    assert table.stale(2) == ("", "")


# --- winning ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("8.7", "11")
def test_a_discard_is_paid_by_the_discarder_for_all_and_a_wall_tile_by_each() -> None:
    table = Table(["cdBBCEEF", "abDDDffF", ""], "d", **WINS).do("0 discard c", "1 hu c")
    base = table.result["base"]
    assert table.result["scores"] == [-2 * base, 2 * base, 0]
    table = Table(["fdBBCEEF", "abDDDffF", ""], "d", wall="c", **WINS).do("0 discard d")
    table.pass_until("1 draw c").do("1 hu c")
    base = table.result["base"]
    assert table.result["scores"] == [-base, 2 * base, -base]


@pytest.mark.rule("8.5", "8.4")
def test_a_self_drawn_win_adds_one() -> None:
    melds = f"{PLAIN} peng:ccc"
    assert judged("BG", "J", melds, "own_draw", "luzhou")["base"] == 2
    assert judged("BG", "J", melds, "other_draw", "luzhou")["base"] == 1


@pytest.mark.rule("5.9")
def test_stale_hu_holds_on_discards_too() -> None:
    for first, asked in (("c", False), ("A", True)):
        table = Table([first + "dBBCEEF", "abDDDffF", "ABCeedba"], "d", wall="Ac", **WINS)
        table.do(f"0 discard {first}")
        if first == "c":
            table.do("1 pass hu")
        while not any(event.endswith(" draw c") for event in table.events):
            table.pass_once() if table.game.phase != "discard" else table.pair.play(table.game.legal_texts()[0])
        assert (table.window == "1 hu") is asked


def test_di_hu_is_the_next_seats_win_on_the_dealers_first_discard() -> None:
    first = Table(["cdBBCEEF", "abDDDffF", ""], "d", **WINS).do("0 discard c", "1 hu c")
    assert "di_hu" in first.result["patterns"]
    other = Table(["cdBBCEEF", "", "abDDDffF"], "d", **WINS).do("0 discard c").pass_until("0 discard c")
    while other.game.phase != "hu":
        other.pass_once()
    assert other.window == "2 hu"
    assert "di_hu" not in other.do("2 hu c").result["patterns"]


@pytest.mark.rule("2.4", "11")
def test_the_upcard_is_not_shown_so_only_the_dealer_is_asked() -> None:
    dealer = Table(["abDDDffF", "", ""], "c", **WINS)
    assert dealer.window == "0 hu"
    assert "tian_hu" in dealer.do("0 hu c").result["patterns"]
    assert Table(["", "abDDDffF", ""], "c", **WINS).window == "0 discard"


@pytest.mark.rule("2.2")
def test_a_forced_win_of_any_seat_is_tian_hu() -> None:
    result = Table(["", "aaaabbbbcccc", ""], "J", preset="luzhou").result
    assert result["patterns"] == ["tian_hu"]
    assert result["huxi"] == 12 + 15 + 12


# --- the shown last tile ------------------------------------------------------------------------------------------


@pytest.mark.rule("11")
@pytest.mark.parametrize("seed", range(12))
def test_the_walls_last_tile_is_black_and_shown(seed: int) -> None:
    game = Game.deal("luzhou", seed)
    wall = [int(t) for t in game.record["wall"] if t >= 0]
    assert game.record["last_shown"] == wall[-1]
    assert not is_red(wall[-1])


def test_red_last_tiles_go_to_the_top_in_turn() -> None:
    kinds = list(range(20))
    wall = read_tiles("acdefhiACDEFHIGJBgj")
    game = Game.from_tiles("luzhou", 0, [kinds, kinds, kinds], 1, wall)
    after = letters_in_order([int(t) for t in game.record["wall"] if t >= 0])
    assert after == "GJBgjacdefhiACDEFHI"


def letters_in_order(tiles: list[int]) -> str:
    return "".join(letters([t]) for t in tiles)


@pytest.mark.rule("9.3")
def test_the_hand_is_drawn_when_only_the_shown_tile_is_left() -> None:
    table = Table(["", "", ""], "E", **NO_WIN).play_until("never")
    assert table.result["winner"] is None
    assert len(table.wall()) == 1


@pytest.mark.rule("11")
@pytest.mark.parametrize("preset", ["luzhou", "hunan"])
def test_at_a_table_of_two_the_third_hand_lies_aside_unseen(preset: str) -> None:
    game = Game.deal({"preset": preset, "players": 2}, 1)
    assert int(game.record["hand_aside"].sum()) == 20
    assert len(game.scores) == 2
    table = Table(["c", "abf", ""], "E", wall="fD", quiet="cf", players=2, **NO_HU).do("0 discard c", "1 pass chi")
    assert table.events[2] == "1 draw f"
    assert table.events[3].startswith("0 ")
