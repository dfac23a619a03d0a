"""check_structure can fail: each function of the example that is broken is named, however it is broken."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from examples.independent_labels import Labels
from spacy_mtl.structures import contract

ROOT = Path(__file__).parents[2]
OWN = [
    function.name
    for group in contract.GROUPS
    for function in group.functions
    if contract.own(function.generic, Labels, function.scale)
]


@pytest.fixture(scope="module")
def verdicts() -> dict[str, list[list[str]]]:
    """By broken function ("" for none), then by how and by seed: the function that was named. In plain Python: nothing is compiled."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(Path(__file__).with_name("breaking.py"))]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=ROOT)
    return json.loads(run.stdout)


def test_what_is_not_broken_passes(verdicts):
    assert verdicts[""] == [[""] * 3]


def test_every_function_of_the_example_is_broken(verdicts):
    assert set(OWN) == set(verdicts) - {""}


@pytest.mark.parametrize("name", OWN)
def test_what_is_broken_is_named(verdicts, name):
    assert [[name in found for found in seeds] for seeds in verdicts[name]] == [[True] * 3] * len(verdicts[name])
