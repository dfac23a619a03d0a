import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_mtl.trainers.mtlstruct.norms import block_norm, dual_exponent, dual_norm_weights

EXPONENTS = [1.05, 4 / 3, 2.0, 4.0, 100.0]
norms = st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=10).map(np.array)


def test_dual_exponents():
    assert dual_exponent(1) == np.inf
    assert dual_exponent(2) == 2
    assert dual_exponent(np.inf) == 1
    assert dual_exponent(4) == pytest.approx(4 / 3)
    for p in (0.5, np.nan):
        with pytest.raises(ValueError, match="M352"):
            dual_exponent(p)


@given(norms, st.sampled_from([1.0, 1.5, 2.0, 7.0]))
def test_block_norm_is_its_definition(values, p):
    assert block_norm(values, p) == pytest.approx(np.sum(values**p) ** (1 / p), rel=1e-12)


def test_block_norm_where_powers_would_overflow():
    assert block_norm(np.array([3e300, 4e300]), 2) == pytest.approx(5e300)
    assert block_norm(np.array([1e-300, 1e-300]), 100) == pytest.approx(1e-300 * 2**0.01)
    assert block_norm(np.array([2.0, 1.0]), np.inf) == 2
    assert block_norm(np.zeros(3), 100) == 0
    assert block_norm(np.empty(0), 1) == 0
    assert block_norm(np.array([1.0, np.inf]), 100) == np.inf
    assert np.isnan(block_norm(np.array([1.0, np.nan]), 3))


@pytest.mark.parametrize("p", EXPONENTS)
@given(norms, st.sampled_from([1e-200, 1e-8, 1.0, 1e8, 1e200]))
def test_weights_attain_the_dual_norm(p, t, scale):
    """With ||w_j|| = mu_j t_j both <w, v> = ||t||_{p*}^2 and ||w||_{2,p} = ||t||_{p*}: Hoelder is tight."""
    mu = dual_norm_weights(scale * t, p)
    dual = block_norm(t, dual_exponent(p))
    assert block_norm(mu * t, p) == pytest.approx(dual, rel=1e-9)
    assert np.sum(mu * t**2) == pytest.approx(dual**2, rel=1e-9)


@given(norms)
def test_weights_are_equation_12(t):
    p = 4 / 3
    total = np.sum(t ** (p / (p - 1)))
    assert dual_norm_weights(t, p) == pytest.approx(total ** ((p - 2) / p) * t ** ((2 - p) / (p - 1)), rel=1e-9)


def test_weights_where_t_vanishes():
    t = np.array([0.0, 1.0, 1e-320])
    assert dual_norm_weights(t, 1.05).tolist() == [0.0, 1.0, 0.0]
    assert dual_norm_weights(t, 2).tolist() == [1.0, 1.0, 1.0]
    assert dual_norm_weights(t, 100).tolist() == [0.0, 1.0, 0.0]
    assert dual_norm_weights(np.zeros(2), 100).tolist() == [1.0, 1.0]


def test_weights_need_p_above_1():
    with pytest.raises(ValueError, match=r"M352.*> 1"):
        dual_norm_weights(np.ones(2), 1.0)
