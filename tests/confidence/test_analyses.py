"""Probabilities of the analyses of words."""

import numpy as np
import pytest

from spacy_mtl.confidence import analyses
from spacy_mtl.confidence.analyses import ConsideredAnalyses, share_of_analyses
from spacy_mtl.models.chain.analyses import ConsideredAnalyses as Scored


def test_a_known_word_shares_its_probability_among_the_analyses_it_was_seen_with():
    of_labels = np.tile(np.array([0.5, 0.3, 0.2], np.float32), (3, 1))
    table, form_labels = np.array([[0], [1], [2]]), np.array([[True, True, False]])
    out = np.empty(3)
    share_of_analyses(of_labels, table, np.array([-1, 0, 0]), form_labels, np.array([0, 0, 2], np.int32), out)
    assert out == pytest.approx([0.5, 0.5 / 0.8, np.nan], nan_ok=True)


def test_marginals_are_computed_once_for_all_sentences(monkeypatch):
    """The work for the k best analyses does not grow with the square of the number of sentences."""
    counted = []
    whole = analyses.factor_marginals
    monkeypatch.setattr(analyses, "factor_marginals", lambda *args: counted.append(1) or whole(*args))
    rng = np.random.default_rng(0)
    nodes, step = rng.normal(0, 2, (7, 4)).astype(np.float32), np.zeros((4, 4), np.float32)
    table = np.array([[0, 2], [0, 3], [1, 2], [1, 3]], np.int32)
    borders = np.array([[0, 2], [2, 4]])
    best = nodes[:, table].sum(axis=2).argmax(axis=1).astype(np.int32)
    scored = Scored(
        np.array([0, 3, 4, 7]), np.array([0, 7]), nodes, step, borders, table, np.full(7, -1, np.int32), np.zeros((0, 4), bool), best,
    )  # fmt: skip
    considered = ConsideredAnalyses("analysis", scored, list("abcd"))
    found = considered.kbest({}, 2)
    assert len(counted) == 1
    told = [name for ranked in found for name in ranked[0].analysis]
    assert told == [considered.names[k] for k in best]
    logs = np.log(considered.probabilities(best, 1.0))
    expected = [logs[a:b].sum() for a, b in ((0, 3), (3, 4), (4, 7))]
    assert [ranked[0].log_probability for ranked in found] == pytest.approx(expected)
