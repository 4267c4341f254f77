"""From VIEW to the observation: int8 planes over the 20 kinds, written dense or as active entries.

Seats are relative to the observer: 0 itself, 1 the next seat, 2 the previous one (absent with two seats). A
scalar fills its plane. `PLANES` is the index table; `observe` writes exactly what it says.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from paohuzi_env.core._compile import entry, kernel
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.core.lanes import (
    clear,
    copy_row,
    fill_row,
    lowest,
    ones,
    places_of,
    put_equal,
    put_thermometer,
    spread_bits,
    subtract_rows,
)
from paohuzi_env.core.state import (
    ALL_MELDS,
    CHI_MELD,
    FROM_DISCARD,
    MELDS,
    OTHER_DRAW,
    OWN_DRAW,
    SEATS,
    TI,
)
from paohuzi_env.core.tiles import KINDS, NO_TILE, SHAPES, WILD
from paohuzi_env.core.view import view

LAYOUT_VERSION: Final = 1

HAND: Final = 0
WILDS: Final = HAND + 4
MELDS_OF: Final = WILDS + 1
CHI_OF: Final = MELDS_OF + SEATS * TI
HIDDEN_WEI: Final = CHI_OF + SEATS * SHAPES
ORDER: Final = HIDDEN_WEI + 2
ORIGIN: Final = ORDER + SEATS
RIVER_DISCARDS: Final = ORIGIN + SEATS
RIVER_DRAWS: Final = RIVER_DISCARDS + SEATS
RECENCY: Final = RIVER_DRAWS + SEATS
DISCARDED: Final = RECENCY + SEATS
LIVE: Final = DISCARDED + SEATS
LIVE_SEAT: Final = LIVE + 1
LIVE_SOURCE: Final = LIVE_SEAT + SEATS
UPCARD: Final = LIVE_SOURCE + 4
UPCARD_HELD: Final = UPCARD + 1
LAST_SHOWN: Final = UPCARD_HELD + 1
WINDOW: Final = LAST_SHOWN + 1
BI: Final = WINDOW + 6
UNSEEN: Final = BI + 1
UNSEEN_WILDS: Final = UNSEEN + 4
CAP: Final = UNSEEN_WILDS + 1
WALL_LEFT: Final = CAP + 2
HAND_N: Final = WALL_LEFT + 1
DEALER: Final = HAND_N + SEATS
TURN: Final = DEALER + SEATS
STALE_PENG: Final = TURN + SEATS
STALE_CHI: Final = STALE_PENG + 1
STALE_HU: Final = STALE_CHI + 1
BARRED: Final = STALE_HU + 1
DEAD: Final = BARRED + 1
TABLE_HUXI: Final = DEAD + SEATS
OWN_HUXI: Final = TABLE_HUXI + SEATS
FLOOR: Final = OWN_HUXI + 1
FREE_INTAKE: Final = FLOOR + 1
UNDISCARDED: Final = FREE_INTAKE + SEATS
DRAWN_BEFORE: Final = UNDISCARDED + 1
SEATS_PLAYING: Final = DRAWN_BEFORE + 1
NUM_PLANES: Final = SEATS_PLAYING + 1

SEAT_NAMES: Final = ("self", "next", "previous")


class Plane(NamedTuple):
    """One row of the index table: planes `start` .. `start + len(names) - 1`."""

    start: int
    names: tuple[str, ...]
    scalar: bool
    meaning: str


def _seats(name: str) -> tuple[str, ...]:
    return tuple(f"{name}[{seat}]" for seat in SEAT_NAMES)


_MELDS = ("peng", "wei", "chouwei", "pao", "ti")
_SHAPES = ("low", "middle", "high", "red_run", "xxy", "xyy")
_WINDOWS = ("discard", "hu", "pao", "peng", "chi", "bi")

PLANES: Final[tuple[Plane, ...]] = (
    Plane(
        HAND,
        tuple(f"hand>={n}" for n in (1, 2, 3, 4)),
        False,
        "1 where the own hand holds at least n of the kind",
    ),
    Plane(WILDS, ("hand_wilds",), True, "wild tiles in the own hand"),
    Plane(
        MELDS_OF,
        tuple(f"{m}[{s}]" for s in SEAT_NAMES for m in _MELDS),
        False,
        "1 at the kind of such a meld before the seat; another seat's wei is in hidden_wei instead",
    ),
    Plane(
        CHI_OF,
        tuple(f"chi_{m}[{s}]" for s in SEAT_NAMES for m in _SHAPES),
        False,
        "number of chi and bi groups in which the kind was eaten (laid) in that shape",
    ),
    Plane(
        HIDDEN_WEI,
        ("hidden_wei[next]", "hidden_wei[previous]"),
        True,
        "wei of the seat whose kind is not known",
    ),
    Plane(ORDER, _seats("order"), False, "at a meld's kind: 1 + how many melds the seat had laid before it"),
    Plane(
        ORIGIN,
        _seats("origin"),
        False,
        "at a meld's kind: 1, 2, 3 discarded by self, next, previous; 4, 5, 6 drawn by them; 7 from the hand",
    ),
    Plane(RIVER_DISCARDS, _seats("discards"), False, "untaken discards of the kind before the seat"),
    Plane(RIVER_DRAWS, _seats("draws"), False, "untaken draws of the kind before the seat"),
    Plane(
        RECENCY,
        _seats("recency"),
        False,
        "1 for the latest tile of the seat's river, 2 for the one before, …",
    ),
    Plane(
        DISCARDED, _seats("discarded"), False, "1 where the seat has ever discarded the kind, taken or not"
    ),
    Plane(LIVE, ("live",), False, "1 at the live tile, or the tile to win on; none for a wild tile"),
    Plane(LIVE_SEAT, _seats("live_of"), True, "1 for the seat whose draw or discard it is"),
    Plane(
        LIVE_SOURCE,
        ("live_concealed", "live_drawn", "live_upcard", "live_discarded"),
        True,
        "1 for how it came: into an own ti or wei (or a wild tile drawn), drawn, upcard, discarded",
    ),
    Plane(UPCARD, ("upcard",), False, "1 at the upcard where it is shown"),
    Plane(
        UPCARD_HELD,
        ("upcard_held",),
        False,
        "1 at the upcard while it is still in the dealer's hand or hidden wei",
    ),
    Plane(LAST_SHOWN, ("last_shown",), False, "1 at the tile shown at the wall's end (rules 10.4)"),
    Plane(
        WINDOW,
        tuple(f"window_{w}" for w in _WINDOWS),
        True,
        "1 for what the seat is asked; zeros if it is not",
    ),
    Plane(BI, ("bi",), False, "1 at the kind of which copies must still be laid"),
    Plane(
        UNSEEN,
        tuple(f"unseen>={n}" for n in (1, 2, 3, 4)),
        False,
        "1 where at least n of the kind are unseen",
    ),
    Plane(
        UNSEEN_WILDS, ("unseen_wilds",), True, "wild tiles not in the own hand and not drawn by another seat"
    ),
    Plane(
        CAP,
        ("cap[next]", "cap[previous]"),
        False,
        "most copies that the seat's hand can hold, by its forced moves",
    ),
    Plane(WALL_LEFT, ("wall_left",), True, "tiles that can still be drawn"),
    Plane(HAND_N, _seats("hand_n"), True, "concealed tiles"),
    Plane(DEALER, _seats("dealer"), True, "1 for the dealer"),
    Plane(TURN, _seats("turn"), True, "1 for the seat that drew, melded or discarded last"),
    Plane(STALE_PENG, ("stale_peng",), False, "1 where the observer may not peng the kind (5.8)"),
    Plane(STALE_CHI, ("stale_chi",), False, "1 where the observer may not chi the kind (5.8)"),
    Plane(
        STALE_HU,
        ("stale_hu",),
        False,
        "1 where the observer may not win on the kind as its table stands (5.9)",
    ),
    Plane(BARRED, ("barred",), True, "1 where the observer passed a pao and may not win (5.3)"),
    Plane(DEAD, _seats("dead"), True, "1 for a dead hand (6.3)"),
    Plane(
        TABLE_HUXI, _seats("table_huxi"), True, "huxi of the seat's melds, without another seat's hidden wei"
    ),
    Plane(OWN_HUXI, ("own_huxi",), True, "huxi of the own melds and kan"),
    Plane(FLOOR, ("min_huxi",), True, "huxi that a win needs"),
    Plane(FREE_INTAKE, _seats("free_intake"), True, "1 where the seat's next intake needs no discard (6.1)"),
    Plane(UNDISCARDED, ("dealer_undiscarded",), True, "1 until the dealer's first discard"),
    Plane(DRAWN_BEFORE, ("drawn_before",), True, "drawn hands just before (10.3)"),
    Plane(SEATS_PLAYING, ("seats",), True, "seats that play"),
)
"""The index table of the observation."""


@kernel
def place(index: Any) -> Any:
    """An index that is not negative, as the compiler takes it without a look whether it counts from the end."""
    return np.uint64(index)


@kernel
def fill(out: Any, plane: int, value: int) -> None:
    """A scalar fills its plane; int8 holds 127 at most."""
    fill_row(out[place(plane)], min(value, 127))


@kernel
def relative(v: Any, seat: int) -> int:
    """A seat as the observer counts: 0 itself, 1 the next, 2 the previous."""
    rel = seat - v.seat
    return rel if rel >= 0 else rel + v.players


@kernel
def put_melds(v: Any, out: Any) -> None:
    """The melds of all seats."""
    me = v.seat
    players = v.players
    melds = ~places_of(v.meld_type, ALL_MELDS, 0) & (1 << ALL_MELDS) - 1
    while melds:
        at = lowest(melds)
        melds &= melds - 1
        p = at // MELDS
        m = at % MELDS
        kind = v.meld_kind[p, m]
        if kind == NO_TILE:
            continue  # another seat's wei: see put_scalars
        meld_type = v.meld_type[p, m]
        shape = v.meld_shape[p, m]
        origin = v.meld_from[p, m]
        rel = p - me if p >= me else p - me + players
        chi = CHI_OF + rel * SHAPES + shape
        k = place(kind)
        out[place(chi if meld_type == CHI_MELD else MELDS_OF + rel * TI + meld_type - 1), k] += 1
        out[place(ORDER + rel), k] = m + 1
        giver = (origin & 3) - me
        giver = giver if giver >= 0 else giver + players
        code = 1 + giver + SEATS * (origin >> 2)  # 1..3 discards, 4..6 draws
        out[place(ORIGIN + rel), k] = code if origin >= 0 else 7


@kernel
def put_rivers(v: Any, out: Any) -> None:
    """The river of each seat, and the kinds that it has ever discarded."""
    for p in range(v.players):
        rel = relative(v, p)
        n = v.river_n[p]
        for i in range(n):
            tile = v.river[p, i]
            kind = place(tile & 31)
            out[place(RIVER_DISCARDS + (RIVER_DRAWS - RIVER_DISCARDS) * (tile >> 5) + rel), kind] += 1
            out[place(RECENCY + rel), kind] = n - i
        spread_bits(out[DISCARDED + rel], KINDS, v.discarded[p])


@kernel
def put_tiles(v: Any, r: Any, out: Any) -> None:
    """Own hand and marks, live tile, upcard, shown last tile."""
    put_thermometer(out, HAND, v.hand)
    spread_bits(out[STALE_PENG], KINDS, v.stale_peng)
    spread_bits(out[STALE_CHI], KINDS, v.stale_chi)
    put_equal(out[STALE_HU], v.stale_hu, v.huxi[v.seat])
    if 0 <= v.live < KINDS:
        out[LIVE, v.live] = 1
    if 0 <= v.upcard < KINDS:
        out[UPCARD, v.upcard] = 1
        out[UPCARD_HELD, v.upcard] = v.upcard_held
    if 0 <= v.last_shown < KINDS:
        out[LAST_SHOWN, v.last_shown] = 1


@kernel
def put_unseen(v: Any, r: Any, out: Any) -> None:
    """How many tiles of each kind lie where the observer cannot see them, as a thermometer."""
    counts = out[UNSEEN]
    subtract_rows(counts, r.copies, v.hand)
    subtract_rows(counts, counts, v.drawn)
    for p in range(SEATS):
        subtract_rows(counts, counts, v.spent[p])
    put_thermometer(out, UNSEEN, counts)
    if 0 <= v.upcard < KINDS and v.upcard_held and v.seat != v.dealer:
        see_one(out, v.upcard)
    if 0 <= v.last_shown < KINDS:
        see_one(out, v.last_shown)


@kernel
def see_one(out: Any, kind: int) -> None:
    """One copy less is unseen."""
    n = out[UNSEEN, kind] + out[UNSEEN + 1, kind] + out[UNSEEN + 2, kind] + out[UNSEEN + 3, kind]
    if n > 0:
        out[UNSEEN + n - 1, kind] = 0


@kernel
def put_live(v: Any, out: Any) -> None:
    """Whose the live tile is and how it came."""
    if v.source < 0:
        return
    fill(out, LIVE_SEAT + relative(v, v.turn), 1)
    if v.source == OWN_DRAW:
        fill(out, LIVE_SOURCE, 1)
    elif v.source == OTHER_DRAW:
        fill(out, LIVE_SOURCE + 1, 1)
    elif v.source == FROM_DISCARD:
        fill(out, LIVE_SOURCE + 3, 1)
    else:
        fill(out, LIVE_SOURCE + 2, 1)


@kernel
def put_scalars(v: Any, r: Any, out: Any) -> None:
    """Everything that fills its plane."""
    fill(out, WILDS, v.hand[WILD])
    wilds = r.wilds - v.hand[WILD]
    free = 0
    for p in range(v.players):
        rel = relative(v, p)
        if rel > 0:
            fill(out, HIDDEN_WEI + rel - 1, ones(places_of(v.meld_kind[p], MELDS, NO_TILE)))
            wilds -= v.wild_draws[p]
            copy_row(out[CAP + rel - 1], v.cap[p])
        fill(out, HAND_N + rel, v.hand_n[p])
        fill(out, DEAD + rel, v.dead[p])
        fill(out, TABLE_HUXI + rel, v.huxi[p])
        free = v.quads[p] > 0 and v.hand_n[p] % 3 == 0
        fill(out, FREE_INTAKE + rel, free)
    if v.upcard == WILD and v.seat != v.dealer:
        wilds -= 1
    fill(out, UNSEEN_WILDS, wilds)
    fill(out, WALL_LEFT, v.wall_left)
    fill(out, DEALER + relative(v, v.dealer), 1)
    fill(out, TURN + relative(v, v.turn), 1)
    fill(out, BARRED, v.barred)
    fill(out, OWN_HUXI, v.huxi[v.seat] + v.kan_huxi)
    fill(out, FLOOR, r.min_huxi)
    fill(out, UNDISCARDED, v.dealer_discards == 0)
    fill(out, DRAWN_BEFORE, v.drawn_before)
    fill(out, SEATS_PLAYING, v.players)
    if v.phase >= 0:
        fill(out, WINDOW + v.phase, 1)
    if v.bi_kind >= 0:
        out[BI, v.bi_kind] = 1


@kernel
def observe(v: Any, r: Any, out: Any, mask: Any) -> None:
    """Write the observation of a VIEW into `out` (int8, NUM_PLANES x 20), its legal mask into `mask` (int8, 32)."""
    clear(out, NUM_PLANES)
    put_melds(v, out)
    put_rivers(v, out)
    put_tiles(v, r, out)
    put_unseen(v, r, out)
    put_live(v, out)
    put_scalars(v, r, out)
    spread_bits(mask, NUM_ACTIONS, v.legal)


@entry
def observe_game(games: Any, i: int, rules: Any, views: Any, seat: int, out: Any, mask: Any) -> None:
    """What `seat` may know of game `i`: a VIEW into `views[0]`, planes into `out`, its legal mask into `mask`."""
    view(games[i], rules[0], views[0], seat, 0)
    observe(views[0], rules[0], out, mask)
