"""Kernels of the n-slack cutting plane method: violated outputs of each sentence, sums of their features, and their entries for a few weights."""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import (
    add_output,
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

#: With zero weights every allowed output scores 0, and forbidden ones score far below this.
ALLOWED = -1e6


@kernel
def violated_outputs(arrays, weights, live, work):
    """The most violated output of every sentence, as outputs int32[n_slots], and the hinges float64[n], in the precision of ``work``."""
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
    """Whether the output of each sentence is allowed and not gold, bool[n]. nothing: Live without templates."""
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
    """A cut through all sentences, with gold in place of outputs that the constraints forbid, and its loss. Arguments as in :func:`possible_cuts`."""
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
def forget_known(arrays, outputs, chosen, earlier, among):
    """Set chosen[i] to False for each sentence i with among[i] whose output is the same in ``outputs`` and ``earlier``. chosen, among: bool[n]."""
    work = new_work(arrays)
    for i in range(chosen.size):
        if chosen[i] and among[i]:
            load_output(arrays, i, outputs, work)
            chosen[i] = not same_output(arrays, i, work, earlier)


@kernel
def cut_losses(arrays, outputs, sentences):
    """Losses float64[k] of the outputs of these sentences (int64[k])."""
    work = new_work(arrays)
    losses = np.empty(sentences.size)
    for k in range(sentences.size):
        load_output(arrays, sentences[k], outputs, work)
        losses[k] = output_loss(arrays, sentences[k], work)
    return losses


@kernel
def add_cuts(arrays, vector, outputs, sentences, amounts):
    """Add sum_k amounts[k] (Phi(gold) - Phi(output)) over the sentences ``sentences[k]`` to vector. sentences: int64[k]; amounts: float[k]."""
    work = new_work(arrays)
    for k in range(sentences.size):
        if amounts[k] != 0:
            load_output(arrays, sentences[k], outputs, work)
            add_output(arrays, vector, sentences[k], work, amounts[k])


@kernel
def set_entries(weights, keys, values):
    """Set entries of a Weights. keys: int64[k], positions in the node matrix, or its size + positions in the pair matrix. values: float[k]."""
    node, pair = weights.node.reshape(-1), weights.pair.reshape(-1)
    for k in range(keys.size):
        if keys[k] < node.size:
            node[keys[k]] = values[k]
        else:
            pair[keys[k] - node.size] = values[k]


@kernel
def take_entries(weights, keys):
    """Return the entries ``keys`` (as in :func:`set_entries`), float64[k], and set them to 0."""
    node, pair = weights.node.reshape(-1), weights.pair.reshape(-1)
    values = np.empty(keys.size)
    for k in range(keys.size):
        values[k] = node[keys[k]] if keys[k] < node.size else pair[keys[k] - node.size]
    set_entries(weights, keys, np.zeros(keys.size))
    return values


@subkernel
def keep_largest(keys, sizes, most):
    """Move the ``most`` largest to the front; return the smallest of them."""
    order = np.argsort(-sizes)[:most]
    keys[:most], sizes[:most] = keys[order], sizes[order]
    return sizes[most - 1]


@kernel
def largest_entries(vector, bar, most):
    """Keys (as in :func:`set_entries`, unordered) of the entries with |V_k| > bar, at most the ``most`` largest, and max_k |V_k|."""
    keys, sizes = np.empty(2 * most, np.int64), np.empty(2 * most)
    count, first, largest = 0, 0, 0.0
    for matrix in vector:
        width = matrix.shape[1]
        for r in range(matrix.shape[0]):
            for y in range(width):
                size = abs(matrix[r, y])
                largest = max(largest, size)
                if size > bar:
                    keys[count], sizes[count] = first + r * width + y, size
                    count += 1
                    if count == keys.size:
                        bar, count = keep_largest(keys, sizes, most), most
        first += matrix.size
    if count > most:
        keep_largest(keys[:count], sizes[:count], most)
    return keys[: min(count, most)], largest


@subkernel
def mark_rows(keys, width, n_rows):
    """Which rows of a matrix of this width have any of the entries ``keys``, bool[n_rows]."""
    rows = np.zeros(n_rows, np.bool_)
    for key in keys:
        rows[key // width] = True
    return rows


@subkernel
def add_known(entries, values, width, rows, first, keys, sums):
    """Add values[e] to sums[at] if ``first + entries[e]`` is ``keys[at]`` (ascending). rows: from :func:`mark_rows`."""
    for e in range(entries.size):
        if rows[entries[e] // width]:
            at = np.searchsorted(keys, first + entries[e])
            if at < keys.size and keys[at] == first + entries[e]:
                sums[at] += values[e]


@subkernel
def with_room(array, size):
    """The array, or a larger copy of at least this size that begins with its contents."""
    if array.size >= size:
        return array
    larger = np.empty(2 * size, array.dtype)
    larger[: array.size] = array
    return larger


@kernel
def cut_columns(arrays, outputs, sentences, keys, shape, pair_shape):
    """Phi(output) - Phi(gold) of these sentences (int64[k]), only for the weights ``keys`` (int64[c], ascending, as in :func:`set_entries`).

    shape, pair_shape: of the two matrices. Returns starts int64[k + 1], positions in keys int32[entries], ascending within a sentence, and values
    float64[entries].
    """
    work, n_node, sums = new_work(arrays), shape[0] * shape[1], np.zeros(keys.size)
    split = np.searchsorted(keys, n_node)
    rows = mark_rows(keys[:split], shape[1], shape[0])
    pair_rows = mark_rows(keys[split:] - n_node, pair_shape[1], pair_shape[0])
    starts, places, found = np.zeros(sentences.size + 1, np.int64), np.empty(0, np.int32), np.empty(0)
    count = 0
    for k in range(sentences.size):
        load_output(arrays, sentences[k], outputs, work)
        gold_direction(arrays, sentences[k], work)
        node, values, pair, pair_values = direction_entries(arrays, sentences[k], work)
        add_known(node, values, shape[1], rows, 0, keys, sums)
        add_known(pair, pair_values, pair_shape[1], pair_rows, n_node, keys, sums)
        places, found = with_room(places, count + keys.size), with_room(found, count + keys.size)
        for c in range(keys.size):
            if sums[c] != 0:
                places[count], found[count], sums[c] = c, sums[c], 0
                count += 1
        starts[k + 1] = count
    return starts, places[:count], found[:count]
