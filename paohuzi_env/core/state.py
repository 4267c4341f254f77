"""Every array of the core, declared once, a line a field.

GAME is one hand with all that is in it; RULES what the kernels need of a rule set; EVAL the scratch pad and answer of
the hand evaluator. All fields are signed (unsigned arithmetic differs between compiled and interpreted runs), apart
from the generator's word. Seats are absolute, numbered in playing order from 0.
"""

from __future__ import annotations

import contextlib
import math
import mmap
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from paohuzi_env.core._compile import COMPILED

SEATS: Final = 3
"""Room for seats; a hand has `RULES.players` of them."""
MELDS: Final = 8
"""Room for melds of a seat; a win has `RULES.doors` (7) doors."""
ALL_MELDS: Final = SEATS * MELDS
WALL: Final = 30
"""Room for the wall; `hunan` has 19, `yongzhou` 21."""
DECK: Final = 82
RIVER: Final = 32
HUGE_PAGE: Final = 1 << 21
LOG: Final = 400
"""Room for events; about 90 are usual. Filling it is an invariant's breach, never silent."""

# Kinds of meld and door. The first six lie on the table; the last four are groups of a winning hand.
PENG_MELD: Final = 1
WEI: Final = 2
CHOUWEI: Final = 3
PAO_MELD: Final = 4
TI: Final = 5
CHI_MELD: Final = 6
KAN: Final = 7
JU: Final = 8
JIAO: Final = 9
JIANG: Final = 10

# What a decision is about (GAME.phase).
DISCARDING: Final = 0
HU_WINDOW: Final = 1
PAO_WINDOW: Final = 2
PENG_WINDOW: Final = 3
CHI_WINDOW: Final = 4
BI_WINDOW: Final = 5
OVER: Final = 6

# Where a tile that can be won on came from (GAME.source).
OWN_DRAW: Final = 0
OTHER_DRAW: Final = 1
UPCARD_DEALER: Final = 2
UPCARD_OTHER: Final = 3
FROM_DISCARD: Final = 4
DEALT: Final = 5  # the forced win of rules 2.2

# Rows of RULES.huxi.
H_PENG: Final = 0
H_WEI: Final = 1
H_KAN: Final = 2
H_PAO: Final = 3
H_TI: Final = 4

PATTERNS: Final = (
    "hong_hu", "dian_hu", "hong_wu", "wu_hu", "dui_dui_hu", "hai_di", "da_zi", "xiao_zi", "tian_hu", "di_hu",
    "ting_hu", "si_qi_hong", "shua_hou", "tuan_yuan", "hang_hang_xi", "jia_hang_hang", "zi_mo", "wang_diao",
    "shuang_wang",
)  # fmt: skip
"""Names of the scoring patterns; a pattern's number is its place here (bit of GAME.patterns)."""
(
    HONG_HU, DIAN_HU, HONG_WU, WU_HU, DUI_DUI_HU, HAI_DI, DA_ZI, XIAO_ZI, TIAN_HU, DI_HU,
    TING_HU, SI_QI_HONG, SHUA_HOU, TUAN_YUAN, HANG_HANG_XI, JIA_HANG_HANG, ZI_MO, WANG_DIAO,
    SHUANG_WANG,
) = range(len(PATTERNS))  # fmt: skip

# Occasions on which tian_hu or di_hu is given (bits of RULES.pat_on).
ON_FORCED_DEALER: Final = 1
ON_FORCED_OTHER: Final = 2
ON_UPCARD_DEALER: Final = 4
ON_UPCARD_OTHER: Final = 8
ON_FIRST_DISCARD: Final = 16

ADD: Final = 0
MULTIPLY: Final = 1
SELF_DRAW_NONE: Final = 0
SELF_DRAW_AFTER: Final = 1
SELF_DRAW_BEFORE: Final = 2
DISCARDER_PAYS_ALL: Final = 0
EACH_PAYS: Final = 1

ROWS: Final = 1 << 20
"""Entries of the row table: one for each ten ranks with 0..3 tiles of a rank (see `core.hu`)."""


def _record_type(fields: list[Any]) -> np.dtype[Any]:
    """The layout of a record. Interpreted kernels get 64 bits for every number: NumPy's scalars compute in
    their own width (`1 << np.int8(9)` is 0), compiled ones in 64 bits.
    """
    if not COMPILED:
        fields = [(name, "u8" if kind == "u8" else "i8", *shape) for name, kind, *shape in fields]
    return np.dtype(fields, align=True)


