"""A model out of the arrays of a file that may come from a stranger: a closed list of names, types, shapes and ranges."""

from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.ranges import (
    check_among,
    check_ascending,
    check_finite,
    check_offsets,
    check_range,
    check_rows_ascend,
)
from spacy_mtl.stored.values import (
    Check,
    boolean,
    distinct_texts,
    fields,
    integer,
    list_of,
    mapping,
    number,
    one_of,
    text,
)
from spacy_mtl.structures.chain.viterbi import FORBIDDEN

from .archive import Archive, DamagedError
from .blocks import CategoryBlock, FeatureBlock, FittedBlock, KernelisedBlock
from .gram import KERNELS, LARGEST, Kernel
from .model import LARGEST_SCORE, SequenceModel

_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
_INTEGERS = (np.dtype(np.int32), np.dtype(np.int64))
_LAST_CHARACTER = 0x10FFFF
_LARGEST_INTEGER = np.iinfo(np.int64).max
_LARGEST_FLOAT = np.finfo(np.float64).max
#: Smallest width of a kernel: any number above 0.
_SMALLEST_WIDTH = np.nextafter(0, 1)


class Reader:
    """Reads arrays by name and remembers which.

    Every method raises StoredValueError for what :func:`.store.save` would not have written, and DamagedError where the zip is at fault.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive, self._read = archive, {"header"}

    def array(self, name: str, dtypes: tuple[np.dtype, ...], shape: tuple[int | None, ...]) -> np.ndarray:
        """An array of one of these types, of this shape (None: any length)."""
        self._read.add(name)
        array = self._archive.read(name)
        if array.dtype not in dtypes:
            raise StoredValueError(
                f"the array '{name}' has the type {array.dtype}, not {' or '.join(map(str, dtypes))}"
            )
        if array.ndim != len(shape) or any(b not in (None, a) for a, b in zip(array.shape, shape, strict=True)):
            expected = ", ".join("any" if length is None else str(length) for length in shape)
            raise StoredValueError(f"the array '{name}' has the shape {array.shape}, not ({expected})")
        return array

    def numbers(self, name: str, shape: tuple[int | None, ...], dtypes: tuple[np.dtype, ...] = _FLOATS) -> np.ndarray:
        """Finite floats within single precision."""
        array = self.array(name, dtypes, shape)
        check_finite(array, name, LARGEST)
        return array

    def single(self, name: str, shape: tuple[int | None, ...]) -> np.ndarray:
        """Finite numbers float32."""
        return self.numbers(name, shape, _FLOATS[:1])

    def integers(self, name: str, shape: tuple[int | None, ...], least: int, most: int) -> np.ndarray:
        """Integers from ``least`` to ``most``."""
        array = self.array(name, _INTEGERS, shape)
        check_range(array, least, most, name)
        return array

    def mask(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """Constraints: 0 or FORBIDDEN."""
        array = self.single(name, shape)
        check_among(array, (0, FORBIDDEN), name)
        return array

    def labels(self) -> np.ndarray:
        """The labels, int64[L] or str[L], at least one, all different."""
        self._read.add("labels")
        array = self._archive.read("labels")
        if array.ndim != 1 or not array.size or not (array.dtype == np.int64 or array.dtype.kind == "U"):
            raise StoredValueError("the labels are no list of texts or integers")
        if array.dtype.kind == "U":
            check_range(array.view(np.uint32), 0, _LAST_CHARACTER, "the characters of the labels")
        if np.unique(array).size != array.size:
            raise StoredValueError("a label comes twice")
        return array

    def finish(self) -> None:
        """Refuse arrays that nothing has read. Raises DamagedError: a zip has no checksum of its names."""
        if self._archive.names - self._read:
            raise DamagedError


def read_model(archive: Archive, described: list[Any]) -> SequenceModel:
    """The model, without users' functions. described: of the header, one object a block. Raises StoredValueError or DamagedError."""
    list_of(mapping, least=1, most=len(archive.names))(described, "blocks")  # every block has an array at least
    reader = Reader(archive)
    labels = reader.labels()
    n = labels.size
    blocks, weights = [], []
    for k, about in enumerate(described):
        block = _block(reader, about, f"{k}.")
        blocks.append(block)
        weights.append(reader.single(f"{k}.weights", (block.n_rows, n)))
    distinct_texts([block.name for block in blocks], "the names of the blocks")
    step = reader.single("step", (n, n))
    check_finite(step, "step", LARGEST_SCORE)
    masks = (reader.mask(f"{name}_mask", (n, n) if name == "step" else (n,)) for name in ("start", "end", "step"))
    model = SequenceModel(labels, tuple(blocks), tuple(weights), step, *masks)
    reader.finish()
    return model


