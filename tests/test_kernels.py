"""Kernels for Python, and those that kernels alone call."""

import pytest

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
