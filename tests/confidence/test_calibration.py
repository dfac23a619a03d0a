"""Temperatures, isotonic maps and the scores of probabilities."""

import math

import numpy as np
import pytest

from spacy_mtl.confidence.adjusting import Adjustment, Traits
from spacy_mtl.confidence.calibration import (
    HOTTEST,
    Calibration,
    brier_score,
    calibration_error,
    check_calibrations,
    fit_temperature,
    not_too_sure,
    read_calibrations,
)
from spacy_mtl.confidence.maps import MOST_PLACES, Maps, Outcomes, fit_maps, pool
from spacy_mtl.stored.fault import StoredValueError


def about_nothing(n) -> Traits:
    return Traits(np.zeros(n, np.int64), np.ones(n, np.int64))


def draws(n, bend, seed=0) -> Outcomes:
    """Decisions that are said to be right with probability p, and are right with probability bend(p)."""
    rng = np.random.default_rng(seed)
    told = rng.random(n)
    return Outcomes(told, rng.random(n) < bend(told), about_nothing(n))


def mapped(maps, outcomes) -> np.ndarray:
    return Calibration(1.0, maps).map(outcomes.probabilities, outcomes.traits)


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


def of_margins(margins, temperature) -> np.ndarray:
    """Probabilities of decisions between two, by how much better the one that was made scores, float64[n]."""
    return 1 / (1 + np.exp(-np.minimum(np.asarray(margins, float) / temperature, 700)))


def deciding(margins, correct=None, informative=()) -> tuple:
    """What not_too_sure is told: of decisions between two, some wrong, and the loss, with gold that is worse by ``informative``."""
    right = np.ones(len(margins), bool) if correct is None else np.array(correct, bool)

    def decided(temperature):
        return of_margins(margins, temperature), right

    def loss(temperature):
        of_right, worse = of_margins(np.array(margins, float)[right], temperature), np.array(informative, float)
        return float(-np.log(of_right).sum() + np.logaddexp(0, worse / temperature).sum())

    return decided, loss


@pytest.mark.parametrize(
    ("margins", "wrong", "expected"),
    [
        ([3.0], [], 0.25),
        ([2.0, 5.0, 9.0], [], 3 / 8),
        ([1, 40, *range(2, 600)], [], 600 / 1202),
        ([1, 40, *range(2, 600)], [3, 5, 80], 3.5 * 600 / 601),
    ],
)
def test_as_many_mistakes_are_expected_as_were_seen_and_half_a_mistake(margins, wrong, expected):
    """Under Jeffreys' prior; decisions that are certain at any temperature do not count, nor those between two that score the same."""
    margins = [*margins, *[np.inf] * 50, *[0.0] * 3]
    decided, loss = deciding(margins, [k not in {*wrong, len(margins) - 5} for k in range(len(margins))])
    found = not_too_sure(0.005, decided, loss)
    assert np.sum(1 - decided(found)[0][:-3]) == pytest.approx(expected, rel=0.02)
    assert not_too_sure(found * 1.1, decided, loss) == found * 1.1  # warmer ones stay as they are


def test_no_temperature_makes_so_many_mistakes_likely():
    assert not_too_sure(0.005, *deciding([1.0, 2.0], [False, False])) == HOTTEST


@pytest.mark.parametrize("margins", [[], [0.0, 0.1], [np.inf, np.inf]])
def test_a_temperature_that_is_not_too_low_stays_exactly_as_it_is(margins):
    assert not_too_sure(0.25, *deciding(margins)) == 0.25


def test_a_temperature_stays_exactly_as_it_is_where_the_loss_knows_of_a_mistake():
    """Though fewer mistakes are expected than were seen, some of them without a loss."""
    decided, loss = deciding([3.0, 4.0, 2.0, 1.0, 0.5], [True, True, True, False, False], informative=[1.0])
    fitted = fit_temperature(loss)
    assert np.sum(1 - decided(fitted)[0]) < 2
    assert not_too_sure(fitted, decided, loss) == fitted


def test_extreme_temperatures_are_not_asked_about_where_enough_mistakes_are_expected():
    """They are slow."""
    decided, loss = deciding([3.0, 4.0, 0.1], [True, True, False], informative=[0.1])
    asked = []
    not_too_sure(0.5, lambda temperature: asked.append(temperature) or decided(temperature), loss)
    assert asked == [0.5]


def test_no_map_makes_decisions_certain_where_none_was_wrong():
    outcomes = draws(6000, stairs)
    assert fit_maps(outcomes._replace(correct=np.ones(6000, bool))) == Maps()


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


