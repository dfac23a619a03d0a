"""The user dictionary: words that can be added and removed at any time."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, MutableSet
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief, is_choice, is_number, is_path
from spacy_mtl.stored.fault import StoredValueError, shown
from spacy_mtl.stored.values import texts
from spacy_mtl.templates.attributes.characters import LONGEST_WORD

#: A surrogate alone, which no file can hold.
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
#: What words in the dictionary are: seen by templates alone; preferred, by a weight; or forced.
ROLES = ("hint", "preference", "law")
#: The largest weight of a preference.
MOST_WEIGHT = 1e6
#: Number of changed words that are listed for those who follow the changes.
_LISTED = 4096


class UserWords(MutableSet[str]):
    """A set of words, in the order in which they were added.

    White space around a word is dropped.
    version: a number that grows with each change. Adding raises ValueError: M414 for anything but a string without white space inside, M447 for a
    word of more than LONGEST_WORD characters.
    """

    def __init__(self, words: Iterable[str] = (), role: str = "hint", weight: float = 1.0):
        self._words: dict[str, None] = {}
        self._changed: list[str] = []
        self._unlisted = 0  # the number of changes before those in the list
        self.role, self.weight = role, weight
        self.update(words)

    @property
    def role(self) -> str:
        """What the words are: a "hint", which templates see; a "preference"; or "law", so that texts are cut into them wherever they occur.

        Setting it raises ValueError (M480) for anything else.
        """
        return self._role

    @role.setter
    def role(self, value: str) -> None:
        if not is_choice(value, ROLES):
            raise ValueError(Errors.M480.format(value=shown(value), known=", ".join(ROLES)))
        self._role = value

    @property
    def weight(self) -> float:
        """What a "preference" adds to the score of each of a word's tags, in units of the training loss of a wrong tag.

        Setting it raises ValueError (M481) for anything but a number from 0 to MOST_WEIGHT.
        """
        return self._weight

    @weight.setter
    def weight(self, value: float) -> None:
        if not is_number(value, 0, MOST_WEIGHT):
            raise ValueError(Errors.M481.format(value=shown(value), most=MOST_WEIGHT))
        self._weight = float(value)

    def become(self, role: str | None, weight: float | None) -> None:
        """Set the role and the weight, where they are not None: both, or neither if one is refused. Raises ValueError as setting them does."""
        others = UserWords((), self.role if role is None else role, self.weight if weight is None else weight)
        self.role, self.weight = others.role, others.weight

    @property
    def strength(self) -> float:
        """What is added to the scores of the words' tags: 0 for hints, infinity for law."""
        return {"hint": 0.0, "preference": self._weight, "law": float("inf")}[self._role]

    def settings(self) -> dict[str, Any]:
        """The dictionary as entries of a component's ``cfg``; :meth:`of_settings` reads them."""
        return {"user_words": list(self), "user_words_role": self.role, "user_words_weight": self.weight}

    @classmethod
    def of_settings(cls, cfg: Mapping[str, Any]) -> "UserWords":
        """The dictionary with these settings."""
        return cls(cfg["user_words"], cfg["user_words_role"], cfg["user_words_weight"])

    def add(self, value: str) -> None:
        self.update([value])

    def update(self, words: Iterable[str]) -> None:
        """Add several words at once: all of them, or none if one is refused."""
        checked = [_check(word) for word in ([words] if isinstance(words, str) else words)]
        new = [word for word in dict.fromkeys(checked) if word and word not in self._words]
        self._words.update(dict.fromkeys(new))
        self._note(new)

    @property
    def version(self) -> int:
        return self._unlisted + len(self._changed)

    def _note(self, words: Collection[str]) -> None:
        """List words that have come or gone."""
        if len(self._changed) + len(words) > _LISTED:
            n = len(self._changed) + len(words)
            self._changed = []  # first: a thread that saw a version which is yet to come would miss the changes up to it
            self._unlisted += n
        else:
            self._changed.extend(words)

    def changed_since(self, version: int) -> list[str] | None:
        """The words that have come or gone since the dictionary had this version; None if there have been too many changes to tell."""
        return None if version < self._unlisted else self._changed[version - self._unlisted :]

    def read(self, path: str | Path) -> None:
        """Add the words of a UTF-8 file, the first field of each line; frequencies and tags after it, as in jieba's dictionaries, are ignored.

        Raises ValueError (M415) where the file cannot be read.
        """
        self.update(_words_of(path))

    def reload(self, path: str | Path) -> None:
        """Have the words of a file (see :meth:`read`) in place of all others, also of those that were added one by one or from another file.

        A dictionary does not know where its words are from, and nor does a saved model. Where the file cannot be read, all stays as it was.
        Only words that come or go take time in the next prediction. Raises ValueError: M415, and those of adding.
        """
        new = UserWords(_words_of(path))
        gone = [word for word in self._words if word not in new._words]
        come = [word for word in new._words if word not in self._words]
        self._words = new._words
        self._note([*gone, *come])

    def discard(self, value: str) -> None:
        if value in self:
            word = value.strip()
            del self._words[word]
            self._note([word])

    def clear(self) -> None:
        words, self._words = self._words, {}
        self._note(words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.strip() in self._words

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._words))

    def __len__(self) -> int:
        return len(self._words)

    def __repr__(self) -> str:
        return f"UserWords({list(self._words)})"


def _words_of(path: str | Path) -> list[str]:
    """The first field of each line of a file. Raises ValueError (M415)."""
    reason = "it is no path of a file"
    if is_path(path):
        try:
            with Path(path).open(encoding="utf-8-sig") as file:
                return [fields[0] for line in file if (fields := line.split(maxsplit=1))]
        except UnicodeDecodeError:
            reason = "it is not UTF-8 text"
        except UnicodeEncodeError:
            reason = "no file can have such a name"
        except OSError as error:
            reason = error.strerror or str(error)
    raise ValueError(Errors.M415.format(path=brief(path, 300), reason=reason))


def _check(word: str) -> str:
    if not isinstance(word, str) or len(word.split()) > 1 or _HALF_A_CHARACTER.search(word):
        raise ValueError(Errors.M414.format(word=shown(word)))
    word = word.strip()
    if len(word) > LONGEST_WORD:
        raise ValueError(Errors.M447.format(word=word[:40], length=len(word), most=LONGEST_WORD))
    return word


def check_user_words(stored: Any, name: str) -> list[str]:
    """Check the dictionary in a file, and leave out words that were allowed once but are too long today. Raises StoredValueError."""
    words = [word for word in texts(stored, name) if len(word) <= LONGEST_WORD]
    try:
        UserWords(words)
    except ValueError:
        raise StoredValueError(f"{name} has a word with white space inside") from None
    return words
