"""The encoding says what its index table promises; the judge is the observation, which has a judge of its own."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.heuristic import NOTHING, Heuristic, weigh
from agents.inputs import MOST_ACTIVE, NUM_INPUTS, PAD, SECTIONS, encode_views, input_tables
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry
from paohuzi_env.core.actions import CHI, HU, NUM_ACTIONS, PAO, PASS, PENG
from paohuzi_env.core.distance import distance_of, progress_table
from paohuzi_env.core.features import FEATURE_PLANES, features_game
from paohuzi_env.core.observe import NUM_PLANES, PLANES, observe_game
from paohuzi_env.core.tiles import is_red
from paohuzi_env.core.waits import WAITS, list_posed_waits, place_seat
from paohuzi_env.game import Game, group_of
from paohuzi_env.rules import empty_evals

SEATS = ("self", "next", "previous")
SHAPES = ("low", "middle", "high", "red_run", "xxy", "xyy")
RULES: list[Any] = [
    "hunan", "luzhou", "yongzhou", "mini", {"preset": "hunan", "players": 2}, {"preset": "hunan", "min_huxi": 3}
]  # fmt: skip


def encoded(game: Game) -> dict[str, set[int]]:
    """What is on, by section, counted from the section's start."""
    assert game.actor is not None
    active, count = np.full((1, MOST_ACTIVE), -1, np.int16), np.zeros(1, np.int16)
    encode_views(game.view(game.actor), game.rules.record, st.allocate(1, PAD), input_tables(game.rules), active, count)
    on = active[0, : count[0]].tolist()
    assert len(set(on)) == len(on)
    assert all(0 <= index < NUM_INPUTS for index in on)
    return {s.name: {i - s.start for i in on if s.start <= i < s.start + s.size} for s in SECTIONS}


def planes(game: Game) -> tuple[dict[str, NDArray[np.int8]], NDArray[np.int8], NDArray[np.int8]]:
    """Observation by name, legal mask, derived planes."""
    assert game.actor is not None
    out, mask = np.zeros((NUM_PLANES, 20), np.int8), np.zeros(NUM_ACTIONS, np.int8)
    observe_game(game._array, 0, game.rules.record, st.allocate(1, st.VIEW), game.actor, out, mask)
    derived = np.zeros((FEATURE_PLANES, 20), np.int8)
    features_game(
        game._array, 0, game.rules.record, st.allocate(1, st.VIEW), empty_evals(), st.allocate(1, st.GAME),
        st.allocate(1, WAITS), progress_table(), game.actor, derived,
    )  # fmt: skip
    named = {name: out[plane.start + i] for plane in PLANES for i, name in enumerate(plane.names)}
    return named, mask, derived


def kinds(row: NDArray[np.int8]) -> list[int]:
    return [int(k) for k in np.flatnonzero(row)]


def thermometer(value: int, most: int) -> set[int]:
    return set(range(min(value, most)))


