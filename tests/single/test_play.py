"""What a learner gets: its own reward, legal masks, other players that move in between."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from seats import MINI

from paohuzi_env.core import state as st
from paohuzi_env.core.actions import HU, NUM_ACTIONS, PASS
from paohuzi_env.core.log import V_DISCARD
from paohuzi_env.core.observe import NUM_PLANES, observe_game
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.errors import GameOverError, IllegalActionError
from paohuzi_env.game import Game
from paohuzi_env.rewards import REWARDS, shaped
from paohuzi_env.single import SingleSeatEnv, SingleSeatVectorEnv

few = [pytest.mark.interpreted, pytest.mark.boundscheck]


def take_hu(observation: Any, mask: Any) -> int:
    """Win where one can, else the highest legal action."""
    return HU if mask[HU] else int(np.flatnonzero(mask)[-1])


def never_hu(observation: Any, mask: Any) -> int:
    """The lowest legal action that is not a win."""
    legal = np.flatnonzero(mask)
    return int(legal[legal != HU][0])


def play(env: SingleSeatEnv, seed: int | None, choose: Any) -> tuple[float, list[int], dict[str, Any]]:
    obs, info = env.reset(seed=seed)
    actions: list[int] = []
    while True:
        assert env.action_masks().any()
        assert np.array_equal(env.action_masks(), info["action_mask"])
        actions.append(choose(obs, info["action_mask"]))
        obs, reward, over, _, info = env.step(actions[-1])
        if over:
            return reward, actions, info
        assert reward == 0


@pytest.mark.parametrize("seat", [0, 1, 2, "random", "rotate"])
def test_the_reward_is_the_learners_whoever_moves_last(seat: Any) -> None:
    env = SingleSeatEnv(seat=seat)
    ends: Counter[str] = Counter()
    for number in range(400):
        reward, actions, info = play(env, 0 if number == 0 else None, take_hu)
        game = env.referee_game()
        me, winner = info["seat"], int(game.record["winner"])
        assert reward == game.scores[me]
        assert sum(game.scores) == 0
        if winner == me:
            ends["won"] += 1
            assert reward > 0
            assert actions[-1] == HU
        elif winner >= 0:
            ends["lost"] += 1
            assert reward <= 0
        else:
            ends["drawn"] += 1
            assert reward == 0
    assert min(ends[end] for end in ("won", "lost", "drawn")) > 5, ends


def test_a_win_on_the_first_question_pays_the_learner() -> None:
    """Scripted: seeds in which seat 0 is offered a win, which it takes."""
    env = SingleSeatEnv(seat=0, rules={"preset": "hunan", "discard_payment": "each"})
    wins = 0
    for seed in range(3000):
        _, info = env.reset(seed=seed)
        if info["action_mask"][HU]:
            _, reward, over, _, _ = env.step(HU)
            assert over
            assert reward == env.referee_game().scores[0] > 0
            assert min(env.referee_game().scores) == -reward / 2
            wins += 1
    assert wins


def test_winning_pays_more_than_never_winning() -> None:
    totals = [sum(play(env, None, choose)[0] for _ in range(300)) for env, choose in self_and_other()]
    assert totals[0] > 0 > totals[1]


def self_and_other() -> list[tuple[SingleSeatEnv, Any]]:
    pairs = [(SingleSeatEnv(opponents=never_hu), take_hu), (SingleSeatEnv(opponents=take_hu), never_hu)]
    for env, _ in pairs:
        env.reset(seed=1)
    return pairs


@pytest.mark.parametrize("reward", REWARDS)
def test_every_kind_of_reward_is_that_of_the_settlement(reward: Any) -> None:
    env = SingleSeatEnv(reward=reward, reward_scale=4, rules="luzhou")
    for seed in range(60):
        got, _, info = play(env, seed, take_hu)
        scores = env.referee_game().scores
        assert got == shaped(scores, reward, 4)[info["seat"]]
        assert np.sign(got) == np.sign(scores[info["seat"]])


def test_a_hand_is_that_of_game_deal_and_the_learner_sees_what_its_seat_may() -> None:
    env = SingleSeatEnv(opponents=take_hu, dealer=2)
    for seed in range(20):
        obs, info = env.reset(seed=seed)
        dealt = Game.deal("hunan", seed, info["hand"], dealer=2)
        game = env.referee_game()
        assert np.array_equal(game.record["dealt"], dealt.record["dealt"])
        assert game.record["dealer"] == 2
        over = False
        while not over:
            game = env.referee_game()
            assert game.actor == info["seat"]
            obs, _, over, _, info = env.step(take_hu(obs, info["action_mask"]))
            array, views = st.allocate(1, st.GAME), st.allocate(1, st.VIEW)
            array[0] = env.referee_game().record
            seen, mask = np.zeros((NUM_PLANES, KINDS), np.int8), np.zeros(NUM_ACTIONS, np.int8)
            observe_game(array, 0, env.rules.record, views, info["seat"], seen, mask)
            assert np.array_equal(obs, seen)
            assert np.array_equal(info["action_mask"], mask)


def test_the_learners_seat() -> None:
    def seats(**options: Any) -> list[tuple[int, int]]:
        env = SingleSeatEnv(**options)
        infos = [env.reset(seed=3 if k == 0 else None)[1] for k in range(300)]
        return [(info["hand"], info["seat"]) for info in infos]

    assert {seat for _, seat in seats(seat=1)} == {1}
    assert all(seat == hand % 3 for hand, seat in seats(seat="rotate"))
    assert all(seat == hand % 2 for hand, seat in seats(seat="rotate", rules={"players": 2}))
    drawn = seats()
    assert drawn == seats(seat="random"), "drawn with the hand, and the default"
    counts = Counter(seat for _, seat in drawn)
    assert all(70 < counts[seat] < 130 for seat in range(3))
    assert set(Counter(seat for _, seat in seats(rules={"players": 2}))) == {0, 1}


def test_hands_in_which_the_learner_is_asked_nothing_are_no_episodes_but_are_counted() -> None:
    env = SingleSeatEnv(rules="mini", seat=1, opponents=take_hu)
    missed = 0
    last = -1
    for k in range(300):
        _, info = env.reset(seed=0 if k == 0 else None)
        assert info["hand"] == last + 1 + info["missed_hands"]
        score = 0
        for index in range(last + 1, info["hand"]):
            game = Game.deal("mini", 0, index)
            while not game.over:
                assert game.actor != 1
                game.step(take_hu(None, np.isin(np.arange(NUM_ACTIONS), game.legal_actions)))
            score += game.scores[1]
        assert info["missed_score"] == score
        missed += info["missed_hands"]
        last = info["hand"]
        while not env.step(int(env.action_masks().argmax()))[2]:
            pass
    assert missed > 0


# --- other players ----------------------------------------------------------------------------------------------------


class Recorder:
    """A batch policy that keeps what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, Any, Any]] = []

    def act(self, views: Any, observations: Any, masks: Any) -> Any:
        self.asked.append((views.copy(), observations.copy(), masks.copy()))
        answers = np.array([take_hu(None, mask) for mask in masks])
        observations[:] = 5  # it may write into what it gets
        masks[:] = 0
        return answers


