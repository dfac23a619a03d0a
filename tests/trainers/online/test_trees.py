"""The perceptron and MIRA on small tree problems: each step against enumeration of all trees, and the average of all of them."""

import numpy as np
import pytest

from spacy_mtl.trainers.online.mira import MIRA
from spacy_mtl.trainers.online.perceptron import Perceptron

from ...structures.tree.corpora import flat
from ..test_trees import GRANDPARENTS, KINDS, corpus_of, margins
from .test_mira import least_change

#: more than any sentence has outputs
ALL = 200


def rows_of(kind):
    """Phi(gold) - Phi(y), float64[Y, K], and the loss, float64[Y], of every output of each sentence."""
    corpus = corpus_of(*kind)
    return [(-differences, losses) for differences, losses in (margins(corpus, i) for i in range(corpus.problem.n))]


def order_of(n: int, passes: int) -> list[int]:
    return np.concatenate([np.random.default_rng(k).permutation(n) for k in range(passes)]).tolist()


@pytest.mark.parametrize("margin", [False, True])
@pytest.mark.parametrize("kind", [*KINDS, GRANDPARENTS])
def test_a_step_of_the_perceptron_is_gold_minus_a_best_tree(kind, margin):
    """Any of those that are as good as each other: there are many while weights are few."""
    problem, rows = corpus_of(*kind).problem, rows_of(kind)
    training, seen, total, moved = Perceptron(margin=margin).begin(problem), [], 0.0, 0
    for i in order_of(problem.n, 4):
        differences, losses = rows[i]
        before = flat(training._state.w)
        scores = margin * losses - differences @ before
        training.step(np.array([i]))
        seen.append(flat(training._state.w))
        step, loss = seen[-1] - before, training._pass_loss - total
        total = training._pass_loss
        best = scores >= scores.max() - 1e-5
        same = np.abs(np.where(losses[:, None] > 0, differences, 0) - step).max(axis=1) < 1e-5
        assert (best & same & (np.abs(losses - loss) < 1e-5)).any()
        moved += bool(step.any())
        np.testing.assert_allclose(flat(training.weights), np.mean(seen, axis=0), atol=1e-5)
    assert moved


@pytest.mark.parametrize("C", [0.05, 10.0])
@pytest.mark.parametrize("kind", KINDS)
def test_a_step_of_mira_is_the_least_change_that_keeps_all_margins(kind, C):
    problem, rows = corpus_of(*kind).problem, rows_of(kind)
    training, w, seen, hinges = MIRA(k=ALL, C=C).begin(problem), 0.0 * rows_of(kind)[0][0][0], [], 0.0
    for i in order_of(problem.n, 2):
        differences, losses = rows[i]
        hinges += (losses - differences @ w).max()
        w = least_change(w, differences, losses, C)
        seen.append(w)
        training.step(np.array([i]))
        np.testing.assert_allclose(flat(training._state.w), w, atol=5e-4)
    np.testing.assert_allclose(flat(training.weights), np.mean(seen, axis=0), atol=5e-4)
    training.end_pass()
    assert training.loss == pytest.approx(hinges, abs=2e-3)
    assert np.abs(w).max() > 0.01
