"""Temporary files and folders beside what they will replace, and the removal of those whose process has died."""

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .locks import Lock, lock_if_left_over, lock_new

#: Each temporary name of this process is used once.
_numbers = itertools.count()


@contextmanager
def new_beside(path: Path, make: Callable[[Path], object]) -> Iterator[tuple[Path, Lock]]:
    """Make ``.NAME.PROCESS.NUMBER.tmp`` beside ``path``, locked; whatever has that name in the end is removed.

    make: makes an empty file or folder of the given name; raises FileExistsError if there is one.
    """
    sweep(path)
    place, lock = _make_locked(path, make)
    try:
        yield place, lock
    finally:
        remove(place)
        lock.close()


def temporary(path: Path, number: int) -> Path:
    """Where this process writes, until it is complete, what is to be at ``path``."""
    return path.with_name(f".{path.name}.{os.getpid()}.{number}.tmp")


def _make_locked(path: Path, make: Callable[[Path], object]) -> tuple[Path, Lock]:
    while True:
        place = temporary(path, next(_numbers))
        try:
            make(place)
        except FileExistsError:  # of a process that had this number, or has it on another machine
            continue
        lock = lock_new(place)
        if lock is not None:
            return place, lock


def left_over(path: Path, ending: str = "tmp") -> Iterator[tuple[Path, Lock]]:
    """Temporary files and folders for ``path`` that no process holds, each with a lock that the caller gets."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.\d+(\.\d+)?\.{ending}")
    try:
        names = [name for name in os.listdir(path.parent) if pattern.fullmatch(name)]
    except OSError:  # a folder that may be written but not listed
        return
    for name in sorted(names):
        lock = lock_if_left_over(path.with_name(name))
        if lock is not None:
            yield path.with_name(name), lock


def sweep(path: Path) -> None:
    """Remove what dead processes have left beside ``path``."""
    for place, lock in left_over(path):
        remove(place)
        lock.close()


def remove(place: Path) -> None:
    """Remove a file or a folder with all that is in it, as far as that can be done."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            place.unlink()
