"""The arena plays what the rules and the agents say, whatever is played beside it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import agents
from agents.base import decision_words
from benchmarks import arena
from benchmarks.arena import play_blocks
from benchmarks.deals import STREAM, deal_set
from benchmarks.lockstep import COUNTS
from benchmarks.schedule import seatings
from paohuzi_env.core.log import FAULTS
from paohuzi_env.game import Game
from paohuzi_env.match import Match
from paohuzi_env.record import events_of
from tests.benchmarks.players import Failing, Lowest

TUNE = deal_set("tune", purpose="tuning")


def mixed(seed: int, rules: Any = "hunan") -> Lowest:
    return Lowest(rules, True, seed=seed)


def slowly(players: list[Lowest], block: int, seating: tuple[int, ...], number: int) -> Game:
    """The obvious way to play one hand."""
    game = Game.deal(players[0].rules, int(TUNE.seed), block, stream=STREAM)
    decided: Counter[int] = Counter()
    while game.actor is not None:
        seat = game.actor
        agent = players[seating[seat]]
        word = decision_words(agent.seed, block, number, seat, decided[seat])
        decided[seat] += 1
        game.step(int(agent.choose(game.view(seat), word, np.zeros(1, np.int64))[0]))
    return game


def counted(game: Game, seat: int) -> dict[str, int]:
    """The counts of a seat, from the texts of events."""
    events = [event.split(" ") for event in events_of(game)]
    verbs = Counter(
        "pass_" + rest[0] if verb == "pass" else "wei" if verb == "chouwei" else verb
        for who, verb, *rest in events
        if who == str(seat)
    )
    fed = fed_hu = 0
    for at, (who, verb, *_) in enumerate(events):
        if who == str(seat) and verb == "discard":
            after = next((e for e in events[at + 1 :] if e[1] != "pass"), ["", "draw"])
            fed += after[1] in ("pao", "peng", "chi", "hu") and after[0] != who
            fed_hu += after[1] == "hu" and after[0] != who
    names = [name for name in COUNTS if name not in ("decisions", "discards", "fed", "fed_hu")]
    return {**{name: verbs[name] for name in names}, "discards": verbs["discard"], "fed": fed, "fed_hu": fed_hu}


TWICE = (pytest.mark.interpreted, pytest.mark.boundscheck)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param("hunan", marks=pytest.mark.boundscheck),
        "luzhou",
        pytest.param("yongzhou", marks=pytest.mark.boundscheck),
        pytest.param("mini", marks=TWICE),
    ],
)
def test_a_block_is_what_one_hand_after_the_other_gives(rules: str) -> None:
    players = [mixed(3, rules), mixed(4, rules)]
    played = play_blocks(players, TUNE, range(4, 16))
    order = seatings((0, 1), players[0].rules.seats)
    assert len(played.hands) == 12 * len(order)
    for hand in played.hands:
        seating = order[hand["seating"]]
        assert tuple(hand["agents"][: len(seating)]) == seating
        game = slowly(players, int(hand["block"]), seating, int(hand["seating"]))
        assert tuple(hand["scores"][: len(seating)]) == game.scores
        for seat in range(len(seating)):
            assert {k: v for k, v in counted(game, seat).items() if hand[k][seat] != v} == {}
    decisions = [int(played.hands["decisions"][played.hands["agents"] == a].sum()) for a in (0, 1)]
    assert decisions == [spent.decisions for spent in played.spent]


def test_the_result_does_not_depend_on_batch_width_or_company(monkeypatch: pytest.MonkeyPatch) -> None:
    players = [mixed(1), agents.make("uniform"), mixed(2)]
    whole = play_blocks(players, TUNE, range(20), groups=[(0, 1), (1, 2)]).hands
    monkeypatch.setattr(Lowest, "batch", 1)
    monkeypatch.setattr(arena, "WIDTH", 5)
    parts = [play_blocks(players, TUNE, range(b, b + 10), groups=[(0, 1), (1, 2)]).hands for b in (0, 10)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()
    alone = play_blocks(players, TUNE, range(20), groups=[(1, 2)]).hands
    same = whole[whole["group"] == 1]
    same["group"] = 0
    assert same.tobytes() == alone.tobytes()


def test_three_agents_sit_at_one_table_and_more_meet_in_pairs() -> None:
    players = [mixed(seed) for seed in range(4)]
    assert len(play_blocks(players[:3], TUNE, range(2)).hands) == 2 * 6
    assert len(play_blocks(players, TUNE, range(2)).hands) == 2 * 6 * 6


def test_hand_numbers_are_never_the_same_twice() -> None:
    class Noting(Lowest):
        def choose(self, views: Any, words: Any, hands: Any) -> Any:
            noted.update(zip(hands.tolist(), views["dealt"][:, :20].tobytes().hex(" ", 20).split(), strict=False))
            numbers.update(hands.tolist())
            return super().choose(views, words, hands)

    noted: dict[int, str] = {}
    numbers: set[int] = set()
    play_blocks([Noting("hunan"), Noting("hunan")], TUNE, range(3), groups=[(0, 1), (1,)], hands_per_match=4)
    assert len(numbers) == 3 * (6 + 1) * 4


def test_a_match_is_dealt_on_as_the_rules_say() -> None:
    players = [mixed(5), mixed(6)]
    told: list[int] = []
    played = play_blocks(
        players, TUNE, range(3), hands_per_match=5, on_hands=lambda games, hands, seconds: told.append(len(games))
    )
    assert len(played.hands) == 3 * 6 * 5
    assert told == [18] * 5
    for match in played.hands.reshape(-1, 5):
        assert match["hand"].tolist() == [0, 1, 2, 3, 4]
        sheet = Match(5, 3, 3, int(match["dealer"][0]))
        for hand in match:
            assert hand["dealer"] == sheet.dealer_seat
            winner = int(hand["winner"])
            sheet.settle(hand["scores"].tolist(), winner if winner >= 0 else None, drawn=winner < 0)


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("raise", "crash"),
        ("float", "garbage"),
        ("illegal", "illegal"),
        ("negative", "garbage"),
        ("unsigned", "illegal"),
        ("ragged", "garbage"),
        ("exit", "crash"),
        ("wordless", "crash"),
        ("timeout", "timeout"),
    ],
)
def test_a_failure_is_a_fault_of_the_hand_where_it_happens_and_of_no_other(how: str, kind: str) -> None:
    failing, sound = Failing("hunan", how), Lowest("hunan")
    played = play_blocks([failing, mixed(2)], TUNE, range(30))
    as_sound = play_blocks([sound, mixed(2)], TUNE, range(30)).hands
    faulty = played.hands["fault_seat"] >= 0
    assert 0 < faulty.sum() < len(faulty)
    assert np.array_equal(played.hands[~faulty], as_sound[~faulty])
    for hand in played.hands[faulty]:
        seat = hand["fault_seat"]
        assert FAULTS[hand["fault_kind"]] == kind
        assert hand["agents"][seat] == 0
        assert hand["scores"].tolist() == [-20 if s == seat else 10 for s in range(3)]
        assert hand["winner"] == -1
    error = played.spent[0].error
    said = {"raise": "RuntimeError: out of order", "exit": "SystemExit: 0", "wordless": "WordlessError"}
    assert error == said.get(how, error)
    assert bool(error) == (how in ("float", "ragged", *said))


def test_an_agent_that_wants_to_know_is_told_how_every_hand_ended() -> None:
    class Curious(Lowest):
        def ended(self, views: Any, hands: Any) -> None:
            assert views["over"].all()
            told.update(zip(hands.tolist(), views["seat"].tolist(), strict=True))
            paid.append(int(views["scores"][np.arange(len(views)), views["seat"]].sum()))
            raise RuntimeError("not interested")

    told: set[tuple[int, int]] = set()
    paid: list[int] = []
    curious = Curious("hunan", True)
    played = play_blocks([curious, mixed(2)], TUNE, range(5), hands_per_match=2)
    mine = played.hands["agents"] == 0
    assert len(told) == mine.sum()
    assert sum(paid) == played.hands["scores"][mine].sum()
    assert played.spent[0].error == "RuntimeError: not interested"
    assert (played.hands["fault_seat"] == -1).all()


def test_agents_of_different_rules_are_refused() -> None:
    with pytest.raises(ValueError, match="plays by luzhou, <agent lowest> by hunan; allowed: one"):
        play_blocks([Lowest("hunan"), Lowest("luzhou")], TUNE, range(1))
    unfit = Lowest("hunan")
    unfit.batch = 0  # type: ignore[misc]
    with pytest.raises(ValueError, match="batch = 0; allowed: 1 to"):
        play_blocks([unfit], TUNE, range(1))
    with pytest.raises(ValueError, match="no agents; needed: one or more"):
        play_blocks([], TUNE, range(1))
