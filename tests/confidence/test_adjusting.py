"""What a decision is about says how sure it is."""

import numpy as np
import pytest
from scipy.special import expit, logit

from spacy_mtl.confidence.adjusting import SIZES, Adjustment, Traits, fit_adjustment
from spacy_mtl.confidence.maps import Outcomes, fit_maps

NAMES = ("LOC", "PER")


def entities(n, seed=0) -> tuple[np.ndarray, Traits, np.random.Generator]:
    rng = np.random.default_rng(seed)
    return rng.uniform(0.05, 0.98, n), Traits(rng.integers(0, 2, n), rng.integers(1, 4, n), NAMES), rng


def truth(told, traits) -> np.ndarray:
    """Places are surer than they are told to be, and what is long is less sure."""
    return expit(logit(told) + 1.2 * (traits.labels == 0) - 0.8 * (traits.sizes == 3))


def test_a_map_by_hand():
    sizes = np.zeros((SIZES, 2))
    sizes[5] = 0.5, 0.0
    found = Adjustment((2.0, 1.0, -0.1), {"PER": (0.3, 0.2)}, sizes)
    told = np.array([0.7, 0.7, 0.7])
    z = 2 * np.log(0.7) - np.log(0.3) - 0.1
    more = 0.3 + 0.2 * np.log(0.7 / 0.3)
    expected = expit([z, z + more, z + more + 0.5])
    assert found.map(told, Traits(np.array([0, 1, 1]), np.array([1, 1, 9]), NAMES)) == pytest.approx(expected)
    assert Adjustment.from_dict(found.to_dict()).to_dict() == found.to_dict()


def test_labels_and_sizes_are_learnt():
    told, traits, rng = entities(20_000)
    right = rng.random(told.size) < truth(told, traits)
    found = fit_adjustment(told, right, traits, grouped=True)
    more, about, _ = entities(2000, seed=5)
    assert found.map(more, about) == pytest.approx(truth(more, about), abs=0.03)
    assert found.told() == "probability, 2 labels, sizes"
    assert fit_adjustment(told, right, traits, grouped=False).labels == {}
    chosen = fit_maps(Outcomes(told, right, traits))
    assert chosen.adjustment is not None
    assert set(chosen.adjustment.labels) == {"LOC", "PER"}


def test_the_form_of_beta_calibration_is_found():
    told, traits, rng = entities(20_000)
    right = rng.random(told.size) < told**2 / (told**2 + (1 - told) ** 2)
    a, b, c = fit_adjustment(told, right, traits, grouped=False).common
    assert (a, b, c) == pytest.approx((2, 2, 0), abs=0.15)


def test_groups_of_few_decisions_are_like_the_others():
    told, traits, rng = entities(2000)
    right = rng.random(told.size) < told
    traits.labels[:] = 0
    traits.labels[:40] = 1
    right[:40] = False
    found = fit_adjustment(told, right, traits, grouped=True)
    assert "PER" not in found.labels


def test_models_that_number_labels_otherwise_are_joined_by_name():
    first = Traits(np.array([0, 1]), np.array([1, 2]), ("LOC", "PER"))
    second = Traits(np.array([0, 0]), np.array([3, 4]), ("PER",))
    joined = Traits.joined([first, second])
    assert [joined.names[y] for y in joined.labels] == ["LOC", "PER", "PER", "PER"]
    assert joined.sizes.tolist() == [1, 2, 3, 4]
