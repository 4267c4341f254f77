"""The event log of a hand: one int16 an event, in the order in which things happened.

    bits 0..1 seat · 2..6 verb · 7..11 kind · 12..14 shape (chi and bi)

`core.view` masks what a seat may not know; the text form is `paohuzi_env.record`'s.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.state import LOG

VERBS: Final = (
    "tianhu", "ti", "wei", "chouwei", "draw", "pao", "discard", "hu", "peng", "chi", "bi",
    "pass hu", "pass pao", "pass peng", "pass chi", "nodiscard", "fault",
)  # fmt: skip
(
    V_TIANHU, V_TI, V_WEI, V_CHOUWEI, V_DRAW, V_PAO, V_DISCARD, V_HU, V_PENG, V_CHI, V_BI,
    V_PASS_HU, V_PASS_PAO, V_PASS_PENG, V_PASS_CHI, V_NODISCARD, V_FAULT,
) = range(len(VERBS))  # fmt: skip

FAULTS: Final = ("timeout", "crash", "illegal", "garbage", "early_end", "flood")


@kernel
def pack(seat: int, verb: int, kind: int, shape: int) -> int:
    """One event as an int16; `kind` is 0 where the verb has none."""
    return seat | verb << 2 | kind << 7 | shape << 12


@kernel
def note(g: Any, seat: int, verb: int, kind: int, shape: int) -> None:
    """Append an event to the hand's log."""
    n = g.log_n
    if n < LOG:
        g.log[n] = pack(seat, verb, kind, shape)
    g.log_n = n + 1
