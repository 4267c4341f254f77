"""Tournaments from the command line: the same plan gives the same results, however it is played."""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import run as running
from benchmarks.__main__ import COMMANDS
from benchmarks.plan import Plan, difference, split_agents
from benchmarks.run import RunFolder, play
from benchmarks.tournament import played
from paohuzi_env import cli
from paohuzi_env.record import replay_records
from tests.benchmarks import killing
from tests.benchmarks.killing import TABLES

HOME = "tests.benchmarks.players"
LOWEST, MIXED = f"{HOME}:Lowest", f"{HOME}:Lowest:mixed=true"
SMALL = ["--agents", MIXED, "uniform", LOWEST, "--blocks", "12", "--chunk", "5"]


def bench(*words: object) -> int:
    return cli.run(COMMANDS, [str(word) for word in words], program="python -m benchmarks", about="")


def tables(folder: Path) -> list[str]:
    """The tables, as text; without the folder that records are in."""
    texts = [(folder / name).read_text() for name in TABLES]
    return [re.sub(r'"records": .*', "", text) for text in texts]


def results(folder: Path) -> dict[str, Any]:
    found = json.loads((folder / "results.json").read_text())
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament of three at a table, played by one process."""
    folder = tmp_path_factory.mktemp("small") / "run"
    assert bench("tournament", *SMALL, "--out", folder, "--record", folder / "records") == 0
    return folder


def test_it_plays_all_seatings_and_sums_up(small: Path) -> None:
    found = results(small)
    assert (found["blocks"], found["hands"]) == (12, 72)
    assert [agent["hands"] for agent in found["agents"]] == [72, 72, 72]
    assert sum(agent["total"] for agent in found["agents"]) == 0
    assert [(pair["a"], pair["b"]) for pair in found["pairs"]] == [(0, 1), (0, 2), (1, 2)]
    assert found["agents"][0]["rating"] == {"value": 0, "low": 0, "high": 0}
    for agent in found["agents"]:
        assert agent["points"]["low"] < agent["points"]["value"] < agent["points"]["high"]
        assert agent["points"]["value"] * 72 == pytest.approx(agent["total"], abs=1e-3)
    rows = list(csv.DictReader((small / "agents.csv").read_text().splitlines()))
    assert [row["name"] for row in rows] == [MIXED, "uniform", LOWEST]
    assert float(rows[1]["points_low"]) == found["agents"][1]["points"]["low"]
    pairs = list(csv.DictReader((small / "pairs.csv").read_text().splitlines()))
    assert (pairs[2]["a"], pairs[2]["b"]) == ("uniform", LOWEST)


def test_workers_give_the_same_to_the_digit(small: Path, tmp_path: Path) -> None:
    assert bench("tournament", *SMALL, "--out", tmp_path / "two", "--workers", 2) == 0
    assert tables(tmp_path / "two") == tables(small)


def test_a_run_that_lost_chunks_goes_on_to_the_same(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert bench("tournament", *SMALL, "--out", folder) == 0
    whole = (folder / "chunks/000001.npz").read_bytes()
    (folder / "chunks/000001.npz").unlink()
    (folder / "results.json").unlink()
    assert bench("tournament", *SMALL, "--out", folder, "--resume") == 0
    assert tables(folder) == tables(small)
    with np.load(folder / "chunks/000001.npz") as again:
        (folder / "before.npz").write_bytes(whole)
        assert again["hands"].tobytes() == np.load(folder / "before.npz")["hands"].tobytes()


def test_records_are_verified_and_say_who_played_what(small: Path) -> None:
    hands, _, _ = played(Plan.of(json.loads((small / "manifest.json").read_text())), RunFolder(small))
    found = [r for file in sorted((small / "records").glob("*.phz.jsonl")) for r in replay_records(file)]
    assert len(found) == len(hands) == 72
    names = [agent["name"] for agent in results(small)["agents"]]
    for replayed, hand in zip(found, hands, strict=True):
        record = replayed.record
        assert record["result"]["scores"] == hand["scores"].tolist()
        assert record["players"] == [names[agent] for agent in hand["agents"]]
        meta = record["meta"]
        assert [meta[key] for key in ("block", "group", "seating")] == [hand[k] for k in ("block", "group", "seating")]
        assert [agent["name"] for agent in meta["agents"]] == record["players"]
        assert {"fingerprint", "seed"} < meta["agents"][0].keys()
        assert meta["deal_set"] == "validation v1"
        assert len(meta["seconds"]) == 3
        assert "time" in meta


def test_the_page_needs_no_other_file_and_links_to_hands(small: Path) -> None:
    text = (small / "report.html").read_text()
    assert text.count("<svg") == 3
    links = re.findall(r'(?:src|href)="(?!#)([^"]+)"', text)
    assert links
    assert all((small / link).exists() for link in links)
    assert re.search(r"dearest hand: .*chunk-00000\d\.phz\.jsonl, line \d+", text)
    assert "Cross table" in text


def test_report_makes_the_same_again_and_anchors_elsewhere(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(small, folder)
    for name in TABLES:
        (folder / name).unlink()
    assert bench("report", folder) == 0
    assert tables(folder) == tables(small)
    assert bench("report", folder, "--baseline", "uniform") == 0
    assert results(folder)["agents"][1]["rating"]["value"] == 0
    assert bench("report", folder, "--baseline", "nobody") == 1


def test_another_plan_is_refused_by_name(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    cases = {
        "agents[0].seed: 0 there, 3 now": [*SMALL, "--seed", "3"],
        "blocks: 12 there, 10 now": [*SMALL[:4], "--blocks", "10", "--chunk", "5"],
        "rules: 'hunan' there, 'luzhou' now": [*SMALL, "--rules", "luzhou"],
        "deals.set: 'validation' there, 'tune' now": [*SMALL, "--deals", "tune"],
        "chunk: 5 there, 4 now": [*SMALL[:-1], "4"],
    }
    for message, words in cases.items():
        assert bench("tournament", *words, "--out", small, "--record", small / "records", "--resume") == 1
        said = capsys.readouterr().err
        assert "holds another tournament: " in said
        assert message in said
        assert said.count("\n") == 1
    assert bench("tournament", *SMALL, "--out", small, "--resume") == 1
    assert "records: '" in capsys.readouterr().err
    assert bench("tournament", *SMALL, "--out", small) == 1
    assert "holds a tournament; allowed: --resume, or another folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--agents", "uniform"], 1, "1 agents; needed for pairs: 2 or more"),
        (["--agents", "uniform", "uniform"], 1, "agent 'uniform' is named twice"),
        (["--agents", "human", "uniform"], 1, "agent 'human' is a person"),
        (["--agents", "uniform", "nobody"], 1, "unknown agent 'nobody'"),
        (["--agents", "uniform", LOWEST, "--blocks", "0"], 1, "blocks = 0; allowed: 1 to"),
        (["--agents", "uniform", LOWEST, "--deals", "test", "--purpose", "tuning"], 1, "deal set 'test' for purpose"),
        (["--agents", "uniform", LOWEST, "--sprt", "0.2", "0.1"], 1, "effects 0.2 and 0.1"),
        (["--agents", "uniform", LOWEST, "--anytime", "-1"], 1, "clip = -1.0; allowed: 1e-06 to 1e+06"),
        (["--agents", "uniform", "external:cat \udcff\n"], 1, "allowed: a text that can be printed"),
        (["--agents", "uniform", LOWEST, "--anytime", "inf"], 1, "clip = inf; allowed: 1e-06 to 1e+06"),
        (["--agents", "uniform", LOWEST, "--sprt", "0", "inf"], 1, "both finite"),
        (["--agents", "uniform", LOWEST, "--sprt", "0", "1", "--least", "1"], 1, "least = 1; allowed: 2 to"),
        (["--agents", "uniform", LOWEST, "--blocks", "100000001"], 1, "= 100000001; allowed: 1 to 100000000"),
        (["--agents", "uniform", LOWEST, "--first", str(1 << 39)], 1, "allowed: 0 to 549755813888"),
        (["--agents", "uniform", LOWEST, "--sprt", "0", "0.1", "--anytime", "9"], 1, "allowed: one of them"),
        (["--agents", "uniform", LOWEST, "--workers", "0"], 1, "workers = 0; allowed: from 1"),
        (["--agents", "uniform", LOWEST, "--rules", "chess"], 1, "unknown rule set 'chess'"),
        (["--agents", "uniform", LOWEST, "--baseline", "me"], 1, "baseline 'me'; allowed: uniform"),
        (["--agents", "uniform", LOWEST, "--schedule", "swiss"], 2, "see python -m benchmarks --help"),
        ([], 2, "see python -m benchmarks --help"),
    ],
)
def test_what_cannot_be_played_is_one_line(
    words: list[str], status: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("tournament", *words, "--out", tmp_path / "run") == status
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (tmp_path / "run" / "chunks").exists()


def test_every_command_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        assert bench(command, "--help") == 0
        assert f"Example: python -m benchmarks {command}" in " ".join(capsys.readouterr().out.split())


def test_a_folder_without_a_manifest_is_no_tournament(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("report", tmp_path) == 1
    assert "holds no tournament: manifest.json is missing" in capsys.readouterr().err
    (tmp_path / "manifest.json").write_text("[1, 2")
    assert bench("report", tmp_path) == 1
    assert "is no manifest" in capsys.readouterr().err


def test_a_damaged_chunk_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("tournament", *SMALL, "--out", tmp_path) == 0
    (tmp_path / "chunks/000002.npz").write_bytes(b"PK\x03\x04 half of it")
    assert bench("report", tmp_path) == 1
    assert "000002.npz can't be read" in capsys.readouterr().err


def test_two_seats_matches_and_a_gauntlet(tmp_path: Path) -> None:
    words = ["--agents", MIXED, "uniform", LOWEST, "--rules", "mini", "--blocks", "4", "--hands-per-match", "3"]
    folder = tmp_path / "run"
    assert bench("tournament", *words, "--schedule", "gauntlet", "--out", folder, "--record", tmp_path / "r") == 0
    found = results(folder)
    assert found["hands"] == 4 * 2 * 2 * 3
    assert len(found["seats"]) == 2
    assert len(found["pairs"]) == 2
    records = [r.record for r in replay_records(next((tmp_path / "r").iterdir()))]
    assert [r["match"]["hand"] for r in records[:6]] == [0, 1, 2, 0, 1, 2]
    for k in (1, 2):
        before, now = records[k - 1], records[k]
        assert now["match"]["id"] == "validation-0-0-0"
        totals = [t + s for t, s in zip(before["match"]["totals"], now["result"]["scores"], strict=True)]
        assert now["match"]["totals"] == totals


def test_faults_are_counted_apart_from_play(tmp_path: Path) -> None:
    words = ["--agents", f"{HOME}:Failing:illegal", f"{HOME}:Failing:raise", "--blocks", "20"]
    assert bench("tournament", *words, "--out", tmp_path) == 0
    illegal, raising = results(tmp_path)["agents"]
    assert set(illegal["faults"]) == {"illegal"}
    assert set(raising["faults"]) == {"crash"}
    assert illegal["fault_share"] == pytest.approx(illegal["faults"]["illegal"] / illegal["hands"], abs=1e-6)
    assert results(tmp_path)["fault_share"] == pytest.approx(
        (illegal["faults"]["illegal"] + raising["faults"]["crash"]) / 120, abs=1e-6
    )
    assert illegal["points"]["value"] != illegal["sound"]["value"]
    errors = [times["error"] for times in json.loads((tmp_path / "timing.json").read_text()).values()]
    assert errors == ["", "RuntimeError: out of order"]


def test_a_reference_gives_control_variates_and_no_results_of_its_own(tmp_path: Path) -> None:
    plain, controlled = tmp_path / "plain", tmp_path / "controlled"
    words = ["--agents", "uniform", LOWEST, "--blocks", "40"]
    assert bench("tournament", *words, "--out", plain) == 0
    assert bench("tournament", *words, "--reference", "uniform:seed=9", "--out", controlled) == 0
    pair = results(controlled)["pairs"][0]
    assert pair["control"]["gain"] > 0.5
    assert pair["control"]["margin"]["low"] < pair["margin"]["value"] < pair["control"]["margin"]["high"]
    assert results(controlled)["agents"] == results(plain)["agents"]
    assert results(plain)["pairs"][0]["control"] is None


@pytest.mark.parametrize("stop", [["--sprt", "0", "0.3", "--least", "20"], ["--anytime", "20"]])
def test_a_decided_run_stops_and_later_chunks_do_not_count(stop: list[str], tmp_path: Path) -> None:
    words = ["--agents", "greedy", "uniform", "--blocks", "400", "--chunk", "10", *stop]
    one, two = tmp_path / "one", tmp_path / "two"
    assert bench("tournament", *words, "--out", one) == 0
    found = results(one)
    assert found["stopped"]["blocks"] == found["blocks"] < 400
    assert found["stopped"]["verdict"] in ("H1", "above 0")
    assert (found["sequence"] is not None) == (stop[0] == "--anytime")
    assert bench("tournament", *words, "--out", two, "--workers", 2) == 0
    assert tables(two) == tables(one)


# --- workers and kills ------------------------------------------------------------------------------------------------


def test_a_chunk_whose_worker_died_is_played_again(tmp_path: Path) -> None:
    deadly = f"{HOME}:Deadly:file={tmp_path / 'counts'}"
    words = ["--agents", deadly, "uniform", "--blocks", "6", "--chunk", "2"]
    (tmp_path / "counts").write_text("x")  # nobody dies any more
    assert bench("tournament", *words, "--out", tmp_path / "peace") == 0
    (tmp_path / "counts").write_text("")
    assert bench("tournament", *words, "--out", tmp_path / "run", "--workers", 2) == 0
    assert tables(tmp_path / "run") == tables(tmp_path / "peace")


def test_workers_that_always_die_end_it_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deadly = f"{HOME}:Deadly:file={tmp_path / 'counts'},times=99"
    words = ["--agents", deadly, "uniform", "--blocks", "4", "--chunk", "2", "--workers", "2"]
    assert bench("tournament", *words, "--out", tmp_path / "run") == 1
    assert "workers died 3 times without finishing a chunk; finished chunks are kept" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_a_killed_tournament_worker_or_bot_changes_nothing(tmp_path: Path) -> None:
    """One of each; `python -m tests.benchmarks.killing --times 10` kills at ten moments."""
    pids, peace = tmp_path / "pids", tmp_path / "peace"
    killing.run(peace, pids)
    for victim, after in zip(killing.VICTIMS, (0.5, 1.0, 0.2), strict=True):
        folder = tmp_path / victim
        assert killing.killed(folder, victim, random.Random(1), after)
        assert killing.differences(folder, peace, victim) == []


def test_a_chunk_is_there_only_with_its_records(tmp_path: Path) -> None:
    plan = Plan((LOWEST, MIXED), blocks=2, chunk=1)
    folder = RunFolder(tmp_path / "run", tmp_path / "records")
    folder.begin(plan.manifest(), resume=False)
    play(plan, folder)
    assert folder.has(1)
    (tmp_path / "records/chunk-000001.phz.jsonl").unlink()
    assert not folder.has(1)
    told: list[tuple[int, bool]] = []
    play(plan, folder, tell=lambda number, fresh: told.append((number, fresh)))
    assert told == [(0, False), (1, True)]


def test_nothing_is_left_of_a_write_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(running.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        running.write_whole(tmp_path / "file", b"content")
    assert list(tmp_path.iterdir()) == []


# --- small parts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "agents"),
    [
        (["a", "b"], ("a", "b")),
        (["a,b,c"], ("a", "b", "c")),
        (["search:playouts=9,worlds=2,greedy", "x"], ("search:playouts=9,worlds=2", "greedy", "x")),
        (["search:9,worlds=2,m:F:k=1"], ("search:9,worlds=2", "m:F:k=1")),
        (["uniform,external:./bot --a=1,b c", "greedy"], ("uniform", "external:./bot --a=1,b c", "greedy")),
        (["external[move=5,hand=9]:./bot,x", "greedy"], ("external[move=5,hand=9]:./bot,x", "greedy")),
    ],
)
def test_agents_may_stand_with_commas_or_spaces_between(texts: list[str], agents: tuple[str, ...]) -> None:
    assert split_agents(texts) == agents


def test_differences_of_manifests_are_named_by_place() -> None:
    there = {"a": 1, "b": {"c": [1, {"d": 2}]}, "gone": 3}
    here = {"a": 1, "b": {"c": [1, {"d": 5}]}, "new": [1]}
    assert list(difference(there, here)) == [
        "b.c[1].d: 2 there, 5 now",
        "gone: 3 there, None now",
        "new: None there, [1] now",
    ]
    assert list(difference(there, there)) == []


def test_a_plan_is_found_again_in_its_manifest() -> None:
    plan = Plan(
        ("uniform", LOWEST), {"preset": "hunan", "cap": 20}, "tune", "tuning", "gauntlet", 5, 30, 7, 2, 3, "greedy",
        (0.0, 0.1, 0.05, 0.1, 50), None,
    )  # fmt: skip
    manifest = json.loads(json.dumps(plan.manifest()))
    assert Plan.of(manifest) == plan
    assert plan.chunks == 5
    assert plan.chunk_blocks(4) == range(33, 35)
    assert plan.hands_per_block == 2 * (6 + 1)


def other_chunk(folder: Path) -> None:
    shutil.copy(folder / "chunks/000001.npz", folder / "chunks/000000.npz")


def edited(change: dict[str, Any]) -> Any:
    def edit(folder: Path) -> None:
        file = folder / "chunks/000000.npz"
        with np.load(file) as content:
            arrays = dict(content)
        np.savez(file, **{**arrays, **{name: value(arrays[name]) for name, value in change.items()}})

    return edit


def strangers(hands: Any) -> Any:
    hands["agents"][:, 0] = 9
    return hands


def flipped(folder: Path) -> None:
    file = folder / "chunks/000000.npz"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def lone_array(folder: Path) -> None:
    with (folder / "chunks/000000.npz").open("wb") as file:
        np.save(file, np.zeros(3))


@pytest.mark.parametrize(
    "damage",
    [
        other_chunk, flipped, lone_array, edited({"hands": lambda hands: hands[:-1]}),
        edited({"hands": lambda hands: np.zeros(3)}), edited({"hands": strangers}),
        edited({"spent": lambda spent: spent[:, 0]}), edited({"spent": lambda s: s[:1], "errors": lambda e: e[:1]}),
    ],
)  # fmt: skip
def test_a_chunk_that_is_not_what_was_played_is_never_counted(
    damage: Any, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    damage(folder)
    assert bench("report", folder) == 1
    error = capsys.readouterr().err
    assert "chunks/000000.npz can't be read (" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other/1"}, "format 'other/1'; allowed: paohuzi-tournament/1"),
        ({"agents": []}, "0 agents; needed"),
        ({"agents": [{"seed": 1}]}, "'name' is missing"),
        ({"deals": 3}, ""),
        ({"chunk": 0}, "chunk = 0"),
        ({"kind": "all"}, "kind = 'all'; allowed: pairs"),
        ({"rules": "nowhere"}, "unknown rule set 'nowhere'"),
        ({"sprt": [1]}, ""),
        ({"anytime": "x"}, ""),
        ({"records": 5}, "records 5; allowed: a folder's name, null"),
    ],
)
def test_an_edited_manifest_is_one_line(
    change: dict[str, Any], message: str, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((small / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, **change}))
    assert bench("report", tmp_path) == 1
    error = capsys.readouterr().err
    assert f"manifest.json is no manifest: {message}" in error
    assert error.count("\n") == 1


def test_records_that_have_lost_lines_are_one_line(
    small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(small, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "records": str(folder / "records")}))
    for file in (folder / "records").iterdir():
        file.write_bytes(b"")
    assert bench("report", folder) == 1
    assert "remove it and go on with --resume" in capsys.readouterr().err


def test_names_are_text_on_the_page_whatever_they_hold(tmp_path: Path) -> None:
    names = [r"external:cat '$\frac{$'", "external:cat '<script>x</script>'"]
    assert bench("tournament", "--rules", "mini", "--blocks", 2, "--agents", *names, "--out", tmp_path) == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert r"$\frac{$" in page
