"""Position queries and waits: the frozen cases, errors, and the twin as judge."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from deals import random_rules
from hypothesis import given
from hypothesis import strategies as some
from queries import random_query
from reference.evaluate import answer as twin_answer
from reference.evaluate import lay, read_query
from reference.judge import judge as twin_judge
from reference.judge import verdicts as twin_verdicts

from paohuzi_env import position
from paohuzi_env.core import state as st
from paohuzi_env.core import waits as core
from paohuzi_env.errors import NotationError, RuleSetError
from paohuzi_env.game import MELD_NAMES, Game, group_of
from paohuzi_env.notation import GLYPHS, LETTERS, WILD, Meld, parse_tiles, tile_letter
from paohuzi_env.position import Position, answer, answer_lines, waits
from paohuzi_env.rules import empty_evals, preset_names, rule_set

CASES = Path(__file__).parent / "data" / "positions.jsonl"
WIN: dict[str, Any] = {
    "hand": "acfghiiCCCDEF", "melds": ["peng:eee", "ti:JJJJ"], "tile": "b", "source": "other_draw",
}  # fmt: skip


@cache
def cases() -> list[dict[str, Any]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def agrees(query: Mapping[str, Any], ours: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether an answer says the same; the words of a reason are free, and so is the choice of a best division."""
    if not wanted.get("hu"):
        return set(ours) == set(wanted) and ours.get("hu") == wanted.get("hu")
    if (ours.get("hu"), ours.get("huxi"), ours.get("base")) != (True, wanted["huxi"], wanted["base"]):
        return False
    rules, hand, melds, win = read_query(query)
    table = lay(rules, hand, melds, win)
    best = twin_judge(rules, *table)
    assert not isinstance(best, str)
    mine = {**ours, "groups": sorted(ours["groups"])}
    return any(
        {"hu": True, **one.as_answer()} == mine and one.payment == best.payment for one in twin_verdicts(rules, *table)
    )


# --- the frozen cases and the twin ----------------------------------------------------------------------------------


@pytest.mark.boundscheck
@pytest.mark.rule("7.1", "7.3", "7.4", "7.5", "8.1", "8.2", "8.3", "8.4")
def test_every_frozen_case_is_answered_alike() -> None:
    wrong = []
    for case in cases():
        ours, wanted = answer(case["query"]), case["answer"]
        same = {**ours, "groups": None} == {**wanted, "groups": None} if wanted.get("hu") else True
        if not same or not agrees(case["query"], ours, wanted):
            wrong.append((case["query"], ours, wanted))
    assert wrong == []


@pytest.mark.interpreted
def test_frozen_cases_are_answered_alike_by_interpreted_kernels() -> None:
    some_cases = [case for case in cases() if "*" not in str(case["query"])][::20]
    assert [case for case in some_cases if not agrees(case["query"], answer(case["query"]), case["answer"])] == []


@pytest.mark.boundscheck
@pytest.mark.rule("10.1", "10.2", "10.3", "10.4", "10.5", "10.6")
@pytest.mark.parametrize("seed", range(6))
def test_random_positions_of_the_presets_are_judged_as_by_the_twin(seed: int) -> None:
    chance = random.Random(seed)
    names = ("hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi")
    for _ in range(60):
        spec: Any = chance.choice(names)
        if chance.random() < 0.5:
            spec = {"preset": spec, "min_huxi": chance.choice((0, 6, 15))}
        query = random_query(spec, chance)
        assert agrees(query, answer(query), twin_answer(query)), query


@pytest.mark.rule("11")
@pytest.mark.parametrize("seed", range(6))
def test_random_positions_of_random_rule_sets_are_judged_as_by_the_twin(seed: int) -> None:
    chance = random.Random(seed + 1000)
    for _ in range(60):
        query = random_query(random_rules(chance), chance)
        assert agrees(query, answer(query), twin_answer(query)), query


