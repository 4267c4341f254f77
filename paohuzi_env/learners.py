"""N tables, each with one learner and players in its other seats: what `paohuzi_env.single` is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from paohuzi_env.core import opponents as op
from paohuzi_env.core import state as st
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.batch import MOST_SKIPPED
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.core.view import view_game
from paohuzi_env.errors import MOST_WORDS, GameOverError, IllegalActionError, brief, shown
from paohuzi_env.game import Game
from paohuzi_env.rewards import checked_reward, shaped
from paohuzi_env.rules import rule_set, seed_word
from paohuzi_env.slots import Slots, flag, whole


@runtime_checkable
class BatchPolicy(Protocol):
    """A player of many positions at once."""

    def act(self, views: Any, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> Any:
        """An action for each of n positions.

        Parameters
        ----------
        views
            VIEW (n,): all that each seat to act may know (`core.state`), with its last 32 public events.
        observations
            int8 (n, planes, 20).
        masks
            int8 (n, 32), 1 where an action is legal.

        Returns
        -------
        n whole numbers, each legal.
        """
        ...  # pragma: no cover


SinglePolicy: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], Any]
"""``policy(observation, mask) -> action``, with the observation in the form that the learner gets."""
Opponent: TypeAlias = Literal["uniform"] | BatchPolicy | SinglePolicy
Seat: TypeAlias = int | Literal["random", "rotate"]
IllegalAction: TypeAlias = Literal["raise", "substitute", "forfeit"]

ILLEGAL_ACTIONS: Final[tuple[str, ...]] = get_args(IllegalAction)  # in the order of core.opponents
SEAT_CHOICES: Final = {"random": op.SEAT_RANDOM, "rotate": op.SEAT_ROTATES}


class Tables:
    """N tables with one learner each: what both environments are made of."""

    def __init__(
        self, count: int, rules: Any, opponents: Any, seat: Any, dealer: Any, reward: Any, reward_scale: Any,
        illegal_action: Any, flat: Any, observation_dtype: Any, threads: int,
    ) -> None:  # fmt: skip
        self.rules = rule_set(rules)
        self.count = count
        self.reward, self.scale = checked_reward(reward, reward_scale)
        self.policies = _policies(opponents, self.rules.seats)
        self._uniform = sum(1 << rel for rel, policy in self.policies.items() if isinstance(policy, str))
        self._seat_mode = _seat_mode(seat, self.rules.seats)
        if illegal_action not in ILLEGAL_ACTIONS:
            raise ValueError(f"illegal_action = {shown(illegal_action)}; allowed: {', '.join(ILLEGAL_ACTIONS)}")
        self._illegal_action = ILLEGAL_ACTIONS.index(illegal_action)
        if observation_dtype not in ("int8", "float32"):
            raise ValueError(f"observation_dtype = {shown(observation_dtype)}; allowed: int8, float32")
        shape = (NUM_PLANES * KINDS,) if flag("flat", flat) else (NUM_PLANES, KINDS)
        self.space = spaces.Box(0, 127, shape, np.dtype(observation_dtype).type)
        self._hands = Slots(self.rules, count, threads)
        self._hands.slots["dealer"] = -1 if dealer is None else whole("dealer", dealer, 0, self.rules.seats - 1)
        self._learners: Any = st.allocate(count, op.LEARNER)
        self._planes = np.zeros((count, NUM_PLANES, KINDS), np.int8)
        int8 = self.space.dtype == np.int8
        self._shared = self._planes if int8 else np.zeros(self._planes.shape, self.space.dtype)
        self._scores = np.zeros((count, st.SEATS), np.int32)
        self._illegal = np.zeros(count, np.bool_)
        self.masks = np.zeros((count, NUM_ACTIONS), np.int8)
        self.done = np.zeros(count, np.bool_)
        self.seeded = np.zeros(count, np.bool_)
        """Rows that have been dealt a hand."""
        self.broken = ""
        """Why no row can go on before all are dealt anew."""

    def seed(self, row: int, seed: int) -> None:
        """The next hand that is dealt in a row is number 0 of a seed."""
        slots = self._hands.slots
        slots["seed"][row] = seed_word(seed)
        slots["index"][row] = -1
        self.seeded[row] = True

    def deal(self, chosen: NDArray[np.bool_]) -> None:
        """Go on to the next hand in the chosen rows."""
        self._illegal[chosen] = False
        self._play(np.where(chosen, op.DEAL, op.HOLD))
        self._report(chosen)
        if self.done[chosen].any():
            raise RuntimeError(f"{MOST_SKIPPED} hands in a row asked the learner nothing: no game with {self.rules}")

    def step(self, actions: NDArray[np.int64], mode: int) -> None:
        """Apply the learner's action in every row; rows that were over are dealt anew in mode NEXT_STEP."""
        if self.broken:
            raise GameOverError(f"{self.broken}; reset first")
        commands = np.empty(self.count, np.int64)
        illegal = np.empty(self.count, np.bool_)
        h = self._hands
        bad = h.first(
            lambda _, lo, hi: op.command_slice(h.games, lo, hi, actions, mode, self._illegal_action, commands, illegal)
        )
        if bad >= 0:
            self._refuse(bad, int(actions[bad]))
        self._illegal = illegal
        self._play(commands)
        self._report(np.ones(self.count, np.bool_))

    def observations(self, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Fresh observations of the given rows, of all by default."""
        planes = self._planes if rows is None else self._planes[rows]
        return planes.astype(self.space.dtype).reshape(-1, *self.space.shape)

    def shared_observations(self) -> NDArray[Any]:
        """The observations of all rows, in an array that the next call overwrites."""
        if self._shared.dtype != np.int8:
            self._hands.each(lambda _, lo, hi: np.copyto(self._shared[lo:hi], self._planes[lo:hi]))
        return self._shared.reshape(-1, *self.space.shape)

    def rewards(self) -> NDArray[np.float64]:
        """The learner's rewards: of what ended in this step, else 0."""
        result = np.zeros(self.count)
        rows = np.flatnonzero(self.done)
        if rows.size:
            scores = self._scores[rows, : self.rules.seats]
            result[rows] = shaped(scores, self.reward, self.scale)[np.arange(len(rows)), self._learners["seat"][rows]]
        return result

    def infos(self) -> dict[str, NDArray[Any]]:
        """Fresh infos of all rows, a key an array."""
        me = self._learners
        return {
            "action_mask": self.masks.copy(),
            "seat": np.array(me["seat"], np.int64),
            "hand": np.array(self._hands.slots["index"], np.int64),
            "missed_hands": np.array(me["missed"], np.int64),
            "missed_score": np.array(me["missed_score"], np.int64),
            "illegal": self._illegal.copy(),
        }

    def game(self, row: int) -> Game:
        """A copy of the hand of a row."""
        return self._hands.game(row)

    def view(self, row: int) -> Any:
        """What the learner of a row may know: one VIEW."""
        views = st.allocate(1, st.VIEW)
        view_game(self._hands.games, row, self.rules.record, views, 0, int(self._learners["seat"][row]), st.HISTORY)
        return views[0]

    def close(self) -> None:
        """End the threads."""
        self._hands.close()

    # --- playing ------------------------------------------------------------------------------------------------------

    def _play(self, commands: NDArray[np.int64]) -> None:
        """Do what the commands say, with the policies outside, up to the learners' decisions."""
        self.broken = "a step was interrupted"  # until it has come through
        while self._play_on(commands):
            try:
                commands = self._answers()
            except Exception as error:
                self.broken = f"an opponent failed ({brief(str(error), MOST_WORDS)})"
                raise
        self.broken = ""

    def _play_on(self, commands: NDArray[np.int64]) -> int:
        h = self._hands
        return sum(
            h.each(
                lambda t, lo, hi: op.play_slice(
                    h.games, h.slots, self._learners, lo, hi, self.rules.record, h.evals, h.orders, t, commands,
                    self._seat_mode, self._uniform,
                )
            )
        )  # fmt: skip

    def _answers(self) -> NDArray[np.int64]:
        """The actions of the policies outside, for all seats that wait for one."""
        games = self._hands.games
        seats = self.rules.seats
        waiting = np.flatnonzero((games["phase"] != st.OVER) & (games["actor"] != self._learners["seat"]))
        relative = (games["actor"][waiting].astype(np.int64) - self._learners["seat"][waiting]) % seats
        commands = np.full(self.count, op.HOLD, np.int64)
        for policy in {id(policy): policy for policy in self.policies.values() if not isinstance(policy, str)}.values():
            mine = [rel for rel, other in self.policies.items() if other is policy]
            rows = waiting[np.isin(relative, mine)]
            if rows.size:
                commands[rows] = self._ask(policy, rows)
        return commands

    def _ask(self, policy: Any, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The answers of one policy, checked."""
        n = len(rows)
        views = st.allocate(n, st.VIEW)
        planes = np.zeros((n, NUM_PLANES, KINDS), np.int8)
        masks = np.zeros((n, NUM_ACTIONS), np.int8)
        op.look_rows(self._hands.games, rows, self.rules.record, views, planes, masks)
        legal = masks.astype(np.bool_)  # a policy may write into what it is given
        if isinstance(policy, BatchPolicy):
            answers = np.asarray(policy.act(views, planes, masks))
        else:
            seen = planes.astype(self.space.dtype).reshape(n, *self.space.shape)
            answers = np.asarray([policy(seen[j], masks[j]) for j in range(n)])
            answers = answers.reshape(n) if answers.size == n else answers  # arrays of one number are numbers
        if answers.shape != (n,) or not np.issubdtype(answers.dtype, np.integer):
            raise IllegalActionError(
                f"opponent {shown(policy)} answers shape {answers.shape}, dtype {answers.dtype}; "
                f"allowed: ({n},), whole numbers"
            )
        ok = (answers >= 0) & (answers < NUM_ACTIONS)
        ok[ok] = legal[np.flatnonzero(ok), answers[ok]]
        if not ok.all():
            j = int(np.flatnonzero(~ok)[0])
            who = f"the opponent in seat {self._hands.games['actor'][rows[j]]}"
            # Not what is legal there: the error reaches the learner's side, and that tells of the other's hand.
            raise IllegalActionError(f"row {rows[j]}: {who} answers {answers[j]}; not legal there")
        return answers.astype(np.int64)

    def _report(self, chosen: NDArray[np.bool_]) -> None:
        h = self._hands
        h.each(
            lambda t, lo, hi: op.report_slice(
                h.games, self._learners, lo, hi, self.rules.record, h.views, t, chosen, self._planes, self.masks,
                self.done, self._scores,
            )
        )  # fmt: skip

    def _refuse(self, row: int, action: int) -> None:
        game = self.game(row)
        where = f"row {row}: " if self.count > 1 else ""
        if game.over:
            raise GameOverError(f"{where}the hand is over; reset it first")
        allowed = ", ".join(map(str, game.legal_actions))
        raise IllegalActionError(f"{where}action {action} is not legal for seat {game.actor}; allowed: {allowed}")


# --- checks -----------------------------------------------------------------------------------------------------------


def _policies(opponents: Any, seats: int) -> dict[int, Any]:
    """The other seats' policies, by how many seats after the learner's they are."""
    each = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents] * (seats - 1)
    if len(each) != seats - 1:
        raise ValueError(f"{len(each)} opponents; allowed: one for all other seats, or {seats - 1}")
    for policy in each:
        known = policy == "uniform" if isinstance(policy, str) else callable(policy) or isinstance(policy, BatchPolicy)
        if not known or isinstance(policy, type):
            raise ValueError(
                f"opponent {shown(policy)}; allowed: 'uniform', a function of (observation, mask), "
                "an object with act()"
            )
    return dict(enumerate(each, 1))


def _seat_mode(seat: Any, seats: int) -> int:
    if isinstance(seat, str):
        if seat not in SEAT_CHOICES:
            raise ValueError(f"seat = {shown(seat)}; allowed: {', '.join(SEAT_CHOICES)}, 0 to {seats - 1}")
        return SEAT_CHOICES[seat]
    return whole("seat", seat, 0, seats - 1)
