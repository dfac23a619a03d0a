"""Read dependency trees in CoNLL-U or CoNLL-X: ten columns separated by tabs, an empty line after each sentence. This module makes no Docs.

The ``conllu`` library is not used because it is slow: on 94,000 words it takes twenty times as long as splitting the lines, ten times if asked for
columns only. The tests use it as a reference.
"""

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path

import numpy as np
from spacy.parts_of_speech import IDS as POS_IDS

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.roots import ROOT, first_off_tree
from spacy_mtl.settings import brief, is_choice

from .lines.text import text_lines
from .settings import check_file

FORMATS, BROKEN = ("auto", "conllu", "conllx"), ("error", "skip", "treeless")
#: The label given to a word that has a head but no label.
UNSPECIFIED = "dep"
MISSING = frozenset(("_", ""))
_COLUMNS, _PEEK, _SHARE = 10, 1000, 0.9
_NUMBER = "[1-9][0-9]{0,8}"  # which fits wherever it is stored
_WORD = re.compile(_NUMBER)
_RANGE = re.compile(rf"({_NUMBER})-({_NUMBER})")
_EMPTY_NODE = re.compile(rf"(0|{_NUMBER})\.({_NUMBER})")
_HEAD = re.compile("[0-9]{1,9}")
_NO_SPACE = "SpaceAfter=No"
_ORDINALS = [str(i) for i in range(1, 513)]
_FEATURE = r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Za-z0-9]+(,[A-Za-z0-9]+)*"
_FEATURES = re.compile(rf"{_FEATURE}(\|{_FEATURE})*")


class NoTreeError(ValueError):
    """The heads or labels of a sentence do not form a tree (M552-M555, M557)."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The format of a file and its columns in use, judged by its first 1,000 lines. columns: those of lemma, upos, xpos and feats in use."""

    format: str
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """What stands in the file for a sentence of N words.

    comments: the lines that begin with ``#``. rows: the ten columns of each word. others: ranges and empty nodes, each with the number of words
    before it, the size of the range or minus the number of the node after its dot, and its ten columns. lines: the line number of each of these.
    """

    comments: list[str]
    rows: list[list[str]]
    others: list[tuple[int, int, list[str]]]
    lines: list[int]


@dataclass(frozen=True, slots=True)
class TreeSentence:
    """A sentence of N words as it stands in the file, without ranges and empty nodes.

    words, lemma, upos, xpos, feats, labels: N strings, "_" for an empty field. heads: int32[N], 0 for a root, otherwise the position of the head from
    1; None if the sentence has no gold tree. spaces: whether a space follows each word (from SpaceAfter=No). lines: the line number of each word,
    from 1. id: the ``sent_id`` comment, or else the number or place of the sentence in its file. text: the ``text`` comment. fits: whether the
    tokens, with ranges in place of their words, make that text, spaces aside. multiword: tokens of several words. source: what the file has, if kept.
    """

    words: tuple[str, ...]
    lemma: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: np.ndarray | None
    labels: list[str]
    spaces: list[bool]
    lines: list[int]
    id: str
    text: str | None
    layout: Layout
    fits: bool
    multiword: int
    source: Source | None


def read_conllu(
    path: str | Path, format: str = "auto", encoding: str = "utf8", broken: str = "error", keep: bool = False
) -> Iterator[TreeSentence]:
    """Stream the sentences of a file of dependency trees; settings and path are checked at once, the lines as they are read.

    format: "conllu", "conllx" (which has features of its own, and no SpaceAfter), or "auto": the file's ending if it is ``.conllu`` or
        ``.conllx``; otherwise CoNLL-U if the first 1,000 lines have a comment, a range, an empty node or SpaceAfter=No, or if at least nine in
        ten of their words have a universal part-of-speech tag in column 4; otherwise CoNLL-X.
    broken: "error"; "skip" to leave out sentences whose heads do not form a tree, or "treeless" to read them without a tree, with one warning per
        file (M560, M567).
    keep: whether sentences have their ``source``; costs memory.
    A byte-order mark in UTF-8 is skipped, and so are comments in both formats. A word with a head but no label is labelled "dep".

    Raises ValueError for an unknown setting (M558); where the file cannot be read (M501), contains no sentences (M504) or cannot be decoded
    (M502, M513); where a line does not have ten columns (M550), its id is not the next one (M551), its range overlaps another (M564) or its form is
    empty (M559); where a head is not a word of the sentence (M552), heads form a cycle (M553), no word is the root (M554), only some words have a
    head (M555), or a word that is not a root is labelled ROOT (M557). Warns, once for a CoNLL-U file, of features that are not written as in
    Universal Dependencies (M563) and of ``text`` comments that are not the text of the tokens, spaces aside (M566).
    """
    path = Path(path)
    for setting, value, known in (("format", format, FORMATS), ("broken", broken, BROKEN)):
        if not is_choice(value, known):
            raise ValueError(Errors.M558.format(setting=setting, value=brief(value), known=", ".join(known)))
    check_file(path)
    items = _sentences(path, format, encoding)
    if broken == "error":
        return _checked(path, (item.sentence(keep) for item in items))
    return _checked(path, _with_broken(path, items, keep, broken == "skip"))


