import numpy as np
import pytest

from spacy_mtl.trainers.mtlstruct.subproblem.solve import Subproblem, solve_subproblem


@pytest.mark.parametrize("p", [1.0, 1.5, 4.0])
def test_every_solver_finds_the_same_optimum(random_cuts, p):
    cuts = random_cuts(0)
    results = [
        solve_subproblem(cuts.Q, cuts.q, 0.1, p, solver) for solver in ("interior_point", "cvxpy", "cvxpy:CLARABEL")
    ]
    for result in results:
        assert isinstance(result, Subproblem)
        assert result.dual == pytest.approx(results[0].primal, rel=1e-6)


@pytest.mark.parametrize("solver", ["simplex", "cvxpy_CLARABEL", ""])
def test_an_unknown_solver_is_refused(solver):
    with pytest.raises(ValueError, match="M359"):
        solve_subproblem(np.ones((1, 1, 1)), np.ones(1), 1.0, 1.0, solver)


def test_an_unknown_conic_solver_is_refused():
    with pytest.raises(ValueError, match="M357"):
        solve_subproblem(np.ones((1, 1, 1)), np.ones(1), 1.0, 1.0, "cvxpy:NO_SUCH")


def multiclass(seed, n=60, classes=4):
    """A small multi-class problem with template blocks of very different sizes, and labels that follow two of them."""
    rng = np.random.default_rng(seed)
    features = [(rng.random((n, d)) < 0.3) * 10.0 ** rng.uniform(-1, 0.5) for d in (3, 30, 8, 15)]
    scores = sum(x @ rng.normal(size=(x.shape[1], classes)) for x in features[:2])
    return features, np.argmax(scores + 0.5 * rng.normal(size=scores.shape), axis=1)


@pytest.mark.parametrize("p", [1.0, 1.5, 4.0])
def test_every_round_of_a_cutting_plane_is_solved(p):
    """Cuts grow alike as Algorithm 1 converges: every subproblem is still certified, and the bound rises."""
    features, gold = multiclass(0)
    n, C, classes, rows = len(gold), 2.0, 4, np.arange(len(gold))
    w = [np.zeros((x.shape[1], classes)) for x in features]
    cuts, q, alpha, lower, empirical = [], [], np.zeros(0), 0.0, np.inf
    for _ in range(40):
        scores = sum(x @ block for x, block in zip(features, w, strict=True))
        augmented = scores + 1.0
        augmented[rows, gold] -= 1.0
        wrong = np.argmax(augmented, axis=1)
        difference = np.eye(classes)[gold] - np.eye(classes)[wrong]
        cuts.append([-(x.T @ difference) / n for x in features])
        q.append(float(np.mean(wrong != gold)))
        norm = np.linalg.norm([np.linalg.norm(block) for block in w], p)
        hinge = float(np.mean(augmented.max(axis=1) - scores[rows, gold]))
        empirical = min(empirical, 0.5 * norm**2 + C * hinge)
        blocks = [np.stack([cut[j].ravel() for cut in cuts]) for j in range(len(features))]
        Q = np.stack([block @ block.T for block in blocks])
        result = solve_subproblem(Q, np.array(q), C, p, start=np.append(alpha, 0.0))
        assert result.relative_gap <= 2e-9
        assert result.dual >= lower * (1 - 1e-8)
        alpha, lower = result.alpha, result.dual
        w = [-mu * np.tensordot(alpha, np.stack([cut[j] for cut in cuts]), 1) for j, mu in enumerate(result.mu)]
    assert lower <= empirical
    assert empirical - lower <= 0.05 * empirical
