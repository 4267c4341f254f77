"""Players of Paohuzi: `agents.make("heuristic")` makes one, `python -m agents list` names them all."""

from __future__ import annotations

from agents.base import FAULT_OF, Agent, CompiledAgent, PlaneAgent
from agents.registry import AgentError, make, names

__all__ = ["FAULT_OF", "Agent", "AgentError", "CompiledAgent", "PlaneAgent", "make", "names"]
