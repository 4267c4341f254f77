"""What a winning division is worth: patterns, fan, deng, base (rules 8, 10)."""

from __future__ import annotations

from typing import Any, Final

from paohuzi_env.core._compile import kernel
from paohuzi_env.core.state import (
    ADD,
    DA_ZI,
    DEALT,
    DI_HU,
    DIAN_HU,
    DUI_DUI_HU,
    FROM_DISCARD,
    HAI_DI,
    HANG_HANG_XI,
    HONG_HU,
    HONG_WU,
    JIA_HANG_HANG,
    ON_FIRST_DISCARD,
    ON_FORCED_DEALER,
    ON_FORCED_OTHER,
    ON_UPCARD_DEALER,
    ON_UPCARD_OTHER,
    OTHER_DRAW,
    PATTERNS,
    SELF_DRAW_AFTER,
    SELF_DRAW_BEFORE,
    SHUA_HOU,
    SI_QI_HONG,
    TIAN_HU,
    TING_HU,
    TUAN_YUAN,
    UPCARD_DEALER,
    UPCARD_OTHER,
    WU_HU,
    XIAO_ZI,
    ZI_MO,
)
from paohuzi_env.core.tiles import KINDS, RANKS, is_red

N_PATTERNS: Final = len(PATTERNS)
PLAIN_MASK: Final = (1 << ZI_MO) - 1
"""The patterns proper: the multipliers of rules 10.5 do not make a hand other than plain."""


@kernel
def is_self_drawn(source: int) -> bool:
    """Self-drawn: the winner drew the tile, or won on the deal or on the upcard (rules 8.5)."""
    return source != OTHER_DRAW and source != FROM_DISCARD


@kernel
def occasion(e: Any, is_dealer: bool) -> int:
    """The occasion (ON_* bit) on which the win of `e` happens, 0 for an ordinary one."""
    if e.source == DEALT:
        return ON_FORCED_DEALER if is_dealer else ON_FORCED_OTHER
    if e.source == UPCARD_DEALER:
        return ON_UPCARD_DEALER
    if e.source == UPCARD_OTHER:
        return ON_UPCARD_OTHER
    return ON_FIRST_DISCARD if e.source == FROM_DISCARD and e.first_discard else 0


@kernel
def set_pattern(r: Any, patterns: int, p: int, holds: bool) -> int:
    """`patterns` with pattern `p` added where the rule set has it and it holds."""
    return patterns | 1 << p if holds and r.pat_present[p] else patterns


@kernel
def in_range(r: Any, p: int, count: int) -> bool:
    """Whether `count` lies in the range of pattern `p`."""
    return r.pat_from[p] <= count <= r.pat_up_to[p]


@kernel
def tile_patterns(r: Any, red: int, large: int, small: int) -> int:
    """Patterns that depend on the colours and sizes of the winning tiles alone (rules 8.2)."""
    patterns = 0
    patterns = set_pattern(r, patterns, HONG_HU, in_range(r, HONG_HU, red))
    patterns = set_pattern(r, patterns, HONG_WU, in_range(r, HONG_WU, red))
    patterns = set_pattern(r, patterns, DIAN_HU, in_range(r, DIAN_HU, red))
    patterns = set_pattern(r, patterns, WU_HU, in_range(r, WU_HU, red))
    patterns = set_pattern(r, patterns, SI_QI_HONG, red == r.pat_from[SI_QI_HONG] or red == r.pat_up_to[SI_QI_HONG])
    patterns = set_pattern(r, patterns, DA_ZI, in_range(r, DA_ZI, large))
    return set_pattern(r, patterns, XIAO_ZI, in_range(r, XIAO_ZI, small))


@kernel
def occasion_patterns(r: Any, e: Any, is_dealer: bool) -> int:
    """Patterns that depend on when and how the winning tile came."""
    patterns = 0
    when = occasion(e, is_dealer)
    patterns = set_pattern(r, patterns, TIAN_HU, r.pat_on[TIAN_HU] & when != 0)
    patterns = set_pattern(r, patterns, DI_HU, r.pat_on[DI_HU] & when != 0)
    on_deal = e.source == DEALT or e.source == UPCARD_DEALER or e.source == UPCARD_OTHER
    patterns = set_pattern(r, patterns, TING_HU, e.no_intake != 0 or on_deal)
    patterns = set_pattern(r, patterns, HAI_DI, e.last_tile != 0)
    return set_pattern(r, patterns, SHUA_HOU, e.held_before == 1)


