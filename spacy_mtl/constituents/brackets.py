"""Bracketed trees as text, in the format of the Penn Treebank: ``((S (NP (PRP It)) (VP (VBZ rains)) (. .)))``."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from spacy_mtl.errors import Errors

from .tree import Tree

#: Trees may be this deep.
DEEPEST = 300
#: Characters of a single tree that are read, about; a text without closing brackets would fill the memory.
LONGEST = 1_000_000
_TOKEN = re.compile(r"[()]|[^\s()]+")


class _Open(NamedTuple):
    """A bracket that is not closed yet: its line, its label or word (none, one or two texts), and its children."""

    line: int
    texts: list[str]
    children: list[Tree]


class Placed(NamedTuple):
    """A tree, and the line of its first bracket, from 1."""

    line: int
    tree: Tree


def read_brackets(lines: Iterable[str], path: object) -> Iterator[Placed]:
    """Stream the trees of a text; a tree may run over several lines. path: for messages.

    Raises ValueError (M570) with file and line for what is no tree: brackets that do not match, a word outside of brackets or without a tag, a
    bracket with nothing in it, words beside constituents, or a tree that is too deep or too long.
    """
    stack: list[_Open] = []
    size = number = 0
    for number, line in enumerate(lines, start=1):
        size = size + len(line) if stack else 0
        if size > LONGEST:
            raise _refused(
                path, stack[0].line, f"the tree is longer than {LONGEST:,} characters; a bracket may be missing"
            )
        for token in _TOKEN.findall(line):
            if token == "(":
                stack.append(_Open(number, [], []))
                if len(stack) > DEEPEST:
                    raise _refused(path, stack[0].line, f"the tree is deeper than {DEEPEST}; a bracket may be missing")
            elif not stack:
                raise _refused(path, number, f"'{token[:30]}' stands outside of brackets")
            elif token == ")":
                closed = stack.pop()
                tree = _close(closed, path, number)
                if stack:
                    stack[-1].children.append(tree)
                else:
                    yield Placed(closed.line, tree)
            else:
                _add_text(stack[-1], token, path, number)
    if stack:
        raise _refused(
            path, stack[0].line, f"the bracket that is opened here is not closed until line {number}, the last one"
        )


def _add_text(opened: _Open, text: str, path: object, line: int) -> None:
    """A label or a word of the bracket."""
    if opened.children:
        raise _refused(
            path,
            line,
            f"the word '{text[:30]}' stands beside constituents; words have brackets of their own, with a tag",
        )
    if len(opened.texts) == 2:
        raise _refused(path, line, f"'{text[:30]}' is a third text in one bracket, after a tag and a word")
    opened.texts.append(text)


def _close(opened: _Open, path: object, line: int) -> Tree:
    """The tree of a bracket that is closed on this line."""
    if opened.children:
        if len(opened.texts) == 2:
            raise _refused(path, opened.line, f"the word '{opened.texts[1][:30]}' stands beside constituents")
        return Tree(opened.texts[0] if opened.texts else "", tuple(opened.children))
    if len(opened.texts) < 2:
        got = f"only '{opened.texts[0][:30]}'" if opened.texts else "nothing"
        raise _refused(path, line, f"a bracket has {got} in it, where a tag and a word belong")
    return Tree(opened.texts[0], (), opened.texts[1])


def _refused(path: object, line: int, fault: str) -> ValueError:
    return ValueError(Errors.M570.format(path=path, line=line, fault=fault))
