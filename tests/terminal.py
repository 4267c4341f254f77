"""A command at a terminal of its own: what is typed, what it shows, how it ends (POSIX)."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from types import TracebackType
from typing import Final

from programs import ROOT

PROMPT: Final = "leave): "


class Terminal:
    """A running command whose standard streams are a terminal."""

    def __init__(self, *args: str) -> None:
        self._fd, other = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-m", *args], stdin=other, stdout=other, stderr=other, cwd=ROOT, start_new_session=True,
            env={**os.environ, "PAOHUZI_QUIET": "1", "PYTHONIOENCODING": "utf-8", "TERM": "xterm", "COLUMNS": "200"},
        )  # fmt: skip
        os.close(other)
        self.shown = ""

    def interrupt(self) -> None:
        """Interrupt it as a person would: not in the instant of the prompt, and again where nothing comes of it.

        A signal that comes after `input` has written its prompt and before it reads is seen by Python only when
        something is typed.
        """
        time.sleep(0.3)
        for _ in range(3):
            os.killpg(self._process.pid, signal.SIGINT)
            if select.select([self._fd], [], [], 10.0)[0]:
                return

    def read(self, until: str = PROMPT, seconds: float = 60.0) -> str:
        """What it shows until it shows that, or ends."""
        seen = b""
        deadline = time.monotonic() + seconds
        while until.encode() not in seen:
            if not select.select([self._fd], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise AssertionError(f"nothing but {seen.decode(errors='replace')[-500:]!r}")
            try:
                chunk = os.read(self._fd, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not chunk:
                break
            seen += chunk
        text = seen.decode(errors="replace").replace("\r\n", "\n")
        self.shown += text
        return text

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode(errors="surrogateescape"))

    def ask(self, text: str) -> str:
        """Type a line and give what is shown until the next prompt, or the end."""
        self.type(f"{text}\n")
        return self.read()

    def end(self, seconds: float = 30.0) -> int:
        """Its exit status, once it has ended."""
        self.read("\0", seconds)
        return self._process.wait(seconds)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        os.close(self._fd)
