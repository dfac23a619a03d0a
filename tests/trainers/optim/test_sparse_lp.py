"""The growing linear program, against scipy's solver from scratch on the dense one."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from spacy_mtl.trainers.optim.sparse_lp import Cut, SparseLP

N_KEYS = 8


def random_cuts(rng, n, count):
    cuts = []
    for _ in range(count):
        keys = np.flatnonzero(rng.random(N_KEYS) < 0.4) * 1000
        cuts.append(
            Cut(int(rng.integers(n)), keys, rng.choice([-2.0, -1.0, 1.0, 0.5], keys.size), float(rng.integers(1, 4)))
        )
    return cuts


def dense_optimum(cuts, n, C):
    """min 1/2 (u + v) + C xi over every weight."""
    rows = np.zeros((len(cuts), 2 * N_KEYS + n))
    for row, cut in zip(rows, cuts, strict=True):
        row[cut.keys // 1000] = cut.values
        row[N_KEYS + cut.keys // 1000] = -cut.values
        row[2 * N_KEYS + cut.sentence] = -1
    cost = np.concatenate([np.full(2 * N_KEYS, 0.5), np.full(n, C)])
    return linprog(cost, rows, [-cut.loss for cut in cuts]).fun


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.7, 5.0]))
def test_it_grows_to_the_same_optimum(seed, C):
    rng = np.random.default_rng(seed)
    n, cuts = 3, []
    lp = SparseLP(n, C)
    for _ in range(3):
        new = random_cuts(rng, n, int(rng.integers(1, 4)))
        cuts += new
        assert lp.add(new) <= len(new)
        found = lp.solve()
        assert found.value == pytest.approx(dense_optimum(cuts, n, C), abs=1e-6)
        weights = dict(zip(found.keys.tolist(), found.values.tolist(), strict=True))
        assert all(weights.values())
        hinges = np.zeros(n)
        for cut in cuts:
            score = sum(weights.get(key, 0.0) * value for key, value in zip(cut.keys.tolist(), cut.values, strict=True))
            hinges[cut.sentence] = max(hinges[cut.sentence], cut.loss + score)
        np.testing.assert_allclose(found.slacks, hinges, atol=1e-6)
        assert 0.5 * np.abs(found.values).sum() + C * hinges.sum() == pytest.approx(found.value, abs=1e-6)


def test_a_cut_counts_once():
    cut = Cut(0, np.array([3]), np.array([-1.0]), 1.0)
    lp = SparseLP(1, 10.0)
    assert lp.add([cut]) == 1
    assert lp.add([cut, cut._replace(values=np.array([-2.0]))]) == 1
    assert lp.add([cut]) == 0
    assert lp.n_cuts == 2
    found = lp.solve()
    assert found.keys.tolist() == [3]
    assert found.values == pytest.approx([1.0])
    assert found.value == pytest.approx(0.5)


def test_cuts_that_differ_in_loss_alone_both_count():
    cut = Cut(0, np.empty(0, np.int64), np.empty(0), 1.0)
    lp = SparseLP(1, 0.7)
    assert lp.add([cut]) == 1
    assert lp.solve().value == pytest.approx(0.7)
    assert lp.add([cut._replace(loss=3.0)]) == 1
    assert lp.solve().value == pytest.approx(2.1)


def test_without_cuts_everything_is_zero():
    found = SparseLP(2, 1.0).solve()
    assert found.value == 0
    assert found.keys.size == 0
    assert found.slacks.tolist() == [0, 0]


def test_the_last_basis_is_where_it_goes_on():
    """Solving again takes no step, and a new cut takes few."""
    rng = np.random.default_rng(1)
    lp = SparseLP(20, 1.0)
    lp.add(random_cuts(rng, 20, 60))
    lp.solve()
    steps = lp.iterations
    lp.solve()
    assert steps > 10
    assert lp.iterations == 0
    lp.add(random_cuts(rng, 20, 1))
    lp.solve()
    assert lp.iterations < steps / 3


def test_missing_highspy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ValueError, match=r"M327.*pip install highspy"):
        SparseLP(1, 1.0)


def test_a_program_without_optimum_is_named():
    lp = SparseLP(1, 1.0)
    lp.add([Cut(0, np.array([1]), np.array([1.0]), 1.0)])
    lp._highs.setOptionValue("presolve", "off")
    lp._highs.setOptionValue("simplex_iteration_limit", 0)
    with pytest.raises(ValueError, match=r"M328.*1 cuts.*1 weights.*limit"):
        lp.solve()
