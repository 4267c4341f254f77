"""OpenSpiel: its DQN in all seats, its information-set tree search, and its random bots, through the adapter.

A state's history is the number of the deal and the players' actions; each hand that ends is played again from it, on
`Game`, which refuses what is not legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import torch
from numpy.typing import NDArray
from open_spiel.python import rl_environment
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.pytorch.dqn import DQN

from consumers.harness import Options, Result, main, masked_argmax, require, strength
from paohuzi_env.adapters.open_spiel import PaohuziState, resampler
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.observe import NUM_PLANES
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.game import Game

PACKAGES = ("open_spiel",)
HANDS = 40


class Ledger:
    """Plays hands again that have ended."""

    def __init__(self) -> None:
        self.decisions = 0
        self.settlements: list[tuple[int, ...]] = []

    def check(self, state: PaohuziState) -> None:
        """The returns of a state that is over are the settlement of its history."""
        deal, *actions = state.history()
        game = Game.deal(state.rules, state.seed, deal)
        for action in actions:
            game.step(action)
        require(game.over and state.is_terminal(), "the hand is not over")
        require(sum(game.scores) == 0, f"settlement {game.scores} does not sum to zero")
        require(tuple(state.returns()) == game.scores, f"returns {state.returns()} are not {game.scores}")
        self.decisions += len(actions)
        self.settlements.append(game.scores)


def play_bots(game: Any, bots: list[Any], seed: int, ledger: Ledger) -> None:
    """One hand among OpenSpiel's bots."""
    chance = np.random.default_rng(seed)
    state = game.new_initial_state()
    state.apply_action(int(chance.integers(game.deals)))
    while not state.is_terminal():
        copy = game.deserialize_state(state.serialize())
        require(copy.returns() == state.returns() and str(copy) == str(state), "a state read back is another one")
        state.apply_action(bots[state.current_player()].step(state))
    ledger.check(state)


def play(options: Options) -> Result:
    np.random.seed(options.seed)  # noqa: NPY002  # OpenSpiel draws from it
    ledger = Ledger()
    game = pyspiel.load_game(f"paohuzi(rules=hunan,seed={options.seed})")
    env = rl_environment.Environment(game, observation_type=rl_environment.ObservationType.OBSERVATION)
    env.seed(options.seed)
    agents = [
        DQN(
            player, NUM_PLANES * KINDS, NUM_ACTIONS, hidden_layers_sizes=[256, 128], batch_size=128,
            replay_buffer_capacity=20_000, learning_rate=5e-4, learn_every=8, min_buffer_size_to_learn=500,
            update_target_network_every=500, weight_update_coeff=0.0, optimizer_str="adam", epsilon_start=0.3,
            epsilon_decay_duration=100_000, seed=options.seed + player,
        )
        for player in range(env.num_players)
    ]  # fmt: skip
    budget = options.budget()
    while budget.another():
        for _ in range(HANDS):
            step = env.reset()
            while not step.last():
                step = env.step([agents[step.observations["current_player"]].step(step).action])
            for agent in agents:
                agent.step(step)
            ledger.check(env.get_state)

    def random_bot(player: int) -> Any:
        return UniformRandomBot(player, np.random.RandomState(player))  # its form

    for seat in range(3):
        search = ISMCTSBot(
            game, RandomRolloutEvaluator(1, np.random.RandomState(seat)), 2.0, 20,  # its form
            random_state=np.random.RandomState(seat),  # its form
        )  # fmt: skip
        search.set_resampler(resampler(seat))
        play_bots(game, [search if player == seat else random_bot(player) for player in range(3)], seat, ledger)
    two = pyspiel.load_game("paohuzi(rules=mini)")
    pyspiel.random_sim_test(two, 2, True, False)  # its own test of games, with states written and read back
    for seed in range(20):
        play_bots(two, [random_bot(player) for player in range(2)], seed, ledger)

    result = Result(
        "the game `paohuzi` of `adapters.open_spiel`: DQN through `rl_environment`, `ISMCTSBot`, `UniformRandomBot`",
        updates=budget.done,
    )
    result.add(ledger)

    def act(observations: NDArray[np.int8], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        with torch.no_grad():
            values = agents[0]._q_network(torch.from_numpy(observations.reshape(len(observations), -1)).float())
        return masked_argmax(values.numpy(), legal)

    result.strength = strength(act, options.hands)
    return result


if __name__ == "__main__":
    main("open_spiel", PACKAGES, play, __doc__, updates=4)
