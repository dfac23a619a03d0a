"""GrammarLearner: trains a component that finds constituents, from gathered documents to a grammar, its problem, and the weights of the model."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.strings import StringStore

from spacy_mtl.constituents.tree import Constituent, Tree, tree_from
from spacy_mtl.errors import Errors
from spacy_mtl.models.grammar.export import export_grammar
from spacy_mtl.models.grammar.features import Words
from spacy_mtl.models.grammar.treebank import TreebankGrammar
from spacy_mtl.models.grammar.weights import GrammarWeights
from spacy_mtl.models.tree.export import Side
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.grammar.forest import Forest
from spacy_mtl.structures.problem import Problem, block_starts
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import TemplateSet
from spacy_mtl.trainers.base import Kept, Trainer

from .gather import Piece, concatenate
from .grammar import GrammarCorpus, GrammarRules, learn_corpus
from .learner import Learner, Sentences, check_set, ranges, row_map


class Corpus(NamedTuple):
    """The S sentences with complete trees. of_document: int64[D + 1], the borders of the documents, counted in sentences. places: where they come
    from."""

    words: Words
    trees: list[Tree]
    of_document: np.ndarray
    places: Sentences


class GrammarLearner(Learner):
    """One training of a grammar. labels: of constituents. reader: must have TAG. longest: sentences of more words are left out.

    Raises ValueError: M111 a template whose attribute no document has, M462 no complete tree.
    """

    def __init__(
        self,
        name: str,
        trainer: Trainer,
        templates: TemplateSet,
        reader: AttributeReader,
        labels: Sequence[str],
        rules: GrammarRules,
        longest: int | None = None,
    ):
        self.name = name
        self.trainer = trainer
        self.templates = templates
        self.reader = reader
        self.labels = tuple(labels)
        self.rules = rules
        self.longest = longest

    @property
    def grammar(self) -> TreebankGrammar:
        """The grammar of the corpus, once training has begun."""
        return self._corpus.grammar

    def begin(self, pieces: Sequence[Piece]) -> None:
        self._read(pieces)
        self.training = self.trainer.begin(self._corpus.problem)

    def _read(self, pieces: Sequence[Piece]) -> None:
        corpus = self._sentences(pieces)
        self._corpus = learn_corpus(corpus.words, corpus.trees, self.templates, self.rules)
        self._borders, self._places = corpus.of_document, corpus.places
        self.documents = tuple(pieces)

    def step(self, documents: np.ndarray) -> None:
        assert self.training is not None
        self.training.step(ranges(self._borders[documents], self._borders[documents + 1]))

    def rebind(self, pieces: Sequence[Piece]) -> None:
        """As in the base class. The grammar is read again, and with it what it allows; sentences whose forests have changed count as new."""
        assert self.training is not None
        old, old_places = self._corpus, self._places
        self._read(pieces)
        new = self._corpus
        columns = Columns.of(old.grammar, new.grammar)
        rows = [
            row_map(a.keys, b.keys)
            for a, b in (
                (old.features.node_index, new.features.node_index),
                (old.features.pair_index, new.features.pair_index),
            )
        ]
        kept = common_forests(old, new, columns, old_places, self._places)
        if (
            np.array_equal(kept.sentences, np.arange(self.training.problem.n))
            and old.grammar.symbols == new.grammar.symbols
        ):
            self.training.rebind(new.problem, lambda w: columns.carry(new.problem, w, rows))
        else:
            self.training.extend(new.problem, lambda w: columns.carry(new.problem, w, rows), kept)

    def _sentences(self, pieces: Sequence[Piece]) -> Corpus:
        """The sentences with complete gold trees that are not too long."""
        given, starts, gold = concatenate(pieces)
        doc_starts = block_starts([piece.gold.size for piece in pieces])
        check_set(self.name, self.reader, given, self.templates.templates)
        columns = self.reader.expand(given, starts, doc_starts)
        sizes = np.diff(starts)
        whole = (gold[starts[:-1]] >= 0) & (sizes <= (self.longest or sizes.max(initial=0)))
        if not whole.any():
            raise ValueError(Errors.M462.format(name=self.name, sentences=sizes.size, longest=self.longest))
        documents = np.searchsorted(doc_starts, starts[:-1], side="right") - 1
        places = Sentences(documents[whole], (starts[:-1] - doc_starts[documents])[whole])
        kept = np.ascontiguousarray(columns[:, np.repeat(whole, sizes)])
        strings: StringStore = self.reader.lexicon.vocab.strings
        names = {0: "", **{tag: strings[tag] for tag in np.unique(kept[self.reader.columns["TAG"]]).tolist() if tag}}
        tags = [names[tag] for tag in kept[self.reader.columns["TAG"]].tolist()]
        words = Words(kept, self.reader.columns, block_starts(sizes[whole]), tags)
        counts = np.concatenate([[0], np.cumsum(whole)])
        of_document = counts[np.searchsorted(starts[:-1], doc_starts)].astype(np.int64)
        shifts = np.stack([doc_starts, doc_starts, np.zeros_like(doc_starts)], axis=1)
        spans = np.concatenate([piece.spans + shift for piece, shift in zip(pieces, shifts, strict=False)])
        return Corpus(words, self._trees(spans, words, starts[:-1][whole]), of_document, places)

    def _trees(self, spans: np.ndarray, words: Words, begins: np.ndarray) -> list[Tree]:
        """The trees of sentences. spans: of all documents, int64[K, 3], in the order of their first words. begins: first words of the sentences."""
        trees = []
        borders = np.searchsorted(spans[:, 0], [begins, begins + np.diff(words.starts)]).T.tolist()
        for i, (begin, (first, last)) in enumerate(zip(begins.tolist(), borders, strict=True)):
            lines = spans[first:last].tolist()
            found = [Constituent(self.labels[label], start - begin, end - begin) for start, end, label in lines]
            trees.append(tree_from([Tree(tag, (), "") for tag in words.tags_of(i)], found))
        return trees

    def export(self, megabytes: float | None) -> GrammarWeights:
        assert self.training is not None
        problem, features, weights = self._corpus.problem, self._corpus.features, self.training.weights
        norms, mu, n = problem.block_norms(weights), self.training.template_weights, problem.blocks.n_node
        node, pair = (
            Side(templates, matrix, mu[some], norms[some], index.keys, index.blocks)
            for templates, matrix, some, index in (
                (self.templates.node, weights.node, slice(0, n), features.node_index),
                (self.templates.edge, weights.pair, slice(n, None), features.pair_index),
            )
        )
        return export_grammar(node, pair, self._corpus.grammar, megabytes, self.few)


class Columns(NamedTuple):
    """What the symbols and rules of a grammar are in another one. symbols: int64[L] and rules: int64[R], their numbers there, -1 for none."""

    symbols: np.ndarray
    rules: np.ndarray

    @classmethod
    def of(cls, old: TreebankGrammar, new: TreebankGrammar) -> "Columns":
        number = new.number_of
        symbols = np.array([number.get(symbol, -1) for symbol in old.symbols], np.int64)
        places = {rule: r for r, rule in enumerate(_triples(new))}
        mapped = ((symbols[a], symbols[b], symbols[c]) for a, b, c in _triples(old))
        return cls(symbols, np.array([places.get(rule, -1) for rule in mapped], np.int64))

    def carry(self, problem: Problem, weights: Weights, rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> Weights:
        """Weights of the new problem, copied from those of the old one. rows: (old, new) row numbers of both matrices."""
        carried = problem.zeros()
        for matrix, before, (old, new), columns in zip(carried, weights, rows, self, strict=True):
            known = np.flatnonzero(columns >= 0)
            matrix[np.ix_(new, columns[known])] = before[np.ix_(old, known)]
        return carried


def _triples(grammar: TreebankGrammar) -> list[tuple[int, int, int]]:
    rules = grammar.grammar
    return list(zip(rules.parent.tolist(), rules.left.tolist(), rules.right.tolist(), strict=True))


def common_forests(
    old: GrammarCorpus, new: GrammarCorpus, columns: Columns, old_places: Sentences, new_places: Sentences
) -> Kept:
    """The sentences that both corpora have, with the same gold in the same forest: outputs are numbers of a forest's items and edges."""
    number = {place: i for i, place in enumerate(zip(*old_places, strict=True))}
    golds, n = (old.problem.arrays.gold, new.problem.arrays.gold), len(new_places.documents)
    sentences, slots = np.full(n, -1), np.full(golds[1].size, -1)
    for i, place in enumerate(zip(*new_places, strict=True)):
        k = number.get(place, -1)
        if k < 0 or not _same_forest(old.forest, k, new.forest, i, columns):
            continue
        before, after = (slice(f.first[j], f.first[j + 1]) for f, j in ((old.forest, k), (new.forest, i)))
        if np.array_equal(golds[0][before], golds[1][after]):
            sentences[i], slots[after] = k, np.arange(before.start, before.stop)
    owners, everything = np.repeat(np.arange(n), np.diff(new.forest.first)), np.ones(n, bool)
    return Kept(sentences, slots, owners, lambda _: everything, sentences >= 0)


def _same_forest(old: Forest, k: int, new: Forest, i: int, columns: Columns) -> bool:
    """Whether sentence k of a forest and sentence i of another have the same items and edges, with the same numbers."""
    parts = [_parts_of(*each) for each in ((old, k), (new, i))]
    parts[0][3], parts[0][4] = columns.symbols[parts[0][3]], columns.rules[parts[0][4]]
    return all(map(np.array_equal, *parts))


def _parts_of(forest: Forest, i: int) -> list[np.ndarray]:
    begin, end = forest.first_item[i], forest.first_item[i + 1]
    first = forest.first_edge[begin : end + 1]
    edges = slice(first[0], first[-1])
    return [
        forest.start[begin:end], forest.end[begin:end], first - first[0], forest.symbol[begin:end], forest.rule[edges],
        forest.left[edges], forest.right[edges], forest.middle[edges],
    ]  # fmt: skip
