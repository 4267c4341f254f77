"""Rules 5.7: asking in order of priority gives what everybody declaring at once would give.

On the first live tile of many hands, every subset of the claims that the seats could make is declared at once to a
resolver that knows only the order of priority; the game, asked window by window, must end the matter in the same way.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from deals import biased_deal
from lockstep import events_of
from reference.claims import chi_groups, may_end_with
from reference.deal import Seat
from reference.judge import Win, judge
from reference.rules import Rules, make_rules
from reference.tiles import LETTERS, Meld

from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

CLAIMS = ("hu", "pao", "peng", "chi")
Claims = set[tuple[int, str]]


def possible(rules: Rules, seats: list[Seat], tile: int, owner: int, drawn: bool) -> Claims:
    """What each seat could claim, looked at on its own (5.1 to 5.5, and 4.5)."""
    claims: Claims = set()
    after = (owner + 1) % rules.players
    for number, seat in enumerate(seats):
        own = number == owner
        if drawn or (rules.hu_on_discard and not own):
            source = "discard" if not drawn else "own_draw" if own else "other_draw"
            if not isinstance(judge(rules, seat.hand, seat.melds, Win(tile, source)), str):
                claims.add((number, "hu"))
        if not own and seat.hand.count(tile) == 3:
            claims.add((number, "pao"))
        if not own and seat.hand.count(tile) == 2:
            left = [t for t in seat.hand if t != tile]
            if may_end_with(left, [*seat.melds, Meld("peng", (tile,) * 3)]):
                claims.add((number, "peng"))
        if (number == after or (own and drawn)) and chi_groups(seat.hand, seat.melds, tile):
            claims.add((number, "chi"))
    return claims


def resolve(declared: Claims, owner: int, players: int) -> tuple[int, str] | None:
    """Who gets the tile when all of this is declared at once: hu, pao, peng, chi, each from the owner on."""
    order = [(owner + i) % players for i in range(players)]
    for claim in CLAIMS:
        for seat in order:
            if (seat, claim) in declared:
                return seat, claim
    return None


def claim_by_claim(game: Game, declared: Claims, start: int) -> tuple[int, str] | None:
    """Who gets the tile when each seat, if asked, takes what it has declared and passes the rest.

    Event number `start` is the first after the tile became live.
    """
    game = game.clone()
    while True:
        for event in events_of(game, start):
            number, verb = event.split()[:2]
            if verb in CLAIMS:
                return int(number), verb
            if verb != "pass":  # the next draw: nobody took it
                return None
        seat, phase = game.actor, game.phase
        if seat is None:  # the wall is empty
            return None
        takes = (seat, phase) in declared
        choices = [c for c in game.legal_texts() if c.startswith("pass") is not takes]
        game.step(game.action_of(choices[0]))


SMALL = {"hand_size": 8, "doors": 3, "ranks": 6, "min_huxi": 0, "tian_hu_quads": 0, "tian_hu_kans": 0}


@pytest.mark.rule("5.7", "5.1", "5.2", "5.4", "5.5")
@pytest.mark.parametrize("players", [3, 2])
def test_every_subset_of_claims_on_a_discard(players: int) -> None:
    fields: dict[str, Any] = {"preset": "hunan", **SMALL, "hu_on_discard": True, "players": players}
    rules = make_rules(fields)
    seen: Counter[tuple[tuple[int, str], ...]] = Counter()
    for number in range(800):
        chance = random.Random(number)
        deal = biased_deal(rules, chance, chance.choice(("ready", "pairs", "mixed")))
        hands, upcard, wall, aside = (deal[key] for key in ("hands", "upcard", "wall", "aside"))
        game = Game.from_tiles(rule_set(fields), 0, hands, upcard, wall, aside=aside)
        if game.record["quads"].any() or game.phase != "discard":
            continue
        for tile in chance.choices(game.legal_actions, k=3):
            seats = [Seat(game.hand(s)) for s in range(players)]
            seats[0].hand.remove(tile)
            at = game.clone()
            at.step(tile)
            compare(rules, at, seats, tile, 0, False, seen)
    combinations = {key for key in seen if len(key) >= 2}
    assert len(combinations) >= (12 if players == 3 else 4), seen


def compare(rules: Rules, at: Game, seats: list[Seat], tile: int, owner: int, drawn: bool, seen: Any) -> None:
    """All subsets of what can be declared; a pao is forced, so it always is."""
    claims = possible(rules, seats, tile, owner, drawn)
    start = events_of(at).index(f"{owner} {'draw' if drawn else 'discard'} {LETTERS[tile]}") + 1
    seen[tuple(sorted(claims))] += 1
    free = sorted(claim for claim in claims if claim[1] != "pao")
    forced = claims - set(free)
    for size in range(len(free) + 1):
        for declared in map(set, itertools.combinations(free, size)):
            want = resolve(declared | forced, owner, rules.players)
            assert claim_by_claim(at, declared, start) == want, (tile, owner, claims, declared)


@pytest.mark.rule("5.7", "5.1", "5.2", "5.4", "5.5")
def test_every_subset_of_claims_on_a_draw() -> None:
    fields: dict[str, Any] = {"preset": "hunan", **SMALL}
    rules = make_rules(fields)
    seen: Counter[tuple[tuple[int, str], ...]] = Counter()
    for number in range(900):
        chance = random.Random(number)
        deal = biased_deal(rules, chance, chance.choice(("ready", "pairs", "mixed")))
        game = Game.from_tiles(rule_set(fields), 0, deal["hands"], deal["upcard"], deal["wall"])
        if game.record["quads"].any() or game.phase != "discard":
            continue
        # The dealer discards something that nobody takes, and the next seat draws a tile that is shown.
        for action in game.legal_actions:
            at = game.clone()
            at.step(action)
            events = events_of(at)
            tile = int(deal["wall"][0])
            if events[1:2] == [f"1 draw {LETTERS[tile]}"] and action != tile:
                seats = [Seat(game.hand(s)) for s in range(3)]
                seats[0].hand.remove(action)
                compare(rules, at, seats, tile, 1, True, seen)
                break
    assert len({key for key in seen if len(key) >= 2}) >= 15, seen
    assert any(len(key) > 1 and "pao" in [claim for _, claim in key] for key in seen)
