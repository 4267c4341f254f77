"""Who plays whom, and how they sit: every agent meets every seat and every neighbour equally often in a block."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations
from typing import Final, Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["pairs", "gauntlet", "tables"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
Group: TypeAlias = tuple[int, ...]


def groups_of(kind: Kind, agents: int, seats: int) -> tuple[Group, ...]:
    """The groups, as numbers of agents, that play each other.

    Parameters
    ----------
    kind
        "pairs": each two; "gauntlet": the first and each other; "tables": each so many as have a seat.
    agents, seats
        How many there are.

    Raises
    ------
    ValueError
        There are too few agents.
    """
    least = seats if kind == "tables" else 2
    if agents < least:
        raise ValueError(f"{agents} agents; needed for {kind}: {least} or more")
    if kind == "gauntlet":
        return tuple((0, other) for other in range(1, agents))
    return tuple(combinations(range(agents), least))


def seatings(group: Sequence[int], seats: int) -> tuple[Group, ...]:
    """Every way in which a group takes the seats, each member in at least one: the hands of a block.

    Three at a table of three: 6. Two at a table of three: one against two of the other in each seat, and the reverse,
    6 too. Two at a table of two: 2. One alone fills all seats.
    """
    if not 1 <= len(group) <= seats or len(set(group)) < len(group):
        raise ValueError(f"group {tuple(group)}; allowed: 1 to {seats} different agents")
    found: dict[Group, None] = {}
    for more in combinations_with_all(group, seats):
        found |= dict.fromkeys(permutations(more))
    return tuple(found)


def combinations_with_all(group: Sequence[int], seats: int) -> list[Group]:
    """Fillings of the seats, order aside, in which every member sits; of two at three seats: (a, b, b), (a, a, b)."""
    spare = seats - len(group)
    if spare == 0:
        return [tuple(group)]
    if len(group) == 1:
        return [tuple(group) * seats]
    return [tuple(sorted((*group, extra), key=group.index)) for extra in reversed(group)]
