"""The twin itself, on clauses that random hands seldom reach."""

from __future__ import annotations

import random
from typing import Any

import pytest

from .deal import deck, exchange_last_tile, random_deal
from .evaluate import answer
from .game import Game
from .replay import replay
from .rules import make_rules
from .tiles import LETTERS, letters, read_tiles

SMALL: dict[str, Any] = {"preset": "hunan", "hand_size": 8, "doors": 3, "min_huxi": 0}


def game_on(hands: list[str], upcard: str, wall: str = "", end: str = "", **rules: Any) -> Game:
    """Seat 0 deals. Hands and wall begin (and the wall ends) as written, the rest is shuffled."""
    chosen = make_rules({"preset": "hunan", **rules})
    left = deck(chosen)
    for tile in read_tiles("".join([*hands, upcard, wall, end])):
        left.remove(tile)
    random.Random(5).shuffle(left)
    full = [read_tiles(hand) for hand in hands]
    for hand in full:
        while len(hand) < chosen.hand_size:
            hand.append(left.pop())
    rest = [*read_tiles(wall), *left, *read_tiles(end)]
    return Game(chosen, 0, full, read_tiles(upcard)[0], rest)


def pass_until(game: Game, event: str) -> None:
    """Pass everything until the event has happened."""
    while event not in game.events:
        game.play(next(choice for choice in game.legal() if choice.startswith("pass")))


def test_2_2_three_quads_win_at_once_and_only_ti_and_kan_count() -> None:
    game = game_on(["", "aaaabbbbccccdefghiAB", ""], "J")
    result = game.result()
    assert game.events == ["1 tianhu"]
    assert (result["tile"], result["huxi"], result["base"]) == (None, 27, 6)
    assert result["groups"] == ["ti:aaaa", "ti:bbbb", "ti:cccc"]


def test_2_2_the_upcard_makes_the_dealers_fifth_kan() -> None:
    game = game_on(["aaabbbcccdddeefghABC", "", ""], "e")
    assert game.events == ["0 tianhu"]
    assert game.result()["huxi"] == 15


def test_10_3_a_forced_win_of_another_seat_is_di_hu_and_ting_hu() -> None:
    game = game_on(["", "aaabbbcccdddeeefghAB", ""], "J", preset="changde")
    assert {"di_hu", "ting_hu"} <= set(game.result()["patterns"])
    assert "tian_hu" not in game.result()["patterns"]


def test_8_6_a_forced_win_with_a_pair_left_is_dui_dui_hu() -> None:
    game = game_on(["", "aaabbbcccdddeeefffGG", ""], "J")
    assert "dui_dui_hu" in game.result()["patterns"]


def test_10_5_in_a_forced_win_the_wild_takes_the_colour_that_pays_most() -> None:
    game = game_on(["", "aaacccdddeeefffhiAC*", ""], "J", preset="yongzhou")
    assert (game.result()["patterns"], game.result()["fan"]) == (["wu_hu", "zi_mo"], 8)


def test_6_1_a_double_opening_ti_has_a_free_intake_and_after_a_ti_another() -> None:
    game = game_on(["A", "aaaabbbbcccdEFGHHJJI", ""], "B", wall="cH")
    assert game.events == ["1 ti aaaa", "1 ti bbbb"]
    game.play("discard A")
    pass_until(game, "2 draw H")
    assert "1 ti cccc" in game.events
    assert not game.seats[1].intake  # 10.3: no discard was owed
    while game.actor != 1:
        game.play(next(choice for choice in game.legal() if choice.startswith("pass")))
    game.play("peng HHH")
    assert game.events[game.events.index("1 peng HHH") + 1].startswith("2 ")
    assert len(game.seats[1].hand) == 7
    assert game.seats[1].intake


WAITS_FOR_C = ["jBFHIBFH", "abDDDjjJ", "acegACEG"]


def test_2_4_another_seat_is_asked_on_the_upcard() -> None:
    game = game_on(WAITS_FOR_C, "c", **SMALL)
    assert (game.actor, game.legal()) == (1, ["hu c", "pass hu"])


def test_5_9_a_passed_hu_is_barred_while_the_table_huxi_stays() -> None:
    game = game_on(WAITS_FOR_C, "c", wall="c", **SMALL)
    game.play("pass hu")
    game.play("discard j")
    pass_until(game, "1 draw c")
    assert game.actor != 1 or "hu c" not in game.legal()


