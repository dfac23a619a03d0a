"""Given heads and forbidden arcs; sentences of one word and of five hundred."""

import numpy as np
import pytest

from spacy_mtl.structures.problem import block_starts
from spacy_mtl.structures.tree.algorithms.chu_liu import chu_liu_edmonds
from spacy_mtl.structures.tree.algorithms.eisner import eisner, is_projective
from spacy_mtl.structures.tree.algorithms.inside import projective_marginals
from spacy_mtl.structures.tree.algorithms.matrix import spanning_marginals
from spacy_mtl.structures.tree.build import Arcs, all_arcs, fixed_heads, without_arcs

from .trees import is_tree, random_scores, scored_trees

DECODERS = {True: eisner, False: chu_liu_edmonds}
MARGINALS = {True: projective_marginals, False: spanning_marginals}


def masked(scores, arcs: Arcs):
    """The scores of the arcs of one sentence, -inf elsewhere."""
    out = np.full(scores.shape, -np.inf)
    words = np.repeat(np.arange(1, len(scores)), np.diff(arcs.first))
    out[arcs.heads, words] = scores[arcs.heads, words]
    return out


def check_best(scores, projective, wanted: dict) -> None:
    """The decoder gives the best of the wanted trees; -inf and heads of -1 where there is none. So do marginals: 0."""
    heads, marginals = np.full(len(scores) - 1, 99, np.int32), np.empty(scores.shape)
    score = DECODERS[projective](scores, True, heads)
    log_z = MARGINALS[projective](scores, True, marginals)
    if not wanted:
        assert score == log_z == -np.inf
        assert (heads == -1).all()
        assert not marginals.any()
    else:
        assert score == pytest.approx(max(wanted.values()), abs=1e-9)
        assert wanted[tuple(heads.tolist())] == pytest.approx(score, abs=1e-9)
        np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, atol=1e-9)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("n", [3, 5])
def test_given_heads(projective, n):
    """Trees under given heads are those of all trees that have them, none where the heads are no part of any."""
    rng, found = np.random.default_rng(n), set()
    for _ in range(80):
        given = np.where(rng.random(n) < 0.5, rng.integers(0, n + 1, n), -1).astype(np.int32)
        given[given == np.arange(1, n + 1)] = -1
        arcs, scores = fixed_heads(all_arcs(np.array([0, n])), given), random_scores(rng, n)
        wanted = {
            tree: score
            for tree, score in scored_trees(scores, projective, True).items()
            if all(h in (-1, head) for h, head in zip(given, tree, strict=True))
        }
        found.add(bool(wanted))
        check_best(masked(scores, arcs), projective, wanted)
    assert found == {False, True}


@pytest.mark.parametrize("projective", [False, True])
def test_forbidden_arcs(projective):
    rng, n = np.random.default_rng(2), 5
    for share in (0.2, 0.5, 0.8):
        for _ in range(8):
            every, scores = np.argwhere(rng.random((n, n + 1)) < share), random_scores(rng, n)
            wanted = {
                tree: score
                for tree, score in scored_trees(scores, projective, True).items()
                if not {(m, h) for m, h in enumerate(tree)} & {(int(m), int(h)) for m, h in every}
            }
            check_best(masked(scores, without_arcs(all_arcs(np.array([0, n])), every)), projective, wanted)


def test_masks_of_several_sentences():
    arcs = all_arcs(np.array([0, 2, 5]))
    kept = fixed_heads(arcs, np.array([-1, 0, 3, -1, 5], np.int32))
    assert kept.first.tolist() == [0, 2, 3, 4, 7, 7]  # head 5 is not among the arcs of the last word
    assert kept.heads.tolist() == [0, 2, 0, 3, 0, 1, 3]
    kept = without_arcs(arcs, np.array([[1, 1], [4, 0], [4, 9], [4, 2]]))
    assert kept.first.tolist() == [0, 2, 3, 6, 9, 10]
    assert kept.heads.tolist() == [0, 2, 0, 0, 2, 3, 0, 1, 3, 1]
    assert without_arcs(arcs, np.empty((0, 2), np.int64)).heads.tolist() == arcs.heads.tolist()


@pytest.mark.parametrize("projective", [False, True])
def test_one_word(projective):
    scores, marginals = np.array([[0.0, 2.0], [9.0, 9.0]]), np.empty((2, 2))
    check_best(scores, projective, {(0,): 2.0})
    assert MARGINALS[projective](scores, True, marginals) == 2
    assert marginals.tolist() == [[0, 1], [0, 0]]
    assert all_arcs(np.array([0, 1])).heads.tolist() == [0]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("pruned", [False, True])
def test_five_hundred_words(projective, pruned):
    """All arcs, or ten a word (a chain of neighbours is always among them)."""
    rng, n = np.random.default_rng(1), 500
    scores = rng.normal(size=(n + 1, n + 1))
    if pruned:
        words = range(1, n + 1)
        heads = [np.setdiff1d(np.append(rng.integers(0, n + 1, 8), [m - 1, m + 1]), [m, n + 1]) for m in words]
        first = block_starts([h.size for h in heads])
        scores = masked(scores, Arcs(first, np.concatenate(heads).astype(np.int32)))
    heads, marginals = np.empty(n, np.int32), np.empty((n + 1, n + 1))
    score = DECODERS[projective](scores, True, heads)
    assert is_tree(heads.tolist())
    assert (heads == 0).sum() == 1
    assert is_projective(heads) or not projective
    assert score == pytest.approx(scores[heads, np.arange(1, n + 1)].sum())
    log_z = MARGINALS[projective](scores, True, marginals)
    assert log_z > score
    assert (marginals >= 0).all()
    np.testing.assert_allclose(marginals[:, 1:].sum(axis=0), 1, atol=1e-6)
    assert marginals[0].sum() == pytest.approx(1)
    assert not marginals[scores == -np.inf].any()
