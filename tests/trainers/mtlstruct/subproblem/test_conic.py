import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.conic import solve_conic


@pytest.mark.parametrize("p", [1.0, 4 / 3, 2.0, 4.0])
def test_solves_to_its_own_certificate(random_cuts, p):
    cuts = random_cuts(0)
    result = solve_conic(cuts.Q, cuts.q, 0.1, p)
    assert result.relative_gap <= 1e-5
    assert result.iterations > 0
    assert result.alpha.sum() <= 0.1 * (1 + 1e-12)


def test_multipliers_are_the_template_weights(random_cuts):
    cuts = random_cuts(1)
    result = solve_conic(cuts.Q, cuts.q, 0.1, 1.0, solver="CLARABEL")
    assert (result.mu >= 0).all()
    assert result.mu.sum() == pytest.approx(1)


def test_templates_without_features(random_cuts):
    cuts = random_cuts(2)
    Q = cuts.Q
    Q[:3] = 0
    assert solve_conic(Q, cuts.q, 0.1, 1.0).relative_gap <= 1e-5


def test_cuts_without_loss():
    assert solve_conic(np.ones((2, 3, 3)), np.zeros(3), 1.0, 1.0).primal == 0


def test_an_unknown_solver_is_answered_with_those_installed():
    with pytest.raises(ValueError, match=r"M357.*'NO_SUCH'.*CLARABEL"):
        solve_conic(np.ones((1, 1, 1)), np.ones(1), 1.0, 1.0, solver="NO_SUCH")


def test_a_solver_without_cones_is_refused(random_cuts):
    cuts = random_cuts(3)
    with pytest.raises(ValueError, match=r"M358.*'OSQP'.*6 templates and 8 cuts"):
        solve_conic(cuts.Q, cuts.q, 0.1, 1.0, solver="OSQP")
