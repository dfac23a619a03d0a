"""Attributes that look beyond the window: the nearest content word in the sentence, and other occurrences in the document.

=============  ===============================================================================================================
LEFT_WORD      LOWER of the nearest plain word (all lower case, more than 3 letters) to the left in the sentence; RIGHT_WORD: to the right
LEFT_NOUN      the same for the nearest noun (a tag that begins with N, but not NUM) that is not capitalised; RIGHT_NOUN. Both need TAG.
DOC_CASE       capitalisation, whether it is due to position, and how the form is written elsewhere in the document
DOC_COUNT      how often a capitalised form occurs in the document, up to 4
DOC_LEFT       LOWER of the word before another occurrence of the same capitalised form; DOC_RIGHT: of the word after it
RUN_FIRST      LOWER of the first word in the longest run of capitalised words of the document that contains this word; RUN_LAST: of the
               last word; RUN_PREV, RUN_NEXT: of the neighbours in the run; RUN_PLACE: length of the run and place of the word in it
=============  ===============================================================================================================

If there is no such word, the value is 0, or that of a position outside the sentence. The document is the Doc.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.strings import StringStore

from spacy_mtl.distinct import distinct
from spacy_mtl.kernels import brief_kernel, kernel
from spacy_mtl.templates.extract import boundary, mix
from spacy_mtl.templates.index import Table, empty_table, find

SENTENCE_ATTRIBUTES = ("LEFT_WORD", "RIGHT_WORD", "LEFT_NOUN", "RIGHT_NOUN")
DOCUMENT_ATTRIBUTES = (
    "DOC_CASE", "DOC_COUNT", "DOC_LEFT", "DOC_RIGHT", "RUN_FIRST", "RUN_LAST", "RUN_PREV", "RUN_NEXT", "RUN_PLACE",
)  # fmt: skip
CONTEXT_ATTRIBUTES = (*SENTENCE_ATTRIBUTES, *DOCUMENT_ATTRIBUTES)

# Bits of CASE_FLAGS.
CAPITAL, ALL_CAPITALS, LOWERED, PLAIN, LETTER, OPENER = 1, 2, 4, 8, 16, 32
_LONGEST_COUNTED = 4


def case_flags(text: str) -> int:
    """The properties of a word form that context attributes need, as bits."""
    flags = CAPITAL * text[:1].isupper()
    flags |= ALL_CAPITALS * (len(text) > 1 and text.isupper())
    flags |= LOWERED * (text == text.lower())
    flags |= PLAIN * (len(text) > 3 and text.isalpha() and text.islower())
    flags |= LETTER * text[:1].isalpha()
    return flags | OPENER * (text in ('"', "'", ":", "-", "«", "“", "—", "¿", "¡"))


def case_pattern(text: str) -> str:
    """The capitalisation class of a form: x, Xx, XX, X, X., XxX, xX or 9; other characters as they are."""
    if text[:1].isdigit():
        return "9"
    if not (text.isalpha() or any(map(str.isalpha, text))):
        return text if len(text) == 1 else "p"
    if not text[0].isupper():
        return "x" if text.islower() else "xX"
    if len(text) == 1 or text.isupper():
        return "X" if len(text) == 1 else "XX"
    if text[1:].islower():
        return "Xx"
    return "X." if text.endswith(".") else "XxX"


class Words(NamedTuple):
    """Columns that the kernels read, for N tokens. orth, lower, case: uint64[N]. flags: int64[N], see :func:`case_flags`."""

    orth: np.ndarray
    lower: np.ndarray
    case: np.ndarray
    flags: np.ndarray


class Known(NamedTuple):
    """Facts about each of the n distinct lower-cased forms of a document.

    lowered, capital, shouted: how often the form is all lower case, capitalised inside a sentence, and in capitals.
    run: length of the longest run of capitalised words that contains it. run_start: where that run starts. place: position of the form in the run.
    """

    lowered: np.ndarray
    capital: np.ndarray
    shouted: np.ndarray
    run: np.ndarray
    run_start: np.ndarray
    place: np.ndarray


class Buffers(NamedTuple):
    """What is known of a document of at most n tokens; a kernel that made them itself would be twice as long to compile.

    lower, orth: int64[n], numbers of the forms. counts: int64[n], how often each form (orth) occurs. places: int64[n, 2], where the first two times.
    sentence: int64[n, 2], borders of each token's sentence. known: of each form (lower). table: to number forms with.
    """

    lower: np.ndarray
    orth: np.ndarray
    counts: np.ndarray
    places: np.ndarray
    sentence: np.ndarray
    known: Known
    table: Table


def buffers_for(n: int) -> Buffers:
    """Buffers for documents of at most n tokens."""
    lower, orth, counts = np.zeros((3, n), np.int64)
    places, sentence = np.zeros((2, n, 2), np.int64)
    return Buffers(lower, orth, counts, places, sentence, Known(*np.zeros((6, n), np.int64)), empty_table(n))


@brief_kernel
def sentence_columns(lower, plain, noun, starts, out):
    """Write LEFT_WORD, RIGHT_WORD, LEFT_NOUN and RIGHT_NOUN to the rows of out, uint64[4, N]. plain, noun: bool[N]."""
    for s in range(starts.size - 1):
        left_word = right_word = left_noun = right_noun = boundary(-1)
        for t in range(starts[s], starts[s + 1]):
            out[0, t], out[2, t] = left_word, left_noun
            left_word = lower[t] if plain[t] else left_word
            left_noun = lower[t] if noun[t] else left_noun
        for t in range(starts[s + 1] - 1, starts[s] - 1, -1):
            out[1, t], out[3, t] = right_word, right_noun
            right_word = lower[t] if plain[t] else right_word
            right_noun = lower[t] if noun[t] else right_noun


@kernel
def has(flags, bit):
    return flags & bit != 0


@kernel
def number_forms(keys, table, ids):
    """Set ids[t] to the number of keys[t] among the distinct keys. table: a buffer that is large enough for them."""
    for slot in range(table.rows.size):
        table.rows[slot] = -1
    n = 0
    for t in range(keys.size):
        slot = find(table, keys[t])
        if table.rows[slot] < 0:
            table.slots[slot] = keys[t]
            table.rows[slot] = n
            n += 1
        ids[t] = table.rows[slot]


@kernel
def is_headline(flags, start, end):
    """Whether more than half of the words are in capitals, so that capitalisation carries no information."""
    shouted = 0
    for t in range(start, end):
        shouted += has(flags[t], ALL_CAPITALS)
    return 2 * shouted > end - start


@kernel
def is_inner(flags, start, t):
    """Whether a token is not at the start of a sentence or quotation."""
    return t > start and not has(flags[t - 1], OPENER)


@kernel
def note_runs(flags, start, end, ids, first, known):
    """Record the runs of capitalised words in a sentence. first: start of the document."""
    t = start
    while t < end:
        stop = t
        while stop < end and has(flags[stop], CAPITAL):
            stop += 1
        for k in range(t, stop):
            form = ids[k - first]
            if stop - t > known.run[form]:
                known.run[form], known.run_start[form], known.place[form] = stop - t, t, k - t
        t = max(stop, t + 1)


@kernel
def note_sentence(flags, start, end, ids, first, known):
    """Record how the forms of a sentence are written. first: start of the document."""
    headline = is_headline(flags, start, end)
    for t in range(start, end):
        form = ids[t - first]
        if has(flags[t], LOWERED):
            known.lowered[form] += 1
        elif not headline:
            known.capital[form] += is_inner(flags, start, t)
            known.shouted[form] += has(flags[t], ALL_CAPITALS)
    if not headline:
        note_runs(flags, start, end, ids, first, known)


@kernel
def written(words, start, t, form, known):
    """DOC_CASE of a token."""
    flags = words.flags[t]
    if not has(flags, LETTER):
        return np.uint64(0)
    inner = is_inner(words.flags, start, t)
    own = inner and not has(flags, LOWERED)
    bits = np.uint64(1 + (not inner))
    bits += np.uint64(4 * (known.lowered[form] > 0) + 8 * (known.capital[form] > own))
    bits += np.uint64(16 * (known.shouted[form] > 0 and not has(flags, ALL_CAPITALS)))
    return mix(words.case[t], bits)


@kernel
def set_runs(words, form, known, t, out):
    """Set the RUN attributes of a capitalised token."""
    n, a, k = known.run[form], known.run_start[form], known.place[form]
    if n:
        out[4, t], out[5, t] = words.lower[a], words.lower[a + n - 1]
        out[6, t] = words.lower[a + k - 1] if k else boundary(-1)
        out[7, t] = words.lower[a + k + 1] if k + 1 < n else boundary(1)
        out[8, t] = np.uint64(1 + 8 * min(n, 5) + min(k, 3))


@kernel
def set_elsewhere(words, sentence, ids, counts, places, first, t, out):
    """Set DOC_COUNT, DOC_LEFT and DOC_RIGHT of a capitalised token. sentence: int64[n, 2], borders of each token's sentence."""
    form = ids[t - first]
    out[1, t] = np.uint64(1 + min(counts[form], _LONGEST_COUNTED))
    if counts[form] > 1:
        other = places[form, 1] if places[form, 0] == t else places[form, 0]
        start, end = sentence[other - first, 0], sentence[other - first, 1]
        out[2, t] = words.lower[other - 1] if other > start else boundary(-1)
        out[3, t] = words.lower[other + 1] if other + 1 < end else boundary(1)


