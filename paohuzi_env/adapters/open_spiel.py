"""OpenSpiel: the game "paohuzi", for its agents, search and evaluation.

    import pyspiel
    from paohuzi_env.adapters import open_spiel

    game = pyspiel.load_game("paohuzi(rules=hunan,seed=7)")

A hand begins with one chance node, whose outcome k deals ``Game.deal(rules, seed, k)``: a state's history is k and the
players' actions, and replays to the same state. Forced moves are no actions. The observation tensor has the planes of
`core.observe`; an information state adds, as a digest, all that the player saw and did at its earlier decisions.

Importing this module registers the game with OpenSpiel, which must be installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pyspiel
from numpy.typing import NDArray

from paohuzi_env.core import state as st
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES, observe_game
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.game import Game
from paohuzi_env.rules import rule_set

NAME: Final = "paohuzi"
PARAMETERS: Final[dict[str, Any]] = {"rules": "hunan", "seed": 0, "deals": 10_000}
"""A rule set as `rule_set` takes it; the seed of the deals; and how many there are, all equally likely."""
MOST_DEALS: Final = 1_000_000
MOST_UTILITY: Final = 1e6
"""No settlement is larger, by the limits of rule sets."""

GAME_TYPE: Final = pyspiel.GameType(
    short_name=NAME,
    long_name="Paohuzi",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=st.SEATS,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=PARAMETERS,
)


class PaohuziGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """The game; made by ``pyspiel.load_game("paohuzi")``, with `PARAMETERS`.

    Raises
    ------
    ValueError, RuleError
        A parameter that is not allowed.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        given = PARAMETERS | dict(params or {})
        self.rules = rule_set(str(given["rules"]))
        self.seed, self.deals = int(given["seed"]), int(given["deals"])
        if not 1 <= self.deals <= MOST_DEALS:
            raise ValueError(f"deals = {self.deals}; allowed: 1 to {MOST_DEALS}")
        self.outcomes = [(k, 1.0 / self.deals) for k in range(self.deals)]
        info = pyspiel.GameInfo(
            num_distinct_actions=NUM_ACTIONS, max_chance_outcomes=self.deals, num_players=self.rules.seats,
            min_utility=-MOST_UTILITY, max_utility=MOST_UTILITY, utility_sum=0.0, max_game_length=st.LOG,
        )  # fmt: skip
        super().__init__(GAME_TYPE, info, dict(given))

    def new_initial_state(self) -> PaohuziState:
        """A hand that is not dealt yet."""
        return PaohuziState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Observer:
        """What writes observations; there are no parameters."""
        return Observer(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


class PaohuziState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A hand; `hand` is its `Game`, None until it is dealt."""

    def __init__(self, game: PaohuziGame) -> None:
        super().__init__(game)
        self.rules, self.seed, self.outcomes = game.rules, game.seed, _Shared(game.outcomes)
        self.hand: Game | None = None
        self.memory = [b""] * game.rules.seats
        """By player: a digest of what it saw and did at its decisions."""

    def current_player(self) -> Any:
        """The player to act, or what stands for chance or the end."""
        if self.hand is None:
            return pyspiel.PlayerId.CHANCE
        actor = self.hand.actor
        return pyspiel.PlayerId.TERMINAL if actor is None else actor

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The deals, all equally likely."""
        return self.outcomes.value

    def _legal_actions(self, player: int) -> list[int]:
        return self.hand.legal_actions if self.hand is not None and player == self.hand.actor else []

    def _apply_action(self, action: int) -> None:
        if self.hand is None:
            self.hand = Game.deal(self.rules, self.seed, int(action))
            return
        player = self.hand.actor
        if player is not None:
            self.memory[player] = self.remembered(player) + bytes([int(action)])
        self.hand.step(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"deal {action}"
        if self.hand is not None and player == self.hand.actor and action in self.hand.legal_actions:
            return self.hand.action_text(action)
        return f"action {action}"

    def is_terminal(self) -> bool:
        """Whether the hand is over."""
        return self.hand is not None and self.hand.over

    def returns(self) -> list[float]:
        """The settlement in base units; zeros before the end."""
        return [0.0] * self.rules.seats if self.hand is None else [float(score) for score in self.hand.scores]

    def __str__(self) -> str:
        return "not dealt" if self.hand is None else repr(self.hand)

    def planes(self, player: int) -> NDArray[np.int8]:
        """The player's observation: int8 (planes, 20), zeros before the deal."""
        planes = np.zeros((NUM_PLANES, KINDS), np.int8)
        if self.hand is not None:
            views, mask = st.allocate(1, st.VIEW), np.empty(NUM_ACTIONS, np.int8)
            observe_game(self.hand._array, 0, self.rules.record, views, player, planes, mask)
        return planes

    def remembered(self, player: int) -> bytes:
        """A digest of all that the player has seen and done at its decisions, and of what it sees now."""
        return hashlib.blake2b(self.memory[player] + self.planes(player).tobytes(), digest_size=16).digest()


class _Shared:
    """Something that copies of a state share: OpenSpiel copies states deeply, and thousands of times a second."""

    def __init__(self, value: list[tuple[int, float]]) -> None:
        self.value = value

    def __deepcopy__(self, memo: Any) -> _Shared:
        return self


class Observer:
    """Observations as OpenSpiel's `PyObserver`; see `make_observation` there.

    Attributes
    ----------
    tensor : float32, (planes * 20,)
    dict
        ``{"observation": float32 (planes, 20)}``, the same numbers.
    """

    def __init__(self, iig_obs_type: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"observation parameters {', '.join(params)}; allowed: none")
        self._recalls = bool(iig_obs_type.perfect_recall)
        self.tensor = np.zeros(NUM_PLANES * KINDS, np.float32)
        self.dict = {"observation": self.tensor.reshape(NUM_PLANES, KINDS)}

    def set_from(self, state: PaohuziState, player: int) -> None:
        """Write what the player sees."""
        self.dict["observation"][:] = state.planes(player)

    def string_from(self, state: PaohuziState, player: int) -> str:
        """What the player sees, as the planes' active entries; with perfect recall, a digest of all it has seen."""
        if self._recalls:
            return f"player {player}: {state.remembered(player).hex()}"
        flat = state.planes(player).reshape(-1)
        return f"player {player}: " + " ".join(f"{i}={flat[i]}" for i in np.flatnonzero(flat))


def resampler(seed: int = 0) -> Callable[[PaohuziState, int], PaohuziState]:
    """For `ISMCTSBot.set_resampler`: states that the player could be in, drawn as `Game.determinize` draws them.

    What the other players remember is left empty: it is no part of what the player knows. Their histories are those of
    the state that they were drawn from.
    """
    chance = np.random.default_rng(seed)

    def resample(state: PaohuziState, player: int) -> PaohuziState:
        sample: PaohuziState = state.clone()
        if state.hand is None:
            raise ValueError("a hand that is not dealt can't be drawn anew; allowed: a player's decision")
        sample.hand = state.hand.determinize(player, int(chance.integers(2**63)))
        sample.memory = [own if seat == player else b"" for seat, own in enumerate(state.memory)]
        return sample

    return resample


pyspiel.register_game(GAME_TYPE, PaohuziGame)
