"""Partitions: files, or parts of files of bounded size, each of which is annotated and written as a whole."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors

#: What is read and written, by the endings of files.
ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".spacy": "spacy",
    ".conllu": "conllu",
    ".conllx": "conllu",
    ".conll": "conllu",
    ".txt": "text",
}
KINDS = ("text", "jsonl", "parquet", "spacy", "conllu")
#: Bytes of a file that are one partition, unless somebody asks for others.
SIZE = 32 << 20


@dataclass(frozen=True, slots=True)
class Partition:
    """Documents that begin in a part of a file. number: from 0. name: the file as it was given; path: where it is. kind: one of KINDS.

    begin, end: of the part; bytes in text, JSON lines and CoNLL-U, row groups in Parquet, the whole of a ``.spacy`` file (0 and its bytes). bytes,
    modified: of the whole file, when the command began; modified in nanoseconds.
    """

    number: int
    name: str
    path: Path
    kind: str
    begin: int
    end: int
    bytes: int
    modified: int

    def check_unchanged(self) -> None:
        """Raises ValueError (M931) if the file is not what it was when the command began, and OSError if it is not there."""
        found = self.path.stat()
        if (found.st_size, found.st_mtime_ns) != (self.bytes, self.modified):
            raise ValueError(Errors.M931.format(path=self.name))


def input_files(paths: Sequence[Path]) -> list[Path]:
    """The files, in order; of a folder those directly in it whose endings are known, by name.

    Raises ValueError: M501 there is no such file, M918 one is given twice, M919 a folder has none.
    """
    found: list[Path] = []
    for path in paths:
        inside = [path]
        if path.is_dir():
            inside = sorted(each for each in path.iterdir() if each.suffix.lower() in ENDINGS and _is_plain(each))
            if not inside:
                raise ValueError(Errors.M919.format(path=path, endings=", ".join(ENDINGS)))
        found += inside
    for path in found:
        check_file(path)
    seen: set[Path] = set()
    for path in found:
        real = path.resolve()
        if real in seen:
            raise ValueError(Errors.M918.format(path=path))
        seen.add(real)
    return found


def _is_plain(path: Path) -> bool:
    """Whether this is a file that is not hidden; other programs mark what they have not finished so."""
    return path.is_file() and path.name[0] not in "._"


def kind_of(path: Path, kind: str) -> str:
    """What a file is read as. kind: one of KINDS, or "auto", which goes by the ending; unknown ones are text."""
    return ENDINGS.get(path.suffix.lower(), "text") if kind == "auto" else kind


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
        from .formats.parquet import row_groups

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
