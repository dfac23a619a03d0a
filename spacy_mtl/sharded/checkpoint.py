"""What is kept of a training while it goes on: the mixtures of each shard, by its worker, and what the driver knows.

Mixtures are checked when they are read again. Whatever they are, if they are mixtures of outputs of these sentences, they are a feasible dual point,
so that a file of another training cannot make a certificate untrue.
"""

import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from hashlib import blake2b
from io import BytesIO
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from spacy_mtl.distributed.shard import Shard
from spacy_mtl.files import write_atomically
from spacy_mtl.structures.problem import Problem

#: How far the shares of a mixture may be from a sum of 1.
_CLOSE = 1e-6
#: Bytes that arrays may take besides their entries; bytes of a saved component.
HEADERS, _MOST = 1 << 16, 1 << 34
#: What zipfile, zlib and numpy raise for a damaged file: RuntimeError where it seems to be encrypted or compressed by other means, MemoryError where
#: an array seems to be huge, TokenError and TypeError where the header of one is no literal.
_FAULTS = (
    OSError,
    ValueError,
    TypeError,
    LookupError,
    EOFError,
    RuntimeError,
    MemoryError,
    BadZipFile,
    TokenError,
    zlib.error,
    struct.error,
)
#: The file that says what the checkpoints of a folder are about.
ABOUT = "about.txt"
#: From outputs int32[n_slots] to bool[n]: for which sentences these are outputs.
Possible = Callable[[np.ndarray], np.ndarray]


def shard_path(folder: Path, name: str, part: int, number: int) -> Path:
    """The file of the mixtures of a worker, of one problem of a component."""
    return folder / f"{name}-{part + 1}-worker-{number + 1}.npz"


def driver_path(folder: Path, name: str) -> Path:
    """The file of the driver."""
    return folder / f"{name}-driver.npz"


def digest(problem: Problem) -> np.ndarray:
    """A hash of the gold outputs and numbers of features, uint8[16], by which mixtures of another corpus are recognised."""
    arrays, blocks = problem.arrays, problem.blocks
    found = blake2b(digest_size=16)
    for array in (getattr(arrays, "gold_output", arrays.gold), arrays.first, arrays.last, blocks.node, blocks.pair):
        found.update(np.ascontiguousarray(array).tobytes())
    return np.frombuffer(found.digest(), np.uint8)


def write_arrays(path: Path, **arrays: np.ndarray) -> None:
    """Write arrays to a file, whole or not at all. Raises OSError: M650-M652."""
    data = BytesIO()
    np.savez_compressed(data, **arrays)  # type: ignore[arg-type]  # before numpy 2.2, allow_pickle would be one more of them
    write_atomically(path, data.getvalue())


def read_arrays(path: Path, most: int) -> dict[str, np.ndarray]:
    """The arrays of a file; none if it is missing, damaged or has more than so many bytes."""
    try:
        with ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > most:
                return {}
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except _FAULTS:
        return {}


def end(folder: Path) -> None:
    """Remove what was kept of a training, and the folder if nothing else is in it."""
    with suppress(OSError):
        for path in [*kept(folder), folder / ABOUT]:
            path.unlink(missing_ok=True)
        folder.rmdir()


def kept(folder: Path) -> list[Path]:
    """The files of checkpoints in a folder."""
    return [path for kind in ("best", "driver", "worker-*") for path in sorted(folder.glob(f"*-{kind}.npz"))]


class Best(NamedTuple):
    """The component with the best score so far, as it is saved, and whether its training has ended."""

    score: float
    data: bytes
    ended: bool


def best_path(folder: Path, name: str) -> Path:
    """The file of the best component."""
    return folder / f"{name}-best.npz"


def write_best(path: Path, best: Best) -> None:
    """Write it. Raises OSError: M650-M652."""
    write_arrays(path, score=np.array(best.score), data=np.frombuffer(best.data, np.uint8), ended=np.array(best.ended))


def read_best(path: Path) -> Best | None:
    """Read it; None if there is none."""
    stored = read_arrays(path, _MOST)
    if set(stored) != {"score", "data", "ended"} or stored["data"].dtype != np.uint8 or stored["score"].ndim:
        return None
    return Best(float(stored["score"]), stored["data"].tobytes(), bool(stored["ended"]))


def write_shard(path: Path, shard: Shard) -> None:
    """Write the outputs that have a share, and their shares. Raises OSError: M650-M652."""
    used = int(np.flatnonzero((shard.atoms.weights > 0).any(axis=0)).max(initial=0)) + 1
    write_arrays(
        path,
        digest=digest(shard.problem),
        outputs=shard.atoms.outputs[:used],
        weights=shard.atoms.weights[:, :used],
    )


def read_shard(path: Path, shard: Shard, possible: Possible) -> bool:
    """Take over mixtures; those that are none of this shard are left. Returns whether they were taken over."""
    stored = read_arrays(path, shard.atoms.outputs.nbytes + shard.atoms.weights.nbytes + HEADERS)
    if not _fits(stored, shard):
        return False
    outputs, weights = stored["outputs"], stored["weights"]
    for row, shares in zip(outputs, weights.T, strict=True):
        if not possible(row)[shares > 0].all():
            return False
    used = len(outputs)
    shard.atoms.outputs[:used] = outputs
    shard.atoms.weights[:] = 0
    shard.atoms.weights[:, :used] = weights / weights.sum(axis=1, keepdims=True)
    return True


def _fits(stored: dict[str, Any], shard: Shard) -> bool:
    """Whether arrays have the forms of mixtures of this shard."""
    if set(stored) != {"digest", "outputs", "weights"} or not np.array_equal(stored["digest"], digest(shard.problem)):
        return False
    outputs, weights = stored["outputs"], stored["weights"]
    used = len(outputs) if outputs.ndim == 2 else 0
    if not 0 < used < len(shard.atoms.outputs) or outputs.dtype != np.int32 or weights.dtype != np.float64:
        return False
    if outputs.shape[1:] != shard.atoms.outputs.shape[1:] or weights.shape != (shard.problem.n, used):
        return False
    return bool((weights >= 0).all() and (np.abs(weights.sum(axis=1) - 1) < _CLOSE).all())
