"""The division of a won hand into doors, and whether another one is as good (rules 7.1, 7.3, 7.5).

A finished `Game` keeps what a win pays, not its doors. Here the last hu is taken back and made again, which
leaves the doors in the evaluator's scratch pad; and a division that somebody else wrote is checked tile by tile,
then judged with each of its doors laid on the table, so that the one evaluator says what it is worth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any, Final

from paohuzi_env.core import state as st
from paohuzi_env.core import turn
from paohuzi_env.core.actions import HU, PASS
from paohuzi_env.core.hu import judge_hand
from paohuzi_env.core.tiles import KINDS, LOW, RANKS, RED_RUN, WILD, XXY, XYY
from paohuzi_env.errors import NotationError
from paohuzi_env.game import MELD_NAMES, Game, group_of
from paohuzi_env.notation import Meld, format_group, format_meld, group_name, parse_door
from paohuzi_env.rules import MULTIPLIERS, RuleSet, empty_evals

QUADS: Final = ("pao", "ti")
GROUPS: Final = ("chi", "ju", "jiao")
_HUXI_ROWS: Final = {
    "peng": st.H_PENG, "wei": st.H_WEI, "chouwei": st.H_WEI, "kan": st.H_KAN, "pao": st.H_PAO, "ti": st.H_TI,
}  # fmt: skip
_OF_A_SEAT: Final = (
    "hand", "rows", "melds_n", "kans", "kan_huxi", "quads", "huxi", "wei_kinds", "peng_kinds",
)  # fmt: skip


def melds_of(game: Game, seat: int) -> list[Meld]:
    """The melds that a seat has on the table, hidden ones included, in the order laid."""
    g = game.record
    melds = []
    for m in range(int(g["melds_n"][seat])):
        name, kind = MELD_NAMES[g["meld_type"][seat, m]], int(g["meld_kind"][seat, m])
        if name == "chi":
            tiles: tuple[int, ...] = group_of(kind, int(g["meld_shape"][seat, m]))
        else:
            tiles = (kind,) * (4 if name in QUADS else 3)
        melds.append(Meld(name, tiles))
    return melds


class Win:
    """How a finished hand was won: the question that the evaluator was asked, and its answer.

    Make one of a game that ended with a hu; not of a forced 天胡, whose doors are its ti and kan (rules 8.6).
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules: RuleSet = game.rules
        self.seat = int(game.record["winner"])
        self._before = st.allocate(1, st.GAME)
        self._before[0] = game.record
        g = self._before[0]
        g["phase"], g["actor"], g["legal"] = st.HU_WINDOW, self.seat, 1 << HU | 1 << PASS
        g["live"] = g["win_kind"]
        g["scores"] = 0
        g["log_n"] -= 1
        again = self._before.copy()
        self.evals = empty_evals()
        done = turn.act(again, 0, self.rules.record, self.evals, HU)
        if not done or again[0]["base"] != game.record["base"]:
            raise AssertionError("a hu made again pays something else")

    @property
    def groups(self) -> list[str]:
        """The doors as text, sorted."""
        e = self.evals[0]
        return sorted(
            f"{MELD_NAMES[e['group_type'][i]]}:{format_group(int(t) for t in e['group_tiles'][i] if t >= 0)}"
            for i in range(e["groups"])
        )

    def why_not(self, groups: Sequence[str], patterns: Sequence[str], fan: int) -> str | None:
        """Why `groups`, scored with `patterns` and `fan`, are no best division; None where they are.

        A best division pays what the evaluator's does before any cap, with the same huxi (rules 7.5); there can be
        several, even with other patterns.
        """
        try:
            doors = [parse_door(text) for text in groups]
        except NotationError as error:
            return str(error)
        why = self._why_no_division(doors)
        if why is not None:
            return why
        best = (int(self.evals[0]["huxi"]), int(self.evals[0]["base"]))
        worths = [self._worth(doors, stands) for stands in product(*map(_stand_ins, doors))]
        as_good = [worth[2:] for worth in worths if worth[:2] == best]
        if (fan, tuple(patterns)) in as_good:
            return None
        if as_good:
            scored = " or ".join(f"fan {fan} for {list(names)}" for fan, names in sorted(set(as_good)))
            return f"they have {scored}"
        return "they are worth less than the best division"

    # --- the tiles ------------------------------------------------------------------------------------------

    def _why_no_division(self, doors: Sequence[Meld]) -> str | None:
        """Why doors are no division of the winning tiles (rules 7.1, 7.3); None where they are."""
        if len(doors) != self.rules.doors:
            return f"{len(doors)} doors; {self.rules.doors} needed"
        pairs, quads = (sum(d.kind in kinds for d in doors) for kinds in (("jiang",), QUADS))
        if pairs != (quads > 0):
            return f"{pairs} jiang with {quads} ti or pao; one jiang needed with any, else none"
        e = self.evals[0]
        tile = None if e["laid"] else int(e["kind"])
        hand = Counter(self.game.hand(self.seat))
        left = Counter(doors)
        for meld in melds_of(self.game, self.seat):
            door = self._on_table(meld, left, hand, tile)
            if door is None:
                return f"the meld {format_meld(meld)} is not among them"
            left[door] -= 1
            if door.kind == "pao" and meld.kind != "pao":
                tile = None
            if WILD in door.tiles:
                hand[WILD] -= 1
        rest = list(left.elements())
        have = hand + Counter([] if tile is None else [tile])
        if Counter(t for door in rest for t in door.tiles) != have:
            return f"their tiles are not those of the hand, {format_group(have.elements())}"
        for door in rest:
            if not self._in_hand(door, hand, tile):
                return f"{format_meld(door)} can't be made of the hand"
        for kind, copies in hand.items():
            whole = [d for d in rest if d.tiles[0] == kind and d.kind in ("kan", "pao", "ti")]
            if copies == 3 and kind != WILD and len(whole) != 1:
                return f"the kan {format_group([kind] * 3)} is not whole"
        return None

    def _on_table(self, meld: Meld, left: Counter[Meld], hand: Counter[int], tile: int | None) -> Meld | None:
        """The door that a meld on the table is, as it lies or grown by the winning tile or a wild one."""
        if left[meld]:
            return meld
        kind = meld.tiles[0]
        if meld.kind not in ("peng", "wei", "chouwei"):
            return None
        pao, ti = Meld("pao", (kind,) * 4), Meld("ti", (kind, kind, kind, WILD))
        of_wall = self.evals[0]["source"] in (st.OWN_DRAW, st.OTHER_DRAW)
        if left[pao] and tile == kind and (of_wall or meld.kind != "peng"):
            return pao
        return ti if left[ti] and meld.kind != "peng" and hand[WILD] else None

    def _in_hand(self, door: Meld, hand: Counter[int], tile: int | None) -> bool:
        """Whether a door may be made of concealed tiles and the winning one, whole kan aside."""
        kind, held = door.tiles[0], hand[door.tiles[0]]
        if door.kind == "kan":
            return held == 3
        if door.kind == "pao":
            return tile == kind and held == 3
        if door.kind == "peng":
            own = self.evals[0]["source"] == st.OWN_DRAW and self.rules.own_draw_melds
            return tile == kind and held == 2 and not own
        if door.kind in ("wei", "ti"):
            return WILD in door.tiles
        return door.kind in ("ju", "jiao", "jiang")

    # --- the worth ------------------------------------------------------------------------------------------

    def _worth(self, doors: Sequence[Meld], stands: Sequence[tuple[int, ...]]) -> tuple[int, int, int, tuple[str, ...]]:
        """Huxi, base (before any cap), fan and patterns of doors whose tiles, wild ones replaced, are `stands`."""
        games, evals = self._before.copy(), self.evals.copy()
        evals["laid"] = 1
        self._lay_all(games[0], [(d.kind, tiles) for d, tiles in zip(doors, stands, strict=True)])
        if not judge_hand(games, 0, self.rules.record, evals):
            return 0, -1, 0, ()
        e = evals[0]
        base, fan = int(e["base"]), int(e["fan"])
        names = {name for p, name in enumerate(st.PATTERNS) if int(e["patterns"]) >> p & 1}
        if any(WILD in door.tiles for door in doors):  # an own draw; what wild tiles make, the evaluator has not seen
            times = int(e["drawn_before"]) + 1 if self.rules.huang_fan else 1
            plus = int(self.rules.self_draw == "after")
            units = (base // times - plus) // fan
            if "zi_mo" in names:
                fan //= self.rules.multipliers["zi_mo"]
            names.discard("zi_mo")
            made = self._multiplier(doors, stands)
            if made in self.rules.multipliers:
                fan *= self.rules.multipliers[made]
                names.add(made)
            base = (units * fan + plus) * times
        return int(e["huxi"]), base, fan, tuple(sorted(names))

    def _lay_all(self, g: Any, doors: Sequence[tuple[str, tuple[int, ...]]]) -> None:
        """Put every door on the winner's table, but for kan and jiang, which are all that its hand keeps."""
        s, r = self.seat, self.rules.record[0]
        for field in _OF_A_SEAT:
            g[field][s] = 0
        for name, tiles in doors:
            kind = tiles[0]
            worth = int(r["huxi"][_HUXI_ROWS[name], kind]) if name in _HUXI_ROWS else 0
            if name == "jiang":
                g["hand"][s, kind] += 2
                g["rows"][s, kind // RANKS] += 2 << 2 * (kind % RANKS)
                continue
            if name == "kan":
                g["hand"][s, kind] += 3
                g["kans"][s] += 1
                g["kan_huxi"][s] += worth
                continue
            shape = 0
            if name in GROUPS:
                name, shape = "chi", _shape(tiles)
                if shape == RED_RUN or (shape == LOW and kind % RANKS == 0):
                    worth = int(r["run_huxi"][kind // RANKS, int(shape == RED_RUN)])
            m = int(g["melds_n"][s])
            g["meld_type"][s, m], g["meld_kind"][s, m] = MELD_NAMES.index(name), kind
            g["meld_shape"][s, m] = shape
            g["melds_n"][s] += 1
            g["huxi"][s] += worth
            g["quads"][s] += name in QUADS

    def _multiplier(self, doors: Sequence[Meld], stands: Sequence[tuple[int, ...]]) -> str:
        """The best of zi_mo, wang_diao, shuang_wang that the wild tiles of an own draw make (rules 10.5)."""
        drawn = int(self.evals[0]["kind"])
        no_quads = not any(door.kind in QUADS for door in doors)
        names = {"zi_mo"}
        for door, tiles in zip(doors, stands, strict=True):
            wilds = door.tiles.count(WILD)
            if door.kind == "jiang" and wilds == 2 and drawn == WILD:
                names |= {"wang_diao", "shuang_wang"}
            if door.kind == "jiang" and wilds == 1 and drawn == tiles[0]:
                names.add("wang_diao")
            if door.kind == "wei" and wilds == 2 and drawn == tiles[0] and no_quads:
                names.add("shuang_wang")
        return max(names & {"zi_mo", *self.rules.multipliers}, key=MULTIPLIERS.index)


def _shape(tiles: Sequence[int]) -> int:
    """The shape of a ju or jiao seen from its first tile (`core.tiles`)."""
    if group_name(tiles) == "jiao":
        return XXY if tiles[0] == tiles[1] else XYY
    return LOW if tiles[1] == tiles[0] + 1 else RED_RUN


@cache
def _all_groups() -> tuple[tuple[str | None, tuple[int, ...]], ...]:
    every = combinations_with_replacement(range(KINDS), 3)
    return tuple((group_name(tiles), tiles) for tiles in every if group_name(tiles))


def _stand_ins(door: Meld) -> Iterator[tuple[int, ...]]:
    """The real tiles that a door can be, its wild ones replaced in each way."""
    real = Counter(tile for tile in door.tiles if tile != WILD)
    if WILD not in door.tiles:
        yield door.tiles
    elif door.kind in GROUPS:
        for name, tiles in _all_groups():
            if name == door.kind and real <= Counter(tiles):
                yield tiles
    else:
        for kind in real or range(KINDS):
            yield (kind,) * len(door.tiles)
