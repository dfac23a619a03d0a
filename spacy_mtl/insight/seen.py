"""The features of a corpus that have weights in a trained component, by name. Each is named where it first occurs."""

from collections.abc import Iterator, Sequence

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch

from spacy_mtl.components.confidence.untold import untold
from spacy_mtl.components.constituents import MTLConstituents
from spacy_mtl.components.parser import MTLParser
from spacy_mtl.components.protocol.annotated import docs_before
from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.components.protocol.chain import ChainPipe
from spacy_mtl.explaining.chain import ChainFeatures
from spacy_mtl.explaining.grammar import Sentence as Bracketed
from spacy_mtl.explaining.tree import Sentence as Parsed
from spacy_mtl.explaining.tree import Tree, TreeFeatures
from spacy_mtl.sentences import borders

from .names import NODE, PAIR, FeatureNames

#: Documents that are read together.
BATCH = 200


def name_features(nlp: Language, component: str, examples: Sequence[Example]) -> FeatureNames:
    """The names of a component's features that occur in a corpus.

    Documents are those that the component gets: with what is given, and what components before it set. Of a parser, features of gold trees are
    named, of constituents those of all trees that the grammar allows for the words. The component must be trained.
    """
    pipe = nlp.get_pipe(component)
    assert isinstance(pipe, StructuredPipe)
    weights = pipe.explained_weights()
    names = FeatureNames(component, {NODE: {}, PAIR: {}})
    keys = {NODE: weights.keys, PAIR: weights.pair_keys}
    known = {side: np.zeros(k.size, bool) for side, k in keys.items()}
    with untold(nlp):
        for matrix, row, template, feature in _seen(nlp, pipe, examples, known):
            names.names[matrix][int(keys[matrix][row])] = f"{template}:{feature}"
    return names


Named = tuple[str, int, str, str]


def _seen(
    nlp: Language, pipe: StructuredPipe, examples: Sequence[Example], known: dict[str, np.ndarray]
) -> Iterator[Named]:
    """Matrix, row, template and feature of each feature that is not yet ``known`` (bool[R] of each matrix), which takes note of it."""
    for batch in minibatch(examples, BATCH):
        docs = docs_before(nlp, pipe.name, [example.predicted for example in batch])
        if isinstance(pipe, ChainPipe):
            found = _of_chain(pipe, [doc for doc in docs if len(doc)], known)
        elif isinstance(pipe, MTLParser):
            found = _of_trees(pipe, docs, batch)
        else:
            assert isinstance(pipe, MTLConstituents)
            found = _of_constituents(pipe, docs)
        for matrix, row, template, feature in found:
            if not known[matrix][row]:
                known[matrix][row] = True
                yield matrix, row, template, feature


def _of_chain(pipe: ChainPipe, docs: Sequence[Doc], known: dict[str, np.ndarray]) -> Iterator[Named]:
    if not docs:
        return
    features = ChainFeatures(pipe.predictor(docs[0].vocab), pipe.positions(docs))
    for matrix, templates, table in (
        (NODE, features.templates, features.rows),
        (PAIR, features.observed, features.pair_rows),
    ):
        for j, template in enumerate(templates):
            rows, first = np.unique(table[:, j], return_index=True)
            for row, at in zip(rows.tolist(), first.tolist(), strict=True):
                if row >= 0 and not known[matrix][row]:
                    yield matrix, row, template.name, features.name(template, at)


def _of_trees(pipe: MTLParser, docs: Sequence[Doc], examples: Sequence[Example]) -> Iterator[Named]:
    predictor, n_labels = pipe.predictor(pipe.vocab), max(len(pipe.model_labels), 1)
    for doc, example in zip(docs, examples, strict=True):
        starts = borders([doc])
        gold = pipe.gold_labels(Example(doc, example.reference), starts)
        columns = predictor.reader.read([doc], starts)
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if end > start and (gold[start:end] >= 0).all():
                heads = (gold[start:end] // n_labels).astype(np.int32)
                sentence = Parsed(predictor, doc, columns, start, end)
                yield from TreeFeatures(sentence).named(Tree(heads, np.zeros_like(heads), 0.0), (NODE, PAIR))


def _of_constituents(pipe: MTLConstituents, docs: Sequence[Doc]) -> Iterator[Named]:
    for doc in docs:
        starts = borders([doc])
        if not len(doc):
            continue
        predictor = pipe.predictor(doc)
        columns = predictor.reader.read([doc], starts)
        for start, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
            if 0 < end - start <= predictor.longest(pipe.max_words):
                yield from Bracketed(predictor, doc, columns, start, end).named((NODE, PAIR))
