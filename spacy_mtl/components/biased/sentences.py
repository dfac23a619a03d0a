"""Sentences of a trained senter under several biases: the bias is on the tokens that begin one."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.models.chain.model import current_weights, predictor_of

from .pipe import TRIED, BiasCounts


def sentence_counts(senter: Any, examples: Sequence[Example]) -> BiasCounts:
    """Count sentences on these examples under many biases. senter: the component.

    A sentence is right if both of its borders are. Raises ValueError: M402 without a token, M404 if the component is not trained.
    """
    if not current_weights(senter.model).is_trained:
        raise ValueError(Errors.M404.format(name=senter.name))
    examples = [example for example in examples if len(example.predicted)]
    if not examples:
        raise ValueError(Errors.M402.format(name=senter.name))
    biases = [senter.biases_of_labels(bias) for bias in TRIED]
    counts = []
    for example in examples:
        doc = example.predicted.copy()
        marks = senter.gold_labels(example, np.array([0, len(doc)]))
        gold = _sentences(marks, marks)
        outputs = predictor_of(senter.model, doc.vocab).biased([doc], biases, senter.held([doc]), senter.whole)
        sentences = [_sentences(labels, marks) for labels in outputs]
        counts.append((len(gold), [(len(found & gold), len(found)) for found in sentences]))
    return BiasCounts.of(counts)


def _sentences(labels: np.ndarray, marks: np.ndarray) -> set[tuple[int, int]]:
    """First token and end of each sentence, of labels int32[n], where the gold marks int32[n] say of all of its tokens whether one begins there."""
    begins = np.append(np.flatnonzero(labels == 1), len(labels)).tolist()
    unknown = np.concatenate([[0], np.cumsum(marks < 0)])
    return {(begin, end) for begin, end in pairwise(begins) if unknown[begin] == unknown[end]}
