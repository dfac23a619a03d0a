"""LIST: where the phrases of a list are in a text, the longest from left to right."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]

from spacy_mtl.kernels import kernel
from spacy_mtl.tables.phrases import MOST_WORDS, PhraseList, words_of
from spacy_mtl.templates.extract import mix
from spacy_mtl.templates.index import empty_table

from .breaks import free_slots
from .characters import NOTHING, ONE_PART, WordTable, find_beginning, insert_words
from .derived import fold_accents
from .of_tables import ALL_LISTS

#: Values of LIST: the first, an inner and the last word of a phrase, and a phrase of one word.
FIRST, INNER, LAST, WHOLE = 1, 2, 3, 4


@kernel
def match_phrases(words, starts, parts, phrases, out):
    """Write LIST of every word to out, uint64[N]: the longest phrase that begins at a word is taken, and the search goes on behind it.

    words: uint64[N], the hash of each word as the list knows words. starts: int64, sentence borders, which phrases do not cross. parts: int64[S],
    the part of the corpus of each sentence, or int64[0] if all are in the first.
    """
    out[:] = 0
    slots, rows = phrases.slots, phrases.rows
    for s in range(starts.size - 1):
        part = parts[s] if parts.size else 0
        t = starts[s]
        while t < starts[s + 1]:
            slot, longest = NOTHING, 0
            for u in range(t, starts[s + 1]):
                slot = find_beginning(slots, rows, slot, words[u])
                phrase = rows[slot]
                if phrase < 0:
                    break
                if phrase > 0 and phrases.known[phrase, part]:
                    longest = u - t + 1
            if longest == 1:
                out[t] = np.uint64(WHOLE)
            elif longest > 1:
                out[t : t + longest] = np.uint64(INNER)
                out[t], out[t + longest - 1] = np.uint64(FIRST), np.uint64(LAST)
            t += max(longest, 1)


def folded(word: str, attr: str) -> str:
    """A word as a list knows it. attr: of the list, see :attr:`.PhraseList.attr`."""
    word = word.lower() if attr.startswith("LOWER") else word
    return fold_accents(word) if attr.endswith("UNACCENTED") else word


def folded_phrase(phrase: str, attr: str) -> str:
    """A phrase as a list knows it, with single spaces between its words. attr: of the list."""
    return " ".join(folded(word, attr) for word in words_of(phrase))


def _readings(phrases: Iterable[str]) -> dict[str, str]:
    """Phrases, and what they are where no-break spaces part words as well, which depends on the text; with the phrase that each comes from."""
    own = {phrase: phrase for phrase in phrases}
    apart = {
        " ".join(words): phrase for phrase in own if not phrase.isascii() and len(words := phrase.split()) <= MOST_WORDS
    }
    return apart | own


def phrase_table(phrases: Iterable[str], attr: str, folds: "Folds | None" = None) -> WordTable:
    """Make a table for :func:`match_phrases`. folds: the parts that know a phrase of the corpus; those that it does not have are known to all."""
    readings = _readings(phrases)
    split = [reading.split(" ") for reading in readings]
    forms = {word: folded(word, attr) for words in split for word in words}
    hashes = {form: hash_string(form) for form in forms.values()}
    rows_of = {
        tuple(forms[word] for word in words): phrase for words, phrase in zip(split, readings.values(), strict=True)
    }
    flat = np.array([hashes[form] for words in rows_of for form in words], np.uint64)
    borders = np.cumsum([0, *map(len, rows_of)], dtype=np.int64)
    rows = empty_table(flat.size).rows
    slots = free_slots(rows.size)
    if rows_of:
        insert_words(flat, borders, slots, rows)
    known = np.ones((len(rows_of) + 1, folds.n if folds is not None else 1), bool)
    known[0] = False  # phrases are numbered from 1 on
    if folds is not None:
        for number, (words, phrase) in enumerate(rows_of.items(), 1):
            known[number] = folds.known.get(" ".join(words), folds.known.get(folded_phrase(phrase, attr), True))
    return WordTable(slots, rows, known)


class Folds(NamedTuple):
    """A list in training. n: the number of parts of the corpus. known: phrase of the corpus, as the list knows it -> which parts know it, bool[n]."""

    n: int
    known: Mapping[str, np.ndarray]


class ListContext:
    """Fills the columns of LIST attributes.

    lists: by their names. To be set in training, both by the name of a list that is made from the corpus: folds, which of its phrases each part of
    the corpus knows; parts, the part of each sentence, see :func:`match_phrases`.
    """

    def __init__(self, attributes: Sequence[str], lists: Mapping[str, PhraseList]):
        self.attributes = tuple(attributes)
        self._lists = {name: table for name, table in lists.items() if ALL_LISTS in attributes or name in attributes}
        self.folds: dict[str, Folds] = {}
        self.parts: dict[str, np.ndarray] = {}
        self._tables: dict[str, tuple[int, Folds | None, WordTable]] = {}

    @property
    def needs(self) -> tuple[str, ...]:
        """The attributes of words that phrases are compared by."""
        return tuple(dict.fromkeys(table.attr for table in self._lists.values()))

    def _table(self, name: str) -> WordTable:
        """The table of a list as it is now."""
        phrases, folds = self._lists[name], self.folds.get(name)
        version, made_of, table = self._tables.get(name, (-1, None, None))
        now = phrases.version  # before the table is made: what another thread changes meanwhile is another version
        if table is None or version != now or made_of is not folds:
            table = phrase_table(phrases, phrases.attr, folds)
            self._tables[name] = now, folds, table
        return table

    def fill(self, columns: np.ndarray, row_of: Mapping[str, int], starts: np.ndarray) -> None:
        """Compute the LIST rows of ``columns`` (uint64[A, N]) from those of words. starts: int64, sentence borders."""
        found = np.zeros((len(self._lists), columns.shape[1]), np.uint64)
        for (name, phrases), row in zip(self._lists.items(), found, strict=True):
            parts = self.parts.get(name, ONE_PART)
            match_phrases(columns[row_of[phrases.attr]], starts, parts, self._table(name), row)
            if name in self.attributes:
                columns[row_of[name]] = row
        if ALL_LISTS in self.attributes:
            columns[row_of[ALL_LISTS]] = _together(found, list(self._lists))


def _together(found: np.ndarray, names: Sequence[str]) -> np.ndarray:
    """One value for what several lists say, uint64[N], 0 where none says anything. found: uint64[K, N]."""
    values = np.zeros(found.shape[1], np.uint64)
    said = np.flatnonzero(found.any(axis=0))  # few words, and comparing columns takes long
    combinations, number = np.unique(found[:, said], axis=1, return_inverse=True)
    own = np.zeros(combinations.shape[1], np.uint64)
    for name, row in sorted(zip(names, combinations, strict=True), key=lambda pair: pair[0]):
        seed = np.uint64(hash_string(name))
        for k in np.flatnonzero(row).tolist():
            own[k] = mix(own[k], np.uint64(mix(seed, row[k])))
    values[said] = own[number.reshape(-1)]
    return values
