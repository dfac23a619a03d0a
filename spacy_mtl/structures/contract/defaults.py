"""Defaults of contract functions that use other ones, for structures that do not implement them."""

import numpy as np

from spacy_mtl.kernels import subkernel

from .decoding import (
    add_offset,
    add_output,
    gold_score,
    hold_weights,
    kernel_norms,
    n_templates,
    output_offset,
    score_parts,
    score_scaled,
)
from .directions import add_direction, block_curvatures, block_products, curvature, gold_direction, set_difference
from .implementing import Function, derived
from .marginals import log_partition, marginal_direction
from .outputs import dot_output, gold_outputs, stored_score
from .vectors import Live, Scale


@subkernel
def ones(n):
    """A factor of 1 for all templates. n: (T, Tp), the numbers of node and pair templates."""
    return Scale(np.ones(n[0]), np.ones(n[1]))


@subkernel
def every(n):
    """All templates, as live. n: (T, Tp), the numbers of node and pair templates."""
    return Live(np.arange(n[0]), np.arange(n[1]))


@derived(score_parts, Function(score_scaled), Function(n_templates))
def _score_parts(problem, weights, live, i, work):
    score_scaled(problem, weights, live, ones(n_templates(problem)), i, work)


@derived(gold_score, Function(stored_score), Function(gold_outputs))
def _gold_score(problem, i, work):
    return stored_score(problem, i, gold_outputs(problem), work)


@derived(add_output, Function(gold_direction), Function(add_direction, Scale), Function(n_templates))
def _add_output(problem, vector, i, work, amount):
    n = n_templates(problem)
    gold_direction(problem, i, work)
    add_direction(problem, vector, every(n), ones(n), i, work, -amount)


@derived(add_offset)
def _add_offset(problem, i, work, amount):
    pass


@derived(output_offset)
def _output_offset(problem, i, work):
    return 0.0


@derived(kernel_norms)
def _kernel_norms(problem, weights, norms):
    pass


@derived(hold_weights)
def _hold_weights(problem, weights, live, work):
    pass


@derived(dot_output, Function(gold_direction), Function(block_products), Function(n_templates))
def _dot_output(problem, vector, i, work, node_dots, pair_dots):
    n = n_templates(problem)
    node, pair = np.zeros(n[0]), np.zeros(n[1])
    gold_direction(problem, i, work)
    block_products(problem, vector, every(n), i, work, node, pair)
    for j in range(n[0]):
        node_dots[j] -= node[j]
    for j in range(n[1]):
        pair_dots[j] -= pair[j]


@derived(gold_direction, Function(set_difference), Function(gold_outputs))
def _gold_direction(problem, i, work):
    set_difference(problem, i, gold_outputs(problem), work)


@derived(curvature, Function(block_curvatures), scale_type=Scale)
def _curvature(problem, live, scale, i, work):
    node, pair = np.zeros(scale.node.size), np.zeros(scale.pair.size)
    block_curvatures(problem, live, i, work, node, pair)
    total = 0.0
    for j in live.node:
        total += scale.node[j] * node[j]
    for j in live.pair:
        total += scale.pair[j] * pair[j]
    return total


@derived(log_partition, Function(marginal_direction))
def _log_partition(problem, i, work):
    return marginal_direction(problem, i, work)
