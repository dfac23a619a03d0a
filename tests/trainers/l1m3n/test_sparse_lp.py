"""The growing linear program, against scipy's solver from scratch on the dense one."""

import sys
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from spacy_mtl.trainers.l1m3n.sparse_lp import Entries, SparseLP

N_KEYS = 8


class Cut(NamedTuple):
    """values: float64[N_KEYS], of weight ``1000 * place``."""

    sentence: int
    values: np.ndarray
    loss: float


def cut_of(sentence, loss, **values):
    """cut_of(0, 1.0, k3=-1.0): of weight 3000."""
    dense = np.zeros(N_KEYS)
    for name, value in values.items():
        dense[int(name[1:])] = value
    return Cut(sentence, dense, loss)


def random_cuts(rng, n, count):
    def values():
        return np.where(rng.random(N_KEYS) < 0.4, rng.choice([-2.0, -1.0, 1.0, 0.5], N_KEYS), 0.0)

    return [Cut(int(rng.integers(n)), values(), float(rng.integers(1, 4))) for _ in range(count)]


def entries_of(cuts, keys):
    rows = [cut.values[keys // 1000] for cut in cuts]
    starts = np.cumsum([0, *(np.count_nonzero(row) for row in rows)])
    places = np.concatenate([np.empty(0, int), *(np.flatnonzero(row) for row in rows)])
    return Entries(starts, places, np.concatenate([np.empty(0), *(row[row != 0] for row in rows)]))


def add(lp, cuts):
    lp.add_cuts(
        np.array([cut.sentence for cut in cuts], int), np.array([cut.loss for cut in cuts]), entries_of(cuts, lp.keys)
    )


def add_keys(lp, cuts, keys):
    """cuts: all that the program has."""
    lp.add_weights(np.array(keys), entries_of(cuts, np.array(keys)))


def dense_optimum(cuts, n, C, keys=None):
    """min 1/2 (u + v) + C xi over these weights, or every one."""
    inside = np.ones(N_KEYS) if keys is None else np.isin(1000 * np.arange(N_KEYS), keys)
    rows = np.zeros((len(cuts), 2 * N_KEYS + n))
    for row, cut in zip(rows, cuts, strict=True):
        row[:N_KEYS] = cut.values * inside
        row[N_KEYS : 2 * N_KEYS] = -cut.values * inside
        row[2 * N_KEYS + cut.sentence] = -1
    cost = np.concatenate([np.full(2 * N_KEYS, 0.5), np.full(n, C)])
    return linprog(cost, rows, [-cut.loss for cut in cuts]).fun


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.7, 5.0]))
@example(3539, 5.0)
def test_it_grows_to_the_same_optimum(seed, C):
    """Cuts and weights come in turns, several cuts of a sentence at once."""
    rng = np.random.default_rng(seed)
    n, cuts, missing = 3, [], 1000 * rng.permutation(N_KEYS)
    lp = SparseLP(n, C)
    for count in (0, 2, 0, 5, 1):
        if count:
            keys, missing = np.sort(missing[:count]), missing[count:]
            add_keys(lp, cuts, keys)
        new = random_cuts(rng, n, int(rng.integers(1, 4)))
        add(lp, new)
        cuts += new
        found = lp.solve()
        assert found.value == pytest.approx(dense_optimum(cuts, n, C, lp.keys), abs=1e-6)
        check_optimum(cuts, n, C, found)
    assert lp.keys.tolist() == [1000 * k for k in range(N_KEYS)]
    assert found.value == pytest.approx(dense_optimum(cuts, n, C), abs=1e-6)


