"""Agents by name: what a text makes, and what is said about a wrong one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import agents
from agents import network
from agents.base import decision_words
from agents.registry import names, naming, options_of
from paohuzi_env.game import Game


class Lowest(agents.PlaneAgent):
    """A third party's: the lowest legal action, or the highest."""

    def __init__(self, rules: Any, highest: bool = False, *, seed: int = 0) -> None:
        super().__init__(rules, seed=seed)
        self.highest = highest

    def choose_planes(
        self, planes: NDArray[np.int8], masks: NDArray[np.int8], words: NDArray[np.uint64]
    ) -> NDArray[np.integer[Any]]:
        return np.where(self.highest, 31 - masks[:, ::-1].argmax(axis=1), masks.argmax(axis=1))


def not_an_agent(rules: Any) -> int:
    return 5


def asked(agent: agents.Agent, game: Game) -> int:
    assert game.actor is not None
    return int(agent.choose(game.view(game.actor), decision_words(agent.seed, 0, 0, 0, 0), np.zeros(1, np.int64))[0])


@pytest.mark.parametrize("name", names())
def test_every_agent_that_is_listed_can_be_described(name: str) -> None:
    assert isinstance(options_of(name), dict)


def test_a_third_partys_agent_is_made_from_its_module_and_plays() -> None:
    game = Game.deal("hunan", 3)
    legal = game.legal_actions
    here = __name__
    assert asked(agents.make(f"{here}:Lowest"), game) == legal[0]
    assert asked(agents.make(f"{here}:Lowest:highest=true"), game) == legal[-1]
    assert asked(agents.make(f"{here}:Lowest:true"), game) == legal[-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nobody", "unknown agent 'nobody'; allowed: uniform"),
        ("no.such.module:Agent", "unknown agent 'no.such.module:Agent': No module named"),
        (f"{__name__}:Missing", "has no attribute 'Missing'"),
        (f"{__name__}:not_an_agent", "of type int; allowed: an Agent"),
        (f"{__name__}:np", "is no factory"),
        ("uniform:playouts=3", "unknown option 'playouts'; allowed: seed"),
        ("uniform:seed=x", "seed = 'x': Expected `int`, got `str`"),
        ("uniform:seed=1,seed=2", "option seed is given twice"),
        ("uniform:seed=-1", "seed"),
        ("x" * 10_000, "x…'"),
        ("", "unknown agent ''"),
        ("search:", "agent 'search:': nothing behind the colon; allowed: options, or no colon"),
        ('network:"a', "path = '\"a'"),
        (":", "unknown agent ':'"),
    ],
)
def test_a_text_that_names_no_agent_says_what_is_allowed(text: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(text)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_value_in_quotes_may_hold_anything(tmp_path: Path) -> None:
    path = tmp_path / 'a, "b" = c\\d.safetensors'
    path.write_bytes((network.SHIPPED / "hunan.safetensors").read_bytes())
    text = naming("network", path)
    assert text.startswith('network:"')
    made = agents.make(f"{text},temperature=0.5")
    assert made.fingerprint != agents.make("network").fingerprint  # of the temperature's name
    assert made.header.digest == agents.make("network").header.digest  # type: ignore[attr-defined]
    assert agents.make(f"network:path={text.partition(':')[2]}").name == f"network:path={text.partition(':')[2]}"
    assert naming("network", "runs/a/best.safetensors") == "network:runs/a/best.safetensors"


def test_what_is_no_text_names_no_agent() -> None:
    for text in (None, 1, b"greedy"):
        with pytest.raises(agents.AgentError, match="allowed: a text that names one"):
            agents.make(text)  # type: ignore[arg-type]


def test_words_depend_on_every_part_and_on_nothing_else() -> None:
    base = decision_words(1, 2, 0, 1, 5)
    assert base.dtype == np.uint64
    assert (base == decision_words(1, np.array([2]), [0], 1, 5)).all()
    others = [(2, 2, 0, 1, 5), (1, 3, 0, 1, 5), (1, 2, 1, 1, 5), (1, 2, 0, 2, 5), (1, 2, 0, 1, 6)]
    assert len({int(base[0]), *(int(decision_words(*other)[0]) for other in others)}) == 6


def test_the_seed_of_a_text_goes_before_the_callers() -> None:
    assert agents.make("uniform:seed=4", seed=9).seed == 4
    assert agents.make("uniform", seed=9).seed == 9
    assert agents.make("uniform").fingerprint != agents.make("uniform:seed=4").fingerprint


class Unfit(Lowest):
    """What it is set to at its class breaks whoever believes it."""


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("history", 33, "history = 33; allowed: 0 to 32"),
        ("history", -1, "history = -1"),
        ("history", "x", "history = 'x'"),
        ("batch", 0, "batch = 0; allowed: 1 to"),
        ("batch", 2.5, "batch = 2.5"),
    ],
)
def test_an_agent_that_nobody_can_run_is_refused(
    attribute: str, value: object, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Unfit, attribute, value)
    with pytest.raises(agents.AgentError, match=re.escape(message)):
        agents.make(f"{__name__}:Unfit")


class Incomplete(Lowest):
    def __init__(self, rules: Any, *, seed: int = 0) -> None:
        """Forgets that of Agent."""


def elsewhere(rules: Any, *, seed: int = 0) -> agents.Agent:
    return agents.make("uniform", "mini", seed=seed)


def leaves(rules: Any, *, seed: int = 0) -> agents.Agent:
    raise SystemExit(0)


def breaks(rules: Any, *, seed: int = 0) -> agents.Agent:
    raise KeyError("first\nsecond")


def unknown_option(rules: Any, *, seed: int = 0, x: Nowhere = 1) -> agents.Agent:  # type: ignore[name-defined]  # noqa: F821
    return Lowest(rules, seed=seed)


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("Incomplete", "it has no rules, seed; needed: its __init__ calls that of Agent"),
        ("elsewhere", "it plays by mini; needed: hunan"),
        ("leaves", "SystemExit: 0"),
        ("breaks", "KeyError: 'first\\nsecond'"),
        ("unknown_option:seed=1", "its factory's options can't be told: name 'Nowhere' is not defined"),
    ],
)
def test_whatever_a_third_partys_code_raises_is_an_agents_error(factory: str, message: str) -> None:
    with pytest.raises(agents.AgentError) as caught:
        agents.make(f"{__name__}:{factory}")
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["def x(:\n", "raise RuntimeError('no')\n", "raise SystemExit(0)\n"])
def test_a_module_that_cannot_be_imported_is_an_agents_error(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_players.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(agents.AgentError, match="unknown agent 'broken_players:X'"):
        agents.make("broken_players:X")
