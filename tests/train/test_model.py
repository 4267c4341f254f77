"""Networks: the sparse first layer, compiled inference and ONNX all give what a dense product in torch gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.inputs import MOST_ACTIVE, NUM_INPUTS
from agents.network import Weights, answers, write_network
from paohuzi_env.rules import rule_set
from train.export import export_onnx
from train.model import Lists, Net, pick_device, thread_count, to_device

ROWS = 60


def net(width: int = 24, layers: int = 2, outputs: int = 32, seed: int = 3) -> Net:
    return Net(
        NUM_INPUTS, width, layers, outputs, on_at_once=90, last_gain=1.0, generator=torch.Generator().manual_seed(seed)
    )


def lists() -> tuple[Lists, NDArray[np.float32]]:
    """Random lists, of which every other row is taken, and the same as dense rows."""
    chance = np.random.default_rng(5)
    active = np.zeros((2 * ROWS, MOST_ACTIVE), np.int16)
    counts = chance.integers(0, 120, 2 * ROWS).astype(np.int16)
    dense = np.zeros((2 * ROWS, NUM_INPUTS), np.float32)
    for i, n in enumerate(counts):
        on = chance.permutation(NUM_INPUTS)[:n]
        active[i, :n] = on
        dense[i, on] = 1
    rows = np.arange(0, 2 * ROWS, 2)
    return Lists(active, counts, rows), dense[rows]


def dense_answer(of: Net, x: torch.Tensor) -> torch.Tensor:
    x = x @ of.first.weight + of.first.bias
    for layer in range(of.hidden.weight.shape[0]):
        x = torch.relu(x) @ of.hidden.weight[layer] + of.hidden.bias[layer]
    return torch.relu(x) @ of.last.weight + of.last.bias


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_sparse_first_layer_and_its_gradient_are_the_dense_ones(layers: int) -> None:
    of = net(layers=layers)
    some, dense = lists()
    found = {}
    for name, answer in (("sparse", of(some)), ("dense", dense_answer(of, torch.from_numpy(dense)))):
        of.zero_grad(set_to_none=True)
        (answer**2).mean().backward()
        found[name] = [answer.detach(), *(p.grad for p in of.parameters() if p.grad is not None)]
    assert len(found["sparse"]) == len(found["dense"]) >= 5
    for sparse, expected in zip(found["sparse"], found["dense"], strict=True):
        torch.testing.assert_close(sparse, expected, rtol=1e-4, atol=1e-6)


def test_the_way_of_other_devices_gives_the_same() -> None:
    of = net()
    some, dense = lists()
    flat, starts = some.flat(torch.device("cpu"))
    x = torch.nn.functional.embedding_bag(flat, of.first.weight, starts, mode="sum")
    torch.testing.assert_close(x, torch.from_numpy(dense) @ of.first.weight, rtol=1e-4, atol=1e-5)


def weights_of(of: Net) -> Weights:
    return of.weights()


@pytest.mark.parametrize(("width", "layers"), [(24, 1), (33, 2), (64, 3)])
def test_compiled_inference_equals_torch(width: int, layers: int) -> None:
    of = net(width, layers)
    some, dense = lists()
    with torch.no_grad():
        expected = dense_answer(of, torch.from_numpy(dense)).numpy()
    found = answers(of.weights(), some.active[some.rows], some.counts[some.rows])
    assert np.abs(expected).max() > 0.5
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("layers", [1, 3])
def test_onnx_equals_torch(tmp_path: Path, layers: int) -> None:
    runtime = pytest.importorskip("onnxruntime")
    of = net(layers=layers)
    write_network(tmp_path / "a.safetensors", of.weights(), rule_set("hunan"))
    export_onnx(tmp_path / "a.safetensors", tmp_path / "a.onnx")
    session = runtime.InferenceSession(str(tmp_path / "a.onnx"), providers=["CPUExecutionProvider"])
    _, dense = lists()
    (found,) = session.run(["logits"], {"inputs": dense})
    with torch.no_grad():
        expected = dense_answer(of, torch.from_numpy(dense)).numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)
    assert session.get_modelmeta().custom_metadata_map["rules"] == "hunan"


def test_equal_seeds_give_equal_networks_and_others_others() -> None:
    a, b, c = (net(seed=seed).weights() for seed in (1, 1, 2))
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert not np.array_equal(a[0], c[0])


def test_devices_and_threads_are_what_the_settings_say() -> None:
    assert pick_device("cpu").type == "cpu"
    assert 1 <= thread_count(0) <= 2
    assert thread_count(7) == 7
    assert to_device(np.ones(3, np.float32), torch.device("cpu")).sum() == 3
    if not torch.cuda.is_available():
        assert pick_device("auto").type == "cpu"
        with pytest.raises(ValueError, match=r"device = 'cuda': torch sees no CUDA device"):
            pick_device("cuda")
