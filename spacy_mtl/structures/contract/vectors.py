"""What kernels pass to a structure besides the problem: weight vectors, the templates worth looking at, a factor for each block."""

from typing import NamedTuple

import numpy as np


class Weights(NamedTuple):
    """One weight vector, as two row-contiguous matrices: a feature row scores every label, or every pair of labels.

    node: float32[R, K]. pair: float32[Rp, Kp]. What a column stands for is the structure's own business; in chains of L labels K = L, Kp = L * L,
    and the pair (previous, current) is column ``previous * L + current``. A structure without a second kind of features leaves ``pair`` empty.
    """

    node: np.ndarray
    pair: np.ndarray


class Live(NamedTuple):
    """Templates worth looking up (weight not zero). node, pair: int64, template numbers within their kind, ascending."""

    node: np.ndarray
    pair: np.ndarray


class Scale(NamedTuple):
    """A factor for each template's block. node: float64[T]. pair: float64[Tp].

    ``curvature``, ``add_direction`` and ``move`` also take :class:`Weights` in its place, a *metric*: a factor for each single weight.
    Which of the two is a matter of type, decided when a kernel is compiled.
    """

    node: np.ndarray
    pair: np.ndarray
