"""Atomic writing of files: a file is either complete or unchanged, whenever the process is killed or the machine goes down."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from .beside import new_beside
from .disk import disk_errors, flush_folder


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file under another name next to ``path``, then move it there: an interrupt leaves the old file as it was.

    The data is on disk before the file is moved, and its name when this returns. Missing parent directories are created, and what processes
    that were killed have left beside ``path`` is removed. Raises OSError where the file cannot be written: M650-M652.
    """
    with writing_atomically(path) as file:
        file.write(data)


@contextmanager
def writing_atomically(path: str | Path) -> Iterator[BinaryIO]:
    """As :func:`write_atomically`, for what is written piece by piece: after an exception, the old file is as it was.

    An OSError that the caller raises meanwhile is told as one of this file. What is no file cannot be replaced: a folder is refused at once, and
    to a pipe or device, such as ``/dev/stdout``, the data is written as it comes. A link stays, and the file that it leads to is written; a file
    that was there keeps its mode.
    """
    given = Path(path)
    with disk_errors(given):
        path = Path(os.path.realpath(given)) if given.is_symlink() else given
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                yield file
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_beside(path, lambda place: place.touch(exist_ok=False)) as (unfinished, _):
            with unfinished.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            with suppress(OSError):  # a new file, or a file system without modes
                shutil.copymode(path, unfinished)
            os.replace(unfinished, path)
        flush_folder(path.parent)
