"""Enumeration of the label sequences of a piece."""

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np


def every_sequence(arrays: Any) -> Iterator[Iterator[np.ndarray]]:
    """For each piece of a ``ChainProblem``, all label sequences that the constraints allow."""
    return (_of_piece(arrays, i) for i in range(arrays.first.size))


def _of_piece(arrays: Any, i: int) -> Iterator[np.ndarray]:
    """The label sequences that the constraints allow for piece i, int32[n] each, at most L ** n."""
    tokens = range(arrays.first[i], arrays.last[i])
    for labels in product(range(arrays.start.size), repeat=len(tokens)):
        ends = [] if arrays.open_left[i] else [arrays.start[labels[0]]]
        ends += [] if arrays.open_right[i] else [arrays.end[labels[-1]]]
        steps = [arrays.step[x, y] for x, y in pairwise(labels)]
        forms = [
            arrays.form_mask[arrays.forms[t], y] for t, y in zip(tokens, labels, strict=True) if arrays.forms[t] >= 0
        ]
        if not any([*ends, *steps, *forms]):
            yield np.array(labels, np.int32)
