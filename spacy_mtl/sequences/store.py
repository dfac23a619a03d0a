"""Save and load models of sequences: one .npz file of plain arrays with a JSON header, checked on load."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.settings import shown
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import fields

from .archive import Archive, DamagedError, to_archive
from .blocks import CategoryBlock, FeatureBlock, FittedBlock, KernelisedBlock
from .gram import KernelFunction
from .model import SequenceModel
from .stored import read_model

FORMAT = 1
_MARK = "spacy_mtl.sequences"
_SETTINGS = ("name", "sigma2", "h", "offset", "normalize")
_CHAIN = ("labels", "step", "start_mask", "end_mask", "step_mask")
#: Bytes of a header. Parsed, it takes up to 20 times as much memory.
_LONGEST_HEADER = 1 << 22


def save(model: SequenceModel, path: str | Path) -> None:
    """Write the model to ``path``, completely or not at all. Raises OSError where the file cannot be written, ValueError (M768) for no model."""
    if not isinstance(model, SequenceModel):
        raise ValueError(Errors.M768.format(got=shown(model)))
    arrays = {name: getattr(model, name) for name in _CHAIN}
    described = []
    for k, (block, weights) in enumerate(zip(model.blocks, model.weights, strict=True)):
        arrays[f"{k}.weights"] = weights
        described.append(_describe(block, f"{k}.", arrays))
    header = {"mark": _MARK, "format": FORMAT, "blocks": described}
    arrays["header"] = np.frombuffer(json.dumps(header).encode("utf8"), np.uint8)
    write_atomically(path, to_archive(arrays))


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
    """Load a model; the file may come from a stranger. functions: block name -> kernel, for blocks whose kernel is a user's function.

    Raises ValueError: M605 the file cannot be read, M601 it is not such a model, M602 another format, M603 damaged, M610 a value in it is not
    allowed, M640 it would expand to far more than its size, M221 a function is missing.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ValueError(Errors.M605.format(where=path, reason=error.strerror)) from None
    if b"PK\x05\x06" not in data[-(1 << 16) - 22 :]:  # the end of every zip
        raise ValueError(Errors.M601.format(where=path))
    try:
        archive = Archive(data, path)
        model = read_model(archive, _header(archive, path)["blocks"])
    except DamagedError:
        raise ValueError(Errors.M603.format(where=path)) from None
    except StoredValueError as fault:
        raise ValueError(Errors.M610.format(where=path, fault=fault)) from None
    return replace(model, blocks=tuple(_with_function(block, functions or {}, path) for block in model.blocks))


def _header(archive: Archive, path: str | Path) -> dict[str, Any]:
    """The JSON header: a mark, a format and blocks.

    Raises ValueError: M601 there is none, M602 it is of another format; DamagedError or StoredValueError where it is none at all.
    """
    if "header" not in archive.names:
        raise ValueError(Errors.M601.format(where=path))
    text = archive.read("header", at_most=_LONGEST_HEADER)
    if text.dtype != np.uint8:
        raise StoredValueError("the header is no text")
    header = read_json(text.tobytes())
    if not isinstance(header, dict) or header.get("mark") != _MARK:
        raise ValueError(Errors.M601.format(where=path))
    found = header.get("format")
    if type(found) is not int or found != FORMAT:
        raise ValueError(Errors.M602.format(where=path, found=found, expected=FORMAT))
    return fields(header, "the header", {name: lambda value, _: value for name in ("mark", "format", "blocks")})


def _with_function(block: FittedBlock, functions: Mapping[str, KernelFunction], path: str | Path) -> FittedBlock:
    """The block, with the user's function if its kernel is one. Raises ValueError (M221) if that function is missing."""
    if not isinstance(block, KernelisedBlock) or block.kernel.name != "function":
        return block
    if block.name not in functions:
        raise ValueError(Errors.M221.format(where=path, name=block.name))
    return replace(block, kernel=replace(block.kernel, function=functions[block.name]))
