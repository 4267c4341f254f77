"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import uuid
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file so that whoever opens it finds the old one or the new one, also after a power failure.

    `paohuzi_env.record_file.write_records` is the one for records that are made while they are written.
    """
    name = os.fspath(path)
    path = Path(os.path.realpath(path))  # a link stays one
    if path.exists() and not path.is_file():  # a folder, a device, a pipe
        raise OSError(errno.EEXIST, "no regular file, and not replaced", name)
    part = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            part.unlink()
        if isinstance(error, OSError) and error.errno is not None:
            error.filename, error.filename2 = name, None  # the file that was to be written, not a part of it
        raise
