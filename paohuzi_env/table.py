"""What is drawn of a hand, and how much of it may be seen: `Table`.

`Table.of_view` knows what one seat knows and nothing else; `Table.of_game` is the referee's and shows everything. The
renderers (`render`) see a `Table` only, so they can leak nothing that it does not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from paohuzi_env.core import actions as ac
from paohuzi_env.core import log, turn, waits
from paohuzi_env.core import state as st
from paohuzi_env.core.hu import judge_hand
from paohuzi_env.core.tiles import NO_TILE, RED_RUN, SHAPES, WILD
from paohuzi_env.core.view import HIDDEN_KIND
from paohuzi_env.game import MELD_NAMES, PHASES, Game, group_of
from paohuzi_env.notation import HIDDEN, Choice
from paohuzi_env.rules import RuleSet, empty_evals, rule_set

WORDS: Final = MappingProxyType(
    {
        "discard": "打", "hu": "胡", "pao": "跑", "peng": "碰", "chi": "吃", "bi": "比", "pass": "过", "ti": "提",
        "wei": "偎", "chouwei": "臭偎", "kan": "坎", "ju": "句", "jiao": "绞", "jiang": "将", "draw": "摸",
        "tianhu": "天胡", "nodiscard": "死手", "fault": "犯规",
    }
)  # fmt: skip
"""What players call a choice, a meld or an event."""
PATTERN_WORDS: Final = MappingProxyType(
    {
        "hong_hu": "红胡", "dian_hu": "点胡", "hong_wu": "红乌", "wu_hu": "乌胡", "dui_dui_hu": "对对胡",
        "hai_di": "海底", "da_zi": "十八大", "xiao_zi": "十八小", "tian_hu": "天胡", "di_hu": "地胡", "ting_hu": "听胡",
        "si_qi_hong": "四七红", "shua_hou": "耍猴", "tuan_yuan": "大团圆", "hang_hang_xi": "行行息",
        "jia_hang_hang": "假行行", "zi_mo": "自摸", "wang_diao": "王钓", "shuang_wang": "双王",
    }
)  # fmt: skip
"""What players call a scoring pattern."""

_QUADS: Final = ("pao", "ti")
_CONCEALED: Final = ("wei", "chouwei", "ti")
_HUXI_ROW: Final = MappingProxyType(
    {"peng": st.H_PENG, "wei": st.H_WEI, "chouwei": st.H_WEI, "pao": st.H_PAO, "ti": st.H_TI}
)
_MELD_FIELDS: Final = ("meld_type", "meld_kind", "meld_shape", "meld_from")
_VERDICT_FIELDS: Final = (("huxi", "win_huxi"), ("fan", "fan"), ("patterns", "patterns"))
_LAST_EVENTS: Final = 6


# --- what is drawn ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LaidMeld:
    """A meld as it lies on the table, or a door of a won hand.

    Attributes
    ----------
    name
        "peng", "chi", "bi", …: one of `notation.DOOR_KINDS`, or "bi".
    tiles
        Kinds; `HIDDEN` for those that the onlooker does not know.
    face_up
        How many of them lie face up, the first ones. A known tile that lies face down is drawn veiled.
    taken
        Place in `tiles` of the tile that was claimed or drawn, -1 where it has none of its own.
    origin
        Seat that it came from, -1 for the hand.
    huxi
        What it is worth, None where its kind is not known.
    """

    name: str
    tiles: tuple[int, ...]
    face_up: int
    taken: int = -1
    origin: int = -1
    huxi: int | None = None


@dataclass(frozen=True, slots=True)
class SeatRow:
    """One seat of the table.

    Attributes
    ----------
    seat
        Its number.
    name
        Who sits there; empty where nobody said.
    dealer, dead, to_act
        Whether it deals, has a dead hand (rules 6.3), is known to be asked.
    hand
        Concealed tiles, in index order; `HIDDEN` for those that the onlooker does not know.
    melds
        In the order laid.
    river
        Untaken tiles in order: the kind, and whether it was drawn (else discarded).
    huxi
        Of the melds on the table whose kind the onlooker knows.
    """

    seat: int
    name: str
    dealer: bool
    dead: bool
    to_act: bool
    hand: tuple[int, ...]
    melds: tuple[LaidMeld, ...]
    river: tuple[tuple[int, bool], ...]
    huxi: int


@dataclass(frozen=True, slots=True)
class Window:
    """A pending decision.

    Attributes
    ----------
    seat
        Who is asked.
    phase
        "discard", "hu", "pao", "peng", "chi" or "bi".
    choices
        What it may choose.
    chosen
        Place of the choice that is to be shown as taken, -1 for none.
    """

    seat: int
    phase: str
    choices: tuple[Choice, ...]
    chosen: int = -1


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: who, what (a verb of `core.log`), with which tiles (`HIDDEN` where unknown)."""

    seat: int
    verb: str
    tiles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Settlement:
    """How the hand ended.

    Attributes
    ----------
    winner
        Seat, or None after a drawn hand or a fault.
    tile
        The winning tile, None where the hand won as dealt.
    own
        Whether the win counts as self-drawn (rules 8.5).
    huxi, fan, base
        Points, multiplier and what a seat pays; zeros without a winner.
    deng
        Score units, None in a rule set that has none.
    patterns
        Names of the scoring patterns, in the order of `core.state.PATTERNS`.
    scores
        The settlement by seat.
    groups
        The doors of the winning hand; of a 天胡 of rules 2.2 its ti and kan.
    fault
        The seat and the kind of the fault that ended the hand, or None.
    """

    winner: int | None
    tile: int | None
    own: bool
    huxi: int
    fan: int
    deng: int | None
    base: int
    patterns: tuple[str, ...]
    scores: tuple[int, ...]
    groups: tuple[LaidMeld, ...] = ()
    fault: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """What is drawn. Plain data: two tables that are equal are drawn alike.

    Make one with `of_view` or `of_game`.

    Attributes
    ----------
    rules
        Name of the rule set.
    viewer
        The seat whose view it is, None for the referee's.
    seats
        The seats that play, by number.
    turn
        The seat that drew, melded or discarded last.
    wall_left
        Tiles that can still be drawn.
    wall
        These tiles in drawing order; empty but for the referee.
    upcard
        The dealer's 21st tile, None where it is not shown.
    last_shown
        The tile shown at the wall's end (rules 10.4), or None.
    live
        The tile that is claimed, or that the asked seat has just drawn; None for none.
    live_from
        "discard", "draw" or "upcard"; empty without a live tile.
    live_seat
        Who discarded or drew it, -1 for none.
    events
        What happened last, as far as it is known, the latest last.
    window
        The pending decision, as far as it is known.
    settlement
        How the hand ended, None while it is played.
    """

    rules: str
    viewer: int | None
    seats: tuple[SeatRow, ...]
    turn: int
    wall_left: int
    wall: tuple[int, ...]
    upcard: int | None
    last_shown: int | None
    live: int | None
    live_from: str
    live_seat: int
    events: tuple[Event, ...]
    window: Window | None
    settlement: Settlement | None

    @classmethod
    def of_view(
        cls, view: Any, rules: RuleSet | str = "hunan", *, chosen: int | None = None, names: Sequence[str] = ()
    ) -> Table:
        """What one seat may see.

        Parameters
        ----------
        view
            A VIEW record (`core.state`). The last events are shown as far as it carries its history.
        rules
            The rule set that is played.
        chosen
            The action to be shown as taken in the seat's own window.
        names
            Who sits at each seat.
        """
        rules = rule_set(rules)
        v, me = view, int(view["seat"])
        events = v["history"][: int(v["history_n"])].tolist()
        return cls(
            rules=str(rules.name),
            viewer=me,
            seats=tuple(_seat(v, s, rules, _known_hand(v, s), names) for s in range(rules.seats)),
            turn=int(v["turn"]),
            wall_left=int(v["wall_left"]),
            wall=(),
            upcard=_tile(v["upcard"]),
            last_shown=_tile(v["last_shown"]),
            **_live(int(v["live"]), int(v["source"]), int(v["turn"]), int(v["dealer"])),
            events=tuple(_event(e) for e in events[-_LAST_EVENTS:]),
            window=_window(me, int(v["phase"]), int(v["legal"]), v, int(v["live"]), chosen),
            settlement=_settlement(v, rules, v["winner_hand"]) if v["over"] else None,
        )

    @classmethod
    def of_game(cls, game: Game, *, chosen: int | None = None, names: Sequence[str] = ()) -> Table:
        """Everything, hidden tiles included: the referee's view. Never show it to a player.

        Parameters
        ----------
        game
            The hand.
        chosen
            The action to be shown as taken in the pending decision.
        names
            Who sits at each seat.
        """
        g, rules = game.record, game.rules
        live = NO_TILE if game.over or game.phase == "bi" else game.live_kind()
        at_upcard = not game.over and int(g["stage"]) == turn.UPCARD
        source = st.UPCARD_OTHER if at_upcard else int(g["source"])
        events = g["log"][: int(g["log_n"])].tolist()
        return cls(
            rules=str(rules.name),
            viewer=None,
            seats=tuple(_seat(g, s, rules, game.hand(s), names) for s in range(rules.seats)),
            turn=int(g["turn"]),
            wall_left=int(g["wall_end"]) - int(g["wall_next"]),
            wall=tuple(g["wall"][int(g["wall_next"]) : int(g["wall_end"])].tolist()),
            upcard=_tile(g["upcard"]),
            last_shown=_tile(g["last_shown"]),
            **_live(live, source, int(g["turn"]), int(g["dealer"])),
            events=tuple(_event(e) for e in events[-_LAST_EVENTS:]),
            window=_window(int(g["actor"]), -1 if game.over else int(g["phase"]), int(g["legal"]), g, live, chosen),
            settlement=_settlement(g, rules, g["hand"][int(g["winner"])]) if game.over else None,
        )