@pytest.mark.parametrize("rules", [pytest.param(MINI, marks=few), "hunan"])
def test_functions_batch_policies_and_lists_of_them_play_alike(rules: Any) -> None:
    results = []
    for opponents in (take_hu, Recorder(), [take_hu, take_hu], [Recorder(), take_hu]):
        env = SingleSeatEnv(rules, opponents=opponents)
        results.append([play(env, seed, never_hu)[:2] for seed in range(4)])
    assert results[1:] == results[:1] * 3


def test_a_batch_policy_gets_views_of_the_seats_that_are_asked_all_in_one_call() -> None:
    policy = Recorder()
    env = SingleSeatVectorEnv(64, opponents=policy, seat=1, autoreset_mode="SameStep")
    env.reset(seed=0)
    for _ in range(20):
        env.step(env.action_masks().argmax(1))
    assert max(len(views) for views, _, _ in policy.asked) > 20
    for views, observations, masks in policy.asked:
        n = len(views)
        assert views.dtype.names == st.VIEW.names
        assert observations.shape == (n, NUM_PLANES, KINDS)
        assert masks.shape == (n, NUM_ACTIONS)
        assert (views["seat"] != 1).all()
        assert masks.any(1).all()
        assert np.array_equal((masks.astype(np.int64) << np.arange(NUM_ACTIONS)).sum(1), views["legal"])
    assert {0, 2} <= set(np.concatenate([views["seat"] for views, _, _ in policy.asked]).tolist())


