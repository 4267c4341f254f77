"""Writing files of game records: all or nothing, or one by one for long runs."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from paohuzi_env.errors import RecordError
from paohuzi_env.record_form import MOST_BYTES, parse_record, record_line


def write_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to a file: all of them, or on any error none, the file being as it was.

    The records may be made while they are written. What is no plain file (a pipe, ``/dev/null``), and the file that
    standard output or standard error goes to, is written to directly.

    Returns
    -------
    int
        How many were written.

    Raises
    ------
    OSError
        The file can't be written; `filename` is `path`.
    RecordError
        One of the records is none.
    """
    name = os.fspath(path)
    stream = _open_stream(name)
    if stream is not None:
        return _write_all(stream, records, name)
    target = Path(os.path.realpath(name))  # a link stays one
    part = target.with_name(f".{target.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with _named(name):
            file = part.open("x", encoding="utf-8", newline="\n")
        count = _write_all(file, records, name, sync=True)
        with _named(name):
            if target.exists():
                part.chmod(stat.S_IMODE(target.stat().st_mode))
            part.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    return count


def _open_stream(name: str) -> IO[str] | None:
    """The file opened for writing on, if it is none that can be replaced by another when all is written.

    Asked of the name as it is: a link like ``/dev/stdout`` leads to no path when standard output is a pipe.
    """
    try:
        info = Path(name).stat()
    except (OSError, ValueError):
        return None
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        with contextlib.suppress(OSError):
            if os.path.samestat(info, os.fstat(number)):  # to write on where it is, not over it
                if stream is not None:
                    stream.flush()
                return os.fdopen(os.dup(number), "w", encoding="utf-8", newline="\n")
    if stat.S_ISREG(info.st_mode):
        return None
    return Path(name).open("w", encoding="utf-8", newline="\n")


def _write_all(file: IO[str], records: Iterable[Mapping[str, Any]], name: str, *, sync: bool = False) -> int:
    """Write the records and close the file."""
    count = 0
    try:
        for record in records:
            line = record_line(record)
            with _named(name):
                file.write(line)
            count += 1
        with _named(name):
            file.flush()
            if sync:
                os.fsync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):  # what could not be written cannot be written now: the first error counts
            file.close()
        raise
    with _named(name):
        file.close()
    return count


@contextlib.contextmanager
def _named(name: str) -> Iterator[None]:
    """Let an error of the system name the file that the caller has named."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = name, None
        raise


class RecordWriter:
    """Appends records to a file one by one, for runs that may be killed: the file never keeps half a line.

    Each record reaches the system as one write. If that fails midway (a full disk), the file is cut back to
    its last whole line; half a line that a killed process left is cut off when the file is opened again. One
    writer a file at a time.

    Parameters
    ----------
    path
        The file; it is made if it does not exist.
    sync
        Whether to wait for the disk after each record, so that even a power failure loses none.
    """

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self.path = Path(path)
        self.count = 0
        self._sync = sync
        self._file: IO[bytes] = self.path.open("r+b" if self.path.exists() else "x+b", buffering=0)
        self._end = self._whole_lines()

    def _whole_lines(self) -> int:
        """Cut off half a line at the file's end; a whole record that only lacks the line's end is kept."""
        size = self._file.seek(0, os.SEEK_END)
        start = size
        tail = b""
        while start > 0 and b"\n" not in tail and len(tail) <= MOST_BYTES:
            step = min(start, 1 << 16)
            start = self._file.seek(start - step)
            tail = self._file.read(step) + tail
        if start > 0 and b"\n" not in tail:
            self._file.close()
            raise RecordError(f"a line of more than {MOST_BYTES} bytes at its end", file=str(self.path))
        half = tail[tail.rfind(b"\n") + 1 :]
        if not half:
            return size
        try:
            parse_record(half)
        except RecordError:
            self._file.truncate(size - len(half))
            return size - len(half)
        self._file.seek(size)
        self._file.write(b"\n")
        return size + 1

    def write(self, record: Mapping[str, Any]) -> None:
        """Append one record."""
        data = record_line(record).encode()
        self._file.seek(self._end)
        try:
            with _named(str(self.path)):
                if self._file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, "only a part of a record could be written")
                if self._sync:
                    os.fsync(self._file.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                self._file.truncate(self._end)
            raise
        self._end += len(data)
        self.count += 1

    def close(self) -> None:
        """Close the file. More than once is allowed."""
        self._file.close()

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
