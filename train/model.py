"""The learner's networks in torch, and the one place that knows about devices.

A `Net` has the shape that `agents.network` plays: a first layer over inputs that are on or off, hidden layers of equal
width, a last layer; ReLU between. On a CPU the first layer is summed, and its gradient scattered, by compiled loops
over the inputs that are on: a tenth of what a dense product costs. Elsewhere it is torch's `embedding_bag`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import Weights
from paohuzi_env.core._compile import entry, kernel
from train.config import ConfigError

# --- the sparse first layer ---------------------------------------------------------------------------------------


@kernel
def columns(width: int, thread: int, threads: int) -> Any:
    """The columns of a thread: first, and one past the last."""
    return width * thread // threads, width * (thread + 1) // threads


@entry
def sum_rows(
    active: Any, counts: Any, rows: Any, weight: Any, bias: Any, out: Any, thread: int, threads: int
) -> None:  # fmt: skip
    """`out[i]` = bias + the weights of the inputs that are on in row `rows[i]`; threads share the columns."""
    lo, hi = columns(weight.shape[1], thread, threads)
    for i in range(len(rows)):
        row = rows[i]
        n = counts[row]
        y = out[i, lo:hi]
        for o in range(hi - lo):
            y[o] = bias[lo + o]
        j = 0
        while j + 4 <= n:
            a = weight[active[row, j], lo:hi]
            b = weight[active[row, j + 1], lo:hi]
            c = weight[active[row, j + 2], lo:hi]
            d = weight[active[row, j + 3], lo:hi]
            for o in range(len(y)):
                y[o] += (a[o] + b[o]) + (c[o] + d[o])
            j += 4
        while j < n:
            a = weight[active[row, j], lo:hi]
            for o in range(len(y)):
                y[o] += a[o]
            j += 1


@entry
def scatter_rows(
    active: Any, counts: Any, rows: Any, slope: Any, weight_slope: Any, thread: int, threads: int
) -> None:  # fmt: skip
    """Add the slope of each output row to the weights of the inputs that were on; threads share the columns."""
    lo, hi = columns(slope.shape[1], thread, threads)
    for i in range(len(rows)):
        row = rows[i]
        y = slope[i, lo:hi]
        for j in range(counts[row]):
            a = weight_slope[active[row, j], lo:hi]
            for o in range(len(y)):
                a[o] += y[o]


class Threads:
    """Compiled loops on some threads of this process."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count) if count > 1 else None

    def each(self, work: Callable[[int], None]) -> None:
        """Call `work(thread)` on every thread."""
        if self._pool is None:
            work(0)
        else:
            list(self._pool.map(work, range(self.count)))


class _SparseSum(torch.autograd.Function):
    """The first layer on a CPU."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, bias: Tensor, batch: Lists) -> Tensor:
        out = torch.empty(len(batch.rows), weight.shape[1])
        w, b, o = weight.detach().numpy(), bias.detach().numpy(), out.numpy()
        batch.threads.each(
            lambda t: sum_rows(batch.active, batch.counts, batch.rows, w, b, o, t, batch.threads.count)
        )
        ctx.batch, ctx.shape = batch, weight.shape
        return out

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, Tensor, None]:
        batch: Lists = ctx.batch
        slope = slopes[0].contiguous()
        weight_slope = torch.zeros(ctx.shape)
        s, w = slope.numpy(), weight_slope.numpy()
        batch.threads.each(
            lambda t: scatter_rows(batch.active, batch.counts, batch.rows, s, w, t, batch.threads.count)
        )
        return weight_slope, slope.sum(dim=0), None


class Lists:
    """Rows of lists of inputs that are on, as both devices take them."""

    def __init__(
        self, active: NDArray[np.int16], counts: NDArray[np.int16], rows: NDArray[np.int64], threads: Threads
    ) -> None:  # fmt: skip
        self.active, self.counts, self.rows, self.threads = active, counts, rows, threads

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


def thread_count(setting: int) -> int:
    """How many threads a setting means: 0 is one a processor that this process may use, two at most."""
    return setting or min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 2)


def to_device(array: NDArray[Any], device: torch.device) -> Tensor:
    """An array as a tensor on the device, through pinned memory where that is another one."""
    tensor = torch.from_numpy(array)
    return tensor if device.type == "cpu" else tensor.pin_memory().to(device, non_blocking=True)


def autocast(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Mixed precision where the device gains by it: bfloat16 on a graphics card, nothing on a CPU."""
    if device.type == "cuda":
        return torch.autocast("cuda", dtype=torch.bfloat16)
    return contextlib.nullcontext()
