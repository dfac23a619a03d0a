"""Fast tagging: docs to labels.

Templates that look at one word only (``%x[-1,SUFFIX3]``, ``%x[0,LOWER]/%x[0,SHAPE]``) are summed once per distinct word form and offset, so that
at prediction time a token costs one row per offset in place of one look-up per template. The others are hashed.
"""

import threading
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..errors import Warnings
from ..kernels import kernel
from ..structures.chain import FORBIDDEN, constrain, viterbi
from ..structures.chain_build import Constraints
from ..templates.attributes import AttributeReader
from ..templates.grammar import Template, parse_template
from ..templates.index import Table
from ..templates.program import compile_program
from .lookup import Lookup, add_looked_up, add_outside, key_table
from .sentences import borders
from .shapes import SharedLookup
from .weights import ChainWeights

#: Attributes that some component or reader sets on every document; others may well be 0 everywhere.
_ANNOTATED = ("TAG", "POS", "LEMMA", "DEP")


class WordScores(NamedTuple):
    """Scores of one-word templates. offsets: int64[K]; words: float32[n_forms, K, L]; outside: float32[K, D, L], d positions outside the sentence."""

    offsets: np.ndarray
    words: np.ndarray
    outside: np.ndarray


class Chain(NamedTuple):
    """Transitions and masks as scores: start, end float32[L]; step, mask float32[L, L]."""

    start: np.ndarray
    end: np.ndarray
    step: np.ndarray
    mask: np.ndarray


@kernel
def add_words(ids, starts, scores, out):
    """out[t] += the summed one-word templates of its window. ids: int32[N] rows of ``scores.words``; out: float32[N, L]."""
    for s in range(starts.size - 1):
        start, end = starts[s], starts[s + 1]
        for t in range(start, end):
            for k in range(scores.offsets.size):
                at = t + scores.offsets[k]
                if at < start:
                    row = scores.outside[k, start - at - 1]
                elif at >= end:
                    row = scores.outside[k, at - end]
                else:
                    row = scores.words[ids[at], k]
                for y in range(out.shape[1]):
                    out[t, y] += row[y]


@kernel
def decode_all(starts, nodes, pairs, chain, labels):
    """Viterbi over every sentence. nodes: float32[N, L]; pairs: float32[N, L, L] observed transitions, or float32[0, L, L]. Fills labels int32[N]."""
    n_labels = nodes.shape[1]
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    best, back = np.empty((longest, n_labels), np.float32), np.empty((longest, n_labels), np.int32)
    shared = np.empty((1, n_labels, n_labels), np.float32)
    shared[0] = chain.step + chain.mask
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        if a == b:
            continue
        if pairs.shape[0]:
            for t in range(a, b):
                pairs[t] += chain.step
            constrain(nodes[a:b], pairs[a:b], chain.start, chain.end, chain.mask, False, False)
            viterbi(nodes[a:b], pairs[a:b], best, back, labels[a:b])
        else:
            constrain(nodes[a:b], shared[:0], chain.start, chain.end, chain.mask, False, False)
            viterbi(nodes[a:b], shared, best, back, labels[a:b])


def _one_word(template: Template, lexical: Sequence[str]) -> bool:
    offsets = {obs.offset for obs in template.observations}
    return len(offsets) == 1 and all(obs.attr in lexical for obs in template.observations)


