"""Determinization against first principles: arrangements found by dealing each and playing what the seat saw again."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from deals import biased_deal, random_rules
from reference import determinize as slow
from reference.determinize import Arrangement, Deal, Frame
from reference.game import Game as Twin
from reference.rules import make_rules

from paohuzi_env.core import determinize as core
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import COMPILED, entry
from paohuzi_env.core.turn import LAID
from paohuzi_env.game import Game
from paohuzi_env.record import events_of
from paohuzi_env.rules import RuleSet, rule_set

Spec = str | dict[str, Any]
MINI: dict[str, Any] = {"preset": "mini", "min_huxi": 12}
"""Wins are rare, so hands get long."""
BIGGER: dict[str, Any] = {"preset": "mini", "ranks": 4, "hand_size": 8, "doors": 3, "min_huxi": 30}


class Replay:
    """The core as an engine of the slow search."""

    def __init__(self, rules: RuleSet, deal: Mapping[str, Any]) -> None:
        self.game = Game.from_tiles(rules, **deal)

    @property
    def actor(self) -> int | None:
        return self.game.actor

    @property
    def events(self) -> list[str]:
        return events_of(self.game)

    def legal(self) -> list[str]:
        return self.game.legal_texts()

    def play(self, text: str) -> None:
        self.game.step(self.game.action_of(text))


@entry
def draw_exactly(views: Any, rules: Any, works: Any, games: Any, words: Any, codes: Any) -> int:
    """As `determinize_many` of one view, but never by the fast way."""
    h = works[0]
    core.prepare(views[0], rules[0], h)
    h.choices = 0
    for i in range(len(words)):
        codes[i] = core.determinize(views[0], rules[0], h, games[i], words[i])
    return h.exact


@entry
def read(views: Any, rules: Any, works: Any) -> int:
    """Read a view into the scratch record."""
    return core.prepare(views[0], rules[0], works[0])


class Sampler:
    """Samples of one view by either way, as arrangements or as games."""

    def __init__(self, count: int) -> None:
        self.works = core.workspace()
        self.games = st.allocate(count, st.GAME)
        self.codes = np.zeros(count, np.int64)
        self.zeros = np.zeros(count, np.int64)

    def draw(self, rules: RuleSet, view: Any, chance: random.Random, exactly: bool = False) -> Any:
        count = len(self.games)
        words = np.array([chance.getrandbits(64) for _ in range(count)], np.uint64)
        if exactly:
            assert draw_exactly(view, rules.record, self.works, self.games, words, self.codes)
        else:
            core.determinize_many(
                view, self.zeros, 0, count, rules.record, self.works, 0, self.games, words, self.codes
            )
        assert not self.codes.any()
        return self.games


def seen_by(game: Game, seat: int) -> bytes:
    """A view's bytes, but for the drawer's huxi where no concealed draw is asked about: nobody reads it there."""
    view = game.view(seat)
    if view["stage"][0] != LAID:
        view["huxi_before"] = 0
    return bytes(view.tobytes())


def arrangement_of(frame: Frame, game: Any) -> Arrangement:
    """Where the unseen tiles lie in a GAME record."""
    hands = []
    for p in frame.hand_n:
        counts = [int(n) for n in game["hand"][p]]
        counts[20] -= int(game["wild_draws"][p])
        hands.append(tuple(k for k in range(21) for _ in range(counts[k])))
    return tuple(hands), tuple(int(game["meld_kind"][p][m]) for p, m in frame.weis)


def frame_of(game: Game, seat: int, spec: Spec) -> Frame:
    view = game.view(seat)
    return slow.frame_of({name: view[name][0] for name in st.VIEW.names or ()}, events_of(game), make_rules(spec))


def truth_of(game: Game, seat: int, frame: Frame) -> dict[Arrangement, int]:
    """All arrangements that replay to the same view, with their weights."""
    wanted = seen_by(game, seat)
    return slow.consistent_arrangements(
        frame,
        events_of(game),
        lambda deal: Replay(game.rules, deal),
        lambda engine: isinstance(engine, Replay) and seen_by(engine.game, seat) == wanted,
    )


def positions(spec: Spec, name: str, style: str | None = None) -> Iterator[tuple[Game, int]]:
    """Decisions of biased hands in which wins are mostly passed, without end: the game and who is asked."""
    rules, twin, chance = rule_set(spec), make_rules(spec), random.Random(name)
    while True:
        game = Game.from_tiles(rules, **biased_deal(twin, chance, style))
        passing = chance.random()
        while game.actor is not None:
            yield game, game.actor
            legal = game.legal_texts()
            passes = [text for text in legal if text.startswith("pass")]
            passes = passes if chance.random() < (0.9 if "pass hu" in legal else passing) else []
            game.step(game.action_of(chance.choice(passes or legal)))


def is_small(frame: Frame, most: int) -> bool:
    return all(n < most for n, _ in enumerate(slow.arrangements(frame)))


def surprise(got: Mapping[Any, int], weights: Mapping[Any, float]) -> float:
    """How far counts are from their weights, as a normal deviate (Wilson and Hilferty's of the chi-square)."""
    count, total = sum(got.values()), sum(weights.values())
    cells = {cell: (got.get(cell, 0), count * weight / total) for cell, weight in weights.items()}
    common = [pair for pair in cells.values() if pair[1] >= 5]
    rare = [pair for pair in cells.values() if pair[1] < 5]
    if rare:
        common.append((sum(a for a, _ in rare), sum(b for _, b in rare)))
    freedom = len(common) - 1
    if freedom < 1:
        return 0.0
    chi_square = sum((a - b) ** 2 / b for a, b in common)
    spread = 2 / (9 * freedom)
    return float(((chi_square / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(spread))


# --- the small game ---------------------------------------------------------------------------------------------------


def has_weis(game: Game, seat: int, frame: Frame) -> bool:
    return bool(frame.weis)


def may_hide_the_upcard(game: Game, seat: int, frame: Frame) -> bool:
    return frame.held is not None and frame.unseen.count(frame.held) >= 2 and frame.dealer in dict(frame.weis)


def is_dead(game: Game, seat: int, frame: Frame) -> bool:
    return any(game.record["dead"][p] for p in frame.hand_n)


def any_position(game: Game, seat: int, frame: Frame) -> bool:
    return len(events_of(game)) > 3


CASES = [
    pytest.param(MINI, any_position, None, 12, id="two seats"),
    pytest.param(MINI, has_weis, "pairs", 8, id="hidden wei"),
    pytest.param(MINI, may_hide_the_upcard, "pairs", 3, id="the upcard perhaps in a hidden wei"),
    pytest.param({**MINI, "tian_hu_quads": 0}, is_dead, "kans", 2, id="a dead hand"),
    pytest.param({**MINI, "players": 3}, any_position, None, 5, id="three seats"),
    pytest.param({**MINI, "players": 3}, has_weis, "pairs", 4, id="three seats, hidden wei"),
    pytest.param({**MINI, "wilds": 2}, any_position, None, 6, id="wild tiles"),
    pytest.param({**BIGGER, "tian_hu_kans": 2}, has_weis, "pairs", 4, id="few kan by 2.2, hidden wei"),
    pytest.param({**MINI, "tian_hu_kans": 1}, any_position, "pairs", 4, id="no kan by 2.2"),
    pytest.param({**BIGGER, "show_upcard": False, "own_draw_melds": False}, any_position, None, 4, id="shown draws"),
    pytest.param({**MINI, "forced_pao": False}, any_position, None, 6, id="pao is a choice"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "wanted", "style", "count"), CASES)
def test_both_ways_draw_evenly_from_exactly_what_can_have_been_played(
    spec: Spec, wanted: Callable[[Game, int, Frame], bool], style: str | None, count: int
) -> None:
    chance, sampler = random.Random(1), Sampler(2000)
    deviates, favour, spread = [], 0.0, 0.0
    found = 0
    for game, seat in positions(spec, "even", style):
        frame = frame_of(game, seat, spec)
        hangs_on_passes = slow.tells_of_chi(events_of(game), seat) or (not game.rules.forced_pao and frame.weis)
        if hangs_on_passes or not wanted(game, seat, frame) or not is_small(frame, 1500) or chance.random() < 0.5:
            continue
        truth = truth_of(game, seat, frame)
        true_deal = arrangement_of(frame, game.record)
        share = truth[true_deal] / sum(truth.values())
        for exactly in (False, True):
            games = sampler.draw(game.rules, game.view(seat), chance, exactly)
            got = Counter(arrangement_of(frame, game) for game in games)
            assert set(got) <= set(truth)
            deviates.append(surprise(got, truth))
            assert deviates[-1] < 4.5
            favour += got[true_deal] - len(games) * share
            spread += len(games) * share * (1 - share)
        found += 1
        if found == count:
            break
    assert sum(deviates) / math.sqrt(len(deviates)) < 4
    assert abs(favour) < 4 * math.sqrt(spread) + 1  # the true deal comes as often as any other


def test_where_pengs_are_forced_what_can_have_been_played_is_drawn_evenly() -> None:
    """Samples that a forced peng rules out exist: GAME.cap does not say what it tells."""
    spec: Spec = {**BIGGER, "own_draw_melds": False, "forced_peng": True}
    chance, sampler, found = random.Random(2), Sampler(4000), 0
    for game, seat in positions(spec, "forced"):
        frame = frame_of(game, seat, spec)
        if len(events_of(game)) < 4 or not is_small(frame, 1500) or slow.tells_of_chi(events_of(game), seat):
            continue
        truth = truth_of(game, seat, frame)
        got = Counter(arrangement_of(frame, game) for game in sampler.draw(game.rules, game.view(seat), chance))
        kept = {cell: n for cell, n in got.items() if cell in truth}
        assert sum(kept.values()) > 200
        assert surprise(kept, truth) < 4.5
        found += 1
        if found == 6:
            break


def test_the_twin_finds_the_same_arrangements_as_the_core() -> None:
    found = 0
    for game, seat in positions(MINI, "twin", "pairs"):
        frame = frame_of(game, seat, MINI)
        if not frame.weis or not is_small(frame, 300):
            continue
        legal = game.legal_texts()

        def start(deal: Deal) -> Twin:
            return Twin(make_rules(MINI), **deal)

        by_twin = slow.consistent_arrangements(
            frame,
            events_of(game),
            start,
            lambda engine, legal=legal: engine.legal() == legal,  # type: ignore[misc]
        )
        assert by_twin == truth_of(game, seat, frame)
        found += 1
        if found == 3:
            break


def test_the_wall_and_the_hand_aside_are_shuffled() -> None:
    """Next and last tile of the wall, and one tile aside, all equally often of each kind, and of each pair of kinds."""
    game = Game.deal("mini", 5)
    seat = game.actor
    assert seat is not None
    games = Sampler(8000).draw(game.rules, game.view(seat), random.Random(3))
    first, last = int(game.record["wall_next"]), int(game.record["wall_end"]) - 1
    pairs = Counter((int(g["wall"][first]), int(g["wall"][last])) for g in games)
    mirrored = {(a, b): pairs[a, b] + pairs[b, a] for a, b in pairs}
    assert surprise(pairs, {pair: mirrored[pair] / 2 for pair in pairs}) < 4
    aside = sum(g["hand_aside"].astype(int) for g in games)
    inside = sum(np.bincount(g["wall"][first : last + 1], minlength=21) for g in games)
    shares = aside / (aside + inside + 1e-9)
    assert np.allclose(shares[aside + inside > 0], 5 / (5 + last + 1 - first), atol=0.03)


# --- whole hands ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", ["hunan", "yongzhou", "bopi", {"preset": "changde", "players": 2}], ids=str)
def test_no_sample_contradicts_what_was_seen(spec: Spec) -> None:
    """Each is dealt and played again: all that its seat saw comes out the same."""
    chance, sampler, played = random.Random(4), Sampler(4), 0
    for game, seat in positions(spec, "whole", random.Random(str(spec)).choice(("uniform", "kans", "mixed"))):
        if chance.random() < 0.8 or slow.tells_of_chi(events_of(game), seat):
            continue
        frame, seen, wanted = frame_of(game, seat, spec), slow.as_seen(events_of(game), seat), seen_by(game, seat)
        for sample in sampler.draw(game.rules, game.view(seat), chance):
            wall = [int(k) for k in sample["wall"][sample["wall_next"] : sample["wall_end"]]]
            aside = [k for k in range(21) for _ in range(sample["hand_aside"][k])]
            replay = Replay(game.rules, slow.deal_of(frame, arrangement_of(frame, sample), wall + aside))
            assert slow.plays_on(replay, seen, seat), (game, events_of(game))
            assert seen_by(replay.game, seat) == wanted
            played += 1
        if played >= 500:
            break


def test_whole_hands_fall_as_in_plain_shuffling_that_is_played_again() -> None:
    """Unseen tiles are shuffled, and kept where the play can have been seen: how often a seat has one, two, three."""
    chance, sampler, found = random.Random(5), Sampler(20_000), 0
    for game, seat in positions("hunan", "shuffle", "uniform"):
        frame = frame_of(game, seat, "hunan")
        if frame.weis or not 8 <= len(events_of(game)) <= 16:
            continue
        seen, kept = slow.as_seen(events_of(game), seat), []
        tiles = list(frame.unseen)
        for _ in range(3000):
            chance.shuffle(tiles)
            hands, at = [], 0
            for p, n in frame.hand_n.items():
                more = [frame.held] if frame.held is not None and p == frame.dealer else []
                hands.append(tuple(sorted(more + tiles[at : at + n - len(more)])))
                at += n - len(more)
            if max(hand.count(k) for hand in hands for k in hand) < 4:
                replay = Replay(game.rules, slow.deal_of(frame, (tuple(hands), ())))
                if slow.plays_on(replay, seen, seat):
                    kept.append(hands)
            if len(kept) == 250:
                break
        if len(kept) < 250:
            continue
        counts = np.array([[[hand.count(k) for k in range(20)] for hand in hands] for hands in kept])
        drawn = sampler.draw(game.rules, game.view(seat), chance)["hand"][:, list(frame.hand_n), :20]
        deviates = []
        for least in (1, 2, 3):
            a, p = (counts >= least).mean(axis=0), (drawn >= least).mean(axis=0)
            use = (p > 0.02) & (p < 0.98)
            deviates.append(((a - p) / np.sqrt(p * (1 - p) / len(kept) + 1e-12))[use])
        z = np.concatenate(deviates)
        assert abs(z).max() < 4.5
        assert 0.5 < (z**2).mean() < 1.7
        found += 1
        if found == 3:
            break


def is_possible(h: Any, rules: RuleSet, frame: Frame, arrangement: Arrangement) -> bool:
    """Whether an arrangement keeps to what was read from the view."""
    hands, kinds = arrangement
    for m, kind in enumerate(kinds):
        p, place = frame.weis[m]
        if (int(h["seat"][h["wei_slot"][m]]), int(h["wei_meld"][m])) != (p, place) or not h["wei_can"][m] >> kind & 1:
            return False
        if hands[list(frame.hand_n).index(p)].count(kind):
            return False
    for i, hand in enumerate(hands):
        counts = [hand.count(k) for k in range(20)]
        pairs = [k for k in range(20) if counts[k] == 2 and h["no_pair"] >> k & 1]
        alike = all(n in (0, 3) for k, n in enumerate(counts) if k not in pairs)
        if any(n > h["cap"][i][k] for k, n in enumerate(counts)) or counts.count(3) > max(h["kan_room"][i], 0):
            return False
        if (pairs or h["dead"][i]) and not (alike and len(pairs) <= 1 and (h["last_pair"][i] or not pairs)):
            return False
    return True


PLAYED: list[Spec | None] = [
    "hunan", "luzhou", "yongzhou", "mini", {"preset": "hunan", "forced_pao": False}, {"preset": "luzhou", "players": 2},
    {**BIGGER, "own_draw_melds": False, "forced_peng": True, "tian_hu_quads": 0}, None,
]  # fmt: skip


@pytest.mark.parametrize("spec", PLAYED, ids=str)
@pytest.mark.interpreted
def test_the_true_deal_is_never_ruled_out(spec: Spec | None) -> None:
    """None: a new random rule set for each hand."""
    works = core.workspace()
    for number in range(25 if COMPILED else 1):
        chosen = spec or random_rules(random.Random(number))
        start: Game | None = None
        for game, seat in positions(chosen, f"true {number}"):
            start = start or game
            if game is not start:
                break
            frame = frame_of(game, seat, chosen)
            if len(frame.weis) > 6:
                continue
            assert read(game.view(seat), game.rules.record, works) == core.DRAWN_UP
            assert is_possible(works[0], game.rules, frame, arrangement_of(frame, game.record)), (
                chosen,
                events_of(game),
            )
