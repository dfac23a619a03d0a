"""Scores, decoding and outputs as arrays, for one sentence.

Arguments throughout: arrays, the NamedTuple of a problem. at: ``At(weights, live, scale, i)``. output, outputs: int32[parts] and int32[K, parts].
vector: a weight vector, overwritten.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import Live, Scale, Weights


class At(NamedTuple):
    """A sentence, the weights that score it, live templates and a factor for each block."""

    weights: Weights
    live: Live
    scale: Scale
    i: int


@subkernel
def clear(vector):
    vector.node[:] = 0
    vector.pair[:] = 0


@subkernel
def unit(vector, k, value):
    """Write entry k of a weight vector, node entries first."""
    if k < vector.node.size:
        vector.node[k // vector.node.shape[1], k % vector.node.shape[1]] = value
    else:
        k -= vector.node.size
        vector.pair[k // vector.pair.shape[1], k % vector.pair.shape[1]] = value


@subkernel
def read(vector, out):
    """Copy the entries of a weight vector to float64[D], node entries first."""
    out[: vector.node.size] = vector.node.ravel()
    out[vector.node.size :] = vector.pair.ravel()


@kernel
def sizes(arrays):
    """The numbers of sentences, node templates and pair templates."""
    n = contract.n_templates(arrays)
    return contract.n_sentences(arrays), n[0], n[1]


@kernel
def fits(arrays, at, output):
    """Score, decode and take an output; fails in plain Python if a buffer is too small."""
    work = contract.new_work(arrays)
    contract.score_parts(arrays, at.weights, at.live, at.i, work)
    contract.decode(arrays, at.i, work, False)
    contract.take_output(arrays, at.i, output, work)


@subkernel
def score(arrays, at, scaled, work):
    """Part scores by ``score_scaled`` or ``score_parts``."""
    if scaled:
        contract.score_scaled(arrays, at.weights, at.live, at.scale, at.i, work)
    else:
        contract.score_parts(arrays, at.weights, at.live, at.i, work)


@kernel
def gold_features(arrays, at, scaled):
    """Phi(gold), float64[D], by setting one weight after another to 1. at.weights: zeros."""
    work = contract.new_work(arrays)
    out = np.zeros(at.weights.node.size + at.weights.pair.size)
    for k in range(out.size):
        unit(at.weights, k, 1)
        score(arrays, at, scaled, work)
        out[k] = contract.gold_score(arrays, at.i, work)
        unit(at.weights, k, 0)
    return out


@kernel
def take_each(arrays, i, outputs, vector):
    """For each output, its loss float64[K] and Phi(gold) - Phi(output) float64[K, D] by ``add_output``."""
    work = contract.new_work(arrays)
    losses = np.zeros(outputs.shape[0])
    vectors = np.zeros((outputs.shape[0], vector.node.size + vector.pair.size))
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        losses[k] = contract.output_loss(arrays, i, work)
        clear(vector)
        contract.add_output(arrays, vector, i, work, 1.0)
        read(vector, vectors[k])
    return losses, vectors


@kernel
def offsets(arrays, at, outputs):
    """For each output, its offset, float64[K]; and what it has more in score when offsets are added twice, float64[K]."""
    work = contract.new_work(arrays)
    slots = np.zeros(contract.n_slots(arrays), np.int32)
    found = np.zeros((2, outputs.shape[0]))
    for k in range(outputs.shape[0]):
        contract.score_parts(arrays, at.weights, at.live, at.i, work)
        contract.take_output(arrays, at.i, outputs[k], work)
        contract.store_output(arrays, at.i, work, slots)
        before = contract.stored_score(arrays, at.i, slots, work)
        contract.add_offset(arrays, at.i, work, 2.0)
        found[0, k] = contract.output_offset(arrays, at.i, work)
        found[1, k] = contract.stored_score(arrays, at.i, slots, work) - before
    return found[0], found[1]


@kernel
def costs(arrays, i, outputs):
    """For each output, its loss without its offset, float64[K]."""
    work = contract.new_work(arrays)
    found = np.zeros(outputs.shape[0])
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        found[k] = contract.output_loss(arrays, i, work) - contract.output_offset(arrays, i, work)
    return found


@kernel
def decode(arrays, at, scaled, augmented, loss, vector):
    """Decoding with ``loss`` times the losses added before: its score, that of gold, and of the output its loss and Phi(gold) - Phi(output)."""
    work = contract.new_work(arrays)
    score(arrays, at, scaled, work)
    gold = contract.gold_score(arrays, at.i, work)
    if loss != 0:
        contract.add_loss(arrays, at.i, work, loss)
    best = contract.decode(arrays, at.i, work, augmented)
    clear(vector)
    cost = contract.output_loss(arrays, at.i, work)
    contract.add_output(arrays, vector, at.i, work, 1.0)
    out = np.zeros(vector.node.size + vector.pair.size)
    read(vector, out)
    return best, gold, cost, out


@kernel
def stored_scores(arrays, at, scaled, loss, outputs):
    """Scores of outputs under part scores and ``loss`` times their losses: float64[K] by ``stored_score``; and that of the stored gold output."""
    work = contract.new_work(arrays)
    slots = np.zeros(contract.n_slots(arrays), np.int32)
    scores = np.zeros(outputs.shape[0])
    score(arrays, at, scaled, work)
    if loss != 0:
        contract.add_loss(arrays, at.i, work, loss)
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, at.i, outputs[k], work)
        contract.store_output(arrays, at.i, work, slots)
        scores[k] = contract.stored_score(arrays, at.i, slots, work)
    return scores, contract.stored_score(arrays, at.i, contract.gold_outputs(arrays), work)


@kernel
def stored_gold(arrays):
    """Slots of the whole corpus, and a copy of the gold outputs."""
    return contract.n_slots(arrays), contract.gold_outputs(arrays).copy()


@kernel
def stored_forms(arrays, i, outputs, fill):
    """Each output in stored form, int32[K, n_slots], with ``fill`` in other slots."""
    work = contract.new_work(arrays)
    slots = np.full((outputs.shape[0], contract.n_slots(arrays)), fill, np.int32)
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        contract.store_output(arrays, i, work, slots[k])
    return slots


@kernel
def loaded_forms(arrays, i, slots):
    """Each row of ``slots`` (int32[K, n_slots]) after loading and storing it again, int32[K, n_slots], with 0 in other slots."""
    work = contract.new_work(arrays)
    again = np.zeros(slots.shape, np.int32)
    for k in range(slots.shape[0]):
        contract.load_output(arrays, i, slots[k], work)
        contract.store_output(arrays, i, work, again[k])
    return again


@kernel
def alike(arrays, i, outputs, slots):
    """Whether output k is the one stored in ``slots[m]``, bool[K, K]."""
    work = contract.new_work(arrays)
    same = np.zeros((outputs.shape[0], slots.shape[0]), np.bool_)
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        for m in range(slots.shape[0]):
            same[k, m] = contract.same_output(arrays, i, work, slots[m])
    return same


@kernel
def dot_outputs(arrays, vector, i, outputs, node, pair):
    """Add <Phi_j(gold) - Phi_j(output), vector_j> to node (float64[K, T]) and pair (float64[K, Tp])."""
    work = contract.new_work(arrays)
    for k in range(outputs.shape[0]):
        contract.take_output(arrays, i, outputs[k], work)
        contract.dot_output(arrays, vector, i, work, node[k], pair[k])
