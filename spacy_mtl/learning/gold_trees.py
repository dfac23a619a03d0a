"""The gold trees of an Example, for the words and sentences of its predicted Doc."""

from collections.abc import Iterable, Mapping

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.roots import ROOT, crossing, doc_heads, sentence_of

#: Values in place of a head, for a root and for a word without gold.
ROOT_HEAD, UNKNOWN = -1, -2


def gold_trees(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """Heads int64[n] as positions in the predicted Doc, ROOT_HEAD or UNKNOWN; and label ids uint64[n]."""
    predicted, reference = example.predicted, example.reference
    if np.array_equal(predicted.to_array(["ORTH"]), reference.to_array(["ORTH"])):
        return _own_trees(reference)
    heads, labels = example.get_aligned_parse(projectivize=False)
    strings = reference.vocab.strings
    known = np.array([head is not None and label is not None for head, label in zip(heads, labels, strict=True)], bool)
    positions = np.array([UNKNOWN if head is None else head for head in heads], np.int64)
    # a root is its own head or labelled so, see spacy_mtl.roots
    roots = np.array([label == ROOT for label in labels], bool) | (positions == np.arange(positions.size))
    positions = np.where(known, np.where(roots, ROOT_HEAD, positions), UNKNOWN)
    return positions, np.array([strings[label] if label else 0 for label in labels], np.uint64)


def _own_trees(doc: Doc) -> tuple[np.ndarray, np.ndarray]:
    trees = doc_heads(doc)
    positions = trees.heads.astype(np.int64) - 1 + trees.starts[sentence_of(trees.starts, len(doc))]
    return np.where(trees.known, np.where(trees.heads == 0, ROOT_HEAD, positions), UNKNOWN), trees.labels


def encode(heads: np.ndarray, labels: np.ndarray, starts: np.ndarray, numbers: Mapping[int, int]) -> np.ndarray:
    """Encode gold arcs as numbers int32[n], head within the sentence (0 for roots) * L + label.

    A word gets -1 if its head is unknown or outside the sentence, or if its label is unknown. heads, labels: from :func:`gold_trees`. starts: borders
    of the predicted sentences, int64[S + 1]. numbers: label id -> number, for L labels; if empty, all labels are 0.
    """
    sentence = sentence_of(starts[:-1], heads.size)
    inside = (heads >= starts[sentence]) & (heads < starts[sentence + 1])
    is_root = heads == ROOT_HEAD
    within = np.where(is_root, 0, heads - starts[sentence] + 1)
    label = (
        np.array([numbers.get(int(name), -1) for name in labels], np.int64)
        if numbers
        else np.zeros(heads.size, np.int64)
    )
    label[is_root] = 0
    known = (inside | is_root) & (label >= 0)
    return np.where(known, within * max(len(numbers), 1) + label, -1).astype(np.int32)


def has_several_roots(doc: Doc) -> bool:
    """Whether any sentence has more than one root."""
    trees = doc_heads(doc)
    if not len(doc):
        return False
    roots = (trees.heads == 0) & trees.known
    return bool((np.add.reduceat(roots, trees.starts, dtype=np.int64) > 1).any())


def crossing_arcs(docs: Iterable[Doc]) -> tuple[int, int]:
    """Number of arcs that another arc of their sentence crosses, and of all arcs, in sentences with complete trees."""
    arcs = crossed = 0
    for doc in docs:
        trees = doc_heads(doc)
        for begin, end in trees.spans:
            if trees.known[begin:end].all():
                arcs += end - begin
                crossed += int(np.count_nonzero(crossing(trees.heads[begin:end])))
    return crossed, arcs
