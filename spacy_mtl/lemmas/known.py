"""Lemmas of known words: what a training corpus says of its forms.

A table has an entry for a form with its part of speech, and one for the form whatever its part of speech. Keys are texts, so that a file has no more
than one object for all of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.values import mapping

from .script import LONGEST

#: Between part of speech and form in a key; no part of speech has it.
_BETWEEN = "\t"
#: The largest number of entries of a table.
MOST = 1 << 21

#: Key -> lemma.
Lemmas = dict[str, str]


def key_of(pos: str, form: str) -> str:
    """The key of a form with a part of speech, "" for any."""
    return pos + _BETWEEN + form


def count_lemmas(words: Iterable[tuple[str, str, str]]) -> Lemmas:
    """The most frequent lemma of each form with each part of speech, and of each form; the first in sorted order of equally frequent ones.

    words: forms, parts of speech ("" where unknown) and lemmas. An entry of a form with its part of speech that says the same as that of the form is
    left out.
    """
    best = _most_frequent((*word, 1) for word in words)
    return {
        key: lemma
        for key, lemma in sorted(best.items())
        if key.startswith(_BETWEEN) or best[_BETWEEN + key.partition(_BETWEEN)[2]] != lemma
    }


def _most_frequent(words: Iterable[tuple[str, str, str, int]]) -> Lemmas:
    """Of each form with each part of speech, and of each form. words: forms, parts of speech, lemmas, and how often these occur together."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for form, pos, lemma, n in words:
        for key in {key_of(pos, form), key_of("", form)}:
            counts[key][lemma] += n
    return {key: min(seen, key=lambda lemma: (-seen[lemma], lemma)) for key, seen in counts.items()}


def add_lemmas(earlier: Lemmas, words: Iterable[tuple[str, str, str, int]]) -> Lemmas:
    """A table that says of these words what their most frequent lemmas are, and of all others what an earlier one says.

    words: forms, parts of speech, lemmas, and how often these occur together. What a form is whatever its part of speech stays as it was, unless
    some of its new occurrences have none: the earlier table says no more for which parts of speech it holds.
    """
    words = list(words)
    best, without = _most_frequent(words), {key_of("", form) for form, pos, *_ in words if not pos}
    joined = earlier | {key: best[key] for key in best if key in without or (key[0] == _BETWEEN and key not in earlier)}
    for key, lemma in sorted(best.items()):
        pos, _, form = key.partition(_BETWEEN)
        if pos and known_lemma(joined, form, pos) != lemma:
            joined[key] = lemma
    return joined


def known_lemma(lemmas: Lemmas, form: str, pos: str) -> str | None:
    """The lemma of a form with a part of speech, or of the form if that pair is not known; None for other forms."""
    found = lemmas.get(key_of(pos, form))
    return lemmas.get(key_of("", form)) if found is None else found


def check_lemmas(value: Any, name: str) -> Lemmas:
    """Check the table of a file. Raises StoredValueError."""
    table = mapping(value, name)
    if len(table) > MOST:
        raise StoredValueError(f"{name} has more than {MOST} entries")
    for key, lemma in table.items():
        pos, between, form = key.partition(_BETWEEN)
        if type(lemma) is not str or not 0 < len(lemma) <= LONGEST:
            raise StoredValueError(f"{name} has a lemma that is no text of 1 to {LONGEST} characters")
        if not between or not form or len(pos) > LONGEST or len(form) > LONGEST:
            raise StoredValueError(f"{name} has an entry that is not of a form")
    return table
