"""`python -m train`: teach a network to play Paohuzi by self-play.

    python -m train --preset quick                      ten minutes on two cores, from nothing
    python -m train --preset quick --lr 1e-3            any setting can be given
    python -m train --settings my.toml --out runs/mine  settings from a file, the run in a folder of one's own
    python -m train --resume --out runs/mine            go on where it was stopped (Ctrl-C saves)
    python -m train export runs/mine/best.safetensors best.onnx
    python -m train demo                                two minutes, and a hand of what came of them

Exit status: 0 done, 1 something is wrong with what was given, 2 the command line is none, 130 interrupted (and saved).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import tyro

from paohuzi_env.cli import INTERRUPTED, Command, reading, run_quietly
from paohuzi_env.rules import rule_set

PROGRAM: Final = "python -m train"


@dataclass(frozen=True)
class _Start:
    """Where the settings come from and the run goes."""

    preset: Literal["smoke", "demo", "quick", "standard", "strong"] = "standard"
    """Settings to begin with."""
    settings: Path | None = None
    """TOML file with settings, over the preset's."""
    out: Path | None = None
    """Folder of the run; by default runs/RULES-PRESET."""
    resume: bool = False
    """Go on from the folder's checkpoint, with its settings."""
    quiet: bool = False
    """Print nothing but the result."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)

    def command() -> int:
        if words[:1] == ["export"]:
            return _export(words[1:])
        if words[:1] == ["demo"]:
            return _demo(words[1:])
        return _train(words)

    return run_quietly(command, PROGRAM)


def _train(words: list[str]) -> int:
    from agents.registry import naming
    from train.checkpoint import read_checkpoint
    from train.config import Config, ConfigError, check_resumed, from_toml, preset
    from train.run import BEST, CHECKPOINT, CURVE, train

    asks_help = bool({"-h", "--help"} & set(words))
    known = [word for word in words if word not in ("-h", "--help")]
    with reading(PROGRAM):
        start, rest = tyro.cli(_Start, args=known, return_unknown_args=True, prog=PROGRAM)
    config = preset(start.preset)
    if start.resume:
        if start.out is None:
            raise ConfigError("--resume needs --out: the folder of the run")
        if any(word.partition("=")[0] == "--preset" for word in words):
            raise ConfigError(f"--preset {start.preset} with --resume: a run that goes on has its own settings")
        config = read_checkpoint(start.out / CHECKPOINT).config
    if start.settings is not None:
        config = from_toml(start.settings, config)
    if asks_help:
        _print_help(config)
    with reading(PROGRAM):
        new = tyro.cli(Config, default=config, args=rest, prog=PROGRAM, config=(tyro.conf.FlagConversionOff,))
    if start.resume:
        check_resumed(read_checkpoint(start.out / CHECKPOINT).config, new)  # type: ignore[operator]
    folder = start.out or Path("runs", f"{_name(new.rules)}-{start.preset}")
    result = train(new, folder, resume=start.resume, quiet=start.quiet)
    if result.leads:
        how = "interrupted (and saved: --resume goes on) after " if result.interrupted else ""
        print(f"{how}{result.decisions:,} decisions in {result.seconds:.0f} s; the run is in {result.folder}")
        for agent, (margin, error) in result.history[-1].margins.items() if result.history else ():
            print(f"  {margin:+.3f} ± {error:.3f} points a hand against {agent}")
        if (folder / BEST).exists():
            print(f"  agents.make({naming('network', folder / BEST)!r}, {new.rules!r}), curve: {folder / CURVE}")
    return INTERRUPTED if result.interrupted else 0


def _name(rules: str) -> str:
    """What the folder of a run of these rules is called: a file's name without its ending, not a text of JSON."""
    stem = Path(rules).stem
    return stem if re.fullmatch(r"[\w.-]+", stem) else rule_set(rules).hash


def _print_help(config: Any) -> None:
    """Both parts of the options on one page."""
    from train.config import Config

    @dataclass(frozen=True)
    class _All(_Start, Config):
        pass

    values = {name: getattr(config, name) for name in Config.__dataclass_fields__}
    tyro.cli(_All, default=_All(**values), args=["--help"], prog=PROGRAM, description=__doc__)


def _export(words: list[str]) -> int:
    from train.export import export_onnx

    def export(
        network: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="NETWORK")],
        out: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="OUT")],
    ) -> Command:
        """Write a network as ONNX: input "inputs" float32 (n, inputs) of zeros and ones, output "logits" (n, 32).

        Parameters
        ----------
        network
            File of a network.
        out
            File to write.
        """

        def write() -> int:
            export_onnx(network, out)
            print(f"{out}: ONNX of {network}")
            return 0

        return write

    with reading(f"{PROGRAM} export"):
        command = tyro.cli(export, args=words, prog=f"{PROGRAM} export")
    return command()


def _demo(words: list[str]) -> int:
    from train.demo import DEMO, demo

    def show(minutes: float = 2.0, rules: str = "hunan", out: Path | None = None) -> Command:
        """Train a small network for two minutes, measure it, and watch it play a hand.

        Parameters
        ----------
        minutes
            Time for learning.
        rules
            Rule set.
        out
            Folder of the run, one without a run; by default runs/demo, which is replaced.
        """
        return lambda: 0 if demo(out or DEMO, minutes, rules, replace=out is None) else INTERRUPTED

    with reading(f"{PROGRAM} demo"):
        command = tyro.cli(show, args=words, prog=f"{PROGRAM} demo")
    return command()


if __name__ == "__main__":
    sys.exit(main())
