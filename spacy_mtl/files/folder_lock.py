"""A folder that one process at a time writes to: the others are told who does."""

import contextlib
import os
import platform
import threading
import weakref
from pathlib import Path

from . import locks
from .disk import disk_errors
from .locks import Lock

LOCK_FILE = ".spacy_mtl.lock"


class FolderLock:
    """Keeps other processes from taking the same lock, until this object or its process ends, however it ends.

    A file in the folder is locked, and removed in the end. One that was left behind by a process that was killed is not in anybody's way.
    """

    def __init__(self, path: Path, lock: Lock):
        self.path = path
        self._lock = lock
        self._process = os.getpid()

    def __del__(self):
        if os.getpid() == self._process:
            with contextlib.suppress(OSError):
                os.unlink(self.path)
        self._lock.close()


_of_this_process: "weakref.WeakValueDictionary[str, FolderLock]" = weakref.WeakValueDictionary()
_taking = threading.Lock()


def lock_folder(folder: Path) -> FolderLock | str | None:
    """Lock a folder, which is made if there is none: the lock, or what is known of the process that has it.

    A process that asks again gets the same lock. None where the file system has no locks.
    Raises OSError (M650-M652) where the folder cannot be written.
    """
    folder = Path(os.path.realpath(folder))
    path = folder / LOCK_FILE
    with _taking, disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if locks.fcntl is None:
            return None
        held = _of_this_process.get(str(path))
        if held is not None:
            return held
        while True:
            lock = Lock(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
            try:
                taken = lock.take()
            except OSError:  # a file system without locks
                lock.close()
                path.unlink()
                return None
            if not taken:
                return _holder(lock)
            if lock.is_on(path):  # not the file that its holder has just removed
                return _sign(path, lock)
            lock.close()


def _sign(path: Path, lock: Lock) -> FolderLock:
    os.ftruncate(lock.descriptor, 0)
    os.write(lock.descriptor, f"process {os.getpid()} on {platform.node()}".encode())
    held = FolderLock(path, lock)
    _of_this_process[str(path)] = held
    return held


def _holder(lock: Lock) -> str:
    text = os.pread(lock.descriptor, 200, 0).decode(errors="replace")
    lock.close()
    return text or "a process that has just begun"
