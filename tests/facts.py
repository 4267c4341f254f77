"""What everybody at the table has seen, in plain Python: from the deal and the events alone, not from core fields.

The judge of the observation: `Facts(game)` follows the events of a hand, and `expected(facts, seat)` says what each
plane must hold for a seat.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from paohuzi_env.game import Game
from paohuzi_env.record import events_of

LETTERS = "abcdefghijABCDEFGHIJ*"
NEXT_TO = ("self", "next", "previous")
SHAPES = ("low", "middle", "high", "red_run", "xxy", "xyy")
UPGRADES = ("peng", "wei", "chouwei")


class Facts:
    """One hand as its events tell it."""

    def __init__(self, game: Game) -> None:
        g = game.record
        self.game, self.rules, self.seats = game, game.rules, game.rules.seats
        self.hands = [Counter({k: int(n) for k, n in enumerate(g["dealt"][s]) if n}) for s in range(self.seats)]
        self.dealer, self.upcard = int(g["dealer"]), int(g["upcard"])
        self.melds: list[list[dict[str, Any]]] = [[] for _ in range(self.seats)]
        self.rivers: list[list[tuple[int, bool]]] = [[] for _ in range(self.seats)]
        self.discarded: list[set[int]] = [set() for _ in range(self.seats)]
        self.live: tuple[int, int, bool] | None = None  # kind, seat, drawn
        self.last_drawn: int | None = None
        self.drawn = 0
        self.wild_draws = [0] * self.seats
        self.dead = [False] * self.seats
        self.turn = self.dealer
        self.upcard_held = bool(self.rules.show_upcard)
        self.dealer_has_discarded = False
        for event in events_of(game):
            seat, verb, *tiles = event.split()
            kinds = [LETTERS.index(c) for c in tiles[0]] if tiles and verb not in ("pass", "fault") else []
            getattr(self, f"on_{verb}")(int(seat), kinds)
            if verb not in ("pass", "hu", "tianhu", "fault") and not (verb == "ti" and self.drawn == 0):
                self.turn = int(seat)

    # --- events -------------------------------------------------------------------------------------------------

    def takes_from_hand(self, seat: int, kinds: list[int], shown: bool = True) -> None:
        for kind in kinds:
            assert self.hands[seat][kind] > 0
            self.hands[seat][kind] -= 1
        if shown and seat == self.dealer and self.upcard in kinds:
            self.upcard_held = False

    def lay(self, seat: int, name: str, kind: int, origin: int, shape: int = 0) -> None:
        self.melds[seat].append({"name": name, "kind": kind, "origin": origin, "shape": shape})

    def upgrade(self, seat: int, name: str, kind: int, origin: int) -> None:
        (meld,) = [m for m in self.melds[seat] if m["kind"] == kind and m["name"] in UPGRADES]
        if meld["name"] == "wei" and seat == self.dealer and kind == self.upcard:
            self.upcard_held = False
        meld.update(name=name, origin=origin)

    def draws(self, seat: int, kind: int) -> None:
        """A tile leaves the wall; the one that was live lies untaken."""
        if self.live is not None:
            self.rivers[self.live[1]].append((self.live[0], self.live[2]))
        self.live = None
        self.drawn += 1
        self.last_drawn = kind

    def origin(self) -> int:
        """0..2 discarded by the seat, 4..6 drawn by it."""
        assert self.live is not None
        return self.live[1] + 4 * self.live[2]

    def on_discard(self, seat: int, kinds: list[int]) -> None:
        self.takes_from_hand(seat, kinds)
        self.discarded[seat].add(kinds[0])
        self.live = (kinds[0], seat, False)
        self.dealer_has_discarded |= seat == self.dealer

    def on_draw(self, seat: int, kinds: list[int]) -> None:
        self.draws(seat, kinds[0])
        if kinds == [20]:
            self.hands[seat][20] += 1
            self.wild_draws[seat] += 1
        else:
            self.live = (kinds[0], seat, True)

    def on_ti(self, seat: int, kinds: list[int]) -> None:
        held = self.hands[seat][kinds[0]]
        if held == 4:
            self.takes_from_hand(seat, kinds)
            self.lay(seat, "ti", kinds[0], -1)
            return
        self.draws(seat, kinds[0])
        if held == 3:
            self.takes_from_hand(seat, kinds[:3])
            self.lay(seat, "ti", kinds[0], seat + 4)
        else:
            self.upgrade(seat, "ti", kinds[0], seat + 4)

    def on_wei(self, seat: int, kinds: list[int], name: str = "wei") -> None:
        self.draws(seat, kinds[0])
        self.takes_from_hand(seat, kinds[:2], shown=name != "wei")
        self.lay(seat, name, kinds[0], seat + 4)

    def on_chouwei(self, seat: int, kinds: list[int]) -> None:
        self.on_wei(seat, kinds, "chouwei")

    def on_pao(self, seat: int, kinds: list[int]) -> None:
        if self.hands[seat][kinds[0]] == 3:
            self.takes_from_hand(seat, kinds[:3])
            self.lay(seat, "pao", kinds[0], self.origin())
        else:
            self.upgrade(seat, "pao", kinds[0], self.origin())
        self.live = None

    def on_peng(self, seat: int, kinds: list[int]) -> None:
        self.takes_from_hand(seat, kinds[:2])
        self.lay(seat, "peng", kinds[0], self.origin())
        self.live = None

    def on_chi(self, seat: int, kinds: list[int]) -> None:
        assert self.live is not None
        self.eaten, origin = self.live[0], self.origin()
        rest = list(kinds)
        rest.remove(self.eaten)
        self.takes_from_hand(seat, rest)
        self.lay(seat, "chi", self.eaten, origin, shape_of(self.eaten, kinds))
        self.live = None

    def on_bi(self, seat: int, kinds: list[int]) -> None:
        self.takes_from_hand(seat, kinds)
        self.lay(seat, "chi", self.eaten, -1, shape_of(self.eaten, kinds))

    def on_nodiscard(self, seat: int, kinds: list[int]) -> None:
        self.dead[seat] = True

    def on_pass(self, seat: int, kinds: list[int]) -> None:
        pass

    on_hu = on_tianhu = on_fault = on_pass

    # --- counting -----------------------------------------------------------------------------------------------

    def huxi_of(self, name: str, kind: int, shape: int = 0) -> int:
        large, red = kind >= 10, kind % 10 in (1, 6, 9)
        if name != "chi":
            row = "wei" if name == "chouwei" else name
            value: int = self.rules.huxi[row][f"{'large' if large else 'small'}_{'red' if red else 'black'}"]
            return value
        size = "large" if large else "small"
        if SHAPES[shape] == "red_run":
            return int(self.rules.huxi["ju_2710"][size])
        first = kind % 10 - shape
        return int(self.rules.huxi["ju_123"][size]) if shape < 3 and first == 0 else 0

    def table_huxi(self, seat: int, viewer: int) -> int:
        return sum(
            self.huxi_of(m["name"], m["kind"], m["shape"]) for m in self.melds[seat] if not self.hides(m, seat, viewer)
        )

    def hides(self, meld: dict[str, Any], seat: int, viewer: int) -> bool:
        """Whether the viewer does not know the meld's kind."""
        return meld["name"] == "wei" and seat != viewer

    def unseen(self, viewer: int) -> Counter[int]:
        """Tiles that lie where the viewer cannot see them, counted where they lie."""
        g = self.game.record
        last = int(g["wall_end"]) + int(self.rules.show_last_tile)
        out = Counter(int(k) for k in g["wall"][int(g["wall_next"]) : last])
        for seat in range(self.seats):
            if seat != viewer:
                out.update(self.hands[seat])
                for meld in self.melds[seat]:
                    out[meld["kind"]] += 3 * self.hides(meld, seat, viewer)
        out.update({k: int(n) for k, n in enumerate(g["hand_aside"]) if n})
        if self.upcard_held and viewer != self.dealer:
            out[self.upcard] -= 1
        if self.rules.show_last_tile:
            out[int(g["last_shown"])] -= 1
        for seat in range(self.seats):
            out[20] -= self.wild_draws[seat] * (seat != viewer)
        return out