@kernel
def forget(known, counts, n):
    """Set what is known of the first n forms to 0."""
    for k in range(n):
        counts[k] = 0
        known.lowered[k] = known.capital[k] = known.shouted[k] = 0
        known.run[k] = known.run_start[k] = known.place[k] = 0


@kernel
def document(words, starts, s0, s1, table, buffers, out):
    """Write the document attributes of the sentences s0 to s1, which make up a document, to the rows of out, uint64[9, N]."""
    first, n = starts[s0], starts[s1] - starts[s0]
    lower_ids, orth_ids, known = buffers.lower, buffers.orth, buffers.known
    number_forms(words.lower[first : first + n], table, lower_ids)
    number_forms(words.orth[first : first + n], table, orth_ids)
    counts, places, sentence = buffers.counts, buffers.places, buffers.sentence
    forget(known, counts, n)
    for s in range(s0, s1):
        note_sentence(words.flags, starts[s], starts[s + 1], lower_ids, first, known)
        for t in range(starts[s], starts[s + 1]):
            sentence[t - first, 0], sentence[t - first, 1] = starts[s], starts[s + 1]
            form = orth_ids[t - first]
            if counts[form] < 2:
                places[form, counts[form]] = t
            counts[form] += 1
    for t in range(first, first + n):
        out[0, t] = written(words, sentence[t - first, 0], t, lower_ids[t - first], known)
        if has(words.flags[t], CAPITAL):
            set_elsewhere(words, sentence, orth_ids, counts, places, first, t, out)
            set_runs(words, lower_ids[t - first], known, t, out)


