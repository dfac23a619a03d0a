"""The example structure does what the contract says, compiled too, and every trainer it suits trains it."""

from pathlib import Path
from typing import Any

import pytest

from examples.independent_labels import small_problem
from spacy_mtl.testing import check_structure
from spacy_mtl.testing.table import TRAINERS
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct, ssvm
from spacy_mtl.trainers.online.perceptron import Perceptron
from tests.testing.in_python import run_in_python

ALL = [trainer for trainers in TRAINERS.values() for trainer in trainers]
#: The structural SVM, trained in several ways.
SVM = [trainer for trainer in ALL if type(trainer).__name__ == "EG" or (type(trainer) is MTLStruct and trainer.p == 2)]


@pytest.fixture(scope="module")
def trained() -> dict[str, Any]:
    """What every trainer reached in plain Python."""
    return run_in_python(Path(__file__).with_name("training.py"))


def test_it_passes_compiled():
    check_structure(small_problem())


def test_it_offers_all_but_cutting():
    assert small_problem().offers == {
        "decode", "outputs", "directions", "marginals", "kbest", "metric", "features",
    }  # fmt: skip


@pytest.mark.parametrize("trainer", ALL, ids=str)
def test_every_trainer_trains_it(trained, trainer):
    reached = trained[str(trainer)]
    assert reached["all"]["hinges"] < 0.8 * reached["zero"]


@pytest.mark.parametrize("trainer", ALL, ids=str)
def test_the_groups_that_a_trainer_needs_are_enough(trained, trainer):
    """It reaches the same where no other function is implemented."""
    reached = trained[str(trainer)]
    assert reached["needs"] == pytest.approx(reached["all"], rel=1e-3, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize("trainer", SVM, ids=str)
def test_ways_to_the_structural_svm_agree(trained, trainer):
    optimum = trained[str(ssvm(solver="cutting_plane"))]["all"]["primal"]
    assert trained[str(trainer)]["all"]["primal"] == pytest.approx(optimum, rel=0.02)
    assert trained[str(trainer)]["all"]["primal"] >= (1 - 1e-5) * optimum


@pytest.mark.parametrize("trainer", [MTLStruct(), Perceptron()], ids=["batch", "online"])
def test_compiled_training_is_that_of_plain_python(trained, trainer):
    problem = small_problem()
    hinges = float(problem.hinges(fit(trainer, problem, 60).weights).sum())
    assert hinges == pytest.approx(trained[str(trainer)]["all"]["hinges"], rel=1e-4)
