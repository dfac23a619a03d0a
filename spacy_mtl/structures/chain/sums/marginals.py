"""Linear chains, sum-product: log partition and marginals by forward-backward.

Plain numbers suffice for nearly every sentence (:mod:`.scaled`). For the others the recursions run in log space, but do not need an exponential
for each pair of labels at each position: a step is a product with ``factors = exp(pairs)``, relative to the largest term. A sum outside the range
in which this is exact (scores hundreds apart, forbidden labels) is computed again term by term.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.chain.problem import ChainProblem
from spacy_mtl.structures.contract import implements

from .scaled import backward, forward

#: Pair scores above this have an infinite factor, so that every sum with them is computed term by term.
TOP_FACTOR = 50.0
#: Sums below this are computed term by term. The loss by underflow is below exp(TOP_FACTOR - 745), since exp(-745) is
#: the smallest float64.
LEAST_SUM = np.exp(-650.0)


@subkernel
def set_factors(pairs, factors):
    """Set factors to exp(pairs), infinite above TOP_FACTOR. pairs: float32[K, L, L]; factors: float64[K, L, L]."""
    for k in range(pairs.shape[0]):
        for x in range(pairs.shape[1]):
            for y in range(pairs.shape[2]):
                factors[k, x, y] = np.exp(np.float64(pairs[k, x, y])) if pairs[k, x, y] <= TOP_FACTOR else np.inf


@subkernel
def set_relative(scores, relative):
    """Set relative to exp(scores - top); return top, the largest score. Both float64[L]."""
    top = scores.max()
    for y in range(scores.size):
        relative[y] = np.exp(scores[y] - top)
    return top


@subkernel
def log_sum(a, b):
    """log sum_k exp(a[k] + b[k]), term by term."""
    top = -np.inf
    for k in range(a.size):
        top = max(top, a[k] + b[k])
    total = 0.0
    for k in range(a.size):
        total += np.exp(a[k] + b[k] - top)
    return top + np.log(total)


@subkernel
def step_forward(before, step, factor, relative, after):
    """Set after[y] to log sum_x exp(before[x] + step[x, y]).

    before, after: float64[L]; step: float32[L, L]; factor: float64[L, L], its exponential; relative: float64[L].
    """
    top = set_relative(before, relative)
    after[:] = 0
    for x in range(before.size):
        for y in range(after.size):
            after[y] += relative[x] * factor[x, y]
    for y in range(after.size):
        if LEAST_SUM < after[y] < np.inf:
            after[y] = top + np.log(after[y])
        else:
            after[y] = log_sum(before, step[:, y])


@subkernel
def step_backward(ahead, step, factor, relative, behind):
    """Set behind[x] to log sum_y exp(step[x, y] + ahead[y]); return top, the largest of ``ahead``.

    Shapes as in :func:`step_forward`. relative: set to exp(ahead - top).
    """
    top = set_relative(ahead, relative)
    for x in range(behind.size):
        total = 0.0
        for y in range(ahead.size):
            total += factor[x, y] * relative[y]
        behind[x] = top + np.log(total) if LEAST_SUM < total < np.inf else log_sum(ahead, step[x])
    return top


@subkernel
def add_step_marginals(before, ahead, step, factor, log_z, relative, common, out):
    """Add exp(before[x] + step[x, y] + ahead[y] - log_z) to out[x * L + y].

    relative: exp(ahead - top), common: top - log_z. out: float64[L * L].
    """
    n_labels = before.size
    for x in range(n_labels):
        left = np.exp(before[x] + common)
        for y in range(n_labels):
            probability = left * factor[x, y] * relative[y]
            if not probability < 2:  # overflow, or nan; the loss by underflow is below exp(709 - 745)
                probability = np.exp(before[x] + step[x, y] + ahead[y] - log_z)
            out[x * n_labels + y] += probability


@subkernel
def log_space_partition(nodes, pairs, alpha, factors):
    """:func:`log_partition` for any scores. Fills alpha with log sums over the prefixes that end in each label."""
    n, n_labels = nodes.shape
    shared = pairs.shape[0] == 1
    relative = np.empty(n_labels)
    set_factors(pairs, factors)
    alpha[0] = nodes[0]
    for t in range(1, n):
        k = 0 if shared else t
        step_forward(alpha[t - 1], pairs[k], factors[k], relative, alpha[t])
        for y in range(n_labels):
            alpha[t, y] += nodes[t, y]
    top = set_relative(alpha[n - 1], relative)
    return top + np.log(relative.sum())


@kernel
def log_space_marginals(nodes, pairs, alpha, factors, node_out, pair_out):
    """:func:`marginals` for any scores."""
    n, n_labels = nodes.shape
    shared = pairs.shape[0] == 1
    log_z = log_space_partition(nodes, pairs, alpha, factors)
    beta, ahead, relative = np.zeros(n_labels), np.empty(n_labels), np.empty(n_labels)
    counts = np.zeros(n_labels * n_labels)
    for t in range(n - 1, -1, -1):
        for y in range(n_labels):
            node_out[t, y] = np.exp(alpha[t, y] + beta[y] - log_z)
            ahead[y] = nodes[t, y] + beta[y]
        if t:
            k = 0 if shared else t
            top = step_backward(ahead, pairs[k], factors[k], relative, beta)
            add_step_marginals(alpha[t - 1], ahead, pairs[k], factors[k], log_z, relative, top - log_z, counts)
            if not shared:
                pair_out[t] = counts
                counts[:] = 0
    pair_out[0] = counts
    return log_z


@kernel
def log_partition(nodes, pairs, alpha, factors):
    """log sum over all label sequences of exp(score).

    nodes: float32[n, L]; pairs: float32[n or 1, L, L], entry t scores (t - 1, t), and a single entry all positions.
    alpha: float64[n, L] and factors: float64[n or 1, L, L] are buffers.
    """
    fine, log_z = forward(nodes, pairs, np.empty(nodes.shape), alpha, factors)
    return log_z if fine else log_space_partition(nodes, pairs, alpha, factors)


@kernel
def marginals(nodes, pairs, alpha, factors, node_out, pair_out):
    """Compute the probability of every label and label pair; return the log partition.

    nodes, pairs, alpha, factors: as in :func:`log_partition`. node_out: float[n, L]. pair_out: float[n, L * L], entry t
    for the labels of (t - 1, t), zeros at 0; or float[1, L * L], the sum over positions, if pairs has one entry.
    Both are overwritten.
    """
    emit = np.empty(nodes.shape)
    fine, log_z = forward(nodes, pairs, emit, alpha, factors)
    if fine and backward(emit, alpha, factors, node_out, pair_out):
        return log_z
    exact = log_space_marginals(nodes, pairs, alpha, factors, node_out, pair_out)
    return log_z if fine else exact


@implements(contract.log_partition, ChainProblem)
def piece_log_partition(problem, i, work):
    n = problem.last[i] - problem.first[i]
    k = n if problem.observed else 1
    return log_partition(work.nodes[:n], work.pairs[:k], work.alpha, work.factors)


@implements(contract.set_marginals, ChainProblem)
def set_marginals(problem, state, i, work):
    a, b = problem.first[i], problem.last[i]
    k = b - a if problem.observed else 1
    at = a if problem.observed else i
    return marginals(
        work.nodes[: b - a], work.pairs[:k], work.alpha, work.factors, state.nodes[a:b], state.pairs[at : at + k]
    )
