"""Derived planes beside the observation: what the own hand waits for, and how far it is from complete.

They hold nothing that the observation does not; they spare a network the arithmetic. Made from a VIEW, like it.
"""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.distance import distance
from paohuzi_env.core.melds import lay, set_hand_sums
from paohuzi_env.core.observe import Plane, fill
from paohuzi_env.core.state import OTHER_DRAW, OWN_DRAW
from paohuzi_env.core.tiles import KINDS, WILD
from paohuzi_env.core.view import view
from paohuzi_env.core.waits import waits_of

WAITS_OWN: Final = 0
WAITS_OTHER: Final = WAITS_OWN + 1
HUXI_OWN: Final = WAITS_OTHER + 1
HUXI_OTHER: Final = HUXI_OWN + 1
DISTANCE: Final = HUXI_OTHER + 1
FEATURE_PLANES: Final = DISTANCE + 1

FEATURES: Final[tuple[Plane, ...]] = (
    Plane(WAITS_OWN, ("waits_own",), False, "1 where an own draw of the kind would win, stale or not (7)"),
    Plane(WAITS_OTHER, ("waits_other",), False, "1 where another seat's draw of the kind would win"),
    Plane(HUXI_OWN, ("waits_own_huxi",), False, "huxi of that win"),
    Plane(HUXI_OTHER, ("waits_other_huxi",), False, "huxi of that win"),
    Plane(DISTANCE, ("distance",), True, "fewest tiles that must still come to complete the hand, huxi aside"),
)
"""The index table, continued: these planes follow those of `observe.PLANES` where they are asked for."""


@kernel
def place_own(v: Any, r: Any, g: Any) -> None:
    """Put the own hand and melds of a VIEW into seat 0 of the scratch game `g`."""
    for k in range(WILD + 1):
        g.hand[0, k] = v.hand[k]
    set_hand_sums(g, r, 0)
    place_melds(v, r, g)


@kernel
def place_melds(v: Any, r: Any, g: Any) -> None:
    """Put the own melds of a VIEW alone into seat 0 of the scratch game `g`."""
    g.melds_n[0] = 0
    g.quads[0] = 0
    g.huxi[0] = 0
    g.peng_kinds[0] = 0
    g.wei_kinds[0] = 0
    g.dealer = 0 if v.seat == v.dealer else 1
    for m in range(v.melds_n[v.seat]):
        lay(g, r, 0, v.meld_type[v.seat, m], v.meld_kind[v.seat, m], v.meld_shape[v.seat, m], -1)


@kernel
def put_features(v: Any, r: Any, e: Any, g: Any, w: Any, table: Any, out: Any) -> None:
    """Write FEATURE_PLANES planes into `out`. `e`, `g` and `w` are scratch; `table` is `distance.progress_table()`."""
    out[:] = 0
    place_own(v, r, g)
    e.last_tile = v.wall_left == 1 and r.show_last_tile == 0
    e.no_intake = v.intake[v.seat] == 0
    e.drawn_before = v.drawn_before
    if v.dead[v.seat] == 0 and v.barred == 0:
        waits_of(g, r, e, 0, w)
        for k in range(KINDS):
            out[WAITS_OWN, k] = w.kinds[OWN_DRAW] >> k & 1
            out[WAITS_OTHER, k] = w.kinds[OTHER_DRAW] >> k & 1
            out[HUXI_OWN, k] = min(w.huxi[OWN_DRAW, k], 127)
            out[HUXI_OTHER, k] = min(w.huxi[OTHER_DRAW, k], 127)
    doors = max(r.doors - g.melds_n[0] - g.kans[0], 0)
    fill(out, DISTANCE, distance(table, g.rows[0, 0], g.rows[0, 1], doors, g.quads[0] > 0))


@entry
def features_game(
    games: Any, i: int, rules: Any, views: Any, evals: Any, scratch: Any, waits: Any, table: Any, seat: int, out: Any
) -> None:
    """The derived planes of `seat` in game `i`; `views`, `evals`, `scratch` (GAME) and `waits` of length one."""
    view(games[i], rules[0], views[0], seat, 0)
    put_features(views[0], rules[0], evals[0], scratch[0], waits[0], table, out)