def test_each_opponent_plays_its_own_seat_counted_from_the_learners() -> None:
    after, before = Recorder(), Recorder()
    env = SingleSeatVectorEnv(16, opponents=[after, before], seat=2, autoreset_mode="SameStep")
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.action_masks().argmax(1))
    assert {seat for views, _, _ in after.asked for seat in views["seat"].tolist()} == {0}
    assert {seat for views, _, _ in before.asked for seat in views["seat"].tolist()} == {1}


@pytest.mark.parametrize(("flat", "dtype"), [(False, "int8"), (True, "float32")])
def test_a_function_sees_observations_in_the_learners_form(flat: bool, dtype: Any) -> None:
    forms = set()

    def policy(observation: Any, mask: Any) -> Any:
        forms.add((observation.shape == env.observation_space.shape, str(observation.dtype), str(mask.dtype)))
        return np.array([mask.argmax()])  # as a network's prediction may look

    env = SingleSeatEnv(opponents=policy, flat=flat, observation_dtype=dtype)
    play(env, 0, never_hu)
    assert forms == {(True, dtype, "int8")}


def test_uniform_opponents_are_random_but_keyed_by_the_hand() -> None:
    env = SingleSeatEnv(seat=0)
    first = [play(env, seed, never_hu)[0] for seed in range(50)]
    assert [play(env, seed, never_hu)[0] for seed in range(50)] == first
    events = set()
    for seed in range(30):
        play(env, seed, never_hu)
        events.add(env.referee_game().record["log"].tobytes())
    assert len(events) == 30


def test_uniform_opponents_choose_uniformly() -> None:
    """Each legal choice of the dealer's first discard is as likely as another."""
    env = SingleSeatVectorEnv(3000, dealer=0, seat=1)
    _, infos = env.reset(seed=0)
    ranks = []
    for row in range(3000):
        log = env.referee_game(row).record["log"].tolist()
        first = next((code >> 7 & 31 for code in log if code >> 2 & 31 == V_DISCARD), None)
        fresh = Game.deal("hunan", row, int(infos["hand"][row]), dealer=0)
        while not fresh.over and fresh.phase != "discard":
            fresh.step(PASS)
        if first is not None and fresh.actor == 0 and first in fresh.legal_actions:
            ranks.append((fresh.legal_actions.index(first) + 0.5) / len(fresh.legal_actions))
    assert len(ranks) > 1000
    assert abs(np.mean(ranks) - 0.5) < 4 * (1 / 12 / len(ranks)) ** 0.5


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (31, "row 0: the opponent in seat [012] answers 31; not legal there$"),
        (-1, "row 0: the opponent in seat [012] answers -1; not legal there$"),
        (99, "row 0: the opponent in seat [012] answers 99; not legal there$"),
        (0.0, "Bad player.*dtype float64"),
        (True, "Bad player.*dtype bool"),
        (None, "Bad player.*dtype object"),
        ([1, 2], "Bad player.*shape"),
    ],
)
def test_an_opponents_illegal_answer_is_an_error_that_names_it_and_needs_a_reset(answer: Any, words: str) -> None:
    class Bad:
        def __repr__(self) -> str:
            return "Bad player"

        def act(self, views: Any, observations: Any, masks: Any) -> Any:
            return np.array([answer] * len(masks)) if self.bad else masks.argmax(1)

        bad = False

    policy = Bad()
    env = SingleSeatEnv(opponents=policy)
    play(env, 0, never_hu)
    policy.bad = True
    with pytest.raises(IllegalActionError, match=words):
        play(env, 0, never_hu)
    with pytest.raises(GameOverError, match=r"an opponent failed .*reset first"):
        env.step(0)
    policy.bad = False
    play(env, 3, never_hu)


