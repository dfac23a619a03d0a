"""The second step of a cascade over trees: before pairs are listed and scored, the arcs that score worst by themselves are dropped.

There are many more pairs than arcs, and most are of arcs that no good tree has (coarse-to-fine pruning as in Rush and Petrov 2012, with scores in
place of max-marginals). Scores of arcs in a model with pairs are a part of the truth only, those of the filter another: their weighted sum ranks gold
higher than either. Both thresholds are relative to the sentence's mean distance between the best arc of a word and its others, since trainers scale
weights differently.
"""

import numpy as np

from spacy_mtl.kernels import kernel, subkernel

from .build import Arcs, kept_arcs
from .filter import largest

#: Weight of the filter's scores, and how far below the best arc of its word an arc may be, both in units of the sentence's mean distance. Chosen on
#: dev (Gothic, Danish): heads change for the worse in at most one word of a thousand.
FILTER_SHARE, MOST_BELOW = 0.3, 1.75
#: Arcs to a word that are kept at most: where a model tells little, as in a very long sentence or one of unknown words, most are close to the best,
#: and pairs are as many as the square of these. On dev (Gothic, Turkish) this changes one head in ten thousand.
MOST_ARCS = 20


@kernel
def mean_distance(first, scores, start, end):
    """The mean, over words start..end - 1 with several arcs, of the distance between the best score of a word and the mean of its others."""
    total, words = 0.0, 0
    for t in range(start, end):
        count = first[t + 1] - first[t]
        if count > 1:
            best, others = -np.inf, 0.0
            for a in range(first[t], first[t + 1]):
                best = max(best, np.float64(scores[a]))
                others += scores[a]
            total += best - (others - best) / (count - 1)
            words += 1
    return total / max(words, 1)


@kernel
def mark_likely(starts, first, heads, scores, marks, share, below, most, keep):
    """Set keep[a] for the ``most`` best arcs of each word that are at most ``below`` behind its best one, and for those from the word before.

    scores: float32[A], of the model. marks: float32[A], of the filter, or empty. share, below: see :data:`FILTER_SHARE`. keep: bool[A].
    """
    for s in range(starts.size - 1):
        unit = mean_distance(first, scores, starts[s], starts[s + 1])
        for t in range(starts[s], starts[s + 1]):
            begin, end = first[t], first[t + 1]
            both = scores[begin:end].astype(np.float64)
            for a in range(begin, end if marks.size else begin):
                both[a - begin] += unit * share * marks[a]
            least, worse = threshold(both, unit * below, most)
            for a in range(begin, end):
                score = both[a - begin]
                equal = score == least and worse > 0
                keep[a] = score > least or equal or heads[a] == t - starts[s]
                worse -= equal


@subkernel
def threshold(scores, below, most):
    """The least score that is kept, and how many arcs that score no more than this are. Arguments as above; scores: float64[n].

    Loops throughout: of numpy's own functions the compiled code keeps references that import scipy's linear algebra in each process.
    """
    if not scores.size:
        return 0.0, 0
    least = largest(scores, scores.size) - below
    count = count_from(scores, least)
    if count > most:
        least, count = kth_largest(scores, most), most
    better = 0
    for score in scores:
        better += score > least
    return least, count - better


@subkernel
def count_from(scores, least):
    """How many scores are at least this."""
    count = 0
    for score in scores:
        count += score >= least
    return count


@subkernel
def kth_largest(scores, k):
    """The k-th largest of at least k scores."""
    best = np.full(k, -np.inf)  # in descending order
    for score in scores:
        if score > best[k - 1]:
            at = k - 1
            while at > 0 and best[at - 1] < score:
                best[at] = best[at - 1]
                at -= 1
            best[at] = score
    return best[k - 1]


def likely_arcs(arcs: Arcs, starts: np.ndarray, scores: np.ndarray, marks: np.ndarray) -> tuple[Arcs, np.ndarray]:
    """The arcs of which pairs are worth listing, and their scores. Arguments as in :func:`mark_likely`.

    There is still a tree, projective and with one root: the chain of words, if ``arcs`` have it.
    """
    keep = np.empty(arcs.heads.size, np.bool_)
    mark_likely(starts, arcs.first, arcs.heads, scores, marks, FILTER_SHARE, MOST_BELOW, MOST_ARCS, keep)
    return kept_arcs(arcs, keep), scores[keep]
