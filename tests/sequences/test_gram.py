"""Kernels against their formulas one pair at a time, and the checks on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from spacy_mtl.sequences import gram
from spacy_mtl.sequences.gram import (
    TOLERANCE,
    Kernel,
    check_kernel,
    compare,
    neighbour_distance,
    sample,
    squared_distances,
)

FORMULAS = {
    Kernel("linear"): lambda a, b: a @ b,
    Kernel("quadratic"): lambda a, b: (a @ b) ** 2,
    Kernel("quadratic", offset=1.5): lambda a, b: (a @ b + 1.5) ** 2,
    Kernel("gaussian", sigma2=2.0): lambda a, b: np.exp(-((a - b) @ (a - b)) / 4),
    Kernel("b1_spline", h=3.0): lambda a, b: max(0.0, 1 - np.sqrt((a - b) @ (a - b)) / 3),
    Kernel("function", function=lambda a, b: 2.0 * (a @ b.T)): lambda a, b: 2 * a @ b,
}


def tables(seed):
    rng = np.random.default_rng(seed)
    return rng.integers(-2, 3, (4, 3)).astype(float), rng.integers(-2, 3, (5, 3)).astype(float)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("kernel", FORMULAS, ids=lambda kernel: kernel.name)
@given(seed=st.integers(0, 1000))
def test_kernels(kernel, normalize, seed):
    a, b = tables(seed)
    a[0] = 0  # no direction: linear and quadratic kernels have nothing to divide by
    formula = FORMULAS[kernel]
    wanted = np.array([[formula(x, y) for y in b] for x in a])
    if normalize:
        ours, theirs = (np.array([formula(x, x) for x in table]) for table in (a, b))
        length = np.sqrt(np.outer(ours, theirs))
        wanted = np.divide(wanted, length, out=np.zeros_like(wanted), where=length > 0)
    one = Kernel(kernel.name, kernel.sigma2, kernel.h, kernel.offset, normalize, kernel.function)
    found = compare(one, "block", a, b, one.scale(b))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, wanted, atol=1e-5)


@pytest.mark.parametrize("kernel", FORMULAS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_sparse_vectors_have_the_kernels_of_dense_ones(kernel, which):
    a, b = tables(7)
    left, right = ((sparse.csr_array(a), b), (a, sparse.csr_array(b)), (sparse.csr_array(a), sparse.csr_array(b)))[
        which
    ]
    if kernel.function is None:
        np.testing.assert_allclose(compare(kernel, "block", left, right, None), kernel(a, b).astype(np.float32))
        np.testing.assert_allclose(kernel.diagonal(sparse.csr_array(a)), kernel.diagonal(a))


def test_distances_are_never_negative():
    """Nor is a position far from itself, though the squares nearly cancel."""
    a = 1e4 + np.random.default_rng(0).random((50, 3))
    distances = squared_distances(a, a)
    assert distances.min() >= 0
    assert np.diagonal(distances).max() < 1e-6


def test_width_by_the_share_of_zeros():
    vectors = np.random.default_rng(0).normal(size=(300, 4))
    h = neighbour_distance(vectors, 0.95)
    values = Kernel("b1_spline", h=h)(vectors, vectors)
    pairs = ~np.eye(300, dtype=bool)
    assert (values[pairs] == 0).mean() == pytest.approx(0.95, abs=1e-4)


def test_width_takes_memory_for_a_sample_only(monkeypatch):
    """The pairs compared, whatever the number of positions."""
    shapes, original = [], gram.squared_distances

    def squared(a, b):
        shapes.append((a.shape[0], b.shape[0]))
        return original(a, b)

    monkeypatch.setattr(gram, "squared_distances", squared)
    vectors = np.random.default_rng(0).normal(size=(5000, 2))
    h = neighbour_distance(vectors, 0.9)
    assert shapes == [(1000, 2000)]
    assert (original(vectors[:500], vectors[500:]) >= h**2).mean() == pytest.approx(0.9, abs=0.01)


def test_samples_are_positions_in_order():
    rows = sample(1000, 50)
    assert (np.diff(rows) > 0).all()
    assert rows.size == 50
    np.testing.assert_array_equal(sample(3, 50), [0, 1, 2])


def check(function, vectors=None, normalize=False):
    vectors = np.random.default_rng(0).normal(size=(40, 3)) if vectors is None else vectors
    kernel = Kernel("function", normalize=normalize, function=function)
    check_kernel(kernel, "pixels", vectors)


def test_an_indefinite_kernel_is_refused():
    product = Kernel("linear")(*[np.random.default_rng(0).normal(size=(40, 3))] * 2)
    low = np.linalg.eigvalsh(3 - product)[0]
    with pytest.raises(ValueError, match=rf"\[M224\].*'pixels'.*40 sampled.*{low:.3g}"):
        check(lambda a, b: 3 - a @ b.T)


def test_a_little_below_zero_is_forgiven():
    """Up to the tolerance times the mean of K(a, a), 1 at all positions but one."""
    vectors = np.arange(40.0)[:, None]

    def almost(depth):
        return lambda a, b: np.where(a == b.T, np.where(a == 0, -depth, 1.0), 0.0)

    check(almost(0.9 * TOLERANCE), vectors)
    with pytest.raises(ValueError, match="M224"):
        check(almost(1.1 * TOLERANCE), vectors)


def test_an_asymmetric_kernel_is_refused():
    with pytest.raises(ValueError, match=r"\[M224\].*'pixels'.*K\(a, b\) and K\(b, a\) differ"):
        check(lambda a, b: a @ b.T + a[:, :1])


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: (a @ b.T).T[:-1],
        lambda a, b: float((a @ b.T).sum()),
        lambda a, b: np.full((len(a), len(b)), np.nan),
        lambda a, b: np.full((len(a), len(b)), "x"),
        lambda a, b: None,
    ],
)
def test_a_kernel_returns_a_number_a_pair(function):
    with pytest.raises(ValueError, match=r"\[M225\].*'pixels'.*\(40, 40\)"):
        check(function)


def test_the_spline_of_many_dimensions_is_allowed_where_it_is_sparse():
    vectors = np.random.default_rng(0).normal(size=(400, 2))
    kernel = Kernel("b1_spline", h=neighbour_distance(vectors, 0.95))
    check_kernel(kernel, "near", vectors)
    wide = Kernel("b1_spline", h=neighbour_distance(vectors, 0.6))
    with pytest.raises(ValueError, match=r"\[M224\].*'near'"):
        check_kernel(wide, "near", vectors)
