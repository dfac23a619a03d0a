"""Ctrl-C between the inner passes of one long pass: it comes through, and what has been learnt is as after the passes made so far."""

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct

from .reference import random_problem

MANY, MADE = 10_000, 3
CASES = [
    (MTLStruct, {}, "_pass"),
    (EG, {"mode": "online"}, "_pass"),
    (EG, {"mode": "batch"}, "_pass"),
    (CRF, {"warm_up": 0}, "_iterate"),
]


@pytest.mark.parametrize(("make", "settings", "method"), CASES)
def test_a_pass_of_many_inner_passes_can_be_interrupted(make, settings, method, monkeypatch):
    problem = random_problem(1)
    settings = {**settings, "tol": 1e-15}
    expected = fit(make(**settings, inner_passes=MADE), problem, 1)
    owner, calls = type(expected), []
    inner = getattr(owner, method)

    def interrupted(training):
        if len(calls) == MADE:
            raise KeyboardInterrupt
        calls.append(training)
        inner(training)

    with monkeypatch.context() as patch:
        patch.setattr(owner, method, interrupted)
        training = fit(make(**settings, inner_passes=MANY), problem, 1)
    assert training is calls[0]
    assert training.passes == expected.passes == MADE
    for found, wanted in zip(training.weights, expected.weights, strict=True):
        assert np.array_equal(found, wanted)
    assert training.report() == expected.report()