def seen_sections(game: Game) -> dict[str, set[int]]:
    """What the sections that are not derived must hold."""
    of, mask, _ = planes(game)
    unseen = sum(of[f"unseen>={n}"].astype(int) for n in (1, 2, 3, 4))
    want: dict[str, set[int]] = defaultdict(set)
    for n in range(4):
        want["hand"] |= {20 * n + k for k in kinds(of[f"hand>={n + 1}"])}
    want["unseen"] = {20 * (int(unseen[k]) - 1) + k for k in range(20) if unseen[k]}
    for s in range(game.rules.seats):
        name = SEATS[s]
        for column, melds in enumerate((("peng",), ("wei", "chouwei"), ("pao",), ("ti",))):
            for meld in melds:
                want["melds"] |= {20 * (4 * s + column) + k for k in kinds(of[f"{meld}[{name}]"])}
        tiles: dict[int, int] = defaultdict(int)
        for shape, text in enumerate(SHAPES):
            for kind, groups in enumerate(of[f"chi_{text}[{name}]"]):
                for tile in group_of(kind, shape) if groups else ():
                    tiles[tile] += int(groups)
        want["chi"] |= {20 * (3 * s + n) + k for k, count in tiles.items() for n in range(min(count, 3))}
        want["draws"] |= {20 * s + k for k in kinds(of[f"draws[{name}]"])}
        want["discarded"] |= {20 * s + k for k in kinds(of[f"discarded[{name}]"])}
        want["hand_n"].add(24 * s + min(int(of[f"hand_n[{name}]"][0]), 23))
        want["table_huxi"] |= {12 * s + n for n in thermometer(int(of[f"table_huxi[{name}]"][0]) // 3, 12)}
        for section, plane in (("dealer", "dealer"), ("turn", "turn"), ("dead", "dead"), ("live_seat", "live_of"),
                               ("free_intake", "free_intake")):  # fmt: skip
            want[section] |= {s} if of[f"{plane}[{name}]"][0] else set()
        if s:
            want["hidden_wei"] |= {2 * (s - 1) + n for n in thermometer(int(of[f"hidden_wei[{name}]"][0]), 2)}
            cap = of[f"cap[{name}]"]
            want["cap"] |= {20 * (3 * (s - 1) + n) + k for k in range(20) for n in range(3) if cap[k] <= n < unseen[k]}
    for section in ("live", "upcard_held", "last_shown", "bi"):
        want[section] = set(kinds(of[section]))
    for i, source in enumerate(("live_concealed", "live_drawn", "live_upcard", "live_discarded")):
        want["live_source"] |= {i} if of[source][0] else set()
    for i, window in enumerate(("discard", "hu", "pao", "peng", "chi", "bi")):
        want["window"] |= {i} if of[f"window_{window}"][0] else set()
    for i, plane in enumerate(("stale_peng", "stale_chi", "stale_hu")):
        want["stale"] |= {20 * i + k for k in kinds(of[plane]) if unseen[k] or of["live"][k]}
    for section, plane, size in (("wall_left", "wall_left", 31), ("own_huxi", "own_huxi", 40)):
        want[section] = {min(int(of[plane][0]), size - 1)}
    for section, plane in (("drawn_before", "drawn_before"), ("wilds", "hand_wilds")):
        want[section] = thermometer(int(of[plane][0]), 4)
    for section, plane in (("barred", "barred"), ("undiscarded", "dealer_undiscarded")):
        want[section] = {0} if of[plane][0] else set()
    want["offered"] = {int(a) - CHI for a in np.flatnonzero(mask) if a >= CHI}
    return want


def reds(game: Game) -> int:
    g, s = game.record, game.actor
    count = sum(int(g["hand"][s][k]) * is_red(k) for k in range(20))
    for m in range(g["melds_n"][s]):
        kind, of, shape = (int(g[f"meld_{name}"][s][m]) for name in ("kind", "type", "shape"))
        if of == st.CHI_MELD:
            count += sum(is_red(k) for k in group_of(kind, shape))
        else:
            count += is_red(kind) * (4 if of in (st.PAO_MELD, st.TI) else 3)
    return count


def recent(game: Game) -> set[int]:
    g, found = game.record, set()
    for s in range(game.rules.seats):
        rel = (s - game.actor) % game.rules.seats  # type: ignore[operator]
        river = [int(tile) & 31 for tile in g["river"][s][: g["river_n"][s]]]
        found |= {20 * (2 * rel + back) + kind for back, kind in enumerate(river[::-1][:2]) if kind < 20}
    return found


class Hand:
    """The own hand as a game of its own, to change and to ask."""

    def __init__(self, game: Game) -> None:
        g, s = game.record, game.actor
        assert s is not None
        self.game, self.s = game, s
        self.hand = np.array(g["hand"][s], np.int8)
        names = ("meld_type", "meld_kind", "meld_shape")
        self.melds = np.array([[g[name][s][m] for name in names] for m in range(g["melds_n"][s])], np.int64)

    def placed(self, lost: list[int], meld: tuple[int, int, int] | None = None) -> Any:
        games = st.allocate(1, st.GAME)
        hand = self.hand.copy()
        for kind in lost:
            hand[kind] -= 1
        melds = np.concatenate([self.melds.reshape(-1, 3), np.array([meld] if meld else [], np.int64).reshape(-1, 3)])
        place_seat(games, 0, self.game.rules.record, 0, hand, melds)
        games["dealer"] = 0 if self.s == self.game.record["dealer"] else 1
        return games

    def distance(self, lost: list[int], meld: tuple[int, int, int] | None = None) -> int:
        return distance_of(progress_table(), self.placed(lost, meld), 0, self.game.rules.record, 0)

    def wait_tiles(self, lost: list[int], unseen: NDArray[Any]) -> int:
        g, r = self.game.record, self.game.rules.record
        evals, waits = empty_evals(), st.allocate(1, WAITS)
        evals["last_tile"] = g["wall_end"] - g["wall_next"] == 1 and not r["show_last_tile"][0]
        evals["no_intake"] = g["intake"][self.s] == 0
        evals["drawn_before"] = g["drawn_before"]
        list_posed_waits(self.placed(lost), 0, 0, r, evals, waits)
        return sum(int(unseen[k]) for k in range(20) if int(waits["kinds"][0][1]) >> k & 1)


def derived_sections(game: Game) -> dict[str, set[int]]:
    of, _, derived = planes(game)
    unseen = sum(of[f"unseen>={n}"].astype(int) for n in (1, 2, 3, 4))
    hand, legal, g = Hand(game), game.legal_actions, game.record
    now = int(derived[4, 0])
    may_win = not g["dead"][hand.s] and not g["barred"][hand.s]
    wilds = int(hand.hand[20])
    want: dict[str, set[int]] = defaultdict(set)
    want["distance"] = {min(now, 11)}
    if game.phase == "discard":
        after = {k: hand.distance([k]) for k in legal}
        want["keeps"] = {k for k in legal if after[k] == min(after.values())}
        for k in want["keeps"] if may_win else ():
            tiles = hand.wait_tiles([k], unseen)
            if after[k] > 1 or wilds:
                assert tiles == 0  # so nothing is lost where it is not looked at
            want["leaves_wait"] |= {20 * n + k for n, least in enumerate((1, 2, 4, 6)) if tiles >= least}
        return want
    if now > 1 + wilds:
        assert not derived[:4].any()
    want["waits"] = {20 * i + k for i in range(2) for k in kinds(derived[i])}
    tiles = sum(int(unseen[k]) for k in kinds(derived[1]))
    want["wait_tiles"] = {n for n, least in enumerate((1, 2, 3, 4, 6, 8)) if tiles >= least}
    live = int(g["bi_kind"]) if game.phase == "bi" else int(g["live"])
    for action in legal:
        if CHI <= action <= PENG:
            lost, meld = [live, live], (st.PENG_MELD, live, 0)
            if action < PENG:
                group = list(group_of(live, action - CHI))
                if game.phase != "bi":
                    group.remove(live)
                lost, meld = group, (st.CHI_MELD, live, action - CHI)
            after_claim = hand.distance(lost, meld)
            want["claim_nearer"] |= {action - CHI} if after_claim < now else set()
            want["claim_further"] |= {action - CHI} if after_claim > now else set()
    return want


@entry
def weighed(views: Any, rules: Any, data: Any, scratch: Any, out: Any) -> None:
    weigh(views[0], rules[0], data, scratch[0])
    for a in range(NUM_ACTIONS):
        out[a] = scratch[0].action_worth[a]


def advice_sections(game: Game, player: Heuristic) -> dict[str, set[int]]:
    assert player.policy is not None
    views = game.view(game.actor)
    choice = int(player.choose(views, np.zeros(1, np.uint64), np.zeros(1, np.int64))[0])
    if choice in (HU, PAO):
        return {"advised": {choice}}
    worth = np.empty(NUM_ACTIONS)
    weighed(views, game.rules.record, player.policy.data, st.allocate(1, player.policy.scratch), worth)
    best = sorted((a for a in game.legal_actions if worth[a] > NOTHING), key=lambda a: (-worth[a], a != PASS, a))[:3]
    assert best[0] == choice
    most = max(worth[choice], 0.05)
    want: dict[str, set[int]] = {"advised": {32 * n + a for n, a in enumerate(best)}, "behind": set()}
    want["worth"] = {min(max(int(2 * np.log(most / 0.05)), 0), 19)}
    for n, a in enumerate(best[1:]):
        share = (most - worth[a]) / most
        want["behind"].add(8 * n + sum(share >= 2.0**-j for j in range(7)))
    return want


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_every_section_holds_what_its_table_says(rules: Any) -> None:
    chance = random.Random(str(rules))
    player = Heuristic(rules)
    seen: dict[str, set[int]] = defaultdict(set)
    for index in range(40):
        game = Game.deal(rules, 3, index)
        while not game.over:
            found = encoded(game)
            want = seen_sections(game) | {"reds": {min(reds(game), 23)}, "recent": recent(game)}
            derived = derived_sections(game) | advice_sections(game, player)
            for section in SECTIONS:
                expected = derived.get(section.name, want.get(section.name, set()))
                assert found[section.name] == expected, section
                seen[section.name] |= found[section.name]
            legal = game.legal_actions
            game.step(min(legal) if chance.random() < 0.3 else chance.choice(legal))
    if rules == "hunan":
        silent = {"last_shown", "drawn_before", "wilds", "dead", "free_intake", "barred"}
        assert {section.name for section in SECTIONS if not seen[section.name]} <= silent


def test_the_table_has_no_gaps_and_fits_the_lists() -> None:
    ends = [section.start + section.size for section in SECTIONS]
    assert [section.start for section in SECTIONS] == [0, *ends[:-1]]
    assert ends[-1] == NUM_INPUTS <= np.iinfo(np.int16).max


def test_there_is_room_for_all_that_can_be_on_at_once() -> None:
    size = {section.name: section.size for section in SECTIONS}
    few = {"hidden_wei": 4, "recent": 6, "hand_n": 3, "dealer": 1, "turn": 1, "wall_left": 1, "own_huxi": 1, "reds": 1,
           "distance": 1, "window": 1, "live": 1, "live_seat": 1, "live_source": 1, "upcard_held": 1, "last_shown": 1,
           "bi": 1, "unseen": 20, "advised": 3, "behind": 2, "worth": 1}  # fmt: skip
    asked = max(
        sum(size[name] for name in ("offered", "waits", "wait_tiles", "claim_nearer", "claim_further")),
        20 + 60,  # a discard: `keeps` with at most 15 kinds, `leaves_wait` of them
    )
    whole = sum(
        size[name]
        for name in ("stale", "barred", "dead", "table_huxi", "free_intake", "undiscarded", "drawn_before", "wilds")
    )
    by_tiles = set(size) - set(few) - {"keeps", "leaves_wait", "offered", "waits", "wait_tiles"}
    by_tiles -= {"claim_nearer", "claim_further", "stale", "barred", "dead", "table_huxi", "free_intake"}
    assert by_tiles - {"undiscarded", "drawn_before", "wilds"} == {
        "hand", "melds", "chi", "draws", "discarded", "cap"
    }  # fmt: skip
    # A tile that is seen is in the hand, a meld, a chi or a river (1), and may have been discarded (1 more); one that
    # is not seen may count for the caps of two seats, up to three of a kind.
    seen_or_not = max((82 - n) * 2 + 2 * min(n, 60) for n in range(83))
    assert sum(few.values()) + asked + whole + seen_or_not <= MOST_ACTIVE
