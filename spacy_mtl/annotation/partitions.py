"""Partitions: files, or parts of files of bounded size, each of which is annotated and written as a whole."""

from dataclasses import dataclass
from pathlib import Path

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

    @property
    def title(self) -> str:
        """The name in ids of documents: of whole characters, whatever the bytes of the name."""
        return self.name.encode("utf8", "replace").decode("utf8")

    def check_unchanged(self) -> None:
        """Raises ValueError (M931) if the file is not what it was when the command began, and OSError if it is not there."""
        found = self.path.stat()
        if (found.st_size, found.st_mtime_ns) != (self.bytes, self.modified):
            raise ValueError(Errors.M931.format(path=self.name))


def kind_of(path: Path, kind: str) -> str:
    """What a file is read as. kind: one of KINDS, or "auto", which goes by the ending; unknown ones are text."""
    return ENDINGS.get(path.suffix.lower(), "text") if kind == "auto" else kind
