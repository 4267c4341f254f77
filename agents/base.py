"""What a player is: views in, actions out, many positions in a call.

An agent sees VIEW records (`paohuzi_env.core.state`) and nothing else. It keeps no generator: every position comes with
a *word*, which whoever runs it makes from the agent's seed, the deal, the seating, the seat and the decision
(`decision_words`). So its play does not depend on the order of positions, on the batch or on a resumed run.

To write one, subclass

- `Agent`, for anything: `choose(views, words, hands)`;
- `PlaneAgent`, to be given observation planes and legal masks: `choose_planes(planes, masks, words)`;
- `CompiledAgent`, for a compiled policy, which search can play hands out with.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from paohuzi_env import __version__
from paohuzi_env.checks import whole
from paohuzi_env.core import state as st
from paohuzi_env.core._compile import entry
from paohuzi_env.core._sources import closure
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.log import FAULTS
from paohuzi_env.core.observe import NUM_PLANES, observe
from paohuzi_env.core.rng import key
from paohuzi_env.core.tiles import KINDS
from paohuzi_env.errors import PaohuziError, brief
from paohuzi_env.rules import RuleSet, rule_set, seed_word
from paohuzi_env.search import Choices, Policy, records

MOST_BATCH: Final = 1 << 30
RAISED: Final = (Exception, SystemExit, GeneratorExit)
"""What somebody's agent may raise without ending whoever runs it: anything but an interrupt."""
FAULT_OF: Final = {kind: -1 - number for number, kind in enumerate(FAULTS)}
"""What an agent answers instead of an action where the program behind it failed: a negative number for each fault."""


class Agent(ABC):
    """A player.

    Parameters
    ----------
    rules
        The rule set that it plays by.
    seed
        Goes into every word that it is given.

    Attributes
    ----------
    name : str
        What tables call it; `registry.make` sets it to the text that it was made from.
    """

    history: ClassVar[int] = 0
    """Public events that its views must carry, 0 to 32."""
    interactive: ClassVar[bool] = False
    """Whether somebody sits behind it, so that a tournament can't seat it."""
    batch: ClassVar[int] = 4096
    """Most positions that it likes to get in a call; 1 for one that answers each before it sees the next."""

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0) -> None:
        self.rules = rule_set(rules)
        self.seed = seed
        self.name = type(self).__name__.lower()
        self._asked = 0
        seed_word(seed)  # refuses what is no seed

    @abstractmethod
    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        """An action for each of n positions.

        Parameters
        ----------
        views
            VIEW (n,): each of the seat to act, `legal` a bit for each legal action.
        words
            uint64 (n,): where the random numbers of each decision come from.
        hands
            int64 (n,): a number for the hand that each position is of, and no other hand of the run.

        Returns
        -------
        int (n,)
            Legal actions. A negative number is the fault `FAULT_OF`; an illegal action is the fault "illegal".
        """

    def act(self, views: Any, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.integer[Any]]:
        """An action for each view, as opponents of `SingleSeat-v0` are asked: words count on from call to call."""
        n = len(views)
        first, self._asked = self._asked, self._asked + n
        index = np.arange(first, first + n)
        return self.choose(views, decision_words(self.seed, index, 0, views["seat"], 0), index)

    def ended(self, views: Any, hands: NDArray[np.int64]) -> None:  # noqa: B027 - most agents need no notice
        """Be told that hands have ended: VIEW (n,) of each seat that it had, and the hands' numbers.

        Whoever runs it may leave that out.
        """

    @property
    def policy(self) -> Policy | None:
        """A compiled policy that plays as it does, for rollouts; None where there is none."""
        return None

    @property
    def fingerprint(self) -> str:
        """A hash of its name, the package's version and the code it is made of (and its weights, where it has any)."""
        sources = closure(type(self).__module__)
        return hashlib.sha256(repr((self.name, self.seed, __version__, sources)).encode()).hexdigest()[:16]

    @property
    def failure(self) -> str:
        """Why it last answered with a fault of its own accord; empty where it never did."""
        return ""

    def close(self) -> None:  # noqa: B027 - most agents hold nothing
        """Let go of what it holds: programs, threads. It is not used afterwards."""

    def __repr__(self) -> str:
        return f"<agent {self.name}>"


class PlaneAgent(Agent):
    """An agent that looks at observation planes and legal masks."""

    @abstractmethod
    def choose_planes(
        self, planes: NDArray[np.int8], masks: NDArray[np.int8], words: NDArray[np.uint64]
    ) -> NDArray[np.integer[Any]]:
        """An action for each position: planes int8 (n, planes, 20), masks int8 (n, 32), words uint64 (n,)."""

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        planes = np.empty((len(views), NUM_PLANES, KINDS), np.int8)
        masks = np.empty((len(views), NUM_ACTIONS), np.int8)
        observe_views(records(views), self.rules.record, planes, masks)
        return self.choose_planes(planes, masks, words)


