"""Euclidean projection onto the simplex with slack, exact up to rounding.

It sorts once: Duchi, Shalev-Shwartz, Singer and Chandra (2008), "Efficient projections onto the l1-ball for learning
in high dimensions", Figure 1.
"""

import numpy as np

from spacy_mtl.errors import Errors


def _onto_simplex(v: np.ndarray, radius: float) -> np.ndarray:
    """The point of {a >= 0, sum a = radius} nearest to v: max(v - tau, 0) for one tau. v: (d,), d > 0."""
    below = (
        v - v.max()
    )  # a common shift does not change the projection; this one keeps radius from being lost in large v
    descending = np.sort(below)[::-1]
    excess = np.cumsum(descending) - radius
    last = np.flatnonzero(descending * np.arange(1, descending.size + 1) > excess)[-1]
    return np.maximum(below - excess[last] / (last + 1), 0.0)


def _checked(v: np.ndarray, radius: float, name: str) -> np.ndarray:
    v = np.asarray(v, dtype=np.float64)
    if not (np.isfinite(radius) and radius > 0):
        raise ValueError(Errors.M350.format(name=name, radius=radius))
    if v.ndim != 1 or not np.isfinite(v).all():
        raise ValueError(Errors.M351.format(name=name, shape=v.shape))
    return v


def project_simplex_slack(v: np.ndarray, radius: float) -> np.ndarray:
    """The point of {a >= 0, sum a <= radius} nearest to v.

    v: (d,) finite float64. radius: > 0. Returns (d,) float64. Raises ValueError for an invalid radius or vector.
    """
    v = _checked(v, radius, "project_simplex_slack")
    inside = np.maximum(v, 0.0)
    if inside.sum() <= radius:
        return inside
    return _onto_simplex(v, radius)
