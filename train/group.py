"""Processes that learn together (`torchrun`), or the only one, for which all of this does nothing."""

from __future__ import annotations

import dataclasses
import os

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from train.config import ConfigError
from train.rollout import Tally


def _from_environment(name: str, default: int) -> int:
    text = os.environ.get(name, str(default))
    if not (text.isascii() and text.isdecimal()):
        raise ConfigError(f"{name} = {text!r} in the environment; allowed: a whole number")
    return int(text)


class Group:
    """A process among those that learn together.

    Attributes
    ----------
    rank, size
        Its number, and how many they are.
    """

    def __init__(self) -> None:
        self.rank, self.size = 0, 1
        self._device = torch.device("cpu")

    @classmethod
    def from_environment(cls, device: torch.device) -> Group:
        """Join the group that `torchrun` has started this process for, if it has: nccl on graphics cards, else gloo."""
        group = cls()
        if (size := _from_environment("WORLD_SIZE", 1)) > 1:
            import torch.distributed as dist

            if device.type == "cuda":
                torch.cuda.set_device(_from_environment("LOCAL_RANK", 0))
            try:
                dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
            except (ValueError, RuntimeError) as error:  # DistStoreError among them
                why = str(error).partition("\n")[0]
                raise ConfigError(f"WORLD_SIZE = {size}: {why}; torchrun sets all that is needed") from error
            group.rank, group.size, group._device = dist.get_rank(), dist.get_world_size(), device
        return group

    def leave(self) -> None:
        """Part from the others, at the end."""
        if self.size > 1:
            import torch.distributed as dist

            dist.destroy_process_group()

    def _sum(self, tensor: Tensor) -> Tensor:
        if self.size > 1:
            import torch.distributed as dist

            tensor = tensor.to(self._device)
            dist.all_reduce(tensor)
        return tensor

    def sums(self, values: list[float]) -> list[float]:
        """Each value, summed over the processes."""
        return [float(x) for x in self._sum(torch.tensor(values, dtype=torch.float64))] if self.size > 1 else values

    def sum(self, value: int) -> int:
        """A whole number, summed over the processes."""
        return int(self.sums([value])[0])

    def mean(self, value: float) -> float:
        """A value, averaged over the processes."""
        return self.sums([value])[0] / self.size

    def mean_metrics(self, metrics: dict[str, float]) -> dict[str, float]:
        """Each value, averaged over the processes."""
        return dict(zip(metrics, [x / self.size for x in self.sums(list(metrics.values()))], strict=True))

    def mean_and_spread(self, array: NDArray[np.float32]) -> tuple[float, float]:
        """Mean and standard deviation of the values of all processes."""
        wide = array.astype(np.float64)
        n, total, squares = self.sums([len(wide), float(wide.sum()), float((wide**2).sum())])
        mean = total / n
        return mean, float(np.sqrt(max(squares / n - mean**2, 0.0)))

    def sum_tally(self, tally: Tally) -> Tally:
        """What the hands of all processes came to."""
        return Tally(*(int(x) for x in self.sums(list(dataclasses.astuple(tally)))))

    def mean_gradients(self, net: nn.Module) -> None:
        """Average the gradients of a network over the processes: one message."""
        if self.size == 1:
            return
        slopes = [p.grad for p in net.parameters() if p.grad is not None]
        flat = self._sum(torch.cat([slope.reshape(-1) for slope in slopes])) / self.size
        at = 0
        for slope in slopes:
            slope.copy_(flat[at : at + slope.numel()].reshape(slope.shape))
            at += slope.numel()
