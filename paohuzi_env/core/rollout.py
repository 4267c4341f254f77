"""Playing hands to the end without Python in the loop: what search needs.

A *policy* is a compiled function ``policy(v, r, word) -> action``: a VIEW, the rules' record and a generator word.
It sees what the seat to act may know and nothing else; an action that is not legal is replaced by the lowest legal
one. `uniform` is the one that is built in; `paohuzi_env.search` builds the loop for a policy of your own.
"""

from __future__ import annotations

from typing import Any

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.batch import pick
from paohuzi_env.core.rng import advance, key
from paohuzi_env.core.state import OVER, SEATS
from paohuzi_env.core.turn import step


@kernel
def uniform(v: Any, r: Any, word: Any) -> int:
    """The uniformly random policy, as an example of one: any legal action."""
    return pick(v.legal, word)


@kernel
def finish_uniform(g: Any, r: Any, e: Any, word: Any) -> int:
    """Play a hand to its end with uniformly random legal actions; the number of decisions is returned."""
    n = 0
    while g.phase != OVER:
        word = advance(word)
        step(g, r, e, pick(g.legal, word))
        n += 1
    return n


@entry
def rollouts_uniform(
    sources: Any, actions: Any, lo: int, hi: int, rules: Any, evals: Any, games: Any, thread: int, seed: Any,
    words: Any, scores: Any,
) -> int:  # fmt: skip
    """Copy game `sources[i]`, apply `actions[i]` (-1 none), and play it out, for i in lo..hi-1.

    Rows of equal `words[i]` use the same random numbers, whatever the action. Scores by seat go to `scores[i]`;
    `games[thread]` is scratch. The number of decisions is returned.
    """
    r = rules[0]
    e = evals[thread]
    n = 0
    for i in range(lo, hi):
        games[thread] = sources[i]
        g = games[thread]
        if actions[i] >= 0 and g.phase != OVER:
            step(g, r, e, actions[i])
        n += finish_uniform(g, r, e, key(seed, 0, words[i]))
        for s in range(SEATS):
            scores[i, s] = g.scores[s]
    return n
