"""Groups of characters with similar neighbours: the table behind the attribute CHAR_GROUP.

What is learnt about one character of a group applies to the others too: surnames, endings of place names, characters used to write foreign names.
The groups are found without supervision: characters are counted with their left and right neighbours, the counts are compressed by a truncated
singular value decomposition, and the vectors are clustered by k-means.
"""

import warnings
from collections.abc import Iterable

import numpy as np

from .characters import number_characters

#: Number of groups, and of dimensions of the vectors, if the corpus has enough characters.
GROUPS, DIMENSIONS = 120, 40
#: Characters a group must have, on average.
LEAST_MEMBERS = 8
#: Characters that occur OFTEN determine the groups; those that occur at least TWICE are assigned to one.
OFTEN, TWICE = 5, 2
_ROUNDS = 30
#: All of these settings: two sets of groups are comparable only if they agree in them.
SETTINGS = (GROUPS, DIMENSIONS, LEAST_MEMBERS, OFTEN, TWICE, _ROUNDS)


def group_characters(texts: Iterable[str]) -> dict[str, str]:
    """The group (a number, as text) of each normalised character that occurs at least twice; empty if the corpus is too small for groups.

    White space counts as a border, like the end of a text.
    """
    from scipy.cluster.vq import kmeans2, vq  # only training needs scipy here; prediction starts faster without it

    text = "\n".join("\n".join(text.split()) for text in texts)
    chars, numbers = number_characters(np.frombuffer(text.encode("utf-32-le"), "<u4"))
    if numbers.size < 2:
        return {}
    counts = np.bincount(numbers)
    often = counts >= OFTEN
    n_groups = min(GROUPS, int(often.sum()) // LEAST_MEMBERS)
    if n_groups < 2:
        return {}
    vectors = neighbour_vectors(numbers, chars.size, DIMENSIONS)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "One of the clusters is empty"
        )  # the centre of an empty cluster stays in place
        centres, _ = kmeans2(vectors[often], n_groups, iter=_ROUNDS, minit="++", seed=0)
    groups, _ = vq(vectors, centres)
    named = {chr(chars[i]): str(groups[i]) for i in np.flatnonzero(counts >= TWICE)}
    return {char: group for char, group in named.items() if not char.isspace()}


def neighbour_vectors(codes: np.ndarray, n: int, dimensions: int) -> np.ndarray:
    """Unit vectors float64[n, d] of n characters, similar for characters with similar neighbours. codes: int64[N], the text as character numbers.

    They are the square roots of the counts of left and right neighbours, projected on the singular vectors of the largest singular values.
    """
    from scipy.sparse import coo_matrix, hstack
    from scipy.sparse.linalg import svds

    ones = np.ones(codes.size - 1)
    left = coo_matrix((ones, (codes[1:], codes[:-1])), shape=(n, n)).tocsr()
    counts = hstack([left, left.T]).tocsr()
    start = np.random.default_rng(0).normal(size=n)
    left_vectors, values, _ = svds(counts.sqrt(), k=min(dimensions, n - 1), v0=start)
    vectors = left_vectors * values
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
