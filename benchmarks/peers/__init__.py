"""Other environments, measured in the same run, each in a virtual environment of its own.

A peer is a folder here: `requirements.txt` is what is installed, on demand, into `.bench/<peer>` of the checkout;
`play.py` has the cases. A peer that can't be installed or started is reported as unavailable, with the reason.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from benchmarks.measure import Case, CaseError, Tally

HERE: Final = Path(__file__).parent
CACHE: Final = HERE.parents[1] / ".bench"
NAMES: Final = tuple(sorted(folder.parent.name for folder in HERE.glob("*/play.py")))
INSTALL_SECONDS: Final = 900


class PeerError(CaseError):
    """A peer that can't be measured here."""


def install(name: str, cache: Path = CACHE, folders: Path | None = None) -> Path:
    """The Python of a peer's environment, which is made, or made anew after a change of its requirements.

    Parameters
    ----------
    name
        The folder's, which has a `requirements.txt`.
    cache
        Where the environments are.
    folders
        Where the folder is, by default here.

    Raises
    ------
    PeerError
        The installation failed.
    """
    wanted = (folders or HERE) / name / "requirements.txt"
    home = cache / name
    stamp = home / "installed.txt"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted.read_text(encoding="utf-8"):
        return python
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n", encoding="utf-8")
    shutil.rmtree(home, ignore_errors=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    for command in ([sys.executable, "-m", "venv", str(home)], [*pip, "-r", str(wanted)]):
        try:
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        except subprocess.CalledProcessError as error:
            last = [line for line in error.stderr.splitlines() if line.strip()][-1:]
            raise PeerError(f"not installed: {''.join(last) or error}") from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PeerError(f"not installed: {error}") from error
    shutil.copyfile(wanted, stamp)
    return python


@dataclass
class Peer:
    """A running peer: a process of its own that measures its cases when asked.

    Attributes
    ----------
    name
        The folder's.
    versions
        What its environment has of the packages that matter.
    """

    name: str
    python: Path
    versions: dict[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None

    def start(self) -> list[Case]:
        """Start the process; its cases, which compile at their first call.

        Raises
        ------
        PeerError
            It did not start.
        """
        command = [str(self.python), "-P", str(HERE / "serve.py"), str(HERE / self.name / "play.py")]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        hello = self._read()
        self.versions = hello["versions"]
        return [Case(f"{self.name}: {case}", "peers", "decisions", partial(self._run, case)) for case in hello["cases"]]

    def _run(self, case: str, seconds: float) -> Tally:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            print(json.dumps({"case": case, "seconds": seconds}), file=process.stdin, flush=True)
        except OSError as error:
            raise PeerError(f"ended: {error}") from error
        return Tally(**self._read())

    def _read(self) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise PeerError(f"ended with status {process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(OSError):  # it may have ended before
                self._process.communicate()  # closes its input: it ends by itself
            self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