@pytest.mark.rule("7.5")
@given(some.randoms(use_true_random=False), some.integers(0, 899))
def test_the_order_and_the_script_of_tiles_never_matter(dice: random.Random, number: int) -> None:
    case = cases()[number]
    query = dict(case["query"])
    if "error" in case["answer"]:
        return
    hand = list(query["hand"])
    dice.shuffle(hand)
    query["hand"] = "".join(GLYPHS[LETTERS.index(t)] if t in LETTERS and dice.random() < 0.5 else t for t in hand)
    query["melds"] = dice.sample(query["melds"], len(query["melds"]))
    ours, before = answer(query), answer(case["query"])
    keys = ("hu", "huxi", "base", "why")
    assert [ours.get(key) for key in keys] == [before.get(key) for key in keys]


# --- single clauses -------------------------------------------------------------------------------------------------


def groups_of(hand: str, melds: list[str], tile: str, source: str, **rules: Any) -> list[str]:
    """The doors of the best division, all rule fields as in hunan but for `rules`."""
    found = answer(
        {"rules": {"preset": "hunan", **rules}, "hand": hand, "melds": melds, "tile": tile, "source": source}
    )
    assert found.get("hu"), found
    return sorted(found["groups"])


@pytest.mark.interpreted
@pytest.mark.rule("7.1", "8.1", "8.4")
def test_a_win_is_answered_with_its_doors_and_its_worth() -> None:
    assert answer(WIN) == {
        "hu": True,
        "huxi": 22,
        "groups": ["peng:eee", "ti:JJJJ", "kan:CCC", "jiang:ii", "ju:abc", "ju:fgh", "ju:DEF"],
        "patterns": [],
        "fan": 1,
        "deng": 3,
        "base": 3,
    }


@pytest.mark.interpreted
@pytest.mark.rule("6.5(a)", "7.4")
def test_a_kan_and_the_own_draw_are_a_ti() -> None:
    assert "ti:CCCC" in groups_of("CCCabcdefghijjDEF", ["chi:bgj"], "C", "own_draw", min_huxi=0)


@pytest.mark.rule("6.5(b)")
def test_a_pair_and_the_own_draw_are_a_wei_and_another_seats_tile_makes_a_peng() -> None:
    hand, melds = "CCabcdefghiJJJ", ["chi:bgj", "chi:bgj"]
    assert "wei:CCC" in groups_of(hand, melds, "C", "own_draw", min_huxi=0)
    assert "peng:CCC" in groups_of(hand, melds, "C", "other_draw", min_huxi=0)


@pytest.mark.rule("7.3", "5.3")
def test_a_peng_on_the_table_grows_by_a_wall_tile_and_not_by_a_discard() -> None:
    query = {**WIN, "hand": "abcfghiiCCCDEF", "melds": ["peng:eee", "chi:bgj"], "tile": "e"}
    free = {"preset": "hunan", "min_huxi": 0, "hu_on_discard": True}
    assert "pao:eeee" in answer({**query, "rules": free})["groups"]
    assert answer({**query, "rules": free, "source": "upcard_other"})["hu"]
    assert not answer({**query, "rules": free, "source": "discard"})["hu"]


@pytest.mark.rule("2.4")
def test_the_dealers_upcard_is_a_tile_of_the_hand() -> None:
    assert "kan:CCC" in groups_of("CCabcdefghiJJJDEFDEF", [], "C", "upcard_dealer", min_huxi=0)


@pytest.mark.rule("10.5")
def test_who_holds_a_wild_tile_wins_on_own_draws_only() -> None:
    query = {**WIN, "rules": "yongzhou", "hand": "acfghi*CCCDEF"}
    assert answer({**query, "source": "own_draw"})["patterns"] == ["zi_mo"]
    assert not answer(query)["hu"]


@pytest.mark.rule("6.3", "5.9", "7.2")
@pytest.mark.parametrize(
    "change", [{"dead": True}, {"stale_hu": True}, {"source": "discard"}, {"rules": "luzhou", "source": "upcard_other"}]
)
def test_a_barred_hand_is_a_plain_no(change: dict[str, Any]) -> None:
    found = answer({**WIN, **change})
    assert found["hu"] is False
    assert found["why"]


