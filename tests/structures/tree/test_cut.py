"""Trees cut into pieces, against pieces found word by word in plain Python, and best outputs against every tree of a piece."""

import numpy as np
import pytest

from spacy_mtl.structures.problem import Blocks
from spacy_mtl.structures.tree import cut as cut_module
from spacy_mtl.structures.tree.build import GoldTrees, TreeFeatures, all_arcs, kept_arcs, tree_problem
from spacy_mtl.structures.tree.bundles import bundles_of_rows
from spacy_mtl.structures.tree.outputs import crossing_sentences
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.structreg import StructReg

from .trees import all_trees, crosses, is_tree

SENTENCES = [4, 1, 6, 5, 3]


def make(projective=False, labels=1, seed=0, dropped=0.2, single_root=False):
    """Random trees (not all of them projective); every arc has a feature of its own, so a row says which arc it was."""
    rng = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(SENTENCES)])
    gold = np.concatenate(
        [(found := all_trees(n, False, single_root))[rng.integers(len(found))] for n in SENTENCES]
    ).astype(np.int32)
    arcs = all_arcs(starts)
    to = np.repeat(np.arange(starts[-1]), np.diff(arcs.first))
    place = to - starts[np.searchsorted(starts, to, "right") - 1]  # the word before is always a possible head
    keep = (rng.random(to.size) > dropped) | (arcs.heads == gold[to]) | (arcs.heads == place) | (arcs.heads == 0)
    arcs = kept_arcs(arcs, keep)
    n, first_use = arcs.heads.size, arcs.first[starts]
    rows = np.arange(n, dtype=np.int32)[:, None]
    places = (np.arange(n) - np.repeat(first_use[:-1], np.diff(first_use))).astype(np.int32)[:, None]
    node = bundles_of_rows(rows, first_use)
    pair = (node, places) if labels > 1 else (None, None)
    features = TreeFeatures(node, places, *pair)
    blocks = Blocks(np.array([0, n]), np.array([0, n] if labels > 1 else [0]), ("U", "B")[: 1 + (labels > 1)])
    gold_labels = rng.integers(0, labels, gold.size).astype(np.int32)
    names = [str(y) for y in range(labels)]
    return tree_problem(
        features,
        arcs,
        blocks,
        GoldTrees(gold, gold_labels),
        starts,
        names,
        projective=projective,
        single_root=single_root,
    )


def described(arrays, i):
    """A piece: its gold heads, and for each word its heads and the rows of their arcs (None for one without features)."""
    words = range(arrays.first[i], arrays.last[i])
    gold = [int(arrays.gold[t]) for t in words]
    listed = []
    for t in words:
        arcs = range(arrays.first_arc[t], arrays.first_arc[t + 1])
        bundles = [arrays.node_links[a, 0] for a in arcs]
        uses = [None if b < 0 else arrays.node.used[arrays.node.first_use[i] + b] for b in bundles]
        rows = [None if b is None else int(arrays.node.rows[arrays.node.first[b]]) for b in uses]
        listed.append(
            dict(zip(arrays.heads[arrays.first_arc[t] : arrays.first_arc[t + 1]].tolist(), rows, strict=True))
        )
    return gold, listed


def pieces_by_hand(problem, cut):
    """The pieces of the cuts that a cut problem shows: a word whose only arc has no features was cut off. Keyed by the rows of the words' arcs."""
    owner = {}
    for i in range(problem.n):
        for place, rows in enumerate(described(problem.arrays, i)[1], start=1):
            owner |= {row: (i, place, head) for head, row in rows.items()}
    return owner


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("projective", [False, True])
def test_pieces_are_those_of_the_arcs_that_are_left(seed, projective):
    problem = make(projective, seed=seed)
    cut = problem.cut(np.arange(problem.n), 2.0, np.random.default_rng(seed))
    original = [described(problem.arrays, i) for i in range(problem.n)]
    assert cut.arrays.gold.size == problem.arrays.gold.size
    assert (cut.arrays.gold_arc < cut.arrays.heads.size).all()
    owner = pieces_by_hand(problem, cut)
    for i in range(cut.n):
        gold, arcs = described(cut.arrays, i)
        assert is_tree(gold)
        tops = [m for m, heads in enumerate(arcs) if list(heads.values()) == [None]]
        assert len(tops) <= 1
        for m, heads in enumerate(arcs):
            t = cut.arrays.first[i] + m
            assert list(heads) == sorted(heads)
            assert cut.arrays.heads[cut.arrays.gold_arc[t]] == gold[m]
            if m in tops:
                assert (list(heads), gold[m], cut.arrays.cost[t]) == ([0], 0, 0)
                continue
            assert cut.arrays.cost[t] == 1
            # the same arcs as before, between words of this piece
            sentence, place, _ = owner[heads[gold[m]]]
            assert owner[heads[gold[m]]][2] == original[sentence][0][place - 1]
            for head, row in heads.items():
                assert owner[row][:2] == (sentence, place)
                assert (head == 0) == (owner[row][2] == 0)
    if projective:
        for i, (gold, _) in enumerate(original):
            assert not crosses(gold) or described(problem.arrays, i) in [described(cut.arrays, k) for k in range(cut.n)]


