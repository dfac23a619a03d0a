"""Jackknifing: a training corpus annotated by pipelines that have not seen it, each trained on the other folds.

A tagger's tags on its own training data are far better than those that a parser will meet. A parser that learns from jackknifed tags meets in
use what it has learnt from.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

Read = Callable[[Language], Sequence[Example]]


def jackknife(
    make: Callable[[], Language],
    read: Read,
    folds: int,
    passes: int,
    attrs: Sequence[int],
    hidden: Sequence[int],
    done: Callable[[], object] = int,
) -> Iterator[Doc]:
    """Yield the reference of each document, in order, with what a pipeline that has not seen it predicts.

    make: an untrained pipeline, whose config says which components annotate documents for others while they learn. read: the corpus for a
    pipeline. folds: of consecutive documents, at least 2, and no more than there are documents. passes: over the corpus, for each fold.
    attrs: the attributes to take over from the predictions, such as TAG. hidden: those that the held-out documents do not have, even if the corpus
    gives them in training, since components keep what is given. done: called after each of ``folds * (passes + 1)`` steps. Raises ValueError as the
    components do, such as M111, M402 and M403.
    """
    for fold in range(folds):
        nlp = make()
        examples = list(read(nlp))
        begin, end = fold * len(examples) // folds, (fold + 1) * len(examples) // folds
        known, held_out = examples[:begin] + examples[end:], examples[begin:end]
        annotating = nlp.config["training"].get("annotating_components", [])
        nlp.initialize(partial(list, known))
        for _ in range(passes):
            nlp.update(known, annotates=annotating)
            done()
        predicted = nlp.pipe([without(example.predicted, hidden) for example in held_out])
        for example, doc in zip(held_out, predicted, strict=True):
            yield with_columns(example.reference, doc, attrs)
        done()


def with_columns(reference: Doc, predicted: Doc, attrs: Sequence[int]) -> Doc:
    """A copy of a Doc with the attributes of another one of the same tokens."""
    doc = reference.copy()
    values = predicted.to_array(list(attrs)).reshape(len(predicted), len(attrs))
    for column, attr in enumerate(attrs):
        doc.from_array([attr], np.ascontiguousarray(values[:, column]))  # type: ignore[arg-type]
    return doc


def without(doc: Doc, attrs: Sequence[int]) -> Doc:
    """A copy of a Doc that does not have these attributes."""
    copy = doc.copy()
    for attr in attrs:
        copy.from_array([attr], np.zeros(len(copy), np.uint64))  # type: ignore[arg-type]
    return copy
