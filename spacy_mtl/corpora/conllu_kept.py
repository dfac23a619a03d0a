"""What a CoNLL-U file says that a Doc has no place for, kept in ``doc.user_data`` so that it can be written again.

For each sentence of the file there is one entry. Its key is ``("._.", "conllu", start, end)`` with the sentence's place in ``doc.text``, as spaCy has
it for what belongs to a span; so ``Doc.from_docs`` and ``Span.as_doc`` move it along. Its value is a dict of plain values, which survive
``to_bytes``, DocBin and processes:

words, check: number and checksum of the words, from which it is seen whether the entry still fits the Doc.
comments: the lines that begin with ``#``.
lines: ranges and empty nodes, ``[number of words before, size of the range or minus the number of the node, columns 2 to 10 as one string]``.
cells: by column, what the file has where :func:`~spacy_mtl.corpora.conllu_write.plain_rows` writes something else, ``[word from 0, written, in the
file]``.
whole: whether it is a sentence; an entry of one multiword token alone has no comments and cells (:func:`keep_token`).
tag: the column that TAG was read from. tree: checksum of heads and labels, if the Doc was given the tree.

A cell is written as it was in the file as long as the Doc says there what it said when it was read, and as the Doc says otherwise. Enhanced
dependencies and empty nodes belong to the tree: they are left out once a head or label of their sentence has changed.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard
from zlib import crc32

import numpy as np
from spacy.tokens import Doc

from .conllu_read import TreeSentence

NAME = "conllu"
#: Columns 2 to 10.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
TREE = frozenset(("head", "deprel", "deps"))
#: The types of what an entry has; of lists, tuples are made where a Doc is stored.
_TYPES = {
    "whole": (bool,),
    "words": (int,),
    "check": (int,),
    "comments": (list, tuple),
    "lines": (list, tuple),
    "cells": (dict,),
    "tag": (str, type(None)),
    "tree": (int, type(None)),
}
_TAGS = (None, "xpos", "upos")
#: Numbers of empty nodes are less than this.
_MOST_NODES = 10**9
#: The ends of lines, and halves of characters, which no file can hold.
_NOT_IN_LINES = re.compile("[\n\r\ud800-\udfff]")
_HEAD, _MISC = COLUMNS.index("head"), COLUMNS.index("misc")
#: Comments that say where documents and paragraphs begin, whatever the sentences.
_BORDERS = (["newdoc"], ["newpar"])

Row = list[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """The entry of words ``begin`` to ``end`` (exclusive) of a Doc, whose words are those of the file."""

    begin: int
    end: int
    entry: dict[str, Any]

    @property
    def whole(self) -> bool:
        """Whether it is a sentence, and not one multiword token."""
        return bool(self.entry["whole"])

    def ranges(self) -> Iterator[tuple[int, int, str]]:
        """First word and word after the last of each range in the Doc, and its columns 2 to 10."""
        for at, size, cells in self.entry["lines"]:
            if size > 0:
                yield self.begin + at, self.begin + at + size, cells

    def borders(self) -> list[str]:
        """The comments that begin a document or paragraph."""
        return [comment for comment in self.entry["comments"] if begins(comment)]


def begins(comment: str) -> bool:
    """Whether a comment says that a document or paragraph begins."""
    return comment[1:].replace("=", " ").split()[:1] in _BORDERS


def kept_columns(given: Collection[str], tag: str) -> frozenset[str]:
    """The columns whose cells are kept of a Doc.

    given: those of TAG, POS, MORPH and LEMMA that it has, and TREE if it has one; others are to be predicted. tag: the column that TAG is read from.
    """
    from_file = {"LEMMA": "lemma", "MORPH": "feats", "POS": "upos", "TAG": tag}
    hidden = {column for name, column in from_file.items() if name not in given}
    return frozenset(COLUMNS) - (TREE - {*given}) - hidden


def copy_kept(source: Doc, target: Doc, given: Collection[str]) -> None:
    """Copy the entries of a Doc to one of the same words that has the given columns only, as in :func:`kept_columns`."""
    for key, entry in _data(source).items():
        if _is_key(key) and isinstance(entry, dict) and isinstance(entry.get("cells"), dict):
            tag = entry.get("tag")
            columns = kept_columns(given, tag if isinstance(tag, str) else "xpos")
            cells = {name: cell for name, cell in entry["cells"].items() if name in columns}
            _data(target)[key] = {**entry, "cells": cells, "tree": entry.get("tree") if columns >= TREE else None}


def keep_source(
    doc: Doc, sentences: Sequence[TreeSentence], rows: list[Row], columns: frozenset[str], tag: str
) -> None:
    """Add the entries of these sentences, read with ``keep``, which are all the words of the Doc.

    rows: columns 2 to 10 of each word as they are written without entries. columns: those whose cells are kept, TREE with the tree. tag: the column
    that TAG was read from.
    """
    begin = 0
    for sentence in sentences:
        end = begin + len(sentence.words)
        entry = _entry(sentence, rows[begin:end], columns, tag)
        last = doc[end - 1]
        _data(doc)[("._.", NAME, doc[begin].idx, last.idx + len(last))] = entry
        begin = end


def keep_token(doc: Doc, begin: int, end: int, form: str) -> None:
    """Say that words ``begin`` to ``end`` (exclusive) are one multiword token of this form, such as a tokenizer has split."""
    check = _checksum([token.text for token in doc[begin:end]])
    lines = [[0, end - begin, "\t".join([form, *["_"] * (len(COLUMNS) - 1)])]]
    entry = {
        "words": end - begin,
        "check": check,
        "comments": [],
        "lines": lines,
        "cells": {},
        "tag": None,
        "tree": None,
    }
    last = doc[end - 1]
    _data(doc)["._.", NAME, doc[begin].idx, last.idx + len(last)] = {"whole": False, **entry}


def _data(doc: Doc) -> dict[Any, Any]:
    return doc.user_data  # keys of spaCy are not only strings


def _entry(sentence: TreeSentence, rows: list[Row], columns: frozenset[str], tag: str) -> dict[str, Any]:
    source = sentence.source
    assert source is not None
    cells = {}
    for c, name in enumerate(COLUMNS):
        pairs = enumerate(zip(rows, source.rows, strict=True))
        found = [[i, row[c], given[c + 1]] for i, (row, given) in pairs if row[c] != given[c + 1]]
        if found and name in columns:
            cells[name] = found
    return {
        "whole": True,
        "words": len(rows),
        "check": _checksum(sentence.words),
        "comments": list(source.comments),
        "lines": [[at, size, "\t".join(row[1:])] for at, size, row in source.others],
        "cells": cells,
        "tag": tag,
        "tree": _tree_checksum(rows) if columns >= TREE else None,
    }


def _checksum(strings: Sequence[str]) -> int:
    return crc32("\t".join(strings).encode("utf8", "surrogatepass"))


def _tree_checksum(rows: Sequence[Row]) -> int:
    return _checksum([cell for row in rows for cell in row[_HEAD : _HEAD + 2]])


def kept_sentences(doc: Doc) -> tuple[list[Kept], int]:
    """The entries that fit the Doc, in order, and how many places have one that does not: its words have changed, or it is damaged."""
    entries: dict[tuple[Any, Any], Any] = {key[2:]: value for key, value in _data(doc).items() if _is_key(key)}
    if not entries:
        return [], 0
    words = [token.text for token in doc]
    starts = {token.idx: token.i for token in doc}
    ends = {token.idx + len(token): token.i + 1 for token in doc}
    found: list[Kept] = []
    unfit = []
    length = len(doc.text)
    covered = np.zeros(length + 1, bool)
    reach = 0
    for start, stop in sorted(entries):
        if stop <= 0 or start >= length:
            continue  # of the Doc that this one is a part of
        begin, end, entry = starts.get(start), ends.get(stop), entries[start, stop]
        if begin is not None and end is not None and reach <= start < stop and _fits(entry, words, begin, end):
            found.append(Kept(begin, end, entry))
            covered[start:stop] = True
            reach = stop
        else:
            unfit.append((min(max(start, 0), length), min(stop, length)))
    # where parts of a Doc are put together again, each brings the entries of all
    n_covered = np.concatenate([[0], np.cumsum(covered)])
    return found, sum(int(n_covered[max(start, stop)] == n_covered[start]) for start, stop in unfit)


def _is_key(key: Any) -> bool:
    if not (isinstance(key, tuple) and len(key) == 4 and key[:2] == ("._.", NAME)):
        return False
    return all(type(place) is int for place in key[2:])


def _fits(entry: Any, words: list[str], begin: int, end: int) -> bool:
    """Whether an entry is one of ``words[begin:end]``, and such as :func:`keep_source` makes; it may come from a stranger's file."""
    n = end - begin
    if not (isinstance(entry, dict) and entry.keys() >= _TYPES.keys()):
        return False
    if not all(type(entry[name]) in kinds for name, kinds in _TYPES.items()) or entry["words"] != n:
        return False
    own, lines, cells = words[begin:end], entry["lines"], entry["cells"]
    if entry["check"] != _checksum(own) or entry["tag"] not in _TAGS:
        return False
    good = (
        all(_is_line(comment) and comment.startswith("#") for comment in entry["comments"])
        and all(_is_list(line) and _is_other(line, n) for line in lines)
        and all(name in COLUMNS and _is_list(found) for name, found in cells.items())
        and all(_is_list(cell) and _is_cell(cell, n) for found in cells.values() for cell in found)
    )
    return good and _in_order(lines) and _is_own(entry, own)


