"""The libraries that people train with: what can be checked without them (`make consumers` runs them)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from consumers import __main__ as runner
from consumers import harness, table
from packaging.requirements import Requirement
from pettingzoo.test import api_test

from paohuzi_env import paohuzi_v0
from paohuzi_env.adapters.rllib import RLlibNames
from paohuzi_env.core.actions import NUM_ACTIONS
from paohuzi_env.errors import IllegalActionError
from paohuzi_env.single import SingleSeatEnv
from paohuzi_env.vector import VectorEnv

ROOT = Path(__file__).parents[1]
EIGHT = {"agilerl", "cleanrl", "open_spiel", "rllib", "sb3", "supersuit", "tianshou", "torchrl"}
TOY = """
import argparse, json, pathlib, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--out", type=pathlib.Path)
parser.add_argument("--minutes", type=float)
given = parser.parse_args()
strength = {"mean": 1.5, "error": 0.25, "hands": 512} if given.minutes else None
given.out.write_text(json.dumps({
    "how": "it plays", "updates": 3, "hands": 7, "decisions": 70, "strength": strength, "notes": ["a", "b"],
    "seconds": 1.5, "python": "3", "versions": {"toy": "1.2"}, "beside": {"numpy": "2"},
}))
"""


def pins(name: str) -> dict[str, str]:
    lines = (runner.HERE / name / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


# --- the folders ------------------------------------------------------------------------------------------------------


def test_there_are_eight() -> None:
    assert set(table.NAMES) == EIGHT


@pytest.mark.parametrize("name", sorted(EIGHT))
def test_a_script_compiles_and_names_packages_that_its_requirements_pin(name: str) -> None:
    text = (runner.HERE / name / "play.py").read_text(encoding="utf-8")
    compile(text, name, "exec")
    found = re.search(r"^PACKAGES = \((.*)\)$", text, re.MULTILINE)
    assert found
    packages = re.findall(r'"([^"]+)"', found[1])
    assert packages
    assert {package.replace("_", "-") for package in packages} <= pins(name).keys()
    assert f'main("{name}", PACKAGES, play, __doc__, updates=' in text


@pytest.mark.parametrize("name", sorted(EIGHT))
def test_its_pins_are_within_the_ranges_of_the_package_and_torch_is_the_projects(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = pins(name)
    for requirement in map(Requirement, project["dependencies"]):
        assert pinned[requirement.name] in requirement.specifier, requirement.name
    ours = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for package in ("torch", "hatchling"):
        if package in pinned:
            assert f"\n{package}=={pinned[package]}\n" in ours


# --- the runner -------------------------------------------------------------------------------------------------------


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two consumers of our own, with an environment that is there already."""
    folder = tmp_path / "consumers"
    for name, text in (("good", TOY), ("bad", "print('it begins')\nraise SystemExit('it breaks')")):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").touch()
        (folder / name / "play.py").write_text(text, encoding="utf-8")
    (folder / "__init__.py").touch()
    monkeypatch.setattr(runner, "HERE", folder)
    monkeypatch.setattr(table, "NAMES", ("bad", "good"))

    def install(name: str, cache: Path, folders: Path) -> Path:
        (cache / name).mkdir(parents=True, exist_ok=True)
        (cache / name / "file").write_bytes(bytes(2 << 20))
        return Path(sys.executable)

    monkeypatch.setattr(runner.peers, "install", install)
    monkeypatch.setattr(runner, "_install_project", lambda python: None)
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return runner.main([*arguments, "--cache", str(folder / "cache"), "--results", str(folder / "results.json")])


