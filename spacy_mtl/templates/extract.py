"""Kernels that turn integer attribute columns into observation keys.

A compiled template set is a :class:`Program`, flat arrays without objects, so that one cached kernel serves every template set.
"""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel


class Program(NamedTuple):
    """A template set compiled to arrays: T templates with O observations in all.

    first: int64[T + 1], template t reads observations ``first[t]:first[t + 1]``.
    offset: int64[O], position relative to the current token.
    column: int64[O], row of the column matrix to read.
    seed: uint64[T], keeps equal values of different templates apart.
    """

    first: np.ndarray
    offset: np.ndarray
    column: np.ndarray
    seed: np.ndarray


@kernel
def mix(key, value):
    """Mix a value into a key by one round of a 64-bit finalizer (the constants of splitmix64), which spreads keys evenly."""
    z = (key ^ value) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def boundary(distance):
    """The value read ``distance`` positions outside the sentence (negative before it), different for each distance."""
    return mix(np.uint64(0xB0), np.uint64(distance))


@kernel
def observe(columns, column, position, start, end):
    """The attribute value at ``position``, or the boundary value if the position is outside ``[start, end)``."""
    if position < start:
        return boundary(position - start)
    if position >= end:
        return boundary(position - end + 1)
    return columns[column, position]


@kernel
def template_keys(columns, starts, program, template, out):
    """Observation keys of one template at every token.

    columns: uint64[A, N] attribute values. starts: int64[S + 1] sentence borders. out: uint64[N], overwritten.
    """
    lo, hi = program.first[template], program.first[template + 1]
    seed = program.seed[template]
    for s in range(starts.size - 1):
        start, end = starts[s], starts[s + 1]
        for t in range(start, end):
            key = seed
            for o in range(lo, hi):
                key = mix(key, observe(columns, program.column[o], t + program.offset[o], start, end))
            out[t] = key
