"""What a worker is told: how to make the pipeline, and which documents are its own."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any

from spacy.language import Language

from spacy_mtl.choosing.corpora import block_of
from spacy_mtl.corpora.conll import corpus_paths
from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.settings import brief

#: Characters of file names that stand for others.
_WILD = "*?["


@dataclass(frozen=True)
class Source:
    """The documents of a shard. blocks: of readers, each with a file. part, of: every ``of``-th document of these, beginning with number ``part``."""

    blocks: tuple[dict[str, Any], ...]
    part: int
    of: int

    @property
    def files(self) -> str:
        """The files in a sentence."""
        first = str(self.blocks[0]["path"])
        return first if len(self.blocks) == 1 else f"{first} and {len(self.blocks) - 1} more"


@dataclass(frozen=True)
class Spec:
    """config: a file that all machines see, as a text. code: a Python file to import first. folder: where the command was given."""

    config: str
    code: Path | None
    folder: Path
    source: Source


def sources(nlp: Language, workers: int, where: str) -> list[Source]:
    """The shard of each worker: whole files if there are as many, else every worker reads all and keeps its share of the documents.

    The path of the training corpus is a file, a folder or a pattern such as ``shards/*.conllu``, or several of these. Raises ValueError: M771 the
    config does not say what to read, M940 there is nothing at a path, and as :func:`_found`.
    """
    block = block_of(nlp, "train", where)
    found = _found(block)
    for path, files in found:
        if not files:
            raise ValueError(Errors.M940.format(path=path))
    files = [file for _, each in found for file in each]
    blocks = [{**block, "path": file} for file in files]
    if len(files) >= workers:
        return [Source(tuple(blocks[k::workers]), 0, 1) for k in range(workers)]
    return [Source(tuple(blocks), k, workers) for k in range(workers)]


def files_of(block: Mapping[str, Any]) -> list[str]:
    """The files that a path stands for, sorted, or several paths. Raises ValueError as :func:`_found`."""
    return [file for _, files in _found(block) for file in files]


def _found(block: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Each path that is named, as readers take them, with its files. A folder is what its reader makes of it, unless it holds nothing but files.

    Raises ValueError: M773 if the system does not let us look, M511 if no path is named, M514 for what is no path.
    """
    path = block["path"]
    if isinstance(path, str | Path):
        with suppress(OSError):  # too long for a name, as many paths are
            if whole := _files_at(str(path)):
                return [(str(path), whole)]
    try:
        return [(str(each), _files_at(str(each))) for each in corpus_paths(path)]
    except OSError as error:
        raise ValueError(Errors.M773.format(path=brief(path), reason=reason_of(error))) from None


def _files_at(path: str) -> list[str]:
    if any(sign in path for sign in _WILD) and not Path(path).exists():
        return sorted(file for file in glob(path, recursive=True) if Path(file).is_file())
    if Path(path).is_dir():
        inside = sorted(each for each in Path(path).iterdir() if not each.name.startswith("."))
        if inside and all(each.is_file() for each in inside):
            return list(map(str, inside))
    return [path] if Path(path).exists() else []
