"""Newton's direction against the conditions of the central path, written out with the blocks themselves."""

import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.central_path import (
    Newton,
    advance,
    first_iterate,
    longest_step,
    scale_problem,
    tau_after,
)

C = 0.3
EXPONENTS = [1.0, 1.05, 1.5, 2.0, 4.0, 100.0]


def conditions(problem, it):
    """All conditions that must vanish at tau = 0, by the products that the iterate keeps."""
    gamma = problem.gamma
    return [
        it.Pw.sum(axis=0) - problem.q - it.lam + it.nu,
        0.5 * it.c ** (-gamma - 1) * it.ww + it.z - it.theta,
        it.c.sum() - 1,
        problem.radius - it.x.sum() - it.slack,
        it.c[:, None] ** -gamma * it.Pw - it.Pv,
        it.x * it.lam,
        it.slack * it.nu,
        it.c * it.z,
    ]


@pytest.mark.parametrize("p", EXPONENTS)
def test_a_small_step_lowers_every_violation_alike(random_cuts, p):
    """F(u + e d) = (1 - e) F(u) + O(e^2) for Newton's direction d towards tau = 0."""
    cuts, step = random_cuts(0), 1e-6
    problem, _ = scale_problem(cuts.Q, cuts.q, C, p)
    it = first_iterate(problem)
    for _ in range(2):  # away from the start, where some conditions hold already
        d = Newton(problem, it).direction(0.2 * it.tau)
        advance(problem, it, d, 0.5 * longest_step(it, d))
    before = conditions(problem, it)
    advance(problem, it, Newton(problem, it).direction(0.0), step)
    for old, new in zip(before, conditions(problem, it), strict=True):
        assert np.allclose(new, (1 - step) * old, rtol=0, atol=1e3 * step**2 * (1 + np.abs(old).max()))


@pytest.mark.parametrize("p", EXPONENTS)
def test_the_kept_products_are_those_of_blocks(random_cuts, p):
    """ww and wv, moved by recursion for p > 2, stay those of the vectors w_j that Pw belongs to."""
    cuts = random_cuts(1)
    problem, _ = scale_problem(cuts.Q, cuts.q, C, p)
    it = first_iterate(problem)
    for _ in range(6):
        d = Newton(problem, it).direction(0.3 * it.tau)
        advance(problem, it, d, 0.9 * longest_step(it, d))
    for j, block in enumerate(np.sqrt(problem.kappa) * b for b in cuts.blocks):
        v = it.x @ block
        w = np.linalg.lstsq(block, it.Pw[j], rcond=None)[0]
        assert it.Pv[j] == pytest.approx(block @ v, rel=1e-8, abs=1e-12)
        assert it.ww[j] == pytest.approx(w @ w, rel=1e-6)
        assert it.wv[j] == pytest.approx(w @ v, rel=1e-6)


def test_steps_stay_inside(random_cuts):
    cuts = random_cuts(2)
    problem, _ = scale_problem(cuts.Q, cuts.q, C, 1.0)
    it = first_iterate(problem)
    d = Newton(problem, it).direction(0.0)
    step = longest_step(it, d)
    assert 0 < step <= 1
    expected = tau_after(it, d, 0.99 * step)
    advance(problem, it, d, 0.99 * step)
    assert it.tau == pytest.approx(expected)
    assert min(it.x.min(), it.lam.min(), it.c.min(), it.z.min(), it.slack, it.nu) > 0


def test_units_take_out_the_scale(random_cuts):
    """Scaling Q and q changes the unit of alpha, and nothing else."""
    cuts = random_cuts(3)
    plain, unit = scale_problem(cuts.Q, cuts.q, C, 1.5)
    scaled, other = scale_problem(1e6 * cuts.Q, 1e-4 * cuts.q, 1e-10 * C, 1.5)
    assert other == pytest.approx(1e-10 * unit)
    assert scaled.radius == pytest.approx(plain.radius)
    assert scaled.kappa * 1e6 == pytest.approx(plain.kappa)
