import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.certificate import gram_products
from spacy_mtl.trainers.mtlstruct.subproblem.conic import solve_conic
from spacy_mtl.trainers.mtlstruct.subproblem.qcqp import solve_qcqp


@pytest.mark.parametrize("C", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_a_conic_solver(random_cuts, seed, C):
    cuts = random_cuts(seed)
    ours, theirs = solve_qcqp(cuts.Q, cuts.q, C), solve_conic(cuts.Q, cuts.q, C, 1.0)
    assert ours.dual == pytest.approx(theirs.dual, rel=1e-7)
    assert ours.primal == pytest.approx(theirs.dual, rel=1e-7)
    assert ours.mu == pytest.approx(theirs.mu, abs=1e-4)


@pytest.mark.parametrize("C", [1e-3, 10.0])
def test_optimality_conditions(random_cuts, C):
    """Weighted templates have maximal t, cuts with alpha > 0 are the most violated, and C binds or the hinge is 0."""
    cuts = random_cuts(11, m=10, s=15)
    result = solve_qcqp(cuts.Q, cuts.q, C)
    products, t = gram_products(cuts.Q, result.alpha)
    assert t[result.mu > 1e-6] == pytest.approx(t.max(), rel=1e-6)
    margins = cuts.q - result.mu @ products
    active = result.alpha > 1e-6 * result.alpha.sum()
    hinge = max(0.0, margins.max())
    assert margins[active] == pytest.approx(hinge, abs=1e-6)
    assert (C - result.alpha.sum()) * hinge == pytest.approx(0, abs=1e-6 * result.primal)


def test_one_cut_by_hand():
    """alpha = min(C, q / max_j Q_j), all weight on the template of the largest Q."""
    Q, q = np.array([2.0, 8.0, 0.5]).reshape(3, 1, 1), np.array([0.4])
    free = solve_qcqp(Q, q, 1.0)
    assert free.alpha == pytest.approx([0.05], rel=1e-6)
    assert free.mu == pytest.approx([0, 1, 0], abs=1e-6)
    assert free.primal == pytest.approx(0.5 * 0.4**2 / 8)
    bound = solve_qcqp(Q, q, 0.01)
    assert bound.alpha == pytest.approx([0.01], rel=1e-6)
    assert bound.dual == pytest.approx(0.004 - 0.5 * 8 * 1e-4)


def test_units_do_not_matter(random_cuts):
    cuts = random_cuts(12)
    plain = solve_qcqp(cuts.Q, cuts.q, 0.1)
    scaled = solve_qcqp(1e8 * cuts.Q, cuts.q, 1e-9)
    assert scaled.primal == pytest.approx(1e-8 * plain.primal, rel=1e-8)
    assert scaled.mu == pytest.approx(plain.mu, abs=1e-6)


def test_as_many_templates_as_there_ever_are(random_cuts):
    cuts = random_cuts(13, m=150, s=60, dims=(5, 80))
    result = solve_qcqp(cuts.Q, cuts.q, 0.05)
    assert result.relative_gap <= 2e-9
    assert result.mu.sum() == pytest.approx(1)


def test_a_template_without_features_gets_no_weight(random_cuts):
    cuts = random_cuts(14)
    Q = cuts.Q
    Q[2] = 0
    assert solve_qcqp(Q, cuts.q, 0.1).mu[2] == pytest.approx(0, abs=1e-9)


def test_duplicated_cuts_change_nothing(random_cuts):
    cuts = random_cuts(15)
    twice = np.arange(16) % 8
    once = solve_qcqp(cuts.Q, cuts.q, 0.1)
    both = solve_qcqp(cuts.Q[:, twice][:, :, twice], cuts.q[twice], 0.1)
    assert both.primal == pytest.approx(once.primal, rel=1e-8)
    assert both.mu == pytest.approx(once.mu, abs=1e-5)
    assert both.alpha[:8] + both.alpha[8:] == pytest.approx(once.alpha, abs=1e-5 * once.alpha.sum())


def test_cuts_without_loss():
    result = solve_qcqp(np.ones((2, 3, 3)), np.array([0.0, -1.0, 0.0]), 1.0)
    assert result.primal == result.dual == 0
    assert result.mu.tolist() == [0.5, 0.5]


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="M354"):
        solve_qcqp(np.ones((2, 3, 3)), np.ones(2), 1.0)
    with pytest.raises(ValueError, match="M356"):
        solve_qcqp(np.ones((2, 3, 3)), np.ones(3), 0.0)