def check_optimum(cuts, n, C, found):
    """Weights and slacks belong to each other and reach the value; so do the alphas, which keep the constraints of the dual."""
    values = np.zeros(N_KEYS)
    values[found.keys // 1000] = found.values
    assert found.values.all()
    hinges, sums = np.zeros(n), np.zeros(n)
    for cut, alpha in zip(cuts, found.alphas, strict=True):
        hinges[cut.sentence] = max(hinges[cut.sentence], cut.loss + values @ cut.values)
        sums[cut.sentence] += alpha
    np.testing.assert_allclose(found.slacks, hinges, atol=1e-6)
    assert 0.5 * np.abs(values).sum() + C * hinges.sum() == pytest.approx(found.value, abs=1e-6)
    assert found.alphas @ [cut.loss for cut in cuts] == pytest.approx(found.value, abs=1e-6)
    assert found.alphas.min() >= -1e-7
    assert sums.max() <= C + 1e-6
    pulls = -(found.alphas @ [cut.values for cut in cuts])
    seen = np.abs(values) > 1e-9  # the sign of what is rounding is anybody's
    np.testing.assert_allclose(pulls[seen], 0.5 * np.sign(values[seen]), atol=1e-6)


def test_a_weight_that_joins_lowers_the_value():
    cuts = [cut_of(0, 1.0, k3=-1.0), cut_of(0, 1.0, k3=-2.0)]
    lp = SparseLP(1, 10.0)
    add(lp, cuts)
    assert lp.n_cuts == 2
    assert lp.solve().value == pytest.approx(10)
    add_keys(lp, cuts, [3000])
    found = lp.solve()
    assert found.keys.tolist() == [3000]
    assert found.values == pytest.approx([1.0])
    assert found.value == pytest.approx(0.5)


def test_cuts_that_differ_in_loss_alone_both_count():
    lp = SparseLP(1, 0.7)
    add(lp, [cut_of(0, 1.0)])
    assert lp.solve().value == pytest.approx(0.7)
    add(lp, [cut_of(0, 3.0)])
    found = lp.solve()
    assert found.value == pytest.approx(2.1)
    assert found.alphas == pytest.approx([0, 0.7])
    assert found.slacks == pytest.approx([3])


def test_without_cuts_everything_is_zero():
    found = SparseLP(2, 1.0).solve()
    assert found.value == 0
    assert found.keys.size == found.alphas.size == 0
    assert found.slacks.tolist() == [0, 0]


def test_the_last_basis_is_where_it_goes_on():
    """Solving again takes no step, and a new cut or weight takes few."""
    rng = np.random.default_rng(1)
    lp, cuts = SparseLP(20, 1.0), random_cuts(rng, 20, 60)
    add(lp, cuts)
    add_keys(lp, cuts, 1000 * np.arange(N_KEYS - 1))
    lp.solve()
    steps = lp.iterations
    lp.solve()
    assert steps > 10
    assert lp.iterations == 0
    cuts += random_cuts(rng, 20, 1)
    add(lp, cuts[-1:])
    lp.solve()
    assert lp.iterations < steps / 3
    add_keys(lp, cuts, [1000 * (N_KEYS - 1)])
    lp.solve()
    assert 0 < lp.iterations < steps / 3


def test_missing_highspy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(ValueError, match=r"M327.*pip install highspy"):
        SparseLP(1, 1.0)


def test_a_program_without_optimum_is_named():
    lp = SparseLP(1, 1.0)
    add(lp, [cut_of(0, 1.0, k1=1.0)])
    add_keys(lp, [cut_of(0, 1.0, k1=1.0)], [1000])
    lp._highs.setOptionValue("presolve", "off")
    lp._highs.setOptionValue("simplex_iteration_limit", 0)
    with pytest.raises(ValueError, match=r"M328.*1 cuts.*1 weights.*limit"):
        lp.solve()


def test_numbers_that_are_too_large_are_named():
    lp, large = SparseLP(1, 1e-9), [cut_of(0, 1.0, k1=2e15)]
    add(lp, [cut_of(0, 1.0, k1=1.0)])
    with pytest.raises(ValueError, match=r"M329.*as large as 2e\+15"):
        add_keys(lp, large, [1000])
    lp = SparseLP(1, 1e-9)
    add_keys(lp, [], [1000])
    with pytest.raises(ValueError, match=r"M329.*as large as 2e\+15"):
        add(lp, large)
