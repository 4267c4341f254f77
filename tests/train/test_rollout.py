"""Rollouts: what is written down is what was played, and nothing that is drawn depends on threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import agents
from agents.inputs import MOST_ACTIVE, NUM_INPUTS, PAD, encode_views, input_tables
from agents.network import Weights, answers
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry
from paohuzi_env.core.rng import key
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set
from train import rollout
from train.model import Threads
from train.rollout import CRITIC_INPUTS, GUEST, HANDS_APART, LEARNER, OPPONENT, Streams

SEED = 11
ITERATION = 5


def weights(seed: int, width: int = 16) -> Weights:
    chance = np.random.default_rng(seed)
    shapes = ((NUM_INPUTS, width), (width,), (1, width, width), (1, width), (width, 32), (32,))
    return tuple(chance.normal(0, 0.3, shape).astype(np.float32) for shape in shapes)


def streams(rules: str, *, threads: int = 1, first: int = 0, count: int = 3, enough: int = 200) -> Streams:
    policy = agents.make("uniform", rules).policy
    assert policy is not None
    side_by_side = Threads(threads)
    return Streams(rule_set(rules), [policy], seed=SEED, first=first, count=count, enough=enough, threads=side_by_side)


def inputs(game: Game) -> tuple[Any, Any]:
    assert game.actor is not None
    active = np.zeros((1, MOST_ACTIVE), np.int16)
    count = np.zeros(1, np.int16)
    encode_views(game.view(game.actor), game.rules.record, st.allocate(1, PAD), input_tables(game.rules), active, count)
    return active, count


def hands(played: Streams, rules: str) -> list[tuple[Game, list[int]]]:
    """Each hand that was played, as dealt, and the places of its rows."""
    found: dict[tuple[int, int], list[int]] = {}
    for place, row in enumerate(played.rows):
        found.setdefault((int(row["stream"]), int(row["hand"])), []).append(place)
    return [
        (Game.deal(rules, SEED, ITERATION * HANDS_APART + hand, stream=stream), places)
        for (stream, hand), places in found.items()
    ]


@pytest.mark.parametrize("rules", ["hunan", "yongzhou", "mini"])
def test_the_rows_of_a_hand_are_its_decisions_with_the_inputs_chances_and_scores_that_they_had(rules: str) -> None:
    net = weights(1)
    played = streams(rules)
    played.play(ITERATION, net, net)
    for game, places in hands(played, rules):
        left = [played.rows[place] for place in places]
        at = list(places)
        while not game.over:
            legal = game.legal_actions
            if len(legal) == 1:  # forced: not written down
                game.step(legal[0])
                continue
            row, place = left.pop(0), at.pop(0)
            assert (row["seat"], row["legal"]) == (game.actor, sum(1 << a for a in legal))
            active, count = inputs(game)
            assert played.active[place, : row["n"]].tolist() == active[0, : count[0]].tolist()
            logits = answers(net, active, count)[0, legal].astype(np.float64)
            expected = logits - np.log(np.exp(logits).sum())
            assert row["logp"] == pytest.approx(expected[legal.index(row["action"])], abs=1e-4)
            assert seen(played.active[place, row["n"] : row["seen"]]) == hidden(game)
            game.step(int(row["action"]))
        assert not left
        assert all(played.rows[place]["score"] == game.scores[played.rows[place]["seat"]] for place in places)


def seen(active: Any) -> tuple[list[dict[int, int]], list[int]]:
    """The hands of the other seats and the next draws, as the critic's inputs say."""
    others: list[dict[int, int]] = [{}, {}]
    draws = [-1] * 8
    for index in active.tolist():
        assert NUM_INPUTS <= index < CRITIC_INPUTS
        if index < rollout.SEEN_WEI:
            other, rest = divmod(index - rollout.SEEN_HANDS, 80)
            others[other][rest % 20] = rest // 20 + 1
        elif rollout.SEEN_DRAWS <= index < rollout.SEEN_ASIDE:
            draws[(index - rollout.SEEN_DRAWS) // 20] = (index - rollout.SEEN_DRAWS) % 20
    return others, draws


def hidden(game: Game) -> tuple[list[dict[int, int]], list[int]]:
    """The same from the hand itself."""
    g, seats = game.record, game.rules.seats
    assert game.actor is not None
    others: list[dict[int, int]] = [{}, {}]
    for other in range(seats - 1):
        hand = g["hand"][(game.actor + 1 + other) % seats]
        others[other] = {kind: int(n) for kind, n in enumerate(hand[:20]) if n}
    wall = [int(kind) for kind in g["wall"][g["wall_next"] : g["wall_end"]]][:8]
    return others, [kind if kind < 20 else -1 for kind in wall] + [-1] * (8 - len(wall))


def test_threads_and_the_split_into_processes_change_nothing() -> None:
    net, guest = weights(1), weights(2)
    shares = {"guest_share": 0.3, "opponent_share": 0.3}
    one, two = streams("hunan", count=4), streams("hunan", count=4, threads=2)
    tally = one.play(ITERATION, net, guest, **shares)
    assert two.play(ITERATION, net, guest, **shares) == tally
    assert two.rows.tobytes() == one.rows.tobytes()
    halves = [streams("hunan", count=2, first=first) for first in (0, 2)]
    assert halves[0].play(ITERATION, net, guest, **shares) + halves[1].play(ITERATION, net, guest, **shares) == tally
    assert b"".join(half.rows.tobytes() for half in halves) == one.rows.tobytes()


def test_another_iteration_deals_other_hands() -> None:
    net = weights(1)
    played = streams("hunan")
    played.play(ITERATION, net, net)
    before = played.rows.tobytes()
    played.play(ITERATION + 1, net, net)
    assert played.rows.tobytes() != before


def test_others_play_their_share_of_the_seats_and_only_the_learner_is_written_down() -> None:
    net = weights(1)
    played = streams("hunan", count=4, enough=3000)
    tally = played.play(ITERATION, net, net, guest_share=0.2, opponent_share=0.3)
    assert tally.guest_seats / tally.hands == pytest.approx(0.2 * 1.5, rel=0.2)
    assert tally.opponent_seats / tally.hands == pytest.approx(0.3 * 1.5, rel=0.2)
    seats = [len({int(played.rows[place]["seat"]) for place in places}) for _, places in hands(played, "hunan")]
    assert np.mean(np.array(seats) == 3) == pytest.approx(0.5, abs=0.1)


def test_a_teacher_plays_every_seat_and_shows_what_it_would_do() -> None:
    greedy = agents.make("greedy").policy
    assert greedy is not None
    net = weights(1)
    taught = Streams(rule_set("hunan"), [greedy], seed=SEED, first=0, count=1, enough=300, threads=Threads(1))
    taught.play(ITERATION, net, net, teach=True, stray=0.5)
    teacher = agents.make("greedy")
    for game, places in hands(taught, "hunan")[:10]:
        for place in places:
            assert int(taught.rows[place]["legal"]) >> int(taught.rows[place]["action"]) & 1
        while not game.over and len(game.legal_actions) == 1:
            game.step(game.legal_actions[0])
        assert game.actor is not None
        first = teacher.choose(game.view(game.actor), np.zeros(1, np.uint64), np.zeros(1, np.int64))
        assert taught.rows[places[0]]["action"] == first[0]


@pytest.mark.parametrize("decay", [0.0, 0.7, 1.0])
def test_advantages_are_over_the_own_decisions_of_each_seat(decay: float) -> None:
    net = weights(1)
    played = streams("hunan")
    played.play(ITERATION, net, net)
    n = len(played.rows)
    chance = np.random.default_rng(1)
    values, rewards = chance.normal(size=n).astype(np.float32), np.zeros(n, np.float32)
    per_seat: dict[tuple[int, int, int], list[int]] = {}
    for i, row in enumerate(played.rows):
        per_seat.setdefault((int(row["stream"]), int(row["hand"]), int(row["seat"])), []).append(i)
    for places in per_seat.values():
        rewards[places] = chance.normal()
    advantages, aims = played.advantages(rewards, values, decay)
    for places in per_seat.values():
        following = [*values[places[1:]], rewards[places[0]]]
        deltas = np.array(following) - values[places]
        for k, place in enumerate(places):
            expected = sum(delta * decay**j for j, delta in enumerate(deltas[k:]))
            assert advantages[place] == pytest.approx(expected, abs=1e-4)
            assert aims[place] == pytest.approx(expected + values[place], abs=1e-4)


@entry
def seat_many(count: int, players: int, guest: float, opponent: float, out: Any) -> None:
    for i in range(count):
        rollout.seat_players(key(np.uint64(3), 0, i), players, guest, opponent, out[i])


@pytest.mark.parametrize("players", [2, 3])
def test_somebody_learns_in_every_hand_and_each_seat_is_given_away_equally_often(players: int) -> None:
    seated = np.zeros((20_000, 3), np.int64)
    seat_many(len(seated), players, 0.25, 0.25, seated)
    assert (seated[:, :players] == LEARNER).any(axis=1).all()
    away = seated[:, :players] != LEARNER
    assert away.any(axis=1).mean() == pytest.approx(0.5, abs=0.02)
    assert np.ptp(away.mean(axis=0)) < 0.02
    assert not ((seated == GUEST).any(axis=1) & (seated == OPPONENT).any(axis=1)).any()

