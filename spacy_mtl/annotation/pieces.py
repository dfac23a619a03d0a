"""Lines and blocks of lines that begin in a part of a file, so that parts that are read apart from each other share them out without rest."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

#: A line or block of more bytes is no document.
MOST = 64 << 20
_BACK = 1 << 16
_BOM = b"\xef\xbb\xbf"


def lines_between(path: Path, begin: int, end: int) -> Iterator[tuple[int, bytes | None]]:
    """The lines whose first byte is in a part of the file, each with its place and its line end; None for one that is longer than MOST."""
    with path.open("rb") as file:
        yield from _lines(file, _first_line(file, begin), end)


def blocks_between(path: Path, begin: int, end: int, encoding: str) -> Iterator[tuple[int, list[bytes] | None]]:
    """Runs of lines that are not blank, of which the first line begins in a part of the file; None for one that is longer than MOST.

    The run may go on behind the part. Each comes with the place of its first line.
    """
    with path.open("rb") as file:
        start = _first_line(file, begin)
        inside = start > 0 and not _follows_blank(file, start, encoding)
        block: list[bytes] | None = []
        place, size = start, 0
        for at, line in _lines(file, start, None):
            if line is not None and _is_blank(line, encoding):
                if not inside and size:
                    yield place, block
                if at + len(line) >= end:
                    return
                inside, block, size = False, [], 0
                continue
            if not size:
                if at >= end:
                    return
                place = at
            size += MOST + 1 if line is None else len(line)
            if size > MOST or line is None:
                block = None
            elif block is not None and not inside:
                block.append(line)
        if not inside and size:
            yield place, block


def _is_blank(line: bytes, encoding: str) -> bool:
    return line.isspace() or not line.decode(encoding, "replace").strip()


def _first_line(file: BinaryIO, begin: int) -> int:
    """Where the first line begins that does so at ``begin`` or later, and the file is."""
    if not begin:
        return 0
    file.seek(begin - 1)
    _skip_line(file)
    return file.tell()


def _skip_line(file: BinaryIO) -> None:
    while (part := file.readline(MOST)) and not part.endswith(b"\n"):
        pass


def _lines(file: BinaryIO, start: int, end: int | None) -> Iterator[tuple[int, bytes | None]]:
    file.seek(start)
    at = start
    while end is None or at < end:
        line = file.readline(MOST + 1)
        if not line:
            return
        if len(line) > MOST:
            if not line.endswith(b"\n"):
                _skip_line(file)
            yield at, None
            at = file.tell()
        else:
            if shown := line if at else line.removeprefix(_BOM):
                yield at, shown
            at += len(line)


def _follows_blank(file: BinaryIO, start: int, encoding: str) -> bool:
    """Whether the line before the one that begins at ``start`` is blank; there is none before the first."""
    first = max(0, start - _BACK)
    file.seek(first)
    before = file.read(start - first).removesuffix(b"\n")
    cut = before.rfind(b"\n")
    line = before[cut + 1 :] if cut >= 0 or not first else b"."
    if not first and cut < 0:
        line = line.removeprefix(_BOM)
    return _is_blank(line, encoding) if line else True
