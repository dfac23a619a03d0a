"""Trainers on arrays: a kernelised block trains as the explicit features whose inner products it is."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from spacy_mtl.sequences import Categories, KernelBlock, fit, predict, problem_from_arrays
from spacy_mtl.trainers.base import Trainer
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

#: Passes compared one by one.
PASSES = 12


def gaussian(sigma2):
    def values(a, b):
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / (2 * sigma2))

    return values


def assert_same_training(explicit, kernelised, p, C=0.5):
    """The same primal, dual and template weights in the first passes, up to rounding, and the same optimum in the end."""
    settings, reports = MTLStruct(p=p, C=C, tol=1e-3), ([], [])
    trainings = []
    for problem, seen in zip((explicit, kernelised), reports, strict=True):

        def see(training, seen=seen):
            if training.passes <= PASSES:
                report = training.report()
                seen.append((report.primal, report.dual, *training.template_weights))

        trainings.append(fit(settings, problem, 1000, see))
    np.testing.assert_allclose(reports[0], reports[1], rtol=1e-3, atol=1e-5)
    first, second = trainings
    assert first.converged
    assert second.converged
    assert second.report().dual == pytest.approx(first.report().dual, rel=1e-3)
    return trainings


@pytest.mark.parametrize("p", [1.0, 4 / 3, 2.0])
def test_linear_kernel(letters, new_letters, p):
    rest = {"codes": Categories(letters.columns)}
    explicit = problem_from_arrays({"pixels": letters.vectors, **rest}, letters.y, letters.lengths)
    hidden = {"pixels": KernelBlock(letters.vectors, "linear"), **rest}
    kernelised = problem_from_arrays(hidden, letters.y, letters.lengths)
    first, second = assert_same_training(explicit, kernelised, p)
    new = {"pixels": new_letters.vectors, "codes": Categories(new_letters.columns)}
    ours = explicit.model(first.weights).scores(new)
    np.testing.assert_allclose(kernelised.model(second.weights).scores(new), ours, atol=0.05)
    labels = predict(explicit, first.weights, new, new_letters.lengths)
    assert (predict(kernelised, second.weights, new, new_letters.lengths) == labels).mean() > 0.9


@pytest.mark.parametrize("p", [4 / 3, 2.0])
def test_gaussian_kernel_and_its_cholesky_factor(letters, p):
    factor = np.linalg.cholesky(gaussian(2.0)(letters.vectors, letters.vectors) + 1e-9 * np.eye(letters.y.size))
    explicit = problem_from_arrays({"g": factor, "x": letters.vectors}, letters.y, letters.lengths)
    blocks = {"g": KernelBlock(letters.vectors, "gaussian", sigma2=2.0), "x": letters.vectors}
    kernelised = problem_from_arrays(blocks, letters.y, letters.lengths)
    assert_same_training(explicit, kernelised, p)


def test_the_users_function_is_a_kernel_too(letters, new_letters):
    named = problem_from_arrays(KernelBlock(letters.vectors, "gaussian", sigma2=2.0), letters.y, letters.lengths)
    own = problem_from_arrays(KernelBlock(letters.vectors, gaussian(2.0)), letters.y, letters.lengths)
    first, second = assert_same_training(named, own, 2.0)
    labels = predict(named, first.weights, new_letters.vectors, new_letters.lengths)
    np.testing.assert_array_equal(predict(own, second.weights, new_letters.vectors, new_letters.lengths), labels)


def test_both_solvers_agree_over_kernels(letters):
    X = {"g": KernelBlock(letters.vectors, "gaussian", sigma2=2.0), "s": KernelBlock(letters.vectors, "b1_spline")}
    problem = problem_from_arrays(X, letters.y, letters.lengths)
    ascent, cuts = (
        fit(MTLStruct(p=1.0, C=0.3, solver=solver), problem, 2000) for solver in ("dual_ascent", "cutting_plane")
    )
    assert ascent.report().gap < 1e-3
    assert cuts.converged
    assert cuts.report().primal == pytest.approx(ascent.report().primal, rel=2e-3)
    np.testing.assert_allclose(
        cuts.template_weights, ascent.template_weights / ascent.template_weights.sum(), atol=0.02
    )


def test_training_learns(letters, new_letters):
    X, new_X = (
        {"x": data.vectors, "g": KernelBlock(data.vectors, "gaussian", sigma2=2.0), "c": Categories(data.columns)}
        for data in (letters, new_letters)
    )
    problem = problem_from_arrays(X, letters.y, letters.lengths)
    training = fit(MTLStruct(p=4 / 3, C=1.0), problem, 25)
    model = problem.model(training.weights)
    assert (model.predict(X, letters.lengths) == letters.y).mean() > 0.95
    assert (model.predict(new_X, new_letters.lengths) == new_letters.y).mean() > 0.85


@dataclass(frozen=True)
class NeedsFeatures(Trainer):
    """A trainer of single weights."""

    needs: ClassVar[frozenset[str]] = frozenset({"decode", "features"})

    def _begin(self, problem):
        return "begun"


def test_trainers_of_single_weights_refuse_kernels(letters):
    explicit = problem_from_arrays(letters.vectors, letters.y, letters.lengths)
    assert NeedsFeatures().begin(explicit) == "begun"
    mixed = {"x": letters.vectors, "g": KernelBlock(letters.vectors)}
    kernelised = problem_from_arrays(mixed, letters.y, letters.lengths)
    with pytest.raises(ValueError, match=r"\[M301\].*features"):
        NeedsFeatures().begin(kernelised)
