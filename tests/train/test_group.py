"""Two processes under torchrun learn as one does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from small_runs import learner

WORKER = """
import json, os, sys
sys.path[:0] = [{root!r}, {tests!r}]
import torch, small_runs, dataclasses, agents
from train.group import Group
from train.ppo import Learner
config = dataclasses.replace(small_runs.SMALL, batch=4096, minibatch=1024)
group = Group.from_environment(torch.device("cpu"))
run = Learner(config, [agents.make("uniform", "mini").policy], group)
found = [run.iterate() for _ in range(4)]
total = [float(p.detach().double().sum()) for p in run.policy.parameters()]
with open(os.path.join({out!r}, f"{{group.rank}}.json"), "w") as file:
    json.dump({{"size": group.size, "metrics": found, "weights": total, "rows": run.decisions}}, file)
group.leave()
"""


@pytest.mark.timeout(900)
def test_two_processes_play_the_same_hands_and_learn_as_one_within_noise(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    script = tmp_path / "worker.py"
    script.write_text(WORKER.format(root=str(root), tests=str(root / "tests"), out=str(tmp_path)))
    subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(script)],
        check=True, timeout=800, cwd=root, capture_output=True,
    )  # fmt: skip
    first, second = (json.loads((tmp_path / f"{rank}.json").read_text()) for rank in (0, 1))
    assert first["size"] == second["size"] == 2
    assert first["weights"] == second["weights"]  # to the bit: both took the same steps
    assert first["rows"] == second["rows"]
    for mine, other in zip(first["metrics"], second["metrics"], strict=True):
        for name in ("loss/policy", "entropy", "explained", "hands"):
            assert mine[name] == other[name]

    one = learner(batch=4096, minibatch=1024)
    alone = [one.iterate() for _ in range(4)]
    assert alone[0]["hands"] == first["metrics"][0]["hands"]  # before the first step all is the same
    assert alone[0]["reward_spread"] == pytest.approx(first["metrics"][0]["reward_spread"], rel=1e-5)
    assert alone[0]["explained"] == pytest.approx(first["metrics"][0]["explained"], abs=1e-4)
    for name, noise in (("entropy", 0.02), ("loss/value", 0.02), ("kl", 0.01)):
        curves = np.array([[metrics[name] for metrics in run] for run in (alone, first["metrics"])])
        assert np.abs(curves[0] - curves[1]).max() < noise, name


def test_streams_that_can_not_be_shared_are_refused() -> None:
    from train.group import Group
    from train.ppo import Learner

    group = Group()
    group.size = 3
    with pytest.raises(ValueError, match=r"streams = 4; allowed with 3 processes: a multiple of that"):
        Learner(learner().config, [], group)