class CompiledAgent(Agent):
    """An agent that is a compiled policy."""

    def __init__(self, rules: RuleSet | str, policy: Policy, *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self._policy = policy
        self._choices = Choices(self.rules, policy)

    def choose(self, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        return self._choices(views, words)

    @property
    def policy(self) -> Policy:
        return self._policy


def refuse_unfit(agent: Agent) -> None:
    """Refuse an agent with attributes that nobody can run it by.

    Raises
    ------
    TypeError, ValueError
        Which one, its value and what is allowed.
    """
    missing = [name for name in ("rules", "seed", "name") if not hasattr(agent, name)]
    if missing:
        raise TypeError(f"it has no {', '.join(missing)}; needed: its __init__ calls that of Agent")
    whole("history", agent.history, 0, st.HISTORY)
    whole("batch", agent.batch, 1, MOST_BATCH)
    seed_word(agent.seed)


class Left(PaohuziError):  # noqa: N818 - it is no error
    """The person who plays has left the table."""


class _GarbageError(TypeError):
    """An answer that is no whole number for each position."""


def answers(
    agent: Agent, views: Any, words: NDArray[np.uint64], hands: NDArray[np.int64], note: Callable[[str], None]
) -> NDArray[np.int64]:
    """What an agent chooses, or the faults that it commits (`FAULT_OF`): whatever its code raises is one.

    Where it raises, each position is asked again by itself, so that a bad one is no fault of the others that were
    asked with it. `note` is told what was raised.

    Raises
    ------
    Left
        A person has left the table.
    """
    n = len(views)
    try:
        actions = _as_array(agent.choose(views, words, hands))
        if actions.shape != (n,) or not np.issubdtype(actions.dtype, np.integer):
            what = f"answers of shape {actions.shape}, dtype {actions.dtype}"
            raise _GarbageError(f"{what}; allowed: whole numbers ({n},)")
        if actions.dtype.kind == "u":  # great ones would turn negative, and pass for faults of other kinds
            actions = np.minimum(actions, NUM_ACTIONS)
        if agent.failure and (actions < 0).any():
            note(agent.failure)
        return np.ascontiguousarray(actions, np.int64)
    except Left:
        raise
    except RAISED as error:  # whatever an agent may raise: the others play on
        note(in_words(error))
        if n == 1:
            return np.full(1, FAULT_OF["garbage" if isinstance(error, _GarbageError) else "crash"], np.int64)
    pieces = [slice(i, i + 1) for i in range(n)]
    return np.concatenate([answers(agent, views[i], words[i], hands[i], note) for i in pieces])


def _as_array(chosen: Any) -> NDArray[Any]:
    try:
        return np.asarray(chosen)
    except RAISED as error:  # rows of several lengths; a list that only pretends to be one
        raise _GarbageError(f"answers of type {type(chosen).__name__}: {in_words(error)}") from error


def in_words(error: BaseException, most: int = 200) -> str:
    """What somebody's code has raised, for a message: kind and text in one line, whatever they hold."""
    try:
        text = str(error)
    except RAISED:
        text = ""
    text = " ".join("".join(char if char.isprintable() else " " for char in text[: 10 * most]).split())
    return brief(f"{type(error).__name__}: {text}" if text else type(error).__name__, most)


def decision_words(seed: int, deals: Any, seatings: Any, seats: Any, decisions: Any) -> NDArray[np.uint64]:
    """The words of decisions; each is a hash of the agent's seed, deal, seating, seat and the seat's count of them.

    Whole numbers or arrays of them, which are broadcast against each other; the shape is (n,).
    """
    parts = (np.atleast_1d(np.asarray(part, np.int64)) for part in (deals, seatings, seats, decisions))
    columns = np.ascontiguousarray(np.stack(np.broadcast_arrays(*parts)))
    words = np.empty(columns.shape[1], np.uint64)
    fill_words(seed_word(seed), columns, words)
    return words


@entry
def fill_words(seed: Any, columns: Any, words: Any) -> None:
    """`decision_words`: columns are deals, seatings, seats and decisions."""
    for i in range(len(words)):
        words[i] = key(key(seed, columns[1, i], columns[0, i]), columns[2, i], columns[3, i])


@entry
def observe_views(views: Any, rules: Any, planes: Any, masks: Any) -> None:
    """Observation and mask of each view."""
    for i in range(len(views)):
        observe(views[i], rules[0], planes[i], masks[i])


def one_view(view: Any) -> Any:
    """A VIEW record as an array of length one, as `choose` takes it."""
    views = st.allocate(1, st.VIEW)
    views[0] = view
    return views