def stairs(p):
    """No adjustment has this form."""
    return np.where(p < 0.3, 0.05, np.where(p < 0.6, 0.5, 0.9))


def test_a_map_puts_right_what_is_systematically_wrong():
    maps = fit_maps(draws(6000, stairs))
    assert 3 < maps.given.size == maps.mapped.size <= MOST_PLACES
    assert (np.diff(maps.given) > 0).all()
    assert (np.diff(maps.mapped) >= 0).all()
    more = draws(6000, stairs, seed=9)
    assert calibration_error(mapped(maps, more), more.correct) < 0.03 < 0.09 < calibration_error(*more[:2])
    assert brier_score(mapped(maps, more), more.correct) < brier_score(*more[:2])


def test_no_map_where_it_does_not_help():
    for few_or_right in (draws(4000, lambda p: p), draws(60, lambda p: p**3)):
        maps = fit_maps(few_or_right)
        assert (maps.adjustment, maps.given.size) == (None, 0)


def test_no_map_that_helps_one_part_of_the_text_alone():
    """In a fifth of the text decisions are worse than they are told to be: what is learnt there is wrong elsewhere."""
    told, right, traits = draws(4000, lambda p: p)
    right[:800] &= np.random.default_rng(3).random(800) < 0.75
    assert fit_maps(Outcomes(told, right, traits)).adjustment is None


def test_decisions_of_the_same_probability():
    """Half of those told to be 0.5 are right and none of the others: what ascends is nearest to both at a quarter."""
    told = np.tile([0.5, 1.0], 400)
    maps = fit_maps(Outcomes(told, np.tile([True, False, False, False], 200), about_nothing(800)))
    asked = Outcomes(np.array([0.5, 1.0]), np.empty(2), about_nothing(2))
    assert mapped(maps, asked) == pytest.approx([0.25, 0.25], abs=0.01)


def test_maps_keep_nan_and_the_type():
    maps = Maps(Adjustment((1.0, 1.0, 0.0), {}, np.zeros((6, 2))), np.array([0.2, 0.8]), np.array([0.1, 0.9]))
    calibration = Calibration(2.0, maps)
    found = calibration.map(np.array([0.0, 0.5, np.nan, 1.0], np.float32), about_nothing(4))
    assert found.dtype == np.float32
    assert found[[0, 1, 3]] == pytest.approx([0.1, 0.5, 0.9])
    assert math.isnan(found[2])
    again = read_calibrations({"entity": calibration.to_dict()})["entity"]
    assert again.to_dict() == calibration.to_dict()


def test_calibrations_of_earlier_versions_have_no_adjustment():
    old = {"temperature": 2.0, "given": [0.2, 0.8], "mapped": [0.1, 0.9]}
    assert check_calibrations({"entity": old}, "it", ("entity",)) == {"entity": old}
    assert read_calibrations({"entity": old})["entity"].maps.adjustment is None


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
        {"adjustment": {}},
        {"adjustment": {"common": [1.0, 1.0], "labels": {}, "sizes": [[0.0, 0.0]] * 6}},
        {"adjustment": {"common": [1.0, 1.0, float("nan")], "labels": {}, "sizes": [[0.0, 0.0]] * 6}},
        {"adjustment": {"common": [1.0, 1.0, 0.0], "labels": {}, "sizes": [[0.0, 0.0]] * 5}},
        {"adjustment": {"common": [1.0, 1.0, 0.0], "labels": {"PER": [0.0]}, "sizes": [[0.0, 0.0]] * 6}},
        {"adjustment": {"common": [1.0, 1.0, 0.0], "labels": {"PER": [0.0, 1e9]}, "sizes": [[0.0, 0.0]] * 6}},
        {
            "adjustment": {
                "common": [1.0, 1.0, 0.0],
                "labels": {str(k): [0.0, 0.0] for k in range(200)},
                "sizes": [[0.0, 0.0]] * 6,
            }
        },
    ],
)
def test_what_a_file_may_not_say(change):
    good = {"temperature": 1.0, "given": [], "mapped": [], "adjustment": None}
    assert check_calibrations({"entity": good}, "it", ("entity",)) == {"entity": good}
    with pytest.raises(StoredValueError):
        check_calibrations({"entity": {**good, **change}}, "it", ("entity",))


def test_a_file_has_no_calibration_of_what_is_not_decided():
    with pytest.raises(StoredValueError, match=r"has one of 'tag'; this component decides arc and label$"):
        check_calibrations({"arc": {"temperature": 1.0, "given": [], "mapped": []}, "tag": {}}, "it", ("arc", "label"))
