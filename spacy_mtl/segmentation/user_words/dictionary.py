"""The dictionary of prediction: the words of the training corpus and those of the user, which come and go one by one."""

from collections.abc import Sequence

import numpy as np

from spacy_mtl.templates.attributes.breaks import free_slots
from spacy_mtl.templates.attributes.characters import (
    USERS,
    WordTable,
    can_be_in_table,
    character,
    characters_of,
    insert_word,
    insert_words,
)
from spacy_mtl.templates.index import empty_table

from .words import UserWords


class Dictionary:
    """A :class:`WordTable` that follows the changes of a user dictionary, in two parts: all words, and those of the user alone.

    A change takes time for its own words only; the whole table is made anew when it is full, or when many words have changed. Words are entered in
    place, even while other threads read the table: these see a change or do not, word by word.

    lexicon: the words that are always there.
    """

    def __init__(self, lexicon: Sequence[str], user_words: UserWords):
        self.lexicon = lexicon
        self._make(user_words)

    def _make(self, user_words: UserWords) -> None:
        self._user_words, self._version = user_words, user_words.version
        fixed = dict.fromkeys(word for word in self.lexicon if can_be_in_table(word))
        words = list(fixed | dict.fromkeys(user_words))
        chars, borders = characters_of(words)
        rows = empty_table(chars.size + chars.size // 4 + 256).rows  # with room for more words
        slots = free_slots(rows.size)
        self._taken = insert_words(chars, borders, slots, rows)
        known = np.zeros((len(words) + len(words) // 4 + 64, 2), bool)
        known[1 : len(words) + 1, 0] = True
        known[1 : len(words) + 1, USERS] = [word in user_words for word in words]
        self._n_fixed, self._size = len(fixed), len(words)
        self._variants = _variants(list(user_words))
        odd = [form for form in _variants(list(fixed)) if "".join(form) in user_words]
        for form in [*self._variants, *odd]:  # may be in the row of another word, which the table cannot tell from it
            known[insert_word(characters_of(form)[0], slots, rows, 0)[0], USERS] = True
        self.table = WordTable(slots, rows, known)

    def follow(self, user_words: UserWords) -> WordTable:
        """The table with the words that the user dictionary has now. Not to be called by two threads at once."""
        version, changed = user_words.version, None
        if user_words is self._user_words:
            changed = user_words.changed_since(self._version)
        if changed is None or not all(self._enter(word, user_words) for word in changed):
            self._make(user_words)
        else:
            self._version = version
        return self.table

    def _enter(self, word: str, user_words: UserWords) -> bool:
        """Add or remove a word; returns False if there is no room."""
        slots, rows, known = self.table
        if 2 * (self._taken + len(word)) > rows.size or self._size + 2 > len(known):
            return False
        wanted = self._is_wanted(word, user_words)
        new = self._size + 1
        known[new] = wanted  # before another thread can find the row
        row, taken = insert_word(characters_of([word])[0], slots, rows, new)
        self._taken += taken
        self._size += row == new
        known[row, USERS] = wanted
        if row > self._n_fixed:
            known[row, 0] = wanted
        return True

    def _is_wanted(self, word: str, user_words: UserWords) -> bool:
        """Whether the user has the word, or another one that the table cannot tell from it (of full-width letters, say)."""
        form = _form(word)
        if form != tuple(word):
            others = self._variants.setdefault(form, set())
            (others.add if word in user_words else others.discard)(word)
        return bool(self._variants.get(form)) or "".join(form) in user_words


def _form(word: str) -> tuple[str, ...]:
    """The characters by which a table knows a word."""
    return tuple(map(character, word))


def _variants(words: list[str]) -> dict[tuple[str, ...], set[str]]:
    """By their forms, the words that have characters for which tables have others."""
    odd = {char for char in set("".join(words)) if character(char) != char}
    found: dict[tuple[str, ...], set[str]] = {}
    for word in words if odd else []:
        if not odd.isdisjoint(word):
            found.setdefault(_form(word), set()).add(word)
    return found
