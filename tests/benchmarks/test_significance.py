"""Randomization against all exchanges by hand, intervals against what they must hold, and what must not be compared."""

from itertools import product

import numpy as np
import pytest

from benchmarks.common.significance import Counts, compare, counted, judged, take_counts


def counts(right, found, gold) -> Counts:
    return Counts(*(np.array(column, np.int64) for column in (right, found, gold)))


def test_score_is_f1_of_the_sums():
    assert counts([1, 2], [2, 3], [2, 4]).score() == pytest.approx(100 * 2 * 3 / (5 + 6))
    assert counts([0], [0], [0]).score() == 0


def test_p_is_the_share_of_exchanges_that_differ_as_much():
    """Six sentences: all 64 exchanges."""
    gold = [3, 2, 4, 1, 2, 3]
    a, b = counts([3, 2, 2, 1, 2, 1], [3, 2, 4, 1, 2, 2], gold), counts([1, 2, 1, 1, 0, 2], [2, 2, 3, 2, 1, 3], gold)
    found = compare(a, b, repeats=40_000)
    as_large = 0
    for exchange in product([False, True], repeat=6):
        sides = [np.where(exchange, x, y) for x, y in ((b.right, a.right), (b.found, a.found))]
        others = [np.where(exchange, y, x) for x, y in ((b.right, a.right), (b.found, a.found))]
        difference = Counts(*sides, a.gold).score() - Counts(*others, a.gold).score()
        as_large += abs(difference) >= a.score() - b.score() - 1e-9
    assert found.difference == pytest.approx(a.score() - b.score())
    assert found.p == pytest.approx(as_large / 64, abs=0.01)


def test_what_is_the_same_does_not_differ():
    a = counts([1, 0, 2], [1, 1, 2], [1, 1, 3])
    assert compare(a, a, 200) == (0.0, 1.0, 0.0, 0.0)


def test_a_large_difference_is_found_and_a_small_one_is_not():
    rng = np.random.default_rng(3)
    gold = np.full(400, 3)
    better, worse, level = (Counts(rng.binomial(3, share, 400), gold, gold) for share in (0.9, 0.7, 0.9))
    clear, unclear = compare(better, worse), compare(better, level)
    assert clear.p < 0.001
    assert 0 < clear.low < clear.difference < clear.high
    assert unclear.p > 0.05
    assert unclear.low < 0 < unclear.high


def test_the_interval_is_that_of_the_difference():
    """Against the normal approximation for accuracy."""
    rng = np.random.default_rng(5)
    one = np.ones(2000, np.int64)
    a, b = (Counts(rng.binomial(1, share, 2000), one, one) for share in (0.8, 0.75))
    found = compare(a, b, 4000)
    each = 100 * (a.right - b.right)
    half = 1.96 * each.std() / np.sqrt(2000)
    assert found.low == pytest.approx(each.mean() - half, abs=0.15)
    assert found.high == pytest.approx(each.mean() + half, abs=0.15)


def test_other_sentences_are_refused():
    with pytest.raises(ValueError, match="same sentences"):
        compare(counts([1], [1], [1]), counts([1], [1], [2]))


def test_counts_leave_a_row_as_a_verdict():
    ours = {"f1": 80.0, **counted([(1, 1, 1), (2, 2, 3)])}
    rival = {"f1": 50.0, **counted([(0, 1, 1), (2, 2, 3)])}
    mine = take_counts(ours)
    assert ours == {"f1": 80.0}
    expected = compare(counts([1, 2], [1, 2], [1, 3]), counts([0, 2], [1, 2], [1, 3]))
    assert judged(rival, mine) == {"f1": 50.0, "ahead": expected._asdict()}
    assert expected.difference == pytest.approx(100 * (6 / 7 - 4 / 7))
    assert judged({"f1": 50.0}, mine) == {"f1": 50.0}
    assert judged({"f1": 50.0, **counted([(0, 1, 1)])}, None) == {"f1": 50.0}
