"""A constituency tree, and the spans of its constituents."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spacy_mtl.errors import Errors

#: Labels around a whole tree that are not constituents.
TOPS = frozenset({"", "TOP", "ROOT", "S1", "VROOT"})
#: The key of ``doc.spans`` for constituents, each before those inside it.
SPANS_KEY = "constituents"
_BLANK = re.compile(r"\s")


class Tree(NamedTuple):
    """A constituent, with children; or a word, with its tag as label and no children."""

    label: str
    children: tuple["Tree", ...] = ()
    word: str | None = None


class Constituent(NamedTuple):
    """A labelled span of words, from 0."""

    label: str
    start: int
    end: int


def words_of(tree: Tree) -> list[Tree]:
    """The words of a tree, in order."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if node.children:
            waiting.extend(reversed(node.children))
        else:
            found.append(node)
    return found


def constituents_of(tree: Tree) -> list[Constituent]:
    """The constituents of a tree, each before those inside it. A label around the whole tree that is in TOPS is left out."""
    found: list[Constituent] = []
    _collect(tree, 0, found)
    if found and tree.label in TOPS:
        del found[0]
    return found


def _collect(tree: Tree, start: int, found: list[Constituent]) -> int:
    """Add the constituents of a tree that starts at this word; return where it ends."""
    if not tree.children:
        return start + 1
    place, end = len(found), start
    found.append(Constituent(tree.label, start, start))
    for child in tree.children:
        end = _collect(child, end, found)
    found[place] = Constituent(tree.label, start, end)
    return end


def tree_from(words: Sequence[Tree], constituents: Sequence[Constituent]) -> Tree:
    """The tree of these words and constituents, under a label of "". The outer one of two of the same words comes first.

    Constituents must be nested, as those of :func:`constituents_of` are: one that crosses another raises ValueError.
    """
    order = sorted(range(len(constituents)), key=lambda c: (constituents[c].start, -constituents[c].end, c))
    waiting = iter([constituents[c] for c in order])
    upcoming = next(waiting, None)
    open_ones: list[tuple[str, int, list[Tree]]] = [("", len(words), [])]
    for t, word in enumerate(words):
        while upcoming is not None and upcoming.start == t:
            if not t < upcoming.end <= open_ones[-1][1]:
                raise ValueError(f"{upcoming} crosses another constituent, or the sentence of {len(words)} words.")
            open_ones.append((upcoming.label, upcoming.end, []))
            upcoming = next(waiting, None)
        open_ones[-1][2].append(word)
        while len(open_ones) > 1 and open_ones[-1][1] == t + 1:
            label, _, children = open_ones.pop()
            open_ones[-1][2].append(Tree(label, tuple(children)))
    if upcoming is not None:
        raise ValueError(f"{upcoming} is not within the sentence of {len(words)} words.")
    return Tree("", tuple(open_ones[0][2]))


def bracketed(tree: Tree) -> str:
    """The tree in brackets, on one line, as :func:`~.brackets.read_brackets` reads it. Round brackets become ``-LRB-`` and ``-RRB-``.

    Raises ValueError (M576) for what could not be read back: words and tags that are empty or have blanks, and labels with blanks.
    """
    return "".join(_write(tree))


def _write(tree: Tree) -> Iterator[str]:
    if not tree.children:
        yield f"({_text(tree.label, 'tag')} {_text(tree.word or '', 'word')})"
        return
    yield f"({_text(tree.label, 'label') if tree.label else ''}"
    for child in tree.children:
        yield " "
        yield from _write(child)
    yield ")"


def _text(text: str, kind: str) -> str:
    if not text or _BLANK.search(text):
        raise ValueError(Errors.M576.format(kind=kind, text=text))
    return text.replace("(", "-LRB-").replace(")", "-RRB-")
