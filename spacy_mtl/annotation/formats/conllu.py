"""CoNLL-U: blocks of lines, a sentence each; what is wrong with one sets that sentence aside."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu import TreeDocMaker
from spacy_mtl.corpora.conllu_kept import begins
from spacy_mtl.corpora.conllu_read import Layout, NoTreeError, SentenceParser, TreeSentence, layout_of
from spacy_mtl.corpora.conllu_write import doc_to_conllu
from spacy_mtl.errors import Errors

from ..documents import Document, SetAside, Task
from ..partitions import Partition
from ..pieces import MOST, blocks_between, lines_between
from .text import decoded

_PEEK = 1000
#: The most sentences in a document whose borders are to be predicted.
_MOST_SENTENCES = 100


def read(partition: Partition, nlp: Language, task: Task) -> Iterator[Document | SetAside]:
    """The sentences of a partition, a document each; or paragraphs where borders are to be predicted, which end with the partition."""
    maker = TreeDocMaker(nlp.vocab, task.input.tag, keep=True)
    settings = task.input
    group: list[TreeSentence] = []
    first = ""

    def document() -> Document:
        trees = settings.trees and settings.borders
        return Document(first, partial(maker.doc, group, settings.given, trees, settings.borders), None, [])

    for name, found in _sentences(partition, settings.encoding):
        if isinstance(found, str):
            yield SetAside(name, found)
            continue
        assert found.source is not None
        if group and (settings.borders or len(group) == _MOST_SENTENCES or any(map(begins, found.source.comments))):
            yield document()
            group = []
        first = first if group else name
        group = [*group, found]
    if group:
        yield document()


def _sentences(partition: Partition, encoding: str) -> Iterator[tuple[str, TreeSentence | str]]:
    """Sentences, or what is wrong with them, each with its id."""
    layout, lines = None, _Lines(partition.path)
    for place, block in blocks_between(partition.path, partition.begin, partition.end, encoding):
        name = f"{partition.title}@{place}"
        layout = layout or _layout(partition, encoding)
        if block is None:
            yield name, Errors.M929.format(most=MOST)
            continue
        try:
            found = _sentence(partition, layout, lines, place, block, encoding)
        except ValueError as fault:
            yield name, str(fault)
        else:
            if found is not None:
                yield name, found


def _layout(partition: Partition, encoding: str) -> Layout:
    """Judged by the beginning of the whole file, whichever part of it is read."""
    lines = islice(lines_between(partition.path, 0, partition.bytes), _PEEK)
    return layout_of(partition.path, [(line or b"").decode(encoding, "replace") for _, line in lines], "auto")


class _Lines:
    """Counts the lines of a file before places that come one after another, so that no part of it is read twice."""

    def __init__(self, path: Path):
        self._path, self._place, self._count = path, 0, 0

    def before(self, place: int) -> int:
        with self._path.open("rb") as file:
            file.seek(self._place)
            while self._place < place and (part := file.read(min(place - self._place, 1 << 20))):
                self._count += part.count(b"\n")
                self._place += len(part)
        return self._count


def _sentence(
    partition: Partition, layout: Layout, before: _Lines, place: int, block: list[bytes], encoding: str
) -> TreeSentence | None:
    """The sentence of a block; None for comments alone. Raises ValueError, which names the line of the file."""
    lines = decoded(b"".join(block), encoding).removesuffix("\n").split("\n")
    comments = [line for line in lines if line.startswith("#")]
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    if not rows:
        return None

    def parser(first: int) -> SentenceParser:
        numbers = [first + i for i, line in enumerate(lines) if not line.startswith("#")]
        return SentenceParser(partition.path, layout, comments, f"@{place}", rows, numbers)

    try:
        return parser(1).sentence(True)
    except NoTreeError:
        return parser(1).sentence(True, has_tree=False)
    except ValueError:  # once more, with the numbers of its lines, which take a while to count
        return parser(1 + before.before(place)).sentence(True)


class Writer:
    """Sentences of all documents; those without an id of their own are numbered."""

    def __init__(self, file: BinaryIO, nlp: Language, task: Task, partition: Partition):
        self._file, self._number = file, 0
        self._tag = "upos" if task.input.tag == "upos" else "xpos"

    def add(self, document: Document, doc: Doc) -> int:
        """Write a document; returns its number of sentences."""
        sentences = list(doc_to_conllu(doc, self._tag, self._number + 1, document.comments))
        self._file.write("".join(f"{sentence}\n" for sentence in sentences).encode("utf8"))
        self._number += len(sentences)
        return len(sentences)

    def close(self) -> None:
        """Nothing is left to write."""
