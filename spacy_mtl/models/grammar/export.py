"""Reduce the weights of a training over a grammar to the weights that a model keeps."""

import numpy as np

from spacy_mtl.models.chain.export import ROW_BYTES
from spacy_mtl.models.chain.weights import by_key, quantize
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.models.store import compressed
from spacy_mtl.models.tree.export import Side, fitting

from .treebank import TreebankGrammar
from .weights import GrammarWeights, stored_scores


def export_grammar(
    node: Side, pair: Side, grammar: TreebankGrammar, megabytes: float | None, few: FewLeft | None = None
) -> GrammarWeights:
    """Make the weights for prediction.

    node, pair: weights of spans, one column per symbol, and of splits, one per rule. megabytes: size limit of the saved file without its header; the
    strongest rows that fit are kept, None keeps all. few: of the training, which is warned once (M433) if almost none fit.
    """
    rules = grammar.grammar
    tables = {
        "rules": np.stack([rules.left, rules.right, rules.parent], axis=1),
        "rule_scores": stored_scores(grammar.rule_scores),
        "word_scores": stored_scores(grammar.word_scores),
        "root_scores": stored_scores(grammar.root_scores),
    }
    taken = 0 if megabytes is None else sum(len(compressed(*each)[1]) for each in tables.items())
    sides = (node, pair)
    kept = fitting(sides, [ROW_BYTES + side.matrix.shape[1] for side in sides], taken, megabytes, few)
    report = [line for side, rows in zip(sides, kept, strict=True) for line in side.report(rows)]
    arrays = [
        array
        for side, rows in zip(sides, kept, strict=True)
        for array in by_key(side.keys[rows], *quantize(side.matrix[rows]))
    ]
    return GrammarWeights(grammar.symbols, tuple(report), *arrays, **tables)  # type: ignore[misc]