#: The check of each entry that describes a block, by the block's kind.
_BLOCKS: dict[str, dict[str, Check]] = {
    FeatureBlock.kind: {"kind": text, "name": text, "n_columns": integer(1, _LARGEST_INTEGER)},
    CategoryBlock.kind: {"kind": text, "name": text, "names": list_of(text, least=1)},
    KernelisedBlock.kind: {"kind": text, "name": text, "kernel": mapping, "sparse": boolean},
}
_KERNEL: dict[str, Check] = {
    "name": one_of(*KERNELS, "function"),
    "sigma2": number(_SMALLEST_WIDTH, _LARGEST_FLOAT),
    "h": number(_SMALLEST_WIDTH, _LARGEST_FLOAT),
    "offset": number(0, _LARGEST_FLOAT),
    "normalize": boolean,
}


def _block(reader: Reader, about: dict[str, Any], prefix: str) -> FittedBlock:
    """The block that the header describes, without a user's function."""
    kind = one_of(*_BLOCKS)(about.get("kind"), "the kind of a block")
    about = fields(about, "a block", _BLOCKS[kind])
    if kind == FeatureBlock.kind:
        return FeatureBlock(about["name"], about["n_columns"])
    if kind == CategoryBlock.kind:
        return _categories(reader, about["name"], about["names"], prefix)
    kernel = Kernel(**fields(about["kernel"], "a kernel", _KERNEL))
    vectors = _sparse(reader, prefix) if about["sparse"] else reader.numbers(f"{prefix}vectors", (None, None))
    integer(1, _LARGEST_INTEGER)(vectors.shape[1], "the number of columns of vectors")
    scale = reader.array(f"{prefix}scale", _FLOATS[1:], (vectors.shape[0],)) if kernel.normalize else None
    if scale is not None:
        check_finite(scale, f"{prefix}scale", least=0)
    return KernelisedBlock(about["name"], kernel, vectors, scale)


def _categories(reader: Reader, name: str, names: list[str], prefix: str) -> CategoryBlock:
    values = []
    for k in range(len(names)):
        column = reader.integers(f"{prefix}values{k}", (None,), 0, _LARGEST_INTEGER).astype(np.int64, copy=False)
        check_ascending(column, f"{prefix}values{k}")
        values.append(column)
    return CategoryBlock(name, tuple(names), tuple(values))


def _sparse(reader: Reader, prefix: str) -> sparse.csr_array:
    """Rows of a sparse table with ascending columns: scipy believes its indices, so they are checked one by one."""
    rows, columns = (int(size) for size in reader.integers(f"{prefix}shape", (2,), 0, _LARGEST_INTEGER))
    data = reader.numbers(f"{prefix}data", (None,))
    indices = reader.integers(f"{prefix}indices", (data.size,), 0, columns - 1)
    starts = reader.array(f"{prefix}indptr", (indices.dtype,), (None,))
    integer(rows + 1, rows + 1)(starts.size, f"the length of {prefix}indptr")
    check_offsets(starts, data.size, f"{prefix}indptr")
    check_rows_ascend(indices, starts, f"{prefix}indices")
    return sparse.csr_array((data, indices, starts), shape=(rows, columns))
