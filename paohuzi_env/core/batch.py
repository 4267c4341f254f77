"""Many hands at once: each call brings every hand of a slice to its next decision.

A *slot* is one of the N hands played side by side. Hand k of slot i is dealt from a hash of (seed, i, k), so a slot's
hands do not depend on N, on threads or on the other slots. Kernels work on slices, so that threads can share a batch;
each thread has a row of `evals`, `views` and `orders` of its own.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.deal import deal_seeded
from paohuzi_env.core.lanes import exchange, exchange_if, fetch, look_again, lowest, ones
from paohuzi_env.core.observe import NUM_PLANES, observe
from paohuzi_env.core.rng import advance, below, key, mix
from paohuzi_env.core.state import GAME, OVER, SEATS
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.core.turn import step
from paohuzi_env.core.view import view

DECISIONS: Final = np.uint64(0x64656369646564)
"""Keeps the random numbers of decisions apart from those of deals."""
MOST_DECISIONS: Final = 4096
"""More than a hand can have (its log has room for `core.state.LOG` events)."""

MOST_SKIPPED: Final = 10_000
"""Hands in a row that are dealt in search of a decision."""

AHEAD: Final = 16
"""Rows from the one that a loop with little to do looks at to the one that is fetched meanwhile."""
ASKED: Final = GAME.fields["actor"][1]  # type: ignore[index]
"""Bytes of a GAME that say what is legal and whether it is over."""
PLAYED: Final = GAME.fields["log"][1]  # type: ignore[index]
"""Bytes of a GAME that a step may need, less the log."""
SEEN: Final = NUM_PLANES * KINDS
"""Bytes of a row of observations."""

NEXT_STEP: Final = 0
SAME_STEP: Final = 1
DISABLED: Final = 2

IDLE: Final = 0
WAITING: Final = 1
DISMISSED: Final = 2
CHECK: Final = 3
STEP: Final = 4
SAMPLE: Final = 5
"""What a thread's flag says: nobody serves it; it looks for a job; it need not look any longer; its job."""
APART: Final = 16
"""From one thread's flag to the next one's, so that each has cache lines of its own. What CHECK finds is beside it."""

SLOT: Final = np.dtype(
    [
        ("seed", "u8"),
        ("stream", "i8"),  # i of (seed, i, k)
        ("index", "i8"),  # k of the hand being played
        ("dealer", "i1"),  # -1: drawn with the deal
        ("decided", "i8"),  # decisions of this hand so far
        ("skipped", "i8"),  # hands that were over on the deal (rules 2.2) and so asked nobody, since the first reset
    ],
    align=True,
)
"""Where a slot stands; with the slot's GAME it is all that a snapshot needs."""


@kernel
def deal_next(g: Any, slot: Any, r: Any, e: Any, order: Any) -> None:
    """Deal hand `slot.index`, and the ones after it while a hand is over before anybody is asked."""
    deal_seeded(g, r, e, order, key(slot.seed, slot.stream, slot.index), slot.dealer, 0)
    tried = 1
    while g.phase == OVER and tried < MOST_SKIPPED:
        tried += 1
        slot.skipped += 1
        slot.index += 1
        deal_seeded(g, r, e, order, key(slot.seed, slot.stream, slot.index), slot.dealer, 0)
    slot.decided = 0


@kernel
def decision_word(slot: Any, salt: Any) -> Any:
    """A generator word for the pending decision of a slot; `salt` (uint64) tells its users apart."""
    return key(slot.seed ^ mix(salt ^ DECISIONS), slot.stream, slot.index * MOST_DECISIONS + slot.decided)


@kernel
def write_row(g: Any, r: Any, v: Any, seat: int, obs: Any, mask: Any) -> None:
    """Observation and mask of `seat`: those of the actor, or zeros where there is none."""
    if seat < 0:
        obs[:] = 0
        mask[:] = 0
        return
    view(g, r, v, seat, 0)
    observe(v, r, obs, mask)


@entry
def reset_slice(
    games: Any, slots: Any, lo: int, hi: int, rules: Any, evals: Any, views: Any, orders: Any, thread: int,
    chosen: Any, afresh: int, obs: Any, masks: Any, actors: Any, rewards: Any, since: Any, dones: Any,
    dones_since: Any, write: int,
) -> None:  # fmt: skip
    """Deal hand `slots.index` in each chosen slot of lo..hi-1 and write its first decision.

    `afresh` begins the streams of rewards too; else they go on, and the hand that was in the slot counts as over.
    """
    r = rules[0]
    for i in range(lo, hi):
        if chosen[i]:
            g = games[i]
            deal_next(g, slots[i], r, evals[thread], orders[thread])
            actors[i] = g.actor
            dones[i] = 0
            for s in range(SEATS):
                rewards[i, s] = 0
                dones_since[i, s] = not afresh
                if afresh:
                    since[i, s] = 0
            if write:
                write_row(g, r, views[thread], g.actor, obs[i], masks[i])


@entry
def first_illegal(games: Any, lo: int, hi: int, actions: Any, mode: int) -> int:
    """The first row of lo..hi-1 whose action is not legal now, or -1. In NEXT_STEP mode ended rows take any action."""
    for i in range(lo, hi):
        fetch(games, min(i + AHEAD, hi - 1), ASKED)
        a = actions[i]
        if games[i].phase == OVER:
            if mode != NEXT_STEP:
                return i
        elif a < 0 or a >= NUM_ACTIONS or games[i].legal >> a & 1 == 0:
            return i
    return -1


