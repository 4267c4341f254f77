"""Game records: what is written is what was played, and nothing that differs from the rules is taken."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deals import biased_deal, random_rules
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lockstep import Tally, play_hand, rules_for
from reference.judge import enough, verdicts

from paohuzi_env.core import log
from paohuzi_env.division import Win
from paohuzi_env.errors import RecordError
from paohuzi_env.game import Game
from paohuzi_env.notation import GLYPHS, LETTERS
from paohuzi_env.record import (
    RecordWriter,
    parse_record,
    read_records,
    record_line,
    record_of,
    replay,
    replay_records,
    result_of,
    write_records,
)
from paohuzi_env.record_form import KEYS, MOST_BYTES
from paohuzi_env.rules import rule_set
from paohuzi_env.selfplay import play_random

DATA = Path(__file__).parent / "data"
FILES = sorted(DATA.glob("games-*.phz.jsonl"))
Record = dict[str, Any]


def cases(every: int = 1) -> list[Any]:
    """The frozen hands, or each so many-th of them."""
    found = []
    for file in FILES:
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if number % every == 0:
                found.append(pytest.param(json.loads(line), id=f"{file.name.split('.')[0][6:]}-{number}"))
    return found


def finished(rules: Any = "hunan", seed: int = 0, index: int = 0, take_hu: bool = True) -> Game:
    return play_random(rule_set(rules), seed, index, take_hu=take_hu)[0]


def won(rules: str = "hunan") -> Record:
    """A record of random play that somebody won, with lists of choices."""
    index = next(i for i in range(1000) if finished(rules, 3, i).record["win_source"] in (0, 1))
    game = finished(rules, 3, index)
    return record_of(game, seed=3, players=["x"] * game.rules.seats, legal=True, meta={"hand": index})


def refused(record: object, *words: str, event: int | None = None) -> RecordError:
    with pytest.raises(RecordError) as caught:
        replay(record, file="file", line=4)  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith("file:4: ")
    assert "\n" not in message
    assert len(message) < 2000
    for word in words:
        assert word in message
    if event is not None:
        assert caught.value.event == event
    return caught.value


# --- both ways --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", cases())
def test_a_frozen_hand_replays_and_is_written_again_as_it_was(case: Record) -> None:
    found = replay(case)
    assert found.game.over
    again = record_of(found.game, seed=case["seed"], players=case["players"], legal=True, version=False)
    if "groups" in case["result"]:  # of several best divisions any will do
        assert Win(found.game).why_not(*(case["result"][key] for key in ("groups", "patterns", "fan"))) is None
        again["result"]["groups"] = case["result"]["groups"]
    assert again == case
    assert list(again) == [key for key in KEYS if key in again]


@pytest.mark.interpreted
@pytest.mark.boundscheck
@pytest.mark.parametrize("case", cases(every=15))
def test_some_frozen_hands_replay_in_every_mode(case: Record) -> None:
    assert replay(case).game.over


@pytest.mark.parametrize("case", cases(every=15))
def test_the_states_of_a_replay_lead_from_the_deal_to_its_end(case: Record) -> None:
    found = replay(case)
    states = list(found.states())
    assert [game.legal_texts() for game, _ in states] == case["legal"]
    for (game, decision), later in zip(states, [*[g for g, _ in states[1:]], found.game], strict=True):
        assert game.actor == decision.seat
        assert case["events"][decision.event - 1] == f"{decision.seat} {decision.choice}"
        game.step(decision.action)
        assert game == later
    assert len({id(game) for game, _ in states}) == len(states)


@pytest.mark.parametrize("rules", ["hunan", "huaihua", "changde", "luzhou", "yongzhou", "bopi", "mini"])
def test_hands_of_every_rule_set_come_back_as_they_were(rules: str) -> None:
    for index in range(40):
        game = finished(rules, 5, index)
        record = record_of(game, legal=index % 4 == 0)
        assert record["rules"] == rules
        assert record["rules_hash"] == game.rules.hash
        found = replay(json.loads(record_line(record)))
        game.record["rng"] = 0  # the generator's word is no part of a record
        assert found.game == game
        assert result_of(found.game) == record["result"]


@pytest.mark.parametrize("number", range(60))
def test_hands_of_any_rule_set_come_back_as_they_were(number: int) -> None:
    chance = random.Random(f"record {number}")
    rules = rule_set(random_rules(chance))
    drawn_before = chance.choice((0, 3))
    game = Game.from_tiles(rules, **_deal(rules, chance), drawn_before=drawn_before)
    choices = []
    while not game.over:
        choices.append(game.legal_texts())
        game.step(chance.choice(game.legal_actions))
    record = record_of(game, legal=choices)
    assert record.get("drawn_before", 0) == drawn_before
    assert replay(json.loads(record_line(record))).game == game
    assert record_of(game, legal=True) == record


def _deal(rules: Any, chance: random.Random) -> dict[str, Any]:
    from reference.rules import make_rules

    return biased_deal(make_rules({"preset": rules.name, **_spec(rules)}), chance)


def _spec(rules: Any) -> dict[str, Any]:
    return {} if isinstance(rules.spec, str) else rules.spec


def test_a_table_of_two_keeps_the_third_hand_aside() -> None:
    record = record_of(finished({"preset": "luzhou", "players": 2}))
    assert len(record["hands"]) == 2
    assert len(record["aside"]) == 20
    assert replay(record).rules.seats == 2
    assert replay({**record, "rules": "luzhou"} | {"rules_hash": record["rules_hash"]}).rules.seats == 2


def test_only_a_finished_hand_has_a_record() -> None:
    with pytest.raises(ValueError, match="not over"):
        record_of(Game.deal("hunan"))


def test_what_is_handed_in_with_a_hand_is_checked() -> None:
    game = finished()
    with pytest.raises(RecordError, match="players"):
        record_of(game, players=["a", "b"])
    with pytest.raises(RecordError, match="seed"):
        record_of(game, seed=-1)
    with pytest.raises(RecordError, match="match"):
        record_of(game, match={"id": 1})


def test_optional_keys_are_kept() -> None:
    match = {"id": "final", "hand": 2, "seats": [2, 0, 3], "totals": [4, 0, -2, -2]}
    record = record_of(finished(), seed=7, players=["a", "b", "壹"], match=match, meta={"any": [None, 1.5]})
    found = replay(json.loads(record_line(record))).record
    assert found == record
    assert found["match"] == match


# --- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", log.FAULTS)
@pytest.mark.parametrize("seat", range(3))
def test_a_fault_ends_a_hand_and_its_record(kind: str, seat: int) -> None:
    game = Game.deal("hunan", 4)
    for _ in range(3):
        game.step(game.legal_actions[0])
    game.fault(seat, kind)
    record = record_of(game, legal=True)
    assert record["events"][-1] == f"{seat} fault {kind}"
    assert record["result"] == {
        "fault": {"seat": seat, "kind": kind},
        "scores": [-20 if s == seat else 10 for s in range(3)],
    }
    assert len(record["legal"]) == 3
    assert replay(record).game.scores == tuple(record["result"]["scores"])


def test_a_fault_that_is_none_is_refused() -> None:
    game = Game.deal("hunan", 4)
    game.fault(1, "crash")
    record = record_of(game)
    number = len(record["events"])
    for event in ("1 fault", "1 fault nonsense", "7 fault crash", "x fault crash", "1 fault crash now"):
        refused({**record, "events": [*record["events"][:-1], event]}, "fault")
    refused({**record, "events": [*record["events"], "0 fault crash"]}, "over", event=number + 1)
    refused({**record, "result": {"winner": None, "scores": [0, 0, 0]}}, "result")
    refused({**record, "result": {**record["result"], "scores": [10, -10, 0]}}, "scores")


# --- the division -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("7.1", "7.3", "7.5", "8.8")
@pytest.mark.parametrize("number", range(80))
def test_any_best_division_will_do_and_no_other(number: int) -> None:
    chance = random.Random(f"division {number}")
    pair = play_hand(
        rules_for(number, "any" if number % 4 == 0 else "presets" if number % 4 == 1 else "yongzhou", chance),
        chance,
        Tally(),
    )
    if pair.twin.win is None:
        return
    win, rules = Win(pair.core), pair.twin.rules
    every = [v for v in verdicts(rules, *pair.twin.win) if enough(rules, v)]
    best = max((v.payment, v.huxi) for v in every)
    good = {(v.groups, v.patterns, v.fan) for v in every if (v.payment, v.huxi) == best}
    for verdict in every:
        groups = list(verdict.groups)
        chance.shuffle(groups)
        is_good = (verdict.groups, verdict.patterns, verdict.fan) in good
        assert (win.why_not(groups, verdict.patterns, verdict.fan) is None) == is_good, groups
        assert win.why_not(groups, verdict.patterns, verdict.fan + 1) is not None
        groups[0] = chance.choice(["kan:aaa", "jiang:bb", "ju:abc", "pao:cccc", groups[-1]])
        if not any(sorted(groups) == list(v.groups) for v in every):
            assert win.why_not(groups, verdict.patterns, verdict.fan) is not None


@pytest.mark.rule("7.5", "8.8")
def test_a_best_division_may_have_other_patterns() -> None:
    record = json.loads((DATA / "tie.phz.jsonl").read_text(encoding="utf-8"))
    ours = result_of(replay(record).game)
    both = [{**record["result"], **{key: r[key] for key in ("groups", "patterns")}} for r in (record["result"], ours)]
    assert {tuple(result["patterns"]) for result in both} == {("shuang_wang",), ("hong_hu", "wang_diao")}
    for result in both:
        assert replay({**record, "result": result}).game.over
    refused({**record, "result": {**both[0], "patterns": both[1]["patterns"]}}, "shuang_wang")
    refused({**record, "result": {**both[1], "groups": both[0]["groups"]}}, "shuang_wang")


def test_groups_that_are_no_division_are_refused_with_the_reason() -> None:
    record = won()
    groups = record["result"]["groups"]
    for wrong, word in [
        (groups[1:], "doors"),
        ([*groups[1:], groups[0], groups[0]], "doors"),
        (["kan:???", *groups[1:]], "groups"),
        (["peng:aaa", *groups[1:]], "groups"),
        (["nonsense", *groups[1:]], "KIND"),
        ([f"kan:{LETTERS[5] * 3}"] * 7, "groups"),
    ]:
        refused({**record, "result": {**record["result"], "groups": wrong}}, word)
    turned = {**record, "result": {**record["result"], "groups": groups[::-1]}}
    assert replay(turned).game.over


# --- edits ------------------------------------------------------------------------------------------------------------


def test_every_event_left_out_doubled_or_swapped_is_refused() -> None:
    record = won()
    events = record["events"]
    for place in range(len(events)):
        refused({**record, "events": events[:place]}, "ends here" if place else "")
        refused({**record, "events": events[:place] + events[place + 1 :]})
        refused({**record, "events": [*events[: place + 1], *events[place:]]})
        if place and events[place] != events[place - 1]:
            refused(
                {**record, "events": [*events[: place - 1], events[place], events[place - 1], *events[place + 1 :]]}
            )
    refused({**record, "events": [*events, "0 draw a"]}, "over", event=len(events) + 1)


def test_every_list_of_choices_left_out_or_edited_is_refused() -> None:
    record = won()
    legal = record["legal"]
    for place, choices in enumerate(legal):
        refused({**record, "legal": legal[:place] + legal[place + 1 :]}, "legal")
        refused({**record, "legal": [*legal[:place], [*choices, "discard a"], *legal[place + 1 :]]}, f"legal[{place}]")
        if len(choices) > 1:
            refused({**record, "legal": [*legal[:place], choices[::-1], *legal[place + 1 :]]}, f"legal[{place}]")
            refused({**record, "legal": [*legal[:place], choices[1:], *legal[place + 1 :]]}, f"legal[{place}]")
    refused({**record, "legal": [*legal, ["pass hu"]]}, "legal")


def test_every_number_of_the_result_is_compared() -> None:
    record = won()
    for key in ("winner", "huxi", "fan", "deng", "base"):
        refused({**record, "result": {**record["result"], key: record["result"][key] + 1}})
        refused({**record, "result": {k: v for k, v in record["result"].items() if k != key}})
    other = "a" if record["result"]["tile"] != "a" else "b"
    edits = {
        "tile": (other, None),
        "patterns": (["wu_hu"],),
        "scores": ([0, 0, 0],),
        "deng": (None,),
        "winner": (None,),
    }
    for key, values in edits.items():
        for value in values:
            refused({**record, "result": {**record["result"], key: value}})
    refused({**record, "result": {**record["result"], "more": 1}}, "more")


def test_every_tile_of_the_deal_matters() -> None:
    record = won()
    swapped = [record["hands"][0][:-1] + record["wall"][0], *record["hands"][1:]]
    refused({**record, "hands": [record["hands"][1], record["hands"][0], record["hands"][2]]})
    refused({**record, "hands": record["hands"][:2]})
    refused({**record, "hands": swapped}, "deal")
    refused({**record, "wall": record["wall"][1:]}, "wall")
    refused({**record, "wall": record["wall"][::-1]})
    refused({**record, "upcard": ""}, "upcard")
    refused({**record, "upcard": "*"}, "deal")
    refused({**record, "dealer": (record["dealer"] + 1) % 3})
    refused({**record, "aside": "a" * 20}, "aside")
    refused({**record, "hands": ["a" * 20, "b" * 20, "c" * 20]}, "deck")


@pytest.mark.rule("10.4")
def test_a_wall_before_the_exchange_of_its_last_tile_is_refused() -> None:
    for index in range(100):
        record = record_of(finished("luzhou", 0, index))
        wall = record["wall"]
        if wall[0] in "bgjBGJ" and wall[-1] not in "bgjBGJ":
            refused({**record, "wall": wall[1:] + wall[0]}, "exchange")
            return
    raise AssertionError("no such wall")


@pytest.mark.parametrize("key", ["format", "rules", "dealer", "hands", "upcard", "wall", "events", "result"])
def test_a_needed_key_left_out_is_refused(key: str) -> None:
    record = won()
    del record[key]
    refused(record, key)


def test_what_the_format_does_not_know_is_refused() -> None:
    record = won()
    refused({**record, "extra": 1}, "extra")
    refused({**record, "format": "paohuzi-record/2"}, "format")
    refused({**record, "format": 1}, "format")
    refused({**record, "rules": "nonsense"}, "rules")
    refused({**record, "rules": "/etc/passwd.json"}, "rules")
    refused({**record, "rules": '{"preset": "hunan"}'}, "rules")
    refused({**record, "rules": {"preset": "hunan", "nonsense": 1}}, "nonsense")
    refused({**record, "rules_hash": "0" * 16}, "rules_hash")
    refused({**record, "rules": "huaihua", "rules_hash": record["rules_hash"]}, "rules_hash")
    refused({**record, "match": {"id": 1, "hand": 0, "seats": [0, 1], "totals": [0, 0, 0]}}, "seats")
    refused({**record, "match": {"id": 1, "hand": 0, "seats": [0, 1, 1], "totals": [0, 0, 0]}}, "seats")
    refused({**record, "match": {"id": 1, "hand": 0, "seats": [0, 1, 2], "totals": [0, 0, 0], "x": 1}}, "x")


WRONG: list[Any] = [
    None, True, False, -1, 1.0, 10**30, "", "x", "\x00", "\ud800", "壹" * 1000, [], [[]], ["a"] * 1000, {}, {"a": {}},
    [None], [True], [[1]], {"seat": 0}, float("nan"), "王", "*", "0 draw a", b"a", (1, 2), {1: 2},
]  # fmt: skip


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in a record."""
    if here:
        yield here
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*here, key))
    elif isinstance(value, list):
        for place in range(len(value)):
            yield from paths(value[place], (*here, place))


