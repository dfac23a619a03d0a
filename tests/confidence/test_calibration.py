"""Temperatures, isotonic maps and the scores of probabilities."""

import math

import numpy as np
import pytest

from spacy_mtl.confidence.calibration import (
    MOST_PLACES,
    Calibration,
    brier_score,
    calibration_error,
    check_calibrations,
    fit_map,
    fit_temperature,
    pool,
    read_calibrations,
)
from spacy_mtl.stored.fault import StoredValueError


def draws(n, bend, seed=0) -> tuple[np.ndarray, np.ndarray]:
    """Decisions that are said to be right with probability p, and are right with probability bend(p)."""
    rng = np.random.default_rng(seed)
    told = rng.random(n)
    return told, rng.random(n) < bend(told)


@pytest.mark.parametrize("true", [0.05, 1.0, 30.0])
def test_the_temperature_of_draws_is_found(true):
    """Labels drawn with p ~ exp(score / T): the temperature under which they are most probable is about T."""
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(4000, 3)) * 2 * true
    weights = np.exp(scores / true)
    labels = (weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True) < rng.random((4000, 1))).sum(axis=1)

    def loss(temperature: float) -> float:
        cold = scores / temperature
        return float(
            (
                np.log(np.exp(cold - cold.max(axis=1, keepdims=True)).sum(axis=1))
                + cold.max(axis=1)
                - cold[range(4000), labels]
            ).sum()
        )

    found = fit_temperature(loss)
    assert found == pytest.approx(true, rel=0.1)
    assert loss(found) <= min(loss(found * 1.01), loss(found / 1.01)) + 1e-6


def test_pooling_gives_the_nearest_ascending_numbers():
    """Against the definition: the maximum over i <= k of the minimum over j >= k of the mean of i..j."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        shares, sizes = rng.random(8), rng.integers(1, 5, 8).astype(float)
        expected = [
            max(min(np.average(shares[i : j + 1], weights=sizes[i : j + 1]) for j in range(k, 8)) for i in range(k + 1))
            for k in range(8)
        ]
        assert pool(shares, sizes) == pytest.approx(expected)


def test_a_map_puts_right_what_is_systematically_wrong():
    told, correct = draws(6000, lambda p: p**3)
    given, mapped = fit_map(told, correct)
    assert 5 < given.size == mapped.size <= MOST_PLACES
    assert (np.diff(given) > 0).all()
    assert (np.diff(mapped) >= 0).all()
    more, right = draws(6000, lambda p: p**3, seed=9)
    better = Calibration(1.0, given, mapped).map(more)
    assert calibration_error(better, right) < 0.02 < 0.15 < calibration_error(more, right)
    assert brier_score(better, right) < brier_score(more, right)


def test_no_map_where_it_does_not_help():
    assert fit_map(*draws(4000, lambda p: p))[0].size == 0
    assert fit_map(*draws(60, lambda p: p**3))[0].size == 0


def test_decisions_of_the_same_probability():
    told = np.repeat([0.5, 1.0], 400)
    given, mapped = fit_map(told, np.tile([True, False, False, False], 200))
    assert given.tolist() == [0.5, 1.0]
    assert mapped == pytest.approx([0.25, 0.25])


def test_maps_keep_nan_and_the_type():
    calibration = Calibration(2.0, np.array([0.2, 0.8]), np.array([0.1, 0.9]))
    found = calibration.map(np.array([0.0, 0.5, np.nan, 1.0], np.float32))
    assert found.dtype == np.float32
    assert found[[0, 1, 3]] == pytest.approx([0.1, 0.5, 0.9])
    assert math.isnan(found[2])
    assert read_calibrations({"entity": calibration.to_dict()})["entity"].given.tolist() == [0.2, 0.8]


def test_errors_by_hand():
    told, correct = np.array([0.1, 0.1, 0.9, 0.9]), np.array([False, False, True, False])
    assert calibration_error(told, correct, bins=2) == pytest.approx((0.1 + 0.4) / 2)
    assert brier_score(told, correct) == pytest.approx((0.01 + 0.01 + 0.01 + 0.81) / 4)
    assert calibration_error(np.empty(0), np.empty(0)) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"temperature": 0},
        {"temperature": float("nan")},
        {"temperature": 1e9},
        {"given": [0.5, 0.2], "mapped": [0.1, 0.2]},
        {"given": [0.2, 0.2], "mapped": [0.1, 0.2]},
        {"given": [0.2, 0.5], "mapped": [0.2, 0.1]},
        {"given": [0.2, 0.5], "mapped": [0.2]},
        {"given": [0.2, 1.5], "mapped": [0.2, 0.3]},
        {"given": [k / 100 for k in range(90)], "mapped": [k / 100 for k in range(90)]},
        {"more": 1},
    ],
)
def test_what_a_file_may_not_say(change):
    good = {"temperature": 1.0, "given": [], "mapped": []}
    assert check_calibrations({"entity": good}, "it", ("entity",)) == {"entity": good}
    with pytest.raises(StoredValueError):
        check_calibrations({"entity": {**good, **change}}, "it", ("entity",))


def test_a_file_has_no_calibration_of_what_is_not_decided():
    with pytest.raises(StoredValueError, match=r"has one of 'tag'; this component decides arc and label$"):
        check_calibrations({"arc": {"temperature": 1.0, "given": [], "mapped": []}, "tag": {}}, "it", ("arc", "label"))


def test_a_smooth_map_is_taken_where_it_is_nearer_to_the_truth():
    """The truth has the form of beta calibration, so a map of groups is only coarser."""
    told, correct = draws(4000, lambda p: p**2 / (p**2 + (1 - p) ** 2))
    given, mapped = fit_map(told, correct)
    assert given.size == MOST_PLACES
    assert (np.diff(mapped) >= 0).all()
    at = np.linspace(0.1, 0.9, 9)
    assert np.interp(at, given, mapped) == pytest.approx(at**2 / (at**2 + (1 - at) ** 2), abs=0.03)
