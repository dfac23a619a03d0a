"""EG when sentences join a corpus: those of before keep their distributions, and with them the weights."""

from dataclasses import replace

import numpy as np
import pytest

from spacy_mtl.structures.contract import Weights
from spacy_mtl.trainers.base import Kept, fit
from spacy_mtl.trainers.eg.trainer import EG

from ..reference import random_problem, solve_primal
from .naive import flat

C, OLD = 0.5, [3, 0, 2]
BY_PARTS = ["online", "batch"]


def only(problem, sentences):
    """The problem of some of its sentences, with the same features."""
    arrays, chosen = problem.arrays, ("first", "last", "open_left", "open_right", "repeats")
    return replace(problem, arrays=arrays._replace(**{name: getattr(arrays, name)[sentences] for name in chosen}))


def kept_of(problem, old, alike=None):
    """What a problem has in common with that of the sentences ``old``."""
    sentences = np.full(problem.n, -1)
    sentences[old] = np.arange(len(old))
    nothing = np.zeros(problem.arrays.gold.size, int)
    return Kept(sentences, nothing, nothing, lambda _: sentences >= 0, sentences >= 0 if alike is None else alike)


def same(weights: Weights) -> Weights:
    return weights


def distributions(training, sentences) -> list[np.ndarray]:
    """The marginals of these sentences, label by label and pair by pair."""
    problem, marginals = training.problem, training._marginals()
    arrays, found = problem.arrays, []
    for i in sentences:
        state = marginals.states[marginals.side[i]]
        words = slice(arrays.first[i], arrays.last[i])
        pairs = state.pairs[words] if arrays.observed else state.pairs[i : i + 1]
        found.append(np.concatenate([state.nodes[words].ravel(), pairs.ravel()]))
    return found


def begun(mode, observed):
    """A training of some of the sentences of a problem, and the problem."""
    problem = random_problem(1, observed=observed)
    return fit(EG(mode, C, tol=1e-9, start=9.0), only(problem, OLD), 40), problem


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("mode", BY_PARTS)
def test_old_sentences_keep_their_distributions_and_new_ones_add_nothing(mode, observed):
    training, problem = begun(mode, observed)
    weights, before, dual = flat(training.weights), distributions(training, range(3)), training.report().dual
    rates = np.copy(training._rates if mode == "online" else training._rate)
    training.extend(problem, same, kept_of(problem, OLD))
    assert training.problem is problem
    for old, new in zip(before, distributions(training, OLD), strict=True):
        np.testing.assert_allclose(new, old, atol=1e-6)
    gold = np.concatenate(distributions(training, [1, 4, 5]))
    assert (np.minimum(gold, abs(gold - 1)) < 0.01).all()
    np.testing.assert_allclose(flat(training.weights), weights, atol=0.02)
    assert training.report().dual >= dual
    np.testing.assert_array_equal(training._rates[OLD] if mode == "online" else training._rate, rates)


@pytest.mark.parametrize("mode", [*BY_PARTS, "batch_primal"])
def test_what_has_joined_is_learnt(mode):
    training, problem = begun(mode, False)
    training.extend(problem, same, kept_of(problem, OLD))
    training.settings = replace(training.settings, tol=1e-3)
    for _ in range(2000):
        training.end_pass()
    optimum, _ = solve_primal(problem, 2.0, C)
    report = training.report()
    assert training.converged
    assert report.dual <= optimum * (1 + 1e-5)
    assert report.primal == pytest.approx(optimum, rel=1.5e-3)


@pytest.mark.parametrize("mode", BY_PARTS)
def test_sentences_with_other_parts_begin_again(mode):
    training, problem = begun(mode, False)
    before = distributions(training, range(3))
    alike = np.isin(np.arange(problem.n), OLD[:2])
    with pytest.warns(UserWarning, match=r"^\[M340\] EG: 1 of the 3 sentences"):
        training.extend(problem, same, kept_of(problem, OLD, alike))
    for old, new in zip(before[:2], distributions(training, OLD[:2]), strict=True):
        np.testing.assert_allclose(new, old, atol=1e-6)
    again = distributions(training, OLD[2:])[0]
    assert (np.minimum(again, abs(again - 1)) < 0.01).all()
    assert abs(before[2] - again).max() > 0.1


def test_theta_from_weights_is_that_of_the_weights_in_every_sentence():
    training, problem = begun("batch_primal", False)
    before = distributions(training, range(3))
    training.extend(problem, same, kept_of(problem, OLD))
    for old, new in zip(before, distributions(training, OLD), strict=True):
        np.testing.assert_allclose(new, old, atol=1e-6)