def edited(record: Record, path: tuple[Any, ...], edit: Callable[[Any, Any], None]) -> Record:
    changed = copy.deepcopy(record)
    holder: Any = changed
    for step in path[:-1]:
        holder = holder[step]
    edit(holder, path[-1])
    return changed


def meaning(record: Record) -> Record:
    """What a replay depends on: without what is informative only, groups in one order."""
    free = ("seed", "players", "version", "rules_hash", "match", "meta", "legal")
    left = {key: value for key, value in copy.deepcopy(record).items() if key not in free}
    left["hands"] = ["".join(sorted(hand)) for hand in left["hands"]]
    if "groups" in left["result"]:
        left["result"]["groups"] = sorted(left["result"]["groups"])
    if left.get("drawn_before") == 0:
        del left["drawn_before"]
    return left


def refused_or_the_same(record: Record, original: Record) -> None:
    """A changed record is refused by the one error there is, or means what it meant."""
    try:
        found = replay(record)
    except RecordError:
        return
    if found.record.get("drawn_before") or found.record["rules"] != original["rules"]:
        assert result_of(found.game)["scores"] == found.record["result"]["scores"]  # another hand, itself right
        return
    assert meaning(found.record) == meaning(original)


def test_any_wrong_value_anywhere_is_refused_or_means_the_same() -> None:
    record = record_of(
        finished("mini", 1, 0), seed=1, players=["a", "b"], legal=True, meta={},
        match={"id": "x", "hand": 0, "seats": [1, 0], "totals": [0, 0]},
    )  # fmt: skip
    for path in paths(record):
        for wrong in WRONG:
            changed = edited(record, path, lambda holder, key, wrong=wrong: holder.__setitem__(key, wrong))
            refused_or_the_same(changed, record)
        refused_or_the_same(edited(record, path, lambda holder, key: holder.__delitem__(key)), record)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["a", "0 draw a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
SLOW = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
ORIGINALS = [won(), won("yongzhou"), record_of(finished("luzhou", 0, 1), legal=True), record_of(finished("mini", 1))]


@SLOW
@given(st.data())
def test_a_record_with_any_value_changed_is_refused_or_means_the_same(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from(ORIGINALS))
    path = data.draw(st.sampled_from(list(paths(original))))
    value = data.draw(JSON_VALUES)
    refused_or_the_same(edited(original, path, lambda holder, key: holder.__setitem__(key, value)), original)


@SLOW
@given(st.data())
def test_a_line_with_any_bytes_changed_is_refused_or_means_the_same(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from(ORIGINALS))
    line = bytearray(record_line(original).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(line) - 1))
        end = place + data.draw(st.integers(0, 3))
        line[place:end] = data.draw(
            st.binary(max_size=3) | st.sampled_from([b"a", b"J", b'"', b"0", b",", b"[", b"\x00"])
        )
    try:
        record = parse_record(bytes(line))
    except RecordError:
        return
    refused_or_the_same(record, original)


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"   \n", b"\x00\n", b"\xff\xfe\x00\n", b"null\n", b"[]\n", b"1\n", b'"x"\n', b"{}\n", b"{\n",
        b"NaN\n", b'{"format": Infinity}\n', b"[" * 200_000 + b"\n", b'{"a":' * 100_000 + b"\n", b"9" * 5000 + b"\n",
        b'{"format": "paohuzi-record/1", "format": "paohuzi-record/1"}\n', b'{"format": "\\ud800"}\n',
        b"x" * (MOST_BYTES + 10) + b"\n", os.urandom(500).replace(b"\n", b"") + b"\n",
    ],
)  # fmt: skip
def test_rubbish_is_refused_with_its_line(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "rubbish.phz.jsonl"
    good = record_line(ORIGINALS[0]).encode()
    file.write_bytes(good + line)
    if not line:
        assert len(list(read_records(file))) == 1
        return
    for verify in (True, False):
        records = read_records(file, verify=verify)
        next(records)
        with pytest.raises(RecordError) as caught:
            next(records)
        assert caught.value.line == 2
        assert caught.value.file == str(file)


def test_a_record_cut_anywhere_is_refused(tmp_path: Path) -> None:
    line = record_line(ORIGINALS[3]).encode()
    for end in range(1, len(line) - 1):
        with pytest.raises(RecordError):
            parse_record(line[:end])
    file = tmp_path / "cut.phz.jsonl"
    file.write_bytes(line[:-1])  # only the line's end is missing
    assert len(list(replay_records(file))) == 1


def test_chinese_characters_and_spaces_are_read_as_letters() -> None:
    glyphs = str.maketrans(LETTERS, GLYPHS)

    def chinese(text: str, head: int) -> str:
        words = text.split(" ")
        if len(words) <= head or words[head - 1] in ("pass", "fault"):
            return text
        return " ".join([*words[:-1], " ".join(words[-1][::-1].translate(glyphs))])

    for original in ORIGINALS:
        record = copy.deepcopy(original)
        for key in ("upcard", "wall", "aside"):
            if key in record:
                record[key] = record[key].translate(glyphs)
        record["hands"] = [" ".join(hand).translate(glyphs) for hand in record["hands"]]
        record["events"] = [chinese(event, 2) for event in record["events"]]
        if "legal" in record:
            record["legal"] = [[chinese(choice, 1) for choice in choices] for choices in record["legal"]]
        result = record["result"]
        if "groups" in result:
            result["tile"] = result["tile"].translate(glyphs)
            result["groups"] = [
                f"{name}:{tiles.translate(glyphs)}" for name, _, tiles in (g.partition(":") for g in result["groups"])
            ]
        assert replay(json.loads(json.dumps(record))).record == original


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = tmp_path / "games.phz.jsonl"
    assert write_records(file, ORIGINALS) == len(ORIGINALS)
    before = file.read_bytes()
    assert list(read_records(file)) == ORIGINALS

    def failing() -> Iterator[Record]:
        yield ORIGINALS[1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_records(file, failing())
    for wrong in ({**ORIGINALS[0], "meta": {"x": float("nan")}}, {**ORIGINALS[0], "meta": {"x": object()}},
                  {**ORIGINALS[0], "players": ["\ud800"] * 3}, {"format": 1}):  # fmt: skip
        with pytest.raises(RecordError):
            write_records(file, [ORIGINALS[1], wrong])
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    with pytest.raises(OSError, match="no"):
        write_records(tmp_path / "no" / "folder.jsonl", ORIGINALS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_an_error_of_the_system_names_the_file_and_one_of_the_records_does_not(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/dev/full")
    for count in (1, 40):
        with pytest.raises(OSError, match="No space") as caught:
            write_records(link, ORIGINALS[:1] * count)
        assert caught.value.filename == str(link)

    def failing() -> Iterator[Record]:
        yield ORIGINALS[1]
        raise ConnectionResetError(104, "reset by peer")

    for place in (link, tmp_path / "file"):
        with pytest.raises(ConnectionResetError) as reset:
            write_records(place, failing())
        assert reset.value.filename is None
    with pytest.raises(FileNotFoundError) as missing:
        write_records(tmp_path / "no" / "file", ORIGINALS)
    assert missing.value.filename == str(tmp_path / "no" / "file")
    writer = RecordWriter(tmp_path / "long")
    writer._file.close()
    writer._file = link.open("r+b", buffering=0)
    with writer, pytest.raises(OSError, match="No space") as caught:
        writer.write(ORIGINALS[0])
    assert caught.value.filename == str(tmp_path / "long")


def test_what_is_no_plain_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    assert write_records(os.devnull, ORIGINALS) == len(ORIGINALS)
    assert not Path(os.devnull).is_file()
    target = tmp_path / "real.jsonl"
    target.write_text("old\n")
    target.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    write_records(link, ORIGINALS[:1])
    assert link.is_symlink()
    assert target.read_text() == record_line(ORIGINALS[0])
    assert target.stat().st_mode & 0o777 == 0o640
    with pytest.raises(OSError, match="director"):
        write_records(tmp_path, ORIGINALS)


def test_records_are_appended_and_half_a_line_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "long.phz.jsonl"
    lines = [record_line(record).encode() for record in ORIGINALS]
    with RecordWriter(file) as writer:
        writer.write(ORIGINALS[0])
        writer.write(ORIGINALS[1])
        assert file.read_bytes() == lines[0] + lines[1]  # there at once
        with pytest.raises(RecordError):
            writer.write({"format": "none"})
    for half in (lines[2][:1], lines[2][: len(lines[2]) // 2], lines[2][:-2]):
        file.write_bytes(lines[0] + lines[1] + half)
        with RecordWriter(file, sync=True) as writer:
            writer.write(ORIGINALS[3])
        assert file.read_bytes() == lines[0] + lines[1] + lines[3]
    file.write_bytes(lines[0] + lines[1][:-1])
    with RecordWriter(file) as writer:
        assert writer.count == 0
        writer.write(ORIGINALS[2])
    assert file.read_bytes() == lines[0] + lines[1] + lines[2]
    file.write_bytes(b"")
    RecordWriter(file).close()
    assert file.read_bytes() == b""


def test_a_write_that_fails_midway_leaves_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "full.phz.jsonl"
    writer = RecordWriter(file)
    writer.write(ORIGINALS[0])
    whole = writer._file

    class Full:
        """A disk that takes half of what it is given."""

        def __getattr__(self, name: str) -> Any:
            return getattr(whole, name)

        def write(self, data: bytes) -> int:
            return whole.write(data[: len(data) // 2])

    writer._file = Full()  # type: ignore[assignment]
    with pytest.raises(OSError, match="part"):
        writer.write(ORIGINALS[1])
    writer._file = whole
    writer.write(ORIGINALS[2])
    writer.close()
    assert list(read_records(file)) == [ORIGINALS[0], ORIGINALS[2]]


def test_the_error_keeps_its_place_when_it_is_pickled() -> None:
    error = refused({**ORIGINALS[0], "events": []}, event=1)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
