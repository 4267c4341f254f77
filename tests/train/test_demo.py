"""The demo's parts: a hand in which each decision stands beside the chances that the network gave to its choices."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from small_runs import learner

from train.checkpoint import CheckpointError
from train.config import ConfigError
from train.demo import annotated, demo, play_hand
from train.run import alone


def test_each_decision_of_the_hand_has_its_chances() -> None:
    weights = learner().policy.weights()
    replay, thoughts = next(
        hand for i in range(1000) if (hand := play_hand(weights, "mini", i))[0].record["result"]["winner"] is not None
    )
    lines = list(annotated(weights, "mini"))
    said = [line for line in lines if line.endswith("]") and " seat " in line]
    assert len(said) == len(replay.decisions) == len(thoughts)
    for line, decision in zip(said, replay.decisions, strict=True):
        chosen = re.match(r" {6}seat (\d): (.*?)  \[", line)
        assert chosen is not None
        assert chosen.group(1) == str(decision.seat)
        best = re.search(r"\[(.*?) (\d+)%", line)
        assert best is None or best.group(1) == chosen.group(2)
    assert "wins" in lines[-2]
    assert np.isfinite(weights[0]).all()


def test_the_demo_trains_measures_and_shows(tmp_path: Path, capsys: object) -> None:
    (tmp_path / "run").mkdir()
    assert demo(tmp_path / "run", minutes=0.001, rules="mini")
    out = capsys.readouterr().out  # type: ignore[attr-defined]
    for text in ("from nothing", "against", "heuristic", "points a hand", "curve.png", "agents.make('network:"):
        assert text in out
    assert (tmp_path / "run" / "curve.png").exists()


def test_a_run_is_not_replaced_by_a_demo_nor_a_folder_by_one_that_can_not_be(tmp_path: Path) -> None:
    (tmp_path / "checkpoint.safetensors").write_text("a run")
    with pytest.raises(CheckpointError, match=r"holds checkpoint.safetensors"):
        demo(tmp_path, minutes=0.001, rules="mini")
    for minutes in (-1, 0, float("nan")):
        with pytest.raises(ConfigError, match=f"minutes = {minutes}; allowed: above 0"):
            demo(tmp_path, minutes=minutes, rules="mini", replace=True)
    with alone(tmp_path), pytest.raises(CheckpointError, match="another process is at this run"):
        demo(tmp_path, minutes=0.001, rules="mini", replace=True)
    assert (tmp_path / "checkpoint.safetensors").read_text() == "a run"
