"""Which format a corpus file is in."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from spacy_mtl.blanks import split_blanks
from spacy_mtl.corpora.annotated.jsonl import is_json
from spacy_mtl.corpora.lines.comments import DOCSTART, ENTITY_TAG, may_be_comment
from spacy_mtl.corpora.lines.text import text_lines
from spacy_mtl.corpora.settings import check_file
from spacy_mtl.errors import Errors

_PEEK = 2000
#: Fewer lines than these may be text, whatever they look like; and the share of the others that tells what a file is.
_FEW, _MOST = 10, 0.9
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_TREE_COLUMNS = 10
_BRACKETED = re.compile(r"\s*\(\s*(\(|[^\s()]+(\s*\(|\s+[^\s()]+\s*\)))")


def kind_of(path: Path, encoding: str = "utf8") -> str:
    """ "binary", "bracketed", "trees", "columns" or "segmented", judged by the ending .spacy and the first lines.

    Bracketed trees begin with a bracket that a label or another one follows, and end with one. Trees have ten columns separated by tabs, of which the
    first is a number; column files have two columns or more, as many in each line, and empty lines. Raises ValueError: M501, M502, M513, and M957
    for an empty file.
    """
    check_file(path)
    if path.suffix == ".spacy":
        return "binary"
    lines = [line.rstrip("\n") for line in islice(text_lines(path, encoding), _PEEK)]
    if not any(map(str.strip, lines)):
        raise ValueError(Errors.M957.format(path=path))
    rows = [line for line in lines if line.strip() and not line.startswith("#")]
    text = " ".join(lines).strip()
    if _BRACKETED.match(text) and (text.endswith(")") or len(lines) == _PEEK):
        return "bracketed"
    if rows and all(_is_tree_row(row) for row in rows):
        return "trees"
    if all(line.strip() for line in lines):
        return "segmented"  # column files have empty lines
    rows = [line for line in lines if line.strip() and not line.startswith(DOCSTART)]
    rows = [line for line in rows if not may_be_comment(line)] or rows
    widths = Counter(len(split_blanks(row)) for row in rows)
    tabs = Counter(row.count("\t") for row in rows)
    mostly = 0.9 * len(rows)  # a line with a column too few is refused later, by its number
    common = max(widths, key=widths.__getitem__, default=0)
    if common >= 2 and widths[common] > mostly:
        return "columns"
    return "columns" if tabs and max(tabs.values()) > mostly and not tabs[0] > mostly else "segmented"


def plainly_other(path: Path, kind: str, encoding: str = "utf8") -> str | None:
    """The kind of a text file that is plainly not of this kind, as in :func:`kind_of`, or "tasks"; None where it may be, or its kind is not plain.

    The first line decides whether it may be, so that a fault further down is told in the words of this kind. Raises ValueError as kind_of.
    """
    other = kind_of(path, encoding)
    lines = text_lines(path, encoding)
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    alike = {
        "trees": path.suffix == ".conllu" or _is_tree_row(first.rstrip("\n")),
        "bracketed": first.lstrip().startswith("("),
        "tasks": first.lstrip().startswith(("{", "[")),
    }
    if alike.get(kind, other == kind):
        return None
    if is_json(path, first):
        return "tasks"
    return other if other != "segmented" else None  # whatever is no other kind


def no_text(path: Path, encoding: str = "utf8") -> str | None:
    """ "trees" or "columns" where the first lines of a file that may be text are plainly tokens with annotation; else None.

    They are columns if nearly all have as many words, two or more, and one column has the tags of entities and of words outside; or if tabs are
    between all words, and empty lines between sentences. Raises ValueError: M502, M513.
    """
    lines = [line.rstrip("\n") for line in islice(text_lines(path, encoding), _PEEK)]
    rows = [line for line in lines if line.strip() and not line.startswith(DOCSTART) and not may_be_comment(line)]
    if rows and all(map(_is_tree_row, rows)):
        return "trees"
    if len(rows) < _FEW:
        return None
    tabs = sum(row.strip().split("\t") == split_blanks(row) for row in rows)
    spaced = tabs >= _MOST * len(rows) and any(not line.strip() for line in lines)
    return "columns" if are_tagged(rows) or (spaced and _columns_of(rows)) else None


def are_tagged(rows: Sequence[str]) -> bool:
    """Whether rows are tokens with tags of entities: nearly all have as many words, two or more, and one column has these tags."""
    return any(map(_are_entity_tags, _columns_of(rows)))


def _columns_of(rows: Sequence[str]) -> list[tuple[str, ...]]:
    """The columns that nearly all rows have; none where fewer have as many words, two or more."""
    split = [split_blanks(row) for row in rows]
    width = Counter(map(len, split)).most_common(1)[0][0]
    even = [values for values in split if len(values) == width]
    return list(zip(*even, strict=True)) if width > 1 and len(even) >= _MOST * len(rows) else []


def _are_entity_tags(column: Sequence[str]) -> bool:
    """Whether nearly all values are tags of entities, some of them inside and some outside, which no words are."""
    inside = sum(value != "O" and ENTITY_TAG.fullmatch(value) is not None for value in column)
    return 0 < inside < len(column) and inside + column.count("O") >= _MOST * len(column)


def _is_tree_row(row: str) -> bool:
    values = row.split("\t")
    return len(values) == _TREE_COLUMNS and bool(_ID.fullmatch(values[0]))
