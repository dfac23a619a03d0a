"""The user dictionary: words that can be added and removed at any time."""

from collections.abc import Iterable, Iterator, MutableSet
from pathlib import Path

from spacy_mtl.errors import Errors


class UserWords(MutableSet[str]):
    """A set of words, in the order in which they were added.

    White space around a word is dropped; words of one character carry no information and are not kept.
    version: a number that grows with each change. Adding raises ValueError (M414) for anything but a string without white space inside.
    """

    def __init__(self, words: Iterable[str] = ()):
        self.version = 0
        self._words: dict[str, None] = {}
        self.update(words)

    def add(self, value: str) -> None:
        self.update([value])

    def update(self, words: Iterable[str]) -> None:
        """Add several words at once: all of them, or none if one is refused."""
        checked = [_check(word) for word in ([words] if isinstance(words, str) else words)]
        self._words.update(dict.fromkeys(word for word in checked if len(word) > 1))
        self.version += 1

    def read(self, path: str | Path) -> None:
        """Add the words of a UTF-8 file, the first field of each line; frequencies and tags after it, as in jieba's dictionaries, are ignored.

        Raises ValueError (M415) where the file cannot be read.
        """
        try:
            with Path(path).open(encoding="utf-8-sig") as file:
                fields = [line.split() for line in file]
        except UnicodeDecodeError:
            raise ValueError(Errors.M415.format(path=path, reason="it is not UTF-8 text")) from None
        except OSError as error:
            raise ValueError(Errors.M415.format(path=path, reason=error.strerror)) from None
        self.update(field[0] for field in fields if field)

    def discard(self, value: str) -> None:
        if value in self:
            del self._words[value.strip()]
            self.version += 1

    def clear(self) -> None:
        self._words.clear()
        self.version += 1

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word.strip() in self._words

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._words))

    def __len__(self) -> int:
        return len(self._words)

    def __repr__(self) -> str:
        return f"UserWords({list(self._words)})"


def _check(word: str) -> str:
    if not isinstance(word, str) or len(word.split()) > 1:
        raise ValueError(Errors.M414.format(word=word))
    return word.strip()
