"""The lines of column files without comments: those that many data sets have before each sentence, as CoNLL-U does.

They begin with ``#`` and are told from tokens such as ``#`` and ``#hashtag`` by being a key with a value, or by their number of columns. What may be
a token, as it ends in a tag of entities, is none.
"""

import re
from collections.abc import Callable, Iterable, Iterator

DOCSTART = "-DOCSTART-"
#: What no comment begins without: a mark and something after it, or the borders of documents of CoNLL-2012.
_BEGIN = re.compile(r"#([^\S\r\n]+\S|(begin|end) document\b)")
_KEYED = re.compile(r"#\s*([\w.:-]+\s*=\s|id\s|.*\s\w+=\S*\s*$)|#(begin|end) document\b")
_BORDER = re.compile(r"#\s*(begin document|newdoc)\b")
#: Tags of entities, of every scheme.
ENTITY_TAG = re.compile(r"O|[BILUEMS]-\S+")

#: Number from 1, text, columns (none of an empty line), and whether a document ends before the line.
Line = tuple[int, str, list[str], bool]


def lines_of(
    lines: Iterable[str],
    split: Callable[[str], list[str]],
    least: int = 0,
    docstart: str = DOCSTART,
    said: list[str] | None = None,
) -> Iterator[Line]:
    """Stream the lines of a column file but for comments before the first token of a sentence. A comment that begins a document is a border.

    split: makes the columns of a line. least: how many columns a token has at least; 0 where all have the same number. said: gets the comments.
    """
    width, waiting = 0, list[Line]()
    inside = False
    for number, text in enumerate(lines, 1):
        values = split(text)
        if inside:
            inside = bool(values) and values[0] != docstart
            yield number, text, values, bool(values) and not inside
            continue
        border = bool(values) and values[0] == docstart
        unknown = bool(waiting) and not (values or width)  # whether they are comments, as there has been no token yet
        if unknown or (values and _BEGIN.match(text)):
            waiting.append((number, text, values, border))
            continue
        inside = bool(values) and not border
        width = len(values) if inside else width
        if waiting:
            yield from _without_comments(waiting, least, width, said)
            waiting = []
        yield number, text, values, border
    yield from _without_comments(waiting, least, width, said)


def _without_comments(lines: list[Line], least: int, width: int, said: list[str] | None) -> Iterator[Line]:
    """Of lines that may be comments those that are not: all of a sentence from its first token on. width: columns of a token, 0 if there is none."""
    inside = False
    for line in lines:
        number, text, values, _ = line
        if inside or not values or not _is_comment(text, values, least or width, width):
            inside = bool(values)
            yield line
            continue
        if said is not None:
            said.append(text.strip())
        if _BORDER.match(text):
            yield number, text, [], True


def _is_comment(text: str, values: list[str], least: int, most: int) -> bool:
    """Whether a line before a sentence is a comment. least, most: columns of a token."""
    is_tagged = bool(ENTITY_TAG.fullmatch(values[-1]))
    if _KEYED.match(text) or _BORDER.match(text):
        return not (is_tagged and least <= len(values) <= most)
    return not is_tagged and not least <= len(values) <= most


def may_be_comment(text: str) -> bool:
    """Whether a line of a column file may be a comment, to count lines by their columns."""
    return bool(_BEGIN.match(text))