def _in_order(lines: Sequence[Sequence[Any]]) -> bool:
    """Whether lines come in the order of their words, and no range overlaps another."""
    before = end = 0
    for at, size, _ in lines:
        if at < (end if size > 0 else before):
            return False
        before, end = at, max(end, at + size)
    return True


def _is_own(entry: dict[str, Any], words: list[str]) -> bool:
    """Whether forms are the words themselves, and an entry of one multiword token has nothing else."""
    forms = all(words[i] == given for i, _, given in entry["cells"].get("form", ()))
    token = [list(line[:2]) for line in entry["lines"]] == [[0, len(words)]] and not entry["cells"]
    return forms and (entry["whole"] or token)


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, list | tuple)


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and not _NOT_IN_LINES.search(value)


def _is_other(line: Sequence[Any], n: int) -> bool:
    if len(line) != 3 or not (type(line[0]) is int and type(line[1]) is int and _is_line(line[2])):
        return False
    at, size, cells = line
    if size > 0 and cells.startswith("\t"):  # a multiword token without a form
        return False
    return 0 <= at <= at + max(size, 0) <= n and -_MOST_NODES < size != 0 and cells.count("\t") == len(COLUMNS) - 1


def _is_cell(cell: Sequence[Any], n: int) -> bool:
    if len(cell) != 3 or type(cell[0]) is not int or not 0 <= cell[0] < n:
        return False
    return isinstance(cell[1], str) and _is_line(cell[2]) and "\t" not in cell[2]


