"""Atomic writing of files: a file is either complete or unchanged, whenever the process is killed or the machine goes down."""

import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .beside import new_beside
from .disk import disk_errors, flush_folder

#: Names of what the process has open, on systems that have such names.
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
_OPEN = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,6})")


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file under another name next to ``path``, then move it there: an interrupt leaves the old file as it was.

    The data is on disk before the file is moved, and its name when this returns. Missing parent directories are created, and what processes
    that were killed have left beside ``path`` is removed. Raises OSError where the file cannot be written: M650-M652.
    """
    with writing_atomically(path) as file:
        file.write(data)


def is_replaced(path: Path) -> bool:
    """Whether a file is written beside ``path`` and moved there: not for pipes, devices and what this process has open."""
    return _descriptor(path) is None and (path.is_file() or not path.exists())


def written_at(path: Path) -> Path:
    """Where a file that is replaced is: where ``path`` leads to if it is a link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _descriptor(path: Path) -> int | None:
    """The number of the open file that a path is another name for."""
    if found := _OPEN.fullmatch(str(path)):
        return int(found[1])
    return _STREAMS.get(str(path))


def _as_it_is(path: Path) -> BinaryIO:
    """Open for writing what cannot be replaced. What is open already goes on where it is, behind all that has been printed."""
    if (number := _descriptor(path)) is None:
        return path.open("wb")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return os.fdopen(os.dup(number), "wb")


@contextmanager
def writing_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """As :func:`write_atomically`, for what is written piece by piece: after an exception, the old file is as it was.

    An OSError that the caller raises meanwhile is told as one of this file. What is no file cannot be replaced: a folder is refused at once, and
    to a pipe or device, or to what is open already (``/dev/stdout``), the data is written as it comes. A link stays, and the file that it leads to
    is written; a file that was there keeps its mode.
    """
    given = Path(path)
    with disk_errors(given):
        if given.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not is_replaced(given):
            with _as_it_is(given) as file:
                yield file
            return
        path = written_at(given)
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_beside(path, lambda place: place.touch(exist_ok=False)) as (unfinished, _):
            with unfinished.open("wb") as file:
                with suppress(OSError):  # a new file, or a file system without modes
                    shutil.copymode(path, unfinished)
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        flush_folder(path.parent)
