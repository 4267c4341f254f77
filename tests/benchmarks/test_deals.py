"""Deal sets: what they deal, that they are apart, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.deals import NAMES, STREAM, VERSION, DealSetError, deal_range, deal_set
from paohuzi_env.game import Game
from paohuzi_env.rules import preset, rule_set

HUNAN = preset("hunan")


def test_a_hand_of_a_set_is_the_games_own_deal() -> None:
    deals = deal_set("validation", purpose="tuning")
    games = deals.deal(HUNAN, [0, 5])
    for i, number in enumerate([0, 5]):
        assert games[i : i + 1].tobytes() == Game.deal("hunan", int(deals.seed), number, stream=STREAM)._array.tobytes()


def test_another_dealer_does_not_change_the_tiles() -> None:
    deals = deal_set("tune", purpose="tuning")
    as_drawn = deals.deal(HUNAN, range(40))
    given = deals.deal(HUNAN, range(40), [1] * 40, [2] * 40)
    assert (given["dealer"] == 1).all()
    assert (given["drawn_before"] == 2).all()
    assert np.array_equal(as_drawn["wall"], given["wall"])
    assert set(as_drawn["dealer"].tolist()) == {0, 1, 2}


def test_no_two_hands_are_alike_within_and_between_sets_and_seeds_of_environments() -> None:
    seen = set()
    for name in NAMES:
        games = deal_set(name, purpose="report").deal(HUNAN, range(3000))
        seen |= {g.tobytes() for g in np.concatenate([games["dealt"].reshape(3000, -1), games["wall"]], axis=1)}
    for seed in range(3):
        for stream in range(20):
            for index in range(20):
                g = Game.deal("hunan", seed, index, stream=stream).record
                seen.add(np.concatenate([g["dealt"].reshape(-1), g["wall"]]).tobytes())
    assert len(seen) == 3 * 3000 + 3 * 400


def test_the_hash_says_which_hands_by_which_rules() -> None:
    tune = deal_set("tune", purpose="tuning")
    hashes = {
        tune.hash(HUNAN, range(50)),
        tune.hash(HUNAN, range(51)),
        tune.hash(HUNAN, range(1, 51)),
        tune.hash(rule_set({"preset": "hunan", "cap": 20}), range(50)),
        deal_set("test", purpose="report").hash(HUNAN, range(50)),
    }
    assert len(hashes) == 5
    assert tune.hash(HUNAN, range(9000)) == tune.hash(HUNAN, range(9000))


def test_what_is_dealt_stays_the_same() -> None:
    assert VERSION == 1, "new hands: pin their hashes anew"
    hashes = {name: deal_set(name, purpose="report").hash(HUNAN, range(100)) for name in NAMES}
    assert hashes == PINNED


PINNED = {"tune": "cac27afe4e33567c", "validation": "080acb34d548d622", "test": "71e3148e2f9c546f"}


def test_the_test_set_is_refused_to_tuning() -> None:
    with pytest.raises(DealSetError, match="deal set 'test' for purpose 'tuning'; allowed: tune, validation"):
        deal_set("test", purpose="tuning")
    assert str(deal_set("test", purpose="report")) == "test v1"


@pytest.mark.parametrize(
    ("name", "purpose", "message"),
    [
        ("train", "report", "deal set = 'train'; allowed: tune, validation, test"),
        ("tune", "fun", "purpose = 'fun'; allowed: tuning, report"),
    ],
)
def test_an_unknown_set_or_purpose_is_named(name: str, purpose: str, message: str) -> None:
    with pytest.raises(DealSetError, match=message):
        deal_set(name, purpose=purpose)


def test_a_range_of_deals_is_checked() -> None:
    assert deal_range(5, 3) == range(5, 8)
    with pytest.raises(ValueError, match="blocks = 0; allowed: 1 to"):
        deal_range(0, 0)
