"""How probable arcs and trees are: sums over all trees where there is an algorithm for that, and elsewhere over the trees that differ in one head.

Sums over all trees: projective ones with or without pairs of siblings (inside-outside), and any of the first order (the matrix-tree theorem). No
algorithm that is fast enough is known for trees of the second order that may cross, which is NP-hard already for the best tree, and none for pairs
with grandparents is here. There the probability of an arc is that given the heads of all other words.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.models.tree.decode import dense_scores
from spacy_mtl.structures.tree.algorithms.chu_liu import tree_score
from spacy_mtl.structures.tree.algorithms.climb import pairs_score
from spacy_mtl.structures.tree.algorithms.eisner import is_projective
from spacy_mtl.structures.tree.algorithms.inside import projective_marginals
from spacy_mtl.structures.tree.algorithms.matrix import spanning_marginals
from spacy_mtl.structures.tree.algorithms.sibling_sums import sibling_marginals
from spacy_mtl.structures.tree.algorithms.siblings import no_pairs, pair_table


@subkernel
def is_below(heads, word, above):
    """Whether a word is ``above`` or below it. heads: int32[n]."""
    while word:
        if word == above:
            return True
        word = heads[word - 1]
    return False


@subkernel
def score_of(dense, pairs, heads):
    """The score of a tree, -inf if one of its parts was left out."""
    return pairs_score(dense, pairs, heads) if pairs.first.size else tree_score(dense, heads)


@subkernel
def is_allowed(heads, projective, single_root):
    """Whether a tree has the roots and the shape that trees may have."""
    roots = 0
    for m in range(heads.size):
        roots += heads[m] == 0
    return (roots == 1 or not single_root) and (is_projective(heads) or not projective)


@subkernel
def given_the_rest(dense, pairs, projective, single_root, heads, m, out):
    """Set out[h] (float64[n + 1]) to the probability that h is the head of word m where all other words have these heads (int32[n])."""
    size, own = dense.shape[0], heads[m - 1]
    out[:] = -np.inf
    for h in range(size):
        if h != m and dense[h, m] > -np.inf and not is_below(heads, h, m):
            heads[m - 1] = h
            if is_allowed(heads, projective, single_root):
                out[h] = score_of(dense, pairs, heads)
            heads[m - 1] = own
    top = out.max()
    total = 0.0
    for h in range(size):
        out[h] = np.exp(out[h] - top) if out[h] > -np.inf else 0.0
        total += out[h]
    for h in range(size):
        out[h] = out[h] / total if total > 0 else np.nan


@subkernel
def sum_sentence(dense, pairs, projective, single_root, n_pairs, table):
    """Fill the probabilities of arcs, float64[n + 1, n + 1], and return the log of the sum over all trees. n_pairs: how many pairs there are."""
    if pairs.first.size:
        return sibling_marginals(dense, pairs, single_root, table, np.empty(n_pairs))
    if projective:
        return projective_marginals(dense, single_root, table)
    return spanning_marginals(dense, single_root, table)


@subkernel
def parts_of(starts, s, first, heads, scores, pair_first, inner, pair_scores, grandparents):
    """Arc scores and pairs of a sentence."""
    start, n = starts[s], starts[s + 1] - starts[s]
    dense = dense_scores(first, heads, scores, start, n)
    if pair_first.size > 1:
        low, high = pair_first[first[start]], pair_first[first[start + n]]
        return dense, pair_table(start, n, first, heads, pair_first, inner, pair_scores[low:high], grandparents)
    return dense, no_pairs()


@kernel
def sum_trees_of(
    starts, first, heads, scores, pair_first, inner, pair_scores, grandparents, projective, single_root, exact, chosen, arcs,
    first_cell, tables, log_sums, tree_scores,
):  # fmt: skip
    """Fill the probabilities of arcs of many sentences.

    Arguments up to single_root as of :func:`.decode.decode_trees`, divided by the temperature. exact: whether there are sums over all trees. chosen:
    int32[N], heads of the predicted trees. arcs: float32[N], set to the probabilities of their arcs. first_cell: int64[S + 1], where the table of
    each sentence begins in tables (float32), with the probability of arc (h, m) at h * (n + 1) + m. log_sums, tree_scores: float64[S], nan for those
    without.
    """
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        dense, pairs = parts_of(starts, s, first, heads, scores, pair_first, inner, pair_scores, grandparents)
        own, table = chosen[start : start + n], np.zeros((n + 1, n + 1))
        log_sums[s] = tree_scores[s] = np.nan
        if exact:
            log_sums[s] = sum_sentence(dense, pairs, projective, single_root, pairs.inner.size, table)
            tree_scores[s] = score_of(dense, pairs, own)
        else:
            trial, found = own.copy(), np.empty(n + 1)
            for m in range(1, n + 1):
                given_the_rest(dense, pairs, projective, single_root, trial, m, found)
                table[:, m] = found
        for m in range(1, n + 1):
            arcs[start + m - 1] = table[own[m - 1], m]
        place = first_cell[s]
        for h in range(n + 1):
            for m in range(n + 1):
                tables[place] = table[h, m]
                place += 1


@kernel
def tree_losses(
    starts, first, heads, scores, pair_first, inner, pair_scores, grandparents, projective, single_root, exact, gold, losses
):  # fmt: skip
    """Set losses, float64[S], to the log losses of gold trees (heads int32[N]), nan for one that is not known (-1) or not considered.

    Where there are no sums over all trees: the sum of the log losses of each word's head given the others'. Arguments as of :func:`sum_trees_of`.
    """
    for s in range(starts.size - 1):
        start, n = starts[s], starts[s + 1] - starts[s]
        losses[s] = np.nan
        own = gold[start : start + n].copy()
        if n == 0 or own.min() < 0 or not is_allowed(own, projective, single_root):
            continue
        dense, pairs = parts_of(starts, s, first, heads, scores, pair_first, inner, pair_scores, grandparents)
        score = score_of(dense, pairs, own)
        if score == -np.inf:
            continue
        if exact:
            table = np.empty((n + 1, n + 1))
            losses[s] = max(sum_sentence(dense, pairs, projective, single_root, pairs.inner.size, table) - score, 0.0)
            continue
        found, total = np.empty(n + 1), 0.0
        for m in range(1, n + 1):
            given_the_rest(dense, pairs, projective, single_root, own, m, found)
            total -= np.log(found[own[m - 1]])
        losses[s] = total