@pytest.mark.rule("8.7")
def test_the_base_is_capped_and_the_deng_is_not() -> None:
    found = answer({**WIN, "rules": {"preset": "hunan", "cap": 2}})
    assert (found["base"], found["deng"]) == (2, 3)


@pytest.mark.rule("10.6")
def test_a_base_made_of_huxi_has_no_deng() -> None:
    assert answer({**WIN, "rules": "bopi"})["deng"] is None


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"hand": "acfghiiCCCDEx"}, "hand: character 13"),
        ({"hand": "eeefghiiCCCDE"}, "6 tiles 'e'"),
        ({"hand": "acfghiiCCCCEF"}, "four 'C'"),
        ({"hand": "acfghiiCCCDE"}, "19 tiles"),
        ({"hand": "acfghiiCCCDE*"}, "1 tiles '*'"),
        ({"hand": ["a"]}, "hand: tiles of type list; allowed: a text"),
        ({"hand": None}, "hand: tiles of type NoneType"),
        ({"tile": "bb"}, "2 tiles"),
        ({"tile": ""}, "0 tiles"),
        ({"tile": 3}, "tile: tiles of type int; allowed: a text"),
        ({"tile": "?"}, "tile: character 1"),
        ({"source": "wall"}, "'wall'"),
        ({"source": []}, "source []"),
        ({"melds": "peng:eee"}, "type str"),
        ({"melds": ["peng:eef"]}, "peng"),
        ({"melds": ["kan:eee", "ti:JJJJ"]}, "kan"),
        ({"melds": ["wei:???", "ti:JJJJ"]}, "wei"),
        ({"melds": ["peng:eee", 7]}, "melds[1]: meld of type int"),
        ({"melds": ["foo"]}, "melds[0]: meld 'foo'; allowed: KIND:TILES with KIND one of peng, wei"),
        ({"melds": ["peng:eee", "ti:JJJ"]}, "melds[1]: tiles 'JJJ' are no ti"),
        ({"rules": "xunan"}, "xunan"),
        ({"rules": 5}, "rules: 5; allowed: hunan"),
        ({"rules": "rules.toml"}, "rules.toml"),
        ({"rules": '{"preset": "hunan"}'}, "preset"),
        ({"rules": {"preset": "hunan", "xyz": 1}}, "xyz"),
        ({"rules": {"preset": "hunan", "min_huxi": "x"}}, "rules: min_huxi = 'x'"),
        ({"rules": {"preset": "hunan", "cap": {1: {2}}}}, "rules"),
        ({"last_tile": 1}, "last_tile 1"),
        ({"dead": None}, "dead None"),
        ({"drawn_before": -1}, "drawn_before -1"),
        ({"drawn_before": True}, "drawn_before True"),
        ({"drawn_before": 10**9}, "drawn_before"),
        ({"drawn_before": 1.0}, "drawn_before 1.0"),
        ({"wind": "east"}, "'wind'"),
    ],
)
def test_a_query_that_is_no_position_says_what_is_wrong(change: dict[str, Any], words: str) -> None:
    found = answer({**WIN, **change})
    assert list(found) == ["error"]
    assert words in found["error"]


@pytest.mark.parametrize("field", ["hand", "tile", "source"])
def test_a_query_names_the_field_that_it_lacks(field: str) -> None:
    found = answer({key: value for key, value in WIN.items() if key != field})
    assert f"no field {field!r}" in found["error"]


@pytest.mark.rule("6.1", "6.3")
def test_the_numbers_of_tiles_are_those_that_play_reaches() -> None:
    no_quad, one, two = ["peng:eee"], ["ti:eeee"], ["ti:eeee", "pao:ffff"]
    tiles = "aabbccddgghhiijjAABBCCDD"
    reached = {0: no_quad, 1: one, 2: two}
    for quads, melds in reached.items():
        for dead in (False, True):
            sizes = []
            for held in range(3, 24):
                query = {"hand": tiles[:held], "melds": melds, "tile": "J", "source": "own_draw", "dead": dead}
                if "error" not in answer(query):
                    sizes.append(held + (4 * quads or 3))
            usual = {0: [20], 1: [20], 2: [20, 21]}[quads]
            assert sizes == ([*usual, *{0: [21], 1: [21, 22], 2: [22, 23]}[quads]] if dead else usual)