@brief_kernel
def document_columns(words, starts, doc_starts, buffers, out):
    """Write the document attributes of all tokens to out, uint64[9, N], zeros. starts, doc_starts: int64, borders of sentences and of documents."""
    s0 = 0
    for d in range(doc_starts.size - 1):
        s1 = s0
        while s1 < starts.size - 1 and starts[s1] < doc_starts[d + 1]:
            s1 += 1
        if s1 > s0:
            capacity = 16
            while capacity < 2 * (starts[s1] - starts[s0]):
                capacity *= 2
            table = Table(buffers.table.slots[:capacity], buffers.table.rows[:capacity])
            document(words, starts, s0, s1, table, buffers, out)
        s0 = s1


def needs_of(attr: str) -> tuple[str, ...]:
    """The attributes that a context attribute is computed from."""
    return ("LOWER", "CASE", "CASE_FLAGS", *(("TAG",) if attr.endswith("_NOUN") else ()))


class ContextReader:
    """Fills the context columns of a column matrix. needs: the attributes that they are computed from."""

    def __init__(self, attributes: Sequence[str], strings: StringStore):
        self.attributes = tuple(attributes)
        self._strings = strings
        self._tags = (
            np.zeros(1, np.uint64),
            np.zeros(1, bool),
        )  # seen so far, ascending, and whether each is that of nouns
        self.needs = tuple(dict.fromkeys(name for attr in attributes for name in needs_of(attr)))
        self._nouns = "TAG" in self.needs

    def fill(self, columns: np.ndarray, row_of: Mapping[str, int], starts: np.ndarray, doc_starts: np.ndarray) -> None:
        """Compute the context rows of ``columns`` (uint64[A, N]) from the others. starts, doc_starts: int64, borders of sentences and documents."""
        orth, lower, case, flags = (columns[row_of[attr]] for attr in ("ORTH", "LOWER", "CASE", "CASE_FLAGS"))
        words = Words(orth, lower, case, flags.astype(np.int64))
        made: dict[str, np.ndarray] = {}
        if any(attr in SENTENCE_ATTRIBUTES for attr in self.attributes):
            noun = self._is_noun(columns[row_of["TAG"]]) if self._nouns else np.zeros(orth.size, bool)
            rows = np.empty((len(SENTENCE_ATTRIBUTES), orth.size), np.uint64)
            sentence_columns(lower, words.flags & PLAIN != 0, noun & (words.flags & CAPITAL == 0), starts, rows)
            made.update(zip(SENTENCE_ATTRIBUTES, rows, strict=True))
        if any(attr in DOCUMENT_ATTRIBUTES for attr in self.attributes):
            rows = np.zeros((len(DOCUMENT_ATTRIBUTES), orth.size), np.uint64)
            ends = starts[np.minimum(np.searchsorted(starts, doc_starts), starts.size - 1)]  # whole sentences
            buffers = buffers_for(int(np.diff(ends).max(initial=1)))
            document_columns(words, starts, doc_starts, buffers, rows)
            made.update(zip(DOCUMENT_ATTRIBUTES, rows, strict=True))
        for attr in self.attributes:
            columns[row_of[attr]] = made[attr]

    def _is_noun(self, tags: np.ndarray) -> np.ndarray:
        """Whether each tag begins with N and is not that of numerals, bool[N]. tags: uint64[N]."""
        known, is_noun = self._tags
        place = np.minimum(np.searchsorted(known, tags), known.size - 1)
        missing = known[place] != tags
        if missing.any():
            new = distinct(tags[missing])
            names = [self._strings[tag].upper() for tag in new.tolist()]
            noun = np.array([name.startswith("N") and name != "NUM" for name in names])
            order = np.argsort(np.concatenate([known, new]))
            known, is_noun = np.concatenate([known, new])[order], np.concatenate([is_noun, noun])[order]
            self._tags = known, is_noun  # both at once: other threads may be reading them
            place = np.searchsorted(known, tags)
        return is_noun[place]
