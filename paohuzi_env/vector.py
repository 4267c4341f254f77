"""N hands side by side, for training: one call brings each to its next decision.

Three seats have three rewards, so this is a class of our own; `paohuzi_env.single` has the Gymnasium one with a single
learner. The hot loop is compiled and releases the interpreter lock; `threads` share the slots in slices.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
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
from paohuzi_env.errors import GameOverError, IllegalActionError, StateError
from paohuzi_env.game import Game
from paohuzi_env.rules import RuleSet, rule_set, seed_word

Autoreset = Literal["next_step", "same_step", "disabled"]
MODES: Final = ("next_step", "same_step", "disabled")  # in the order of core.batch


@dataclass(frozen=True, slots=True)
class Batch:
    """The arrays of a `VectorEnv`, a row a slot. With `copy=False` they are the same arrays at every step.

    Attributes
    ----------
    observation : int8, (N, planes, 20)
        What the seat to act sees; zeros where none is to act.
    action_mask : int8, (N, 32)
        Its legal actions.
    actor : int8, (N,)
        The seat to act, -1 where the hand is over.
    reward : int32, (N, 3)
        Each seat's reward of this step: the settlement when the hand ends, else zeros. Sums to zero.
    reward_since : int32, (N, 3)
        Each seat's rewards since its own last decision, also for seats that do not act next: what a learner that
        stores a transition per decision needs. Set to zero for a seat when it acts, and when a hand is dealt in a
        later step than the one it ended in; in same-step mode it still holds the ended hand's until the seat acts.
    done : bool, (N,)
        The hand ended in this step.
    """

    observation: NDArray[np.int8]
    action_mask: NDArray[np.int8]
    actor: NDArray[np.int8]
    reward: NDArray[np.int32]
    reward_since: NDArray[np.int32]
    done: NDArray[np.bool_]

    def copy(self) -> Batch:
        """Independent copies of all arrays."""
        return Batch(*(getattr(self, name).copy() for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Some slots as they were; made by `VectorEnv.snapshot`, taken back by `VectorEnv.restore`."""

    rules_hash: str
    games: Any
    slots: Any
    done: NDArray[np.bool_]
    reward: NDArray[np.int32]
    reward_since: NDArray[np.int32]


