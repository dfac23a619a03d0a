"""Fast tagging, from docs to labels.

The scores of templates that look at a single word (``%x[-1,SUFFIX3]``, ``%x[0,LOWER]/%x[0,SHAPE]``) are summed once per distinct word form and
offset, so that in prediction a token costs one row per offset instead of one look-up per template. The other templates are hashed.
"""

import threading
import warnings
from collections.abc import Mapping, Sequence

import numpy as np
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.errors import Warnings
from spacy_mtl.lemmas.applicable import applicable
from spacy_mtl.models.annotated import annotated_names
from spacy_mtl.models.dense import add_around, reads, tensor_rows, word_vectors
from spacy_mtl.sentences import borders
from spacy_mtl.structures.chain.build import Constraints
from spacy_mtl.structures.chain.viterbi import FORBIDDEN, MANY, Transitions, list_transitions, new_transitions
from spacy_mtl.templates.attributes.characters import (
    CHARACTER_CONTEXT,
    WordTable,
    all_places,
    place_bits,
    place_numbers,
)
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template, parse_template
from spacy_mtl.templates.program import compile_program

from .decode import Chain, Considered, Held, decode_all, decode_many, forbid, hold
from .lookup import Lookup, add_looked_up, key_table
from .shapes import SharedLookup
from .weights import ChainWeights
from .windows import Window, WindowScores, add_window, one_position

_NO_FORMS = np.empty(0, np.uint64)
#: Largest number of scores in the table of places, which takes four bytes for each: of all values that context attributes can have together, by
#: offset and label.
MOST_PLACE_SCORES = 1 << 21
#: Largest size of the table of word scores and of the lexicon, in bytes; of some dozens of labels, fewer words fit than the lexicon would hold.
MOST_WORD_BYTES = 1 << 26


