"""Predict edit scripts: of hundreds of labels, a handful applies to a word, and nothing is added up for the others."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.lemmas.applicable import applicable
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.chain.viterbi import FORBIDDEN
from spacy_mtl.structures.problem import block_starts
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.program import compile_program

from .decode import Held
from .lookup import Lookup, key_table, row_at
from .predict import MOST_WORD_BYTES, Predictor
from .weights import ChainWeights
from .windows import one_position


@subkernel
def add_scripts(columns, lookup, scales, t, start, end, labels, scores):
    """Add to ``scores``, float32[K], what the templates say of the scripts ``labels``, int32[K], at position t of the sentence [start, end).

    lookup: with int8 codes as its rows. scales: float32[R], of these.
    """
    for j in range(lookup.program.seed.size):
        row = row_at(columns, lookup, j, t, start, end)
        if row >= 0:
            for k in range(labels.size):
                scores[k] += scales[row] * np.float32(lookup.rows[row, labels[k]])


@kernel
def score_scripts_of_forms(columns, lookup, scales, first, labels, scores):
    """Fill the scores of the scripts ``labels[first[i]:first[i + 1]]`` that form i may have, float32. columns: uint64[A, n], a form each."""
    for i in range(first.size - 1):
        own = slice(first[i], first[i + 1])
        scores[own] = 0
        add_scripts(columns, lookup, scales, i, i, i + 1, labels[own], scores[own])


@kernel
def score_scripts(columns, starts, ids, lookup, scales, first, labels, scores, nodes, best):
    """Fill ``best``, int32[N], with the best script of each word, of equal ones the lowest; or ``nodes``, float32[N, L], with the scores of those
    that it may have. Of either nothing is filled that has no rows.

    ids: int32[N], the forms that ``first``, ``labels`` and ``scores`` are of, see :func:`score_scripts_of_forms`.
    """
    for s in range(starts.size - 1):
        for t in range(starts[s], starts[s + 1]):
            own = slice(first[ids[t]], first[ids[t] + 1])
            found = labels[own]
            if best.size:
                best[t] = found[0]
                if found.size < 2:
                    continue
            total = scores[own].copy()
            add_scripts(columns, lookup, scales, t, starts[s], starts[s + 1], found, total)
            top = 0
            for k in range(found.size):
                if nodes.size:
                    nodes[t, found[k]] = total[k]
                top = k if total[k] > total[top] else top
            if best.size:
                best[t] = found[top]


def appended(array: np.ndarray, used: int, more: np.ndarray) -> np.ndarray:
    """The array with ``more`` after its first ``used`` values: itself if it has the space, otherwise a copy with twice as much.

    A text has a few new words, and all that is known would be copied for each text.
    """
    size = used + more.size
    if size > array.size:
        array = np.concatenate([array[:used], np.empty(max(size, 2 * array.size) - used, array.dtype)])
    array[used:size] = more
    return array


class ScriptPredictor(Predictor):
    """Predicts scripts word by word. See :func:`fits`."""

    def _index(self, weights: ChainWeights, node: Sequence[Template], observed: Sequence[Template]) -> None:
        columns, table = self.reader.columns, key_table(weights.keys)
        codes = weights.codes.reshape(-1, len(weights.labels))
        lexical = ("ORTH", *self.reader.lexicon.attributes)
        forms = [t for t in node if one_position(t, lexical) and not t.observations[0].offset]
        others = [t for t in node if t not in forms]
        self._of_forms = Lookup(compile_program(forms, columns), table, codes)
        self._of_words = Lookup(compile_program(others, columns), table, codes)
        self._scales = weights.scales
        self._crossing = sorted({o.attr for t in others for o in t.observations})
        self._scripts = applicable(weights.labels)

    def _scripts_of_forms(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The scripts that each form of the lexicon may have, and their scores by templates of the form alone: ``first``, ``labels``, ``scores`` of
        :func:`score_scripts`, with space for more. Only those of new forms are computed."""
        lexicon = self.reader.lexicon
        if self._generation != lexicon.generation:
            self._generation, self._scored = lexicon.generation, 0
            self._known = np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32)
        if lexicon.size > self._scored:
            new, (first, labels, scores) = slice(self._scored, lexicon.size), self._known
            used = first[self._scored]
            ends, more, scored = self._score_new(lexicon.orths[new], lexicon.values[new])
            first = appended(first, self._scored + 1, used + ends[1:])
            self._known = first, appended(labels, used, more), appended(scores, used, scored)
            self._scored = lexicon.size
            if first[self._scored] * (labels.itemsize + scores.itemsize) > MOST_WORD_BYTES:
                lexicon.limit = min(lexicon.limit, lexicon.size)  # new forms empty it
        return self._known

    def _score_new(self, orths: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        numbers = [self._numbers(self.vocab.strings[orth]) for orth in orths.tolist()]
        first = block_starts(np.array([len(found) for found in numbers], np.int64))
        labels = np.fromiter((k for found in numbers for k in found), np.int32, first[-1])
        scores = np.empty(labels.size, np.float32)
        score_scripts_of_forms(self._columns_of(orths, values), self._of_forms, self._scales, first, labels, scores)
        return first, labels, scores

    def _numbers(self, form: str) -> list[int]:
        """The scripts that a form may have: those that apply, or the first where none does, so that its sentence has an analysis."""
        return sorted(self._scripts.numbers(form)) or [0]

    def _run(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, nodes: np.ndarray, best: np.ndarray
    ) -> None:
        with self._lock:  # what is known of forms grows; what there is now stays as it is
            ids = self.reader.lexicon.ids(given[0])
            known, values = self._scripts_of_forms(), self.reader.lexicon.values
        columns = self.reader.expand(given, starts, doc_starts, (ids, values), self._crossing)
        score_scripts(columns, starts, ids, self._of_words, self._scales, *known, nodes, best)

    def scores(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, tensor: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`.Predictor.scores`; scripts that a word may not have are FORBIDDEN."""
        nodes = np.full((given.shape[1], self._n_labels), FORBIDDEN)
        self._run(given, starts, doc_starts, nodes, np.empty(0, np.int32))
        return nodes, np.empty((0, self._n_labels, self._n_labels), np.float32)

    def label(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, forbidden: Any = None, held: Held | None = None,
        tensor: np.ndarray | None = None,
    ) -> np.ndarray:  # fmt: skip
        """The best scripts int32[N]. Arguments as in :meth:`.Predictor.label`."""
        if forbidden is not None or held is not None:
            return super().label(given, starts, doc_starts, forbidden, held, tensor)
        best = np.zeros(given.shape[1], np.int32)
        self._run(given, starts, doc_starts, np.empty((0, self._n_labels), np.float32), best)
        return best

    def __reduce__(self) -> tuple:
        return ScriptPredictor, self._made_of


def fits(weights: ChainWeights, constraints: Constraints) -> bool:
    """Whether a model is of edit scripts that no word's neighbours have a part in, and without dense blocks."""
    plain = not constraints.forms.size and not any(part.any() for part in (*constraints.penalties(), weights.step))
    return bool(constraints.edits) and plain and not weights.pair_keys.size and not weights.dense_codes.size
