"""The PettingZoo AEC environment: a hand, or a match of hands, as a turn-based game of agents.

    from paohuzi_env import paohuzi_v0
    env = paohuzi_v0.env(rules="hunan")

`PaohuziEnv` keeps the books of PettingZoo; the rules are the core's, who deals is `match`'s, what a settlement is worth
`rewards`'s. The hot path calls the core's entries on one GAME array; nothing of it is cached between calls.

The agents' side sees `observe`, `infos`, `view`, `event_log`, `render_seat` and the totals. What knows everything is
apart and named so: `state`, `render`, and the methods that begin with `referee_`.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, Literal, TypeAlias, get_args

import gymnasium
import numpy as np
import pettingzoo  # type: ignore[import-untyped]  # it ships no types
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # type: ignore[import-untyped]

from paohuzi_env.checks import action_number, one_of, truth, whole
from paohuzi_env.core import actions as ac
from paohuzi_env.core import deal, log, turn
from paohuzi_env.core import state as st
from paohuzi_env.core.batch import MOST_SKIPPED
from paohuzi_env.core.distance import progress_table
from paohuzi_env.core.features import FEATURE_PLANES, features_game
from paohuzi_env.core.observe import NUM_PLANES, observe_game
from paohuzi_env.core.perfect import PERFECT_PLANES, perfect_slice
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.core.view import public_events
from paohuzi_env.core.waits import WAITS
from paohuzi_env.errors import GameOverError, IllegalActionError, StateError, shown
from paohuzi_env.game import Game
from paohuzi_env.match import DRAWN_IN_A_ROW, Match, dealer_at
from paohuzi_env.record import Record, event_text, events_of, record_of, replay
from paohuzi_env.rewards import DEFAULT_SCALE, Reward, checked_reward, shaped
from paohuzi_env.rules import RuleSet, empty_evals, rule_set, seed_word
from paohuzi_env.saved import pack, unpack, write_bytes

Observation: TypeAlias = dict[str, NDArray[np.int8]] | NDArray[np.int8]
ObsMode = Literal["dict", "flat"]
Policy = Literal["raise", "substitute", "forfeit"]
RenderMode = Literal["human", "ansi", "rgb_array", "svg"]

HISTORY_COLUMNS: Final = ("seat", "verb", "kind", "shape")
"""Columns of `observation["history"]`: seat as the observer counts (0 itself, 1 next, 2 previous), place of the verb in
`core.log.VERBS`, kind (31 hidden), shape of a chi or bi. -1 where there is none."""
WALL_ROWS: Final = 2
STATE_PLANES: Final = NUM_PLANES + PERFECT_PLANES + WALL_ROWS
"""Rows of `state()`."""
INFO_KEYS: Final = (
    "seat", "hand", "dealer", "wall_left", "last_winner", "last_huxi", "last_fan", "last_base", "last_patterns",
)  # fmt: skip
"""Keys of an agent's info with `info_level=1`: its seat in the hand (-1 sits out), the hand's number in the match, its
dealer's seat, tiles left to draw; and of the hand that ended last in this episode the winner's seat (-1 none), huxi,
fan, base and pattern bits. All are whole numbers and public."""

_WITH_KIND: Final = np.array([v not in ("tianhu", "nodiscard") for v in log.VERBS])
_WITH_SHAPE: Final = np.array([v in ("chi", "bi") for v in log.VERBS])
_BITS: Final = np.arange(ac.NUM_ACTIONS)
_RESULT_FIELDS: Final = ("win_huxi", "fan", "base", "patterns")
_NO_RESULT: Final = (-1, 0, 0, 0, 0)
_SCRATCH: Final = ("_record", "_array", "_actor", "_legal", "_views", "_evals", "_order", "_events")
# What an episode is beside its GAME records, in the bytes of `get_state`.
_BOOKS: Final = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations",
    "_skip_agent_selection", "skipped", "_word", "_index", "_first_index", "_match", "_hand", "_players", "_seats",
    "_carried", "_last", "_finished",
)  # fmt: skip


class PaohuziEnv(pettingzoo.AECEnv):  # type: ignore[misc]  # untyped base
    """Paohuzi for PettingZoo, one agent acting at a time.

    Parameters
    ----------
    rules
        A rule set, or what `rule_set` takes: a preset's name, a mapping, JSON, a file.
    hands
        Hands of an episode. With more than one it is a match (rules 9): the winner deals the next hand, after a drawn
        one the same agent again, after three in a row the next.
    table
        Agents at the table; by default as many as play. 4 (where three play) adds one who sits out: the agent opposite
        the dealer is not selected in that hand, sees zeros, has an empty mask and is paid nothing.
    dealer
        The agent (by number) who deals the first hand; None draws it with the deal.
    obs
        "dict": ``{"observation": int8 (planes, 20), "action_mask": int8 (32,)}``. "flat": one int8 vector, and the
        mask in ``infos[agent]["action_mask"]``.
    features
        Add the derived planes of `core.features` after the others: waits, and the distance to a complete hand.
    history
        Last public events of the hand to add to the observation, 0 to 400: ``"history"``, int8 (history, 4), the
        latest last; with "flat" at the vector's end. See `HISTORY_COLUMNS`.
    reward
        What a settlement is worth (`paohuzi_env.rewards`). "settlement": base units, whole numbers whose sum is exactly
        0. "scaled": divided by `reward_scale`; sums to 0 but for rounding. "win": those who gain share 1, those who pay
        share -1; sums to 0. "signed_log": sign(x) ln(1 + |x|) for each seat by itself; its sum is not 0.
    reward_scale
        The divisor of "scaled".
    illegal_action
        What an action that is a number but not legal does. "raise": `IllegalActionError`, nothing changes.
        "substitute": the lowest legal action is played. "forfeit": the hand ends, the agent pays 10 to each other seat.
    info_level
        0: infos are empty (but for the mask of "flat"). 1: numbers, the same keys always; see `INFO_KEYS`.
    render_mode
        What `render` gives: "ansi" a text, "rgb_array" an image, "svg" a drawing's text; "human" prints the text after
        every step. None: nothing.

    Raises
    ------
    TypeError, ValueError
        An option that is unknown, or a value that is not allowed; the message says what is.

    Notes
    -----
    All agents terminate in the same step, the one that ends the last hand, and its rewards hold the settlement; then
    each makes its dead step. Nothing is ever truncated. A hand that is over on the deal (rules 2.2) has no decision:
    its settlement is paid with the next hand's first action, and an episode without any decision is dealt anew.

    `agent_selection` tells everybody which agent is asked, as PettingZoo needs it, though being asked is private (rules
    3.5); nothing that `observe` gives does. Policies must use the mask: PettingZoo's `average_total_reward`, which
    takes random actions without looking, plays illegal ones.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # PettingZoo's and Gymnasium's wrappers expect a plain dict
        "name": "paohuzi_v0",
        "render_modes": ["human", "ansi", "rgb_array", "svg"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, rules: RuleSet | str | Mapping[str, Any] = "hunan", *, hands: int = 1, table: int | None = None,
        dealer: int | None = None, obs: ObsMode = "dict", features: bool = False, history: int = 0,
        reward: Reward = "settlement", reward_scale: float = DEFAULT_SCALE, illegal_action: Policy = "raise",
        info_level: int = 0, render_mode: RenderMode | None = None, **unknown: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        if unknown:
            raise TypeError(f"unknown option {', '.join(sorted(unknown))}; allowed: {', '.join(OPTIONS)}")
        self.rules = rule_set(rules)
        seats = self.rules.seats
        self.hands = whole("hands", hands, 1, 10_000)
        self.table = seats if table is None else whole("table", table, seats, 4 if seats == 3 else seats)
        self.dealer = None if dealer is None else whole("dealer", dealer, 0, self.table - 1)
        self.obs = one_of("obs", obs, get_args(ObsMode))
        self.features = truth("features", features)
        self.history = whole("history", history, 0, st.LOG)
        self.reward, self.reward_scale = checked_reward(reward, reward_scale)
        self.illegal_action = one_of("illegal_action", illegal_action, get_args(Policy))
        self.info_level = whole("info_level", info_level, 0, 1)
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, get_args(RenderMode))

        self._planes = NUM_PLANES + (FEATURE_PLANES if self.features else 0)

        self.possible_agents = [f"player_{i}" for i in range(self.table)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._new_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(ac.NUM_ACTIONS) for agent in self.possible_agents}
        self.state_space = spaces.Box(-1, 127, (STATE_PLANES, KINDS), np.int8)
        self.skipped = 0
        self._word: np.uint64 | None = None
        self._index = 0
        self.agent_selection = self.possible_agents[0]
        self._match = self._new_match(0)
        self._seats: dict[str, int] = {}  # by agent; empty until the first reset
        self._players: list[str] = []  # by seat
        self._hand = 0
        self._first_index = 0
        self._carried: dict[str, float] | None = None  # of hands that were over on the deal, paid with the next action
        self._finished: list[tuple[bytes, list[int], list[int]]] = []  # GAME record, players by seat, totals after
        self._last = list(_NO_RESULT)
        self._writes_infos = self.info_level > 0 or self.obs == "flat"
        self._allocate()

    def _allocate(self) -> None:
        """The arrays that the core works on; not part of what is copied or saved."""
        self._record = self.rules.record
        self._array = st.allocate(1, st.GAME)
        self._actor, self._legal = self._array["actor"], self._array["legal"]
        self._views = st.allocate(1, st.VIEW)
        self._evals = empty_evals()
        self._order = np.zeros(st.DECK, np.int8)
        self._events = np.zeros(st.LOG, np.int16)

    def _new_space(self) -> spaces.Space[Any]:
        planes = spaces.Box(0, 127, (self._planes, KINDS), np.int8)
        events = spaces.Box(-1, 31, (self.history, len(HISTORY_COLUMNS)), np.int8)
        if self.obs == "flat":
            low = np.concatenate([planes.low.ravel(), events.low.ravel()])
            high = np.concatenate([planes.high.ravel(), events.high.ravel()])
            return spaces.Box(low, high, dtype=np.int8)
        parts: dict[str, spaces.Space[Any]] = {
            "observation": planes,
            "action_mask": spaces.Box(0, 1, (ac.NUM_ACTIONS,), np.int8),
        }
        return spaces.Dict(parts | ({"history": events} if self.history else {}))

    # --- PettingZoo ---------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The agent's observation space: the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's action space: the same object at each call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode.

        Parameters
        ----------
        seed
            Whole number from 0: the episode is then always the same, and so are those that later resets without a seed
            begin. Hand k after it is ``Game.deal(rules, seed, k)``. Without any seed one is taken from the system.
        options
            "dealer": the agent (by number) who deals the first hand. "record": a game record whose deal is the first
            hand; "game": a `Game` to go on from (it is copied). Other keys are ignored.

        Raises
        ------
        TypeError, ValueError
            A value that is not allowed (`RecordError` and `StateError` are ValueErrors). The episode is as it was.
        """
        word = None if seed is None else seed_word(seed)
        dealer, start = self._first_hand(options)
        if word is None and self._word is None:
            word = seed_word(seeding.np_random(None)[1])
        if word is not None:
            self._word, self._index = word, 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection: str | None = None
        self._begin(dealer, start)
        self._write_infos()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Apply the selected agent's action and go on to the next decision, forced moves included.

        A terminated agent's only action is None.

        Raises
        ------
        TypeError, ValueError
            No whole number; or not legal now, under ``illegal_action="raise"``. The environment is as it was.
        GameOverError
            Before the first reset, or after the last agent's dead step.
        """
        if not self.agents:
            raise GameOverError("no agent is left: call reset()" if self._seats else "step() before the first reset()")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if type(action) is not int:
            action = action_number(action)
        forfeits = False
        if not 0 <= action < ac.NUM_ACTIONS or not int(self._legal[0]) >> action & 1:
            action, forfeits = self._instead_of(action)
        self._cumulative_rewards[agent] = 0.0
        rewards = self.rewards
        for name in rewards:
            rewards[name] = 0.0
        pays = self._carried is not None
        if self._carried is not None:
            rewards.update(self._carried)
            self._carried = None
        if forfeits:
            turn.end_by_fault(self._array, 0, self._record, int(self._actor[0]), log.FAULTS.index("illegal"))
        else:
            turn.act(self._array, 0, self._record, self._evals, action)
        seat = int(self._actor[0])
        if seat >= 0:
            self.agent_selection = self._players[seat]
        else:
            pays = True
            self._settle(rewards)
            if not self._go_on(rewards):
                self.terminations = dict.fromkeys(self.terminations, True)
        if pays:
            self._accumulate_rewards()
            self._deads_step_first()
        if self._writes_infos:
            self._write_infos()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What the agent may know now, and what it may do: fresh arrays, at any time, for every possible agent."""
        seat = self._seat(agent)
        planes = np.empty((self._planes, KINDS), np.int8)
        mask = np.empty(ac.NUM_ACTIONS, np.int8)
        if seat >= 0:
            observe_game(self._array, 0, self._record, self._views, seat, planes, mask)
            if self.features:
                self._write_features(seat, planes[NUM_PLANES:])
        else:
            planes[:] = 0
            mask[:] = 0
        if self.obs == "flat":
            flat = planes.reshape(-1)
            return np.concatenate([flat, self._history(seat).reshape(-1)]) if self.history else flat
        if self.history:
            return {"observation": planes, "action_mask": mask, "history": self._history(seat)}
        return {"observation": planes, "action_mask": mask}

    def state(self) -> NDArray[np.int8]:
        """Everything, hidden tiles included: int8 (STATE_PLANES, 20), for a critic and never for an actor.

        The planes of `observe` for the seat to act (the dealer once the hand is over); then those of `core.perfect`
        for the same seat; then `WALL_ROWS` rows, read as one: 1 + the kind of each tile still to be drawn, in order.
        """
        self._need_reset()
        actor = int(self._actor[0])
        seat = actor if actor >= 0 else int(self._array["dealer"][0])
        out = np.zeros((STATE_PLANES, KINDS), np.int8)
        observe_game(
            self._array, 0, self._record, self._views, seat, out[:NUM_PLANES], np.empty(ac.NUM_ACTIONS, np.int8)
        )
        perfect_slice(self._array, 0, 1, self._record, out[None, NUM_PLANES:-WALL_ROWS])
        g = self._array[0]
        wall = g["wall"][int(g["wall_next"]) : int(g["wall_end"])]
        out[-WALL_ROWS:].reshape(-1)[: len(wall)] = wall + 1
        return out

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table with all hands open, by `render_mode`: the referee's view, never a player's."""
        if self.render_mode is None:
            gymnasium.logger.warn('render() without a render_mode; make the environment with render_mode="ansi", say')
            return None
        self._need_reset()
        from paohuzi_env.render import Table

        return _drawn(Table.of_game(self._game(), names=self._players), self.render_mode)

    def close(self) -> None:
        """Nothing to release; the environment can still be reset."""

    # --- a player's side ----------------------------------------------------------------------------------------------

    def view(self, agent: str, history: int = st.HISTORY) -> Any:
        """The agent's VIEW (`core.state.VIEW`), a fresh array of one record, with its last `history` public events.

        It is what players and `Game.from_view` take.

        Raises
        ------
        ValueError
            The agent sits this hand out, or `history` is not from 0 to 32.
        """
        seat = self._seat(agent)
        if seat < 0:
            raise ValueError(f"{agent} sits this hand out: it has no view")
        return self._game().view(seat, whole("history", history, 0, st.HISTORY))

    def event_log(self, agent: str) -> list[str]:
        """The public events of the hand as game records write them; another seat's wei is ``"1 wei ???"``.

        Passes are private and left out, the agent's own too. Seats are those of the hand.
        """
        codes = self._public_events(self._seat(agent))
        return [event_text(code) for code in codes.tolist()]

    def legal_actions(self, agent: str) -> list[int]:
        """The agent's legal actions, ascending; empty if it is not to act."""
        bits = int(self._legal[0]) if self._seat(agent) == int(self._actor[0]) >= 0 else 0
        return [a for a in range(ac.NUM_ACTIONS) if bits >> a & 1]

    def action_text(self, action: int) -> str:
        """A legal action of the selected agent in words: ``"discard f"``, ``"chi abc"``, ``"pass hu"``."""
        self._need_reset()
        return self._game().action_text(action_number(action))

    def render_seat(self, agent: str, mode: RenderMode | None = None) -> str | NDArray[np.uint8] | None:
        """The table as the agent sees it; `mode` is `render_mode`, or "ansi" without one."""
        from paohuzi_env.render import Table

        mode = one_of("mode", mode or self.render_mode or "ansi", get_args(RenderMode))
        return _drawn(Table.of_view(self.view(agent)[0], self.rules, names=self._players), mode)

    def seat_of(self, agent: str) -> int:
        """The agent's seat in this hand, or -1 if it sits out."""
        return self._seat(agent)

    @property
    def hand(self) -> int:
        """The number of the hand in the match, from 0."""
        return self._hand

    @property
    def totals(self) -> dict[str, int]:
        """The settlements of the episode so far, in base units, whatever the rewards are. They sum to zero."""
        return dict(zip(self.possible_agents, self._match.totals, strict=True))

    # --- the referee's side -------------------------------------------------------------------------------------------

    def referee_game(self) -> Game:
        """A copy of the hand, everything included; of the last one when the episode is over."""
        self._need_reset()
        return self._game().clone()

    def referee_log(self) -> list[str]:
        """All events of the hand, hidden kinds and passes included, as game records write them."""
        self._need_reset()
        return events_of(self._game())

    def referee_records(self) -> list[Record]:
        """The records of the episode's finished hands, those of a match with what they are in it."""
        self._need_reset()
        records = []
        for number, (data, players, totals) in enumerate(self._finished):
            match = {"id": self._first_index, "hand": number, "seats": players, "totals": totals}
            is_match = self.hands > 1 or self.table > self.rules.seats
            array = st.allocate(1, st.GAME)
            write_bytes(array, data)
            records.append(record_of(Game(self.rules, array), match=match if is_match else None))
        return records

    # --- copying and saving -------------------------------------------------------------------------------------------

    def clone(self) -> PaohuziEnv:
        """An independent copy that goes on exactly as this one would."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in _SCRATCH}
        state["game"] = self._array.tobytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        game = state.pop("game")
        self.__dict__.update(state)
        self._allocate()
        write_bytes(self._array, game)

    def get_state(self) -> bytes:
        """The episode as bytes, the stream of deals included; not the options, spaces and infos.

        Raises
        ------
        GameOverError
            Before the first reset.
        """
        self._need_reset()
        books = {name: getattr(self, name) for name in _BOOKS}
        books["_word"] = int(books["_word"])
        books["_match"] = asdict(self._match)
        books["_finished"] = [(players, totals) for _, players, totals in self._finished]
        return pack(self.rules, books, [self._array.tobytes(), *(data for data, _, _ in self._finished)])

    def set_state(self, data: bytes) -> None:
        """Take back what `get_state` gave, here or in another environment of the same rule set, hands and table.

        PettingZoo's `OrderEnforcingWrapper` does not notice: behind it call `reset` once before.

        Raises
        ------
        StateError
            The bytes are none of an episode, damaged, of another version, rule set or kind of match. Nothing changes.
        """
        books, games = unpack(self.rules, data)
        hands, table = books["_match"]["hands"], books["_match"]["table"]
        if (hands, table) != (self.hands, self.table):
            raise StateError(f"saved episode of {hands} hands, table of {table}; allowed: {self.hands}, {self.table}")
        books["_word"] = np.uint64(books["_word"])
        books["_match"] = Match(**books["_match"])
        books["_finished"] = [(games[i : i + 1].tobytes(), *entry) for i, entry in enumerate(books["_finished"], 1)]
        for name in _BOOKS:
            setattr(self, name, books[name])
        self._array[0] = games[0]
        self._write_infos()

    # --- hands --------------------------------------------------------------------------------------------------------

    def _first_hand(self, options: Mapping[str, Any] | None) -> tuple[int | None, Game | None]:
        """The first dealer and the given first hand that the options of a reset ask for; checked, nothing changed."""
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options of type {type(options).__name__}; allowed: a mapping, or None")
        wanted = options or {}
        dealer = wanted.get("dealer", self.dealer)
        if dealer is not None:
            dealer = whole("dealer", dealer, 0, self.table - 1)
        record, game = wanted.get("record"), wanted.get("game")
        if record is None and game is None:
            return dealer, None
        if record is not None and game is not None:
            raise ValueError("options have a record and a game; allowed: one of them")
        if record is not None:
            if not isinstance(record, Mapping):
                raise TypeError(f"record of type {type(record).__name__}; allowed: a mapping, as `record_of` gives")
            game = replay(record).deal()
        if not isinstance(game, Game):
            raise TypeError(f"game of type {type(game).__name__}; allowed: a Game")
        if game.rules != self.rules:
            raise StateError(f"a hand of rule set {game.rules.hash} ({game.rules}); allowed: {self.rules.hash}")
        if game.over:
            raise ValueError("the given hand is over: it has no decision")
        seat = int(game.record["dealer"])
        if wanted.get("dealer") is None:
            dealer = dealer_at(seat, self.table, self.rules.seats)
        elif self._new_match(dealer or 0).dealer_seat != seat:
            raise ValueError(f"dealer = {dealer} contradicts the given hand, where seat {seat} deals")
        return dealer, game

    def _new_match(self, dealer: int) -> Match:
        return Match(self.hands, self.table, self.rules.seats, dealer)

    def _begin(self, dealer: int | None, start: Game | None) -> None:
        """Deal until a seat has to decide; an episode that is over before that is skipped."""
        self.skipped = 0
        while True:
            self._first_index = self._index
            self._finished = []
            self._last = list(_NO_RESULT)
            carried = dict.fromkeys(self.possible_agents, 0.0)
            self._deal_first(dealer, start)
            if int(self._actor[0]) >= 0:
                self._carried = None
                return
            self._settle(carried)
            if self._go_on(carried):
                self._carried = carried
                return
            self.skipped += 1
            if self.skipped == MOST_SKIPPED:
                raise RuntimeError(f"{MOST_SKIPPED} hands in a row were over on the deal: no game with {self.rules}")

    def _deal_first(self, dealer: int | None, start: Game | None) -> None:
        """Put the first hand of a match on the table."""
        if dealer is None and self.table > self.rules.seats:
            key = f"first dealer of hand {self._index} under {self._word}"
            dealer = hashlib.sha256(key.encode()).digest()[0] % self.table  # 256 is a multiple of 4: no bias
        self._match = self._new_match(0 if dealer is None else dealer)
        if start is not None:
            self._array[0] = start._array[0]
            drawn = int(start.record["drawn_before"])
            self._match.drawn_before, self._match.drawn_in_a_row = drawn, drawn % DRAWN_IN_A_ROW
        else:
            self._deal(None if dealer is None else self._match.dealer_seat)
            if dealer is None:
                self._match.dealer = int(self._array["dealer"][0])
        self._sit_down()

    def _deal(self, dealer_seat: int | None) -> None:
        """Deal the stream's next hand and play to its first decision."""
        seat = -1 if dealer_seat is None else dealer_seat
        drawn = self._match.drawn_before
        deal.deal_key(self._array, 0, self._record, self._evals, self._order, self._word, 0, self._index, seat, drawn)
        self._index += 1

    def _sit_down(self) -> None:
        """Who has which seat in the hand on the table, and who acts first."""
        players = self._match.players
        self._hand = self._match.hand
        self._players = [self.possible_agents[p] for p in players]
        self._seats = {agent: players.index(p) if p in players else -1 for p, agent in enumerate(self.possible_agents)}
        actor = int(self._actor[0])
        self.agent_selection = self._players[max(actor, 0)]

    def _settle(self, rewards: dict[str, float]) -> None:
        """Enter the hand that is over and add what it is worth to `rewards`."""
        g = self._array[0]
        scores = g["scores"][: self.rules.seats].tolist()
        winner = int(g["winner"]) if g["winner"] >= 0 else None
        fault = int(g["fault_seat"]) if g["fault_seat"] >= 0 else None
        for agent, reward in zip(self._players, shaped(scores, self.reward, self.reward_scale).tolist(), strict=True):
            rewards[agent] += reward
        players = list(self._match.players)
        self._match.settle(scores, winner, drawn=winner is None and fault is None)
        self._finished.append((self._array.tobytes(), players, self._match.totals[:]))
        self._last = [-1 if winner is None else winner, *(int(g[name]) for name in _RESULT_FIELDS)]

    def _go_on(self, rewards: dict[str, float]) -> bool:
        """Deal the match's next hands until a seat has to decide; False when the match is over."""
        while not self._match.over:
            self._deal(self._match.dealer_seat)
            self._sit_down()
            if int(self._actor[0]) >= 0:
                return True
            self._settle(rewards)
        return False

    # --- small things -------------------------------------------------------------------------------------------------

    def _need_reset(self) -> None:
        if not self._seats:
            raise GameOverError("before the first reset() there is no hand")

    def _game(self) -> Game:
        """The hand as a Game that shares the array: to look at only."""
        return Game(self.rules, self._array)

    def _seat(self, agent: str) -> int:
        try:
            return self._seats[agent]
        except KeyError:
            self._need_reset()
            raise ValueError(f"unknown agent {shown(agent)}; allowed: {', '.join(self.possible_agents)}") from None

    def _instead_of(self, action: int) -> tuple[int, bool]:
        """What an illegal action does: an action to play, or a forfeit."""
        legal = self.legal_actions(self.agent_selection)
        if self.illegal_action == "substitute":
            return legal[0], False
        if self.illegal_action == "forfeit":
            return action, True
        allowed = ", ".join(f"{a} ({self.action_text(a)})" for a in legal)
        raise IllegalActionError(f"action {shown(action)} is not legal for {self.agent_selection}; allowed: {allowed}")

    def _public_events(self, seat: int) -> NDArray[np.int16]:
        return self._events[: public_events(self._array, 0, seat, self._events)]

    def _history(self, seat: int) -> NDArray[np.int8]:
        """The last public events as rows of numbers (`HISTORY_COLUMNS`), for a seat that plays."""
        out = np.full((self.history, len(HISTORY_COLUMNS)), -1, np.int8)
        codes = self._public_events(seat)[-self.history :] if seat >= 0 else self._events[:0]
        if len(codes):
            verb, rows = codes >> 2 & 31, out[-len(codes) :]
            rows[:, 0] = ((codes & 3) - seat) % self.rules.seats
            rows[:, 1] = verb
            rows[:, 2] = np.where(_WITH_KIND[verb], codes >> 7 & 31, -1)
            rows[:, 3] = np.where(_WITH_SHAPE[verb], codes >> 12 & 7, -1)
        return out

    def _write_features(self, seat: int, out: NDArray[np.int8]) -> None:
        scratch, waits = st.allocate(1, st.GAME), st.allocate(1, WAITS)
        features_game(
            self._array, 0, self._record, self._views, self._evals, scratch, waits, progress_table(), seat, out
        )

    def _write_infos(self) -> None:
        """A fresh info for each agent that is left."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if not self._writes_infos:
            return
        g = self._array[0]
        wall, actor, bits = int(g["wall_end"]) - int(g["wall_next"]), int(self._actor[0]), int(self._legal[0])
        for agent, info in self.infos.items():
            seat = self._seats[agent]
            if self.info_level:
                values = (seat, self._hand, int(g["dealer"]), wall, *self._last)
                info.update(zip(INFO_KEYS, values, strict=True))
            if self.obs == "flat":
                info["action_mask"] = ((bits if seat == actor >= 0 else 0) >> _BITS & 1).astype(np.int8)


OPTIONS: Final = tuple(inspect.signature(PaohuziEnv.__init__).parameters)[1:-1]
"""The options of the environment, in order."""


def raw_env(*args: Any, **options: Any) -> PaohuziEnv:
    """The environment itself; the options are those of `PaohuziEnv`."""
    return PaohuziEnv(*args, **options)


def env(*args: Any, **options: Any) -> Any:
    """The environment in PettingZoo's `OrderEnforcingWrapper`; the options are those of `PaohuziEnv`.

    Illegal actions are the environment's own matter (`illegal_action`), so no other wrapper is put around it.
    """
    return OrderEnforcingWrapper(PaohuziEnv(*args, **options))


def _drawn(table: Any, mode: str) -> str | NDArray[np.uint8] | None:
    """A table of `paohuzi_env.render` by mode."""
    from paohuzi_env import render

    if mode == "rgb_array":
        image: NDArray[np.uint8] = render.rgb_array(table)
        return image
    text: str = render.svg(table) if mode == "svg" else render.ansi(table)
    if mode == "human":
        print(text)
        return None
    return text