def test_every_arc_within_a_piece_is_kept():
    """Counted in the sentence: both ends in the same piece, and the lower one no top; or from the root, in the piece of the root."""
    problem = make(seed=3)
    cut = problem.cut(np.arange(problem.n), 2.0, np.random.default_rng(3))
    rows = {row for i in range(cut.n) for heads in described(cut.arrays, i)[1] for row in heads.values()} - {None}
    owner, piece = pieces_by_hand(problem, cut), {}
    for i in range(cut.n):
        arcs = described(cut.arrays, i)[1]
        known = [owner[next(iter(heads.values()))][:2] if None not in heads.values() else None for heads in arcs]
        for heads in arcs:  # a top is known by the arcs from it
            for head, row in heads.items():
                if row is not None and head and known[head - 1] is None:
                    known[head - 1] = (owner[row][0], owner[row][2])
        rooted = not any(None in heads.values() for heads in arcs)
        for m, word in enumerate(known):
            piece[word] = (i, rooted, None in arcs[m].values())
    for row, (sentence, place, head) in owner.items():
        of, rooted, is_top = piece.get((sentence, place), (-1, False, True))
        same = rooted if head == 0 else piece.get((sentence, head), (-2,))[0] == of
        assert (row in rows) == (same and not is_top)


@pytest.mark.parametrize("projective", [False, True])
def test_best_outputs_are_the_best_trees_of_pieces(projective):
    problem = make(projective, labels=2, seed=5)
    cut = problem.cut(np.arange(problem.n), 2.5, np.random.default_rng(5))
    weights = problem.zeros()
    rng = np.random.default_rng(1)
    weights.node[:], weights.pair[:] = rng.normal(size=weights.node.shape), rng.normal(size=weights.pair.shape)
    for i, hinge in enumerate(cut.hinges(weights)):
        gold, arcs = described(cut.arrays, i)
        first = cut.arrays.first[i]
        value = {}
        for m, heads in enumerate(arcs):
            for head, row in heads.items():
                for y in range(2):
                    score = 0.0 if row is None else float(weights.node[row, 0] + weights.pair[row, y])
                    right = head == gold[m], y == cut.arrays.gold_label[first + m]
                    loss = 0.0 if row is None or all(right) else 1.0
                    value[m, head, y] = score, loss
        allowed = {tuple(tree) for tree in all_trees(len(gold), projective, False).tolist()} | {tuple(gold)}
        best = max(
            sum(max(sum(value[m, head, y]) for y in range(2)) for m, head in enumerate(tree))
            for tree in allowed
            if all(head in arcs[m] for m, head in enumerate(tree))
        )
        at_gold = sum(value[m, head, cut.arrays.gold_label[first + m]][0] for m, head in enumerate(gold))
        assert hinge == pytest.approx(best - at_gold, abs=1e-4)


def test_short_sentences_stay_whole():
    problem = make(seed=2)
    cut = problem.cut(np.arange(problem.n), 100, np.random.default_rng(0))
    for mine, theirs in zip(cut.arrays[:10], problem.arrays[:10], strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for i in range(problem.n):
        assert described(cut.arrays, i) == described(problem.arrays, i)


def test_sentences_can_be_cut_in_any_order():
    problem = make(seed=4)
    cut = problem.cut(np.array([3, 1]), 100, np.random.default_rng(0))
    assert [described(cut.arrays, i) for i in range(2)] == [described(problem.arrays, i) for i in (3, 1)]


def test_crossing_trees_are_looked_for_among_what_is_cut(monkeypatch):
    """One batch at a time is cut in online training, which must not take as long as all of the corpus."""
    problem, seen = make(True, seed=4), []

    def crossing(heads, starts):
        seen.append(heads.size)
        return crossing_sentences(heads, starts)

    monkeypatch.setattr(cut_module, "crossing_sentences", crossing)
    problem.cut(np.array([3, 1]), 2, np.random.default_rng(0))
    assert seen == [SENTENCES[3] + SENTENCES[1]]
    assert problem.cut(np.array([], np.int64), 2, np.random.default_rng(0)).n == 0


def test_pieces_have_the_size_asked_for():
    problem = make(seed=6)
    random = np.random.default_rng(0)
    tops = [
        (cut := problem.cut(np.arange(problem.n), 2.5, random)).arrays.cost.size - cut.arrays.cost.sum()
        for _ in range(400)
    ]
    longer = sum(n for n in SENTENCES if n > 2.5)
    assert np.mean(tops) == pytest.approx(longer / 2.5, rel=0.05)


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("trainer", [Perceptron(), CRF(C=10.0)], ids=["online", "batch"])
def test_trees_are_learnt_from_pieces(trainer, projective):
    """Every arc has a weight of its own: only those that were in a piece beside others are known, and whole sentences lose less all the same."""
    problem = make(projective, labels=2, seed=7)
    training = fit(StructReg(trainer, size=3.0, redraw=4), problem, 60)
    weights = training.weights
    assert problem.hinges(weights).sum() < 0.5 * problem.hinges(problem.zeros()).sum()
