"""N hands side by side, for training: one call brings each to its next decision.

Three seats have three rewards, so this is a class of our own; `paohuzi_env.single` has the Gymnasium one with a single
learner. The hot loop is compiled and releases the interpreter lock; `threads` share the slots in slices.

Two ways to give each decision its reward, for a learner that plays all seats:

- by hands: where `done`, the last decision of each seat in that hand gets `reward` of its seat and is terminal. A
  seat that was asked nothing in the hand has none; its reward belongs to no decision.
- by streams: before seat a acts in row i, its decision before that (of the same hand or an earlier one) gets
  `reward_since[i, a]`, and is terminal if `done_since[i, a]`. Over any time the numbers read so, and the ones that
  still stand there, sum to all rewards of the seat: none is lost, none counts twice, in every mode of autoreset.

Use one of them, not both.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core import batch
from paohuzi_env.core import state as st
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.perfect import PERFECT_PLANES, perfect_slice
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.errors import GameOverError, IllegalActionError, StateError, shown
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet, rule_set, seed_word
from paohuzi_env.slots import (
    Slots,
    flag,
    given_array,
    in_range,
    row_mask,
    row_numbers,
    taken,
    whole,
    whole_numbers,
)

Autoreset = Literal["next_step", "same_step", "disabled"]
MODES: Final = ("next_step", "same_step", "disabled")  # in the order of core.batch
OBSERVATION_DTYPES: Final = ("int8", "float32")


@dataclass(frozen=True, slots=True)
class Batch:
    """The arrays of a `VectorEnv`, a row a slot. With `copy=False` they are the same arrays at every step.

    Attributes
    ----------
    observation : int8 or float32, (N, planes, 20)
        What the seat to act sees; zeros where none is to act.
    action_mask : int8, (N, 32)
        Its legal actions.
    actor : int8, (N,)
        The seat to act, -1 where the hand is over.
    reward : int32, (N, 3)
        Each seat's reward of this step: the settlement when the hand ends, else zeros. Sums to zero.
    reward_since : int32, (N, 3)
        Each seat's rewards since its own last decision (since the first reset where it had none), that decision's own
        step included, also over the ends of hands and for seats that do not act next. Cleared when the seat acts.
    done : bool, (N,)
        The hand ended in this step.
    done_since : bool, (N, 3)
        The hand of the seat's last decision is over (ended, or left by a masked reset). Cleared when the seat acts.
    """

    observation: NDArray[Any]
    action_mask: NDArray[np.int8]
    actor: NDArray[np.int8]
    reward: NDArray[np.int32]
    reward_since: NDArray[np.int32]
    done: NDArray[np.bool_]
    done_since: NDArray[np.bool_]

    def copy(self) -> Batch:
        """Independent copies of all arrays."""
        return Batch(*(getattr(self, name).copy() for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Some slots as they were; made by `VectorEnv.snapshot`, taken back by `VectorEnv.restore`."""

    rules_hash: str
    games: Any
    slots: Any
    reward: NDArray[np.int32]
    reward_since: NDArray[np.int32]
    done: NDArray[np.bool_]
    done_since: NDArray[np.bool_]


KEPT: Final = ("reward", "reward_since", "done", "done_since")
"""Arrays that do not follow from the hands alone."""


