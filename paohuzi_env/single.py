"""One learner among other players, for Gymnasium: `SingleSeatEnv`, and N at once as `SingleSeatVectorEnv`.

    import gymnasium
    import paohuzi_env.single

    env = gymnasium.make("paohuzi/SingleSeat-v0", opponents=my_policy)
    envs = gymnasium.make_vec("paohuzi/SingleSeat-v0", num_envs=1024, threads=2)

An episode is one hand. It begins where the learner is asked for the first time, and each step brings it to its next
decision or to the hand's end; the others move in between. A hand that ends before the learner was asked anything is
no episode: the next one is dealt, and `info` counts it.

The k-th hand of a seed is dealt from a hash of (seed, 0, k), as `Game.deal(rules, seed, k)` does: reset with a seed
begins at k = 0, and without one goes on to the next hand. Slot i of the vector environment is `SingleSeatEnv` with seed
`seed + i`, to the last bit.

Infos have the same keys after every reset and step:

    action_mask    int8 (32,)  the learner's legal actions; zeros when the hand is over
    seat           its seat in this hand
    hand           the hand's number k
    missed_hands   hands just before this one in which it was not asked
    missed_score   its settlements in those, in base units
    illegal        whether the action of this step was not legal (and replaced, or forfeited the hand)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from paohuzi_env import registration
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.errors import GameOverError, shown
from paohuzi_env.game import Game
from paohuzi_env.learners import BatchPolicy, IllegalAction, Opponent, Seat, SinglePolicy, Tables
from paohuzi_env.rewards import DEFAULT_SCALE, Reward
from paohuzi_env.rules import RuleSet, seed_word
from paohuzi_env.slots import flag, row_mask, whole, whole_numbers

MODES: Final = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED)  # as in core.batch
RENDER_MODES: Final = ("ansi", "rgb_array")

registration.register()


class SingleSeatEnv(gymnasium.Env[NDArray[Any], Any]):
    """One learner, any players in the other seats; an episode is one hand.

    Parameters
    ----------
    rules
        A rule set, or what `rule_set` takes.
    opponents
        "uniform" (random legal moves, compiled), a function ``policy(observation, mask) -> action``, a `BatchPolicy`,
        or a list of them: the seat after the learner's, then the one after that.
    seat
        The learner's: a number, "random" (drawn with the hand) or "rotate" (hand k in seat k modulo the seats).
    dealer
        The seat that deals; None draws it with the hand.
    reward
        What the settlement is worth: "settlement", "scaled", "win", "signed_log" (`paohuzi_env.rewards`). It comes
        with the last step of the hand, whoever made the last move; other steps give 0.
    reward_scale
        Divisor of "scaled".
    illegal_action
        What an action that is a number and not legal does: "raise" an `IllegalActionError` that changes nothing,
        "substitute" the lowest legal one, or "forfeit" the hand (the learner pays 10 to each other seat).
    flat
        Observations of shape (planes * 20,) instead of (planes, 20).
    observation_dtype
        "int8" or "float32"; the numbers are the same.
    render_mode
        "ansi" (text) or "rgb_array" (image): the table as the learner sees it.

    Raises
    ------
    ValueError, TypeError
        A parameter out of range or of the wrong type.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # Gymnasium's

    def __init__(
        self, rules: RuleSet | str | Mapping[str, Any] = "hunan", *,
        opponents: Opponent | Sequence[Opponent] = "uniform", seat: Seat = "random", dealer: int | None = None,
        reward: Reward = "settlement",
        reward_scale: float = DEFAULT_SCALE, illegal_action: IllegalAction = "raise", flat: bool = False,
        observation_dtype: Literal["int8", "float32"] = "int8", render_mode: str | None = None,
    ) -> None:  # fmt: skip
        self.render_mode = _render_mode(render_mode)
        self._tables = Tables(
            1, rules, opponents, seat, dealer, reward, reward_scale, illegal_action, flat, observation_dtype, 1
        )
        self.observation_space = self._tables.space
        self.action_space = spaces.Discrete(NUM_ACTIONS)

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._tables.rules

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Deal hand 0 of `seed`, or without it the next hand, and play to the learner's first decision.

        The first reset without a seed draws one.
        """
        _check_options(options, ())
        super().reset(seed=seed)
        t = self._tables
        if seed is not None:
            t.seed(0, seed)
        elif not t.seeded[0]:
            t.seed(0, int(self.np_random.integers(2**63)))
        t.deal(np.ones(1, np.bool_))
        return t.observations()[0], self._info()

    def step(self, action: Any) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play the learner's action and all moves up to its next decision or the hand's end.

        Raises
        ------
        GameOverError
            The hand is over, or none has been dealt.
        IllegalActionError
            The action is not legal and `illegal_action` is "raise"; nothing has changed. Or an opponent's answer was
            not: then the hand can't go on.
        TypeError
            The action is no whole number.
        """
        t = self._tables
        if not t.seeded[0]:
            raise GameOverError("step() before the first reset()")
        number = np.asarray(action)
        if number.size != 1 or not np.issubdtype(number.dtype, np.integer):
            raise TypeError(f"action = {shown(action)}; allowed: a whole number from 0 to {NUM_ACTIONS - 1}")
        t.step(np.array([number.item()], np.int64), 2)
        return t.observations()[0], float(t.rewards()[0]), bool(t.done[0]), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The learner's legal actions, bool (32,), as sb3-contrib's maskable algorithms ask for them."""
        return np.array(self._tables.masks[0], np.bool_)

    def render(self) -> Any:
        """The table as the learner sees it, in the form of `render_mode`."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode; give one to the constructor")
            return None
        if not self._tables.seeded[0]:
            raise GameOverError("render() before the first reset()")
        from paohuzi_env import render

        table = render.Table.of_view(self._tables.view(0), self.rules)
        return render.ansi(table) if self.render_mode == "ansi" else render.rgb_array(table)

    def referee_game(self) -> Game:
        """A copy of the hand, everything included: nothing that a learner may see."""
        if not self._tables.seeded[0]:
            raise GameOverError("referee_game() before the first reset()")
        return self._tables.game(0)

    def _info(self) -> dict[str, Any]:
        infos = self._tables.infos()
        return {key: value[0] if value.ndim > 1 else value[0].item() for key, value in infos.items()}


