"""Precision against recall: entities of a trained model under several biases, without training anew."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.models.chain.model import current_weights, predictor_of
from spacy_mtl.sentences import borders

from ..entity_tags import BEGIN, INSIDE, decode_tags
from .pipe import TRIED, BiasCounts


def tag_bias(labels: Sequence[str], bias: float) -> np.ndarray:
    """The bias of each tag, float32[L]: none for O."""
    return np.array([0.0 if label == "O" else bias for label in labels], np.float32)


def entity_counts(ner: Any, examples: Sequence[Example]) -> BiasCounts:
    """Count entities on these examples under many biases. ner: the component.

    Raises ValueError: M402 without examples, M404 if the component is not trained.
    """
    if not current_weights(ner.model).is_trained:
        raise ValueError(Errors.M404.format(name=ner.name))
    examples = [example for example in examples if len(example.predicted)]
    if not examples:
        raise ValueError(Errors.M402.format(name=ner.name))
    biases = [ner.biases_of_labels(bias) for bias in TRIED]
    counts = []
    for example in examples:
        doc = example.predicted.copy()
        starts = borders([doc])
        tags = ner.gold_labels(example, starts)
        gold = _spans(np.maximum(tags, 0), starts, ner.cfg["scheme"])
        unknown = np.concatenate([[0], np.cumsum(tags < 0)])
        pairs = []
        for output in predictor_of(ner.model, doc.vocab).biased([doc], biases, ner.held([doc])):
            spans = {span for span in _spans(output, starts, ner.cfg["scheme"]) if unknown[span[0]] == unknown[span[1]]}
            pairs.append((len(spans & gold), len(spans)))
        counts.append((len(gold), pairs))
    return BiasCounts.of(counts)


def _spans(tags: np.ndarray, starts: np.ndarray, scheme: str) -> set[tuple[int, int, int]]:
    """The entities of tags int32[n]: first token, end, number of the type."""
    n_types = int(tags.max(initial=0)) + 1
    iob, kinds = decode_tags(tags, starts, range(1, n_types + 1), scheme)
    found: set[tuple[int, int, int]] = set()
    for begin in np.flatnonzero(iob == BEGIN).tolist():
        end = begin + 1
        while end < iob.size and iob[end] == INSIDE:
            end += 1
        found.add((begin, end, int(kinds[begin])))
    return found
