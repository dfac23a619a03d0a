"""Fast tagging of characters: a whole prediction in one kernel call.

On a text of one sentence, kernels run for a few microseconds, which is about as long as a call takes. So a single kernel does here what
:class:`Predictor` does step by step, in the same order and with the same tables. Its arguments are flat, since numba resolves the types of
tuples slowly.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.models.chain.blocks import add_blocks, pack
from spacy_mtl.models.chain.decode import Chain, Considered, decode_all, forbid
from spacy_mtl.models.chain.lookup import Lookup, add_looked_up
from spacy_mtl.models.chain.predict import Predictor
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.models.chain.windows import WindowScores, add_window
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.templates.attributes.breaks import BreakTable, mark_breaks
from spacy_mtl.templates.attributes.characters import (
    CHARACTER_CONTEXT,
    ONE_PART,
    WordTable,
    compare,
    match_words,
    number_places,
    place_bits,
    word_table,
)
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.extract import Program
from spacy_mtl.templates.index import Table

from .boundaries import begin_tags
from .characters import Characters, CharacterTable
from .user_words.dictionary import Dictionary
from .user_words.enforced import enforce, find_words, spelling
from .user_words.words import UserWords


@kernel
def tag_characters(
    at, ids, starts, joined, begin_tags, labels, form_of, orths, normal, strength, spelled,
    values, value_rows, n_columns, context_rows, bits, word_slots, word_rows, word_known,
    break_slots, break_rows, break_values, parts,
    form_offsets, form_values, form_outside, place_offsets, place_values, place_outside,
    first, offset, column, seed, packed, weights,
    pair_first, pair_offset, pair_column, pair_seed, pair_slots, pair_rows, pair_weights, start, end, step, mask,
):  # fmt: skip
    """Write the best tags of all characters to ``labels``. Arguments as of :func:`score_characters`."""
    nodes, pairs = score_characters(
        at, ids, starts, joined, begin_tags, form_of, orths, normal, strength, spelled,
        values, value_rows, n_columns, context_rows, bits, word_slots, word_rows, word_known,
        break_slots, break_rows, break_values, parts,
        form_offsets, form_values, form_outside, place_offsets, place_values, place_outside,
        first, offset, column, seed, packed, weights,
        pair_first, pair_offset, pair_column, pair_seed, pair_slots, pair_rows, pair_weights, start, end, step, mask,
    )  # fmt: skip
    decode_all(starts, nodes, pairs, Chain(start, end, step, mask), labels)


@kernel
def score_characters(
    at, ids, starts, joined, begin_tags, form_of, orths, normal, strength, spelled,
    values, value_rows, n_columns, context_rows, bits, word_slots, word_rows, word_known,
    break_slots, break_rows, break_values, parts,
    form_offsets, form_values, form_outside, place_offsets, place_values, place_outside,
    first, offset, column, seed, packed, weights,
    pair_first, pair_offset, pair_column, pair_seed, pair_slots, pair_rows, pair_weights, start, end, step, mask,
):  # fmt: skip
    """Scores of the tags of all characters, as of :meth:`.Predictor.scores`: nodes, and pairs or None where no template observes any.

    spelled, and all of the pairs, are None where there are no words of the user and no observed pairs: then nothing is compiled for them.
    """
    n = at.size
    nodes = np.zeros((n, start.size), np.float32)
    forms = np.empty(n, np.int32)
    for t in range(n):
        forms[t] = form_of[ids[at[t]]]
    add_window(forms, starts, WindowScores(form_offsets, form_values, form_outside), nodes)
    columns = np.empty((n_columns, n), np.uint64)
    for t in range(n):
        columns[0, t] = orths[ids[at[t]]]
    for k in range(value_rows.size):
        if value_rows[k] >= 0:
            for t in range(n):
                columns[value_rows[k], t] = values[forms[t], k]
    breaks = BreakTable(break_slots, break_rows, break_values)
    words = WordTable(word_slots, word_rows, word_known)
    found, lengths = fill_context(columns, starts, context_rows, words, breaks, parts, spelled)
    if place_offsets.size:
        numbers = np.empty(n, np.int32)
        number_places(columns, context_rows[1:], bits, numbers)
        add_window(numbers, starts, WindowScores(place_offsets, place_values, place_outside), nodes)
    add_blocks(columns, starts, first, offset, column, seed, packed, weights, nodes)
    forbid(nodes, joined, begin_tags)
    if spelled is not None:
        if context_rows[3] < 0 and context_rows[4] < 0 and context_rows[5] < 0:  # no template reads words
            chars = np.empty(n, np.uint64)
            for t in range(n):
                chars[t] = normal[ids[at[t]]]
            found, lengths = find_words(chars, starts, words)
        enforce(found, lengths, starts, joined, strength, spelled, begin_tags, nodes)
    if pair_seed is None:
        return nodes, None
    pairs = np.zeros((n, start.size * start.size), np.float32)
    observed = Lookup(
        Program(pair_first, pair_offset, pair_column, pair_seed), Table(pair_slots, pair_rows), pair_weights
    )
    add_looked_up(columns, starts, observed, np.arange(pair_seed.size), pairs)
    return nodes, pairs.reshape(n, start.size, start.size)


@kernel
def fill_context(columns, starts, rows, words, breaks, parts, collect):
    """Fill the requested columns of CHARACTER_CONTEXT, and return the occurrences of the user's words, if they are asked for and were met on the way.

    rows: int64[7], the columns of CHAR and of each of these, -1 for none. collect: as in :func:`.match_words`.
    """
    first, length = np.empty(0, np.int64), np.empty(0, np.int64)
    chars = columns[rows[0]]
    for distance in range(1, 3):
        if rows[distance] >= 0:
            compare(chars, starts, distance, columns[rows[distance]])
    if rows[3] >= 0 or rows[4] >= 0 or rows[5] >= 0:
        spare = np.empty((3, chars.size), np.uint64)
        begin = columns[rows[3]] if rows[3] >= 0 else spare[0]
        end = columns[rows[4]] if rows[4] >= 0 else spare[1]
        inside = columns[rows[5]] if rows[5] >= 0 else spare[2]
        first, length = match_words(chars, starts, parts, words, begin, end, inside, collect)
    if rows[6] >= 0:
        mark_breaks(chars, starts, parts, breaks, columns[rows[6]])
    return first, length


class CharacterPredictor(Predictor):
    """A :class:`Predictor` of character tags."""

    def __init__(
        self,
        weights: ChainWeights,
        constraints: Constraints,
        characters: CharacterTable,
        learned: Mapping[str, FormTable],
        breaks: BreakTable,
        tags: str,
    ):
        super().__init__(weights, constraints, characters.vocab, word_table([]), learned)
        self.characters, self.tags = characters, tags
        # all characters are looked up at once, so emptying the lexicon would mean computing all of them again
        self.reader.lexicon.limit = characters.row_of.size
        if self.reader.characters is not None:
            self.reader.characters.breaks = breaks
        # the dictionaries that the reader has, and the version of the user's
        self._words_read: tuple[str, UserWords, int] | None = None
        self._dictionary: Dictionary | None = None
        self._lexicon = ""
        self.known_words, self._user_words = word_table([]), UserWords()
        self._spelled = spelling(tags)
        columns = self.reader.columns
        lexical = self.reader.lexicon.attributes
        wanted = {*self._crossing, *self.reader.context_needs} if self._crossing else set()
        self._value_rows = np.array([columns[a] if a in wanted else -1 for a in lexical], np.int64)
        context = [columns.get(attr, -1) for attr in ("CHAR", *CHARACTER_CONTEXT)]
        self._context_rows = np.array(context if self.reader.characters is not None else [-1] * len(context), np.int64)
        self._bits = place_bits(columns)
        self._packed = pack(weights.keys)
        self.bias = 0.0  # added to the score of every tag that begins a word
        self._form_of = np.empty(0, np.int32)
        self._seen: tuple = ()
        self._tables: tuple = ()

    def __reduce__(self) -> tuple:
        made_of = (*self._made_of[:2], self.characters, self._made_of[-1], self.reader.breaks, self.tags)
        return CharacterPredictor, made_of

    def follows(self, user_words: UserWords) -> bool:
        """Whether a dictionary must be read: for templates, for tags, or in place of one that was read before."""
        return self.reader.characters is not None or user_words.strength > 0 or self._words_read is not None

    def read_words(self, lexicon: str, user_words: UserWords) -> None:
        """Take over what has changed in the dictionary, if anything has. lexicon: the words of the corpus, with blanks between them."""
        now, before = (lexicon, user_words, user_words.version), self._words_read
        # "is", since sets of the same words may have other roles
        if before is not None and before[1] is user_words and before[::2] == now[::2]:
            return
        with self._lock:
            if self._dictionary is None or self._lexicon != lexicon:
                self._dictionary, self._lexicon = Dictionary(lexicon.split(), user_words), lexicon
            self.known_words, self._user_words = self._dictionary.follow(user_words), user_words
            if self.reader.characters is not None:
                self.reader.characters.words = self.known_words
            self._words_read = now

    def _forms(self) -> np.ndarray:
        """The lexicon row of each character of the table, int32[n]. Like every table, it only changes when new characters appear."""
        lexicon, orths = self.reader.lexicon, self.characters.orths
        known = self._form_of if self._generation == lexicon.generation else self._form_of[:0]
        if known.size != orths.size:
            self._form_of = np.concatenate([known, lexicon.ids(orths[known.size :])])
        return self._form_of

    def _arguments(self) -> tuple:
        """The tables as arguments of :func:`tag_characters`; rebuilt when one of them has changed."""
        now = self._forms(), self.known_words, self.reader.breaks, self._user_words.strength, self.bias
        same = len(self._seen) == len(now) and all(a is b for a, b in zip(self._seen[:3], now[:3], strict=True))
        if not same or self._seen[3:] != now[3:]:
            self._seen, (forms, words, breaks, strength, bias) = now, now
            lookup, pairs = self._shared.lookup, self._pairs
            observed: tuple = (*pairs.program, *pairs.table, pairs.rows)
            if not pairs.program.seed.size:
                observed = (None,) * len(observed)
            self._tables = (
                forms, self.characters.orths, self.characters.normal, np.float32(strength), self._spelled if strength > 0 else None,
                self.reader.lexicon.values, self._value_rows, len(self.reader.columns), self._context_rows, self._bits,
                *words, *breaks, ONE_PART, *self._word_scores(), *self._place_scores(),
                *lookup.program, self._packed, lookup.rows, *observed, *self._biased_chain(bias),
            )  # fmt: skip
        return self._tables

    def _biased_chain(self, bias: float) -> Chain:
        """The chain with the bias added wherever a word begins behind another; one always begins first."""
        begins = begin_tags(self.tags).astype(np.float32)
        return self._chain._replace(step=self._chain.step + np.float32(bias) * begins) if bias else self._chain

    def tables(self) -> tuple:
        """The arguments of :func:`tag_characters` from ``form_of`` on; they cover the characters that were in the character table before the call."""
        with self._lock:
            return self._arguments()

    def considered_characters(
        self, chars: Characters, doc_starts: np.ndarray, joined: np.ndarray, begins: np.ndarray
    ) -> Considered:
        """What is predicted for characters, and the scores of all that it was chosen from. doc_starts: of documents; others as of :meth:`tag`."""
        nodes, pairs = self._tag_scores(chars, joined, begins)
        bias = np.float32(self.bias) * begins if self.bias else None
        return self.considering(chars.starts, doc_starts, nodes, pairs, bias=bias)

    def biased_tags(self, text: str, keep_runs: bool, biases: Sequence[float]) -> tuple[Characters, list[np.ndarray]]:
        """The characters of a text, and their best tags int32[N] under each bias, in place of that of the predictor; scores are computed once.

        keep_runs: no word begins inside of a run.
        """
        chars = self.characters.read([text])
        joined = self.characters.joined(chars) if keep_runs else np.zeros(chars.at.size, np.bool_)
        begins = begin_tags(self.tags)
        nodes, pairs = self._tag_scores(chars, joined, begins)
        added = [np.float32(bias) * begins for bias in biases]
        return chars, [self._decoded(chars.starts, nodes + each, pairs.copy(), None, None) for each in added]

    def _tag_scores(self, chars: Characters, joined: np.ndarray, begins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scores of tags and of observed pairs, without transitions but with all that is forbidden and what the user's words add."""
        nodes, pairs = score_characters(chars.at, chars.ids, chars.starts, joined, begins, *self.tables())
        return nodes, np.zeros((0, self._n_labels, self._n_labels), np.float32) if pairs is None else pairs

    def tag(self, chars: Characters, joined: np.ndarray, begins: np.ndarray) -> np.ndarray:
        """The best tags int32[N]. joined: bool[N], where the tags in ``begins`` (bool[L]) are forbidden."""
        labels = np.zeros(chars.at.size, np.int32)
        tag_characters(chars.at, chars.ids, chars.starts, joined, begins, labels, *self.tables())
        return labels
