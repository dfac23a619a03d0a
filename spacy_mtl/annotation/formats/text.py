"""Plain text: documents are paragraphs, lines or files. Written are words with a space between them, a sentence on a line."""

from collections.abc import Iterator
from functools import partial
from typing import BinaryIO

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.errors import Errors

from ..documents import Document, SetAside, Task, doc_of_text
from ..partitions import Partition
from ..pieces import MOST, blocks_between, lines_between


def read(partition: Partition, nlp: Language, task: Task) -> Iterator[Document | SetAside]:
    """The texts of a partition; ids are made of the file's name and the byte at which a text begins."""
    is_first = not partition.begin
    for place, data in _texts(partition, task):
        name = f"{partition.title}@{place}"
        if data is None:
            yield SetAside(name, Errors.M929.format(most=MOST))
            continue
        try:
            text = decoded(data, task.input.encoding).strip()
        except ValueError as fault:
            yield SetAside(name, str(fault))
            continue
        if text:
            make = partial(doc_of_text, nlp, text, "text", task.output in ("conllu", "text"))
            yield Document(name, make, {task.id: name, task.text: text}, _comments(name, partition, is_first, task))
            is_first = False


def _texts(partition: Partition, task: Task) -> Iterator[tuple[int, bytes | None]]:
    documents, encoding = task.input.documents, task.input.encoding
    if documents == "line":
        yield from lines_between(partition.path, partition.begin, partition.end)
    elif documents == "paragraph":
        for place, block in blocks_between(partition.path, partition.begin, partition.end, encoding):
            yield place, None if block is None else b"".join(block)
    elif partition.bytes > MOST:
        yield 0, None
    else:
        yield 0, partition.path.read_bytes().removeprefix(b"\xef\xbb\xbf")


def decoded(data: bytes, encoding: str) -> str:
    """Text with line ends "\\n" alone. Raises ValueError (M930) for bytes that are none in this encoding."""
    try:
        text = data.decode(encoding)
        text.encode("utf8")  # half characters
    except UnicodeError as error:
        reason = getattr(error, "reason", type(error).__name__)
        raise ValueError(Errors.M930.format(encoding=encoding, reason=reason)) from None
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _comments(name: str, partition: Partition, is_first: bool, task: Task) -> list[str]:
    """For CoNLL-U: where a document, or a paragraph of one, begins. is_first: whether no text of the file comes before."""
    name = on_a_line(name)
    if task.input.documents != "paragraph":
        return [f"# newdoc id = {name}"]
    first = [f"# newdoc id = {on_a_line(partition.name)}"] if is_first else []
    return [*first, f"# newpar id = {name}"]


def on_a_line(name: str) -> str:
    """A name as a comment can hold it: on one line, and of whole characters."""
    return " ".join(name.encode("utf8", "replace").decode("utf8").split())


class Writer:
    """Words with a space between them, a sentence on a line, an empty line after each document."""

    def __init__(self, file: BinaryIO, nlp: Language, task: Task, partition: Partition):
        self._file = file

    def add(self, document: Document, doc: Doc) -> int:
        """Write a document; returns its number of sentences."""
        lines = [" ".join("".join(token.text.split()) or "_" for token in sentence) for sentence in _sentences(doc)]
        self._file.write(("\n".join(lines) + "\n\n").encode("utf8"))
        return len(lines)

    def close(self) -> None:
        """Nothing is left to write."""


def _sentences(doc: Doc) -> list:
    if not doc.has_annotation("SENT_START"):
        return [doc[:]] if len(doc) else []
    return list(doc.sents)
