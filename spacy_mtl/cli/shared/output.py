"""Output of commands: tables on the console, JSON in files."""

import errno
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.files.atomic import is_replaced, written_at
from spacy_mtl.files.beside import temporary
from spacy_mtl.files.disk import reason_of
from spacy_mtl.settings import brief

if TYPE_CHECKING:
    from rich.console import Console

WIDTH = 140  # columns, for tables that go to a file or a pipe


def make_console() -> "Console":
    """A console on standard output: as wide as the terminal, or wide enough for our tables where there is no terminal.

    Control characters in texts and labels are shown, see :mod:`.visible`; ``[b]`` and ``:x:`` in them are text, neither markup nor emoji.
    """
    from .visible import VisibleConsole

    return VisibleConsole(width=None if sys.stdout.isatty() else WIDTH, highlight=False, markup=False, emoji=False)


def write_json(path: Path, data: Any) -> None:
    """Write ``data`` as JSON. Raises ValueError (M704) where the file cannot be written."""
    text = json.dumps(data, ensure_ascii=False, indent=2, default=float)
    write_file(path, (text + "\n").encode())


def write_file(path: Path, content: bytes) -> None:
    """Write a complete file or none at all. Raises ValueError (M704) where it cannot be written."""
    try:
        write_atomically(path, content)
    except OSError as error:
        raise ValueError(Errors.M704.format(path=path, reason=reason_of(error))) from None


def check_other(output: Path, inputs: Iterable[Path]) -> None:
    """Refuse an output that is one of the files to be read, which would be lost, before any of them is read.

    Raises ValueError: M741 it is one, M704 nothing can be written there, M501 an input may not be looked at.
    """
    check_place(output)
    if any(_is_same(path, output) for path in inputs):
        raise ValueError(Errors.M741.format(path=output))


def check_place(path: Path, folder: bool = False) -> None:
    """Refuse a path where nothing can be written: in a file, in a folder that may not be entered or written, or of a name that is too long.

    folder: it is to be one, with files in it and no temporary file beside it. Raises ValueError (M704).
    """
    given, path = path, written_at(path)
    for place in (path, temporary(path, 0)) if path.name and not folder else (path,):
        try:
            place.stat()
        except FileNotFoundError:
            pass
        except OSError as error:
            raise ValueError(Errors.M704.format(path=brief(given, 300), reason=reason_of(error))) from None
    if not path.is_dir() and not is_replaced(given):
        return
    places = (path, *path.parents) if not path.name or (folder and path.is_dir()) else path.parents
    parent = next((place for place in places if place.exists()), Path())
    if not os.access(parent, os.W_OK | os.X_OK):
        reason = os.strerror(errno.EROFS if _is_read_only(parent) else errno.EACCES)
        raise ValueError(Errors.M704.format(path=brief(given, 300), reason=reason))


def _is_read_only(folder: Path) -> bool:
    """Whether a folder is on a file system that nobody writes to, where the system says so."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _is_same(path: Path, output: Path) -> bool:
    """Whether an input is the output. Raises ValueError (M501) if it may not be looked at."""
    try:
        return path.samefile(output)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        check_file(path)
        raise


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse outputs of which one is an input, or another output; None is for those that were not asked for.

    Raises ValueError: M795, and those of :func:`check_other`.
    """
    seen: set[Path] = set()
    read = [path for path in inputs if path is not None]
    for path in outputs:
        if path is not None:
            check_other(path, read)
            if path.resolve() in seen:
                raise ValueError(Errors.M795.format(path=path))
            seen.add(path.resolve())


def check_files(outputs: Sequence[Path | None], inputs: Iterable[Path | None]) -> None:
    """As :func:`check_outputs`, for outputs that are files: a folder is refused (M704)."""
    check_outputs(outputs, inputs)
    for path in outputs:
        _refuse_folder(path)


def check_file_name(path: Path | None) -> None:
    """Refuse a folder as a file to write, and what :func:`check_place` refuses, before long work. Raises ValueError (M704)."""
    if path is not None:
        check_place(path)
        _refuse_folder(path)


def _refuse_folder(path: Path | None) -> None:
    if path is not None and path.is_dir():
        raise ValueError(Errors.M704.format(path=path, reason="it is a folder"))
