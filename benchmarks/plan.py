"""What a tournament plays, in full: the same plan plays the same hands, wherever and however often it is stopped."""

from __future__ import annotations

import contextlib
import hashlib
import platform
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from agents.base import RAISED, Agent, in_words
from agents.registry import VERBATIM, make
from benchmarks import arena
from benchmarks.blocks import margins
from benchmarks.deals import ELSEWHERE, DealSet, deal_range, deal_set
from benchmarks.schedule import KINDS, Group, Kind, groups_of, seatings
from benchmarks.sequential import Sprt, confidence_sequence
from paohuzi_env import __version__
from paohuzi_env.checks import one_of, whole
from paohuzi_env.core._sources import closure
from paohuzi_env.errors import PaohuziError
from paohuzi_env.rules import RuleSet, rule_set

FORMAT: Final = "paohuzi-tournament/1"
MOST_CHUNKS: Final = 1_000_000
MOST_PLAYED: Final = 100_000_000
"""Most deals of a tournament: all of them go into its hash before it begins, which takes minutes then."""
_COMMA: Final = re.compile(r",(?![^\[]*\])")


class TournamentError(PaohuziError, ValueError):
    """A tournament that can't be played, or a folder that holds none, or another one."""


@dataclass(frozen=True)
class Plan:
    """A tournament.

    Attributes
    ----------
    agents
        The agents' texts (`agents.make`).
    rules
        The rule set, as a preset's name or a mapping.
    deals, purpose
        The deal set, and what for (`benchmarks.deals.deal_set`).
    kind
        Who meets whom (`benchmarks.schedule`).
    first, blocks
        Number of the first block, and how many.
    chunk
        Blocks that are played by one worker with one set of agents, and written together.
    hands_per_match
        Hands of a match; a block is then a match in every seating.
    seed
        The agents' seed, where their texts say none.
    reference
        An agent whose hands against itself are control variates; None for none.
    sprt
        A sequential test of the first agent against the second: (t0, t1, alpha, beta, least blocks).
    anytime
        Where margins are clipped for a confidence sequence that ends the tournament once it leaves out 0.
    """

    agents: tuple[str, ...]
    rules: str | Mapping[str, Any] = "hunan"
    deals: str = "validation"
    purpose: str = "report"
    kind: Kind = "pairs"
    first: int = 0
    blocks: int = 1000
    chunk: int = 256
    hands_per_match: int = 1
    seed: int = 0
    reference: str | None = None
    sprt: tuple[float, float, float, float, int] | None = None
    anytime: float | None = None

    def checked(self) -> Plan:
        """Itself, if it can be played.

        Raises
        ------
        TournamentError, PaohuziError
            It can't, and why.
        """
        try:
            one_of("kind", self.kind, KINDS)
            for name in self.agents:
                if not name.isprintable():  # nor can it be written, where it holds bytes that are no UTF-8
                    raise ValueError(f"agent {name!r}; allowed: a text that can be printed")
                if self.agents.count(name) > 1:
                    raise ValueError(f"agent {name!r} is named twice; allowed: once, or with another seed (…,seed=1)")
            groups_of(self.kind, len(self.agents), self.rule_set.seats)
            deal_range(self.first, self.blocks)
            whole("chunk", self.chunk, 1, self.blocks)
            whole("hands per match", self.hands_per_match, 1, 10_000)
            whole("chunks", self.chunks, 1, MOST_CHUNKS)
            whole("blocks × hands per match", self.blocks * self.hands_per_match, 1, MOST_PLAYED)
            whole("last deal", (self.first + self.blocks) * self.hands_per_match, 0, ELSEWHERE)
            if self.sprt is not None and self.anytime is not None:
                raise ValueError("a sequential test and an anytime interval; allowed: one of them")
            self.watch()
        except (TypeError, ValueError) as error:
            raise error if isinstance(error, PaohuziError) else TournamentError(str(error)) from error
        self.deal_set()  # refused here, not in a worker
        return self

    @property
    def rule_set(self) -> RuleSet:
        """Its rule set."""
        return rule_set(self.rules)

    @property
    def groups(self) -> tuple[Group, ...]:
        """Numbers of agents that meet; the reference alone comes last."""
        own = groups_of(self.kind, len(self.agents), self.rule_set.seats)
        return own if self.reference is None else (*own, (len(self.agents),))

    @property
    def players(self) -> int:
        """How many agents play, the reference among them."""
        return len(self.agents) + (self.reference is not None)

    @property
    def hands_per_block(self) -> int:
        """Hands of a block, all groups together."""
        seats = self.rule_set.seats
        return self.hands_per_match * sum(len(seatings(group, seats)) for group in self.groups)

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return -(-self.blocks // self.chunk)

    def chunk_blocks(self, number: int) -> range:
        """The blocks of a chunk."""
        start = self.first + number * self.chunk
        return range(start, min(start + self.chunk, self.first + self.blocks))

    def deal_set(self) -> DealSet:
        """Its deal set."""
        return deal_set(self.deals, purpose=self.purpose)

    def make_agents(self) -> list[Agent]:
        """New agents; the reference, if any, comes last."""
        texts = self.agents if self.reference is None else (*self.agents, self.reference)
        return [make(text, self.rule_set, seed=self.seed) for text in texts]

    def watch(self) -> Watch:
        """What says when to stop."""
        return Watch(None if self.sprt is None else Sprt(*self.sprt), self.anytime)

    def manifest(self) -> dict[str, Any]:
        """All that the result depends on, for people and for `difference`."""
        rules, deals = self.rule_set, self.deal_set()
        agents = self.make_agents()
        try:
            for agent in agents:
                if agent.interactive:
                    raise TournamentError(f"agent {agent.name!r} is a person; a tournament goes on without anybody")
            described = [_described(agent) for agent in agents]
        finally:
            for agent in agents:
                with contextlib.suppress(*RAISED):
                    agent.close()
        count = self.blocks * self.hands_per_match
        numbers = range(self.first * self.hands_per_match, self.first * self.hands_per_match + count)
        return {
            "format": FORMAT,
            "agents": described[: len(self.agents)],
            "reference": described[-1] if self.reference is not None else None,
            "rules": rules.spec,
            "rules_hash": rules.hash,
            "kind": self.kind,
            "first": self.first,
            "blocks": self.blocks,
            "chunk": self.chunk,
            "hands_per_match": self.hands_per_match,
            "seed": self.seed,
            "sprt": None if self.sprt is None else list(self.sprt),
            "anytime": self.anytime,
            "purpose": self.purpose,
            "deals": {"set": self.deals, "version": deals.version, "hash": deals.hash(rules, numbers)},
            "versions": {
                "paohuzi_env": __version__,
                "arena": hashlib.sha256(repr(closure(arena.__name__)).encode()).hexdigest()[:16],
                "numpy": np.__version__,
                "python": platform.python_version(),
            },
        }

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> Plan:
        """The plan that a manifest was made of."""
        reference = manifest["reference"]
        return cls(
            agents=tuple(agent["name"] for agent in manifest["agents"]), rules=manifest["rules"],
            deals=manifest["deals"]["set"], purpose=manifest["purpose"], kind=manifest["kind"],
            first=manifest["first"], blocks=manifest["blocks"], chunk=manifest["chunk"],
            hands_per_match=manifest["hands_per_match"], seed=manifest["seed"],
            reference=None if reference is None else reference["name"],
            sprt=None if manifest["sprt"] is None else tuple(manifest["sprt"]), anytime=manifest["anytime"],
        )  # fmt: skip


def _described(agent: Agent) -> dict[str, Any]:
    try:
        return {"name": agent.name, "seed": int(agent.seed), "fingerprint": str(agent.fingerprint)}
    except OSError:
        raise
    except RAISED as error:
        raise TournamentError(f"agent {agent.name!r}: its fingerprint can't be told: {in_words(error)}") from error


class Watch:
    """Looks at the blocks in their order and says when to stop; what was played beyond that does not count.

    Parameters
    ----------
    sprt
        The test, if any.
    clip
        For a confidence sequence, if any.
    """

    def __init__(self, sprt: Sprt | None, clip: float | None) -> None:
        self.sprt = sprt
        self.clip = clip
        self.margins = np.empty(0)
        self.reason: dict[str, Any] | None = None
        """Why it said stop: None while it has not."""
        if clip is not None:
            confidence_sequence(self.margins, clip)  # refuses what is no clip

    def add(self, hands: Any) -> bool:
        """Look at the next chunk; True once it is enough."""
        if self.sprt is None and self.clip is None:
            return False
        self.margins = np.concatenate([self.margins, margins(hands, 0, 1)])
        n = len(self.margins)
        if self.sprt is not None:
            total, squares = float(self.margins.sum()), float((self.margins**2).sum())
            verdict = self.sprt.verdict(n, total, squares)
            if verdict != "undecided":
                ratio = self.sprt.ratio(n, total, squares)
                self.reason = {"test": "sprt", "verdict": verdict, "blocks": n, "ratio": ratio}
        elif self.clip is not None:
            low, high = confidence_sequence(self.margins, self.clip)
            if low[-1] > 0 or high[-1] < 0:
                self.reason = {
                    "test": "anytime", "verdict": "above 0" if low[-1] > 0 else "below 0", "blocks": n,
                    "low": float(low[-1]), "high": float(high[-1]),
                }  # fmt: skip
        return self.reason is not None


def split_agents(texts: Sequence[str]) -> tuple[str, ...]:
    """The agents in words of a command line, which may hold several each, with a comma between.

    A part that holds "=" before any ":" is an option of the agent before it: "search:playouts=9,worlds=2,greedy" names
    two. What follows "external:" is its command to the end of the word; commas in brackets part nothing.
    """
    found: list[str] = []
    for text in texts:
        fresh = True
        for part in _COMMA.split(text):
            head, _, _ = part.partition(":")
            goes_on = not fresh and ("=" in head or re.split(r"[:\[]", found[-1])[0] in VERBATIM)
            if goes_on:
                found[-1] += f",{part}"
            else:
                found.append(part)
            fresh = False
    return tuple(found)


def default_kind(agents: int, seats: int) -> Kind:
    """All at one table where they just fill it, else each two."""
    return "tables" if agents == seats else "pairs"


def difference(there: Any, here: Any, path: str = "") -> Iterator[str]:
    """Where two manifests differ, as "place: value there, value here"."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in dict.fromkeys([*there, *here]):
            yield from difference(there.get(key), here.get(key), f"{path}.{key}" if path else key)
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        for at, (a, b) in enumerate(zip(there, here, strict=True)):
            yield from difference(a, b, f"{path}[{at}]")
    elif there != here:
        yield f"{path}: {there!r} there, {here!r} now"