def shape_of(kind: int, group: list[int]) -> int:
    """How `kind` stands in its group."""
    if len({k // 10 for k in group}) == 2:
        return 4 if group.count(kind) == 2 else 5
    ranks = sorted(k % 10 for k in group)
    return 3 if ranks == [1, 6, 9] and ranks[1] - ranks[0] != 1 else ranks.index(kind % 10)


# --- planes -------------------------------------------------------------------------------------------------


def expected(facts: Facts, me: int) -> dict[str, list[int]]:
    """What each plane must hold for seat `me`, by the plane's name; for a hand that is not over."""
    game, g, n = facts.game, facts.game.record, facts.seats
    zero = [0] * 20
    out: dict[str, list[int]] = {}

    def at(name: str, *kinds: int) -> None:
        out[name] = [int(k in kinds) for k in range(20)]

    def counts(name: str, counter: Any) -> None:
        out[name] = [counter[k] for k in range(20)]

    def scalar(name: str, value: Any) -> None:
        out[name] = [min(int(value), 127)] * 20

    hand = facts.hands[me]
    for copies in (1, 2, 3, 4):
        at(f"hand>={copies}", *(k for k in range(20) if hand[k] >= copies))
        at(f"unseen>={copies}", *(k for k, many in facts.unseen(me).items() if many >= copies))
    scalar("hand_wilds", hand[20])
    scalar("unseen_wilds", facts.unseen(me)[20])
    for rel, name in enumerate(NEXT_TO):
        seat = (me + rel) % n if rel < n else None
        seat_planes(facts, me, seat, name, out, at, counts, scalar)
    asked = game.actor == me
    live, source, by = live_of(facts, asked)
    at("live", *([] if live is None or live == 20 else [live]))
    for rel, name in enumerate(NEXT_TO):
        scalar(f"live_of[{name}]", live is not None and by == (me + rel) % n and rel < n)
    for name in ("concealed", "drawn", "upcard", "discarded"):
        scalar(f"live_{name}", source == name)
    for window in ("discard", "hu", "pao", "peng", "chi", "bi"):
        scalar(f"window_{window}", asked and game.phase == window)
    at("bi", *([facts.eaten] if asked and game.phase == "bi" else []))
    shown = facts.rules.show_upcard and facts.upcard < 20
    at("upcard", *([facts.upcard] if shown else []))
    at("upcard_held", *([facts.upcard] if shown and facts.upcard_held else []))
    at("last_shown", *([int(g["last_shown"])] if facts.rules.show_last_tile else []))
    scalar("wall_left", facts.rules.wall_size - facts.rules.show_last_tile - facts.drawn)
    at("stale_peng", *(k for k in range(20) if int(g["stale_peng"][me]) >> k & 1))
    at("stale_chi", *(k for k in range(20) if int(g["stale_chi"][me]) >> k & 1))
    at("stale_hu", *(k for k in range(20) if int(g["stale_hu"][me][k]) == facts.table_huxi(me, me)))
    scalar("barred", g["barred"][me])
    kans = sum(facts.huxi_of("kan", k) for k in range(20) if hand[k] == 3)
    scalar("own_huxi", facts.table_huxi(me, me) + kans)
    scalar("min_huxi", facts.rules.min_huxi)
    scalar("dealer_undiscarded", not facts.dealer_has_discarded)
    scalar("drawn_before", g["drawn_before"])
    scalar("seats", n)
    assert all(len(values) == len(zero) for values in out.values())
    return out


def seat_planes(
    facts: Facts, me: int, seat: int | None, name: str, out: dict[str, list[int]], at: Any, counts: Any, scalar: Any
) -> None:
    """The planes of one relative seat; zeros where it does not play."""
    melds = facts.melds[seat] if seat is not None else []
    known = [(i, m) for i, m in enumerate(melds) if seat is not None and not facts.hides(m, seat, me)]
    for kind in ("peng", "wei", "chouwei", "pao", "ti"):
        at(f"{kind}[{name}]", *(m["kind"] for _, m in known if m["name"] == kind))
    for shape, word in enumerate(SHAPES):
        counts(
            f"chi_{word}[{name}]", Counter(m["kind"] for _, m in known if m["name"] == "chi" and m["shape"] == shape)
        )
    order, origin = {}, {}
    for i, meld in known:
        order[meld["kind"]], origin[meld["kind"]] = i + 1, 7
        if meld["origin"] >= 0:
            rel = (meld["origin"] % 4 - me) % facts.seats
            origin[meld["kind"]] = 1 + rel + 3 * (meld["origin"] >= 4)
    out[f"order[{name}]"] = [order.get(k, 0) for k in range(20)]
    out[f"origin[{name}]"] = [origin.get(k, 0) for k in range(20)]
    river = facts.rivers[seat] if seat is not None else []
    counts(f"discards[{name}]", Counter(k for k, drawn in river if not drawn))
    counts(f"draws[{name}]", Counter(k for k, drawn in river if drawn))
    latest = {k: len(river) - i for i, (k, _) in enumerate(river)}
    out[f"recency[{name}]"] = [latest.get(k, 0) for k in range(20)]
    at(f"discarded[{name}]", *(facts.discarded[seat] if seat is not None else ()))
    size = sum(facts.hands[seat].values()) if seat is not None else 0
    quads = sum(m["name"] in ("pao", "ti") for m in melds)
    scalar(f"hand_n[{name}]", size)
    scalar(f"dealer[{name}]", seat == facts.dealer)
    scalar(f"turn[{name}]", seat == facts.turn)
    scalar(f"dead[{name}]", seat is not None and facts.dead[seat])
    scalar(f"table_huxi[{name}]", facts.table_huxi(seat, me) if seat is not None else 0)
    scalar(f"free_intake[{name}]", quads > 0 and size % 3 == 0)
    if name != "self":
        scalar(f"hidden_wei[{name}]", len(melds) - len(known))
        cap = facts.game.view(me)["cap"][0][seat].tolist() if seat is not None else [0] * 20
        out[f"cap[{name}]"] = cap


def live_of(facts: Facts, asked: bool) -> tuple[int | None, str | None, int]:
    """The tile that is live for a seat, or that it is asked to win on; how it came, and whose it is."""
    if facts.live is not None:
        kind, by, drawn = facts.live
        return kind, "drawn" if drawn else "discarded", by
    if asked and facts.game.phase == "hu":
        if facts.drawn == 0:
            return facts.upcard, "upcard", facts.dealer
        return facts.last_drawn, "concealed", facts.turn
    return None, None, facts.turn
