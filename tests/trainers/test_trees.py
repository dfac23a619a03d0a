"""Trainers on small tree problems: MTLStruct and EG against cvxpy over all trees; what is learnt from approximate decoding."""

import functools

import cvxpy as cp
import numpy as np
import pytest

from spacy_mtl.structures.problem import Blocks, block_starts
from spacy_mtl.structures.tree.build import GoldTrees, TreeFeatures, all_arcs, all_siblings, tree_problem
from spacy_mtl.structures.tree.bundles import bundles_of_rows
from spacy_mtl.structures.tree.problem import Siblings
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron
from spacy_mtl.trainers.online_mkl.trainer import OnlineMKL
from spacy_mtl.trainers.structreg import StructReg

from ..structures.tree.corpora import TreeCorpus, flat
from ..structures.tree.trees import all_trees

C = 0.7
#: labels, projective, second_order, grandparents; decoding is approximate under the ROUGH ones
ROUGH = [(1, False, True), (1, False, True, True)]
KINDS = [(1, True, False), (1, False, False), (2, True, False), (1, True, True)]
#: exact, but there are no sums
GRANDPARENTS = (1, True, True, True)


@functools.cache
def corpus_of(n_labels: int, projective: bool, second_order: bool, grandparents: bool = False) -> TreeCorpus:
    """Six sentences of up to four words: templates that tell gold arcs apart more or less often, and noise."""
    rng = np.random.default_rng(11)
    starts = block_starts(rng.integers(1, 5 - (n_labels > 1), 6))
    sizes = np.diff(starts)
    trees = [all_trees(n, projective, True) for n in sizes]
    gold = np.concatenate([options[rng.integers(len(options))] for options in trees]).astype(np.int32)
    arcs = all_arcs(starts)
    word = np.repeat(np.arange(gold.size), np.diff(arcs.first))
    sentence = np.repeat(np.arange(sizes.size), sizes)[word]
    is_gold = arcs.heads == gold[word]
    clear = rng.random((arcs.heads.size, 4)) > np.linspace(0.2, 1.0, 4)
    values = np.where(clear, is_gold[:, None], rng.integers(0, 4, (arcs.heads.size, 4)))
    node_blocks = block_starts([4] * 4)
    first_use = block_starts(np.bincount(sentence))
    rows, place = (values + node_blocks[:-1]).astype(np.int32), np.arange(arcs.heads.size) - first_use[sentence]
    links = place.astype(np.int32)[:, None]
    labels, pair, pair_blocks = np.zeros(gold.size, np.int32), None, np.zeros(1, np.int64)
    if n_labels > 1:
        labels = rng.integers(n_labels, size=gold.size).astype(np.int32)
        hints = np.where(rng.random(arcs.heads.size) < 0.8, labels[word], 2)
        pair_blocks = block_starts([3, 2])
        pair = bundles_of_rows(
            np.stack([hints, 3 + rng.integers(0, 2, hints.size)], axis=1).astype(np.int32), first_use
        )
    siblings = None
    if second_order:
        first, inner = all_siblings(arcs, starts, grandparents)
        owner = np.repeat(sentence, np.diff(first))
        siblings = Siblings(first, inner, rng.integers(0, np.diff(first_use)[owner])[:, None].astype(np.int32))
    names = tuple(f"t{j}" for j in range(4 + pair_blocks.size - 1))
    pair_links = None if pair is None else links
    features = TreeFeatures(bundles_of_rows(rows, first_use), links, pair, pair_links, siblings, grandparents)
    problem = tree_problem(
        features, arcs, Blocks(node_blocks, pair_blocks, names), GoldTrees(gold, labels), starts,
        [f"y{y}" for y in range(n_labels)], projective,
    )  # fmt: skip
    return TreeCorpus(problem, rng)


