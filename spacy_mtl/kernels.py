"""The one place that decides how numba compiles: cached when the cache can be written, serial, no fastmath."""

import hashlib
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit

logger = logging.getLogger("spacy_mtl")
_warned = False


#: Parts of the package whose kernels call those of other parts too.
_CALLS = {
    "trainers": ("structures", "trainers"),
    "sequences": ("structures", "sequences"),
    "components": ("structures", "templates", "components"),
}


@cache
def _state_of_sources(part: str) -> str:
    """Changes when a source file does from which kernels of this part are made; for modules elsewhere (tests, plug-ins), any file."""
    root = Path(__file__).parent
    files = [path for name in _CALLS.get(part, (part,)) for path in sorted((root / name).rglob("*.py"))]
    stats = ((str(path.relative_to(root)), path.stat()) for path in files)
    text = ";".join(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in stats)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _part(module: str) -> str:
    """The part of the package a module belongs to; "" (the whole package) for other modules."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == __name__.partition(".")[0] else ""


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
    _stamp(compiled, _state_of_sources(_part(function.__module__)))
    return compiled


def _stamp(compiled: Callable, state: str) -> None:
    """Have the cache entry of a kernel depend on the sources of what it may call: numba itself does not see a change in a kernel that this one calls.

    numba has no public way to say so; where its insides are other than expected, its own rule stays.
    """
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, state)
