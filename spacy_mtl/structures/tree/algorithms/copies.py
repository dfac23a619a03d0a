"""Copies written out as loops: an assignment of one array to another takes numba seconds to compile, in two dimensions nearly ten."""

from spacy_mtl.kernels import subkernel


@subkernel
def copy_list(source, target):
    """target[:] = source, for lists of the same length."""
    for k in range(source.size):
        target[k] = source[k]


@subkernel
def copy_table(source, target):
    """target[: len(source)] = source, for tables of the same width."""
    for r in range(source.shape[0]):
        for c in range(source.shape[1]):
            target[r, c] = source[r, c]
