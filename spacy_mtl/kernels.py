"""How numba compiles every kernel of the package: cached where the cache can be written, serial, without fastmath."""

import hashlib
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from numba import njit, types

logger = logging.getLogger("spacy_mtl")
_warned = False


#: Parts of the package whose kernels also call kernels of other parts: part -> all parts whose sources matter.
_CALLS = {
    "trainers": ("structures", "trainers"),
    "testing": ("structures", "testing"),
    "sequences": ("structures", "sequences"),
    "models": ("structures", "templates", "models"),
    "segmentation": ("structures", "templates", "models", "segmentation"),
}


@cache
def _state_of_sources(part: str) -> str:
    """A hash that changes whenever a source file behind this part's kernels does; for modules elsewhere (tests, plug-ins), any source file."""
    root = Path(__file__).parent
    files = [path for name in _CALLS.get(part, (part,)) for path in sorted((root / name).rglob("*.py"))]
    stats = ((str(path.relative_to(root)), path.stat()) for path in files)
    text = ";".join(f"{name} {stat.st_mtime_ns} {stat.st_size}" for name, stat in stats)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


#: NamedTuple classes of problems from elsewhere, and the folders of the files that implement the contract for them.
_WATCHED: dict[type, set[Path]] = {}


def watch(problem_type: type, function: Callable) -> None:
    """Have cached kernels for problems of this type depend on the files beside that of ``function``, where it is none of this package's."""
    if _part(function.__module__) == "":
        _WATCHED.setdefault(problem_type, set()).add(Path(function.__code__.co_filename).resolve().parent)


def _state_of_watched(signature: Any) -> str:
    """Changes when a file does that implements the contract for a problem among these numba types; "" where there is none."""
    named: list[Any] = [value for value in signature if isinstance(value, types.BaseNamedTuple)]
    classes = {value.instance_class for value in named}
    folders = sorted(set().union(*(_WATCHED.get(cls, set()) for cls in classes)))
    files = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return ";".join(f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}" for path in files)


def _part(module: str) -> str:
    """The part of the package a module belongs to; "" (the whole package) for other modules."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == __name__.partition(".")[0] else ""


def kernel(function: Callable) -> Callable:
    """Compile with ``@njit(cache=True)``; where no cache directory can be written, compile without a cache and log one warning."""
    return _compile_later(function)


def subkernel(function: Callable) -> Callable:
    """Compile a kernel that only other kernels call, without the wrapper that unpacks arguments from Python.

    For a kernel that takes a problem, that wrapper is most of the compile time. Calling a subkernel from Python raises TypeError.
    """
    compiled = _compile_later(function, no_cpython_wrapper=True)
    _close_to_python(compiled)
    return compiled


def _compile_later(function: Callable, **options: Any) -> Callable:
    """Apply njit with the package's options. The C callback wrapper is left out too, since nothing here is called from C."""
    global _warned
    options |= {"nogil": True, "no_cfunc_wrapper": True}
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
        if not _warned:
            logger.warning("Compiled kernels cannot be cached here (%s): every process will compile them again.", error)
            _warned = True
        return njit(**options)(function)
    _stamp(compiled, _state_of_sources(_part(function.__module__)))
    _key(compiled)
    return compiled


def _close_to_python(compiled: Any) -> None:
    """Make calls from Python raise TypeError: numba would jump to a wrapper that does not exist."""

    def refuse(*arguments: Any, **named: Any) -> None:
        raise TypeError(f"{compiled.__name__} can be called from compiled functions only; make it a kernel.")

    def add_overload(result: Any) -> None:  # as numba does, but without the entry that a call from Python would find
        compiled.overloads[tuple(result.signature.args)] = result

    if hasattr(compiled, "_compile_for_args") and hasattr(
        compiled, "add_overload"
    ):  # not where numba's JIT is switched off
        compiled._compile_for_args, compiled.add_overload = refuse, add_overload


def _stamp(compiled: Callable, state: str) -> None:
    """Make a kernel's cache entry depend on the sources of every kernel it may call: numba alone does not notice when a called kernel changes.

    numba has no public interface for this; where its internals are not as expected, its own rule stays in force.
    """
    index: Any = getattr(getattr(compiled, "_cache", None), "_cache_file", None)
    if hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, state)


def _key(compiled: Callable) -> None:
    """Have the cache entries for a problem from elsewhere depend on the sources of its structure (:func:`watch`), by numba's insides as above."""
    cache_of: Any = getattr(compiled, "_cache", None)
    plain = getattr(cache_of, "_index_key", None)
    if plain is not None:
        cache_of._index_key = lambda signature, codegen: (*plain(signature, codegen), _state_of_watched(signature))
