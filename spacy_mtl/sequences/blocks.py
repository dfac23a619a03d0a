"""The kinds of blocks: as the caller describes them, and in the form that training and prediction use."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from spacy_mtl.errors import Errors
from spacy_mtl.settings import is_choice, shown

from . import gram
from .gram import KERNELS, Kernel, KernelFunction, check_kernel, compare, neighbour_distance
from .values import as_array, as_categories, as_features


@dataclass(frozen=True)
class KernelBlock:
    """A block given by inner products of positions; it has one weight vector per training position.

    vectors: positions x features, dense or sparse. kernel: "linear" <a, b>, "quadratic" (<a, b> + offset)^2, "gaussian"
    exp(-||a - b||^2 / (2 sigma2)), "b1_spline" max(0, 1 - ||a - b|| / h), or a function K(A, B) of two such tables that returns float[A, B].
    h: None to choose the distance exceeded by a share ``zeros`` of the pairs of training positions.
    normalize: use K(a, b) / sqrt(K(a, a) K(b, b)).
    """

    vectors: Any
    kernel: str | KernelFunction = "linear"
    sigma2: float | None = None
    h: float | None = None
    zeros: float = 0.95
    offset: float = 0.0
    normalize: bool = False


@dataclass(frozen=True)
class Categories:
    """Integer columns, each a block of its own with one feature per value, like a template for text.

    columns: int[N] or int[N, K], -1 for no value. names: of the K blocks; by default the name of the whole block and the number of the column.
    """

    columns: Any
    names: Sequence[str] | None = None


#: Settings of kernels; "zeros" is another way to say "h".
_SETTINGS = ("sigma2", "h", "zeros", "offset")


class Entries(NamedTuple):
    """The features of n positions. counts: int64[n]. rows: int32[E] and values: float32[E], position by position, with rows ascending."""

    counts: np.ndarray
    rows: np.ndarray
    values: np.ndarray


@dataclass(frozen=True)
class FeatureBlock:
    """A block of explicit features, with a weight for each column and label."""

    name: str
    n_columns: int
    kind = "features"
    kernelised = False

    @property
    def n_rows(self) -> int:
        return self.n_columns

    def read(self, value: Any) -> Any:
        """New positions in canonical form. Raises ValueError: M228, M223, M233 other columns than in training."""
        if isinstance(value, KernelBlock | Categories):
            raise ValueError(Errors.M232.format(name=self.name, wanted="explicit features", got=type(value).__name__))
        table = as_features(value, self.name)
        check_columns(self.name, table.shape[1], self.n_columns)
        return table

    def width(self, table: Any) -> int:
        """The average number of entries per position."""
        return table.nnz // max(1, table.shape[0]) if sparse.issparse(table) else self.n_columns

    def entries(self, table: Any, first_row: int) -> Entries:
        """The entries of positions for training. first_row: the block's first row in the weights."""
        if sparse.issparse(table):
            rows = (table.indices + first_row).astype(np.int32)
            return Entries(np.diff(table.indptr).astype(np.int64), rows, table.data.astype(np.float32))
        return dense_entries(table.astype(np.float32, copy=False), first_row)

    def scores(self, table: Any, weights: np.ndarray) -> np.ndarray:
        """Scores float[n, L] of positions with the block's weights float32[R, L]."""
        return np.asarray(table @ weights)


@dataclass(frozen=True)
class KernelisedBlock:
    """A block of a kernel and the training positions that have weights. scale: of these positions, see :meth:`Kernel.scale`."""

    name: str
    kernel: Kernel
    vectors: Any
    scale: np.ndarray | None
    kind = "kernel"
    kernelised = True

    @property
    def n_rows(self) -> int:
        return self.vectors.shape[0]

    def read(self, value: Any) -> Any:
        """New positions in canonical form, given as an array or as a KernelBlock of the same kernel. Raises ValueError: M228, M223, M232, M233."""
        if isinstance(value, Categories) or (isinstance(value, KernelBlock) and not same_kernel(value, self.kernel)):
            got = "Categories" if isinstance(value, Categories) else f"{value.kernel!r} or other settings"
            raise ValueError(Errors.M232.format(name=self.name, wanted=f"the kernel {self.kernel.name}", got=got))
        table = as_features(value.vectors if isinstance(value, KernelBlock) else value, self.name)
        check_columns(self.name, table.shape[1], self.vectors.shape[1])
        return table

    def width(self, table: Any) -> int:
        """The number of entries per position."""
        return self.n_rows

    def values(self, table: Any) -> np.ndarray:
        """Kernel values float32[n, R]."""
        return compare(self.kernel, self.name, table, self.vectors, self.scale)

    def entries(self, table: Any, first_row: int) -> Entries:
        """The entries of positions for training; kernel values of 0 are left out."""
        return dense_entries(self.values(table), first_row)

    def scores(self, table: Any, weights: np.ndarray) -> np.ndarray:
        """Scores float32[n, L] of positions with the block's weights float32[R, L], computed in chunks."""
        out = np.empty((table.shape[0], weights.shape[1]), np.float32)
        for a, b in position_chunks(table.shape[0], self.n_rows):
            out[a:b] = self.values(table[a:b]) @ weights
        return out

    def support(self, weights: np.ndarray) -> tuple["KernelisedBlock", np.ndarray]:
        """The block and its weights, without positions whose weights are all 0."""
        rows = np.flatnonzero(weights.any(axis=1))
        scale = None if self.scale is None else self.scale[rows]
        return replace(self, vectors=self.vectors[rows], scale=scale), weights[rows]


