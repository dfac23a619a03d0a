"""Words of a trained segmenter under several biases: the bias is on every tag that begins a word."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.segmentation.boundaries import begin_tags
from spacy_mtl.segmentation.characters import doc_text

from .pipe import TRIED, BiasCounts


def word_counts(segmenter: Any, examples: Sequence[Example]) -> BiasCounts:
    """Count words on these examples under many biases. segmenter: the component.

    Raises ValueError: M402 without a character, M404 if the component is not trained.
    """
    if not segmenter.is_trained:
        raise ValueError(Errors.M404.format(name=segmenter.name))
    counts = []
    begins, predictor = begin_tags(segmenter.cfg["tags"]), segmenter.predictor(segmenter.vocab)
    for example in examples:
        chars, outputs = predictor.biased_tags(doc_text(example.predicted), segmenter.cfg["keep_runs"], TRIED)
        if not chars.at.size:
            continue
        tags = segmenter.gold_labels(example, chars.starts)
        known = np.append(0, np.cumsum(tags >= 0))
        gold = _words(begins[tags] | (tags < 0), known)
        found = [_words(begins[output], known) for output in outputs]
        counts.append((len(gold), [(int(np.isin(words, gold).sum()), len(words)) for words in found]))
    if not any(n_gold for n_gold, _ in counts):
        raise ValueError(Errors.M402.format(name=segmenter.name))
    return BiasCounts.of(counts)


def _words(begins: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Words as single numbers of first and last character, int64[W], where all characters have a gold tag.

    begins: bool[n], where words begin. known: int64[n + 1], how many characters before have a gold tag.
    """
    borders = np.append(np.flatnonzero(begins), begins.size)
    first, end = borders[:-1], borders[1:]
    return (first * (begins.size + 1) + end)[known[end] - known[first] == end - first]