def test_position_raises_what_answer_reports() -> None:
    with pytest.raises(NotationError):
        Position.from_query([])  # type: ignore[arg-type]
    with pytest.raises(RuleSetError):
        Position.from_query({**WIN, "rules": {"preset": "none such"}})
    with pytest.raises(NotationError):
        Position(rule_set(), (0,) * 20, (), 1, "own_draw")
    with pytest.raises(NotationError):
        waits("abc")
    with pytest.raises(NotationError):
        waits("abcdefghijABCDEFG", [Meld("kan", (7, 7, 7))])


def test_a_bad_line_is_answered_and_the_rest_too() -> None:
    good = json.dumps(WIN).encode()
    lines = [
        good,
        b"",
        b"   ",
        b"[]",
        b"null",
        b"{",
        b'{"hand": "\xff"}',
        b"[" * 5000,
        b'{"hand": ' + b'"' + b"a" * (position.MOST_BYTES + 5) + b'"}',
        b'{"hand": "a", "hand": "b"}',
        b'{"drawn_before": NaN}',
        b'{"drawn_before": ' + b"9" * 5000 + b"}",
        b'{"hand": "\\ud800", "tile": "a", "source": "own_draw"}',
        b"\xef\xbb\xbf" + good,
        good + b"\r",
    ]
    for source in (lines, io.BytesIO(b"\n".join(lines))):
        found = list(answer_lines(source))
        assert len(found) == len(lines)
        assert ["error" in one for one in found] == [False, *[True] * 12, False, False]
        assert all(len(json.dumps(one, ensure_ascii=False).encode()) < 2000 for one in found)


def test_lines_are_answered_as_they_come() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield json.dumps(WIN)

    assert next(iter(answer_lines(endless())))["hu"]


# --- waits ------------------------------------------------------------------------------------------------------------


def asked(spec: Any, hand: str, melds: list[str], kind: int, source: str) -> dict[str, Any]:
    return {"rules": spec, "hand": hand, "melds": melds, "tile": tile_letter(kind), "source": source}


@pytest.mark.boundscheck
@pytest.mark.rule("6.5", "7.2", "7.3")
@pytest.mark.parametrize("seed", range(4))
def test_waits_are_all_tiles_that_the_twin_lets_win(seed: int) -> None:
    chance = random.Random(seed)
    compared = 0
    while compared < 12:
        spec = random_rules(chance)
        query = random_query(spec, chance)
        if "error" in answer(query):
            continue
        hand, melds = query["hand"], query["melds"]
        compared += 1
        found = {
            (wait.kind, draw): getattr(wait, draw) for wait in waits(hand, melds, rule_set(spec)) for draw in DRAWS
        }
        for kind in range(WILD + 1):
            for draw, source in DRAWS.items():
                one = asked(spec, hand, melds, kind, source)
                wanted, verdict = twin_answer(one), found.get((kind, draw))
                assert bool(wanted.get("hu")) == (verdict is not None), one
                if verdict is not None:
                    assert agrees(one, {"hu": True, **verdict.as_answer()}, wanted), one


DRAWS = {"own": "own_draw", "other": "other_draw"}


@pytest.mark.rule("10.5")
def test_a_wait_is_worth_what_the_answer_says() -> None:
    for spec, hand, melds in (
        ("hunan", "acfghiiCCCDEF", ["peng:eee", "ti:JJJJ"]),
        ("yongzhou", "acfghi*CCCDEF", ["peng:eee", "ti:JJJJ"]),
        ("luzhou", "CCabcdefghiJJJ", ["chi:bgj", "chi:bgj"]),
    ):
        found = waits(hand, melds, spec)
        assert found
        for wait in found:
            for draw, source in DRAWS.items():
                verdict, said = getattr(wait, draw), answer(asked(spec, hand, melds, wait.kind, source))
                assert said == ({"hu": True, **verdict.as_answer()} if verdict else {"hu": False, "why": said["why"]})