class VectorEnv:
    """N hands at once. Copies and pickles go on as the original does. One thread at a time may call it.

    Parameters
    ----------
    num_envs
        Number of slots N, from 1.
    rules
        A rule set, or what `rule_set` takes.
    seed
        Hand k of slot i is dealt from a hash of (seed, i, k): the same for any N, thread count and order.
    threads
        Threads that share the slots, 1 to N. Where there are processors for all, those beside the calling one look out
        for the next call for 0.4 ms before they sleep: to be woken costs as much as some hundred decisions.
    autoreset
        "next_step": an ended slot is dealt anew by the next call, which ignores its action (rewards 0, done False);
        "same_step": at once, the ended hand's `done` and `reward` beside the new hand's first decision;
        "disabled": it waits for `reset(mask=…)`, and acting in it is an error.
    dealer
        The seat that deals every hand; None draws it with the deal.
    observe
        False leaves `observation` and `action_mask` alone (search needs neither).
    observation_dtype
        "int8", or "float32" for a learner that wants it: the same numbers, four times the bytes.
    copy
        True returns fresh arrays from every call; False the same ones, overwritten by the next call.
    out
        Arrays to write into instead of own ones: a mapping with any of the names of `Batch`. Not with `copy`.

    Raises
    ------
    ValueError, TypeError
        A parameter out of range, of the wrong type, or an array of the wrong shape or dtype.
    """

    def __init__(
        self, num_envs: int, rules: RuleSet | str | Mapping[str, Any] = "hunan", *, seed: int = 0, threads: int = 1,
        autoreset: Autoreset = "next_step", dealer: int | None = None, observe: bool = True,
        observation_dtype: Literal["int8", "float32"] = "int8", copy: bool = False,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:  # fmt: skip
        self.rules = rule_set(rules)
        self.num_envs = whole("num_envs", num_envs, 1, 1 << 24)
        self.threads = whole("threads", threads, 1, self.num_envs)
        if autoreset not in MODES:
            raise ValueError(f"autoreset = {shown(autoreset)}; allowed: {', '.join(MODES)}")
        if observation_dtype not in OBSERVATION_DTYPES:
            allowed = ", ".join(OBSERVATION_DTYPES)
            raise ValueError(f"observation_dtype = {shown(observation_dtype)}; allowed: {allowed}")
        self.autoreset: Autoreset = autoreset
        self._mode = MODES.index(autoreset)
        self._dealer = -1 if dealer is None else whole("dealer", dealer, 0, self.rules.seats - 1)
        self._write = int(flag("observe", observe))
        self._copy = flag("copy", copy)
        if out is not None and not isinstance(out, Mapping):
            raise TypeError(f"out = {shown(out)}; allowed: a mapping of names to arrays")
        if self._copy and out:
            raise ValueError("copy = True contradicts out; allowed: one of them")
        self._seed = seed_word(seed)
        self._arrays = _arrays(self.num_envs, out or {}, np.dtype(observation_dtype))
        planes = self._arrays.observation
        self._planes = planes if planes.dtype == np.int8 else st.zeros(planes.shape, np.int8)
        self._actions = np.zeros(self.num_envs, np.int64)
        self._salt = np.zeros(1, np.uint64)
        self._hands = Slots(self.rules, self.num_envs, self.threads)
        self._started = False

    # --- playing ------------------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | Sequence[int] | NDArray[np.integer[Any]] | None = None, mask: NDArray[np.bool_] | None = None
    ) -> Batch:
        """Deal a hand in every slot, or in those of `mask`.

        Without `mask` every slot begins with its hand 0 of `seed` (the constructor's, unless given), and the streams
        of rewards begin anew. With it the chosen slots go on to their next hand, whether or not the present one is
        over, and the others stay as they are.

        Parameters
        ----------
        seed
            A whole number, or N of them: then hand k of slot i is `Game.deal(rules, seed[i], k)`.
        mask
            bool, (N,), with at least one True. It is not changed.
        """
        n = self.num_envs
        if mask is not None:
            self._begun("reset(mask=…)")
            if seed is not None:
                raise ValueError("seed goes with a reset of all slots, not with mask")
            chosen = row_mask("mask", mask, n)
            self._hands.slots["index"][chosen] += 1
        else:
            chosen = np.ones(n, np.bool_)
            words, streams = self._seeds(seed)
            slots = self._hands.slots
            slots["seed"], slots["stream"] = words, streams
            slots["index"] = slots["decided"] = slots["skipped"] = 0
            slots["dealer"] = self._dealer
        a, h = self._arrays, self._hands
        afresh = int(mask is None)
        self._started = True
        h.each(
            lambda t, lo, hi: batch.reset_slice(
                h.games, h.slots, lo, hi, self.rules.record, h.evals, h.views, h.orders, t, chosen, afresh,
                self._planes, a.action_mask, a.actor, a.reward, a.reward_since, a.done, a.done_since, self._write,
            )
        )  # fmt: skip
        if (h.games["phase"] == st.OVER).any():
            raise RuntimeError(f"{batch.MOST_SKIPPED} hands in a row were over on the deal: no game with {self.rules}")
        return self._result()

    def step(self, actions: NDArray[np.integer[Any]]) -> Batch:
        """Apply one action in every slot and bring each to its next decision.

        Parameters
        ----------
        actions
            Whole numbers of shape (N,). Rows that are dealt anew by this call (autoreset "next_step") are ignored.

        Raises
        ------
        GameOverError, IllegalActionError, TypeError, ValueError
            Not reset yet; a row that is over or whose action is not legal; wrong dtype or shape. No row is changed.
        """
        self._begun("step()")
        acts = whole_numbers("actions", actions, self.num_envs)
        h = self._hands
        self._actions[:] = acts
        if self.threads == 1:
            bad = batch.first_illegal(h.games, 0, self.num_envs, acts, self._mode)
        else:
            h.post(batch.CHECK, self._serve)
            bad = h.lowest_found()
        if bad >= 0:
            self._refuse(bad, int(acts[bad]))
        h.post(batch.STEP, self._serve)
        return self._result()

    def sample_actions(self, salt: int = 0, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """A uniformly random legal action for each row (0 where none is legal), keyed by seed, slot, hand and decision.

        The same position gives the same action again; another `salt` gives another one.
        """
        self._begun("sample_actions()")
        n = self.num_envs
        actions = np.zeros(n, np.int64) if out is None else given_array("out", out, (n,), np.int64)
        self._salt[0] = seed_word(salt)
        self._hands.post(batch.SAMPLE, self._serve)
        actions[:] = self._actions
        return actions if out is None else out

    def _serve(self, thread: int, looks: int, lo: int, hi: int) -> None:
        """Do the jobs of a thread (`core.batch.serve`)."""
        a, h = self._arrays, self._hands
        batch.serve(
            h.flags, thread, looks, h.games, h.slots, lo, hi, self.rules.record, h.evals, h.views, h.orders,
            self._actions, self._salt, self._mode, self._planes, a.action_mask, a.actor, a.reward, a.reward_since,
            a.done, a.done_since, self._write,
        )  # fmt: skip

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Batch:
        """What the last call returned."""
        self._begun("current")
        return self._result()

    @property
    def hand_index(self) -> NDArray[np.int64]:
        """Which hand k of its slot each row plays, (N,); a copy."""
        return np.array(self._hands.slots["index"], np.int64)

    @property
    def skipped(self) -> int:
        """Hands since the last full reset that were over on the deal (rules 2.2) and so never shown."""
        return int(self._hands.slots["skipped"].sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the slots take, observations and all."""
        own = {id(x): x for x in (self._planes, self._actions, *(getattr(self._arrays, f) for f in Batch.__slots__))}
        return int(self._hands.games.nbytes + self._hands.slots.nbytes + sum(x.nbytes for x in own.values()))

    def game(self, row: int) -> Game:
        """A copy of the hand in a row, everything included (the referee's)."""
        self._begun("game()")
        return self._hands.game(whole("row", row, 0, self.num_envs - 1))

    def observe_seat(self, seats: NDArray[np.integer[Any]]) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Observation and mask of any seat of each row, also of one that is not to act (its mask is zero).

        Parameters
        ----------
        seats
            Whole numbers of shape (N,); -1 gives zeros.
        """
        self._begun("observe_seat()")
        n, h = self.num_envs, self._hands
        who = in_range("seats", whole_numbers("seats", seats, n), -1, self.rules.seats - 1)
        obs = np.zeros((n, NUM_PLANES, KINDS), np.int8)
        masks = np.zeros((n, NUM_ACTIONS), np.int8)
        h.each(lambda t, lo, hi: batch.observe_slice(h.games, lo, hi, self.rules.record, h.views, t, who, obs, masks))
        return obs.astype(self._arrays.observation.dtype, copy=False), masks

    def perfect(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """Everything that is hidden, for a critic: int8 (N, planes, 20) of `core.perfect`, seen from the seat to act.

        An actor's network must never get it.
        """
        self._begun("perfect()")
        shape, h = (self.num_envs, PERFECT_PLANES, KINDS), self._hands
        planes = np.zeros(shape, np.int8) if out is None else given_array("out", out, shape, np.int8)
        h.each(lambda t, lo, hi: perfect_slice(h.games, lo, hi, self.rules.record, planes))
        return planes if out is None else out

    def active(self, room: int = 512) -> tuple[NDArray[np.int16], NDArray[np.int8], NDArray[np.int16]]:
        """The current observations as their active entries, for sparse first layers.

        Returns
        -------
        index : int16, (N, room)
            Flat indices (plane * 20 + kind) of the entries that are not 0, ascending, then -1.
        value : int8, (N, room)
            Their values, then 0.
        count : int16, (N,)
            How many there are.
        """
        self._begun("active()")
        if not self._write:
            raise ValueError("observe = False writes no observations; allowed with active(): True")
        room = whole("room", room, 1, NUM_PLANES * KINDS)
        index = np.empty((self.num_envs, room), np.int16)
        value = np.empty((self.num_envs, room), np.int8)
        count = np.empty(self.num_envs, np.int16)
        full = self._hands.first(lambda t, lo, hi: batch.active_slice(self._planes, lo, hi, index, value, count))
        if full >= 0:
            raise ValueError(f"room = {room} is too small for row {full}; allowed: up to {NUM_PLANES * KINDS}")
        return index, value, count

    # --- keeping ------------------------------------------------------------------------------------------------------

    def snapshot(self, rows: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> Snapshot:
        """The given rows (all by default) as they are now."""
        self._begun("snapshot()")
        which = row_numbers(rows, self.num_envs)
        kept = {name: getattr(self._arrays, name)[which] for name in KEPT}
        return Snapshot(self.rules.hash, taken(self._hands.games, which), taken(self._hands.slots, which), **kept)

    def restore(self, snapshot: Snapshot, rows: Sequence[int] | NDArray[np.integer[Any]] | None = None) -> Batch:
        """Put the hands of a snapshot into the given rows (all by default), in order, and write their decisions.

        Its slots' seeds and hand numbers come with it, so the hands that follow are the same too.

        Raises
        ------
        StateError, ValueError, GameOverError
            The snapshot is of another rule set, or of another number of rows; a row is named twice; some rows, before
            the first reset. Nothing is changed.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"snapshot = {shown(snapshot)}; allowed: what snapshot() has given")
        which = row_numbers(rows, self.num_envs)
        if snapshot.rules_hash != self.rules.hash:
            raise StateError(f"snapshot of rule set {snapshot.rules_hash}; allowed: {self.rules.hash} ({self.rules})")
        if len(snapshot.games) != len(which):
            raise StateError(f"snapshot of {len(snapshot.games)} rows for {len(which)} rows")
        if len(np.unique(which)) != len(which):
            raise ValueError("rows name a row twice")
        if len(which) < self.num_envs:
            self._begun("restore() of some rows")
        a, h = self._arrays, self._hands
        for name in KEPT:
            new, own = getattr(snapshot, name), getattr(a, name)
            shape = (len(which), *own.shape[1:])
            if not isinstance(new, np.ndarray) or new.shape != shape or new.dtype != own.dtype:
                have = f"shape {getattr(new, 'shape', None)}, dtype {getattr(new, 'dtype', None)}"
                raise StateError(f"snapshot whose {name} has {have}; allowed: as snapshot() has given it")
        h.replace(which, snapshot.games, snapshot.slots)
        for name in KEPT:
            getattr(a, name)[which] = getattr(snapshot, name)
        a.actor[which] = h.games["actor"][which]
        self._started = True
        if self._write:
            seats = np.full(self.num_envs, -2, np.int64)
            seats[which] = a.actor[which]
            h.each(
                lambda t, lo, hi: batch.observe_slice(
                    h.games, lo, hi, self.rules.record, h.views, t, seats, self._planes, a.action_mask
                )
            )
        return self._result()

    def close(self) -> None:
        """End the threads. A later call starts them again."""
        self._hands.close()

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _seeds(self, seed: Any) -> tuple[Any, Any]:
        """Seed and stream of each slot."""
        if seed is None or isinstance(seed, (int, np.integer)):
            self._seed = self._seed if seed is None else seed_word(seed)
            return self._seed, np.arange(self.num_envs)
        if not isinstance(seed, Sequence) and not (isinstance(seed, np.ndarray) and seed.ndim == 1):
            raise TypeError(f"seed = {shown(seed)}; allowed: a whole number from 0, or a list of {self.num_envs}")
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds; allowed: one, or {self.num_envs}")
        return np.array([seed_word(one) for one in seeds], np.uint64), 0

    # --- checking -----------------------------------------------------------------------------------------------------

    def _result(self) -> Batch:
        a = self._arrays
        if self._planes is not a.observation and self._write:
            self._hands.each(lambda _, lo, hi: np.copyto(a.observation[lo:hi], self._planes[lo:hi]))
        return a.copy() if self._copy else a

    def _begun(self, what: str) -> None:
        if not self._started:
            raise GameOverError(f"{what} before the first reset()")

    def _refuse(self, row: int, action: int) -> None:
        game = self._hands.game(row)
        if game.over:
            raise GameOverError(f"row {row}: the hand is over; reset it first (reset(mask=…))")
        allowed = ", ".join(str(a) for a in game.legal_actions)
        raise IllegalActionError(f"row {row}: action {action} is not legal for seat {game.actor}; allowed: {allowed}")


def _arrays(n: int, out: Mapping[str, NDArray[Any]], observation: np.dtype[Any]) -> Batch:
    kinds: dict[str, tuple[tuple[int, ...], Any]] = {
        "observation": ((n, NUM_PLANES, KINDS), observation),
        "action_mask": ((n, NUM_ACTIONS), np.int8),
        "actor": ((n,), np.int8),
        "reward": ((n, st.SEATS), np.int32),
        "reward_since": ((n, st.SEATS), np.int32),
        "done": ((n,), np.bool_),
        "done_since": ((n, st.SEATS), np.bool_),
    }
    for name in out:
        if name not in kinds:
            raise ValueError(f"out has {shown(name)}; allowed: {', '.join(kinds)}")
    given = {name: given_array(f"out[{name!r}]", array, *kinds[name]) for name, array in out.items()}
    for a, b in itertools.combinations(given, 2):
        if np.may_share_memory(given[a], given[b]):
            raise ValueError(f"out[{a!r}] and out[{b!r}] overlap; allowed: memory of their own")
    return Batch(**{name: given[name] if name in given else st.zeros(*kind) for name, kind in kinds.items()})