@dataclass(frozen=True)
class CategoryBlock:
    """A block of integer columns. values: int64, for each column its values that have a feature, ascending. names: of the columns' blocks."""

    name: str
    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]
    kind = "categories"
    kernelised = False

    @property
    def n_rows(self) -> int:
        return sum(values.size for values in self.values)

    def read(self, value: Any) -> np.ndarray:
        """New positions int64[N, K]. Raises ValueError: M229, M232, M233."""
        if not isinstance(value, Categories):
            raise ValueError(Errors.M232.format(name=self.name, wanted="Categories", got=type(value).__name__))
        columns = as_categories(value.columns, self.name)
        check_columns(self.name, columns.shape[1], len(self.values))
        return columns

    def rows(self, columns: np.ndarray, first_row: int) -> np.ndarray:
        """Feature rows int32[n, K], -1 for an unknown value or none."""
        out = np.full(columns.shape, -1, np.int32)
        for k, values in enumerate(self.values):
            place = np.searchsorted(values, columns[:, k])
            known = place < values.size
            known[known] = values[place[known]] == columns[known, k]
            out[known, k] = first_row + place[known]
            first_row += values.size
        return out

    def scores(self, columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Scores float32[n, L] of positions with the block's weights float32[R, L]."""
        padded = np.vstack([weights, np.zeros((1, weights.shape[1]), np.float32)])
        out = np.zeros((len(columns), weights.shape[1]), np.float32)
        for rows in self.rows(columns, 0).T:
            out += padded[rows]
        return out


FittedBlock = FeatureBlock | KernelisedBlock | CategoryBlock


def as_mapping(X: Any) -> Mapping[str, Any]:
    """X as a mapping of blocks; a single array or block is named "X"."""
    return X if isinstance(X, Mapping) else {"X": X}


def count_positions(value: Any) -> int:
    """The number of positions of a block as the caller gave it."""
    if isinstance(value, Categories | KernelBlock):
        value = value.columns if isinstance(value, Categories) else value.vectors
    array = value if sparse.issparse(value) else as_array(value)
    if array is None:  # rows of different lengths
        return len(value)
    return int(array.shape[0]) if array.shape else 1


def fit_block(name: str, value: Any, n: int) -> tuple[FittedBlock, Any]:
    """Prepare a block for training; returns it with its n positions in canonical form.

    Raises ValueError naming the block: M222 another number of positions, M223-M229 and M235 for what is wrong with its values or settings.
    """
    if isinstance(value, Categories):
        columns = as_categories(value.columns, name)
        check_positions(name, columns, n)
        return fit_categories(name, columns, value.names), columns
    table = as_features(value.vectors if isinstance(value, KernelBlock) else value, name)
    check_positions(name, table, n)
    if isinstance(value, KernelBlock):
        kernel = as_kernel(value, name, table)
        check_kernel(kernel, name, table)
        return KernelisedBlock(name, kernel, table, kernel.scale(table)), table
    return FeatureBlock(name, table.shape[1]), table


def fit_categories(name: str, columns: np.ndarray, names: Sequence[str] | None) -> CategoryBlock:
    """Collect the values of each column. Raises ValueError (M229) for a wrong number of names."""
    n = columns.shape[1]
    try:
        given = [] if names is None else list(names)
    except TypeError:
        raise ValueError(Errors.M229.format(name=name, got=f"names = {shown(names)}")) from None
    names = tuple(map(str, given or ([name] if n == 1 else [f"{name}{k}" for k in range(n)])))
    if len(names) != n:
        raise ValueError(Errors.M229.format(name=name, got=f"{n} columns with {len(names)} names"))
    return CategoryBlock(name, names, tuple(np.unique(column[column >= 0]) for column in columns.T))


def check_positions(name: str, table: Any, n: int) -> None:
    """Refuse a block with another number of positions than n (M222)."""
    if table.shape[0] != n:
        raise ValueError(Errors.M222.format(name=name, got=f"{table.shape[0]} positions", n=n))


def as_kernel(block: KernelBlock, name: str, vectors: Any) -> Kernel:
    """The kernel of a block. Raises ValueError naming the block: M227 a setting out of range, M235 an unknown kernel, M236 no width found,
    M240 a setting that the kernel does not have."""
    if not isinstance(block.normalize, bool | np.bool_):
        raise ValueError(
            Errors.M227.format(name=name, setting="normalize", least="true or false", value=shown(block.normalize))
        )
    if callable(block.kernel):
        check_used(block, name, ())
        return Kernel("function", normalize=bool(block.normalize), function=block.kernel)
    if not is_choice(block.kernel, KERNELS):
        raise ValueError(Errors.M235.format(name=name, kernel=shown(block.kernel), known=", ".join(KERNELS)))
    check_used(block, name, KERNELS[block.kernel])
    settings: dict[str, Any] = {setting: getattr(block, setting) for setting in KERNELS[block.kernel]}
    if not is_number(block.zeros) or not 0 <= block.zeros < 1:
        raise ValueError(
            Errors.M227.format(name=name, setting="zeros", value=block.zeros, least="a finite number in [0, 1)")
        )
    if block.kernel == "b1_spline" and block.h is None:
        settings["h"] = neighbour_distance(vectors, float(block.zeros))
        if settings["h"] == 0:
            raise ValueError(Errors.M236.format(name=name, zeros=block.zeros))
    for setting, value in settings.items():
        low = 0.0 if setting == "offset" else np.nextafter(0, 1)
        if not is_number(value) or not low <= value < np.inf:
            least = "a finite number of at least 0" if setting == "offset" else "a finite number above 0"
            raise ValueError(Errors.M227.format(name=name, setting=setting, value=value, least=least))
    numbers: dict[str, Any] = {setting: float(value) for setting, value in settings.items()}
    return Kernel(block.kernel, normalize=bool(block.normalize), **numbers)


def check_used(block: KernelBlock, name: str, has: Sequence[str]) -> None:
    """Refuse settings that the kernel of a block does not have (M240), where they are not the defaults. has: those that it has."""
    for setting in _SETTINGS:
        value, usual = getattr(block, setting), getattr(KernelBlock, setting)
        is_usual = value is usual or (is_number(value) and is_number(usual) and bool(np.isclose(value, usual)))
        if not (is_usual or setting in has or (setting == "zeros" and "h" in has)):
            kernel = "function" if callable(block.kernel) else block.kernel
            raise ValueError(Errors.M240.format(kernel=kernel, name=name, setting=setting, value=shown(value)))


def is_number(value: Any) -> bool:
    """Whether a setting is a real number, Python's or numpy's."""
    return isinstance(value, Real) and not isinstance(value, bool)


def same_kernel(block: KernelBlock, kernel: Kernel) -> bool:
    """Whether the block has this kernel (an h that training chose may be left out)."""
    if callable(block.kernel):
        return block.kernel == kernel.function and block.normalize == kernel.normalize
    if block.kernel != kernel.name or block.normalize != kernel.normalize:
        return False
    settings = KERNELS[kernel.name]
    return all(getattr(block, s) == getattr(kernel, s) or (s == "h" and block.h is None) for s in settings)


def position_chunks(n: int, width: int) -> Iterator[tuple[int, int]]:
    """Borders of runs of positions with at most CHUNK entries each, where a position has ``width`` entries."""
    size = max(1, gram.CHUNK // max(width, 1))
    for a in range(0, n, size):
        yield a, min(n, a + size)


def check_columns(name: str, got: int, expected: int) -> None:
    """Refuse new positions with another number of columns than in training (M233)."""
    if got != expected:
        raise ValueError(Errors.M233.format(name=name, got=got, expected=expected))


def dense_entries(table: np.ndarray, first_row: int) -> Entries:
    """The non-zero entries of float32[n, R]."""
    filled = table != 0
    rows = np.nonzero(filled)[1]
    return Entries(filled.sum(axis=1), (rows + first_row).astype(np.int32), table[filled])
