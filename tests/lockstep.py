"""The core and its twin play the same hand in lockstep, and every difference is an error.

From the repository's root::

    python tests/lockstep.py --hands 20000 --seed 1          # mostly hunan
    python tests/lockstep.py --hands 500 --seed 1 --rules any

Hand number i of a seed is always the same hand; to look at a difference again: `--from i --hands 1`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from deals import biased_deal, random_rules
from reference.game import Game as Twin
from reference.judge import enough, verdicts
from reference.rules import make_rules
from reference.tiles import LETTERS, WILD, letters

from paohuzi_env.core import log
from paohuzi_env.core.state import PATTERNS
from paohuzi_env.game import MELD_NAMES, Game, group_of
from paohuzi_env.rules import rule_set


class DifferenceError(AssertionError):
    """Core and twin disagree."""


# --- the core's log and result as text ----------------------------------------------------------------------


def event_text(code: int) -> str:
    """One packed event of the core as records write it."""
    seat, verb, kind, shape = code & 3, log.VERBS[code >> 2 & 31], code >> 7 & 31, code >> 12 & 7
    sizes = {"ti": 4, "pao": 4, "wei": 3, "chouwei": 3, "peng": 3, "draw": 1, "discard": 1, "hu": 1}
    if verb in ("chi", "bi"):
        return f"{seat} {verb} {letters(group_of(kind, shape))}"
    if verb in sizes:
        return f"{seat} {verb} {LETTERS[kind] * sizes[verb]}"
    return f"{seat} {verb}"


def events_of(core: Game, start: int = 0) -> list[str]:
    """The core's events from number `start` on."""
    g = core.record
    return [event_text(int(code) & 0xFFFF) for code in g["log"][start : g["log_n"]]]


def groups_of(core: Game) -> list[str]:
    """The doors of the division that the core settled on."""
    e = core._evals[0]
    return sorted(
        f"{MELD_NAMES[e['group_type'][i]]}:{letters(int(t) for t in e['group_tiles'][i] if t >= 0)}"
        for i in range(e["groups"])
    )


def result_of(core: Game) -> dict[str, Any]:
    """The result of a hand that is over, as records write it."""
    g = core.record
    if g["winner"] < 0:
        return {"winner": None, "scores": list(core.scores)}
    return {
        "winner": int(g["winner"]),
        "tile": LETTERS[g["win_kind"]] if g["win_kind"] >= 0 else None,
        "huxi": int(g["win_huxi"]),
        "groups": groups_of(core),
        "patterns": sorted(name for i, name in enumerate(PATTERNS) if int(g["patterns"]) >> i & 1),
        "fan": int(g["fan"]),
        "deng": int(g["deng"]) if core.rules.base_on == "deng" else None,
        "base": int(g["base"]),
        "scores": list(core.scores),
    }


def seat_text(core: Game, seat: int) -> str:
    """All that a seat has: hand, melds, marks."""
    g = core.record
    melds = []
    for m in range(g["melds_n"][seat]):
        name, kind = MELD_NAMES[g["meld_type"][seat, m]], int(g["meld_kind"][seat, m])
        four = name in ("ti", "pao")
        tiles = group_of(kind, int(g["meld_shape"][seat, m])) if name == "chi" else (kind,) * (4 if four else 3)
        melds.append(f"{name}:{letters(tiles)}")
    marks = f"dead={bool(g['dead'][seat])} huxi={g['huxi'][seat]}"
    return f"{letters(core.hand(seat))} {' '.join(sorted(melds))} {marks}"


def twin_seat_text(twin: Twin, seat: int) -> str:
    """The same of the twin."""
    s = twin.seats[seat]
    melds = sorted(str(meld) for meld in s.melds)
    return f"{letters(s.hand)} {' '.join(melds)} dead={s.dead} huxi={twin.table_huxi(seat)}"


def stale_of(core: Game, seat: int) -> tuple[list[int], list[int]]:
    """The kinds that are stale for peng and for chi."""
    peng, chi = int(core.record["stale_peng"][seat]), int(core.record["stale_chi"][seat])
    return [k for k in range(20) if peng >> k & 1], [k for k in range(20) if chi >> k & 1]


# --- the two together ---------------------------------------------------------------------------------------


class Pair:
    """One hand in both engines. `check` and `play` raise `DifferenceError` where the two are not the same."""

    def __init__(self, rules: Mapping[str, Any], deal: Mapping[str, Any], drawn_before: int = 0) -> None:
        self.twin = Twin(make_rules(rules), **deal, drawn_before=drawn_before)
        self.core = Game.from_tiles(
            rule_set(rules), deal["dealer"], deal["hands"], deal["upcard"], deal["wall"],
            aside=deal["aside"], drawn_before=drawn_before,
        )  # fmt: skip
        self._seen = 0
        self.check()

    def check(self) -> None:
        """Compare everything that can be compared now."""
        new = events_of(self.core, self._seen)
        self._same("events", new, self.twin.events[self._seen :])
        self._seen += len(new)
        self._same("actor", self.core.actor, self.twin.actor)
        self._same("legal", self.core.legal_texts(), self.twin.legal())
        self._same("over", self.core.over, self.twin.over)
        if self.core.over:
            self._check_result()
        if self.core.record["win_kind"] == WILD or (self.core.phase == "hu" and self.core.live_kind() == WILD):
            return  # the twin takes a drawn wild tile into the hand after the question
        for seat in range(self.twin.players):
            self._same(f"seat {seat}", seat_text(self.core, seat), twin_seat_text(self.twin, seat))
            if self.core.phase == "discard":
                s = self.twin.seats[seat]
                self._same("stale", stale_of(self.core, seat), (sorted(s.stale_peng), sorted(s.stale_chi)))
        left = [int(t) for t in self.core.record["wall"][self.core.record["wall_next"] :] if t >= 0]
        self._same("wall", left, self.twin.wall)

    def _check_result(self) -> None:
        """Results are equal, or the core's division is another of the best ones (rules 8.8)."""
        ours, theirs = result_of(self.core), self.twin.result()
        if ours == theirs or (self.twin.win is not None and self._as_good(ours)):
            return
        self._same("result", ours, theirs)

    def _as_good(self, ours: dict[str, Any]) -> bool:
        theirs = self.twin.result()
        if any(ours[key] != theirs[key] for key in ("winner", "tile", "huxi", "base", "scores")):
            return False
        assert self.twin.win is not None
        every = verdicts(self.twin.rules, *self.twin.win)
        most = max((v.payment, v.huxi) for v in every if enough(self.twin.rules, v))
        answers = [v.as_answer() for v in every if (v.payment, v.huxi) == most]
        return {key: ours[key] for key in answers[0]} in answers

    def play(self, text: str) -> None:
        """One choice in both."""
        self.core.step(self.core.action_of(text))
        self.twin.play(text)
        self.check()

    def _same(self, what: str, core: object, twin: object) -> None:
        if core != twin:
            before = " | ".join(self.twin.events)
            raise DifferenceError(f"{what}: core {core}, twin {twin}\nafter {before}")


