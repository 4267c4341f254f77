"""Rules, chapters 1 and 2: tiles, the deal, forced wins on it, the opening."""

from __future__ import annotations

from collections import Counter

import pytest
from reference.tiles import letters, read_tiles
from table import SMALL, Table

from paohuzi_env.core.tiles import is_red
from paohuzi_env.game import Game
from paohuzi_env.rules import preset, preset_names, rule_set

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]


def tiles_of(game: Game) -> Counter[int]:
    """All tiles of a hand just dealt, before or after the opening ti."""
    counts: Counter[int] = Counter()
    for seat in range(game.rules.seats):
        counts.update(int(k) for k in range(21) for _ in range(game.record["dealt"][seat][k]))
    counts.update(int(t) for t in game.record["wall"] if t >= 0)
    counts.update(int(k) for k in range(21) for _ in range(game.record["hand_aside"][k]))
    return counts


@pytest.mark.rule("1.1")
@pytest.mark.parametrize("seed", range(5))
def test_the_deck_has_four_of_each_of_twenty_kinds(seed: int) -> None:
    assert tiles_of(Game.deal("hunan", seed)) == Counter(dict.fromkeys(range(20), 4))


@pytest.mark.rule("1.1")
def test_a_deal_of_other_tiles_is_refused() -> None:
    hands = [list(range(20)) for _ in range(3)]
    Game.from_tiles("hunan", 0, hands, 0, list(range(1, 20)))
    with pytest.raises(ValueError, match="deck"):
        Game.from_tiles("hunan", 0, hands, 1, list(range(1, 20)))
    with pytest.raises(ValueError, match="20 needed"):
        Game.from_tiles("hunan", 0, [hands[0][:19], *hands[1:]], 0, [*range(1, 20), 19])


@pytest.mark.rule("1.2")
def test_ranks_two_seven_and_ten_are_red_in_both_sizes() -> None:
    assert letters(k for k in range(20) if is_red(k)) == "bgjBGJ"


@pytest.mark.rule("1.3")
def test_only_yongzhou_has_wild_tiles() -> None:
    assert {name: preset(name).wilds for name in preset_names() if preset(name).wilds} == {"yongzhou": 2}
    assert tiles_of(Game.deal("yongzhou", 1))[20] == 2


@pytest.mark.rule("2.1")
def test_each_seat_gets_twenty_tiles_the_dealer_the_upcard_too_and_nineteen_stay() -> None:
    game = Game.deal("hunan", 3, dealer=1)
    dealt = game.record["dealt"]
    assert [int(dealt[s].sum()) for s in range(3)] == [20, 21, 20]
    assert dealt[1][game.record["upcard"]] > 0
    assert len([t for t in game.record["wall"] if t >= 0]) == 19


@pytest.mark.rule("2.1")
def test_the_seed_fixes_the_deal() -> None:
    assert Game.deal("hunan", 7, 3) == Game.deal("hunan", 7, 3)
    others = [Game.deal("hunan", 8, 3), Game.deal("hunan", 7, 4), Game.deal("hunan", 7, 3, stream=1)]
    assert all(other != Game.deal("hunan", 7, 3) for other in others)


# --- 2.2 ----------------------------------------------------------------------------------------------------


@pytest.mark.rule("2.2")
@pytest.mark.parametrize(
    ("hand", "wins"),
    [
        ("aaaabbbbcccc", True),
        ("aaabbbcccdddeee", True),
        ("aaaabbbcccdddeee", True),
        ("aaaabbbbcccdddeee", True),
        ("aaaabbbbccc", False),
        ("aaaabbbbcccddd", False),
        ("aaabbbcccddd", False),
    ],
)
def test_three_quads_or_five_quads_and_kan_win_at_once(hand: str, wins: bool) -> None:
    table = Table(["", hand, ""], "J")
    assert (table.events == ["1 tianhu"]) is wins
    if wins:
        assert table.result["winner"] == 1
        assert table.result["tile"] is None


@pytest.mark.rule("2.2")
@pytest.mark.parametrize(("hand", "upcard"), [("aaabbbcccdddee", "e"), ("aaaabbbbccc", "c")])
def test_the_upcard_counts_for_the_dealer_only(hand: str, upcard: str) -> None:
    assert Table([hand, "", ""], upcard).events == ["0 tianhu"]
    assert Table(["", hand, ""], upcard).events != ["1 tianhu"]


@pytest.mark.rule("2.2")
@pytest.mark.parametrize(("dealer", "winner"), [(0, 0), (1, 2), (2, 2)])
def test_of_several_the_first_from_the_dealer_on_wins(dealer: int, winner: int) -> None:
    table = Table(["aaaabbbbcccc", "", "AAAABBBBCCCC"], "J", dealer=dealer)
    assert table.events == [f"{winner} tianhu"]


