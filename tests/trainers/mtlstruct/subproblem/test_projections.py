import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.trainers.mtlstruct.subproblem.projections import project_simplex_slack

vectors = st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=1, max_size=12).map(np.array)
radii = st.floats(1e-3, 1e3)


def assert_nearest(v, x, vertices):
    """x is the projection of v onto a convex hull exactly if <v - x, y - x> <= 0 at every vertex y."""
    size = 1.0 + np.abs(v).max() + np.abs(vertices).max()
    assert ((vertices - x) @ (v - x)).max() <= 1e-11 * size**2


@given(vectors, radii)
def test_simplex_with_slack_is_nearest(v, radius):
    x = project_simplex_slack(v, radius)
    assert (x >= 0).all()
    assert x.sum() <= radius * (1 + 1e-12)
    assert_nearest(v, x, radius * np.vstack([np.zeros(v.size), np.eye(v.size)]))


@given(vectors, radii)
def test_a_projection_projects_onto_itself(v, radius):
    x = project_simplex_slack(v, radius)
    assert np.allclose(project_simplex_slack(x, radius), x, rtol=1e-12, atol=1e-12 * radius)


def test_by_hand():
    assert project_simplex_slack(np.array([0.2, -1.0, 0.3]), 1.0).tolist() == [0.2, 0.0, 0.3]
    assert project_simplex_slack(np.array([2.0, 1.0, -5.0]), 1.0).tolist() == [1.0, 0.0, 0.0]


def test_radius_is_not_lost_in_large_numbers():
    x = project_simplex_slack(np.array([1e18, 1e18, 0.0]), 1.0)
    assert x.tolist() == [0.5, 0.5, 0.0]


def test_the_input_is_not_changed_or_shared():
    v = np.array([0.1, 0.2])
    project_simplex_slack(v, 1.0)[0] = 9.0
    assert v.tolist() == [0.1, 0.2]


def test_bad_input_is_refused():
    for radius in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="M350"):
            project_simplex_slack(np.ones(2), radius)
    for v in (np.ones((2, 2)), np.array([1.0, np.nan])):
        with pytest.raises(ValueError, match="M351"):
            project_simplex_slack(v, 1.0)
