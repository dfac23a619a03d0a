"""check_structure names the functions without which nothing can be checked."""

import pytest

from examples.independent_labels import Labels, small_problem
from spacy_mtl.structures import contract
from spacy_mtl.testing import check_structure


class Begun(Labels):
    """A structure of which two functions are written."""


@contract.implements(contract.n_sentences, Begun)
def n_sentences(problem):
    return problem.first.size - 1


@contract.implements(contract.score_scaled, Begun)
def score_scaled(problem, weights, live, scale, i, work):
    pass


def test_missing_functions_of_decode_are_named_before_anything_is_compiled():
    whole = small_problem()
    begun = type(whole)(Begun(*whole.arrays), whole.blocks, 3, 1, outputs=whole.outputs)
    with pytest.raises(ValueError, match="group 'decode', but Begun has no ") as error:
        check_structure(begun)
    told = str(error.value).partition("has no ")[2].partition(".")[0].split(", ")
    assert told == [
        "n_templates", "new_work", "add_loss", "decode", "take_output", "gold_score", "output_loss", "add_output",
    ]  # fmt: skip
