"""Matches: who deals, who sits out, what is paid (rules, chapter 9)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from aec import choose_at_random, decisions, play_out

from paohuzi_env.core.actions import HU
from paohuzi_env.env import PaohuziEnv
from paohuzi_env.game import MOST_DRAWN, Game
from paohuzi_env.match import Match, dealer_at
from paohuzi_env.position import answer
from paohuzi_env.record import record_of, replay
from paohuzi_env.record_form import checked

pytestmark = [pytest.mark.interpreted, pytest.mark.boundscheck]


def without_hu(env: PaohuziEnv, agent: str) -> int:
    """Plays on to a drawn hand."""
    return max(a for a in env.legal_actions(agent) if a != HU)


@pytest.mark.rule("9.1")
def test_the_winner_deals_the_next_hand() -> None:
    match = Match(hands=5, table=3, seats=3, dealer=0)
    match.settle([-2, -2, 4], 2, drawn=False)
    assert match.dealer == 2
    match.settle([6, -3, -3], 0, drawn=False)
    assert match.dealer == 0
    assert match.totals == [4, -5, 1]


@pytest.mark.rule("9.2")
def test_after_three_drawn_hands_in_a_row_the_deal_goes_on_and_the_count_starts_again() -> None:
    match = Match(hands=20, table=3, seats=3, dealer=1)
    dealers = []
    for _ in range(8):
        dealers.append(match.dealer)
        match.settle([0, 0, 0], None, drawn=True)
    assert dealers == [1, 1, 1, 2, 2, 2, 0, 0]
    assert match.drawn_before == 8
    match.settle([2, -1, -1], 0, drawn=False)
    assert (match.dealer, match.drawn_before, match.drawn_in_a_row) == (0, 0, 0)


@pytest.mark.rule("9.1")
def test_at_a_table_of_four_the_one_opposite_the_dealer_sits_out() -> None:
    players = {dealer: Match(1, 4, 3, dealer).players for dealer in range(4)}
    assert players == {0: (0, 1, 3), 1: (0, 1, 2), 2: (1, 2, 3), 3: (0, 2, 3)}
    for dealer in range(4):
        assert players[dealer][Match(1, 4, 3, dealer).dealer_seat] == dealer
    assert [dealer_at(seat, 4, 3) for seat in range(3)] == [0, 1, 3]
    assert [dealer_at(seat, 3, 3) for seat in range(3)] == [0, 1, 2]


@pytest.mark.rule("9.1", "9.2")
def test_a_match_of_drawn_hands_in_the_environment() -> None:
    env = PaohuziEnv(hands=7, dealer=2)
    env.reset(seed=1)
    dealers, before = [], []
    hand = -1
    for _ in decisions(env, without_hu):
        if env.hand != hand:
            hand, game = env.hand, env.referee_game()
            dealers.append(int(game.record["dealer"]))
            before.append(int(game.record["drawn_before"]))
    assert not any(env.totals.values())  # nobody happened to win by force
    assert dealers == [2, 2, 2, 0, 0, 0, 1]
    assert before == list(range(7))


@pytest.mark.rule("9.1", "9.3")
@pytest.mark.parametrize("table", [3, 4])
def test_a_match_is_what_its_records_say(table: int) -> None:
    env = PaohuziEnv(hands=12, table=table)
    choose = choose_at_random(random.Random(2), 0.9)
    wins = 0
    for episode in range(4):
        env.reset(seed=episode)
        play_out(env, choose)
        records = env.referee_records()
        assert len(records) == 12
        dealer, totals = None, [0] * table
        for hand, record in enumerate(records):
            replay(record)
            match, scores = record["match"], record["result"]["scores"]
            seats = match["seats"]
            assert match["hand"] == hand
            assert seats == sorted(set(seats))
            dealing = seats[record["dealer"]]
            assert dealer in (None, dealing)
            if table == 4:
                assert set(range(4)) - set(seats) == {(dealing + 2) % 4}
            for participant, score in zip(seats, scores, strict=True):
                totals[participant] += score
            assert match["totals"] == totals
            winner = record["result"].get("winner")
            wins += winner is not None
            dealer = None if winner is None else seats[winner]
            if winner is None:
                assert scores == [0, 0, 0]
        assert list(env.totals.values()) == totals
    assert wins > 5


def test_who_sits_out_is_never_selected_and_sees_and_gets_nothing() -> None:
    env = PaohuziEnv(hands=6, table=4, history=3)
    choose = choose_at_random(random.Random(3), 0.9)
    env.reset(seed=3)
    sat_out: Counter[str] = Counter()
    for agent in decisions(env, choose):
        out = [a for a in env.possible_agents if env.seat_of(a) < 0]
        assert len(out) == 1
        sat_out[out[0]] += 1
        assert agent not in out
        dealer = env._players[int(env.referee_game().record["dealer"])]
        assert int(out[0][-1]) == (int(dealer[-1]) + 2) % 4
        seen: Any = env.observe(out[0])
        assert not seen["action_mask"].any()
        assert not seen["observation"].any()
        assert (seen["history"] == -1).all()
        assert not any("wei" in e and "chouwei" not in e and "???" not in e for e in env.event_log(out[0]))
        with pytest.raises(ValueError, match="sits this hand out"):
            env.view(out[0])
    assert len(sat_out) > 1
    assert len(env.agents) == 4  # who sits out the last hand ends with the others


def test_the_first_dealer_is_drawn_evenly_or_given() -> None:
    env = PaohuziEnv(table=4)
    drawn: Counter[str] = Counter()
    for seed in range(800):
        env.reset(seed=seed)
        drawn[env._players[int(env.referee_game().record["dealer"])]] += 1
    assert all(150 < drawn[agent] < 250 for agent in env.possible_agents)
    for dealer in range(4):
        env.reset(seed=0, options={"dealer": dealer})
        assert env._players[int(env.referee_game().record["dealer"])] == f"player_{dealer}"
    for dealer in range(3):
        env = PaohuziEnv(dealer=dealer)
        env.reset()
        assert int(env.referee_game().record["dealer"]) == dealer
        env.reset(options={"dealer": 0})
        assert int(env.referee_game().record["dealer"]) == 0


@pytest.mark.parametrize("table", [3, 4])
def test_a_reset_can_begin_from_a_record_or_a_game(table: int) -> None:
    source = PaohuziEnv()
    source.reset(seed=21)
    play_out(source, choose_at_random(random.Random(4), 0.5))
    (record,) = source.referee_records()
    dealt = replay(record).deal()
    env = PaohuziEnv(table=table)
    env.reset(seed=0, options={"record": record})
    assert env.referee_game() == dealt
    middle = dealt.clone()
    for _ in range(10):
        middle.step(middle.legal_actions[-1])
    env.reset(options={"game": middle})
    assert env.referee_game() == middle
    play_out(env, choose_at_random(random.Random(5)))
    assert env.referee_game() != middle  # it was copied
    assert replay(env.referee_records()[0]).game == env.referee_game()


def test_hand_k_of_a_seed_is_the_deal_k_of_that_seed() -> None:
    env = PaohuziEnv()
    env.reset(seed=31)
    for k in range(6):
        assert env.referee_game() == Game.deal("hunan", 31, k)
        env.reset()


FORCED = {"preset": "hunan", "tian_hu_kans": 2, "tian_hu_quads": 1}
"""Many hands are over on the deal."""


@pytest.mark.rule("2.2")
def test_episodes_without_a_decision_are_skipped() -> None:
    env = PaohuziEnv(FORCED)
    skipped = 0
    for seed in range(20):
        env.reset(seed=seed)
        index = env.skipped
        assert all(Game.deal(FORCED, seed, k).over for k in range(index))
        assert env.referee_game() == Game.deal(FORCED, seed, index)
        skipped += index
        play_out(env, choose_at_random(random.Random(seed)))
        assert len(env.referee_records()) == 1
    assert skipped > 0


@pytest.mark.rule("2.2")
def test_hands_of_a_match_that_are_over_on_the_deal_are_paid_all_the_same() -> None:
    env = PaohuziEnv(FORCED, hands=8)
    choose = choose_at_random(random.Random(6), 0.9)
    first_was_over = 0
    for seed in range(20):
        env.reset(seed=seed)
        first_was_over += env.hand > 0
        assert not any(env.rewards.values())
        got = dict.fromkeys(env.agents, 0.0)
        while env.agents:
            agent = env.agent_selection
            _, reward, termination, _, _ = env.last()
            got[agent] += reward
            env.step(None if termination else choose(env, agent))
        records = env.referee_records()
        assert len(records) == 8
        total = np.sum([record["result"]["scores"] for record in records], axis=0)
        assert list(got.values()) == total.tolist()
    assert first_was_over > 0


def test_one_limit_holds_for_drawn_hands_before_wherever_they_are_told() -> None:
    game = Game.deal("mini", 1, drawn_before=MOST_DRAWN)
    assert game.record["drawn_before"] == MOST_DRAWN
    while not game.over:
        game.step(game.legal_actions[0])
    record = record_of(game)
    assert replay(record).game.record["drawn_before"] == MOST_DRAWN
    match = Match(hands=9, table=3, seats=3, dealer=0, drawn_before=MOST_DRAWN)
    match.settle([0, 0, 0], -1, drawn=True)
    assert match.drawn_before == MOST_DRAWN
    query = {"hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "other_draw"}
    assert "hu" in answer({**query, "drawn_before": MOST_DRAWN})

    beyond = MOST_DRAWN + 1
    with pytest.raises(ValueError, match=f"0 to {MOST_DRAWN}"):
        Game.deal("mini", 1, drawn_before=beyond)
    with pytest.raises(ValueError, match=f"0 to {MOST_DRAWN}"):
        checked({**record, "drawn_before": beyond})
    assert f"0 to {MOST_DRAWN}" in answer({**query, "drawn_before": beyond})["error"]
