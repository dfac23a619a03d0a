"""Arcs of which pairs are worth listing."""

import numpy as np
import pytest

from spacy_mtl.structures.tree.build import all_arcs, kept_arcs
from spacy_mtl.structures.tree.cascade import FILTER_SHARE, MOST_ARCS, MOST_BELOW, likely_arcs, mean_distance

STARTS = np.array([0, 1, 6, 13])


def words_of(arcs, sentence):
    return range(STARTS[sentence], STARTS[sentence + 1])


def slow_distance(arcs, scores, sentence):
    found = []
    for t in words_of(arcs, sentence):
        own = np.sort(scores[arcs.first[t] : arcs.first[t + 1]])
        if own.size > 1:
            found.append(own[-1] - own[:-1].mean())
    return np.mean(found) if found else 0.0


def random_arcs(seed: int):
    rng = np.random.default_rng(seed)
    arcs = all_arcs(STARTS)
    word = np.repeat(np.arange(STARTS[-1]), np.diff(arcs.first))
    before = arcs.heads == word - STARTS[np.searchsorted(STARTS, word, side="right") - 1]
    arcs = kept_arcs(arcs, before | (rng.random(before.size) < 0.7))
    scores, marks = (rng.normal(size=arcs.heads.size).astype(np.float32) for _ in range(2))
    return arcs, scores, 3 * marks


@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_arcs_are_kept_by_their_distance_from_the_best(seed, marked):
    arcs, scores, marks = random_arcs(seed)
    kept, left = likely_arcs(arcs, STARTS, scores, marks if marked else marks[:0])
    dropped = 0
    for s in range(STARTS.size - 1):
        unit = slow_distance(arcs, scores, s)
        assert mean_distance(arcs.first, scores, STARTS[s], STARTS[s + 1]) == pytest.approx(unit, abs=1e-6)
        for t in words_of(arcs, s):
            own = slice(arcs.first[t], arcs.first[t + 1])
            total = scores[own] + (FILTER_SHARE * unit * marks[own] if marked else 0)
            wanted = (total >= total.max() - MOST_BELOW * unit) | (arcs.heads[own] == t - STARTS[s])
            mine = slice(kept.first[t], kept.first[t + 1])
            assert kept.heads[mine].tolist() == arcs.heads[own][wanted].tolist()
            assert left[mine].tolist() == scores[own][wanted].tolist()
            dropped += int((~wanted).sum())
    assert dropped > 0


def test_scores_of_any_scale_drop_the_same_arcs():
    arcs, scores, marks = random_arcs(5)
    kept, _ = likely_arcs(arcs, STARTS, scores, marks)
    for factor in (1e-3, 50):
        again, _ = likely_arcs(arcs, STARTS, np.float32(factor) * scores, marks)
        assert again.heads.tolist() == kept.heads.tolist()


def test_without_any_difference_all_arcs_stay():
    arcs, scores, marks = random_arcs(6)
    kept, _ = likely_arcs(arcs, STARTS, np.zeros_like(scores), marks)
    assert kept.heads.tolist() == arcs.heads.tolist()


@pytest.mark.parametrize("spread", [1e-6, 0.0])
def test_of_many_arcs_that_are_close_the_best_stay(spread):
    """One head scores much worse than the others, so that all others are close to the best."""
    starts = np.array([0, 60])
    arcs = all_arcs(starts)
    scores = (spread * np.random.default_rng(7).normal(size=arcs.heads.size)).astype(np.float32)
    scores[arcs.heads == 17] = -1000
    kept, _ = likely_arcs(arcs, starts, scores, scores[:0])
    for t in range(60):
        own, mine = slice(arcs.first[t], arcs.first[t + 1]), slice(kept.first[t], kept.first[t + 1])
        best = np.argsort(-scores[own], kind="stable")[:MOST_ARCS]
        assert set(kept.heads[mine].tolist()) == {*arcs.heads[own][best].tolist(), t}
