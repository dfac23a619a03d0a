"""Kernels of Algorithm 1. A cut is one output per sentence, stored as integers, never as a feature vector."""

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import (
    add_output,
    decode,
    dot_output,
    gold_score,
    hold_weights,
    load_output,
    n_sentences,
    n_slots,
    new_work,
    output_loss,
    score_parts,
    store_output,
)


@kernel
def most_violated(arrays, weights, live, work, hinges, losses):
    """The most violated output of every sentence under ``weights``, int32[n_slots]; write the hinges and the losses of these outputs, float64[n].

    work: a buffer of the structure; scores have its precision.
    """
    outputs = np.full(n_slots(arrays), -1, np.int32)
    hold_weights(arrays, weights, live, work)
    for i in range(n_sentences(arrays)):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        hinges[i] = max(0.0, decode(arrays, i, work, True) - gold)
        losses[i] = output_loss(arrays, i, work)
        store_output(arrays, i, work, outputs)
    return outputs


@kernel
def add_cut(arrays, vector, outputs, amount):
    """Add amount * sum_i (Phi(gold_i) - Phi(outputs_i)) to vector."""
    work = new_work(arrays)
    for i in range(n_sentences(arrays)):
        load_output(arrays, i, outputs, work)
        add_output(arrays, vector, i, work, amount)


@kernel
def dot_cut(arrays, vector, outputs, node_dots, pair_dots):
    """Set dots[j] to <sum_i (Phi_j(gold_i) - Phi_j(outputs_i)), vector_j>, float64[T] for node and float64[Tp] for pair templates."""
    node_dots[:] = 0
    pair_dots[:] = 0
    work = new_work(arrays)
    for i in range(n_sentences(arrays)):
        load_output(arrays, i, outputs, work)
        dot_output(arrays, vector, i, work, node_dots, pair_dots)
