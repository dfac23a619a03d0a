"""Many sentences are decoded as each of them is by itself."""

from itertools import pairwise

import numpy as np
import pytest

from spacy_mtl.models.tree.decode import decode_arcs, decode_pairs
from spacy_mtl.structures.tree.algorithms.chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree.algorithms.climb import climb_siblings
from spacy_mtl.structures.tree.algorithms.eisner import eisner
from spacy_mtl.structures.tree.algorithms.grand_eisner import eisner_grandparents
from spacy_mtl.structures.tree.algorithms.siblings import eisner_siblings, pair_table
from spacy_mtl.structures.tree.build import all_arcs, all_siblings

STARTS = np.array([0, 4, 5, 11, 16])


@pytest.fixture
def arcs():
    return all_arcs(STARTS)


def dense(arcs, scores, start, n):
    """Scores of the arcs of a sentence as a table."""
    table = np.full((n + 1, n + 1), -np.inf)
    for m in range(1, n + 1):
        listed = slice(arcs.first[start + m - 1], arcs.first[start + m])
        table[arcs.heads[listed], m] = scores[listed]
    return table


def sentences():
    return [(int(a), int(b - a)) for a, b in pairwise(STARTS)]


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize(("projective", "decode"), [(True, eisner), (False, chu_liu_edmonds)])
def test_first_order_trees(arcs, projective, decode, single_root):
    scores = np.random.default_rng(3).normal(size=arcs.heads.size).astype(np.float32)
    out, wanted = np.empty(STARTS[-1], np.int32), np.empty(STARTS[-1], np.int32)
    decode_arcs(STARTS, arcs.first, arcs.heads, scores, projective, single_root, out)
    for start, n in sentences():
        decode(dense(arcs, scores, start, n), single_root, wanted[start : start + n])
    assert out.tolist() == wanted.tolist()


@pytest.mark.parametrize("grandparents", [False, True])
@pytest.mark.parametrize("crossing", [False, True])
def test_second_order_trees(arcs, grandparents, crossing):
    random = np.random.default_rng(4)
    scores = random.normal(size=arcs.heads.size).astype(np.float32)
    first, inner = all_siblings(arcs, STARTS, grandparents)
    pairs = random.normal(size=inner.size).astype(np.float32)
    projective = eisner_grandparents if grandparents else eisner_siblings
    decode = climb_siblings if crossing else projective
    out, wanted = np.empty(STARTS[-1], np.int32), np.empty(STARTS[-1], np.int32)
    kind = not grandparents or None, grandparents or None, crossing or None
    decode_pairs(STARTS, arcs.first, arcs.heads, scores, first, inner, pairs, *kind, True, out)
    for start, n in sentences():
        listed = pairs[first[arcs.first[start]] : first[arcs.first[start + n]]]
        table = pair_table(start, n, arcs.first, arcs.heads, first, inner, listed, grandparents)
        decode(dense(arcs, scores, start, n), table, True, wanted[start : start + n])
    assert out.tolist() == wanted.tolist()
