"""A model out of the arrays of a file that may come from a stranger: a closed list of names, types, shapes and ranges."""

from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.structures.chain.viterbi import FORBIDDEN

from .archive import Archive, DamagedError
from .blocks import CategoryBlock, FeatureBlock, FittedBlock, KernelisedBlock
from .gram import KERNELS, LARGEST, Kernel
from .model import LARGEST_SCORE, SequenceModel

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
_LAST_CHARACTER = 0x10FFFF


class Reader:
    """Reads arrays by name and remembers which. Every method raises DamagedError for what :func:`.store.save` would not have written."""

    def __init__(self, archive: Archive) -> None:
        self._archive, self._read = archive, {"header"}

    def array(self, name: str, dtypes: tuple[np.dtype, ...], shape: tuple[int | None, ...]) -> np.ndarray:
        """An array of one of these types, of this shape (None: any length)."""
        self._read.add(name)
        array = self._archive.read(name)
        fits = array.ndim == len(shape) and all(b in (None, a) for a, b in zip(array.shape, shape, strict=True))
        require(fits and array.dtype in dtypes)
        return array

    def numbers(self, name: str, shape: tuple[int | None, ...], dtypes: tuple[np.dtype, ...] = _FLOATS) -> np.ndarray:
        """Finite floats within single precision."""
        array = self.array(name, dtypes, shape)
        require(bool(np.abs(array).max(initial=0.0) <= LARGEST))  # false for nan
        return array

    def single(self, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """Finite numbers float32."""
        return self.numbers(name, shape, _FLOATS[:1])

    def integers(self, name: str, shape: tuple[int | None, ...], low: int, high: int) -> np.ndarray:
        """Integers from ``low`` to ``high``."""
        array = self.array(name, _INTEGERS, shape)
        require(array.size == 0 or bool(low <= array.min() and array.max() <= high))
        return array

    def mask(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Constraints: 0 or FORBIDDEN."""
        array = self.single(name, shape)
        require(bool(np.isin(array, (0, FORBIDDEN)).all()))
        return array

    def labels(self) -> np.ndarray:
        """The labels, int64[L] or str[L], at least one, all different."""
        array = self._archive.read("labels")
        self._read.add("labels")
        require(array.ndim == 1 and array.size > 0 and (array.dtype == np.int64 or array.dtype.kind == "U"))
        if array.dtype.kind == "U":
            require(int(array.view(np.uint32).max()) <= _LAST_CHARACTER)
        require(np.unique(array).size == array.size)
        return array

    def finish(self) -> None:
        """Refuse arrays that nothing has read."""
        require(self._archive.names == self._read)


def require(condition: bool) -> None:
    """Raises DamagedError unless the condition holds."""
    if not condition:
        raise DamagedError


def read_model(archive: Archive, described: Any) -> SequenceModel:
    """The model, without users' functions. described: of the header, one object a block. Raises DamagedError."""
    require(isinstance(described, list) and bool(described))
    require(len(described) <= len(archive.names))  # every block has an array at least
    reader = Reader(archive)
    labels = reader.labels()
    n = labels.size
    blocks, weights = [], []
    for k, about in enumerate(described):
        block = _block(reader, about, f"{k}.")
        blocks.append(block)
        weights.append(reader.single(f"{k}.weights", (block.n_rows, n)))
    require(len({block.name for block in blocks}) == len(blocks))
    step = reader.single("step", (n, n))
    require(bool(np.abs(step).max() <= LARGEST_SCORE))
    masks = (reader.mask(f"{name}_mask", (n, n) if name == "step" else (n,)) for name in ("start", "end", "step"))
    model = SequenceModel(labels, tuple(blocks), tuple(weights), step, *masks)
    reader.finish()
    return model


def _block(reader: Reader, about: Any, prefix: str) -> FittedBlock:
    """The block that the header describes, without a user's function."""
    require(isinstance(about, dict) and isinstance(about.get("name"), str))
    kind, name = about.get("kind"), about["name"]
    keys = {"kind", "name"}
    if kind == FeatureBlock.kind:
        columns = about.get("n_columns")
        require(set(about) == keys | {"n_columns"} and type(columns) is int and columns > 0)
        return FeatureBlock(name, columns)
    if kind == CategoryBlock.kind:
        require(set(about) == keys | {"names"})
        return _categories(reader, name, about["names"], prefix)
    require(kind == KernelisedBlock.kind and set(about) == keys | {"kernel", "sparse"})
    kernel = _kernel(about["kernel"])
    require(type(about["sparse"]) is bool)
    vectors = _sparse(reader, prefix) if about["sparse"] else reader.numbers(f"{prefix}vectors", (None, None))
    require(vectors.shape[1] > 0)
    scale = reader.array(f"{prefix}scale", _FLOATS[1:], (vectors.shape[0],)) if kernel.normalize else None
    require(scale is None or bool(((scale >= 0) & (scale < np.inf)).all()))
    return KernelisedBlock(name, kernel, vectors, scale)


def _categories(reader: Reader, name: str, names: Any, prefix: str) -> CategoryBlock:
    require(isinstance(names, list) and bool(names) and all(isinstance(each, str) for each in names))
    largest = np.iinfo(np.int64).max
    values = []
    for k in range(len(names)):
        column = reader.integers(f"{prefix}values{k}", (None,), 0, largest).astype(np.int64, copy=False)
        require(bool((column[1:] > column[:-1]).all()))
        values.append(column)
    return CategoryBlock(name, tuple(names), tuple(values))


def _kernel(about: Any) -> Kernel:
    """A named kernel, or one whose function the caller gives, with settings in the ranges that training allows."""
    require(isinstance(about, dict) and set(about) == {"name", "sigma2", "h", "offset", "normalize"})
    require(about["name"] in (*KERNELS, "function") and type(about["normalize"]) is bool)
    for setting in ("sigma2", "h", "offset"):
        value = about[setting]
        require(type(value) is float and 0 <= value < np.inf and (value > 0 or setting == "offset"))
    return Kernel(**about)


def _sparse(reader: Reader, prefix: str) -> sparse.csr_array:
    """Rows of a sparse table with ascending columns: scipy believes its indices, so they are checked one by one."""
    rows, columns = (int(size) for size in reader.integers(f"{prefix}shape", (2,), 0, np.iinfo(np.int64).max))
    data = reader.numbers(f"{prefix}data", (None,))
    indices = reader.integers(f"{prefix}indices", (data.size,), 0, columns - 1)
    starts = reader.integers(f"{prefix}indptr", (None,), 0, data.size)
    require(
        starts.size == rows + 1 and starts[0] == 0 and starts[-1] == data.size and bool((np.diff(starts) >= 0).all())
    )
    require(starts.dtype == indices.dtype)
    follows = np.ones(data.size, bool)
    follows[starts[:-1][np.diff(starts) > 0]] = False  # the first of a row
    require(bool((np.diff(indices) > 0)[follows[1:]].all()))
    return sparse.csr_array((data, indices, starts), shape=(rows, columns))
