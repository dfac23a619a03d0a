"""Words with spaces inside, as in Vietnamese treebanks or in numbers such as "10 000": which tokens, with single spaces between, are one word.

A word of the treebank is found again where its parts follow one another, if these are one word more often than several; of several such words that
begin at a place, the longest.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from spacy_mtl.stored.values import distinct_texts

#: The most parts of a word: longer ones are not learned.
MOST_PARTS = 8
_DIGIT = re.compile(r"\d")


@dataclass(slots=True)
class Joins:
    """words: those with spaces inside, in lower case and with 0 for every digit."""

    words: set[str] = field(default_factory=set)
    _beginnings: set[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._beginnings = set(map(_first_part, self.words))

    def sizes(self, texts: Sequence[str], spaces: Sequence[bool]) -> list[int]:
        """How many tokens each word takes, the longest known word at each place. spaces: whether a single space follows each token."""
        sizes, i = [], 0
        while i < len(texts):
            sizes.append(self._size(texts, spaces, i) if _key(texts[i]) in self._beginnings else 1)
            i += sizes[-1]
        return sizes

    def _size(self, texts: Sequence[str], spaces: Sequence[bool], i: int) -> int:
        last = i
        while last + 1 < min(len(texts), i + MOST_PARTS) and spaces[last]:
            last += 1
        for end in range(last + 1, i + 1, -1):
            if _key(" ".join(texts[i:end])) in self.words:
                return end - i
        return 1

    def to_list(self) -> list[str]:
        """Plain data."""
        return sorted(self.words)

    @classmethod
    def from_list(cls, data: Any, name: str) -> "Joins":
        """Check and take what :meth:`to_list` made. Raises StoredValueError."""
        return cls(set(distinct_texts(data, name)))


def learn_joins(sentences: Iterable[tuple[Sequence[str], Sequence[bool]]]) -> Joins:
    """The words that are one word more often than several. sentences: the tokens of each, and whether a space follows."""
    sentences = [([_key(text) for text in texts], list(spaces)) for texts, spaces in sentences]
    together = Counter(text for texts, _ in sentences for text in texts if 1 < len(text.split(" ")) <= MOST_PARTS)
    if not together:
        return Joins()
    apart: Counter[str] = Counter()
    beginnings = set(map(_first_part, together))  # of other tokens nothing is put together: a corpus has millions
    for texts, spaces in sentences:
        for i in range(len(texts)):
            text = texts[i]
            if _first_part(text) not in beginnings:
                continue
            for j in range(i + 1, min(i + MOST_PARTS, len(texts))):
                if not spaces[j - 1]:
                    break
                text = f"{text} {texts[j]}"
                if text in together:
                    apart[text] += 1
    return Joins({text for text, n in together.items() if n > apart[text] and all(text.split(" "))})


def _first_part(word: str) -> str:
    return word.partition(" ")[0]


def _key(text: str) -> str:
    return _DIGIT.sub("0", text.lower())
