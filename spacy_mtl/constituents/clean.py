"""What is taken from trees of a treebank before a grammar is read: traces, functional tags, and doubled labels."""

import re

from .tree import Tree

#: The tag of words that are not there: traces and other empty elements.
EMPTY = "-NONE-"
#: What follows a label: functional tags and indices (NP-SBJ-1, NP=2), or a second label (ADVP|PRT).
_MORE = re.compile(r"(?<=.)[-=|].*")
_WORDS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}


def plain_label(label: str) -> str:
    """A label without functional tags and indices: ``NP-SBJ-1`` -> ``NP``; ``-LRB-`` stays."""
    return label if label.startswith("-") else _MORE.sub("", label)


def plain_word(word: str) -> str:
    """A word as it is in running text: ``-LRB-`` -> ``(``, and ``\\/`` and ``\\*`` without the backslash."""
    return _WORDS.get(word, word.replace("\\/", "/").replace("\\*", "*"))


def clean(tree: Tree) -> Tree | None:
    """A tree without traces, the constituents that these leave empty, functional tags, and constituents with the label of their only child.

    None if no word is left.
    """
    if not tree.children:
        return None if tree.label == EMPTY else Tree(tree.label, (), plain_word(tree.word or ""))
    children = tuple(child for child in map(clean, tree.children) if child is not None)
    if not children:
        return None
    label = plain_label(tree.label)
    if len(children) == 1 and children[0].children and children[0].label == label:
        return children[0]
    return Tree(label, children)
