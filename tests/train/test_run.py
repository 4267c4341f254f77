"""Runs from the command line: they learn, keep, stop, go on, and say what is wrong."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_runs import SMALL, learner
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import agents
from agents.network import network_as_policy, read_network
from benchmarks.arena import play_blocks
from benchmarks.blocks import margins
from benchmarks.deals import deal_set
from paohuzi_env.rules import rule_set
from train import run as run_module
from train.__main__ import main
from train.checkpoint import CheckpointError, Evaluation, read_checkpoint
from train.config import ConfigError
from train.log import METRICS, Log, draw_curve
from train.ppo import DivergedError
from train.run import alone, compiled_opponents, evaluate, train

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "agents" / "networks" / "hunan.safetensors"


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "train", *map(str, words)]


def settings(folder: Path, **changes: Any) -> Path:
    """The small settings as a file."""
    file = folder / "small.toml"
    values = dataclasses.asdict(dataclasses.replace(SMALL, **changes))
    file.write_text("".join(f"{name} = {toml(value)}\n" for name, value in values.items()))
    return file


def toml(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def equal(a: Path, b: Path) -> bool:
    one, two = (read_checkpoint(folder / "checkpoint.safetensors") for folder in (a, b))
    same = one.arrays.keys() == two.arrays.keys() and one.counters == two.counters
    return same and all(array.tobytes() == two.arrays[name].tobytes() for name, array in one.arrays.items())


@pytest.mark.timeout(900)
def test_a_minute_of_learning_beats_random_play_by_more_than_three_standard_errors(tmp_path: Path) -> None:
    config = dataclasses.replace(
        SMALL, decisions=150_000, batch=8192, minibatch=1024, evaluate_deals=800, evaluate_every=9
    )
    result = train(config, tmp_path / "run", quiet=True)
    margin, error = result.history[-1].margins["uniform"]
    assert margin > 3 * error > 0
    assert [found.decisions for found in result.history][-1] == result.decisions >= 150_000

    for name in ("best", "last"):  # what is shipped is what was measured
        player = agents.make(f"network:{tmp_path}/run/{name}.safetensors", "mini")
        played = play_blocks(
            [player, agents.make("uniform", "mini")], deal_set("tune", purpose="tuning"), range(300)
        )  # fmt: skip
        assert margins(played.hands, 0, 1).mean() > 0
    weights, header = read_network(tmp_path / "run" / "last.safetensors", "mini")
    assert "decisions of self-play" in header.trained
    assert evaluate(weights, rule_set("mini"), ("uniform",), 800)["uniform"] == (margin, error)
    assert (tmp_path / "run" / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert network_as_policy(weights, rule_set("hunan")).data[0].shape == weights[0].shape


def test_every_metric_that_is_logged_is_explained() -> None:
    run = learner(imitate=1000)
    logged = {*run.iterate(), *run.iterate(), *run.iterate()}
    written_by_the_run = {"speed/decisions", "speed/hands", "margin/AGENT"}
    assert logged == set(METRICS) - written_by_the_run
    table = (ROOT / "train" / "README.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` | {meaning} |\n" in table for name, meaning in METRICS.items())


def test_imitation_makes_the_teachers_actions_likelier() -> None:
    run = learner(imitate=20_000, opponents=("greedy",), lr=5e-3)
    agreed = []
    while run.imitated < 20_000:
        agreed.append(run.iterate()["agreed"])
    assert agreed[-1] > agreed[0] + 0.2
    assert run.decisions == 0


@pytest.mark.timeout(900)
def test_a_run_that_is_interrupted_saves_and_goes_on_to_the_same_end(tmp_path: Path) -> None:
    file = settings(tmp_path, decisions=40_000)
    quiet = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    whole = subprocess.run(command("--settings", file, "--out", tmp_path / "whole", "--quiet"), check=False, **quiet)
    assert whole.returncode == 0, whole.stderr
    stopped = subprocess.Popen(
        command("--settings", file, "--out", tmp_path / "stopped", "--quiet"), cwd=ROOT, env=os.environ
    )
    while not (tmp_path / "stopped" / "checkpoint.safetensors").exists():
        assert stopped.poll() is None
        time.sleep(0.02)
    stopped.send_signal(signal.SIGINT)
    assert stopped.wait(300) in (130, 0)  # 0: it was through already
    before = read_checkpoint(tmp_path / "stopped" / "checkpoint.safetensors").counters["iteration"]
    rest = subprocess.run(command("--resume", "--out", tmp_path / "stopped", "--quiet"), check=False, **quiet)
    assert rest.returncode == 0, rest.stderr
    assert 0 < before <= read_checkpoint(tmp_path / "whole" / "checkpoint.safetensors").counters["iteration"]
    assert equal(tmp_path / "whole", tmp_path / "stopped")


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, decisions=1024)
    train(config, tmp_path, quiet=True)
    with pytest.raises(CheckpointError, match=r"holds checkpoint.safetensors; allowed: --resume"):
        train(config, tmp_path, quiet=True)
    for name in ("best.safetensors", "last.safetensors", "curve.png"):
        (tmp_path / name[0]).mkdir()
        (tmp_path / name[0] / name).write_text("mine")
        with pytest.raises(CheckpointError, match=f"holds {name}; allowed"):
            train(config, tmp_path / name[0], quiet=True)
        assert [file.name for file in (tmp_path / name[0]).iterdir()] == [name]


def test_a_run_that_is_through_is_not_gone_on_with(tmp_path: Path) -> None:
    config = dataclasses.replace(SMALL, decisions=1024)
    train(config, tmp_path, quiet=True)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    for decisions in (1024, 5):
        with pytest.raises(CheckpointError, match=r"the run is through \([0-9]+ decisions\); allowed: more"):
            train(dataclasses.replace(config, decisions=decisions), tmp_path, resume=True, quiet=True)
    assert before == {file.name: file.read_bytes() for file in tmp_path.iterdir()}


def test_whom_a_run_can_not_be_measured_against_is_said_at_once(tmp_path: Path) -> None:
    for agent, why in (("human", "somebody sits behind human"), ("external:false", "external:false commits faults")):
        with pytest.raises(ConfigError, match=f"evaluate_against: {why}"):
            train(dataclasses.replace(SMALL, evaluate_against=(agent,)), tmp_path / "run", quiet=True)
    with pytest.raises(ConfigError, match="opponents: search has no compiled policy"):
        train(dataclasses.replace(SMALL, opponents=("search",)), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"WORLD_SIZE": "x"}, "WORLD_SIZE = 'x' in the environment; allowed: a whole number"),
        ({"WORLD_SIZE": "2"}, "WORLD_SIZE = 2: .*; torchrun sets all that is needed"),
    ],
)
def test_an_environment_that_is_no_torchrun_s(
    variables: dict[str, str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigError, match=message):
        train(SMALL, tmp_path, quiet=True)


def test_names_with_signs_of_formulas_are_drawn(tmp_path: Path) -> None:
    draw_curve(tmp_path / "a.png", [Evaluation(1, 10, 1.0, {"network:$x_{$": (0.5, 0.1)})], "a title")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--resume"], "--resume needs --out"),
        (["--resume", "--out", "nowhere", "--preset", "quick"], "--preset quick with --resume"),
        (["--resume", "--out", "nowhere"], "nowhere/checkpoint.safetensors: there is no such file"),
        (["--settings", "nowhere.toml"], "settings nowhere.toml"),
        (["export", "nowhere.safetensors", "a.onnx"], "network nowhere.safetensors: there is no such file"),
        (["export", str(SHIPPED), str(SHIPPED)], "it is the network itself; allowed: another file"),
        (["export", str(SHIPPED), os.devnull], f"{os.devnull}: no regular file, and not replaced"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--preset", "quick", "--width", "3"], "width = 3; allowed: 8 to 1024"),
        (["--preset", "slow"], "invalid choice 'slow'"),
        (["--wdith", "64"], "--wdith"),
        (["--lr", "fast"], "--lr"),
        (["export", "a.safetensors"], "OUT"),
        (["demo", "--minutes", "two"], "--minutes"),
    ],
)
def test_a_command_line_that_is_none_is_an_error_of_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    assert main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_an_opponent_without_a_compiled_policy_is_refused() -> None:
    config = dataclasses.replace(SMALL, opponents=("test_run:Slow",))
    with pytest.raises((ConfigError, agents.AgentError), match=r"no compiled policy|unknown agent"):
        compiled_opponents(config)


def test_an_agent_of_the_evaluation_that_is_none_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    with pytest.raises(agents.AgentError, match="unknown agent 'nobody'"):
        train(dataclasses.replace(SMALL, evaluate_against=("nobody",)), tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


def test_what_was_learned_is_kept_where_the_last_evaluation_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    def broken(*_: object) -> None:
        raise OSError("broken")

    monkeypatch.setattr(run_module, "evaluate", broken)
    config = dataclasses.replace(SMALL, decisions=1024, save_every=100)
    with pytest.raises(OSError, match="broken"):
        train(config, tmp_path, quiet=True)
    assert read_checkpoint(tmp_path / "checkpoint.safetensors").counters["decisions"] >= 1024
    monkeypatch.undo()
    assert len(train(config, tmp_path, resume=True, quiet=True).history) == 1


def test_one_process_at_a_time_is_at_a_run(tmp_path: Path) -> None:
    with alone(tmp_path), pytest.raises(CheckpointError, match="another process is at this run"):
        train(SMALL, tmp_path, quiet=True)
    with alone(tmp_path):
        pass


def test_the_best_is_the_best_against_the_same_agents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    margins_of = {"uniform": 9.0, "greedy": 1.0}
    monkeypatch.setattr(run_module, "evaluate", lambda *a: {name: (margins_of[name], 0.1) for name in a[2]})
    config = dataclasses.replace(SMALL, decisions=1024)
    train(config, tmp_path, quiet=True)
    before = (tmp_path / "best.safetensors").read_bytes()
    longer = dataclasses.replace(config, decisions=3000, evaluate_against=("greedy",))
    train(longer, tmp_path, resume=True, quiet=True)
    assert (tmp_path / "best.safetensors").read_bytes() != before


def test_weights_that_are_lost_end_the_run() -> None:
    run = learner()
    with torch.no_grad():
        run.policy.last.bias.fill_(float("nan"))
    with pytest.raises(DivergedError, match="iteration 1: loss/policy is nan"):
        run.iterate()


def test_a_device_that_is_not_there_is_an_error_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    if torch.cuda.is_available():
        pytest.skip("there is a graphics card")
    assert main(["--preset", "smoke", "--device", "cuda", "--out", str(tmp_path / "run")]) == 1
    assert "device = 'cuda': torch sees no CUDA device" in capsys.readouterr().err


def test_the_log_of_a_run_that_was_killed_has_every_iteration_once(tmp_path: Path) -> None:
    file = settings(tmp_path, decisions=200_000)
    killed = subprocess.Popen(command("--settings", file, "--out", tmp_path / "run", "--quiet"), cwd=ROOT)
    while not (tmp_path / "run" / "checkpoint.safetensors").exists():
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    kept = read_checkpoint(tmp_path / "run" / "checkpoint.safetensors")
    there = kept.counters["iteration"]
    config = dataclasses.replace(kept.config, decisions=kept.counters["decisions"] + 3000)
    train(config, tmp_path / "run", resume=True, quiet=True)
    logged = EventAccumulator(str(tmp_path / "run"))
    logged.Reload()
    steps = [scalar.step for scalar in logged.Scalars("entropy")]
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) > there


def test_a_log_follows_one_of_the_same_second_whatever_their_names(tmp_path: Path) -> None:
    time.sleep(1 - time.time() % 1)
    for step in (0, 1):
        log = Log(tmp_path, 1, step=step, quiet=True)
        log.metrics(step + 1, 1, {"entropy": 1.0}, {"speed/decisions": 1.0, "speed/hands": 1.0})
        log.close()
        for file in tmp_path.iterdir():
            if step == 0:  # as of a host that comes last
                begin = ".".join(file.name.split(".")[:4])
                file.rename(tmp_path / f"{begin}.zzz.1.0")
    (tmp_path / "events.out.tfevents.old").write_text("")
    Log(tmp_path, 1, step=2, quiet=True).close()
    (tmp_path / "events.out.tfevents.old").unlink()
    logged = EventAccumulator(str(tmp_path))
    logged.Reload()
    assert [scalar.step for scalar in logged.Scalars("entropy")] == [1, 2]


def test_scores_become_rewards_by_the_objective() -> None:
    from train.ppo import rewards

    score = np.array([-6, 0, 12], np.int32)
    points, win, log = (
        rewards(score, dataclasses.replace(SMALL, objective=name, scale=3.0)).tolist()  # type: ignore[arg-type]
        for name in ("points", "win", "log")
    )
    assert points == [-2, 0, 4]
    assert win == [0, 0, 1]
    assert log == pytest.approx([-np.log(7), 0, np.log(13)])