@kernel
def door_patterns(r: Any, only_alike: bool, has_jiang: bool, plain_doors: int, draw_fan: int) -> int:
    """Patterns that depend on the doors.

    `only_alike`: no ju and no jiao. `plain_doors`: doors without huxi, the jiang aside. `draw_fan`: WANG_DIAO or
    SHUANG_WANG where the wild tiles make it, ZI_MO for an ordinary own draw, else -1.
    """
    patterns = 0
    patterns = set_pattern(r, patterns, DUI_DUI_HU, only_alike)
    patterns = set_pattern(r, patterns, HANG_HANG_XI, not has_jiang and plain_doors == 0)
    patterns = set_pattern(r, patterns, JIA_HANG_HANG, has_jiang and plain_doors == 0)
    if draw_fan >= 0:
        patterns = set_pattern(r, patterns, draw_fan, True)
    return patterns


@kernel
def full_ranks(r: Any, e: Any) -> int:
    """Ranks of which all four small and all four large tiles win (tuan_yuan, rules 10.3)."""
    count = 0
    for rank in range(RANKS):
        full = e.total[rank] >= 4 and e.total[rank + RANKS] >= 4  # five where a wild tile stands for one
        if full and (not r.tuan_yuan_quads or (e.quad[rank] and e.quad[rank + RANKS])):
            count += 1
    return count


@kernel
def pattern_fan(r: Any, p: int, large: int, small: int, ranks: int, red: int) -> int:
    """Fan of the single pattern `p`, with what it has on top for each tile above its range's start."""
    fan = r.pat_fan[p]
    if p == TUAN_YUAN:
        return fan * ranks
    count = red
    if p == DA_ZI:
        count = large
    elif p == XIAO_ZI:
        count = small
    if r.pat_per_extra[p]:
        fan += r.pat_per_extra[p] * (count - r.pat_from[p])
    return fan


@kernel
def combine(r: Any, value: int, fan: int) -> int:
    """Add or multiply a fan to the fans so far (0: none yet)."""
    if value == 0:
        return fan
    return value + fan if r.fan_combine == ADD else value * fan


@kernel
def total_fan(r: Any, patterns: int, large: int, small: int, ranks: int, red: int) -> int:
    """The fan of a set of patterns: joint and lone values first, then combined; 1 for none (rules 8.3).

    What the wild tiles make (rules 10.5) is no pattern beside others: it multiplies the whole.
    """
    value = 0
    proper = patterns & PLAIN_MASK
    left = proper
    for j in range(len(r.joint_fan)):
        if r.joint_fan[j]:
            both = 1 << r.joint_a[j] | 1 << r.joint_b[j]
            if left & both == both:
                left &= ~both
                value = combine(r, value, r.joint_fan[j])
    for p in range(ZI_MO):
        if left >> p & 1:
            fan = pattern_fan(r, p, large, small, ranks, red)
            if proper == 1 << p and r.lone_fan[p]:
                fan = r.lone_fan[p]
            value = combine(r, value, fan)
    value = max(value, 1)
    for p in range(ZI_MO, N_PATTERNS):
        if patterns >> p & 1:
            value *= r.pat_fan[p]
    return value


@kernel
def deng_of(r: Any, huxi: int) -> int:
    """Score units of a win with `huxi` (rules 8.1); 0 where the base is made of huxi."""
    if r.base_on_huxi:
        return 0
    return max(1 + (huxi - r.deng_from) // r.deng_step, 1)


@kernel
def base_of(r: Any, e: Any, huxi: int, patterns: int, fan: int) -> int:
    """What one seat pays, before any cap (rules 8.4, 8.7, 10.3, 10.6)."""
    drawn = is_self_drawn(e.source)
    if r.base_on_huxi:
        amount = huxi
        for p in range(N_PATTERNS):
            if patterns >> p & 1 and r.pat_sets_huxi[p]:
                amount = r.pat_sets_huxi[p]
        if drawn:
            amount += r.self_drawn_huxi
        base = (amount + e.turned) * fan
    else:
        deng = deng_of(r, huxi) + e.turned
        if drawn and r.self_draw == SELF_DRAW_BEFORE:
            deng += 1
        base = deng * fan
    if drawn and r.self_draw == SELF_DRAW_AFTER:
        base += 1
    if r.huang_fan:
        base *= e.drawn_before + 1
    return base


@kernel
def red_in(counts: Any) -> int:
    """Red tiles among the 20 counts."""
    n = 0
    for kind in range(KINDS):
        if is_red(kind):
            n += counts[kind]
    return n


@kernel
def large_in(counts: Any) -> int:
    """Large tiles among the 20 counts."""
    n = 0
    for kind in range(RANKS, KINDS):
        n += counts[kind]
    return n
