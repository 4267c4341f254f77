"""Another program, asked by lines: one line to its standard input, one line back from its standard output.

Whatever it does, a question ends in time, with its answer or with a `Fault`, and the program never holds up whoever
asks: all pipes are read and written without blocking, and all that it is and has started can be killed
(`agents.supervise`).
"""

from __future__ import annotations

import contextlib
import math
import os
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

MOST_LINE: Final = 1 << 14
"""Longest answer in bytes, and most output that nobody asked for: less than a pipe holds."""
MOST_WORDS: Final = 1 << 20
"""Most bytes on standard error during a question."""
GRACE: Final = 1.0
"""Seconds that a program has to end by itself, once told to or once its output has ended."""
KILLED_IN: Final = 10.0
LAST_WORDS: Final = 2000
_CHUNK: Final = 1 << 16
_SUPERVISOR: Final = Path(__file__).with_name("supervise.py")


class Fault(Exception):  # noqa: N818 - the word of the records
    """What a program did wrong: `kind` is one of `core.log.FAULTS`, the text says how."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(f"{kind}: {why}")
        self.kind = kind


class Program:
    """A running program.

    Parameters
    ----------
    command
        The program and its arguments; no shell looks at them.
    memory
        Bytes of data that each of its processes may have; 0 is no limit.
    """

    def __init__(self, command: Sequence[str], memory: int = 0) -> None:
        reading, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_SUPERVISOR), str(reading), str(memory), *command],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                pass_fds=(reading,), start_new_session=True,
            )  # fmt: skip
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(reading)
        streams = self._process.stdin, self._process.stdout, self._process.stderr
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream is not None)
        for fd in (self._in, self._out, self._err):
            os.set_blocking(fd, False)
        self._read = bytearray()  # of its output, not used yet
        self._words = bytearray()  # the end of what it wrote to standard error
        self._said = 0  # bytes on standard error during this question
        self._open = {self._in, self._out, self._err}
        self._closed = False

    @property
    def pid(self) -> int:
        """The process id of its supervisor."""
        return self._process.pid

    @property
    def last_words(self) -> str:
        """The end of what it wrote to standard error, as one line."""
        text = self._words.decode(errors="replace")
        return " ".join("".join(c if c.isprintable() else " " for c in text).split())

    # --- asking -------------------------------------------------------------------------------------------------------

    def ask(self, line: bytes, seconds: float) -> bytes:
        """Send a line and give the line that comes back, without its end.

        Raises
        ------
        Fault
            No answer in time, the program is gone, or it wrote what it should not. Close it then.
        """
        deadline = time.monotonic() + seconds
        self._said = 0
        self._refuse_unasked()
        pending = memoryview(line)
        while True:
            pending = self._exchange(pending, deadline - time.monotonic())
            answer = self._line()
            if answer is not None:
                return answer
            if self._out not in self._open:
                raise self._ended()
            if time.monotonic() >= deadline:
                self._exchange(pending, 0)  # it may be this side that comes late
                answer = self._line()
                if answer is not None:
                    return answer
                raise Fault("timeout", f"no answer within {seconds:.3g} s{self._quoted()}")

    def tell(self, line: bytes, seconds: float = GRACE) -> None:
        """Send a line that needs no answer.

        Raises
        ------
        Fault
            The program does not read it in time, or floods meanwhile. Close it then.
        """
        self._said = 0
        deadline = time.monotonic() + seconds
        pending = memoryview(line)
        while pending and self._in in self._open:
            left = deadline - time.monotonic()
            if left <= 0:
                raise Fault("timeout", f"it did not read for {seconds:.3g} s{self._quoted()}")
            pending = self._exchange(pending, left)
            if len(self._read) > MOST_LINE:
                raise Fault("flood", f"more than {MOST_LINE} bytes that nobody asked for")

    def _exchange(self, pending: memoryview, seconds: float) -> memoryview:
        """Write and read what can be, waiting at most so long for anything; what is left to be written."""
        poll = select.poll()
        for fd in self._open - {self._in}:
            poll.register(fd, select.POLLIN)
        if pending and self._in in self._open:
            poll.register(self._in, select.POLLOUT)
        for fd, _ in poll.poll(max(0, math.ceil(seconds * 1000))):
            if fd == self._in:
                try:
                    pending = pending[os.write(fd, pending[:_CHUNK]) :]
                except BlockingIOError:
                    pass
                except OSError:  # it has closed its input; it may answer all the same
                    self._open.discard(fd)
            elif fd == self._err:
                self._hear()
            else:
                self._take()
        return pending

    def _take(self) -> bool:
        """Read some of its output; False where there is nothing to be read now, or ever."""
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return False
        if not chunk:
            self._open.discard(self._out)
        self._read = (self._read + chunk).lstrip()  # blank lines are nothing
        return bool(chunk)

    def _hear(self) -> None:
        """Read some of what it writes to standard error, and keep the end of it."""
        try:
            chunk = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not chunk:
            self._open.discard(self._err)
        self._words = (self._words + chunk)[-LAST_WORDS:]
        self._said += len(chunk)
        if self._said > MOST_WORDS:
            raise Fault("flood", f"more than {MOST_WORDS} bytes on standard error in a question")

    def _line(self) -> bytes | None:
        """The next line of its output, if it is there."""
        end = self._read.find(b"\n", 0, MOST_LINE + 1)
        if end >= 0:
            line = bytes(self._read[:end]).rstrip()
            self._read = self._read[end + 1 :].lstrip()
            return line
        if len(self._read) > MOST_LINE:
            raise Fault("flood", f"a line of more than {MOST_LINE} bytes")
        return None

    def _refuse_unasked(self) -> None:
        """What it has written before it was asked would be taken for the answer."""
        while len(self._read) <= MOST_LINE and self._out in self._open and self._take():
            pass
        if len(self._read) > MOST_LINE:
            raise Fault("flood", f"more than {MOST_LINE} bytes that nobody asked for")
        if self._read:
            raise Fault("garbage", f"output that nobody asked for: {quoted(bytes(self._read))}")
        if self._out not in self._open:
            raise self._ended()

    def _ended(self) -> Fault:
        """The fault of a program whose output has ended before it answered."""
        status = self._wait(GRACE)
        while self._err in self._open and select.select([self._err], [], [], 0)[0]:
            self._hear()
        if status is None:
            return Fault("early_end", f"it closed its output{self._quoted()}")
        if status == 0:
            return Fault("early_end", f"it ended before it answered{self._quoted()}")
        how = f"with status {status}" if 0 < status < 128 else f"by signal {abs(status) % 128}"
        return Fault("crash", f"it ended {how}{self._quoted()}")

    def _quoted(self) -> str:
        words = self.last_words[-200:]
        return f"; standard error: {words}" if words else ""

    # --- ending -------------------------------------------------------------------------------------------------------

    def quit(self, line: bytes, seconds: float = GRACE) -> bool:
        """Send a last line and the end of input, and see that it ends; whether it did so by itself, with status 0."""
        if self._closed:
            return False
        with contextlib.suppress(Fault):
            self.tell(line)
            self._stop_writing()
            deadline = time.monotonic() + seconds
            while self._open and (left := deadline - time.monotonic()) > 0:
                self._exchange(memoryview(b""), left)
                self._read.clear()  # what it says now matters to nobody
                self._said = 0
        status = self._wait(0.2)
        self.close()
        return status == 0

    def close(self) -> None:
        """Kill it, and all that it has started. More than once is allowed."""
        if self._closed:
            return
        self._closed = True
        os.close(self._lifeline)
        if self._wait(KILLED_IN) is None:  # the supervisor itself is held up: the program dies with it
            self._process.kill()
            self._process.wait()
        self._stop_writing()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._open.clear()

    def _stop_writing(self) -> None:
        self._open.discard(self._in)
        if self._process.stdin is not None:
            self._process.stdin.close()

    def _wait(self, seconds: float) -> int | None:
        """Its exit status, once it is gone with all that it has started; None if it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None


def quoted(line: bytes) -> str:
    """Bytes for a message: short, and safe to print."""
    text = ascii(line.decode(errors="replace"))
    return text if len(text) <= 80 else f"{text[:77]}…"
