"""What a run says: TensorBoard, a line of progress, and a curve at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from paohuzi_env.files import write_whole
from train.checkpoint import Evaluation

METRICS: Final[Mapping[str, str]] = {
    "loss/policy": "the clipped objective of PPO, sign turned; near zero, and no measure of strength",
    "loss/value": "Huber loss of the critic, in rewards",
    "loss/imitation": "while imitating: minus the logarithm of the chance of the teacher's action",
    "agreed": "while imitating: mean chance of the teacher's action",
    "entropy": "mean entropy of the policy in nats; falls as it makes up its mind, 0 is no exploration left",
    "pull": "divergence of the policy from its running average",
    "kl": "divergence of the policy from the one that played; much over 0.02 means steps too large",
    "clipped": "share of decisions whose ratio was beyond the clip; 0.05 to 0.2 is usual",
    "grad/policy": "norm of the policy's gradient before it is cut to max_grad",
    "grad/critic": "norm of the critic's gradient before it is cut to max_grad",
    "steps": "gradient steps of the iteration; fewer than usual: max_kl ended it",
    "explained": "share of the variance of rewards that the critic foresees; 1 is all",
    "reward_spread": "standard deviation of rewards; a scale that brings it to about 1 suits the critic",
    "hands": "hands played in the iteration",
    "asked": "decisions asked of anybody, forced ones included",
    "won": "share of hands that somebody won; the others were drawn",
    "points/guest": "points a hand of the learner's seats where a past self plays too",
    "points/opponent": "points a hand of the learner's seats where an opponent plays too",
    "lr": "Adam's step size",
    "seconds/play": "time to play the iteration's hands",
    "seconds/judge": "time for the critic's and the averaged policy's answers",
    "seconds/learn": "time for the gradient steps",
    "speed/decisions": "decisions learned from a second, all told",
    "speed/hands": "hands played a second, all told",
    "margin/AGENT": "points a seat of the averaged policy more than AGENT's in a hand, on the validation deals",
}
"""Every metric that TensorBoard gets, and what it means."""

LINE_SECONDS: Final = 30.0
"""Time between lines of progress where the output is no terminal."""


class Log:
    """The log of a run, in a folder.

    Parameters
    ----------
    folder
        Where TensorBoard's files go.
    total
        Decisions of the whole run.
    step
        Iteration to go on from: what was logged beyond it by a run that was killed is hidden.
    quiet
        Whether to print nothing.
    """

    def __init__(self, folder: Path, total: int, *, step: int = 0, quiet: bool = False) -> None:
        from torch.utils.tensorboard import SummaryWriter

        wait_for_a_later_second(folder)
        self._writer = SummaryWriter(str(folder), purge_step=step + 1)
        self._console = Console(file=sys.stderr, quiet=quiet)
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.percentage:.0f}%"),
            TimeRemainingColumn(), console=self._console, disable=not self._console.is_terminal,
        )  # fmt: skip
        self._task = self._bar.add_task("", total=total)
        self._bar.start()
        self._said = time.monotonic()
        self._latest = ""

    def metrics(self, step: int, decisions: int, found: Mapping[str, float], speed: Mapping[str, float]) -> None:
        """Write an iteration's metrics, and the line of progress."""
        for name, value in (*found.items(), *speed.items()):
            if value == value:  # what could not be measured is not drawn
                self._writer.add_scalar(name, value, step)
        line = (
            f"{decisions / 1e6:.1f}M decisions, {speed['speed/decisions']:,.0f}/s, {speed['speed/hands']:,.0f} hands/s"
            f"{self._latest}"
        )
        self._bar.update(self._task, completed=decisions, description=line)
        if not self._console.is_terminal and time.monotonic() - self._said >= LINE_SECONDS:
            self._said = time.monotonic()
            self._console.print(line, highlight=False)

    def evaluation(self, found: Evaluation) -> None:
        """Write an evaluation."""
        for agent, (margin, _) in found.margins.items():
            self._writer.add_scalar(f"margin/{agent}", margin, found.iteration)
        texts = [f"{margin:+.2f} ± {error:.2f} against {agent}" for agent, (margin, error) in found.margins.items()]
        self._latest = f"; points: {', '.join(texts)}"
        self.say(f"{found.decisions / 1e6:.1f}M decisions, {found.seconds:.0f} s{self._latest}")

    def flush(self) -> None:
        """Bring to the disk what was written: a run that is killed and goes on from here must not lack it."""
        self._writer.flush()

    def say(self, text: str) -> None:
        """Print a line."""
        self._console.print(text, highlight=False, markup=False)

    def close(self) -> None:
        """End the line of progress and the files."""
        self._bar.stop()
        self._writer.close()


def wait_for_a_later_second(folder: Path) -> None:
    """Let the second pass in which a folder's latest log was begun.

    TensorBoard reads a folder's files in the order of their names, in which the second comes first, then the host and
    the process: a file of the same second may come before the one that it goes on from, and would be hidden by it.
    """
    names = (file.name.split(".") for file in folder.glob("events.out.tfevents.*"))
    begun = max((int(name[3]) for name in names if name[3].isdecimal()), default=0)
    now = time.time()
    if begun == int(now):  # not "is no earlier than": a clock that was put back must not stop a run
        time.sleep(begun + 1 - now)


def draw_curve(path: str | os.PathLike[str], history: Sequence[Evaluation], title: str) -> None:
    """Draw the margins over the run as PNG."""
    import io

    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes: Any = figure.add_subplot()
    for agent in dict.fromkeys(agent for found in history for agent in found.margins):
        points = [(f.decisions / 1e6, *f.margins[agent]) for f in history if agent in f.margins]
        x, y, error = zip(*points, strict=True)
        (line,) = axes.plot(x, y, marker=".", label=f"against {agent}".replace("$", r"\$"))  # no formula
        low, high = ([v + sign * 2 * e for v, e in zip(y, error, strict=True)] for sign in (-1, 1))
        axes.fill_between(x, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.axhline(0, color="grey", linewidth=0.8)
    axes.set_xlabel("decisions learned from, millions")
    axes.set_ylabel("points a hand more than the other's seat")
    axes.set_title(title)
    if axes.get_legend_handles_labels()[0]:
        axes.legend()
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=120)
    write_whole(path, data.getvalue())
