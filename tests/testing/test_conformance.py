"""The package's own structures pass check_structure."""

from functools import cache
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


STRUCTURES = {"chains": CHAINS, "trees": TREES, "grammars": GRAMMARS}


@cache
def found(structure: str) -> dict[str, list[str]]:
    """By kind of problem what failed."""
    return run_in_python(Path(__file__).with_name("conformance.py"), structure)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_every_kind_is_checked(structure):
    assert sorted(found(structure)) == sorted(STRUCTURES[structure])


@pytest.mark.parametrize(("structure", "kind"), [(name, kind) for name, kinds in STRUCTURES.items() for kind in kinds])
def test_the_packages_structures_pass(structure, kind):
    assert found(structure)[kind] == []
