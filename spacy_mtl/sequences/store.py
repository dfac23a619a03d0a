"""Save and load models of sequences: one .npz file of plain arrays with a JSON header, checked on load."""

import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically

from .blocks import CategoryBlock, FeatureBlock, FittedBlock, KernelisedBlock
from .gram import Kernel, KernelFunction
from .model import SequenceModel

FORMAT = 1
_MARK = "spacy_mtl.sequences"
_SETTINGS = ("name", "sigma2", "h", "offset", "normalize")
_CHAIN = ("labels", "step", "start_mask", "end_mask", "step_mask")


def save(model: SequenceModel, path: str | Path) -> None:
    """Write the model to ``path``, completely or not at all. Raises OSError where the file cannot be written."""
    arrays = {name: getattr(model, name) for name in _CHAIN}
    described = []
    for k, (block, weights) in enumerate(zip(model.blocks, model.weights, strict=True)):
        arrays[f"{k}.weights"] = weights
        described.append(_describe(block, f"{k}.", arrays))
    header = {"mark": _MARK, "format": FORMAT, "blocks": described}
    arrays["header"] = np.frombuffer(json.dumps(header).encode("utf8"), np.uint8)
    file = BytesIO()
    np.savez_compressed(file, **arrays)
    write_atomically(path, file.getvalue())


def _describe(block: FittedBlock, prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """The JSON description of a block; its arrays are added to ``arrays``."""
    about: dict[str, Any] = {"kind": block.kind, "name": block.name}
    if isinstance(block, FeatureBlock):
        return about | {"n_columns": block.n_columns}
    if isinstance(block, CategoryBlock):
        for k, values in enumerate(block.values):
            arrays[f"{prefix}values{k}"] = values
        return about | {"names": block.names}
    if block.scale is not None:
        arrays[f"{prefix}scale"] = block.scale
    _put_table(block.vectors, prefix, arrays)
    settings = {name: getattr(block.kernel, name) for name in _SETTINGS}
    return about | {"kernel": settings, "sparse": sparse.issparse(block.vectors)}


def _put_table(table: Any, prefix: str, arrays: dict[str, np.ndarray]) -> None:
    if sparse.issparse(table):
        arrays[f"{prefix}data"], arrays[f"{prefix}indices"], arrays[f"{prefix}indptr"] = (
            table.data,
            table.indices,
            table.indptr,
        )
        arrays[f"{prefix}shape"] = np.array(table.shape)
    else:
        arrays[f"{prefix}vectors"] = table


def load(path: str | Path, functions: Mapping[str, KernelFunction] | None = None) -> SequenceModel:
    """Load a model. functions: block name -> kernel, for blocks whose kernel is a user's function.

    Raises ValueError: M605 the file cannot be read, M601 it is not such a model, M602 another format, M603 damaged, M221 a function is missing.
    """
    arrays = _read(path)
    header = _header(arrays, path)
    try:
        blocks = tuple(_block(about, f"{k}.", arrays) for k, about in enumerate(header["blocks"]))
        weights = tuple(arrays[f"{k}.weights"] for k in range(len(blocks)))
        model = SequenceModel(arrays["labels"], blocks, weights, *(arrays[name] for name in _CHAIN[1:]))
        fits = _fits(model)
    except (LookupError, TypeError, ValueError, AttributeError):
        fits = False
    if not fits:
        raise ValueError(Errors.M603.format(where=path))
    return replace(model, blocks=tuple(_with_function(block, functions or {}, path) for block in blocks))


def _read(path: str | Path) -> dict[str, np.ndarray]:
    """The arrays of the file. Raises ValueError: M605, M601, M603."""
    try:
        data = BytesIO(Path(path).read_bytes())
    except OSError as error:
        raise ValueError(Errors.M605.format(where=path, reason=error.strerror)) from None
    if not zipfile.is_zipfile(data):
        raise ValueError(Errors.M601.format(where=path))
    try:
        with np.load(data, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, LookupError, zipfile.BadZipFile, zlib.error, NotImplementedError):
        raise ValueError(Errors.M603.format(where=path)) from None


def _header(arrays: dict[str, np.ndarray], path: str | Path) -> dict[str, Any]:
    """The JSON header. Raises ValueError: M601 there is none, M602 it is of another format."""
    try:
        header = json.loads(arrays["header"].tobytes())
        is_ours = header["mark"] == _MARK
    except (LookupError, TypeError, ValueError):
        is_ours = False
    if not is_ours:
        raise ValueError(Errors.M601.format(where=path))
    found = header.get("format")
    if found != FORMAT:
        raise ValueError(Errors.M602.format(where=path, found=found, expected=FORMAT))
    return header


def _block(about: dict[str, Any], prefix: str, arrays: dict[str, np.ndarray]) -> FittedBlock:
    """The block that :func:`_describe` described, without a user's function."""
    if about["kind"] == FeatureBlock.kind:
        return FeatureBlock(about["name"], about["n_columns"])
    if about["kind"] == CategoryBlock.kind:
        values = tuple(arrays[f"{prefix}values{k}"] for k in range(len(about["names"])))
        return CategoryBlock(about["name"], tuple(about["names"]), values)
    return KernelisedBlock(
        about["name"], Kernel(**about["kernel"]), _table(about["sparse"], prefix, arrays), arrays.get(f"{prefix}scale")
    )


def _table(is_sparse: bool, prefix: str, arrays: dict[str, np.ndarray]) -> Any:
    if not is_sparse:
        return arrays[f"{prefix}vectors"]
    parts = tuple(arrays[f"{prefix}{name}"] for name in ("data", "indices", "indptr"))
    return sparse.csr_array(parts, shape=tuple(arrays[f"{prefix}shape"]))


def _fits(model: SequenceModel) -> bool:
    """Whether the shapes of all arrays are consistent."""
    n = model.labels.size
    shapes = [(model.step, (n, n)), (model.step_mask, (n, n)), (model.start_mask, (n,)), (model.end_mask, (n,))]
    shapes += [(weights, (block.n_rows, n)) for block, weights in zip(model.blocks, model.weights, strict=True)]
    scales = [(block.scale, (block.n_rows,)) for block in model.blocks if isinstance(block, KernelisedBlock)]
    return (
        n > 0
        and all(array.shape == shape and array.dtype == np.float32 for array, shape in shapes)
        and all(scale is None or scale.shape == shape for scale, shape in scales)
    )


def _with_function(block: FittedBlock, functions: Mapping[str, KernelFunction], path: str | Path) -> FittedBlock:
    """The block, with the user's function if its kernel is one. Raises ValueError (M221) if that function is missing."""
    if not isinstance(block, KernelisedBlock) or block.kernel.name != "function":
        return block
    if block.name not in functions:
        raise ValueError(Errors.M221.format(where=path, name=block.name))
    return replace(block, kernel=replace(block.kernel, function=functions[block.name]))
