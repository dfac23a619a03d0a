"""Groups of characters with similar neighbours: the table behind the attribute CHAR_GROUP.

What is learnt about one character of a group applies to the others too: surnames, endings of place names, characters used to write foreign names.
The groups are found without supervision: characters are counted with their left and right neighbours, the counts are compressed by a truncated
singular value decomposition, and the vectors are clustered by k-means.
"""

import warnings
from collections.abc import Iterable, Sequence
from typing import NamedTuple

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


class CharacterCounts(NamedTuple):
    """n characters, as code points uint32[n], ascending; how often each occurs, int64[n]; and pairs of neighbours.

    pairs: int64[P, 2], the numbers of two characters that follow each other. pair_times: int64[P].
    """

    chars: np.ndarray
    times: np.ndarray
    pairs: np.ndarray
    pair_times: np.ndarray


def count_characters(texts: Iterable[str]) -> CharacterCounts:
    """Count normalised characters and their neighbours. White space counts as a border, like the end of a text."""
    text = "\n".join("\n".join(text.split()) for text in texts)
    chars, numbers = number_characters(np.frombuffer(text.encode("utf-32-le"), "<u4"))
    codes, pair_times = np.unique(numbers[:-1] * max(chars.size, 1) + numbers[1:], return_counts=True)
    pairs = np.stack(np.divmod(codes, max(chars.size, 1)), axis=1)
    return CharacterCounts(chars, np.bincount(numbers, minlength=chars.size), pairs, pair_times)


def added_characters(parts: Sequence[CharacterCounts]) -> CharacterCounts:
    """The sum of what was counted in several parts of a corpus."""
    chars = np.unique(np.concatenate([part.chars for part in parts]))
    places = [np.searchsorted(chars, part.chars) for part in parts]
    times = np.zeros(chars.size, np.int64)
    for part, place in zip(parts, places, strict=True):
        times[place] += part.times
    pairs = np.concatenate([place[part.pairs] for part, place in zip(parts, places, strict=True)])
    distinct, row = np.unique(pairs, axis=0, return_inverse=True)
    pair_times = np.zeros(len(distinct), np.int64)
    np.add.at(pair_times, row.ravel(), np.concatenate([part.pair_times for part in parts]))
    return CharacterCounts(chars, times, distinct, pair_times)


def group_characters(texts: Iterable[str]) -> dict[str, str]:
    """The groups of the characters of some texts, see :func:`groups_of`."""
    return groups_of(count_characters(texts))


def groups_of(counts: CharacterCounts) -> dict[str, str]:
    """The group (a number, as text) of each normalised character that occurs at least twice; empty if the corpus is too small for groups."""
    from scipy.cluster.vq import kmeans2, vq  # only training needs scipy here; prediction starts faster without it

    chars, times = counts.chars, counts.times
    often = times >= OFTEN
    n_groups = min(GROUPS, int(often.sum()) // LEAST_MEMBERS)
    if n_groups < 2:
        return {}
    vectors = neighbour_vectors(counts.pairs, counts.pair_times, chars.size, DIMENSIONS)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", "One of the clusters is empty"
        )  # the centre of an empty cluster stays in place
        centres, _ = kmeans2(vectors[often], n_groups, iter=_ROUNDS, minit="++", seed=0)
    groups, _ = vq(vectors, centres)
    named = {chr(chars[i]): str(groups[i]) for i in np.flatnonzero(times >= TWICE)}
    return {char: group for char, group in named.items() if not char.isspace()}


def neighbour_vectors(pairs: np.ndarray, times: np.ndarray, n: int, dimensions: int) -> np.ndarray:
    """Unit vectors float64[n, d] of n characters, similar for characters with similar neighbours. pairs, times: see :class:`CharacterCounts`.

    They are the square roots of the counts of left and right neighbours, projected on the singular vectors of the largest singular values.
    """
    from scipy.sparse import coo_matrix, hstack
    from scipy.sparse.linalg import svds

    left = coo_matrix((times.astype(float), (pairs[:, 1], pairs[:, 0])), shape=(n, n)).tocsr()
    counts = hstack([left, left.T]).tocsr()
    start = np.random.default_rng(0).normal(size=n)
    left_vectors, values, _ = svds(counts.sqrt(), k=min(dimensions, n - 1), v0=start)
    vectors = left_vectors * values
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