def test_5_9_a_passed_hu_is_open_again_once_the_table_huxi_changed() -> None:
    game = game_on(WAITS_FOR_C, "c", wall="c", **SMALL)
    game.play("pass hu")
    game.play("discard j")
    game.play("peng jjj")
    game.play("discard J")
    pass_until(game, "2 draw c")
    assert (game.actor, game.legal()) == (1, ["hu c", "pass hu"])


def test_5_3_who_passes_a_pao_may_not_hu() -> None:
    for wall, walked in (("IDc", True), ("IGc", False)):
        game = game_on(WAITS_FOR_C, "e", wall=wall, forced_pao=False, **SMALL)
        game.play("discard I")
        pass_until(game, "0 draw c")
        asked = (game.actor, game.legal()) == (1, ["hu c", "pass hu"])
        assert ("1 pass pao" in game.events, game.seats[1].walked, asked) == (
            walked,
            walked,
            not walked,
        )


def test_6_3_a_hand_of_kan_is_dead_and_its_pao_is_not_asked() -> None:
    hands = ["IBFHIBFH", "aaabbbCC", "cegACEGG"]
    game = game_on(hands, "J", wall="Ca", forced_pao=False, **SMALL)
    game.play("discard I")
    pass_until(game, "1 wei CCC")
    assert (game.actor, game.legal()) == (1, ["hu C", "pass hu"])
    game.play("pass hu")
    then = game.events.index("1 nodiscard")
    assert game.events[then : then + 3] == ["1 nodiscard", "2 draw a", "1 pao aaaa"]
    assert game.seats[1].dead


def test_10_6_each_turned_tile_of_the_winning_kind_adds_one() -> None:
    game = game_on(WAITS_FOR_C, "c", end="cc", **{**SMALL, "preset": "bopi", "turn_up": 2})
    game.play("hu c")
    assert (game.result()["huxi"], game.result()["base"]) == (9, 9 + 10 + 2)


def test_10_5_a_drawn_hand_costs_each_wild_to_each_seat_without_one() -> None:
    game = game_on(["*", "*", "JJaceg"], "A", preset="yongzhou")
    while not game.over:
        passes = [choice for choice in game.legal() if choice.startswith("pass")]
        game.play((passes or game.legal())[0])
    assert game.result()["scores"] == [-5, -5, 10]


def test_10_4_a_red_last_tile_goes_to_the_top() -> None:
    assert exchange_last_tile(read_tiles("acbB")) == read_tiles("bBac")
    assert exchange_last_tile(read_tiles("bB")) == read_tiles("bB")


def test_10_5_a_pair_and_two_wilds_make_a_ti() -> None:
    melds = ["wei:jjj", "chi:BCD", "chi:GHI", "chi:iiI"]
    query = {"rules": "yongzhou", "hand": "AAeefg**", "melds": melds, "tile": "h"}
    found = answer({**query, "source": "own_draw"})
    assert found["huxi"] == 15
    assert "ti:AA**" in found["groups"]


@pytest.mark.parametrize(("source", "hu"), [("other_draw", True), ("discard", False)])
def test_5_3_a_peng_grows_by_a_draw_and_never_by_a_discard(source: str, hu: bool) -> None:
    melds = ["peng:hhh", "peng:CCC", "peng:DDD", "peng:EEE", "chi:FGH", "chi:def"]
    query = {"rules": "luzhou", "hand": "AA", "melds": melds, "tile": "h", "source": source}
    assert answer(query)["hu"] is hu


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("name", ["hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi"])
def test_a_random_hand_replays_as_it_was_played(name: str, players: int) -> None:
    chance = random.Random(f"{name}{players}")
    rules = {"preset": name, "players": players}
    deal = random_deal(make_rules(rules), chance)
    game = Game(make_rules(rules), **deal)
    while not game.over:
        game.play(chance.choice(game.legal()))
    record = {
        "rules": rules,
        "dealer": deal["dealer"],
        "hands": [letters(hand) for hand in deal["hands"]],
        "upcard": letters([deal["upcard"]]),
        "wall": "".join(LETTERS[tile] for tile in deal["wall"]),
        "aside": letters(deal["aside"]),
        "events": game.events,
        "legal": game.legals,
        "result": game.result(),
    }
    assert replay(record) == []
    assert sum(game.result()["scores"]) == 0
