"""What ``fit`` refuses before it trains."""

import numpy as np
import pytest

from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.online.perceptron import Perceptron

from .reference import random_problem


@pytest.mark.parametrize("passes", [0, -1, 1.5, None, "2", True, np.nan])
def test_passes_that_are_no_number_of_passes(passes):
    with pytest.raises(ValueError, match=r"M305.*passes must be a whole number of at least 1"):
        fit(Perceptron(), random_problem(0), passes)


@pytest.mark.parametrize("trainer", [Perceptron, None, "spacy_mtl.Perceptron.v1"])
def test_no_trainer(trainer):
    with pytest.raises(ValueError, match=r"M378.*fit needs a trainer"):
        fit(trainer, random_problem(0), 1)


def test_no_problem():
    for problem in (None, random_problem(0).arrays):
        with pytest.raises(ValueError, match=r"M379.*fit needs a problem"):
            fit(Perceptron(), problem, 1)


def test_numbers_of_numpy():
    assert fit(Perceptron(), random_problem(0), np.int64(2)).passes == 2
