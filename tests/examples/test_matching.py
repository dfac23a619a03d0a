"""The example of bipartite matching: right against enumeration, and trained by every trainer that suits it."""

from pathlib import Path

import pytest

from spacy_mtl.testing.table import TRAINERS
from spacy_mtl.trainers.mtlstruct import ssvm
from tests.testing.in_python import run_in_python

#: What it offers; a trainer that needs no more suits it.
OFFERS = {"decode", "outputs", "directions", "features"}
SUITING = [trainer for trainers in TRAINERS.values() for trainer in trainers if trainer.needs <= OFFERS]


@pytest.fixture(scope="module")
def found():
    """The conformance test has passed by then: it is the first thing that the script does."""
    return run_in_python(Path(__file__).with_name("train_matchings.py"))


def test_it_offers_what_it_implements(found):
    assert set(found["offers"]) == OFFERS


def test_decoding_finds_the_best_of_all_matchings(found):
    assert found["decoding error"] < 1e-5


@pytest.mark.parametrize("trainer", SUITING, ids=str)
def test_every_trainer_that_suits_it_trains_it(found, trainer):
    hinges, _ = found["trained"][str(trainer)]
    assert hinges < 0.8 * found["zero"]


def test_both_ways_to_the_structural_svm_agree(found):
    primals = [found["trained"][str(ssvm(solver=solver))][1] for solver in ("dual_ascent", "cutting_plane")]
    assert primals[0] == pytest.approx(primals[1], rel=0.02)
