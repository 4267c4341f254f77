"""The uniformly random player: any legal action, each as likely as the next."""

from __future__ import annotations

from agents.base import CompiledAgent
from paohuzi_env.core.rollout import uniform
from paohuzi_env.rules import RuleSet
from paohuzi_env.search import as_policy


class Uniform(CompiledAgent):
    """Plays any legal action, uniformly at random."""

    def __init__(self, rules: RuleSet | str = "hunan", *, seed: int = 0) -> None:
        super().__init__(rules, as_policy(uniform), seed=seed)