def restore_cells(rows: list[Row], kept: Kept) -> None:
    """Put the cells of the file into the rows of a Doc where the Doc still says the same; enhanced dependencies are another matter."""
    for name, cells in kept.entry["cells"].items():
        if name == "deps":
            continue
        c = COLUMNS.index(name)
        for i, written, given in cells:
            row = rows[kept.begin + i]
            if row[c] == written or (c == _MISC and row is rows[-1]):  # what follows a Doc, none knows
                row[c] = given
            elif c == _MISC:
                row[c] = _with_space(given, row[c])


def _with_space(misc: str, written: str) -> str:
    """MISC of the file with the SpaceAfter of the Doc."""
    values = [value for value in misc.split("|") if value != "_" and not value.startswith("SpaceAfter=")]
    return "|".join(values + [value for value in [written] if value != "_"]) or "_"


def space_of_token(rows: list[Row], kept: Kept) -> Kept:
    """The entry of one multiword token with SpaceAfter=No of its last word, whose row loses it."""
    ((at, size, cells),) = kept.entry["lines"]
    last = rows[kept.end - 1]
    misc, last[_MISC] = last[_MISC], "_"
    return Kept(kept.begin, kept.end, {**kept.entry, "lines": [[at, size, cells[:-1] + misc]]})


def restore_graph(rows: list[Row], kept: Kept, plain_tree: int) -> list[tuple[int, int, str]]:
    """Put enhanced dependencies back if the tree is that of the file, and return the lines that come between the words: words of the sentence before
    it, size and columns as in an entry. plain_tree: :func:`tree_of` the rows before anything was put back.
    """
    same = kept.entry["tree"] == plain_tree
    if same:
        for i, _, given in kept.entry["cells"].get("deps", ()):
            rows[kept.begin + i][COLUMNS.index("deps")] = given
    return [(at, size, cells) for at, size, cells in kept.entry["lines"] if size > 0 or same]


tree_of = _tree_checksum


def raw_text(doc: Doc, begin: int = 0, end: int | None = None) -> str:
    """The text of a Doc's words ``begin`` to ``end`` (exclusive), with multiword tokens as they are in the raw text.

    ``doc.text`` has the words of a multiword token instead, with spaces between them. Of a multiword token that is not wholly in the span, the
    words are taken.
    """
    ranges = [found for each in kept_sentences(doc)[0] for found in each.ranges()]
    return surface_text(doc, begin, len(doc) if end is None else end, ranges)


def given_text(doc: Doc) -> str:
    """The text that a Doc was made of: its :func:`raw_text`, with the space after its last word, if any."""
    return raw_text(doc) + (doc[-1].whitespace_ if len(doc) else "")


def surface_text(doc: Doc, begin: int, end: int, ranges: Sequence[tuple[int, int, str]]) -> str:
    """As :func:`raw_text`, with these ranges: first word, word after the last, columns 2 to 10."""
    found = _surface(doc, begin, end, ranges)
    parts = [part for _, after, form in found for part in (form, doc[after - 1].whitespace_)]
    return "".join(parts[:-1])


def raw_starts(doc: Doc) -> list[int]:
    """Where the words of a Doc begin in its :func:`raw_text`; all words of a multiword token where that begins."""
    ranges = [found for each in kept_sentences(doc)[0] for found in each.ranges()]
    if not ranges:
        return [token.idx for token in doc]
    starts: list[int] = []
    at = 0
    for first, after, form in _surface(doc, 0, len(doc), ranges):
        starts += [at] * (after - first)
        at += len(form) + len(doc[after - 1].whitespace_)
    return starts


def _surface(doc: Doc, begin: int, end: int, ranges: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """First word, word after the last, and form of each token."""
    forms = {first: (last, cells.partition("\t")[0]) for first, last, cells in ranges if first >= begin and last <= end}
    i = begin
    while i < end:
        after, form = forms.get(i, (i + 1, doc[i].text))
        yield i, after, form
        i = after