# --- policies -----------------------------------------------------------------------------------------------


def choose(policy: str, hand: list[int], legal: list[str], chance: random.Random) -> str:
    """A choice of `random`, `hungry` (claims what it can), `stubborn` (so, but seldom wins) or `lazy`."""
    if policy == "random" or chance.random() < 0.1:
        return chance.choice(legal)
    passes = [c for c in legal if c.startswith("pass")]
    if policy == "lazy" and passes and chance.random() < 0.7:
        return passes[0]
    if policy == "stubborn" and "pass hu" in legal and chance.random() < 0.8:
        return "pass hu"
    takes = [c for c in legal if not c.startswith("pass")]
    if not takes[0].startswith("discard"):
        return chance.choice(takes)
    return min(takes, key=lambda c: (_company(hand, LETTERS.index(c[-1])), chance.random()))


def _company(hand: list[int], kind: int) -> int:
    """How many tiles of the hand a tile could stand with."""
    near = [t for t in hand if t < 20 and t // 10 == kind // 10 and abs(t - kind) <= 2]
    red = [t for t in hand if kind % 10 in (1, 6, 9) and t % 10 in (1, 6, 9) and t // 10 == kind // 10]
    return len(near) + len(red) + 2 * hand.count(kind) + hand.count((kind + 10) % 20)


POLICIES = ("random", "hungry", "hungry", "stubborn", "lazy")


@dataclass
class Tally:
    """What happened in many hands, to know that they were worth playing."""

    hands: int = 0
    decisions: int = 0
    seen: Counter[str] = field(default_factory=Counter)

    def add(self, pair: Pair) -> None:
        self.hands += 1
        self.decisions += len(pair.twin.legals)
        for event in pair.twin.events:
            self.seen[event.split(" ", 1)[1] if "pass" in event else event.split()[1]] += 1
        result = pair.twin.result()
        self.seen["drawn hand" if result["winner"] is None else "win"] += 1
        self.seen.update(f"pattern {name}" for name in result.get("patterns", ()))
        for seat in pair.twin.seats:
            names = [meld.name for meld in seat.melds]
            self.seen["second quad"] += names.count("ti") + names.count("pao") > 1


def play_hand(rules: Mapping[str, Any], chance: random.Random, tally: Tally, style: str | None = None) -> Pair:
    """One hand in lockstep, all of it drawn from `chance`."""
    deal = biased_deal(make_rules(rules), chance, style)
    pair = Pair(rules, deal, drawn_before=chance.choice((0, 0, 0, 1, 4)))
    policies = [chance.choice(POLICIES) for _ in range(3)]
    while not pair.core.over:
        actor = pair.core.actor
        assert actor is not None
        pair.play(choose(policies[actor], pair.core.hand(actor), pair.core.legal_texts(), chance))
    tally.add(pair)
    return pair


PRESETS = ("hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi", "mini")


def rules_for(number: int, kind: str, chance: random.Random) -> dict[str, Any]:
    """The rule set of hand `number`: a preset's name, `mostly-hunan`, `presets`, or `any` (random fields)."""
    if kind == "any":
        return random_rules(chance)
    if kind == "presets":
        return {"preset": PRESETS[number % len(PRESETS)], **({"players": 2} if number % 5 == 0 else {})}
    if kind == "mostly-hunan":
        if number % 4:
            return {"preset": "hunan"}
        return random_rules(chance) if number % 8 else rules_for(number // 8, "presets", chance)
    return {"preset": kind}


def main() -> int:
    """Play hands until one differs, or all have been played."""
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--from", type=int, default=0, dest="start")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rules", default="mostly-hunan", help="a preset, mostly-hunan, presets, or any")
    parser.add_argument("--keep-going", action="store_true", help="go on after a difference")
    args = parser.parse_args()
    tally, started, failures = Tally(), time.monotonic(), 0
    for number in range(args.start, args.start + args.hands):
        chance = random.Random(f"{args.seed}:{number}")
        rules = rules_for(number, args.rules, chance)
        try:
            play_hand(rules, chance, tally)
        except Exception as error:
            failures += 1
            print(f"hand {number} {json.dumps(rules)}\n{type(error).__name__}: {error}\n", flush=True)
            if not args.keep_going:
                break
    seconds = time.monotonic() - started
    print(f"{tally.hands} hands, {tally.decisions} decisions, {failures} differences, {seconds:.0f} s")
    print(json.dumps(dict(sorted(tally.seen.items()))))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
