"""The package's own structures pass check_structure."""

from itertools import product
from pathlib import Path

import pytest

from tests.testing.in_python import run_in_python

CHAINS = [
    "chains", "cut chains", "chains with offsets", "cut chains with offsets", "chains with vectors", "chains with kernelised blocks",
    *(f"chains without {missing}" for missing in ("outputs", "directions", "marginals", "features")),
]  # fmt: skip
TREES = [
    f"{kind} trees, {order}, {roots}{offsets}"
    for kind, order, roots, offsets in product(
        ("projective", "crossing"),
        ("first order", "siblings", "grandparents"),
        ("one root", "any roots"),
        ("", ", with offsets"),
    )
]
GRAMMARS = ["grammars, loss of brackets", "grammars, loss of rules"]


@pytest.fixture(scope="module")
def found() -> dict[str, list[str]]:
    return run_in_python(Path(__file__).with_name("conformance.py"))


def test_every_kind_is_checked(found):
    assert sorted(found) == sorted([*CHAINS, *TREES, *GRAMMARS])


@pytest.mark.parametrize("kind", [*CHAINS, *TREES, *GRAMMARS])
def test_the_packages_structures_pass(found, kind):
    assert found[kind] == []