def test_a_tile_with_all_copies_in_sight_is_no_wait() -> None:
    for quad, is_wait in (("ti:JJJJ", True), ("ti:bbbb", False)):
        kinds = {wait.kind for wait in waits("acfghiiCCCDEF", ["peng:eee", quad])}
        assert (LETTERS.index("b") in kinds) == is_wait


def test_a_dead_hand_waits_for_nothing_and_flags_of_a_position_count() -> None:
    query = {**WIN, "tile": "a"}
    assert waits(Position.from_query({**query, "dead": True})) == []
    plain = waits(Position.from_query(query))
    last = waits(Position.from_query({**query, "last_tile": True}))
    assert plain == waits(WIN["hand"], WIN["melds"])
    assert [wait.kind for wait in plain] == [wait.kind for wait in last]
    assert all(wait.other is None or "hai_di" in wait.other.patterns for wait in last)


def melds_of(game: Game, seat: int) -> list[Meld]:
    g = game.record
    found = []
    for m in range(g["melds_n"][seat]):
        kind, name = int(g["meld_kind"][seat, m]), MELD_NAMES[g["meld_type"][seat, m]]
        count = 4 if name in ("pao", "ti") else 3
        tiles = group_of(kind, int(g["meld_shape"][seat, m])) if name == "chi" else (kind,) * count
        found.append(Meld(name, tiles))
    return found


@pytest.mark.boundscheck
@pytest.mark.interpreted
@pytest.mark.parametrize("preset", ["hunan", "yongzhou", "luzhou"])
def test_waits_of_a_game_are_those_of_its_tiles_and_leave_it_as_it_was(preset: str) -> None:
    rules = rule_set({"preset": preset, "min_huxi": 0})
    evals, out = empty_evals(), st.allocate(1, core.WAITS)
    chance = random.Random(5)
    game = Game.deal(rules, seed=11)
    for _ in range(25):
        if game.over:
            break
        before = game.to_bytes()
        for seat in range(rules.seats):
            core.list_waits(game._array, 0, seat, rules.record, evals, out)
            assert game.to_bytes() == before
            if game.record["dead"][seat] or (seat == game.actor and game.phase in ("discard", "bi")):
                continue  # it has a tile too many to wait
            g = game.record
            wait_flags = {
                "last_tile": bool(evals["last_tile"][0]),
                "no_intake": not g["intake"][seat],
                "drawn_before": int(g["drawn_before"]),
            }
            hand, melds = tuple(game.hand(seat)), tuple(melds_of(game, seat))
            tiles = [*hand, *(tile for meld in melds for tile in meld.tiles)]
            free = next(kind for kind in range(WILD) if tiles.count(kind) < 4)
            held = Position(rules, hand, melds, free, "own_draw", **wait_flags)
            for n, draw in enumerate(DRAWS):
                found = {wait.kind: getattr(wait, draw) for wait in waits(held) if getattr(wait, draw)}
                assert found.keys() == {k for k in range(WILD + 1) if out["kinds"][0, n] >> k & 1}
                for kind, verdict in found.items():
                    assert (verdict.huxi, verdict.base) == (out["huxi"][0, n, kind], out["base"][0, n, kind])
        game.step(chance.choice(game.legal_actions))


def test_every_preset_can_be_asked() -> None:
    for name in preset_names():
        rules = rule_set(name)
        hand = parse_tiles("aabbccddeeffgghhiijj")[: rules.hand_size]
        if all(kind % 10 < rules.ranks for kind in hand):
            waits(hand, (), rules)


# --- speed ------------------------------------------------------------------------------------------------------------


def test_the_benchmark_measures_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = pytest.importorskip("benchmarks.evaluator", reason="benchmarks are no part of the installed package")
    monkeypatch.setattr(benchmark, "LEAST_SECONDS", 0.001)
    monkeypatch.setattr(benchmark, "CALIBRATION_ROUNDS", 1000)
    figures = benchmark.measure(positions=20, runs=1)
    assert set(benchmark.TARGETS) < set(figures)
    assert all(value > 0 for value in figures.values())