def _checked(path: Path, sentences: Iterator[TreeSentence]) -> Iterator[TreeSentence]:
    """The sentences; in the end, warn of those whose features or text comments are not right."""
    feats, texts = _Faults(), _Faults()
    good = set(MISSING)
    for sentence in sentences:
        if sentence.layout.format == "conllu":
            if not good.issuperset(sentence.feats):
                wrong = [value for value in sentence.feats if value not in good and not is_features(value)]
                good.update(value for value in sentence.feats if value not in wrong)
                if wrong:
                    line = sentence.lines[sentence.feats.index(wrong[0])]
                    feats.add(len(wrong), line, sentence.id, brief(wrong[0]))
            if sentence.text is not None and not sentence.fits:
                texts.add(1, sentence.lines[0], sentence.id, brief(sentence.text))
        yield sentence
    for message, faults in ((Warnings.M563, feats), (Warnings.M566, texts)):
        if faults.count:
            warnings.warn(message.format(path=path, n=faults.count, **faults.first), stacklevel=2)


@dataclass(slots=True)
class _Faults:
    """How many faults of a kind there were, and where the first one was."""

    count: int = 0
    first: dict[str, object] = field(default_factory=dict)

    def add(self, n: int, line: int, sentence: str, value: str) -> None:
        self.count += n
        self.first = self.first or {"line": line, "sentence": sentence, "value": value}


def is_features(text: str) -> bool:
    """Whether a string is a list of features as in Universal Dependencies: Key=Value, separated by ``|``, each key once."""
    if not _FEATURES.fullmatch(text):
        return False
    names = [feature.partition("=")[0] for feature in text.split("|")]
    return len(set(names)) == len(names)


def _with_broken(path: Path, sentences: Iterator["SentenceParser"], keep: bool, skip: bool) -> Iterator[TreeSentence]:
    errors = []
    for item in sentences:
        try:
            found = item.sentence(keep)
        except NoTreeError as error:
            errors.append(str(error))
            if skip:
                continue
            found = item.sentence(keep, has_tree=False)
        yield found
    if errors:
        message = Warnings.M560 if skip else Warnings.M567
        warnings.warn(message.format(n=len(errors), path=path, reason=errors[0]), stacklevel=2)


def _sentences(path: Path, format: str, encoding: str) -> Iterator["SentenceParser"]:
    lines = text_lines(path, encoding)
    first = list(islice(lines, _PEEK))
    layout = layout_of(path, first, format)
    comments: list[str] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    count = 0
    for number, line in enumerate(chain(first, lines, [""]), 1):
        line = line.rstrip("\r\n")
        if line.startswith("#"):
            comments.append(line)
        elif line and not line.isspace():
            rows.append(line.split("\t"))
            numbers.append(number)
        else:
            if rows:
                count += 1
                yield SentenceParser(path, layout, comments, str(count), rows, numbers)
            comments, rows, numbers = [], [], []
    if not count:
        raise ValueError(Errors.M504.format(path=path))


def layout_of(path: Path, lines: list[str], format: str) -> Layout:
    rows = (line.rstrip("\r\n").split("\t") for line in lines if not line.startswith("#"))
    words = [row for row in rows if len(row) == _COLUMNS]
    known = [row for row in words if row[0].isdecimal()]
    names = enumerate(("lemma", "upos", "xpos", "feats"), 2)
    used = frozenset(name for i, name in names if any(row[i] not in MISSING for row in known))
    if format == "auto":
        told = "conllu" if _is_conllu(lines, words) else "conllx"
        format = ending if (ending := path.suffix.lower()[1:]) in FORMATS[1:] else told
    return Layout(format, used)


def _is_conllu(lines: list[str], words: list[list[str]]) -> bool:
    signs = any(line.startswith("#") for line in lines) or any(
        not row[0].isdecimal() or _NO_SPACE in row[9] for row in words
    )
    universal = sum(row[3] in POS_IDS for row in words)
    return signs or universal >= _SHARE * len(words)