class Predictor:
    """Labels for docs of one vocabulary under fixed weights. Safe to call from several threads."""

    def __init__(self, weights: ChainWeights, constraints: Constraints, vocab: Vocab, words: Table | None = None):
        self.vocab = vocab
        self._made_of = (weights, constraints, vocab, words)
        templates = [parse_template(row.text) for row in weights.templates if row.rows]
        attributes = list(dict.fromkeys(o.attr for t in templates for o in t.observations))
        self.reader = AttributeReader(attributes, vocab, words)
        lexical = ("ORTH", *self.reader.lexicon.attributes)
        node = [t for t in templates if not t.is_edge]
        columns, table, rows = self.reader.columns, key_table(weights.keys), weights.node_rows()
        self._words = [t for t in node if _one_word(t, lexical)]
        crossing = [t for t in node if not _one_word(t, lexical)]
        self._n_labels = len(weights.labels)
        self._shared = SharedLookup(Lookup(compile_program(crossing, columns), table, rows), crossing, self._n_labels)
        observed = [t for t in templates if t.is_edge and t.observations]
        self._pairs = Lookup(compile_program(observed, columns), key_table(weights.pair_keys), weights.pair_rows())
        self._crossing = sorted({o.attr for t in (*crossing, *observed) for o in t.observations})
        self._constraints = constraints
        start, end, mask = constraints.penalties()
        self._chain = Chain(start, end, weights.step, mask)
        here = {0} if constraints.forms.size else set()
        self._offsets = sorted({t.observations[0].offset for t in self._words} | here)
        self._by_offset = [
            Lookup(compile_program([t for t in self._words if t.observations[0].offset == o], columns), table, rows)
            for o in self._offsets
        ]
        self._warned = False
        self._lock = threading.Lock()
        self._outside = self._score_outside()
        self._generation = -1
        self._scored = 0

    def __reduce__(self) -> tuple:
        """Copies and other processes build their own tables."""
        return Predictor, self._made_of

    def _score_outside(self) -> np.ndarray:
        reach = max((abs(o) for o in self._offsets), default=0)
        outside = np.zeros((len(self._offsets), reach, self._n_labels), np.float32)
        for k, (offset, lookup) in enumerate(zip(self._offsets, self._by_offset, strict=True)):
            for d in range(abs(offset)):
                for j in range(lookup.program.seed.size):
                    add_outside(lookup, j, -(d + 1) if offset < 0 else d + 1, outside[k, d])
        return outside

    def _word_scores(self) -> WordScores:
        """Scores of all word forms met so far; only new ones are computed."""
        lexicon = self.reader.lexicon
        if self._generation != lexicon.generation:
            self._generation, self._scored = lexicon.generation, 0
            self._word_table = np.zeros((lexicon.orths.size, len(self._offsets), self._n_labels), np.float32)
        if lexicon.size > len(self._word_table):
            grown = np.zeros((lexicon.orths.size, *self._word_table.shape[1:]), np.float32)
            grown[: self._scored] = self._word_table[: self._scored]
            self._word_table = grown
        if lexicon.size > self._scored:
            new = slice(self._scored, lexicon.size)
            self._word_table[new] = self._score_forms(lexicon.orths[new], lexicon.values[new])
            self._scored = lexicon.size
        return WordScores(np.array(self._offsets, np.int64), self._word_table, self._outside)

    def _score_forms(self, orths: np.ndarray, values: np.ndarray) -> np.ndarray:
        n = orths.size
        columns = np.zeros((len(self.reader.columns), n), np.uint64)
        columns[0] = orths
        columns[self.reader.n_given : self.reader.n_given + values.shape[1]] = values.T
        scores = np.zeros((n, len(self._offsets), self._n_labels), np.float32)
        for k, (offset, lookup) in enumerate(zip(self._offsets, self._by_offset, strict=True)):
            # every form is a sentence of its own, read at offset 0: keys do not depend on where the window stands
            here = lookup._replace(program=lookup.program._replace(offset=lookup.program.offset - offset))
            out = np.zeros((n, self._n_labels), np.float32)
            add_looked_up(columns, np.arange(n + 1), here, np.arange(here.program.seed.size), out)
            scores[:, k] = out
        rows = self._constraints.form_rows(orths)
        if (rows >= 0).any():
            scores[rows >= 0, self._offsets.index(0)] += self._constraints.form_penalties()[rows[rows >= 0]]
        return scores

    def scores(self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Node scores float32[N, L] and observed pair scores float32[N, L, L] (or [0, L, L]), before transitions and constraints.

        given: what ``reader.read_given`` returns. starts, doc_starts: int64 borders of sentences and of documents.
        """
        n, n_labels = given.shape[1], self._n_labels
        ids = self.reader.lexicon.ids(given[0])
        nodes = np.zeros((n, n_labels), np.float32)
        add_words(ids, starts, self._word_scores(), nodes)
        n_pairs = n if self._pairs.program.seed.size else 0
        pairs = np.zeros((n_pairs, n_labels * n_labels), np.float32)
        if self._crossing:
            columns = self.reader.expand(given, starts, doc_starts, ids, self._crossing)
            self._shared.add(columns, starts, nodes)
            if n_pairs:
                add_looked_up(columns, starts, self._pairs, np.arange(self._pairs.program.seed.size), pairs)
        return nodes, pairs.reshape(n_pairs, n_labels, n_labels)

    def _warn_of_missing(self, given: np.ndarray) -> None:
        """Say once that the docs lack what the templates learnt to read: the scores would suffer in silence."""
        for attr in () if self._warned else self.reader.unset(given):
            if attr in _ANNOTATED:
                self._warned = True
                warnings.warn(Warnings.M430.format(attr=attr), stacklevel=2)

    def __call__(self, docs: Sequence[Doc]) -> np.ndarray:
        """Best labels int32[N] of all tokens of the docs, sentence by sentence."""
        given = self.reader.read_given(docs)
        starts = borders(docs)
        doc_starts = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])]).astype(np.int64)
        with self._lock:
            self._warn_of_missing(given)
        return self.label(given, starts, doc_starts)

    def label(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, forbidden: np.ndarray | None = None
    ) -> np.ndarray:
        """Best labels int32[N]. Arguments as of :meth:`scores`; forbidden: bool[N, L], labels that a position may not have."""
        with self._lock:  # the word tables grow as forms are met; kernels do not hold the interpreter's lock
            nodes, pairs = self.scores(given, starts, doc_starts)
        if forbidden is not None:
            nodes += np.where(forbidden, FORBIDDEN, np.float32(0))
        labels = np.zeros(given.shape[1], np.int32)
        decode_all(starts, nodes, pairs, self._chain, labels)
        return labels
