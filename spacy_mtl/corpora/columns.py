"""Read column files of the CoNLL shared tasks: one token per line, an empty line after each sentence. This module does not use spaCy."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy_mtl.blanks import split_blanks
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.settings import brief

from .annotated.jsonl import is_json
from .lines.comments import DOCSTART, ENTITY_TAG, lines_of
from .lines.text import text_lines
from .settings import check_file

IGNORED = "_"
MISSING = frozenset(("-", "_", ""))
SCHEMES = ("iob2", "iob1", "biluo", "auto")
# Tag prefixes of a token that begins an entity, and of one that ends it.
_BEGINS = frozenset("BUS")
_ENDS = frozenset("LUES")
_PREFIXES = {"iob1": "BI", "iob2": "BI", "biluo": "BILUESM", "auto": "BILUESM"}
_SHOWN = {"iob1": "I-X or B-X", "iob2": "B-X or I-X", "biluo": "B-X, I-X, L-X or U-X", "auto": "B-X, I-X, L-X or U-X"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of ``N`` tokens as it stands in the file.

    words: N strings. fields: column name -> N strings, for all named columns except ``ORTH`` and ``_``.
    line: number of the first token's line, from 1; token i is on line ``line + i``.
    document: number of the document, from 0; documents without a sentence are not counted.
    """

    words: list[str]
    fields: dict[str, list[str]]
    line: int
    document: int


def read_columns(
    path: str | Path,
    columns: Sequence[str],
    encoding: str = "utf8",
    separator: str | None = None,
    docstart: str = DOCSTART,
) -> Iterator[Sentence]:
    """Stream the sentences of a column file; settings and path are checked at once, the lines as they are read.

    columns: names from left to right, ``ORTH`` for the words and ``_`` for a column to ignore; further columns to the right
        are ignored too.
    separator: the string between columns, None for any run of spaces and tabs (a no-break space stays in its word).
    docstart: a line whose first column is this string is a border between documents (and sentences), not a token.
    Comments before a sentence are left out, see :mod:`~spacy_mtl.corpora.lines.comments`; ``# newdoc`` and ``#begin document`` are borders, too.
    A byte-order mark in UTF-8 is skipped.

    Raises ValueError where the columns are unusable (M505), where the file cannot be read (M501), contains no sentences (M504) or
    cannot be decoded (M502, M513) or is JSON (M955), and where a line has too few columns (M503) or an empty word (M512).
    """
    path, columns = Path(path), list(columns)
    named = [column for column in columns if column != IGNORED]
    if named.count("ORTH") != 1 or len(set(named)) < len(named):
        raise ValueError(Errors.M505.format(columns=brief(columns, 300)))
    if separator == "":
        raise ValueError(
            Errors.M514.format(setting="separator", expected="a string such as a tab, or null", value="empty")
        )
    check_file(path)
    split = split_blanks if separator is None else _splitter(separator)
    return _sentences(path, columns, encoding, split, docstart)


def _sentences(
    path: Path, columns: list[str], encoding: str, split: Callable[[str], list[str]], docstart: str
) -> Iterator[Sentence]:
    rows: list[list[str]] = []
    document, in_document, empty = 0, False, True
    number = 0
    for number, line, values, border in lines_of(text_lines(path, encoding), split, len(columns), docstart):
        if values and not border:
            if empty and not rows and is_json(path, line):
                raise ValueError(Errors.M955.format(path=path))
            if len(values) < len(columns):
                raise ValueError(_too_few(path, number, values, columns))
            rows.append(values)
            continue
        if rows:
            if empty:
                _warn_of_more(path, columns, rows)
            yield _sentence(path, columns, rows, number - len(rows), document)
            rows, in_document, empty = [], True, False
        if border and in_document:
            document, in_document = document + 1, False
    if rows:
        if empty:
            _warn_of_more(path, columns, rows)
        yield _sentence(path, columns, rows, number + 1 - len(rows), document)
    elif empty:
        raise ValueError(Errors.M504.format(path=path))


def _warn_of_more(path: Path, columns: list[str], rows: list[list[str]]) -> None:
    """Warn (M562) where entities are read from a column, but the last column of the file, which has no name, has tags of such a kind, too."""
    last = {row[-1] for row in rows if len(row) > len(columns)}
    if "ENT" in columns and last and all(ENTITY_TAG.fullmatch(tag) for tag in last):
        got, tag = len(rows[0]), max(last, key=len)
        shown = " ".join(columns)
        warnings.warn(
            Warnings.M562.format(path=path, got=got, expected=len(columns), columns=shown, tag=tag), stacklevel=2
        )


def _sentence(path: Path, columns: list[str], rows: list[list[str]], line: int, document: int) -> Sentence:
    # rows may be longer than the named columns: the inner zip stops at the shortest row, the outer at the last name
    by_column = zip(columns, zip(*rows, strict=False), strict=False)
    fields = {name: list(values) for name, values in by_column if name != IGNORED}
    words = fields.pop("ORTH")
    if "" in words:
        raise ValueError(Errors.M512.format(path=path, line=line + words.index("")))
    return Sentence(words, fields, line, document)


def _too_few(path: Path, line: int, values: list[str], columns: list[str]) -> str:
    return Errors.M503.format(path=path, line=line, got=len(values), expected=len(columns), columns=" ".join(columns))


def _splitter(separator: str) -> Callable[[str], list[str]]:
    def split(line: str) -> list[str]:
        return line.rstrip("\n").split(separator) if line.strip(" \t\r\n") else []

    return split


def to_iob2(tags: Sequence[str], where: tuple[str | Path, int], scheme: str = "auto") -> list[str]:
    """Convert the entity tags of one sentence to IOB2, reading them as conlleval does.

    An entity begins at B-X, at U-X (S-X), and at any I-X or L-X (E-X) that does not continue an entity of its type,
    so I-X after O, after I-Y or at the start is not an error. "-", "_" and "" mean that gold is missing and become "".
    scheme: "iob2" and "iob1" allow B and I, "biluo" allows B, I, L and U (also written M, E and S), "auto" allows them all.
    where: the file and the line of the first tag, for errors.

    Raises ValueError for a tag that the scheme does not allow (M508, with its line) and for an unknown scheme (M509).
    """
    if scheme not in SCHEMES:
        raise ValueError(Errors.M509.format(scheme=scheme, known=", ".join(SCHEMES)))
    prefixes = _PREFIXES[scheme]
    result = []
    running = ""  # type of the entity that the next token may continue
    for i, tag in enumerate(tags):
        if tag == "O" or tag in MISSING:
            result.append("O" if tag == "O" else "")
            running = ""
            continue
        prefix, label = tag[:1], tag[2:]
        if not prefix or prefix not in prefixes or tag[1:2] != "-" or not label:
            path, line = where
            raise ValueError(
                Errors.M508.format(line=line + i, path=path, tag=tag, scheme=scheme, prefixes=_SHOWN[scheme])
            )
        begins = prefix in _BEGINS or label != running
        result.append(f"B-{label}" if begins else f"I-{label}")
        running = "" if prefix in _ENDS else label
    return result