class SingleSeatVectorEnv(VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """N single-seat environments in one call, in all of Gymnasium's modes of autoreset.

    Every parameter of `SingleSeatEnv` but `render_mode`, and

    Parameters
    ----------
    num_envs
        Number of slots N, from 1.
    autoreset_mode
        An `AutoresetMode` or its value: "NextStep", "SameStep", "Disabled".
    threads
        Threads that share the slots, 1 to N.
    copy
        True returns fresh observations; False the same array, overwritten by the next call.

    Attributes
    ----------
    metadata
        ``"autoreset_mode"`` is the enum's member.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, num_envs: int = 1, rules: RuleSet | str | Mapping[str, Any] = "hunan", *,
        opponents: Opponent | Sequence[Opponent] = "uniform", seat: Seat = "random", dealer: int | None = None,
        reward: Reward = "settlement", reward_scale: float = DEFAULT_SCALE, illegal_action: IllegalAction = "raise",
        flat: bool = False, observation_dtype: Literal["int8", "float32"] = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, threads: int = 1, copy: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_envs = whole("num_envs", num_envs, 1, 1 << 24)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            allowed = ", ".join(mode.value for mode in AutoresetMode)
            raise ValueError(f"autoreset_mode = {shown(autoreset_mode)}; allowed: {allowed}") from None
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._mode = MODES.index(self.autoreset_mode)
        self._copy = flag("copy", copy)
        self._tables = Tables(
            self.num_envs, rules, opponents, seat, dealer, reward, reward_scale, illegal_action, flat,
            observation_dtype, whole("threads", threads, 1, self.num_envs),
        )  # fmt: skip
        self.single_observation_space = self._tables.space
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = np.ones(self.num_envs, np.bool_)

    @property
    def rules(self) -> RuleSet:
        """The rule set."""
        return self._tables.rules

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Deal a hand in every row, or in those of ``options["reset_mask"]``, to the learner's first decision.

        Parameters
        ----------
        seed
            Row i begins at hand 0 of ``seed + i``, or of ``seed[i]``. Rows without one go on to their next hand; where
            they had none yet, they draw a seed.
        options
            ``{"reset_mask": …}`` with a bool array (N,) that has a True; it is not changed. Infos are then given for
            those rows alone.
        """
        _check_options(options, ("reset_mask",))
        n, t = self.num_envs, self._tables
        chosen = self._all
        if options and "reset_mask" in options:
            chosen = row_mask("options['reset_mask']", options["reset_mask"], n)
        if t.broken and not chosen.all():
            raise GameOverError(f"{t.broken}; reset all rows first")
        seeds = _row_seeds(seed, n)
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        for row in np.flatnonzero(chosen).tolist():
            own = seeds[row]
            if own is not None:
                t.seed(row, own)
            elif not t.seeded[row]:
                t.seed(row, int(self.np_random.integers(2**63)))
        t.deal(chosen)
        return self._observe(), _with_flags(t.infos(), chosen)

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Play the learners' actions, each up to its next decision or its hand's end.

        Raises
        ------
        GameOverError, IllegalActionError, TypeError, ValueError
            A row that is over (mode "Disabled") or never dealt; an action that is not legal, where `illegal_action` is
            "raise"; wrong shape or dtype. No row has changed. An opponent's illegal answer: then reset all.
        """
        t = self._tables
        if not t.seeded.all():
            raise GameOverError(f"row {int(np.flatnonzero(~t.seeded)[0])}: step() before the first reset()")
        t.step(whole_numbers("actions", actions, self.num_envs), self._mode)
        rewards, done = t.rewards(), t.done.copy()
        infos: dict[str, Any] = {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and done.any():
            final_obs = np.full(self.num_envs, None, object)
            rows = np.flatnonzero(done)
            for row, obs in zip(rows, t.observations(rows), strict=True):
                final_obs[row] = obs
            infos["final_obs"], infos["_final_obs"] = final_obs, done.copy()
            infos["final_info"], infos["_final_info"] = _with_flags(t.infos(), done), done.copy()
            t.deal(done)
        infos |= _with_flags(t.infos(), self._all)
        return self._observe(), rewards, done, np.zeros(self.num_envs, np.bool_), infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The learners' legal actions, bool (N, 32)."""
        return np.array(self._tables.masks, np.bool_)

    def referee_game(self, row: int) -> Game:
        """A copy of the hand in a row, everything included: nothing that a learner may see."""
        return self._tables.game(whole("row", row, 0, self.num_envs - 1))

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if "_tables" in self.__dict__:  # Gymnasium 1.2 closes what it deletes, also what was never made
            self._tables.close()

    def _observe(self) -> NDArray[Any]:
        return self._tables.observations() if self._copy else self._tables.shared_observations()


def _with_flags(infos: Mapping[str, NDArray[Any]], rows: NDArray[np.bool_]) -> dict[str, Any]:
    """Infos as Gymnasium's vector environments give them: zeros in rows without, and who has them in `_key`."""
    result: dict[str, Any] = {}
    for key, value in infos.items():
        value[~rows] = 0
        result[key], result[f"_{key}"] = value, rows.copy()
    return result


# --- checks -----------------------------------------------------------------------------------------------------------


def _render_mode(mode: Any) -> Any:
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode = {shown(mode)}; allowed: {', '.join(RENDER_MODES)}")
    return mode


def _check_options(options: Mapping[str, Any] | None, allowed: tuple[str, ...]) -> None:
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options = {shown(options)}; allowed: a mapping, or None")
    for name in options or ():
        if name not in allowed:
            raise ValueError(f"option {shown(name)} of reset; allowed: {', '.join(allowed) or 'none'}")


def _row_seeds(seed: Any, count: int) -> list[int | None]:
    """A seed, or None, for each row; all of them checked."""
    if seed is None:
        return [None] * count
    if isinstance(seed, (int, np.integer)):
        seed_word(seed)
        return [int(seed) + row for row in range(count)]
    seeds = list(seed)
    if len(seeds) != count:
        raise ValueError(f"{len(seeds)} seeds; allowed: one, or {count}")
    for one in seeds:
        if one is not None:
            seed_word(one)
    return seeds


__all__ = ["BatchPolicy", "Opponent", "SinglePolicy", "SingleSeatEnv", "SingleSeatVectorEnv"]
