"""Agents by name: `make("search:playouts=200")`.

NAME                  one of `names()`
NAME:VALUE,KEY=VALUE  with options; one without a key is the agent's first. A value with a comma or = stands in quotes,
                      as in JSON: NAME:"VALUE, AND MORE"
external:COMMAND      all that follows is the command line of a program
external[KEY=VALUE,…]:COMMAND
MODULE:FACTORY        a third party's: FACTORY(rules, *, seed=0, …) -> Agent, from a module that can be imported
MODULE:FACTORY:KEY=VALUE,…
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, get_type_hints

import msgspec

from agents.base import RAISED, Agent, in_words, refuse_unfit
from paohuzi_env.errors import PaohuziError
from paohuzi_env.rules import RuleSet, rule_set

HOMES: Final[Mapping[str, str]] = {
    "uniform": "agents.uniform:Uniform",
    "greedy": "agents.greedy:Greedy",
    "heuristic": "agents.heuristic:Heuristic",
    "light": "agents.light:Light",
    "search": "agents.search:Search",
    "network": "agents.network:Network",
    "external": "agents.external:External",
    "human": "agents.human:Human",
}
"""Name -> module:factory."""
VERBATIM: Final = frozenset({"external"})
"""Agents whose first option is all of the text behind the colon; others stand in brackets before it."""
_BRACKETED: Final = re.compile(rf"({'|'.join(VERBATIM)})\[([^]]*)\](?::(.*))?", re.DOTALL)


class AgentError(PaohuziError, ValueError):
    """A text that names no agent, or an option that it does not have."""

_SPLIT: Final = re.compile(r'(?:^|(?<=,))((?:[^,"=]*=)?"(?:[^"\\]|\\.)*"(?=,|$)|[^,]*)')
"""The options in a text, apart at commas that stand in no quotes."""


def names() -> list[str]:
    """The agents that come with the project."""
    return list(HOMES)


def make(text: str, rules: RuleSet | str = "hunan", *, seed: int | None = None) -> Agent:
    """The agent that a text names; see the module's first lines.

    Parameters
    ----------
    text
        Such as "uniform", "search:playouts=200", "my_module:MyAgent".
    rules
        The rule set that it is to play by.
    seed
        The agent's seed, if the text does not say one.

    Raises
    ------
    AgentError
        No agent is called so, it has no such option, an option's value is of the wrong type, or its code raises.
    """
    if not isinstance(text, str):
        raise AgentError(f"agent of type {type(text).__name__}; allowed: a text that names one")
    chosen = rule_set(rules)
    bracketed = _BRACKETED.fullmatch(text)
    factory, rest = _factory(text if bracketed is None else f"{bracketed[1]}:{bracketed[3] or ''}")
    verbatim = text.partition(":")[0] in VERBATIM or bracketed is not None
    if verbatim:
        options = _options(text, factory, bracketed[2] if bracketed else "", skip=1)
        options[_parameters(factory)[0].name] = rest
    else:
        options = _options(text, factory, rest)
    if seed is not None:
        options.setdefault("seed", seed)
    try:
        agent = factory(chosen, **options)
        if not isinstance(agent, Agent):
            raise TypeError(f"it is of type {type(agent).__name__}; allowed: an Agent")
        agent.name = text
        refuse_unfit(agent)
        if agent.rules != chosen:
            raise ValueError(f"it plays by {agent.rules}; needed: {chosen}")
    except (PaohuziError, OSError):
        raise
    except RAISED as error:  # whatever somebody's code may raise
        expected = isinstance(error, TypeError | ValueError)
        raise AgentError(f"agent {shortened(text)}: {error if expected else in_words(error)}") from error
    return agent


def options_of(name: str) -> dict[str, Any]:
    """The options of a named agent with their defaults."""
    factory, _ = _factory(name)
    return {
        option: parameter.default
        for option, parameter in list(inspect.signature(factory).parameters.items())[1:]
        if option != "seed"
    }


def factory_of(name: str) -> Callable[..., Agent]:
    """What makes a named agent: its first lines say what it is."""
    return _factory(name)[0]


def _factory(text: str) -> tuple[Callable[..., Agent], str]:
    """The factory that a text begins with, and the text of its options."""
    head, colon, rest = text.partition(":")
    if head in HOMES:
        module, _, name = HOMES[head].partition(":")
        factory: Callable[..., Agent] = getattr(importlib.import_module(module), name)
        return factory, rest
    if not colon:
        raise AgentError(f"unknown agent {shortened(text)}; allowed: {', '.join(HOMES)}, MODULE:FACTORY")
    name, _, rest = rest.partition(":")
    try:
        found = getattr(importlib.import_module(head), name)
    except RAISED as error:  # its module may raise whatever it likes
        expected = isinstance(error, ImportError | AttributeError | ValueError)
        raise AgentError(
            f"unknown agent {shortened(text)}: {error if expected else in_words(error)}; "
            f"allowed: {', '.join(HOMES)}, MODULE:FACTORY"
        ) from error
    if not callable(found):
        raise AgentError(f"agent {shortened(text)}: {name} of {head} is no factory; allowed: a class or a function")
    return found, rest


def _parameters(factory: Callable[..., Agent]) -> list[inspect.Parameter]:
    """The parameters of a factory that are options: all but the rules."""
    return list(inspect.signature(factory).parameters.values())[1:]


def _options(text: str, factory: Callable[..., Agent], rest: str, skip: int = 0) -> dict[str, Any]:
    """The options in a text, each of the type that the factory's signature says; the first `skip` stand elsewhere."""
    try:
        parameters = _parameters(factory)[skip:]
        types = get_type_hints(factory.__init__ if inspect.isclass(factory) else factory)
    except (NameError, TypeError, ValueError) as error:  # a builtin; an annotation of what is not there
        raise AgentError(f"agent {shortened(text)}: its factory's options can't be told: {error}") from error
    allowed = {p.name: types.get(p.name, str) for p in parameters if p.kind is not p.VAR_KEYWORD}
    first = None if skip else next(iter(allowed), None)
    if not rest:
        if text.endswith(":") and not skip:
            raise AgentError(f"agent {shortened(text)}: nothing behind the colon; allowed: options, or no colon")
        return {}
    options: dict[str, Any] = {}
    for part in _SPLIT.findall(rest):
        option, equals, value = part.partition("=")
        if (not equals or part.startswith('"')) and not options and first is not None:
            option, value = first, part
        if option not in allowed:
            raise AgentError(
                f"agent {shortened(text)}: unknown option {shortened(option)}; allowed: {', '.join(allowed) or 'none'}"
            )
        if option in options:
            raise AgentError(f"agent {shortened(text)}: option {option} is given twice")
        try:
            if value.startswith('"'):
                value = msgspec.json.decode(value, type=str)
            options[option] = msgspec.convert(value, allowed[option], strict=False)
        except (msgspec.MsgspecError, TypeError) as error:  # TypeError: an option of a type that no text makes
            raise AgentError(f"agent {shortened(text)}: {option} = {shortened(value)}: {error}") from error
    return options


def naming(name: str, first: object) -> str:
    """The text that names an agent with a first option, in quotes where it must be."""
    text = str(first)
    if re.search('[,="]', text):
        text = msgspec.json.encode(text).decode()
    return f"{name}:{text}"


def shortened(text: str) -> str:
    """A text for a message, in quotes, not longer than a line."""
    return repr(text if len(text) <= 80 else f"{text[:77]}…")