class VectorEnv:
    """N hands at once.

    Parameters
    ----------
    num_envs
        Number of slots N, from 1.
    rules
        A rule set, or what `rule_set` takes.
    seed
        Hand k of slot i is dealt from a hash of (seed, i, k): the same for any N, thread count and order.
    threads
        Threads that share the slots, 1 to N.
    autoreset
        "next_step": an ended slot is dealt anew by the next call, which ignores its action (rewards 0, done False);
        "same_step": at once, the ended hand's `done` and `reward` beside the new hand's first decision;
        "disabled": it waits for `reset(mask=…)`, and acting in it is an error.
    dealer
        The seat that deals every hand; None draws it with the deal.
    observe
        False leaves `observation` and `action_mask` alone (search needs neither).
    copy
        True returns fresh arrays from every call; False the same ones, overwritten by the next call.
    out
        Arrays to write into instead of own ones: a mapping with any of the names of `Batch`.

    Raises
    ------
    ValueError, TypeError
        A parameter out of range, of the wrong type, or an array of the wrong shape or dtype.
    """

    def __init__(
        self, num_envs: int, rules: RuleSet | str | Mapping[str, Any] = "hunan", *, seed: int = 0, threads: int = 1,
        autoreset: Autoreset = "next_step", dealer: int | None = None, observe: bool = True, copy: bool = False,
        out: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:  # fmt: skip
        self.rules = rule_set(rules)
        self.num_envs = _whole("num_envs", num_envs, 1, 1 << 24)
        self.threads = _whole("threads", threads, 1, self.num_envs)
        if autoreset not in MODES:
            raise ValueError(f"autoreset = {autoreset!r}; allowed: {', '.join(MODES)}")
        self.autoreset: Autoreset = autoreset
        self._mode = MODES.index(autoreset)
        self._dealer = -1 if dealer is None else _whole("dealer", dealer, 0, self.rules.seats - 1)
        self._write = int(observe)
        self._copy = copy
        n = self.num_envs
        self._games = st.allocate(n, st.GAME)
        self._slots = st.allocate(n, batch.SLOT)
        self._evals = st.allocate(self.threads, st.EVAL)
        self._views = st.allocate(self.threads, st.VIEW)
        self._orders = np.zeros((self.threads, st.DECK), np.int8)
        self._arrays = _arrays(n, out or {})
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        bounds = [n * t // self.threads for t in range(self.threads + 1)]
        self._slices = list(itertools.pairwise(bounds))
        self._started = False
        self._seed = seed_word(seed)

    # --- playing ------------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, mask: NDArray[np.bool_] | None = None) -> Batch:
        """Deal a hand in every slot, or in those of `mask`.

        Without `mask` every slot begins with its hand 0 of `seed` (the constructor's, unless given). With it the
        chosen slots go on to their next hand, and the others stay as they are.
        """
        chosen = np.ones(self.num_envs, np.bool_) if mask is None else self._mask(mask)
        if mask is not None and not self._started:
            raise GameOverError("reset(mask=…) before the first reset()")
        if seed is not None:
            if mask is not None:
                raise ValueError("seed goes with a reset of all slots, not with mask")
            self._seed = seed_word(seed)
        if mask is None:
            self._slots["seed"] = self._seed
            self._slots["stream"] = np.arange(self.num_envs)
            self._slots["index"] = 0
            self._slots["dealer"] = self._dealer
            self._slots["skipped"] = 0
        else:
            self._slots["index"][chosen] += 1
        a = self._arrays
        self._started = True
        self._each(
            lambda t, lo, hi: batch.reset_slice(
                self._games, self._slots, lo, hi, self.rules.record, self._evals, self._views, self._orders, t, chosen,
                a.observation, a.action_mask, a.actor, a.reward, a.reward_since, a.done, self._write,
            )
        )  # fmt: skip
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
        if not self._started:
            raise GameOverError("step() before the first reset()")
        acts = self._actions(actions)
        bad = min((i for i in self._each(self._check, acts) if i >= 0), default=-1)
        if bad >= 0:
            self._refuse(bad, int(acts[bad]))
        a = self._arrays
        self._each(
            lambda t, lo, hi: batch.step_slice(
                self._games, self._slots, lo, hi, self.rules.record, self._evals, self._views, self._orders, t, acts,
                self._mode, a.observation, a.action_mask, a.actor, a.reward, a.reward_since, a.done, self._write,
            )
        )  # fmt: skip
        return self._result()

    def sample_actions(self, salt: int = 0, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """A uniformly random legal action for each row (0 where none is legal), keyed by seed, slot, hand and decision.

        The same position gives the same action again; another `salt` gives another one.
        """
        actions = np.zeros(self.num_envs, np.int64) if out is None else out
        word = seed_word(salt)
        self._each(lambda t, lo, hi: batch.sample_slice(self._games, self._slots, lo, hi, word, actions))
        return actions

    # --- looking ------------------------------------------------------------------------------------------------------

    @property
    def current(self) -> Batch:
        """What the last call returned."""
        return self._result()

    @property
    def skipped(self) -> int:
        """Hands since the last full reset that were over on the deal (rules 2.2) and so never shown."""
        return int(self._slots["skipped"].sum())

    @property
    def nbytes(self) -> int:
        """Bytes that the slots take, observations and all."""
        return int(
            self._games.nbytes + self._slots.nbytes + sum(getattr(self._arrays, f).nbytes for f in Batch.__slots__)
        )

    def game(self, row: int) -> Game:
        """A copy of the hand in a row, everything included (the referee's)."""
        array = st.allocate(1, st.GAME)
        array[0] = self._games[_whole("row", row, 0, self.num_envs - 1)]
        return Game(self.rules, array)

    def observe_seat(self, seats: NDArray[np.integer[Any]]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Observation and mask of any seat of each row, also of one that is not to act (its mask is zero)."""
        who = self._whole_array("seats", seats, -1, self.rules.seats - 1)
        obs = np.zeros((self.num_envs, NUM_PLANES, KINDS), np.int8)
        masks = np.zeros((self.num_envs, NUM_ACTIONS), np.int8)
        self._each(
            lambda t, lo, hi: batch.observe_slice(
                self._games, lo, hi, self.rules.record, self._views, t, who, obs, masks
            )
        )
        return obs, masks

    def perfect(self, out: NDArray[np.int8] | None = None) -> NDArray[np.int8]:
        """Everything that is hidden, for a critic: int8 (N, planes, 20) of `core.perfect`, seen from the seat to act.

        An actor's network must never get it.
        """
        shape = (self.num_envs, PERFECT_PLANES, KINDS)
        planes = np.zeros(shape, np.int8) if out is None else _checked("out", out, shape, np.dtype(np.int8))
        self._each(lambda t, lo, hi: perfect_slice(self._games, lo, hi, self.rules.record, planes))
        return planes

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
        room = _whole("room", room, 1, NUM_PLANES * KINDS)
        index = np.empty((self.num_envs, room), np.int16)
        value = np.empty((self.num_envs, room), np.int8)
        count = np.empty(self.num_envs, np.int16)
        obs = self._arrays.observation
        full = self._each(lambda t, lo, hi: batch.active_slice(obs, lo, hi, index, value, count))
        bad = min((i for i in full if i >= 0), default=-1)
        if bad >= 0:
            raise ValueError(f"room = {room} is too small for row {bad}; allowed: up to {NUM_PLANES * KINDS}")
        return index, value, count

    # --- keeping ------------------------------------------------------------------------------------------------------

    def snapshot(self, rows: NDArray[np.integer[Any]] | None = None) -> Snapshot:
        """The given rows (all by default) as they are now."""
        which = self._rows(rows)
        a = self._arrays
        return Snapshot(
            self.rules.hash, self._games[which].copy(), self._slots[which].copy(), a.done[which].copy(),
            a.reward[which].copy(), a.reward_since[which].copy(),
        )  # fmt: skip

    def restore(self, snapshot: Snapshot, rows: NDArray[np.integer[Any]] | None = None) -> Batch:
        """Put the hands of a snapshot into the given rows (all by default), in order, and write their decisions.

        Raises
        ------
        StateError
            The snapshot is of another rule set, or of another number of rows; nothing is changed.
        """
        which = self._rows(rows)
        if snapshot.rules_hash != self.rules.hash:
            raise StateError(f"snapshot of rule set {snapshot.rules_hash}; allowed: {self.rules.hash} ({self.rules})")
        if len(snapshot.games) != len(which):
            raise StateError(f"snapshot of {len(snapshot.games)} rows for {len(which)} rows")
        if len(np.unique(which)) != len(which):
            raise ValueError("rows name a row twice")
        self._games[which] = snapshot.games
        self._slots[which] = snapshot.slots
        a = self._arrays
        a.done[which] = snapshot.done
        a.reward[which] = snapshot.reward
        a.reward_since[which] = snapshot.reward_since
        a.actor[which] = self._games["actor"][which]
        self._started = True
        if self._write:
            seats = a.actor.astype(np.int64)
            self._each(
                lambda t, lo, hi: batch.observe_slice(
                    self._games, lo, hi, self.rules.record, self._views, t, seats, a.observation, a.action_mask
                )
            )
        return self._result()

    def close(self) -> None:
        """End the threads. The environment can't be stepped afterwards if it had several."""
        if self._pool is not None:
            self._pool.shutdown()

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # --- checking -----------------------------------------------------------------------------------------------------

    def _result(self) -> Batch:
        return self._arrays.copy() if self._copy else self._arrays

    def _each(self, work: Any, *args: Any) -> list[Any]:
        """Call `work(thread, lo, hi)` for each slice, in threads where there are several."""
        calls = [(t, lo, hi, *args) for t, (lo, hi) in enumerate(self._slices)]
        if self._pool is None:
            return [work(*call) for call in calls]
        return [f.result() for f in [self._pool.submit(work, *call) for call in calls]]

    def _check(self, thread: int, lo: int, hi: int, actions: NDArray[np.int64]) -> int:
        return int(batch.first_illegal(self._games, lo, hi, actions, self._mode))

    def _refuse(self, row: int, action: int) -> None:
        game = self.game(row)
        if game.over:
            raise GameOverError(f"row {row}: the hand is over; reset it first (reset(mask=…))")
        allowed = ", ".join(str(a) for a in game.legal_actions)
        raise IllegalActionError(f"row {row}: action {action} is not legal for seat {game.actor}; allowed: {allowed}")

    def _actions(self, actions: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,):
            raise ValueError(f"actions of shape {array.shape}; allowed: ({self.num_envs},)")
        if not np.issubdtype(array.dtype, np.integer):
            raise TypeError(f"actions of dtype {array.dtype}; allowed: whole numbers")
        return np.ascontiguousarray(array, np.int64)

    def _whole_array(self, name: str, values: NDArray[Any], low: int, high: int) -> NDArray[np.int64]:
        array = np.asarray(values)
        if array.shape != (self.num_envs,) or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(
                f"{name} of shape {array.shape}, dtype {array.dtype}; allowed: whole numbers ({self.num_envs},)"
            )
        wrong = np.flatnonzero((array < low) | (array > high))
        if wrong.size:
            raise ValueError(f"row {wrong[0]}: {name} {array[wrong[0]]}; allowed: {low} to {high}")
        return np.ascontiguousarray(array, np.int64)

    def _mask(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        array = np.asarray(mask)
        if array.shape != (self.num_envs,) or array.dtype != np.bool_:
            raise ValueError(f"mask of shape {array.shape}, dtype {array.dtype}; allowed: bool ({self.num_envs},)")
        if not array.any():
            raise ValueError("mask chooses no row; allowed: at least one True")
        return array

    def _rows(self, rows: NDArray[np.integer[Any]] | None) -> NDArray[np.int64]:
        if rows is None:
            return np.arange(self.num_envs)
        array = np.atleast_1d(np.asarray(rows))
        if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
            raise ValueError(f"rows of shape {array.shape}, dtype {array.dtype}; allowed: a list of row numbers")
        wrong = np.flatnonzero((array < 0) | (array >= self.num_envs))
        if wrong.size:
            raise ValueError(f"row {array[wrong[0]]}; allowed: 0 to {self.num_envs - 1}")
        return array.astype(np.int64)


def _whole(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} = {value!r}; allowed: a whole number from {low} to {high}")
    if not low <= value <= high:
        raise ValueError(f"{name} = {value!r}; allowed: a whole number from {low} to {high}")
    return int(value)


def _checked(name: str, array: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != dtype:
        have = f"shape {getattr(array, 'shape', None)}, dtype {getattr(array, 'dtype', None)}"
        raise ValueError(f"{name} of {have}; allowed: shape {shape}, dtype {dtype}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} is not a writable, contiguous array")
    return array


def _arrays(n: int, out: Mapping[str, NDArray[Any]]) -> Batch:
    kinds: dict[str, tuple[tuple[int, ...], type]] = {
        "observation": ((n, NUM_PLANES, KINDS), np.int8),
        "action_mask": ((n, NUM_ACTIONS), np.int8),
        "actor": ((n,), np.int8),
        "reward": ((n, st.SEATS), np.int32),
        "reward_since": ((n, st.SEATS), np.int32),
        "done": ((n,), np.bool_),
    }
    for name in out:
        if name not in kinds:
            raise ValueError(f"out has {name!r}; allowed: {', '.join(kinds)}")
    arrays = {}
    for name, (shape, dtype) in kinds.items():
        own = out.get(name)
        arrays[name] = (
            np.zeros(shape, dtype) if own is None else _checked(f"out[{name!r}]", own, shape, np.dtype(dtype))
        )
    return Batch(**arrays)
