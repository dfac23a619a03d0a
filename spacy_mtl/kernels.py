"""The one place that decides how numba compiles: cached when the cache can be written, serial, no fastmath."""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba import njit

logger = logging.getLogger("spacy_mtl")
_warned = False


def _state_of_sources() -> str:
    """Changes when any source file of the package does."""
    root = Path(__file__).parent
    stats = ((str(path.relative_to(root)), path.stat()) for path in sorted(root.rglob("*.py")))
    text = ";".join(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in stats)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


_STATE = _state_of_sources()


def kernel(function: Callable) -> Callable:
    """``@njit(cache=True)``; where no cache directory can be written, compile without one and say so once."""
    global _warned
    try:
        compiled = njit(cache=True, nogil=True)(function)
    except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
        if not _warned:
            logger.warning("Compiled kernels cannot be cached here (%s): every process will compile them anew.", error)
            _warned = True
        return njit(nogil=True)(function)
    _stamp(compiled)
    return compiled


def _stamp(compiled: Callable) -> None:
    """Have the cache entry of a kernel depend on all sources: numba itself does not see a change in a kernel that this one calls.

    numba has no public way to say so; where its insides are other than expected, its own rule stays.
    """
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, _STATE)
