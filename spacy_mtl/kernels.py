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
    "models": ("structures", "templates", "models"),
    "segmentation": ("structures", "templates", "models", "segmentation"),
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
    return _compile_later(function)


def subkernel(function: Callable) -> Callable:
    """A kernel that other kernels alone call: without the code that unpacks arguments from Python.

    That code is most of what a kernel with a problem among its arguments costs to compile. Calling it from Python raises TypeError.
    """
    compiled = _compile_later(function, no_cpython_wrapper=True)
    _close_to_python(compiled)
    return compiled


def _compile_later(function: Callable, **options: Any) -> Callable:
    """njit with the package's options; nothing here is called back from C, so that wrappers for that are left out too."""
    global _warned
    options |= {"nogil": True, "no_cfunc_wrapper": True}
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
        if not _warned:
            logger.warning("Compiled kernels cannot be cached here (%s): every process will compile them anew.", error)
            _warned = True
        return njit(**options)(function)
    _stamp(compiled, _state_of_sources(_part(function.__module__)))
    return compiled


def _close_to_python(compiled: Any) -> None:
    """Have calls from Python refused: numba would jump to a wrapper that is not there."""

    def refuse(*arguments: Any, **named: Any) -> None:
        raise TypeError(f"{compiled.__name__} can be called from compiled functions only; make it a kernel.")

    def add_overload(result: Any) -> None:  # as numba does, less the entry that a call from Python would find
        compiled.overloads[tuple(result.signature.args)] = result

    if hasattr(compiled, "_compile_for_args") and hasattr(
        compiled, "add_overload"
    ):  # not where numba's JIT is switched off
        compiled._compile_for_args, compiled.add_overload = refuse, add_overload


def _stamp(compiled: Callable, state: str) -> None:
    """Have the cache entry of a kernel depend on the sources of what it may call: numba itself does not see a change in a kernel that this one calls.

    numba has no public way to say so; where its insides are other than expected, its own rule stays.
    """
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, state)
