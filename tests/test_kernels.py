"""Kernels for Python, and those that kernels alone call."""

import pytest
from numba import typeof

from spacy_mtl import kernels
from spacy_mtl.kernels import kernel, subkernel


@subkernel
def doubled(x):
    return 2 * x


@kernel
def doubled_and_one(x):
    return doubled(x) + 1


def test_a_subkernel_is_for_kernels():
    for _ in range(2):  # before it is compiled, and after
        with pytest.raises(TypeError, match="doubled can be called from compiled functions only"):
            doubled(3)
        assert doubled_and_one(3) == 7
    with pytest.raises(TypeError, match="compiled functions only"):
        doubled(x=3)


def test_cached_kernels_depend_on_the_files_of_a_structure_from_elsewhere(tmp_path):
    """The key of what is cached for a problem changes with a file beside that which implements the contract."""
    path = tmp_path / "other_structure.py"
    path.write_text(
        "from typing import NamedTuple\nclass Other(NamedTuple):\n    a: int\ndef n_sentences(problem):\n    return 0\n"
    )
    names = {"__name__": "other_structure"}
    exec(compile(path.read_text(), str(path), "exec"), names)
    signature = (typeof(names["Other"](1)), typeof(1))
    assert kernels._state_of_watched(signature) == ""
    kernels.watch(names["Other"], names["n_sentences"])
    before = kernels._state_of_watched(signature)
    assert str(path) in before
    (tmp_path / "helpers.py").write_text("x = 1\n")
    assert kernels._state_of_watched(signature) != before
    assert kernels._state_of_watched((typeof(1),)) == ""


def test_structures_of_the_package_are_not_watched():
    assert not [cls for cls in kernels._WATCHED if cls.__module__.startswith("spacy_mtl")]
