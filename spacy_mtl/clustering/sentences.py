"""The sentences of raw text: plain text, JSON lines as of ``spacy pretrain``, and the words of column files."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

from spacy_mtl.blanks import split_blanks
from spacy_mtl.corpora.lines.comments import lines_of
from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.errors import Errors

#: Endings of files with a word a line, compared in lower case; others have what the caller says, or are plain text, a sentence or paragraph a line.
TREES = frozenset((".conllu", ".conllx"))
COLUMNS = TREES | {".conll", ".iob", ".iob2", ".tsv"}
JSON_LINES = ".jsonl"
#: Lines that tell whether the first column has the numbers of the words.
_PEEK = 1000
#: The number of a multiword token or an empty node.
_NO_WORD = re.compile(r"\d+[-.]\d+")

Tokenize = Callable[[str], Sequence[str]]


def is_told(path: Path) -> bool:
    """Whether the ending of a file says that it has columns, or JSON lines."""
    return path.suffix.lower() in COLUMNS | {JSON_LINES}


def sentences_of(
    path: Path, tokenize: Tokenize, encoding: str = "utf8", columns: bool = False
) -> Iterator[Sequence[str]]:
    """The sentences of a file; words of column files stay as they are. columns: whether a file is one whose ending does not tell.

    Raises ValueError: M501, M502, M513 the file cannot be read, M746 a line of JSON without a text.
    """
    if path.suffix.lower() in COLUMNS or columns:
        return _of_columns(path, encoding)
    return (words for text in texts_of(path, encoding) if (words := tokenize(text)))


def texts_of(path: Path, encoding: str = "utf8") -> Iterator[str]:
    """The texts of a file: a line each, of JSON lines what they have as "text". Raises ValueError: M501, M502, M513, M746."""
    if path.suffix.lower() == JSON_LINES:
        return _of_json(path, encoding)
    return (line.rstrip("\r\n") for line in text_lines(path, encoding))


def _of_columns(path: Path, encoding: str) -> Iterator[Sequence[str]]:
    """The first column, or of a treebank the second one."""
    lines = text_lines(path, encoding)
    first = list(islice(lines, _PEEK))
    numbered = path.suffix.lower() in TREES or _is_numbered(first)
    words: list[str] = []
    for _, line, values, border in lines_of(chain(first, lines), split_blanks):
        if not values:
            if words:
                yield words
            words = []
        elif not border and (word := _tree_word(line) if numbered else values[0]):
            words.append(word)
    if words:
        yield words


def _is_numbered(lines: Iterable[str]) -> bool:
    """Whether the words of each sentence are numbered from 1 on in the first column, as in CoNLL-X, whatever the ending of the file."""
    expected, found = 1, False
    for line in lines:
        if not line.strip():
            expected = 1
        elif not line.startswith("#"):
            number, *others = _fields(line)
            if not (others and (number == str(expected) or _NO_WORD.fullmatch(number))):
                return False
            expected += number.isdecimal()
            found = True
    return found


def _fields(line: str) -> list[str]:
    return line.rstrip("\n").split("\t") if "\t" in line else split_blanks(line)


def _tree_word(line: str) -> str:
    """The word of a line of a treebank; "" for comments, multiword tokens and empty nodes."""
    fields = _fields(line)
    return fields[1] if len(fields) > 1 and fields[0].isdecimal() else ""


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
