"""Kernels of the n-slack cutting plane method: violated outputs sentence by sentence, and what they look like as sparse vectors."""

import numpy as np

from ...kernels import kernel
from ...structures.contract import (
    decode,
    direction_entries,
    gold_direction,
    gold_outputs,
    gold_score,
    load_output,
    n_sentences,
    n_slots,
    new_work,
    output_loss,
    same_output,
    score_parts,
    store_output,
    stored_score,
)

#: Without weights every output scores 0, but those that constraints forbid, far below this.
ALLOWED = -1e6


@kernel
def violated_outputs(arrays, weights, live):
    """The most violated output of every sentence: outputs int32[n_slots], and the hinges float64[n]."""
    work = new_work(arrays)
    outputs = np.full(n_slots(arrays), -1, np.int32)
    hinges = np.zeros(n_sentences(arrays))
    for i in range(hinges.size):
        score_parts(arrays, weights, live, i, work)
        gold = gold_score(arrays, i, work)
        hinges[i] = max(0.0, decode(arrays, i, work, True) - gold)
        store_output(arrays, i, work, outputs)
    return outputs, hinges


@kernel
def possible_cuts(arrays, weights, nothing, outputs):
    """bool[n]: whether the output of a sentence is allowed and not gold. nothing: Live of no template."""
    work = new_work(arrays)
    gold = gold_outputs(arrays)
    possible = np.zeros(n_sentences(arrays), np.bool_)
    for i in range(possible.size):
        score_parts(arrays, weights, nothing, i, work)
        load_output(arrays, i, outputs, work)
        possible[i] = stored_score(arrays, i, outputs, work) > ALLOWED and not same_output(arrays, i, work, gold)
    return possible


@kernel
def allowed_cut(arrays, weights, nothing, outputs):
    """A cut through all sentences with gold where the constraints forbid its output, and its loss. Others as in :func:`possible_cuts`."""
    work = new_work(arrays)
    gold = gold_outputs(arrays)
    possible = possible_cuts(arrays, weights, nothing, outputs)
    cut = outputs.copy()
    loss = 0.0
    for i in range(possible.size):
        if possible[i]:
            load_output(arrays, i, outputs, work)
        else:
            load_output(arrays, i, gold, work)
        loss += output_loss(arrays, i, work)
        store_output(arrays, i, work, cut)
    return cut, loss


@kernel
def cut_entries(arrays, i, outputs):
    """Phi(output) - Phi(gold) of sentence i as by :func:`direction_entries`, and the output's loss."""
    work = new_work(arrays)
    load_output(arrays, i, outputs, work)
    gold_direction(arrays, i, work)
    loss = output_loss(arrays, i, work)
    return direction_entries(arrays, i, work), loss


def sparse_cut(arrays, i: int, outputs: np.ndarray, n_node: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Keys int64[k], values float64[k] and loss of a cut; a key is a place in the node matrix, or ``n_node`` + a place in the pair matrix."""
    (node, node_values, pair, pair_values), loss = cut_entries(arrays, i, outputs)
    keys, where = np.unique(np.concatenate([node, n_node + pair]), return_inverse=True)
    values = np.bincount(where, np.concatenate([node_values, pair_values]), keys.size)
    kept = values != 0
    return keys[kept], values[kept], loss
