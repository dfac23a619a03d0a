"""What kernels pass to a structure in addition to the problem: weight vectors, live templates, and factors for blocks."""

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """One weight vector, as two row-contiguous matrices: a feature row scores every label, or every pair of labels.

    node: float32[R, K]. pair: float32[Rp, Kp]. The structure decides what the columns stand for; in chains with L labels, K = L, Kp = L * L, and the
    pair (previous, current) is column ``previous * L + current``. A structure without a second kind of features leaves ``pair`` empty.
    """

    node: np.ndarray
    pair: np.ndarray


class Live(NamedTuple):
    """The live templates, whose weights are non-zero and must be looked up. node, pair: int64, template numbers within their kind, ascending."""

    node: np.ndarray
    pair: np.ndarray


class Scale(NamedTuple):
    """A factor for each template's block. node: float64[T]. pair: float64[Tp].

    ``curvature``, ``add_direction`` and ``move`` also accept :class:`Weights` instead, a *metric* with a factor for each single weight.
    The type decides which of the two is meant, when a kernel is compiled.
    """

    node: np.ndarray
    pair: np.ndarray
