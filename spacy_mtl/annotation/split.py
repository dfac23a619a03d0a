"""Find the files of a collection, and divide them into partitions."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.treebanks.endings import check_ending

from .formats.parquet import row_groups
from .partitions import ENDINGS, SIZE, Partition, kind_of


def input_files(paths: Sequence[Path], kind: str = "auto") -> list[Path]:
    """The files, in order; of a folder those directly in it whose endings are known, by name. kind: what they are read as.

    Raises ValueError: M501 one cannot be read, M754 and M755 it is no text, M918 one is given twice, M919 a folder has none.
    """
    found: list[Path] = []
    for path in paths:
        inside = [path]
        if _is_folder(path):
            inside = [each for each in _files_in(path) if each.suffix.lower() in ENDINGS]
            if not inside:
                raise ValueError(Errors.M919.format(path=path, endings=", ".join(ENDINGS)))
        found += inside
    for path in found:
        check_file(path)
        check_ending(path, kind, tables=True)
    seen: set[Path] = set()
    for path in found:
        real = path.resolve()
        if real in seen:
            raise ValueError(Errors.M918.format(path=path))
        seen.add(real)
    return found


def left_out(paths: Sequence[Path]) -> list[Path]:
    """The files of folders that :func:`input_files` leaves out, since their endings are not known."""
    folders = [path for path in paths if _is_folder(path)]
    return [each for path in folders for each in _files_in(path) if each.suffix.lower() not in ENDINGS]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # check_file says what is wrong
        return False


def _files_in(folder: Path) -> list[Path]:
    """The files directly in a folder, by name, without those that are hidden: so other programs mark what they have not finished."""
    try:
        return sorted(path for path in folder.iterdir() if path.name[0] not in "._" and path.is_file())
    except OSError as error:
        raise ValueError(Errors.M501.format(path=folder, reason=reason_of(error), cwd=Path.cwd())) from None


def split(files: Sequence[Path], kind: str, size: int = SIZE, whole: bool = False) -> list[Partition]:
    """The partitions of all files, in order. An empty file is one, too. size: bytes of a file in each.

    whole: whether text is not to be split, as a file is one document.
    Raises ValueError for a Parquet file that cannot be read (M926, M927).
    """
    partitions: list[Partition] = []
    for path in files:
        found = path.stat()
        file_kind = kind_of(path, kind)
        for begin, end in _spans(path, file_kind, found.st_size, size, whole):
            partitions.append(
                Partition(
                    len(partitions), str(path), path.resolve(), file_kind, begin, end, found.st_size, found.st_mtime_ns
                )
            )
    return partitions


def _spans(path: Path, kind: str, total: int, size: int, whole: bool) -> Iterator[tuple[int, int]]:
    if kind == "parquet":
        begin = taken = 0
        groups = row_groups(path)
        for number, n_bytes in enumerate(groups):
            if taken and taken + n_bytes > size:
                yield begin, number
                begin, taken = number, 0
            taken += n_bytes
        yield begin, len(groups)
    elif kind == "spacy" or (kind == "text" and whole) or not total:
        yield 0, total
    else:
        for begin in range(0, total, size):
            yield begin, min(begin + size, total)
