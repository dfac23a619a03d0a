"""Kernels between positions, by name or as a user's function, and their checks before training."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.errors import Errors

#: Named kernels and their settings.
KERNELS = {"linear": (), "quadratic": ("offset",), "gaussian": ("sigma2",), "b1_spline": ("h",)}
#: Largest number of kernel values in memory while positions are compared.
CHUNK = 1 << 21
#: Number of positions on which a kernel is checked.
SAMPLE = 200
#: An eigenvalue may be this far below 0, relative to the mean of K(a, a). Rounding errors are far smaller; the tolerance is for the B1-spline,
#: which is positive semi-definite in one dimension only but used in many, and stays within it if 95% of its values are 0.
TOLERANCE = 0.1

#: The largest number in single precision, in which training stores kernel values.
LARGEST = float(np.finfo(np.float32).max)

KernelFunction = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Kernel:
    """A kernel K(a, b) between positions a and b.

    name: one of KERNELS, or "function". linear <a, b>; quadratic (<a, b> + offset)^2; gaussian exp(-||a - b||^2 / (2 sigma2)); b1_spline
    max(0, 1 - ||a - b|| / h). normalize: divide by sqrt(K(a, a) K(b, b)).
    """

    name: str
    sigma2: float = 1.0
    h: float = 1.0
    offset: float = 0.0
    normalize: bool = False
    function: KernelFunction | None = None

    def __call__(self, a: Any, b: Any) -> np.ndarray:
        """Kernel values float[A, B] of the rows of ``a`` and ``b``, not normalized."""
        if self.function is not None:
            return np.asarray(self.function(a, b))
        if self.name == "linear":
            return inner(a, b)
        if self.name == "quadratic":
            return (inner(a, b) + self.offset) ** 2
        distances = squared_distances(a, b)
        if self.name == "gaussian":
            distances *= -0.5 / self.sigma2
            return np.exp(distances, out=distances)
        return np.maximum(1 - np.sqrt(distances, out=distances) / self.h, 0)

    def diagonal(self, a: Any) -> np.ndarray:
        """K(a, a) of every row, float64[A]."""
        if self.function is not None:
            parts = [np.diagonal(self(a[k : k + 64], a[k : k + 64])) for k in range(0, a.shape[0], 64)]
            return np.concatenate([np.empty(0), *parts])
        if self.name in ("gaussian", "b1_spline"):
            return np.ones(a.shape[0])
        return squares(a) if self.name == "linear" else (squares(a) + self.offset) ** 2

    def scale(self, a: Any) -> np.ndarray | None:
        """1 / sqrt(K(a, a)) of every row, float64[A], 0 where K(a, a) is 0; None if the kernel is not normalized."""
        return root_inverse(self.diagonal(a)) if self.normalize else None


def root_inverse(diagonal: np.ndarray) -> np.ndarray:
    """1 / sqrt of the values above 0, 0 for the others."""
    return np.divide(1, np.sqrt(np.maximum(diagonal, 0)), out=np.zeros(diagonal.size), where=diagonal > 0)


def inner(a: Any, b: Any) -> np.ndarray:
    """<a, b> of all pairs of rows, dense or sparse, float[A, B]."""
    product = a @ b.T
    return product.toarray() if sparse.issparse(product) else np.asarray(product)


def squares(a: Any) -> np.ndarray:
    """||a||^2 of every row, float64[A]."""
    if sparse.issparse(a):
        return np.asarray(a.multiply(a).sum(axis=1), float).ravel()
    return np.einsum("td,td->t", a, a, dtype=float)


def squared_distances(a: Any, b: Any) -> np.ndarray:
    """||a - b||^2 of all pairs of rows, float64[A, B], at least 0. In double precision, since the squares of close positions nearly cancel."""
    a, b = a.astype(float, copy=False), b.astype(float, copy=False)
    distances = inner(a, b)
    distances *= -2
    distances += squares(a)[:, None]
    distances += squares(b)[None, :]
    return np.maximum(distances, 0, out=distances)


def compare(kernel: Kernel, name: str, a: Any, b: Any, scale: np.ndarray | None) -> np.ndarray:
    """Kernel values float32[A, B] as training and prediction use them. scale: of the rows of b, see :meth:`Kernel.scale`.

    Raises ValueError naming the block (M225) if a user's function returns anything but one finite number per pair.
    """
    values = kernel(a, b)
    expected = (a.shape[0], b.shape[0])
    if values.shape != expected or values.dtype.kind not in "fiub":
        raise ValueError(Errors.M225.format(name=name, expected=expected, got=f"{values.dtype} {values.shape}"))
    if scale is not None:
        ours = kernel.scale(a)
        assert ours is not None
        values = values * ours[:, None] * scale[None, :]
    if not np.abs(values).max(initial=0.0) <= LARGEST:  # also true for nan
        raise ValueError(
            Errors.M225.format(name=name, expected=expected, got="nan, inf or a number beyond single precision")
        )
    return values.astype(np.float32, copy=False)


def neighbour_distance(vectors: Any, zeros: float) -> float:
    """The distance h that a share ``zeros`` of all pairs of positions exceed, 0 if there are no pairs.

    Estimated from up to 1,000 positions and 2,000 others.
    """
    rows, others = sample(vectors.shape[0], 1000), sample(vectors.shape[0], 2000, seed=1)
    distances = squared_distances(vectors[rows], vectors[others])[rows[:, None] != others[None, :]]
    return float(np.sqrt(np.quantile(distances, 1 - zeros))) if distances.size else 0.0


def sample(n: int, most: int, seed: int = 0) -> np.ndarray:
    """Up to ``most`` of n positions, ascending; always the same for the same seed."""
    return np.sort(np.random.default_rng(seed).permutation(n)[:most])


def check_kernel(kernel: Kernel, name: str, vectors: Any) -> None:
    """Refuse a kernel that is not an inner product on a sample of the positions.

    Raises ValueError naming the block: M225 wrong shape or not finite, M224 not symmetric or not positive semi-definite.
    """
    rows = sample(vectors.shape[0], SAMPLE)
    gram = compare(kernel, name, vectors[rows], vectors[rows], None).astype(float)
    if kernel.normalize:
        scale = root_inverse(np.diagonal(gram))
        gram *= np.outer(scale, scale)
    difference, largest = np.abs(gram - gram.T).max(), np.abs(gram).max()
    if difference > 1e-4 * largest:
        reason = f"K(a, b) and K(b, a) differ by up to {difference:.3g}"
        raise ValueError(Errors.M224.format(name=name, n=rows.size, reason=reason))
    eigenvalues = np.linalg.eigvalsh(gram)
    if eigenvalues[0] < -TOLERANCE * max(eigenvalues.mean(), 0.0):
        reason = f"its matrix has the eigenvalue {eigenvalues[0]:.3g} (the largest is {eigenvalues[-1]:.3g})"
        raise ValueError(Errors.M224.format(name=name, n=rows.size, reason=reason))
