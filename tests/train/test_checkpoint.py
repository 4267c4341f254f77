"""Checkpoints: a resumed run equals one that was never stopped, and what is no checkpoint is refused."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors import torch as torch_file
from safetensors.numpy import save_file
from small_runs import SMALL, learner

from train import checkpoint
from train.checkpoint import Checkpoint, CheckpointError, Evaluation, check_fits, read_checkpoint, write_checkpoint
from train.ppo import Learner


def keep(run: Learner, file: Path) -> None:
    write_checkpoint(file, Checkpoint(run.config, *run.state()))


def test_a_resumed_run_equals_an_uninterrupted_one_to_the_bit(tmp_path: Path) -> None:
    changes = {"imitate": 2000, "epochs": 2}
    whole = learner(**changes)
    for _ in range(4):  # two of imitation, two of self-play
        whole.iterate()
    keep(whole, tmp_path / "a")
    stopped = read_checkpoint(tmp_path / "a")
    resumed = learner(**changes)
    resumed.load_state(stopped.arrays, stopped.counters)
    for _ in range(5):  # past selves come, and one leaves
        expected, found = whole.iterate(), resumed.iterate()
        assert {k: v for k, v in expected.items() if "seconds" not in k} == pytest.approx(
            {k: v for k, v in found.items() if "seconds" not in k}, rel=0, abs=0, nan_ok=True
        )
    (arrays, counters), (arrays_, counters_) = whole.state(), resumed.state()
    assert counters == counters_
    assert counters["pool"] == 3
    assert arrays.keys() == arrays_.keys()
    for name, array in arrays.items():
        assert array.tobytes() == arrays_[name].tobytes(), name
    assert any(name.startswith("adam/") for name in arrays)


def test_everything_comes_back(tmp_path: Path) -> None:
    run = learner()
    run.iterate()
    history = [Evaluation(1, 1024, 2.5, {"uniform": (0.5, 0.1)})]
    write_checkpoint(tmp_path / "a", Checkpoint(run.config, *run.state(), history, 3.25))
    kept = read_checkpoint(tmp_path / "a")
    assert (kept.config, kept.history, kept.seconds) == (run.config, history, 3.25)
    assert kept.counters == run.state()[1]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    keep(learner(), tmp_path / "c.safetensors")
    return tmp_path / "c.safetensors"


@pytest.mark.parametrize("part", [0, 5, 200, 20_000, -1])
def test_a_torn_file_is_refused(file: Path, part: int) -> None:
    file.write_bytes(file.read_bytes()[:part])
    with pytest.raises(CheckpointError, match=r"c.safetensors: torn, or no checkpoint"):
        read_checkpoint(file)


def test_no_file_and_a_foreign_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="there is no such file"):
        read_checkpoint(tmp_path / "none")
    save_file({"a": np.zeros(3)}, tmp_path / "foreign")
    with pytest.raises(CheckpointError, match="a safetensors file of something else"):
        read_checkpoint(tmp_path / "foreign")


def test_another_rule_set_and_another_version_are_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with safe_open(file, "numpy") as opened:
        header = msgspec.json.decode(opened.metadata()["paohuzi-train"])
    altered = header | {"rules_hash": "0" * 16}
    save_file({"a": np.zeros(3)}, file, {"paohuzi-train": msgspec.json.encode(altered).decode()})
    with pytest.raises(CheckpointError, match=r"trained for rule set 0{16}; allowed: [0-9a-f]{16}, which is mini"):
        read_checkpoint(file)
    altered = header | {"config": header["config"] | {"width": 2}}
    save_file({"a": np.zeros(3)}, file, {"paohuzi-train": msgspec.json.encode(altered).decode()})
    with pytest.raises(CheckpointError, match=r"width = 2; allowed"):
        read_checkpoint(file)
    monkeypatch.setattr(checkpoint, "VERSION", 99)
    with pytest.raises(CheckpointError, match=r"versions \(checkpoint, encoding, actions\) \(1, .*allowed: \(99"):
        read_checkpoint(file)


def test_a_state_that_the_settings_have_not_is_refused(tmp_path: Path) -> None:
    run = learner()
    run.iterate()
    new = learner().state()
    arrays, counters = run.state()
    check_fits(Checkpoint(run.config, arrays, counters), *new, "it")
    weight = arrays["policy/last.weight"]
    for changes, message in (
        ({"policy/last.weight": None}, "it: policy/last.weight is missing"),
        ({"adam/1/exp_avg": None}, "it: adam/1/exp_avg is missing"),
        ({"pool/0/3": None}, "it: pool/0/3 is missing"),
        ({"more": weight}, "it: more is too many"),
        ({"policy/last.weight": weight[1:]}, r"policy/last.weight is float32 \(31, 32\); allowed: float32 \(32, 32\)"),
        ({"policy/last.weight": weight.astype("f8")}, "policy/last.weight is float64"),
        ({"policy/last.weight": weight * np.nan}, "policy/last.weight has values that are not finite"),
    ):
        altered = {name: array for name, array in (arrays | changes).items() if array is not None}
        with pytest.raises(CheckpointError, match=message):
            check_fits(Checkpoint(run.config, altered, counters), *new, "it")
    for wrong in ({}, counters | {"iteration": -1}, counters | {"iteration": 1 << 62}):
        with pytest.raises(CheckpointError, match=r"it: counters .*; allowed: iteration, decisions"):
            check_fits(Checkpoint(run.config, arrays, wrong), *new, "it")
    with pytest.raises(CheckpointError, match=r"it: 274877906944 past selves; allowed: 3"):
        check_fits(Checkpoint(run.config, arrays, counters | {"pool": 1 << 38}), *new, "it")


def test_damaged_arrays_and_impossible_times_are_refused(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:])
    with pytest.raises(CheckpointError, match="damaged: its arrays do not match their digest"):
        read_checkpoint(file)
    with safe_open(file, "numpy") as opened:
        header = msgspec.json.decode(opened.metadata()["paohuzi-train"])
    save_file({"a": np.zeros(3)}, file, {"paohuzi-train": msgspec.json.encode(header | {"seconds": -1e300}).decode()})
    with pytest.raises(CheckpointError, match=r"header: .*seconds"):
        read_checkpoint(file)
    with pytest.raises(CheckpointError, match="it is no regular file"):
        read_checkpoint(file.parent)


def test_numbers_of_a_type_that_numpy_lacks_are_refused(file: Path) -> None:
    torch_file.save_file({"a": torch.zeros(3, dtype=torch.bfloat16)}, file)
    with pytest.raises(CheckpointError, match=r"c.safetensors: torn, or no checkpoint"):
        read_checkpoint(file)


def test_a_write_that_fails_leaves_the_old_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file.read_bytes()

    def full(fd: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        keep(learner(seed=2), file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("width", [SMALL.width, 64])  # torch would share products of 64 columns among its threads
def test_the_number_of_threads_changes_nothing(width: int) -> None:
    runs = [learner(threads=threads, width=width) for threads in (1, 2, 3)]
    for run in runs:
        for _ in range(3):
            run.iterate()
    first, *others = [run.state() for run in runs]
    for arrays, counters in others:
        assert counters == first[1]
        assert all(np.array_equal(arrays[name], first[0][name]) for name in first[0])


def test_networks_of_a_single_layer_learn_and_are_kept(tmp_path: Path) -> None:
    one = learner(layers=1, critic_layers=1)
    before = one.policy.weights()
    one.iterate()
    assert not np.array_equal(one.policy.weights()[0], before[0])
    keep(one, tmp_path / "run.safetensors")
    other = learner(layers=1, critic_layers=1)
    found = read_checkpoint(tmp_path / "run.safetensors")
    other.load_state(found.arrays, found.counters)
    for run in (one, other):
        run.iterate()
    assert all(np.array_equal(a, b) for a, b in zip(one.policy.weights(), other.policy.weights(), strict=True))
