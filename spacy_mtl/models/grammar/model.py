"""A trained grammar: weights of features, and the constituents of sentences under them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spacy_mtl.constituents.binarize import Symbols, constituents_from
from spacy_mtl.constituents.tree import Constituent
from spacy_mtl.kernels import kernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Live, Weights
from spacy_mtl.structures.grammar.build import GrammarFeatures, grammar_layout
from spacy_mtl.structures.grammar.derivations import best_root, find_best, trace_back
from spacy_mtl.structures.grammar.forest import Forest, join_forests

from .features import Features, Words, places_of, pruned_forest
from .treebank import TreebankGrammar


@kernel
def predict_outputs(arrays, weights, live):
    """The best derivation of every sentence, int32[N]."""
    work = contract.new_work(arrays)
    outputs = np.zeros(contract.n_slots(arrays), np.int32)
    for i in range(contract.n_sentences(arrays)):
        contract.score_parts(arrays, weights, live, i, work)
        contract.decode(arrays, i, work, False)
        contract.store_output(arrays, i, work, outputs)
    return outputs


def symbols_of(forest: Forest, output: np.ndarray, names: Sequence[str]) -> Symbols:
    """The binarized tree of an output (int32[n]) of a forest of one sentence."""
    items = [output[0], *forest.left[output[1:]], *forest.right[output[1:]]]
    return {(int(forest.start[a]), int(forest.end[a])): names[forest.symbol[a]] for a in items}


@dataclass(frozen=True)
class GrammarModel:
    """weights: of features. live: templates with weights. margin: of the pruning, see :func:`.pruned_forest`. longest: sentences of more words get
    no constituents, since pruning takes time in proportion to the third power of their number."""

    grammar: TreebankGrammar
    features: Features
    weights: Weights
    live: Live
    margin: float
    longest: int = 150

    def predict(self, words: Words) -> list[list[Constituent]]:
        """The constituents of every sentence, each before those inside it; none where it is too long, or the grammar has no tree."""
        lengths = np.diff(words.starts).tolist()
        forests = {
            i: pruned_forest(self.grammar, words.tags_of(i), self.margin)
            for i, n in enumerate(lengths)
            if n <= self.longest
        }
        parsed = [i for i, forest in forests.items() if forest.symbol.size]
        found: list[list[Constituent]] = [[] for _ in lengths]
        if parsed:
            for i, symbols in zip(parsed, self._decode(words, forests, parsed), strict=True):
                found[i] = constituents_from(symbols)
        return found

    def _decode(self, words: Words, forests: Mapping[int, Forest], parsed: Sequence[int]) -> list[Symbols]:
        """The best trees of the sentences that have one."""
        forest = join_forests(forests[i] for i in parsed)
        spans, splits = places_of(forest)
        for places in (spans, splits):
            places[:, 0] = np.array(parsed)[places[:, 0]]
        rows = GrammarFeatures(*self.features.rows(words, spans, splits))
        layout = grammar_layout(forest, rows, len(self.grammar.symbols), self.grammar.rule_scores.size)
        outputs = np.split(predict_outputs(layout, self.weights, self.live), forest.first[1:-1])
        return [symbols_of(forests[i], output, self.grammar.symbols) for i, output in zip(parsed, outputs, strict=True)]


def most_probable(grammar: TreebankGrammar, tags: Sequence[str]) -> list[Constituent]:
    """The constituents of the most probable tree of a sentence with these tags under the grammar alone; none without any tree."""
    forest = pruned_forest(grammar, tags, 0.0)
    if not forest.symbol.size:
        return []
    words = forest.end - forest.start == 1
    of_words = grammar.scores_of(tags)[forest.start, forest.symbol]
    items = np.where(words, of_words, 0.0) + np.where(forest.root, grammar.root_scores[forest.symbol], 0.0)
    best, back = np.empty(items.size), np.empty(items.size, np.int32)
    find_best(items, grammar.rule_scores[forest.rule], forest.first_edge, forest.left, forest.right, best, back)
    output = np.empty(len(tags), np.int32)
    trace_back(best_root(forest.root, best), back, forest.left, forest.right, output)
    return constituents_from(symbols_of(forest, output, grammar.symbols))
