"""JSON lines: an object on each line, with a text, and possibly an id; other fields stay as they are."""

import json
from base64 import b64encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.corpora.conllu_kept import given_text
from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief
from spacy_mtl.stored.json import fault_of_json

from ..columns import columns_of, row_of
from ..documents import Document, SetAside, Task, doc_of_text
from ..partitions import Partition
from ..pieces import MOST, lines_between
from .text import decoded, on_a_line

#: So many lines of a file are looked at before work begins.
_PEEK = 100


def read(partition: Partition, nlp: Language, task: Task) -> Iterator[Document | SetAside]:
    """The objects of a partition. Blank lines are passed over; what is no object with a text is set aside."""
    columns = columns_of(nlp)
    for place, line in lines_between(partition.path, partition.begin, partition.end):
        name = f"{partition.title}@{place}"
        if line is None:
            yield SetAside(name, Errors.M929.format(most=MOST))
        elif not line.isspace():
            try:
                row = parsed(line, task.input.encoding)
            except ValueError as fault:
                yield SetAside(name, str(fault))
                continue
            yield document_of(row, name, nlp, task, columns, partition.name)


def parsed(line: bytes, encoding: str) -> dict[str, Any]:
    """The object of a line. Raises ValueError with a sentence: M920, M930."""
    text = decoded(line, encoding).removesuffix("\n")
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(Errors.M920.format(reason=fault_of_json(error))) from None
    if not isinstance(row, dict):
        raise ValueError(Errors.M920.format(reason=f"it is a {type(row).__name__}"))
    return row


def check_texts(paths: Sequence[Path], task: Task) -> None:
    """Refuse a column that none of the objects has with which the files begin (M923); single objects without it are set aside later."""
    first: tuple[Path, list[str]] | None = None
    for path in paths:
        for _, line in islice(lines_between(path, 0, path.stat().st_size), _PEEK):
            try:
                row = parsed(line or b"", task.input.encoding)
            except ValueError:
                continue
            if task.text in row and (row[task.text] is None or isinstance(row[task.text], str)):
                return
            first = first or (path, list(row))
    if first is not None:
        path, names = first
        known = brief(", ".join(names) or "none", 200)
        raise ValueError(Errors.M923.format(path=path, column=task.text, known=known))


def document_of(
    row: Mapping[str, Any],
    name: str,
    nlp: Language,
    task: Task,
    columns: Collection[str],
    path: str,
    place: tuple[Any, int] | None = None,
) -> Document | SetAside:
    """The document of a row, or why it is none. name: its id where the row has none. columns: those of the annotation, which it must not have."""
    known = row.get(task.id)
    name = name if known is None else str(known)
    if taken := [column for column in columns if column in row]:
        return SetAside(name, Errors.M925.format(path=path, column=taken[0]))
    if task.text not in row:
        found = f"the object has the fields {brief(', '.join(row), 200)}" if row else "the object has no fields"
        return SetAside(name, Errors.M921.format(column=task.text, found=found, option="--text-column"))
    make = partial(doc_of_text, nlp, row[task.text], task.text, task.output in ("conllu", "text"))
    full = row if known is not None else {task.id: "", **row, task.id: name}  # first, and in place of null
    return Document(name, make, full, [f"# newdoc id = {on_a_line(name)}"], place)


class Writer:
    """The fields of each document, and the columns of its annotation."""

    def __init__(self, file: BinaryIO, nlp: Language, task: Task, partition: Partition):
        self._file, self._columns, self._task = file, columns_of(nlp), task

    def add(self, document: Document, doc: Doc) -> int:
        """Write a document; returns its number of sentences. Raises ValueError: M933 for a number that is none in JSON, M796 for half a character."""
        row = document.row
        if row is None:
            row = {self._task.id: document.id, self._task.text: given_text(doc)}
        annotation = row_of(doc, self._columns)
        try:
            line = f"{_line({**row, **annotation})}\n".encode()
        except UnicodeEncodeError:
            raise ValueError(Errors.M796.format(where="The row")) from None
        self._file.write(line)
        return n_sentences(doc)

    def close(self) -> None:
        """Nothing is left to write."""


def _line(row: Mapping[str, Any]) -> str:
    try:
        return _json(row)
    except ValueError:
        field = next(name for name, value in row.items() if not _is_json(value))
        raise ValueError(Errors.M933.format(field=brief(field, 100))) from None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_of_parquet, allow_nan=False)


def _is_json(value: Any) -> bool:
    try:
        _json(value)
    except ValueError:
        return False
    return True


def _of_parquet(value: Any) -> str:
    """What JSON has no type for: bytes in base64, dates, times and decimal numbers as they are written."""
    return b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)


def n_sentences(doc: Doc) -> int:
    """A Doc without borders is one sentence."""
    if not doc.has_annotation("SENT_START"):
        return min(len(doc), 1)
    return sum(1 for _ in doc.sents)
