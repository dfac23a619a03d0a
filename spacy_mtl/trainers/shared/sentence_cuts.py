"""Kernels of the n-slack cutting plane method: violated outputs sentence by sentence, what they pull at, and what they are in a few weights."""

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
def forget_known(arrays, outputs, chosen, earlier, among):
    """chosen[i] = False where ``outputs`` has for sentence i what ``earlier`` has, and among[i]: bool[n]."""
    work = new_work(arrays)
    for i in range(chosen.size):
        if chosen[i] and among[i]:
            load_output(arrays, i, outputs, work)
            chosen[i] = not same_output(arrays, i, work, earlier)


@kernel
def cut_losses(arrays, outputs, sentences):
    """Losses of the outputs of these sentences (int64[k]): float64[k]."""
    work = new_work(arrays)
    losses = np.empty(sentences.size)
    for k in range(sentences.size):
        load_output(arrays, sentences[k], outputs, work)
        losses[k] = output_loss(arrays, sentences[k], work)
    return losses


@kernel
def add_cuts(arrays, vector, outputs, sentences, amounts):
    """vector += sum_k amounts[k] (Phi(gold) - Phi(output)) of the sentences ``sentences[k]``: int64[k]; amounts: float32[k]."""
    work = new_work(arrays)
    for k in range(sentences.size):
        if amounts[k] != 0:
            load_output(arrays, sentences[k], outputs, work)
            add_output(arrays, vector, sentences[k], work, amounts[k])


@kernel
def set_entries(weights, keys, values):
    """Entries of a Weights. keys: int64[k], places in the node matrix, or its size + places in the pair matrix. values: float[k]."""
    node, pair = weights.node.reshape(-1), weights.pair.reshape(-1)
    for k in range(keys.size):
        if keys[k] < node.size:
            node[keys[k]] = values[k]
        else:
            pair[keys[k] - node.size] = values[k]


@kernel
def take_entries(weights, keys):
    """The entries ``keys`` as by :func:`set_entries`, which become 0: float64[k]."""
    node, pair = weights.node.reshape(-1), weights.pair.reshape(-1)
    values = np.empty(keys.size)
    for k in range(keys.size):
        values[k] = node[keys[k]] if keys[k] < node.size else pair[keys[k] - node.size]
    set_entries(weights, keys, np.zeros(keys.size))
    return values


@subkernel
def keep_largest(keys, sizes, most):
    """Move the ``most`` largest to the front; returns the least of them."""
    order = np.argsort(-sizes)[:most]
    keys[:most], sizes[:most] = keys[order], sizes[order]
    return sizes[most - 1]


@kernel
def largest_entries(vector, bar, most):
    """The entries k of a Weights with |V_k| > bar, not more than the ``most`` largest, as by :func:`set_entries` but in no order; and max_k |V_k|."""
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
    """bool[n_rows]: which rows of a matrix of this width have any of the entries ``keys``."""
    rows = np.zeros(n_rows, np.bool_)
    for key in keys:
        rows[key // width] = True
    return rows


@subkernel
def add_known(entries, values, width, rows, first, keys, sums):
    """sums[at] += values[e] where ``first + entries[e]`` is ``keys[at]`` (ascending). rows: see :func:`mark_rows`."""
    for e in range(entries.size):
        if rows[entries[e] // width]:
            at = np.searchsorted(keys, first + entries[e])
            if at < keys.size and keys[at] == first + entries[e]:
                sums[at] += values[e]


@subkernel
def with_room(array, size):
    """The array, or a larger one that begins like it and has at least this size."""
    if array.size >= size:
        return array
    larger = np.empty(2 * size, array.dtype)
    larger[: array.size] = array
    return larger


@kernel
def cut_columns(arrays, outputs, sentences, keys, shape, pair_shape):
    """Phi(output) - Phi(gold) of these sentences (int64[k]) in the weights ``keys`` (int64[c], ascending, as by :func:`set_entries`) alone.

    shape, pair_shape: of the two matrices. Returns starts int64[k + 1], places in keys int32[entries], ascending within a sentence, and values
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
