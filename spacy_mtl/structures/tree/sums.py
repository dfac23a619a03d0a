"""Trees as a structure: log partition and marginals of labelled arcs (and sibling pairs). Sums over the labels of each arc are computed first."""

import numpy as np

from spacy_mtl.kernels import subkernel
from spacy_mtl.structures import contract
from spacy_mtl.structures.contract import implements

from .algorithms.inside import projective_marginals
from .algorithms.matrix import spanning_marginals
from .algorithms.sibling_sums import sibling_marginals
from .decode import pairs_of
from .problem import TreeProblem, arcs_of, siblings_of


@subkernel
def fill_sums(problem, i, work):
    """Dense scores float64[n + 1, n + 1] of the arcs of sentence i, log sums over their labels; -inf for arcs that were left out."""
    n, (begin, _) = problem.last[i] - problem.first[i], arcs_of(problem.first, problem.last, problem.first_arc, i)
    scores = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        t = problem.first[i] + m - 1
        for arc in range(problem.first_arc[t], problem.first_arc[t + 1]):
            a = arc - begin
            top = work.arcs[a, 0]
            for y in range(1, problem.n_labels):
                top = max(top, work.arcs[a, y])
            total = 1.0
            if problem.n_labels > 1:
                total = 0.0
                for y in range(problem.n_labels):
                    total += np.exp(np.float64(work.arcs[a, y]) - top)
            scores[problem.heads[arc], m] = top + np.log(total)
    return scores


@subkernel
def share_labels(problem, i, work, scores, marginals, out):
    """Set out[a] (float[a, L]) to the probability of each label of arc a of the sentence. marginals: float64[n + 1, n + 1], of the arcs."""
    begin, _ = arcs_of(problem.first, problem.last, problem.first_arc, i)
    for t in range(problem.first[i], problem.last[i]):
        m = t - problem.first[i] + 1
        for arc in range(problem.first_arc[t], problem.first_arc[t + 1]):
            head = problem.heads[arc]
            mass = marginals[head, m]
            for y in range(problem.n_labels):
                score = np.float64(work.arcs[arc - begin, y])
                out[arc - begin, y] = mass * np.exp(score - scores[head, m]) if mass > 0 else 0.0


@subkernel
def sum_scores(problem, i, work, marginals, pairs):
    """Return log partition and arc scores; fill marginals, float64[n + 1, n + 1] or [0, 0], and pairs, float64[b] or [0]."""
    scores = fill_sums(problem, i, work)
    if problem.second_order:
        log_z = sibling_marginals(scores, pairs_of(problem, i, work), problem.single_root, marginals, pairs)
    elif problem.projective:
        log_z = projective_marginals(scores, problem.single_root, marginals)
    else:
        log_z = spanning_marginals(scores, problem.single_root, marginals)
    return log_z, scores


@subkernel
def arc_marginals(problem, i, work, arcs, pairs):
    """Compute part marginals under the scores in ``work``; return the log partition. arcs: float[a, L], pairs: float[b], of the sentence."""
    n = problem.last[i] - problem.first[i]
    marginals = np.empty((n + 1, n + 1))
    log_z, scores = sum_scores(problem, i, work, marginals, pairs)
    share_labels(problem, i, work, scores, marginals, arcs)
    return log_z


@implements(contract.log_partition, TreeProblem)
def log_partition(problem, i, work):
    log_z, _ = sum_scores(problem, i, work, np.empty((0, 0)), np.empty(0))
    return log_z


@implements(contract.set_marginals, TreeProblem)
def set_marginals(problem, state, i, work):
    (begin, end), (pair_begin, pair_end) = (
        arcs_of(problem.first, problem.last, problem.first_arc, i),
        siblings_of(problem.first, problem.last, problem.first_arc, problem.siblings.first, i),
    )
    pairs = np.empty(pair_end - pair_begin)
    log_z = arc_marginals(problem, i, work, state.arcs[begin:end], pairs)
    for b in range(pairs.size):
        state.siblings[pair_begin + b] = pairs[b]
    return log_z