@pytest.mark.rule("2.2")
def test_all_three_at_once_go_to_the_dealer() -> None:
    table = Table(["aaaabbbbcccc", "ddddeeeeffff", "AAAABBBBCCCC"], "J", dealer=1)
    assert table.result["winner"] == 1


@pytest.mark.rule("2.2", "11")
def test_the_two_numbers_can_be_set_and_switched_off() -> None:
    assert Table(["", "aaaabbbb", ""], "J", tian_hu_quads=2).events == ["1 tianhu"]
    assert Table(["", "aaabbbccc", ""], "J", tian_hu_kans=3).events == ["1 tianhu"]
    off = Table(["", "aaaabbbbcccc", ""], "J", tian_hu_quads=0, tian_hu_kans=0)
    assert off.events[:3] == ["1 ti aaaa", "1 ti bbbb", "1 ti cccc"]


# --- 2.3 to 2.5 ---------------------------------------------------------------------------------------------


@pytest.mark.rule("2.3")
def test_quads_are_laid_by_the_dealer_first_each_seat_in_index_order() -> None:
    table = Table(["cccc", "ddd", "JJJJaaaa"], "d", dealer=1)
    assert table.events[:4] == ["1 ti dddd", "2 ti aaaa", "2 ti JJJJ", "0 ti cccc"]


COMPLETE = "AAABBBCDEFGHabcdefgh"  # with `i` seven doors and 15 huxi
WAITS_FOR_A = "BCJJJbgjdefghiDEFGHI"


@pytest.mark.rule("2.4", "8.5")
def test_the_dealer_is_asked_when_his_hand_is_complete_with_the_upcard() -> None:
    table = Table([COMPLETE, "", ""], "i")
    assert table.asked == (0, ["hu i", "pass hu"])
    table.do("0 hu i")
    assert table.result["huxi"] == 15
    assert table.result["base"] == 2  # self-drawn


@pytest.mark.rule("2.4")
def test_three_alike_with_the_upcard_are_a_kan_of_the_dealer_and_a_peng_of_others() -> None:
    hand = "AABBBCDEFGHabcdefghi"
    table = Table([hand, "", ""], "A").do("0 hu A")
    assert "kan:AAA" in table.result["groups"]
    other = Table(["", hand, ""], "A", min_huxi=12).do("1 hu A")
    assert "peng:AAA" in other.result["groups"]
    assert other.result["huxi"] == 12


@pytest.mark.rule("2.4")
def test_the_dealer_is_asked_when_the_upcard_made_a_ti() -> None:
    table = Table(["AAAjjabcdefghiDEFGHI", "", ""], "A")
    assert table.events == ["0 ti AAAA"]
    assert table.asked == (0, ["hu A", "pass hu"])


@pytest.mark.rule("2.4")
def test_others_may_win_on_an_upcard_that_made_the_dealers_ti() -> None:
    table = Table(["AAA", WAITS_FOR_A, ""], "A")
    assert table.events == ["0 ti AAAA"]
    assert table.asked == (1, ["hu A", "pass hu"])
    assert table.do("1 hu A").result["winner"] == 1


@pytest.mark.rule("2.4")
def test_the_upcard_is_offered_to_the_dealer_then_the_next_then_the_last_seat() -> None:
    table = Table(["bcDDDdef", "bcFFFeeE", "bcAAAddD"], "a", **SMALL)
    assert table.window == "0 hu"
    assert table.do("0 pass hu").window == "1 hu"
    assert table.do("1 pass hu").window == "2 hu"
    assert table.do("2 pass hu").window == "0 discard"


@pytest.mark.rule("2.4")
@pytest.mark.parametrize("hand", ["ee", "eee", "cd", "eE"])
def test_nobody_may_chi_peng_or_pao_the_upcard(hand: str) -> None:
    table = Table(["", hand, hand.replace("eee", "").replace("ee", "")], "e")
    assert table.window == "0 discard"
    assert not any(" pao " in event or " peng " in event for event in table.events)


@pytest.mark.rule("2.5", "6.1")
@pytest.mark.parametrize(("hand", "first"), [("", "0 discard"), ("aaaa", "0 discard")])
def test_the_dealer_discards_first(hand: str, first: str) -> None:
    assert Table([hand, "", ""], "J").window == first


@pytest.mark.rule("2.5", "6.1")
def test_a_dealer_with_two_ti_does_not_discard() -> None:
    table = Table(["aaaabbbb", "", ""], "J", wall="F")
    assert table.after("0 ti bbbb")[0] == "1 draw F"


@pytest.mark.rule("1.1", "2.1", "11")
def test_a_small_game_uses_fewer_ranks() -> None:
    game = Game.deal("mini", 1)
    assert tiles_of(game) == Counter(dict.fromkeys(read_tiles("abcABC"), 4))
    assert rule_set("mini").seats == 2