def margins(corpus: TreeCorpus, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Phi(y) - Phi(gold) and the loss of every output y."""
    gold, outputs = corpus.phi(i, corpus.gold(i)), corpus.outputs(i)
    return np.stack([corpus.phi(i, y) - gold for y in outputs]), np.array([corpus.loss(i, y) for y in outputs])


@functools.cache
def solve(kind: tuple, p: float, loss: str = "hinge") -> tuple[float, np.ndarray]:
    """min 1/2 ||w||_{2,p}^2 + C sum_i loss_i by cvxpy: the optimum, and the weights."""
    corpus = corpus_of(*kind)
    w, losses = cp.Variable(corpus.owner.size), []
    for i in range(corpus.problem.n):
        differences, costs = margins(corpus, i)
        losses.append(cp.max(differences @ w + costs) if loss == "hinge" else cp.log_sum_exp(differences @ w))
    norms = cp.hstack([cp.norm(w[np.flatnonzero(corpus.owner == j)]) for j in range(corpus.problem.blocks.n)])
    size = cp.norm1(norms) if p == 1 else cp.pnorm(norms, p)
    problem = cp.Problem(cp.Minimize(0.5 * cp.square(size) + C * sum(losses)))
    return float(problem.solve(solver=cp.CLARABEL)), w.value


@pytest.mark.filterwarnings("ignore:.*M332")
@pytest.mark.parametrize("kind", [*KINDS, GRANDPARENTS])
@pytest.mark.parametrize("p", [1.0, 2.0])
def test_mtlstruct_reaches_the_optimum(kind, p):
    optimum, _ = solve(kind, p)
    training = fit(MTLStruct(p=p, C=C, tol=2e-5), corpus_of(*kind).problem, 8000)
    report = training.report()
    assert training.converged
    assert report.primal == pytest.approx(optimum, rel=1e-4)
    assert report.dual <= optimum * (1 + 1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_cutting_plane_reaches_the_optimum(kind):
    optimum, _ = solve(kind, 1.0)
    training = fit(MTLStruct(p=1.0, C=C, solver="cutting_plane", tol=2e-5), corpus_of(*kind).problem, 500)
    assert training.report().primal == pytest.approx(optimum, rel=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mode", ["online", "batch", "batch_primal"])
def test_exponentiated_gradient_reaches_the_optimum(mode, kind):
    optimum, w = solve(kind, 2.0)
    training = fit(EG(mode, C, tol=1e-3), corpus_of(*kind).problem, 600)
    report = training.report()
    assert report.dual <= optimum * (1 + 1e-4)
    assert report.primal == pytest.approx(optimum, rel=5e-3)
    np.testing.assert_allclose(flat(training.weights), w, atol=0.1)


@pytest.mark.parametrize("kind", ROUGH)
@pytest.mark.parametrize(
    "trainer",
    [Perceptron(), L1M3N(C=1.0, algorithm="subgradient"), OnlineMKL(C=1.0), MTLStruct(C=C, solver="cutting_plane")],
    ids=lambda trainer: type(trainer).__name__,
)
def test_trainers_learn_from_approximate_decoding(trainer, kind):
    """By all trees: margins are mostly kept, and gold is above all others in all sentences but one."""
    corpus = corpus_of(*kind)
    w = flat(fit(trainer, corpus.problem, 20).weights)
    rows = [margins(corpus, i) for i in range(corpus.problem.n)]
    untrained = sum(np.max(costs) for _, costs in rows)
    assert sum(np.max(differences @ w + costs) for differences, costs in rows) < 0.4 * untrained
    above = [np.max(differences[costs > 0] @ w, initial=-1) < 0 for differences, costs in rows]
    assert sum(above) >= corpus.problem.n - 1


@pytest.mark.parametrize("kind", ROUGH)
def test_a_report_of_approximate_decoding_is_made_of_lower_bounds(kind):
    """The dual is one of the optimum; hinges, and the primal with them, are ones of the true values."""
    corpus = corpus_of(*kind)
    optimum, _ = solve(kind, 2.0)
    training = fit(MTLStruct(p=2.0, C=C, tol=1e-4), corpus.problem, 500)
    w, report = flat(training.weights), training.report()
    hinges = [
        np.max(differences @ w + costs) for differences, costs in (margins(corpus, i) for i in range(corpus.problem.n))
    ]
    found = corpus.problem.hinges(training.weights)
    assert (found >= 0).all()
    assert (found <= np.array(hinges) + 1e-5).all()
    assert report.dual <= optimum * (1 + 1e-6)
    assert report.primal <= (0.5 * w @ w + C * sum(hinges)) * (1 + 1e-6)
    untrained = sum(np.max(margins(corpus, i)[1]) for i in range(corpus.problem.n))
    assert 0.5 * w @ w + C * sum(hinges) < C * untrained


@pytest.mark.parametrize("trainer", [MIRA(k=3), EG("online", C), OnlineMKL(loss="log", regularizer="l2", C=C)])
def test_trainers_that_need_more_than_decoding_are_refused(trainer):
    with pytest.raises(ValueError, match=r"M301.*dependency tree"):
        trainer.begin(corpus_of(*ROUGH[0]).problem)


@pytest.mark.parametrize("trainer", [MTLStruct(C=C), Perceptron()], ids=["batch", "online"])
def test_trees_of_the_second_order_cannot_be_cut(trainer):
    with pytest.raises(ValueError, match=r"M301.*StructReg.*dependency tree.*cut"):
        StructReg(trainer).begin(corpus_of(1, True, True).problem)
    StructReg(trainer).begin(corpus_of(1, True, False).problem)
