"""Atomic writing of folders: a folder is the old one or the new one, complete, whenever the process is killed or the machine goes down.

A folder cannot be moved onto another that is not empty, so two names have to be exchanged. Linux and macOS can do that in one step
(``renameat2`` with RENAME_EXCHANGE, ``renamex_np`` with RENAME_SWAP): at every instant the name leads to one complete folder. A symbolic link
that is moved from one folder to another would do the same on every POSIX system, but spaCy's training refuses to remove a link, and a
copy of the parent folder would hold a link to a name that nobody knows. Where the exchange is not to be had (other systems, some network and
overlay file systems), the old folder is renamed to ``.NAME.PROCESS.NUMBER.old``, and the new one takes its name at once; a process that is
killed just between leaves the old one complete under that name, and :func:`recover`, which every later save begins with, puts it back.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from spacy_mtl.errors import Errors

from .beside import left_over, new_beside, remove
from .disk import disk_errors, flush_folder, flush_tree, reason_of
from .locks import lock_new

AT_FDCWD = -100
EXCHANGE = 2  # RENAME_EXCHANGE of Linux and RENAME_SWAP of macOS
#: What systems say that cannot exchange names, or not of these folders.
CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}


def write_folder(path: str | Path, write: Callable[[Path], object]) -> None:
    """Fill a new folder beside ``path``, wait until it is on disk, and exchange it for the folder ``path``, which is then removed.

    write: is called with the new, empty folder. If ``path`` is a symbolic link, the folder it leads to is replaced. A process that works
    in the folder works in the new one afterwards.

    Raises OSError (M650-M652), with the old folder as it was, where the new one cannot be written or put in its place.
    """
    with disk_errors(Path(path)):
        path = Path(os.path.realpath(path))  # which there may not be, in a folder that was removed
    with disk_errors(path):
        here = _working_inside(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and not path.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        recover(path)
        with new_beside(path, Path.mkdir) as (new, _):
            write(new)
            if path.exists():
                new.chmod(path.stat().st_mode & 0o7777)
            flush_tree(new)
            _put(new, path)
            if here is not None:
                _enter(here, path)
            flush_folder(path.parent)


def _working_inside(path: Path) -> Path | None:
    """The working directory, if it is ``path`` or below it."""
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return None
    return here if path in (here, *here.parents) else None


def _enter(folder: Path, otherwise: Path) -> None:
    """Make a folder the working directory, or another one where there is none of this name."""
    try:
        os.chdir(folder)
    except OSError:
        os.chdir(otherwise)


def recover(path: Path) -> None:
    """Put back the folder that a process was killed while replacing; where ``path`` is there, remove it."""
    for place, lock in left_over(path, ending="old"):
        if path.exists():
            remove(place)
        else:
            os.rename(place, path)
        lock.close()


def _put(new: Path, path: Path) -> None:
    """Give ``new`` the name ``path``; the folder that had it, if any, is at ``new`` afterwards or removed."""
    if not path.exists():
        os.rename(new, path)
    elif not exchange(new, path):
        _replace_in_two_steps(new, path)


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; False, with nothing changed, where the system cannot. Raises OSError if it fails otherwise."""
    if sys.platform not in ("linux", "darwin"):
        return False
    library = ctypes.CDLL(None, use_errno=True)
    names = os.fsencode(one), os.fsencode(other)
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, EXCHANGE)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], EXCHANGE)
    else:
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in CANNOT:
        return False
    raise OSError(number, os.strerror(number), str(other))


def _replace_in_two_steps(new: Path, path: Path) -> None:
    """Rename the old folder away and the new one to its name. Raises OSError; the old one then has its name, or M653 says which."""
    old = new.with_suffix(".old")
    lock = lock_new(path)  # so that no other process puts it back meanwhile
    try:
        os.rename(path, old)
        try:
            os.rename(new, path)
        except OSError as error:
            _put_back(old, path, error)
            raise
        remove(old)
    finally:
        if lock is not None:
            lock.close()


def _put_back(old: Path, path: Path, reason: OSError) -> None:
    try:
        os.rename(old, path)
    except OSError:
        message = Errors.M653.format(path=path, old=old, reason=reason_of(reason))
        raise ValueError(message) from reason
