"""The same tournament on a cluster gives the same tables: Ray with two nodes on this machine, and Dask."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.benchmarks.killing import ROOT, TABLES

WORDS = ["--agents", "greedy", "uniform", "--blocks", "24", "--chunk", "4"]


def tables(folder: Path, *words: str, **environment: str) -> list[str]:
    """The tables of the tournament, played in a process of its own."""
    subprocess.run(
        [sys.executable, "-m", "benchmarks", "tournament", *WORDS, "--out", str(folder), *words], cwd=ROOT, check=True,
        env={**os.environ, **environment}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return [(folder / name).read_text() for name in TABLES]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return tables(tmp_path_factory.mktemp("alone") / "run")


@pytest.mark.filterwarnings("default")  # theirs
def test_two_nodes_of_ray(alone: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))  # of the nodes' workers
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        found = tables(tmp_path / "ray", "--backend", "ray", "--workers", "2", RAY_ADDRESS=cluster.address)
    finally:
        cluster.shutdown()
    assert found == alone


@pytest.mark.filterwarnings("default")
def test_dask(alone: list[str], tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")
    assert tables(tmp_path / "dask", "--backend", "dask", "--workers", "2") == alone


@pytest.mark.parametrize("backend", ["ray", "dask"])
def test_a_backend_that_is_not_installed_is_one_line(backend: str, tmp_path: Path) -> None:
    try:
        __import__({"ray": "ray", "dask": "distributed"}[backend])
    except ImportError:
        words = [sys.executable, "-m", "benchmarks", "tournament", *WORDS, "--out", str(tmp_path), "--backend", backend]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert f"backend '{backend}' needs a package that is not installed" in done.stderr
        assert done.stderr.count("\n") == 1
    else:
        pytest.skip(f"{backend} is installed")
