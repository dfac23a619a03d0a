"""Locks that end with their process, however it ends: what is locked is in use, and what is not is left over.

A number of a process in a file's name says less: numbers are used again, and on a shared disk the process may be on another machine.
``flock`` is all that is needed, so no other package is. Where a file system or an operating system has none, nothing is locked and nothing is
taken for left over.
"""

import contextlib
import os
import weakref
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_held: "weakref.WeakSet[Lock]" = weakref.WeakSet()


class Lock:
    """An exclusive lock on an open file or folder, until :meth:`close`, the end of this object, or the end of the process."""

    def __init__(self, descriptor: int):
        self.descriptor = descriptor
        _held.add(self)

    def take(self, wait: bool = False) -> bool:
        """Take the lock; False if somebody else holds it. Raises OSError where there are no locks."""
        if fcntl is None:
            raise OSError("no locks on this system")
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def is_on(self, path: Path) -> bool:
        """Whether ``path`` is still the file that this lock is on: another process may have removed it."""
        try:
            return os.path.samestat(os.fstat(self.descriptor), os.stat(path, follow_symlinks=False))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Release the lock."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __del__(self):
        with contextlib.suppress(OSError):
            self.close()


def _close_in_child() -> None:
    """A forked child shares its parent's locks, and would keep them when the parent has died."""
    for lock in list(_held):
        lock.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)


def lock_if_left_over(path: Path) -> Lock | None:
    """Lock a file or folder that no process holds; None where one does, where it is gone, and where nobody can tell."""
    if fcntl is None:
        return None
    is_folder = path.is_dir() and not path.is_symlink()
    try:
        lock = Lock(os.open(path, (os.O_RDONLY if is_folder else os.O_RDWR) | getattr(os, "O_NOFOLLOW", 0)))
    except OSError:
        return None
    with contextlib.suppress(OSError):
        if lock.take() and lock.is_on(path):
            return lock
    lock.close()
    return None


def lock_new(path: Path) -> Lock | None:
    """Lock a file or folder that this process has just made; None if it has been removed as left over before that.

    Where there are no locks, nothing is even opened: Windows opens no folders, and moves no file that is open.
    """
    if fcntl is None:
        return Lock(-1)
    try:
        lock = Lock(os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR))
    except FileNotFoundError:
        return None
    with contextlib.suppress(OSError):  # no locks here: then nobody takes it for left over, either
        lock.take(wait=True)
    if lock.is_on(path):
        return lock
    lock.close()
    return None
