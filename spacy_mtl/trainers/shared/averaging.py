"""The average of all weight vectors of an online training, computed without touching the features that a sentence does not change."""

from typing import NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.contract import Weights, add_output


class Average(NamedTuple):
    """w after ``seen`` sentences, and u, from which the mean of the vectors after each of them is w - u / seen.

    A change d made by sentence t (from 1) is part of the last seen - t + 1 of these vectors, so u = sum_t (t - 1) d_t.
    w, u: weight vectors. seen: int64[1].
    """

    w: Weights
    u: Weights
    seen: np.ndarray


@subkernel
def learn_output(arrays, state, i, work, amount):
    """Add amount * (Phi(gold_i) - Phi(output in ``work``)) to w. The sentence must be counted afterwards: ``seen`` is t - 1 here."""
    add_output(arrays, state.w, i, work, amount)
    add_output(arrays, state.u, i, work, amount * state.seen[0])


@kernel
def write_average(out, w, u, seen):
    """Set out to w - u / seen; zeros before the first sentence. All float32[R, K]."""
    share = 1.0 / max(seen, 1)
    for r in range(out.shape[0]):
        for y in range(out.shape[1]):
            out[r, y] = np.float32(w[r, y] - share * u[r, y])
