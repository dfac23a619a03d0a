"""What the driver and its workers send each other."""

from typing import NamedTuple

import numpy as np

from .packing import Packed


class Follow(NamedTuple):
    """How the weights have changed: to the blocks of ``mask`` (bool[T + Tp]), ``change`` is added, to the weights as they were or
    (``whole``) to nothing; then each block is multiplied by its entry of ``factors``, float64[T + Tp].
    """

    mask: np.ndarray
    change: Packed
    factors: np.ndarray
    whole: bool

    @property
    def nbytes(self) -> int:
        return self.mask.nbytes + self.change.nbytes + self.factors.nbytes


class Ascend(NamedTuple):
    """A round. follow: the weights. scales: C mu_j, float64[T + Tp]. sigma: what the curvature of each block is multiplied by, since others make
    steps, too, float64[T + Tp]. passes: over the shard. pace: as of :func:`.ascent_pass`.
    """

    follow: Follow
    scales: np.ndarray
    sigma: np.ndarray
    passes: int
    pace: float

    @property
    def nbytes(self) -> int:
        return self.follow.nbytes + self.scales.nbytes + self.sigma.nbytes + 16


class Ascended(NamedTuple):
    """What a round has changed. change: of the live blocks of w. squares: ||.||^2 of each block's, float64[T + Tp]. gaps: the
    sum of the sentences' Frank-Wolfe gaps in the last pass, each before its step.
    """

    change: Packed
    squares: np.ndarray
    gaps: float

    @property
    def nbytes(self) -> int:
        return self.change.nbytes + self.squares.nbytes + 8


class Shape(NamedTuple):
    """What all shards must have in common, and the number of sentences of this one. version: of this package. features: whether every weight
    belongs to one feature.
    """

    version: str
    names: tuple[str, ...]
    node: np.ndarray
    pair: np.ndarray
    widths: tuple[int, int]
    sentences: int
    features: bool
