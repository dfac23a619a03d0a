"""Chains without transitions, of whose words each may have some labels only, such as edit scripts: no others are looked at.

Lemmatizers have about a thousand scripts, of which a handful applies to a form. Without scores of transitions the words of a sentence are decoded one
by one.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures.problem import block_starts

from .viterbi import FORBIDDEN, add_rows


class Candidates(NamedTuple):
    """The labels that each of K forms may have: ``labels[first[k]:first[k + 1]]``, ascending. first: int64[K + 1]. labels: int32."""

    first: np.ndarray
    labels: np.ndarray


def candidates_of(allowed: np.ndarray) -> Candidates:
    """Candidates of a table bool[K, L]."""
    return Candidates(block_starts(allowed.sum(axis=1)), np.nonzero(allowed)[1].astype(np.int32))


@subkernel
def labels_of(candidates, form):
    return candidates.labels[candidates.first[form] : candidates.first[form + 1]]


@subkernel
def score_candidates(rows, forms, matrix, live, candidates, out):
    """As :func:`.add_rows`, and other labels are FORBIDDEN. forms: int32[n], -1 for words that may have any label."""
    for t in range(rows.shape[0]):
        if forms[t] < 0:
            add_rows(rows[t : t + 1], matrix, live, out[t : t + 1])
            continue
        labels = labels_of(candidates, forms[t])
        for y in range(out.shape[1]):
            out[t, y] = FORBIDDEN
        for y in labels:
            out[t, y] = 0
        for k in range(live.size):
            row = rows[t, live[k]]
            if row >= 0:
                for y in labels:
                    out[t, y] += matrix[row, y]


@subkernel
def add_candidate_costs(cost, gold, forms, candidates, out):
    """Add cost[gold[t], y] to out[t, y]. cost: float32[L, L]; gold: int32[n], all of them known; out: float32[n, L]."""
    for t in range(gold.size):
        if forms[t] < 0:
            for y in range(out.shape[1]):
                out[t, y] += cost[gold[t], y]
        else:
            for y in labels_of(candidates, forms[t]):
                out[t, y] += cost[gold[t], y]


@subkernel
def decode_candidates(nodes, forms, candidates, out):
    """Write the best label of each word, of equal ones the lowest, to ``out``, int32[n]; return the sum of their scores. nodes: float32[n, L]."""
    total = 0.0
    for t in range(forms.size):
        form, best = forms[t], 0
        if form < 0:
            for y in range(nodes.shape[1]):
                best = y if nodes[t, y] > nodes[t, best] else best
        else:
            labels = labels_of(candidates, form)
            best = labels[0] if labels.size else 0
            for y in labels:
                best = y if nodes[t, y] > nodes[t, best] else best
        out[t] = best
        total += nodes[t, best]
    return total


@subkernel
def add_scaled(rows, live, scale, change, amount, matrix):
    """Add amount * scale[j] * change to matrix[rows[j]] for each live template j of one token."""
    for k in range(live.size):
        row = rows[live[k]]
        if row >= 0:
            factor = matrix.dtype.type(amount * scale[live[k]])
            for y in range(change.size):
                matrix[row, y] += factor * change[y]


@subkernel
def add_scaled_at(places, rows, live, scale, change, amount, matrix):
    """:func:`add_scaled` where only the entries ``places`` (int[k]) of ``change`` can be other than 0."""
    for k in range(live.size):
        row = rows[live[k]]
        if row >= 0:
            factor = matrix.dtype.type(amount * scale[live[k]])
            for z in places:
                matrix[row, z] += factor * change[z]


@subkernel
def is_within(change, labels):
    """Whether no other labels change. They may where the labels of a form have become fewer since outputs were stored."""
    changed, within = 0, 0
    for y in range(change.size):
        changed += change[y] != 0
    for y in labels:
        within += change[y] != 0
    return changed == within


@subkernel
def add_scaled_node(rows, form, live, scale, change, amount, matrix, candidates):
    """:func:`add_scaled` for a word of a form. candidates: None where all labels are looked at."""
    if candidates is None:
        add_scaled(rows, live, scale, change, amount, matrix)
        return
    if form >= 0 and is_within(change, labels_of(candidates, form)):
        add_scaled_at(labels_of(candidates, form), rows, live, scale, change, amount, matrix)
    else:
        add_scaled(rows, live, scale, change, amount, matrix)