RULES: Final = _record_type(
    [
        ("players", "i1"),  # seats that play; with 2 a third hand lies aside unseen
        ("hand_size", "i1"),  # tiles dealt to a seat
        ("ranks", "i1"),  # ranks of each size in the deck
        ("doors", "i1"),  # doors of a win
        ("wilds", "i1"),  # wild tiles in the deck
        ("copies", "i1", (20,)),  # of each kind in the deck
        ("show_upcard", "i1"),  # bool
        ("show_last_tile", "i1"),  # bool: the wall's last tile is shown and never drawn
        ("tian_hu_quads", "i1"),  # 2.2; 0 is off
        ("tian_hu_kans", "i1"),  # 2.2; 0 is off
        ("forced_pao", "i1"),  # bool
        ("forced_peng", "i1"),  # bool
        ("own_draw_melds", "i1"),  # bool
        ("split_pass", "i1"),  # bool
        ("hu_on_discard", "i1"),  # bool
        ("discard_payer", "i1"),  # DISCARDER_PAYS_ALL or EACH_PAYS
        ("fan_combine", "i1"),  # ADD or MULTIPLY
        ("self_draw", "i1"),  # SELF_DRAW_*
        ("base_on_huxi", "i1"),  # bool: the base is made of huxi, not of deng
        ("huang_fan", "i1"),  # bool
        ("turn_up", "i1"),  # tiles turned after a win
        ("tuan_yuan_quads", "i1"),  # bool: tuan_yuan only of ti and pao
        ("min_huxi", "i2"),
        ("min_huxi_plain", "i2"),  # for a hand without a pattern; 0 is none
        ("deng_from", "i2"),
        ("deng_step", "i2"),
        ("self_drawn_huxi", "i2"),  # added to huxi in a base made of huxi
        ("cap", "i4"),  # 0 is none
        ("draw_penalty", "i2"),  # at a drawn hand, for each wild tile held
        ("huxi", "i2", (5, 20)),  # by H_* and kind
        ("run_huxi", "i2", (2, 2)),  # by size and (1-2-3, 2-7-10)
        ("wild_huxi", "i2"),  # most huxi that one wild tile can bring
        ("pat_present", "i1", (len(PATTERNS),)),  # bool
        ("pat_fan", "i2", (len(PATTERNS),)),
        ("pat_per_extra", "i2", (len(PATTERNS),)),  # fan for each above `from`
        ("pat_from", "i2", (len(PATTERNS),)),
        ("pat_up_to", "i2", (len(PATTERNS),)),
        ("pat_on", "i2", (len(PATTERNS),)),  # ON_* bits
        ("pat_sets_huxi", "i2", (len(PATTERNS),)),  # huxi that a base made of huxi takes instead; 0 is none
        ("lone_fan", "i2", (len(PATTERNS),)),  # fan as the only pattern; 0 is as usual
        ("joint_a", "i1", (4,)),  # patterns that together have a fan of their own
        ("joint_b", "i1", (4,)),
        ("joint_fan", "i2", (4,)),  # 0 ends the list
        ("divisible", "u1", (ROWS // 8,)),  # a bit a row: whether `row` says anything of it
        ("row", "i1", (ROWS,)),  # how a row of one size divides into runs; see `core.hu`
    ]
)

TABLE: Final = [
    # What lies on the table; GAME and VIEW have these fields in the same layout, so that a view copies them at once.
    ("discarded", "i4", (SEATS,)),  # kinds that the seat has discarded
    ("wei_not", "i4", (SEATS, MELDS)),  # kinds that the table knows a hidden wei is not; 0 for all other melds
    ("huxi", "i2", (SEATS,)),  # of the melds on the table; in a VIEW of those whose kind the seat knows
    ("drawn_before", "i2"),  # drawn hands just before this one
    ("turn", "i1"),  # seat that drew, melded or discarded last
    ("dealer", "i1"),
    ("upcard", "i1"),  # in a VIEW NO_TILE where it is not shown
    ("upcard_held", "i1"),  # bool: the shown upcard is still in the dealer's hand or hidden wei
    ("last_shown", "i1"),  # kind of the tile shown at the wall's end, else NO_TILE
    ("discards", "i1"),  # discards so far
    ("dealer_discards", "i1"),
    ("hand_n", "i1", (SEATS,)),  # concealed tiles, wild ones included
    ("melds_n", "i1", (SEATS,)),
    ("quads", "i1", (SEATS,)),  # ti and pao on the table
    ("dead", "i1", (SEATS,)),  # bool
    ("wild_draws", "i1", (SEATS,)),  # wild tiles that the seat drew: shown, and in its hand ever since
    ("intake", "i1", (SEATS,)),  # bool: had an intake that ends ting_hu (10.3)
    ("river_n", "i1", (SEATS,)),
    ("river", "i1", (SEATS, RIVER)),  # untaken tiles, +32 where drawn
    ("meld_type", "i1", (SEATS, MELDS)),
    ("meld_kind", "i1", (SEATS, MELDS)),  # for chi the eaten tile; in a VIEW NO_TILE for another seat's wei
    ("meld_shape", "i1", (SEATS, MELDS)),  # for chi its shape
    ("meld_from", "i1", (SEATS, MELDS)),  # seat that the tile came from, +4 where it was drawn, -1 the hand
    ("cap", "i1", (SEATS, 20)),  # most copies that the table can believe in the hand (core.determinize)
    ("drawn", "i1", (20,)),  # draws of the kind that all have seen; in a VIEW that its seat has seen
]

END: Final = [
    # How the hand ended; as TABLE in GAME and VIEW.
    ("fan", "i4"),
    ("base", "i4"),
    ("patterns", "i4"),  # bit for each pattern
    ("scores", "i4", (SEATS,)),
    ("win_huxi", "i2"),
    ("deng", "i2"),
    ("winner", "i1"),  # -1 for none
    ("win_kind", "i1"),  # the winning tile, else NO_TILE
    ("win_source", "i1"),  # DEALT, OWN_DRAW, …
    ("fault_seat", "i1"),  # seat whose fault ended the hand, else -1
    ("fault_kind", "i1"),
]

GAME: Final = _record_type(
    [
        # -- what happens now
        ("legal", "i4"),  # bit for each legal action of the pending decision
        ("phase", "i1"),  # DISCARDING..OVER
        ("actor", "i1"),  # seat that decides; -1 when over
        ("stage", "i1"),  # where the turn stands (core.turn)
        ("asked", "i1"),  # how many seats of the current window were passed by
        ("live", "i1"),  # kind of the live tile, else NO_TILE
        ("source", "i1"),  # OWN_DRAW: concealed draw; OTHER_DRAW: live draw; FROM_DISCARD; UPCARD_DEALER
        ("bi_kind", "i1"),  # kind of which copies must still be laid, else NO_TILE
        ("peng_passed", "i1"),  # seat that passed peng on the live tile, else -1
        ("huxi_before", "i2"),  # table huxi of the drawer before a concealed ti or wei
        ("held_before", "i1"),  # concealed tiles of the drawer before a concealed draw
        ("clean_before", "i1"),  # bool: the drawer had no intake before it
        *TABLE,
        ("wall_next", "i1"),  # place of the next draw in `wall`
        ("wall_end", "i1"),  # one past the last tile that can be drawn
        # -- by seat
        ("kans", "i1", (SEATS,)),  # kan in the hand
        ("barred", "i1", (SEATS,)),  # bool: passed a pao (走跑), may not hu
        ("kan_huxi", "i2", (SEATS,)),
        ("rows", "i4", (SEATS, 2)),  # hand without kan, by size: two bits a rank
        ("peng_kinds", "i4", (SEATS,)),  # bit for each peng on the table
        ("wei_kinds", "i4", (SEATS,)),  # bit for each wei or chouwei
        ("stale_peng", "i4", (SEATS,)),  # 5.8
        ("stale_chi", "i4", (SEATS,)),
        ("hand", "i1", (SEATS, 21)),  # copies of each kind
        ("dealt", "i1", (SEATS, 21)),  # copies in the hand as dealt, the dealer's upcard included
        ("stale_hu", "i2", (SEATS, 21)),  # table huxi at the last pass of hu on a kind, else -1
        ("hand_aside", "i1", (21,)),  # the unseen third hand of a table of two
        ("wall", "i1", (WALL,)),
        *END,
        # -- the record
        ("rng", "u8"),  # word of the game's own generator
        ("log_n", "i2"),
        ("log", "i2", (LOG,)),  # events, packed by core.log
    ]
)

HISTORY: Final = 32
"""Public events that a VIEW can carry."""

VIEW: Final = _record_type(
    [
        # What one seat may know (rules 3.4, 3.5), and nothing else. Seats are absolute.
        ("seat", "i1"),  # whose view it is
        ("players", "i1"),
        ("over", "i1"),  # bool
        # -- the own decision; empty for a seat that is not asked
        ("phase", "i1"),  # DISCARDING .. BI_WINDOW, -1 none
        ("legal", "i4"),
        ("bi_kind", "i1"),
        ("peng_passed", "i1"),  # bool: it passed peng on this live tile
        ("stage", "i1"),  # as GAME.stage, -1 none
        ("huxi_before", "i2"),
        ("held_before", "i1"),
        ("clean_before", "i1"),
        *TABLE,
        ("live", "i1"),
        ("source", "i1"),  # as GAME.source while a tile is live or won on, -1 none
        ("wall_left", "i1"),  # tiles that can still be drawn
        ("spent", "i1", (SEATS, 20)),  # tiles known to have left the dealt hand
        # -- the seat's own
        ("hand", "i1", (21,)),
        ("dealt", "i1", (21,)),
        ("kan_huxi", "i2"),
        ("barred", "i1"),
        ("stale_peng", "i4"),
        ("stale_chi", "i4"),
        ("stale_hu", "i2", (21,)),
        *END,
        ("winner_hand", "i1", (21,)),  # zeros until somebody has won
        # -- public events, on request
        ("history_n", "i1"),
        ("history", "i2", (HISTORY,)),  # as in GAME.log, the latest last; another seat's wei without its kind
    ]
)

EVAL: Final = _record_type(
    [
        # -- the question
        ("seat", "i1"),
        ("kind", "i1"),
        ("source", "i1"),  # OWN_DRAW .. DEALT
        ("laid", "i1"),  # bool: the tile is already in the hand or its meld
        ("last_tile", "i1"),  # bool
        ("no_intake", "i1"),  # bool
        ("first_discard", "i1"),  # bool
        ("held_before", "i1"),  # concealed tiles before the winning one
        ("drawn_before", "i2"),
        ("turned", "i1"),  # turned-up tiles equal to the winning kind
        ("explain", "i1"),  # bool: look on where the huxi can't suffice
        # -- the division being looked at
        ("role_meld", "i1"),  # meld that the tile upgrades, -1 none
        ("role_type", "i1"),  # PAO_MELD, PENG_MELD or 0
        ("role_kind", "i1"),
        ("units", "i1"),  # doors that hold wild tiles
        ("unit_type", "i1", (2,)),
        ("unit_meld", "i1", (2,)),  # meld or -1
        ("unit_kind", "i1", (2,)),
        ("unit_tiles", "i1", (2, 4)),  # as written; -1 none
        ("unit_stand", "i1", (2, 2)),  # what its wild tiles stand for; -1 none
        ("step_rows", "i4", (2,)),  # tiles that a wild unit takes from each row
        ("step_huxi", "i2"),
        ("step_doors", "i1"),
        ("step_quads", "i1"),
        ("step_jiang", "i1"),
        ("step_kan", "i1"),  # kind of the kan that it takes, -1 none
        ("ways", "i2", (176,)),  # open ways to use one wild tile
        ("total", "i1", (20,)),  # tiles of the winning hand by kind
        ("quad", "i1", (20,)),  # bool: that kind is a ti or pao
        # -- the answer
        ("hu", "i1"),  # bool
        ("divides", "i1"),  # bool: some division into doors exists
        ("seen_huxi", "i2"),  # most huxi of any division
        ("huxi", "i2"),
        ("fan", "i4"),
        ("deng", "i2"),
        ("base", "i4"),  # before the cap
        ("patterns", "i4"),
        ("groups", "i1"),
        ("group_type", "i1", (MELDS,)),
        ("group_tiles", "i1", (MELDS, 4)),  # -1 none
    ]
)


class _Fields(np.void):  # type: ignore[misc]  # final only for type checkers
    """A record whose fields are attributes, those too that NumPy has a meaning for (`base`)."""

    def __getattribute__(self, name: str) -> Any:
        get = super().__getattribute__
        return self[name] if name in get("dtype").names else get(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def allocate(count: int, dtype: np.dtype[Any]) -> Any:
    """A zeroed array of `count` records whose fields can be read as attributes, compiled or interpreted.

    The one place that knows that interpreted kernels need help for `g.hand`.
    """
    return zeros((count,), dtype if COMPILED else np.dtype((_Fields, dtype)))


def zeros(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A zeroed array; a great one in huge pages, where the system has them.

    A batch of thousands of hands takes more pages of the usual size than a processor keeps the addresses of. Where
    NumPy's own array happens to lie decides whether it gets huge ones; here it does not.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size >= 2 * HUGE_PAGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with contextlib.suppress(OSError, ValueError):  # a kernel without them
            room = mmap.mmap(-1, size + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # a fork's are its own
            room.madvise(mmap.MADV_HUGEPAGE)
            memory = np.frombuffer(room, np.uint8)
            start = -memory.ctypes.data % HUGE_PAGE
            return memory[start : start + size].view(dtype).reshape(shape)
    return np.zeros(shape, dtype)
