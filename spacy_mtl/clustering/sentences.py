"""The sentences of raw text: plain text, JSON lines as of ``spacy pretrain``, and the words of column files."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from spacy_mtl.corpora.columns import text_lines
from spacy_mtl.errors import Errors

#: How a file is read, by its ending; others are plain text, a sentence or paragraph a line. The number is that of the column with the words.
COLUMNS = {".conll": 0, ".iob": 0, ".iob2": 0, ".tsv": 0, ".conllu": 1, ".conllx": 1}
JSON_LINES = ".jsonl"

Tokenize = Callable[[str], Sequence[str]]


def sentences_of(path: Path, tokenize: Tokenize, encoding: str = "utf8") -> Iterator[Sequence[str]]:
    """The sentences of a file; words of column files stay as they are. Raises ValueError: M501, M502, M513 the file cannot be read, M746 a line of
    JSON without a text."""
    if path.suffix in COLUMNS:
        return _of_columns(path, COLUMNS[path.suffix], encoding)
    return (words for text in texts_of(path, encoding) if (words := tokenize(text)))


def texts_of(path: Path, encoding: str = "utf8") -> Iterator[str]:
    """The texts of a file: a line each, of JSON lines what they have as "text". Raises ValueError: M501, M502, M513, M746."""
    if path.suffix == JSON_LINES:
        return _of_json(path, encoding)
    return (line.rstrip("\r\n") for line in text_lines(path, encoding))


def _of_columns(path: Path, column: int, encoding: str) -> Iterator[Sequence[str]]:
    words: list[str] = []
    for line in text_lines(path, encoding):
        fields = line.rstrip("\n").split("\t") if column else line.split()
        if not line.strip():
            if words:
                yield words
            words = []
        elif not (column and line.startswith("#")) and len(fields) > column and fields[0] != "-DOCSTART-":
            words.append(fields[column])
    if words:
        yield words


def _of_json(path: Path, encoding: str) -> Iterator[str]:
    for number, line in enumerate(text_lines(path, encoding), start=1):
        if not line.strip():
            continue
        try:
            text = json.loads(line)["text"]
        except (ValueError, KeyError, TypeError, RecursionError):
            text = None
        if not isinstance(text, str):
            raise ValueError(Errors.M746.format(path=path, line=number))
        yield text