def test_an_opponents_illegal_answer_does_not_tell_what_it_was_asked() -> None:
    """The same words whatever the other seat could have done, also from the environment until it is reset."""
    cases: set[tuple[int, ...]] = set()

    def wrong(observation: Any, mask: Any) -> int:
        asked.append(tuple(np.flatnonzero(mask).tolist()))
        return 31

    for seed in range(60):
        asked: list[tuple[int, ...]] = []
        env = SingleSeatEnv(opponents=wrong, seat=0, dealer=1)
        with pytest.raises(IllegalActionError) as caught:
            play(env, seed, never_hu)
        with pytest.raises(GameOverError) as later:
            env.step(0)
        seat = env.referee_game().actor
        assert str(caught.value) == f"row 0: the opponent in seat {seat} answers 31; not legal there"
        assert str(later.value) == f"an opponent failed ({caught.value}); reset first"
        cases.add(asked[-1])
    assert len(cases) > 10


def test_an_opponents_own_error_comes_through() -> None:
    def broken(observation: Any, mask: Any) -> int:
        raise ZeroDivisionError("by design")

    env = SingleSeatVectorEnv(4, opponents=broken)
    with pytest.raises(ZeroDivisionError, match="by design"):
        env.reset(seed=0)
    with pytest.raises(GameOverError, match="by design"):
        env.step(np.zeros(4, int))
    with pytest.raises(GameOverError, match="reset all rows first"):
        env.reset(options={"reset_mask": np.array([True, False, False, False])})


# --- illegal actions of the learner -----------------------------------------------------------------------------------


def illegal_of(env: SingleSeatEnv) -> int:
    return int((~env.action_masks()).argmax())


def test_raise_changes_nothing() -> None:
    env = SingleSeatEnv()
    env.reset(seed=1)
    game = env.referee_game()
    for action in (illegal_of(env), -1, -2, -3, 32, 2**62):
        with pytest.raises(IllegalActionError, match=f"action {action} is not legal for seat .*; allowed: "):
            env.step(action)
        assert env.referee_game() == game
    for nonsense in (1.0, "1", None, True, [1, 2], np.float32(1)):
        with pytest.raises(TypeError, match="action = "):
            env.step(nonsense)
        assert env.referee_game() == game
    env.step(np.int8(env.action_masks().argmax()))


def test_substitute_plays_the_lowest_legal_action_and_says_so() -> None:
    env, other = SingleSeatEnv(illegal_action="substitute"), SingleSeatEnv()
    env.reset(seed=1)
    other.reset(seed=1)
    over = False
    while not over:
        obs, reward, over, _, info = env.step(illegal_of(env))
        assert info["illegal"]
        wanted = other.step(int(other.action_masks().argmax()))
        assert np.array_equal(obs, wanted[0])
        assert (reward, over) == wanted[1:3]
        assert not wanted[4]["illegal"]
    _, info = env.reset()
    assert not info["illegal"]
    assert not env.step(int(env.action_masks().argmax()))[4]["illegal"]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_forfeit_ends_the_hand_and_the_learner_pays_ten_to_each(seat: int) -> None:
    env = SingleSeatEnv(illegal_action="forfeit", seat=seat)
    env.reset(seed=1)
    _, reward, over, cut, info = env.step(illegal_of(env))
    assert (reward, over, cut, info["illegal"]) == (-20, True, False, True)
    game = env.referee_game()
    assert game.scores == tuple(-20 if s == seat else 10 for s in range(3))
    assert game.record["fault_seat"] == seat
    two = SingleSeatEnv({"players": 2}, illegal_action="forfeit")
    two.reset(seed=1)
    assert two.step(-1)[1] == -10


def test_steps_after_the_end_and_before_the_beginning() -> None:
    env = SingleSeatEnv(illegal_action="substitute")
    with pytest.raises(GameOverError, match="before the first reset"):
        env.step(0)
    play(env, 0, never_hu)
    game = env.referee_game()
    with pytest.raises(GameOverError, match="the hand is over"):
        env.step(0)
    assert env.referee_game() == game
    with pytest.raises(ValueError, match="option 'dealer' of reset; allowed: none"):
        env.reset(options={"dealer": 1})
    env.reset(options={})
