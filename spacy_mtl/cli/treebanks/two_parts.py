"""The two files that the steps learn from, where a treebank does not have them: several files of a part joined, and a dev part held out."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.errors import Errors

from ..shared.output import write_file
from .parts import Files

#: One of so many runs of sentences is held out.
SHARE = 10
#: Sentences of a run, of 1,000 or more: long enough to be a document from which sentence borders are learnt.
RUN = 10


class Parts(NamedTuple):
    """The training and the dev part, a file each, and what was done to have them, for people."""

    train: Path
    dev: Path
    done: list[str]


def two_parts(files: Files, encoding: str) -> Parts:
    """One file for each part, in the encoding of the treebank; what is made goes to the folder of the configs.

    Files are written before anything else is checked. Raises ValueError: M739 for too few sentences to hold some out, M704 where a file cannot be
    written, and as :func:`.text_lines`.
    """
    if not files.dev:
        return _held_out(files, encoding)
    done: list[str] = []
    train, dev = (
        _joined(paths, files.folder / f"joined-{which}{paths[0].suffix}", encoding, done)
        for which, paths in (("train", files.train), ("dev", files.dev))
    )
    return Parts(train, dev, done)


def _joined(paths: Sequence[Path], output: Path, encoding: str, done: list[str]) -> Path:
    """The file of a part, or one made of several."""
    if len(paths) == 1:
        return paths[0]
    _write(output, _sentences(paths, encoding), encoding)
    done.append(f"{output}: {', '.join(path.name for path in paths)}, one after another.")
    return output


def _held_out(files: Files, encoding: str) -> Parts:
    """A dev part of one run of sentences in ten, as the files may be sorted by source; the others are the training part."""
    sentences = list(_sentences(files.train, encoding))
    n = len(sentences)
    if n < SHARE:
        raise ValueError(Errors.M739.format(treebank=files.train[0].parent, n=n))
    run = max(1, min(RUN, n // SHARE**2))
    held = [k // run % SHARE == SHARE - 1 for k in range(n)]
    train, dev = (files.folder / f"{name}{files.train[0].suffix}" for name in ("most-train", "held-out-dev"))
    for path, kept in ((train, False), (dev, True)):
        _write(path, (text for text, out in zip(sentences, held, strict=True) if out is kept), encoding)
    return Parts(
        train,
        dev,
        [f"{dev}: {sum(held):,} of the {n:,} training sentences, as there is no dev part; {train}: the others."],
    )


def _sentences(paths: Iterable[Path], encoding: str) -> Iterator[str]:
    """The text of each sentence with its comments, of all files; comments without words are left out, as readers do."""
    for path in paths:
        lines: list[str] = []
        for line in chain(text_lines(path, encoding), "\n"):
            if line.strip():
                lines.append(line.removesuffix("\n") + "\n")
            elif any(not each.startswith("#") for each in lines):
                yield "".join(lines)
                lines = []
            else:
                lines = []


def _write(path: Path, sentences: Iterable[str], encoding: str) -> None:
    write_file(path, "".join(f"{sentence}\n" for sentence in sentences).encode(encoding))
