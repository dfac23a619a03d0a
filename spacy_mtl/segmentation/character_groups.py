"""Characters that stand beside the same others, in groups: the table behind the attribute CHAR_GROUP.

What a corpus says of one character of a group, it says of the others, too: of surnames, of what names of places end in, of the characters that
foreign names are written with. Nobody has to name the groups: characters are counted with their left and right neighbours, the counts compressed
by a truncated singular value decomposition, and the vectors put into groups by k-means.
"""

import warnings
from collections.abc import Iterable

import numpy as np

from .characters import number_characters

#: So many groups and dimensions of the vectors, where the corpus has characters enough.
GROUPS, DIMENSIONS = 120, 40
#: Characters a group must have, on average.
LEAST_MEMBERS = 8
#: A character that occurs so often makes groups; one that occurs at least twice is put into one.
OFTEN, TWICE = 5, 2
_ROUNDS = 30
#: All of these: what two sets of groups must have in common to be comparable.
SETTINGS = (GROUPS, DIMENSIONS, LEAST_MEMBERS, OFTEN, TWICE, _ROUNDS)


def group_characters(texts: Iterable[str]) -> dict[str, str]:
    """The group (a number, as text) of each normalised character that occurs at least twice; nothing where the corpus is too small for groups.

    White space is a border like the end of a text.
    """
    from scipy.cluster.vq import kmeans2, vq  # only training needs it, and prediction is to start without

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
        warnings.filterwarnings("ignore", "One of the clusters is empty")  # its centre stays where it was
        centres, _ = kmeans2(vectors[often], n_groups, iter=_ROUNDS, minit="++", seed=0)
    groups, _ = vq(vectors, centres)
    named = {chr(chars[i]): str(groups[i]) for i in np.flatnonzero(counts >= TWICE)}
    return {char: group for char, group in named.items() if not char.isspace()}


def neighbour_vectors(codes: np.ndarray, n: int, dimensions: int) -> np.ndarray:
    """Unit vectors float64[n, d] of n characters, alike for those with the same neighbours. codes: int64[N], characters one after another.

    The square roots of the counts of left and right neighbours, in the space of their largest singular values.
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
