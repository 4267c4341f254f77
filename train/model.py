"""The learner's networks in torch, and the one place that knows about devices.

A `Net` has the shape that `agents.network` plays: a first layer over inputs that are on or off, hidden layers of equal
width, a last layer; ReLU between. On a CPU the first layer is summed, and its gradient scattered, by compiled loops
over the inputs that are on: a tenth of what a dense product costs. Elsewhere it is torch's `embedding_bag`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Weights, first_layer
from paohuzi_env.core._compile import entry
from paohuzi_env.crew import processors
from train.config import ConfigError

T = TypeVar("T")
R = TypeVar("R")

# --- the sparse first layer ---------------------------------------------------------------------------------------


@entry
def sum_rows(active: Any, counts: Any, rows: Any, weight: Any, bias: Any, out: Any) -> None:
    """`out[i]` = bias + the weights of the inputs that are on in row `rows[i]`."""
    for i in range(len(rows)):
        first_layer(weight, bias, active[rows[i]], counts[rows[i]], out[i])


@entry
def scatter_rows(active: Any, counts: Any, rows: Any, slope: Any, weight_slope: Any) -> None:
    """Add the slope of each output row to the weights of the inputs that were on."""
    for i in range(len(rows)):
        row = rows[i]
        y = slope[i]
        for j in range(counts[row]):
            a = weight_slope[active[row, j]]
            for o in range(len(y)):
                a[o] += y[o]


class Threads:
    """Work side by side in some threads of this process, each with torch to itself in a single thread.

    Torch's own threads share every operation instead, and meet after each: with networks of this size and two of
    them that gains nothing.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = None
        if count > 1:  # torch's number of threads is each thread's own
            self._pool = ThreadPoolExecutor(count, initializer=torch.set_num_threads, initargs=(1,))

    def map(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """What `work` returns for each item, in their order."""
        return list(map(work, items) if self._pool is None else self._pool.map(work, items))


class _SparseSum(torch.autograd.Function):
    """The first layer on a CPU."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, batch: Lists) -> Tensor:
        out = torch.empty(len(batch.rows), weight.shape[1])
        w, b, o = weight.detach().numpy(), bias.detach().numpy(), out.numpy()
        sum_rows(batch.active, batch.counts, batch.rows, w, b, o)
        ctx.batch, ctx.shape = batch, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, Tensor, None]:
        batch: Lists = ctx.batch
        slope = slopes[0].contiguous()
        weight_slope = torch.zeros(ctx.shape)
        s, w = slope.numpy(), weight_slope.numpy()
        scatter_rows(batch.active, batch.counts, batch.rows, s, w)
        return weight_slope, slope.sum(dim=0), None


class Lists:
    """Rows of lists of inputs that are on, as both devices take them."""

    def __init__(self, active: NDArray[np.int16], counts: NDArray[np.int16], rows: NDArray[np.int64]) -> None:
        self.active, self.counts, self.rows = active, counts, rows

    def flat(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """All lists end to end, and where each begins."""
        counts = self.counts[self.rows].astype(np.int64)
        taken = self.active[self.rows]
        flat = taken[np.arange(taken.shape[1]) < counts[:, None]].astype(np.int64)
        starts = np.cumsum(counts) - counts
        return to_device(flat, device), to_device(starts, device)


# --- the network --------------------------------------------------------------------------------------------------


class Layer(nn.Module):
    """Weights and biases, (…, in, out): the layout in which rows of inputs lie together."""

    def __init__(self, *shape: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(*shape))
        self.bias = nn.Parameter(torch.zeros(*shape[:-2], shape[-1]))


class Net(nn.Module):
    """A network over lists of inputs.

    Parameters
    ----------
    inputs, width, layers, outputs
        Its shape; `layers` hidden layers of `width`.
    on_at_once
        About how many inputs are on, for the size of the first weights.
    last_gain
        Size of the last layer's first weights; small ones begin with even chances.
    generator
        Where the first weights come from.
    """

    def __init__(
        self, inputs: int, width: int, layers: int, outputs: int, *, on_at_once: int, last_gain: float,
        generator: torch.Generator,
    ) -> None:  # fmt: skip
        super().__init__()
        self.first = Layer(inputs, width)
        self.hidden = Layer(layers - 1, width, width)
        self.last = Layer(width, outputs)
        with torch.no_grad():
            self.first.weight.normal_(0, (2 / on_at_once) ** 0.5, generator=generator)
            for layer in range(layers - 1):
                self.hidden.weight[layer].normal_(0, (2 / width) ** 0.5, generator=generator)
            self.last.weight.normal_(0, last_gain / width**0.5, generator=generator)

    def forward(self, lists: Lists) -> Tensor:
        weight = self.first.weight
        if weight.device.type == "cpu":
            x: Tensor = _SparseSum.apply(weight, self.first.bias, lists)  # type: ignore[no-untyped-call]
        else:
            flat, starts = lists.flat(weight.device)
            x = nn.functional.embedding_bag(flat, weight, starts, mode="sum") + self.first.bias
        for layer in range(self.hidden.weight.shape[0]):
            x = torch.addmm(self.hidden.bias[layer], torch.relu(x), self.hidden.weight[layer])
        return torch.addmm(self.last.bias, torch.relu(x), self.last.weight)

    def weights(self) -> Weights:
        """The weights as compiled inference takes them; copies."""
        return tuple(p.detach().cpu().numpy().copy() for p in self.parameters())


# --- devices ------------------------------------------------------------------------------------------------------


def pick_device(name: str) -> torch.device:
    """The device that a setting names; "auto" is the graphics card where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("device = 'cuda': torch sees no CUDA device; allowed: 'auto', 'cpu'")
    return torch.device(name)


def own_device(device: torch.device) -> torch.device:
    """The device with its number, which other threads of the process know no other way."""
    return torch.device("cuda", torch.cuda.current_device()) if device.type == "cuda" else device


def thread_count(setting: int) -> int:
    """How many threads a setting means: 0 is one a processor that this process may use, two at most."""
    return setting or min(processors(), 2)


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on the device, through pinned memory where that is another one."""
    tensor = torch.from_numpy(array)
    return tensor if device.type == "cpu" else tensor.pin_memory().to(device, non_blocking=True)


def autocast(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Mixed precision where the device gains by it: bfloat16 on a graphics card, nothing on a CPU."""
    if device.type == "cuda":
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return contextlib.nullcontext()
