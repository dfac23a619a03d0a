"""check_structure can fail: each function of the example that is broken is named, however it is broken."""

from pathlib import Path

import pytest

from examples.independent_labels import Labels
from spacy_mtl.structures import contract
from tests.testing.in_python import run_in_python

OWN = [
    function.name
    for group in contract.GROUPS
    for function in group.functions
    if contract.own(function.generic, Labels, function.scale)
]


@pytest.fixture(scope="module")
def verdicts() -> dict[str, list[list[str]]]:
    """By broken function ("" for none), then by how and by seed: the function that was named. In plain Python: nothing is compiled."""
    return run_in_python(Path(__file__).with_name("breaking.py"))


def test_what_is_not_broken_passes(verdicts):
    assert verdicts[""] == [[""] * 3]


def test_every_function_of_the_example_is_broken(verdicts):
    assert set(OWN) == set(verdicts) - {""}


@pytest.mark.parametrize("name", OWN)
def test_what_is_broken_is_named(verdicts, name):
    assert [[name in found for found in seeds] for seeds in verdicts[name]] == [[True] * 3] * len(verdicts[name])