class SentenceParser:
    """Turns the rows of one sentence into a TreeSentence; knows their place in the file, for errors. name: its id without a ``sent_id``."""

    def __init__(
        self, path: Path, layout: Layout, comments: list[str], name: str, rows: list[list[str]], lines: list[int]
    ):
        self._path, self._layout = path, layout
        self._rows, self._lines, self._comments = rows, lines, comments
        self._text = _comment(comments, "text")
        self._id = _comment(comments, "sent_id") or name

    def _error(self, message: str, line: int, **values: object) -> ValueError:
        return ValueError(message.format(line=line, path=self._path, sentence=self._id, **values))

    def _no_tree(self, message: str, line: int, **values: object) -> NoTreeError:
        return NoTreeError(message.format(line=line, path=self._path, sentence=self._id, **values))

    def sentence(self, keep: bool, has_tree: bool = True) -> TreeSentence:
        """The sentence, with its source if that is to be kept. has_tree: False to take no notice of heads."""
        rows, lines = self._rows, self._lines
        for row, line in zip(rows, lines, strict=True):
            if len(row) != _COLUMNS:
                raise self._error(Errors.M550, line, got=len(row))
        others: list[tuple[int, int, list[str]]] = []
        if [row[0] for row in rows] != _ORDINALS[: len(rows)]:
            rows, lines, others = self._words_only(rows, lines)
        _, words, lemma, upos, xpos, feats, heads, labels, _, misc = zip(*rows, strict=True)
        if "" in words:
            raise self._error(Errors.M559, lines[words.index("")])
        tree = self._heads(heads, words, lines) if has_tree else None
        spaces = [not (_NO_SPACE in value and _NO_SPACE in value.split("|")) for value in misc]
        for at, size, row in others:
            if size > 0:  # words of a range have spaces between them; its own line says whether one follows
                spaces[at : at + size] = [True] * (size - 1) + [_NO_SPACE not in row[9].split("|")]
        return TreeSentence(
            words,
            lemma,
            upos,
            xpos,
            feats,
            tree,
            self._labels(labels, tree, words, lines),
            spaces,
            lines,
            self._id,
            self._text,
            self._layout,
            self._text is None or _has_text(self._text, words, others),
            sum(size > 1 for _, size, _ in others),
            Source(self._comments, rows, others, sorted(set(self._lines).difference(lines))) if keep else None,
        )

    def _words_only(
        self, rows: list[list[str]], lines: list[int]
    ) -> tuple[list[list[str]], list[int], list[tuple[int, int, list[str]]]]:
        """Rows and lines of words, and the other lines as in :class:`Source`. Checks all ids."""
        kept: list[int] = []
        others: list[tuple[int, int, list[str]]] = []
        end = 0  # last word of the latest range
        for i, row in enumerate(rows):
            n = len(kept)
            if match := _RANGE.fullmatch(row[0]):
                begin, last = int(match[1]), int(match[2])
                if begin <= end:
                    raise self._error(Errors.M564, lines[i], id=row[0], end=end)
                if begin != n + 1 or last < begin:
                    raise self._error(Errors.M551, lines[i], id=row[0], expected=f"word {n + 1} or a range from it")
                if not row[1]:
                    raise self._error(Errors.M559, lines[i])
                end = last
                others.append((n, last - n, row))
            elif match := _EMPTY_NODE.fullmatch(row[0]):
                if int(match[1]) != n:
                    raise self._error(Errors.M551, lines[i], id=row[0], expected=f"word {n + 1} or empty node {n}.1")
                others.append((n, -int(match[2]), row))
            elif _WORD.fullmatch(row[0]) and int(row[0]) == n + 1:
                kept.append(i)
            else:
                raise self._error(Errors.M551, lines[i], id=brief(row[0]), expected=f"word {n + 1}")
        if not kept or end > len(kept):
            raise self._error(Errors.M551, lines[-1], id=rows[-1][0], expected=f"word {len(kept) + 1}")
        return [rows[i] for i in kept], [lines[i] for i in kept], others

    def _heads(self, column: tuple[str, ...], words: tuple[str, ...], lines: list[int]) -> np.ndarray | None:
        n = len(column)
        missing = [i for i, head in enumerate(column) if head in MISSING]
        if len(missing) == n:
            return None
        if missing:
            raise self._no_tree(Errors.M555, lines[missing[0]], word=words[missing[0]])
        for i, head in enumerate(column):
            if not _HEAD.fullmatch(head) or int(head) > n:
                raise self._no_tree(Errors.M552, lines[i], head=brief(head), n=n)
        heads = np.array([int(head) for head in column], np.int32)
        if heads.all():
            raise self._no_tree(Errors.M554, lines[0])
        if lost := first_off_tree(heads):
            raise self._no_tree(Errors.M553, lines[lost - 1], word=words[lost - 1])
        return heads

    def _labels(
        self, column: tuple[str, ...], heads: np.ndarray | None, words: tuple[str, ...], lines: list[int]
    ) -> list[str]:
        labels = [UNSPECIFIED if label in MISSING and heads is not None else label for label in column]
        if ROOT in labels and heads is not None:
            for i, label in enumerate(labels):
                if label == ROOT and heads[i]:
                    raise self._no_tree(Errors.M557, lines[i], word=words[i], head=heads[i])
        return labels


def _has_text(text: str, words: tuple[str, ...], others: list[tuple[int, int, list[str]]]) -> bool:
    """Whether a text is that of the words, with ranges in place of theirs, if all white space is left out."""
    if not others and text.replace(" ", "") == "".join(words):  # nearly always
        return True
    tokens = list(words)
    for at, size, row in others:
        if size > 0:
            tokens[at : at + size] = [row[1], *[""] * (size - 1)]
    return "".join(text.split()) == "".join("".join(tokens).split())


def _comment(comments: list[str], name: str) -> str | None:
    for comment in comments:
        key, found, value = comment[1:].partition("=")
        if found and key.strip() == name and value.strip():
            return value.strip()
    return None