class Predictor:
    """Predicts labels for docs of one vocabulary with fixed weights. Safe to call from several threads."""

    def __init__(
        self,
        weights: ChainWeights,
        constraints: Constraints,
        vocab: Vocab,
        words: WordTable | None = None,
        learned: Mapping[str, FormTable] | None = None,
    ):
        self.vocab = vocab
        self._made_of = (weights, constraints, vocab, words, learned)
        templates = [parse_template(row.text) for row in weights.templates if row.rows]
        attributes = list(dict.fromkeys(o.attr for t in templates for o in t.observations))
        self.reader = AttributeReader(attributes, vocab, words, learned)
        blocks = weights.dense_blocks()
        self._vectors = [block for block in blocks if reads([block.template], "v")]
        self._tensors = [block for block in blocks if reads([block.template], "t")]
        if self._vectors:
            # refuses others than of this width
            word_vectors(vocab, _NO_FORMS, len(self._vectors[0].weights))
        self._n_labels = len(weights.labels)
        self._constraints = constraints
        start, end, mask = constraints.penalties()
        self._chain = Chain(start, end, weights.step, mask)
        observed = [t for t in templates if t.is_edge and t.observations]
        free = not any(scores.any() for scores in (start, end, mask, weights.step))
        self._one_by_one = free and not observed  # no word depends on the labels of others
        self._many: tuple[np.ndarray, Transitions] | None = None
        if not self._one_by_one and self._n_labels >= MANY and not observed:
            shared = np.ascontiguousarray(weights.step + mask, np.float32)
            self._many = shared, new_transitions(self._n_labels)
            list_transitions(*self._many)
        self._warned = False
        self._lock = threading.Lock()
        self._generation = -1
        self._scored, self._scored_with = 0, vocab.vectors if self._vectors else None
        self._index(weights, [t for t in templates if not t.is_edge and not t.is_dense], observed)

    def _index(self, weights: ChainWeights, node: Sequence[Template], observed: Sequence[Template]) -> None:
        """Prepare to look up the weights of templates: ``node`` of labels, ``observed`` of pairs of labels."""
        columns, table, rows = self.reader.columns, key_table(weights.keys), weights.node_rows()
        rows = rows.reshape(-1, len(weights.labels))
        lexical = ("ORTH", *self.reader.lexicon.attributes)
        forms = [t for t in node if one_position(t, lexical)]
        places = [t for t in node if one_position(t, CHARACTER_CONTEXT)]
        n_places = 1 << int(place_bits(columns).sum())
        if n_places * len({t.observations[0].offset for t in places}) * len(weights.labels) > MOST_PLACE_SCORES:
            places = []  # a table of every combination of values would be huge
        crossing = [t for t in node if t not in forms and t not in places]
        constraints = self._constraints
        self._applicable = applicable(weights.labels) if constraints.edits else None
        self._held = constraints.forms.size > 0 and not constraints.table.size
        held = self._held or constraints.edits
        self._words = Window(
            forms, columns, table, rows, {block.offset for block in self._vectors} | ({0} if held else set())
        )
        per_form = 4 * self._n_labels * max(1, len(self._words.offsets)) + 8 * (1 + len(self.reader.lexicon.attributes))
        self.reader.lexicon.limit = min(self.reader.lexicon.limit, max(1, MOST_WORD_BYTES // per_form))
        self._places = Window(places, columns, table, rows)
        self._place_table: np.ndarray | None = None
        self._crossing_templates = crossing
        self._shared = SharedLookup(Lookup(compile_program(crossing, columns), table, rows), crossing, self._n_labels)
        self._pairs = Lookup(compile_program(observed, columns), key_table(weights.pair_keys), weights.pair_rows())
        self._crossing = sorted({o.attr for t in (*crossing, *observed, *places) for o in t.observations})

    def __reduce__(self) -> tuple:
        """Pickle without tables: copies and other processes build their own."""
        return Predictor, self._made_of

    @property
    def weights(self) -> ChainWeights:
        """What it predicts with."""
        return self._made_of[0]

    @property
    def constraints(self) -> Constraints:
        """What it allows."""
        return self._constraints

    def _word_scores(self) -> WindowScores:
        """Scores of all word forms seen so far; only new ones are computed, and all anew where the vocabulary has been given other vectors.

        Raises ValueError (M482) where these have another width.
        """
        lexicon, vectors = self.reader.lexicon, self.vocab.vectors if self._vectors else None
        if vectors is not self._scored_with:
            word_vectors(self.vocab, _NO_FORMS, len(self._vectors[0].weights))
        if self._generation != lexicon.generation or vectors is not self._scored_with:
            self._generation, self._scored, self._scored_with = lexicon.generation, 0, vectors
            self._word_table = np.zeros((lexicon.orths.size, len(self._words.offsets), self._n_labels), np.float32)
        if lexicon.size > len(self._word_table):
            grown = np.zeros((lexicon.orths.size, *self._word_table.shape[1:]), np.float32)
            grown[: self._scored] = self._word_table[: self._scored]
            self._word_table = grown
        if lexicon.size > self._scored:
            new = slice(self._scored, lexicon.size)
            self._word_table[new] = self._score_forms(lexicon.orths[new], lexicon.values[new])
            self._scored = lexicon.size
        return self._words.table(self._word_table)

    def _columns_of(self, orths: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The columns of word forms by themselves, uint64[A, n]. orths: uint64[n]; values: uint64[n, K], of the lexicon."""
        columns = np.zeros((len(self.reader.columns), orths.size), np.uint64)
        columns[0] = orths
        columns[self.reader.n_given : self.reader.n_given + values.shape[1]] = values.T
        return columns

    def _score_forms(self, orths: np.ndarray, values: np.ndarray) -> np.ndarray:
        scores = self._words.score(self._columns_of(orths, values))
        if self._vectors:
            vectors = word_vectors(self.vocab, orths, len(self._vectors[0].weights))
            for block in self._vectors:
                scores[:, self._words.offsets.index(block.offset)] += block.scores(vectors)
        rows = self._constraints.form_rows(orths)
        if self._held and (rows >= 0).any():
            scores[rows >= 0, self._words.offsets.index(0)] += self._constraints.form_penalties(rows[rows >= 0])
        if self._applicable is not None:
            allowed = self._applicable.table([self.vocab.strings[orth] for orth in orths.tolist()])
            # or a word that no script applies to would leave its sentence without any analysis
            allowed[~allowed.any(axis=1), 0] = True
            scores[:, self._words.offsets.index(0)] += np.where(allowed, np.float32(0), FORBIDDEN)
        return scores

    def _place_scores(self) -> WindowScores:
        """Scores of every possible combination of a character's context attributes."""
        if self._place_table is None:
            self._place_table = self._places.score(all_places(self.reader.columns))
        return self._places.table(self._place_table)

    def scores(
        self, given: np.ndarray, starts: np.ndarray, doc_starts: np.ndarray, tensor: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Node scores float32[N, L] and observed pair scores float32[N, L, L] (or [0, L, L]), before transitions and constraints.

        given: the result of ``reader.read_given``. starts, doc_starts: int64, borders of sentences and of documents. tensor: float32[N, D], the rows
        of ``doc.tensor`` if a template reads them.
        """
        n, n_labels = given.shape[1], self._n_labels
        with self._lock:  # these tables grow with new forms; what they have now stays as it is
            ids = self.reader.lexicon.ids(given[0])
            words, values = self._word_scores(), self.reader.lexicon.values
            places = self._place_scores() if self._places.offsets else None
        nodes = np.zeros((n, n_labels), np.float32)
        add_window(ids, starts, words, nodes)
        for block in self._tensors:
            assert tensor is not None
            add_around(block.scores(tensor), starts, block.offset, nodes)
        n_pairs = n if self._pairs.program.seed.size else 0
        pairs = np.zeros((n_pairs, n_labels * n_labels), np.float32)
        if self._crossing:
            columns = self.reader.expand(given, starts, doc_starts, (ids, values), self._crossing)
            if places is not None:
                add_window(place_numbers(columns, self.reader.columns), starts, places, nodes)
            self._shared.add(columns, starts, nodes)
            if n_pairs:
                add_looked_up(columns, starts, self._pairs, np.arange(self._pairs.program.seed.size), pairs)
        return nodes, pairs.reshape(n_pairs, n_labels, n_labels)

    def part_scores(
        self,
        given: np.ndarray,
        starts: np.ndarray,
        doc_starts: np.ndarray,
        forbidden: tuple[np.ndarray, np.ndarray] | None = None,
        tensor: np.ndarray | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """All that decoding adds up, transitions and constraints too: nodes float32[N, L]; pairs float32[N, L, L], or [1, L, L] for all positions.

        Arguments as in :meth:`label`.
        """
        nodes, pairs = self.scores(given, starts, doc_starts, tensor)
        if forbidden is not None:
            forbid(nodes, *forbidden)
        full = np.flatnonzero(np.diff(starts))
        nodes[starts[full]] += self._chain.start
        nodes[starts[full + 1] - 1] += self._chain.end
        step = (self._chain.step + self._chain.mask).astype(np.float32)
        return nodes, pairs + step if pairs.shape[0] else step[None]

    def _warn_of_missing(self, given: np.ndarray) -> None:
        """Warn once (M430) if the docs lack an attribute that the templates were trained on, since predictions would silently get worse."""
        for attr in () if self._warned else annotated_names(self.reader.unset(given)):
            self._warned = True
            warnings.warn(Warnings.M430.format(attr=attr), stacklevel=2)

    def read(self, docs: Sequence[Doc], whole: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The first arguments of :meth:`label`: what is read of the docs, and borders of sentences, or of docs where each is a ``whole``."""
        given = self.reader.read_given(docs)
        doc_starts = np.concatenate([[0], np.cumsum([len(doc) for doc in docs])]).astype(np.int64)
        return given, np.unique(doc_starts) if whole else borders(docs), doc_starts

    def tensor_of(self, docs: Sequence[Doc]) -> np.ndarray | None:
        """The rows of ``doc.tensor``, float32[N, D]; None if no template reads them."""
        return tensor_rows(docs, len(self._tensors[0].weights)) if self._tensors else None

    def __call__(self, docs: Sequence[Doc], whole: bool = False, held: Held | None = None) -> np.ndarray:
        """The best labels int32[N] of all tokens of the docs, decoded sentence by sentence, or each doc as a ``whole``.

        held: labels that some tokens are held to.
        """
        tensor, (given, starts, doc_starts) = self.tensor_of(docs), self.read(docs, whole)
        self._warn_of_missing(given)
        return self.label(given, starts, doc_starts, held=held, tensor=tensor)

    def biased(
        self, docs: Sequence[Doc], biases: Sequence[np.ndarray], held: Held | None = None, whole: bool = False
    ) -> list[np.ndarray]:
        """The best labels int32[N] under each bias: float32[L], added to the score of each label at every token. Scores are computed once.

        Other arguments as in :meth:`__call__`.
        """
        tensor, (given, starts, doc_starts) = self.tensor_of(docs), self.read(docs, whole)
        self._warn_of_missing(given)
        nodes, pairs = self.scores(given, starts, doc_starts, tensor)
        return [self._decoded(starts, nodes + bias, pairs.copy(), None, held) for bias in biases]

    def label(
        self,
        given: np.ndarray,
        starts: np.ndarray,
        doc_starts: np.ndarray,
        forbidden: tuple[np.ndarray, np.ndarray] | None = None,
        held: Held | None = None,
        tensor: np.ndarray | None = None,
    ) -> np.ndarray:
        """The best labels int32[N]. forbidden: positions bool[N] that may not have the labels bool[L]. Other arguments as in :meth:`scores`."""
        nodes, pairs = self.scores(given, starts, doc_starts, tensor)
        return self._decoded(starts, nodes, pairs, forbidden, held)

    def considered(
        self, docs: Sequence[Doc], whole: bool = False, held: Held | None = None, bias: np.ndarray | None = None
    ) -> Considered:
        """What is predicted for the tokens of docs, and the scores of all that it was chosen from. Arguments as of :func:`.predict_labels`.

        The scores are without the bias, which says what is to be found and not how probable it is.
        """
        tensor, (given, starts, doc_starts) = self.tensor_of(docs), self.read(docs, whole)
        self._warn_of_missing(given)
        nodes, pairs = self.scores(given, starts, doc_starts, tensor)
        return self.considering(starts, doc_starts, nodes, pairs, None, held, bias)

    def considering(
        self, starts: np.ndarray, doc_starts: np.ndarray, nodes: np.ndarray, pairs: np.ndarray,
        forbidden: tuple[np.ndarray, np.ndarray] | None = None, held: Held | None = None, bias: np.ndarray | None = None,
    ) -> Considered:  # fmt: skip
        """The same from scores, which are written over."""
        biased = nodes if bias is None else nodes + bias
        labels = self._decoded(starts, biased, pairs if bias is None else pairs.copy(), forbidden, held)
        if bias is not None:
            self._decoded(starts, nodes, pairs, forbidden, held)  # which adds what decoding adds
        step = np.ascontiguousarray((self._chain.step + self._chain.mask)[None], np.float32)
        return Considered(starts, doc_starts, nodes, pairs if len(pairs) else step, labels)

    def _decoded(
        self, starts: np.ndarray, nodes: np.ndarray, pairs: np.ndarray,
        forbidden: tuple[np.ndarray, np.ndarray] | None, held: Held | None,
    ) -> np.ndarray:  # fmt: skip
        """The best labels int32[N] under these scores, which are written over."""
        if forbidden is not None:
            forbid(nodes, *forbidden)
        if held is not None:
            hold(nodes, held)
        if self._one_by_one:
            return nodes.argmax(axis=1).astype(np.int32)
        labels = np.zeros(len(nodes), np.int32)
        if self._many is not None:
            decode_many(starts, nodes, self._chain, *self._many, labels)
        else:
            decode_all(starts, nodes, pairs if pairs.shape[0] else None, self._chain, labels)
        return labels