@kernel
def step_slice(
    games: Any, slots: Any, lo: int, hi: int, rules: Any, evals: Any, views: Any, orders: Any, thread: int,
    actions: Any, mode: int, obs: Any, masks: Any, actors: Any, rewards: Any, since: Any, dones: Any,
    dones_since: Any, write: int,
) -> None:  # fmt: skip
    """Apply one legal action in each slot of lo..hi-1 and write its next decision.

    In NEXT_STEP mode an ended slot is dealt anew and its action ignored; in SAME_STEP mode a hand that ends is
    followed by the next one at once, with `dones` and `rewards` of the one that ended. `since` and `dones_since` of
    a seat are cleared by its own decisions and by nothing else.
    """
    r = rules[0]
    e = evals[thread]
    for i in range(lo, hi):
        fetch(games, min(i + 1, hi - 1), PLAYED)  # it comes while this row is played
        g = games[i]
        for s in range(SEATS):
            rewards[i, s] = 0
        dones[i] = 0
        if g.phase == OVER:
            slots[i].index += 1
            deal_next(g, slots[i], r, e, orders[thread])
        else:
            since[i, g.actor] = 0
            dones_since[i, g.actor] = 0
            slots[i].decided += 1
            step(g, r, e, actions[i])
            if g.phase == OVER:
                dones[i] = 1
                for s in range(SEATS):
                    rewards[i, s] = g.scores[s]
                    since[i, s] += g.scores[s]
                    dones_since[i, s] = 1
                if mode == SAME_STEP:
                    slots[i].index += 1
                    deal_next(g, slots[i], r, e, orders[thread])
        actors[i] = g.actor
        if write:
            fetch(obs, min(i + 1, hi - 1), SEEN)  # and this while it is played and seen: not all at once
            write_row(g, r, views[thread], g.actor, obs[i], masks[i])


@entry
def observe_slice(
    games: Any, lo: int, hi: int, rules: Any, views: Any, thread: int, seats: Any, obs: Any, masks: Any
) -> None:
    """Write what `seats[i]` sees in each row of lo..hi-1: zeros for seat -1, nothing for a lower one."""
    for i in range(lo, hi):
        if seats[i] >= -1:
            write_row(games[i], rules[0], views[thread], seats[i], obs[i], masks[i])


@kernel
def pick(legal: int, word: Any) -> int:
    """A legal action drawn uniformly from a generator word; -1 where none is legal."""
    if legal == 0:
        return -1
    bits = legal
    for _ in range(below(word, ones(legal))):
        bits &= bits - 1
    return lowest(bits)


@kernel
def sample_slice(games: Any, slots: Any, lo: int, hi: int, salt: Any, actions: Any) -> None:
    """A uniformly random legal action for each row of lo..hi-1, keyed by its slot's seed, hand and decision."""
    for i in range(lo, hi):
        fetch(games, min(i + AHEAD, hi - 1), ASKED)
        a = pick(games[i].legal, advance(decision_word(slots[i], salt)))
        actions[i] = a if a >= 0 else 0


@entry
def post(flags: Any, thread: int, job: int) -> int:
    """Give a thread a job; what its flag was. IDLE: it must be started (`serve`); else it begins by itself."""
    return exchange(flags, thread * APART, job)


@entry
def dismiss(flags: Any, threads: int) -> None:
    """Let threads that wait for a job end."""
    for thread in range(threads):
        exchange_if(flags, thread * APART, DISMISSED, WAITING)


@entry
def serve(
    flags: Any, thread: int, looks: int, games: Any, slots: Any, lo: int, hi: int, rules: Any, evals: Any, views: Any,
    orders: Any, actions: Any, salt: Any, mode: int, obs: Any, masks: Any, actors: Any, rewards: Any, since: Any,
    dones: Any, dones_since: Any, write: int,
) -> None:  # fmt: skip
    """Do the jobs that are posted for a thread, on its slice lo..hi-1, until it has looked in vain so many times.

    To sleep and be woken takes a thread longer than some hundred decisions; to look again, nearly nothing.
    """
    place = thread * APART
    waited = 0
    while True:
        job = look_again(flags, place)
        if job == CHECK:
            flags[place + 1] = first_illegal(games, lo, hi, actions, mode)
        elif job == STEP:
            step_slice(
                games, slots, lo, hi, rules, evals, views, orders, thread, actions, mode, obs, masks, actors,
                rewards, since, dones, dones_since, write,
            )  # fmt: skip
        elif job == SAMPLE:
            sample_slice(games, slots, lo, hi, salt[0], actions)
        else:
            waited = looks if job == DISMISSED else waited + 1
            if waited >= looks and exchange_if(flags, place, IDLE, job):  # unless a job came at the last moment
                return
            continue
        exchange(flags, place, WAITING)
        waited = 0


@entry
def settled(flags: Any, threads: int, looks: int) -> bool:
    """Whether all threads have done their jobs, or come to it within so many looks."""
    for thread in range(threads):
        waited = 0
        while look_again(flags, thread * APART) >= CHECK:
            waited += 1
            if waited >= looks:
                return False
    return True


@entry
def active_slice(obs: Any, lo: int, hi: int, index: Any, value: Any, counts: Any) -> int:
    """The active entries of dense observations: flat index and value, ascending; rows are filled up with -1 and 0.

    The first row that has more of them than `index` has room is returned, else -1.
    """
    for i in range(lo, hi):
        n = 0
        for p in range(obs.shape[1]):
            for k in range(KINDS):
                if obs[i, p, k] != 0:
                    if n >= index.shape[1]:
                        return i
                    index[i, n] = p * KINDS + k
                    value[i, n] = obs[i, p, k]
                    n += 1
        counts[i] = n
        for j in range(n, index.shape[1]):
            index[i, j] = -1
            value[i, j] = 0
    return -1