def test_a_run_is_written_down_and_its_environment_removed(toys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(toys, "good") == 0
    found = table.load(toys / "results.json").runs["good"]
    assert (found.updates, found.hands, found.versions, found.options) == (3, 7, {"toy": "1.2"}, "")
    assert found.commit.keys() == {"hash", "changed"}
    assert found.machine["processor"]
    assert found.installed_mib == 2
    assert "toy 1.2: 3 updates, 7 hands checked" in capsys.readouterr().out
    assert not (toys / "cache" / "good").exists()
    assert run(toys, "good", "--keep") == 0
    assert (toys / "cache" / "good").exists()


def test_one_that_fails_is_told_with_its_last_lines_and_the_others_go_on(
    toys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(toys) == 1
    runs = table.load(toys / "results.json").runs
    assert runs["bad"].failure == "status 1\nit begins\nit breaks"
    assert runs["good"].failure is None
    assert "bad: failed: status 1" in capsys.readouterr().err
    assert "| bad | failed on " in table.markdown(table.load(toys / "results.json"))


def test_the_readme_gets_the_table(toys: Path) -> None:
    readme = toys / "README.md"
    readme.write_text(f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n", encoding="utf-8")
    assert run(toys, "good", "--readme", str(readme)) == 0
    head, middle, tail = readme.read_text(encoding="utf-8").partition("| toy 1.2 |")
    assert middle
    assert head.startswith(f"before\n{table.BEGIN}\n| library |")
    assert "old" not in head + tail
    assert tail.endswith(f"{table.END}\nafter\n")


def test_minutes_are_kept_apart_from_short_runs(toys: Path) -> None:
    assert run(toys, "good") == 0
    assert run(toys, "good", "--minutes", "2.5") == 0
    results = table.load(toys / "results.json")
    assert results.runs["good"].strength is None
    assert results.trained["good"].strength == table.Strength(1.5, 0.25, 512)
    text = table.markdown(results)
    assert "| toy 1.2 | it plays | 3 | 7 | numpy 2 |" in text
    assert "+1.50 ± 0.25 (6 standard errors, 512 hands)" in text
    assert '`make consumers NAME="good" CONSUMERS_ARGS="--minutes 2.5"`' in text
    assert "good: a, b." in text


def test_a_script_that_does_not_end_is_ended_with_what_it_started(toys: Path) -> None:
    script = "import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    (toys / "consumers" / "good" / "play.py").write_text(script + "time.sleep(60)", encoding="utf-8")
    with pytest.raises(runner.ConsumerError, match="not ended after 1 s"):
        runner.run("good", seconds=1, cache=toys / "cache")


def test_one_that_cannot_be_installed_fails_with_the_reason(toys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(*_: Any) -> Path:
        raise runner.peers.PeerError("not installed: no such version")

    monkeypatch.setattr(runner.peers, "install", install)
    with pytest.raises(runner.ConsumerError, match="no such version"):
        runner.run("good", cache=toys / "cache")


def test_an_unknown_name_is_an_error_that_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert runner.main(["nothing"]) == 2
    assert capsys.readouterr().err == f"unknown consumer 'nothing'; allowed: {', '.join(sorted(EIGHT))}\n"


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
def test_make_hands_the_error_on() -> None:
    command = ["make", "-s", "-o", ".venv/.installed", f"PY={sys.executable}", "consumers", "NAME=nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "unknown consumer 'nothing'; allowed: agilerl, cleanrl" in done.stderr


@pytest.mark.parametrize("module", ["consumers", "consumers.sb3.play"])
def test_help_has_an_example(
    module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if module == "consumers":
        with pytest.raises(SystemExit, match="0"):
            runner.main(["--help"])
    else:
        monkeypatch.setattr(sys, "argv", ["play", "--help"])
        with pytest.raises(SystemExit, match="0"):
            harness.main("sb3", (), lambda options: harness.Result(""), "What it does.", updates=2)
    assert "example: " in capsys.readouterr().out


# --- the results ------------------------------------------------------------------------------------------------------


def test_the_results_say_that_all_came_through_and_that_policies_learned() -> None:
    results = table.load(runner.RESULTS)
    assert results.runs.keys() == EIGHT
    assert [name for name, found in results.runs.items() if found.failure or not found.hands] == []
    for name in ("sb3", "cleanrl"):
        found = results.trained[name].strength
        assert found
        assert found.mean > 3 * found.error, name


def test_the_readme_has_the_table_of_the_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert table.with_table(text, table.load(runner.RESULTS)) == text, "run: make consumers"


def test_a_readme_without_markers_and_results_of_another_format_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="consumers:begin"):
        table.with_table("nothing", table.Results())
    (tmp_path / "results.json").write_text(json.dumps({"format": 2}), encoding="utf-8")
    with pytest.raises(ValueError, match="format 2; allowed: 1"):
        table.load(tmp_path / "results.json")
    assert table.load(tmp_path / "none.json") == table.Results()
    (tmp_path / "README.md").write_text("nothing", encoding="utf-8")
    assert runner.main(["sb3", "--readme", str(tmp_path / "README.md")]) == 2
    assert runner.main(["sb3", "--results", str(tmp_path / "results.json")]) == 2
    said = capsys.readouterr().err
    assert "consumers:begin" in said
    assert "format 2; allowed: 1" in said


# --- the harness ------------------------------------------------------------------------------------------------------


def legal(mask: Any, chance: np.random.Generator) -> int:
    return int(chance.choice(np.flatnonzero(mask)))


def test_the_referee_of_a_single_seat_counts_hands_and_ends_the_run_where_something_is_wrong() -> None:
    env = harness.SingleReferee(SingleSeatEnv("mini", reward="scaled", reward_scale=10), 10)
    chance = np.random.default_rng(0)

    def play(env: Any, hands: int) -> None:
        for seed in range(hands):
            _, info = env.reset(seed=seed)
            over = False
            while not over:
                _, reward, over, _, info = env.step(legal(info["action_mask"], chance))
            assert env.settlements[-1] == pytest.approx(reward * 10)

    play(env, 20)
    assert len(env.settlements) == 20
    assert any(env.settlements)
    _, info = env.reset(seed=0)
    with pytest.raises(AssertionError, match="not legal"):
        env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    with pytest.raises(AssertionError, match="is not of"):  # rewards that are not what they are said to be
        play(harness.SingleReferee(SingleSeatEnv("mini"), 10), 20)


def test_the_referee_of_all_seats_counts_hands_and_ends_the_run_where_something_is_wrong() -> None:
    chance = np.random.default_rng(0)

    def play(env: Any, hands: int) -> None:
        for seed in range(hands):
            env.reset(seed=seed)
            for _ in env.agent_iter():
                observation, _, over, _, _ = env.last()
                env.step(None if over else legal(observation["action_mask"], chance))

    env = harness.Referee(paohuzi_v0.env("mini"))
    play(env, 20)
    assert len(env.settlements) == 20
    assert env.decisions > 20
    assert any(any(totals.values()) for totals in env.settlements)
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="not legal"):
        env.step(NUM_ACTIONS - 1)
    with pytest.raises(AssertionError, match="are not"):
        play(harness.Referee(paohuzi_v0.env("mini"), 10), 20)


def test_the_referee_of_many_hands_plays_rows_along() -> None:
    env = VectorEnv(8, "mini", seed=5, autoreset="same_step", copy=True)
    env.reset()

    def play(referee: harness.VectorReferee, steps: int) -> None:
        for _ in range(steps):
            actions = env.sample_actions()
            referee.step(actions, env.step(actions))

    referee = harness.VectorReferee(env, 5, rows=4)
    play(referee, 60)
    assert len(referee.settlements) > 4
    actions = env.sample_actions()
    wrong = env.step(actions)
    wrong.reward[0, 0] += 1
    with pytest.raises(AssertionError, match="sum to zero"):
        referee.step(actions, wrong)
    with pytest.raises((AssertionError, IllegalActionError)):
        play(harness.VectorReferee(env, 6, rows=4), 60)  # of other deals


def test_random_play_has_no_strength_and_every_row_plays_as_many_hands() -> None:
    chance = np.random.default_rng(1)

    def act(observations: Any, masks: Any) -> Any:
        assert observations.dtype == np.int8
        return np.array([legal(mask, chance) for mask in masks])

    found = harness.strength(act, hands=500)
    assert found.hands == 512
    assert abs(found.mean) < 4 * found.error
    assert harness.strength(lambda _, masks: masks.argmax(axis=1), hands=1, seed=3).hands == harness.ROWS


def test_a_budget_is_of_updates_or_of_minutes() -> None:
    budget = harness.Budget(3, None)
    left = []
    while budget.another():
        left.append(budget.left)
    assert budget.done == 3
    assert left == pytest.approx([2 / 3, 1 / 3, 0])
    budget = harness.Budget(3, 1e-9)
    assert [budget.another(), budget.another()] == [True, False]
    budget = harness.Budget(1, 60)
    assert all(budget.another() for _ in range(10))


# --- adapters ---------------------------------------------------------------------------------------------------------


def test_rllibs_names_are_the_same_numbers_for_pettingzoos_tests_too() -> None:
    env, plain = RLlibNames(paohuzi_v0.env("mini")), paohuzi_v0.env("mini")
    env.reset(seed=1)
    plain.reset(seed=1)
    for agent in env.possible_agents:
        ours, theirs = env.observe(agent), plain.observe(agent)
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observation_space(agent).contains(ours)
        assert list(ours) == list(env.observation_space(agent).spaces)
        assert (ours["observations"] == theirs["observation"].reshape(-1)).all()
        assert (ours["action_mask"] == theirs["action_mask"]).all()
    with pytest.warns(UserWarning, match="Observation is not a NumPy array|all zeros"):
        api_test(RLlibNames(paohuzi_v0.env("mini")), num_cycles=50)


@pytest.mark.parametrize("options", [{"obs": "flat"}, {"history": 3}])
def test_rllibs_names_refuse_other_forms_of_observations(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match='allowed here: obs = "dict", history = 0'):
        RLlibNames(paohuzi_v0.env(**options))


def test_adapters_import_nothing_before_they_are_used() -> None:
    code = "import sys, paohuzi_env.adapters; assert not {'pyspiel', 'ray', 'pettingzoo', 'torch'} & sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
