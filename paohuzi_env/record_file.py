"""Writing files of game records: all or nothing, or one by one for long runs."""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from paohuzi_env.errors import RecordError
from paohuzi_env.record_form import MOST_BYTES, parse_record, record_line


def write_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to a file: all of them, or on any error none, the file being as it was.

    The records may be made while they are written. What is no plain file (a pipe, ``/dev/null``) is written
    to directly.

    Returns
    -------
    int
        How many were written.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not stat.S_ISREG(path.stat().st_mode):
        with path.open("w", encoding="utf-8", newline="\n") as file:
            return _write_all(file, records)
    part = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            count = _write_all(file, records)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            part.chmod(stat.S_IMODE(path.stat().st_mode))
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.filename == str(part):
            error.filename = str(path)  # what the caller has named
        raise
    return count


def _write_all(file: IO[str], records: Iterable[Mapping[str, Any]]) -> int:
    count = 0
    for record in records:
        file.write(record_line(record))
        count += 1
    return count


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
            if self._file.write(data) != len(data):
                raise OSError(f"{self.path}: only a part of a record could be written")
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
