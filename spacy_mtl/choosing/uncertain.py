"""How unsure a component is about each word of a document: what annotating it may teach.

Chains are asked for the marginal probabilities of their labels, where scores are taken as those of a conditional random field. Other components
are asked for their decisions: the score by which the best analysis beats the best one without a decision, taken as a logit. How large scores are
depends on the trainer: those of margins leave doubt everywhere, those of perceptrons nowhere. So they are divided by a temperature at which the
mean entropy is :data:`USUAL`; of a chain, that of a sample of the documents.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
from spacy.tokens import Doc

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.components.protocol.chain import ChainPipe
from spacy_mtl.components.segmenter import MTLSegmenter
from spacy_mtl.kernels import kernel
from spacy_mtl.structures.chain.sums.marginals import marginals

ENTROPY, MARGIN = "entropy", "margin"
#: Documents that are looked at together, and those at most that the temperature of chains is taken from.
BATCH = 200
#: The mean entropy of a place, in nats: about that of probabilities of which some 3 in 100 are wrong.
USUAL = 0.1
#: The temperature is looked for between 1 / MOST and MOST, and halved this number of times.
MOST, HALVINGS = 1e4, 24


class Unsure(NamedTuple):
    """Places of a document, words or characters: the hash of the form of each, uint64[k], and how unsure the component is there, float64[k]."""

    forms: np.ndarray
    values: np.ndarray


def uncertainty(
    pipe: StructuredPipe, docs: Sequence[Doc], by: str = ENTROPY, tell: Callable[[int], object] | None = None
) -> list[Unsure]:
    """How unsure a trained component is about documents with words, which have what it reads. tell: told of so many more that have been looked at.

    by: ENTROPY, of the labels' probabilities, in nats; or MARGIN, 1 minus the difference of the two largest probabilities. Raises ValueError (M475)
    while the component is untrained.
    """
    pipe.explained_weights()
    if not isinstance(pipe, ChainPipe) or pipe.predictor(docs[0].vocab).constraints.table.size:
        return _of_decisions(pipe, docs, by, tell)
    found: list[Unsure] = []
    # those with the lowest checksums: the same ones in whatever order the documents come
    sample = sorted(docs, key=lambda doc: crc32(doc.text.encode()))[:BATCH]
    scale = temperature(partial(_values, _read_chain(pipe, sample), margin=False))
    for begin in range(0, len(docs), BATCH):
        part = docs[begin : begin + BATCH]
        read = _read_chain(pipe, part)
        if tell is not None:
            tell(len(part))
        values = _values(read, scale, margin=by == MARGIN)
        found.extend(Unsure(read.forms[a:b], values[a:b]) for a, b in pairwise(read.doc_starts.tolist()))
    return found


def temperature(entropies: Callable[[float], np.ndarray]) -> float:
    """What scores are divided by so that the mean of the entropies, which grow with it, is USUAL. entropies: float64[N], at a temperature."""
    low, high = -np.log(MOST), np.log(MOST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        found = entropies(float(np.exp(middle)))
        low, high = (low, middle) if found.size and found.mean() > USUAL else (middle, high)
    return float(np.exp((low + high) / 2))


class _Chain(NamedTuple):
    """Part scores of documents, see :meth:`.Predictor.part_scores`, and the form at each position, uint64[N]."""

    forms: np.ndarray
    starts: np.ndarray
    doc_starts: np.ndarray
    nodes: np.ndarray
    pairs: np.ndarray


def _read_chain(pipe: ChainPipe, docs: Sequence[Doc]) -> _Chain:
    predictor = pipe.predictor(docs[0].vocab)
    if isinstance(pipe, MTLSegmenter):
        at = pipe.positions(docs)
        scores = predictor.part_scores(at.given, at.starts, at.doc_starts, at.forbidden)
        return _Chain(at.given[0], at.starts, at.doc_starts, *scores)
    given, starts, doc_starts = predictor.read(docs, pipe.whole)
    scores = predictor.part_scores(given, starts, doc_starts, tensor=predictor.tensor_of(docs))
    return _Chain(given[0], starts, doc_starts, *scores)


def _values(read: _Chain, scale: float, *, margin: bool) -> np.ndarray:
    values = np.zeros(len(read.nodes))
    fill_uncertainty(read.starts, read.nodes / np.float32(scale), read.pairs / np.float32(scale), margin, values)
    return values


def _of_decisions(
    pipe: StructuredPipe, docs: Sequence[Doc], by: str, tell: Callable[[int], object] | None
) -> list[Unsure]:
    told = []
    for doc in docs:
        told.append([each for each in pipe.explain(doc).decisions if each.runner_up is not None])
        if tell is not None:
            tell(1)
    every = np.array([each.difference for decisions in told for each in decisions])
    scale = temperature(lambda t: binary(every / t, False))
    found = []
    for doc, decisions in zip(docs, told, strict=True):
        values = binary(np.array([each.difference for each in decisions]) / scale, by == MARGIN)
        orths = doc.to_array("ORTH").reshape(-1)
        found.append(Unsure(orths[[each.start for each in decisions]], values))
    return found


def binary(logits: np.ndarray, margin: bool) -> np.ndarray:
    """The entropy of decisions, or 1 minus the margin between their two outcomes, float64[k]. logits: float64[k]."""
    other = 1 / (1 + np.exp(np.clip(logits, 0, 500)))
    return 2 * other if margin else -other * np.log(other) - (1 - other) * np.log1p(-other)


@kernel
def fill_uncertainty(starts, nodes, pairs, margin, out):
    """Fill out, float64[N], with the entropy of each position's labels, or with 1 minus the margin between the two most probable ones.

    starts: int64[S + 1], sentences. nodes: float32[N, L]; pairs: float32[N or 1, L, L], as of :meth:`.Predictor.part_scores`.
    """
    n_labels = nodes.shape[1]
    longest = 1
    for s in range(starts.size - 1):
        longest = max(longest, starts[s + 1] - starts[s])
    shared = pairs.shape[0] == 1
    k = 1 if shared else longest
    alpha, factors = np.empty((longest, n_labels)), np.empty((k, n_labels, n_labels))
    of_labels, of_pairs = np.empty((longest, n_labels)), np.empty((k, n_labels * n_labels))
    for s in range(starts.size - 1):
        a, b = starts[s], starts[s + 1]
        if a == b:
            continue
        n = b - a
        m = 1 if shared else n
        own = pairs if shared else pairs[a:b]
        marginals(nodes[a:b], own, alpha[:n], factors[:m], of_labels[:n], of_pairs[:m])
        for t in range(n):
            first, second, total = 0.0, 0.0, 0.0
            for y in range(n_labels):
                q = of_labels[t, y]
                if q > 0:
                    total -= q * np.log(q)
                if q > first:
                    first, second = q, first
                elif q > second:
                    second = q
            out[a + t] = 1 - (first - second) if margin else total