def _tile(kind: Any) -> int | None:
    return int(kind) if kind != NO_TILE else None


def _known_hand(v: Any, seat: int) -> list[int]:
    """The concealed tiles of a seat as far as the view knows them: wild tiles that it drew are (rules 10.5)."""
    counts = None
    if seat == v["seat"]:
        counts = v["hand"]
    elif seat == v["winner"]:
        counts = v["winner_hand"]
    if counts is not None:
        return [k for k in range(WILD + 1) for _ in range(counts[k])]
    wilds = int(v["wild_draws"][seat])
    return [HIDDEN] * (int(v["hand_n"][seat]) - wilds) + [WILD] * wilds


def _seat(g: Any, seat: int, rules: RuleSet, hand: Iterable[int], names: Sequence[str]) -> SeatRow:
    """A seat of a GAME or VIEW."""
    melds = []
    for m in range(int(g["melds_n"][seat])):
        name, kind = MELD_NAMES[g["meld_type"][seat, m]], int(g["meld_kind"][seat, m])
        melds.append(_meld(name, kind, int(g["meld_shape"][seat, m]), int(g["meld_from"][seat, m]), rules))
    river = g["river"][seat][: int(g["river_n"][seat])].tolist()
    return SeatRow(
        seat=seat,
        name=names[seat] if seat < len(names) else "",
        dealer=int(g["dealer"]) == seat,
        dead=bool(g["dead"][seat]),
        to_act=_asked(g) == seat,
        hand=tuple(hand),
        melds=tuple(melds),
        river=tuple((k % turn.RIVER_DRAWN, k >= turn.RIVER_DRAWN) for k in river),
        huxi=int(g["huxi"][seat]),
    )


