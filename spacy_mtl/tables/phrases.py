"""A list of phrases (a gazetteer), which can be changed at any time."""

import re
from collections.abc import Iterable, Iterator, MutableSet
from typing import NamedTuple

from spacy_mtl.blanks import split_blanks
from spacy_mtl.errors import Errors
from spacy_mtl.settings import shown

from .lines import LONGEST_LINE

#: Largest number of words in a phrase: longer ones are refused, so that matching takes a bounded time for each word.
MOST_WORDS = 64
#: Largest number of phrases in a list.
MOST_PHRASES = 1 << 24
#: Largest number of parts of a corpus that know different phrases.
MOST_FOLDS = 100
#: A surrogate alone, which no file can hold.
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
#: Line breaks and the like, which no word of a phrase has.
_CONTROLS = re.compile("[\n\r\v\f\x1c-\x1f]")


class OfCorpus(NamedTuple):
    """How a list depends on the corpus that a component is trained on.

    label: its phrases are entities with this label, or any for "". least: how often an entity must occur. folds: the number of parts into which
    the corpus is divided. filled: whether entities of the corpus are added before training; otherwise the list has them already.
    """

    label: str = ""
    least: int = 1
    folds: int = 2
    filled: bool = False


class PhraseList(MutableSet[str]):
    """A set of phrases, each of one or several words with single spaces between them, in the order in which they were added.

    Words are those of :func:`words_of`: a no-break space belongs to its word, as in column files.
    fold_case, fold_accents: whether phrases are found in texts whatever their case and accents. of_corpus: how the list depends on the training
    corpus, None if it comes from elsewhere. version: grows with each change. Adding raises ValueError (M814) for what cannot be a phrase.
    """

    kind = "phrases"

    def __init__(
        self,
        phrases: Iterable[str] = (),
        fold_case: bool = False,
        fold_accents: bool = False,
        of_corpus: OfCorpus | None = None,
    ):
        self.fold_case, self.fold_accents, self.of_corpus = fold_case, fold_accents, of_corpus
        self.version = 0
        self._phrases: dict[str, None] = {}
        self.update(phrases)

    @property
    def attr(self) -> str:
        """The attribute of words that phrases are compared by."""
        return (
            ("LOWER_UNACCENTED" if self.fold_case else "UNACCENTED")
            if self.fold_accents
            else ("LOWER" if self.fold_case else "ORTH")
        )

    def update(self, phrases: Iterable[str]) -> None:
        """Add several phrases at once: all of them, or none if one is refused."""
        new = dict.fromkeys(map(_checked, [phrases] if isinstance(phrases, str) else phrases))
        if len(self._phrases) + sum(phrase not in self._phrases for phrase in new) > MOST_PHRASES:
            raise ValueError(Errors.M815.format(most=MOST_PHRASES))
        self._phrases.update(new)
        self.version += 1

    def add(self, value: str) -> None:
        self.update([value])

    def discard(self, value: str) -> None:
        if value in self:
            del self._phrases[" ".join(words_of(value))]
            self.version += 1

    def clear(self) -> None:
        """Remove all phrases, at once."""
        self.replace(())

    def replace(self, phrases: Iterable[str]) -> None:
        """Have these phrases in place of all others."""
        new = PhraseList(phrases)
        self._phrases = new._phrases
        self.version += 1

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and " ".join(words_of(value)) in self._phrases

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._phrases))

    def __len__(self) -> int:
        return len(self._phrases)

    def __repr__(self) -> str:
        return f"PhraseList of {len(self)} phrases"


def words_of(phrase: str) -> list[str]:
    """The words of a phrase, cut where column files are (:mod:`spacy_mtl.blanks`); those that are white space alone are left out."""
    return [word for word in split_blanks(_CONTROLS.sub(" ", phrase)) if not word.isspace()]


def can_be_phrase(phrase: object) -> bool:
    """Whether a text can be in a list."""
    if not isinstance(phrase, str):
        return False
    return (
        len(phrase) <= LONGEST_LINE and 0 < len(words_of(phrase)) <= MOST_WORDS and not _HALF_A_CHARACTER.search(phrase)
    )


def _checked(phrase: str) -> str:
    """A phrase with single spaces between its words. Raises ValueError (M814)."""
    if not can_be_phrase(phrase):
        raise ValueError(Errors.M814.format(phrase=shown(phrase), words=MOST_WORDS, most=LONGEST_LINE))
    return " ".join(words_of(phrase))
