"""CKY over a whole chart, with scores of rules and words alone: the best tree through each labelled span, and which are worth keeping.

A model that sees more than rules would be slow over all spans, symbols and rules. So the rules' own scores, such as log probabilities of a
probabilistic grammar, choose: an item stays if some tree through it is not worse than the best tree by more than a margin (max-marginals, as in the
cascades of Weiss & Taskar 2010). The best tree itself always stays. Time O(n^3 R), with one addition and comparison each.

Arguments throughout: rule_scores: float64[R]. word_scores: float64[n, L], of symbols over single words, -inf where they are not allowed.
root_scores: float64[L]. inside, outside: float64[n, n + 1, L], by start, end and symbol.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .rules import Grammar


@subkernel
def list_symbols(cell, places):
    """Write the symbols of a cell that have a derivation to places (int32[L]); return their number. cell: float64[L]."""
    count = 0
    for a in range(cell.size):
        if cell[a] > -np.inf:
            places[count] = a
            count += 1
    return count


@kernel
def best_inside(grammar, rule_scores, word_scores, inside):
    """Set inside to the score of the best tree of each item, -inf where there is none."""
    n, n_symbols = word_scores.shape
    symbols, counts = np.empty((n, n + 1, n_symbols), np.int32), np.zeros((n, n + 1), np.int64)
    for t in range(n):
        inside[t, t + 1] = word_scores[t]
        counts[t, t + 1] = list_symbols(inside[t, t + 1], symbols[t, t + 1])
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            cell = inside[i, j]
            cell[:] = -np.inf
            for k in range(i + 1, j):
                second = inside[k, j]
                for x in range(counts[i, k]):
                    b = symbols[i, k, x]
                    for r in range(grammar.first_left[b], grammar.first_left[b + 1]):
                        score = inside[i, k, b] + second[grammar.right[r]] + rule_scores[r]
                        if score > cell[grammar.parent[r]]:
                            cell[grammar.parent[r]] = score
            counts[i, j] = list_symbols(cell, symbols[i, j])


@kernel
def best_outside(grammar, rule_scores, root_scores, inside, least, outside):
    """Set outside to the best score of what is around each item, as far as the score of a whole tree through it is at least ``least``; else -inf."""
    n = inside.shape[0]
    outside[:] = -np.inf
    outside[0, n] = root_scores
    for width in range(n, 1, -1):
        for i in range(n - width + 1):
            j = i + width
            if outside[i, j].max() == -np.inf:
                continue
            for k in range(i + 1, j):
                for b in range(inside.shape[2]):
                    if inside[i, k, b] == -np.inf:
                        continue
                    for r in range(grammar.first_left[b], grammar.first_left[b + 1]):
                        c = grammar.right[r]
                        around = outside[i, j, grammar.parent[r]] + rule_scores[r]
                        if around + inside[i, k, b] + inside[k, j, c] < least:
                            continue
                        outside[i, k, b] = max(outside[i, k, b], around + inside[k, j, c])
                        outside[k, j, c] = max(outside[k, j, c], around + inside[i, k, b])


def near_best(
    grammar: Grammar, rule_scores: np.ndarray, root_scores: np.ndarray, word_scores: np.ndarray, margin: float
) -> np.ndarray:
    """The items that occur in a tree whose score is at most ``margin`` below that of the best one, bool[n, n + 1, L]; none without any tree."""
    n, n_symbols = word_scores.shape
    inside, outside = np.full((n, n + 1, n_symbols), -np.inf), np.empty((n, n + 1, n_symbols))
    best_inside(grammar, rule_scores, word_scores, inside)
    best = float((inside[0, n] + root_scores).max())
    if best == -np.inf:
        return np.zeros(inside.shape, bool)
    least = best - margin - 1e-9 * max(1.0, abs(best))
    best_outside(grammar, rule_scores, root_scores, inside, least, outside)
    return inside + outside >= least
