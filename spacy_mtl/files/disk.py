"""What the disk is asked for: that data is on it, and sentences that say what went wrong."""

import contextlib
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spacy_mtl.errors import Errors

FULL = {errno.ENOSPC, errno.EDQUOT}
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Name ``path``, and what to do, in an OSError that is raised within.

    Raises OSError of the same number, and so of the same class: M650 the disk is full, M651 it must not be written, M652 anything else.
    """
    try:
        yield
    except OSError as error:
        raise disk_error(error, path) from error


def disk_error(error: OSError, path: Path) -> OSError:
    """The same error as a sentence about ``path``: M650-M652."""
    number = error.errno or errno.EIO
    message = Errors.M650 if number in FULL else Errors.M651 if number in FORBIDDEN else Errors.M652
    return OSError(number, message.format(path=path, reason=reason_of(error)))


def reason_of(error: OSError) -> str:
    """What the operating system says, without the sentence that :func:`disk_error` may have made of it."""
    return os.strerror(error.errno) if error.errno else str(error)


def flush_folder(path: Path) -> None:
    """Wait until the names in a folder are on disk, where the system can do that for a folder."""
    with contextlib.suppress(OSError):
        _flush(path)


def flush_tree(path: Path) -> None:
    """Wait until all files and folders below ``path``, and itself, are on disk. Raises OSError if the data of a file cannot be written."""
    for folder, _, files in os.walk(path, topdown=False):
        for name in files:
            _flush(Path(folder, name))
        flush_folder(Path(folder))


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