def _asked(g: Any) -> int:
    """The seat that a GAME or VIEW knows to be asked, or -1."""
    if "actor" in g.dtype.names:
        return int(g["actor"])
    return int(g["seat"]) if g["phase"] >= 0 and not g["over"] else -1


def _meld(name: str, kind: int, shape: int, origin: int, rules: RuleSet) -> LaidMeld:
    r = rules.record[0]
    if name == "chi":
        tiles: tuple[int, ...] = group_of(kind, shape)
        huxi = 0
        if shape == RED_RUN or (shape < RED_RUN and tiles[0] % 10 == 0):
            huxi = int(r["run_huxi"][kind // 10, int(shape == RED_RUN)])
        if origin < 0:
            return LaidMeld("bi", tiles, 3, huxi=huxi)
        return LaidMeld("chi", tiles, 3, tiles.index(kind), origin % turn.DRAWN, huxi)
    if kind == NO_TILE:
        return LaidMeld(name, (HIDDEN,) * 3, 0, origin=origin % turn.DRAWN)
    count = 4 if name in _QUADS else 3
    face_up = count if name not in _CONCEALED else int(name != "wei")
    taken = count - 1 if name in ("peng", "pao") else -1
    huxi = int(r["huxi"][_HUXI_ROW[name], kind])
    return LaidMeld(name, (kind,) * count, face_up, taken, origin % turn.DRAWN if origin >= 0 else -1, huxi)


def _live(kind: int, source: int, by: int, dealer: int) -> dict[str, Any]:
    if kind == NO_TILE:
        return {"live": None, "live_from": "", "live_seat": -1}
    if source in (st.UPCARD_DEALER, st.UPCARD_OTHER):
        return {"live": kind, "live_from": "upcard", "live_seat": dealer}
    return {"live": kind, "live_from": "discard" if source == st.FROM_DISCARD else "draw", "live_seat": by}


def _event(code: int) -> Event:
    """An event of the log (`core.log`), as far as its tiles are known."""
    seat, verb = code & 3, log.VERBS[code >> 2 & 31]
    kind, shape = code >> 7 & 31, code >> 12 & 7
    if verb in ("tianhu", "nodiscard"):
        return Event(seat, verb)
    if verb == "fault":
        return Event(seat, f"fault {log.FAULTS[kind]}")
    if kind == HIDDEN_KIND:
        return Event(seat, verb, (HIDDEN,) * 3)
    if verb in ("chi", "bi"):
        return Event(seat, verb, group_of(kind, shape))
    count = {"ti": 4, "pao": 4, "wei": 3, "chouwei": 3, "peng": 3}.get(verb, 1)
    return Event(seat, verb, (kind,) * count)


def _window(seat: int, phase: int, legal: int, g: Any, live: int, chosen: int | None) -> Window | None:
    if phase < 0 or phase == st.OVER or not legal:
        return None
    name = PHASES[phase]
    kind = int(g["bi_kind"]) if name == "bi" else live
    options = [action for action in range(ac.NUM_ACTIONS) if legal >> action & 1]
    place = options.index(chosen) if chosen is not None and chosen in options else -1
    return Window(seat, name, tuple(_choice(action, name, kind) for action in options), place)


def _choice(action: int, phase: str, kind: int) -> Choice:
    """What an action means while `phase` asks about `kind`."""
    if action < ac.CHI:
        return Choice("discard", (action,))
    if action < ac.CHI + SHAPES:
        return Choice(phase, group_of(kind, action - ac.CHI))
    if action == ac.PASS:
        return Choice(f"pass {phase}")
    name, count = {ac.PENG: ("peng", 3), ac.PAO: ("pao", 4), ac.HU: ("hu", 1)}[action]
    return Choice(name, (kind,) * count)


def _settlement(g: Any, rules: RuleSet, hand: Any) -> Settlement:
    """The end of a GAME or VIEW; `hand` has the winner's concealed tiles by kind."""
    winner = int(g["winner"])
    scores = tuple(g["scores"][: rules.seats].tolist())
    if winner < 0:
        fault = int(g["fault_seat"])
        why = (fault, log.FAULTS[int(g["fault_kind"])]) if fault >= 0 else None
        return Settlement(None, None, False, 0, 1, None, 0, (), scores, fault=why)
    return Settlement(
        winner=winner,
        tile=_tile(g["win_kind"]),
        own=int(g["win_source"]) not in (st.OTHER_DRAW, st.FROM_DISCARD),
        huxi=int(g["win_huxi"]),
        fan=int(g["fan"]),
        deng=int(g["deng"]) if rules.base_on == "deng" else None,
        base=int(g["base"]),
        patterns=tuple(name for p, name in enumerate(st.PATTERNS) if int(g["patterns"]) >> p & 1),
        scores=scores,
        groups=_doors(g, rules, hand),
    )


def _doors(g: Any, rules: RuleSet, hand: Any) -> tuple[LaidMeld, ...]:
    """The doors of the hand that won a GAME or VIEW: a best division (rules 7.5); of a forced 天胡 ti and kan (8.6)."""
    seat, kind, source = int(g["winner"]), int(g["win_kind"]), int(g["win_source"])
    if source == st.DEALT:
        alike = [(k, int(n)) for k, n in enumerate(hand[:WILD]) if n >= 3]
        return tuple(LaidMeld("ti" if n == 4 else "kan", (k,) * n, n) for k, n in alike)
    melds = [[int(g[f][seat, m]) for f in _MELD_FIELDS] for m in range(int(g["melds_n"][seat]))]
    own_meld = any(t in (st.WEI, st.CHOUWEI, st.TI) and k == kind and o == seat + turn.DRAWN for t, k, _, o in melds)
    games, evals = st.allocate(1, st.GAME), empty_evals()
    games["dealer"] = g["dealer"]
    rows = np.array(melds, np.int64).reshape(-1, 4)[:, :3].copy()
    waits.place_seat(games, 0, rules.record, seat, np.array(hand, np.int64), rows)
    evals["seat"], evals["kind"], evals["source"] = seat, kind, source
    evals["laid"] = source == st.UPCARD_DEALER or (source == st.OWN_DRAW and (kind == WILD or own_meld))
    # What else the evaluator asks is in the patterns that it has made.
    for field, pattern in (("last_tile", st.HAI_DI), ("no_intake", st.TING_HU), ("first_discard", st.DI_HU)):
        evals[field] = int(g["patterns"]) >> pattern & 1
    evals["held_before"] = 1 if int(g["patterns"]) >> st.SHUA_HOU & 1 else 2
    e = evals[0]
    if not judge_hand(games, 0, rules.record, evals) or any(e[f] != g[w] for f, w in _VERDICT_FIELDS):
        return ()
    doors = []
    for door in range(int(e["groups"])):
        tiles = tuple(sorted(int(t) for t in e["group_tiles"][door] if t >= 0))
        doors.append(LaidMeld(MELD_NAMES[e["group_type"][door]], tiles, len(tiles)))
    return tuple(doors)
