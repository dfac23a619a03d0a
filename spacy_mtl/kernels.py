"""How numba compiles every kernel of the package: cached where the cache can be written, serial, without fastmath."""

import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba import config, njit, types
from numba.core import caching

from spacy_mtl.compiling.inner import ONCE, compile_for_linking, is_nested

logger = logging.getLogger("spacy_mtl")
_warned = False


#: Modules of prediction whose kernels are no faster after a second round of optimizing; those of constituents are, by 2 to 4%.
_ONCE = (
    "spacy_mtl.models.chain.",
    "spacy_mtl.models.tree.",
    "spacy_mtl.segmentation.",
    "spacy_mtl.templates.attributes.",
)
#: Parts of the package whose kernels also call kernels of other parts: part -> all parts whose sources matter.
_CALLS = {
    "trainers": ("structures", "threads", "trainers"),
    "choosing": ("structures", "choosing"),
    "testing": ("structures", "testing"),
    "sequences": ("structures", "sequences"),
    "models": ("structures", "templates", "models"),
    "confidence": ("structures", "templates", "models", "confidence"),
    "segmentation": ("structures", "templates", "models", "segmentation"),
}


@cache
def _state_of_sources(part: str) -> str:
    """A hash that changes whenever a source file behind this part's kernels does; for modules elsewhere (tests, plug-ins), any source file."""
    root = Path(__file__).parent
    state = hashlib.blake2b(digest_size=8)
    files = [path for name in _CALLS.get(part, (part,)) for path in sorted((root / name).rglob("*.py"))]
    for path in (*files, root / "compiling" / "inner.py", root / "compiling" / "tuples.py"):
        state.update(f"{path.relative_to(root)} {path.stat().st_size}\n".encode() + path.read_bytes())
    return state.hexdigest()


#: NamedTuple classes of problems from elsewhere, and the states of the folders of the files that implement the contract for them.
_WATCHED: dict[type, set[str]] = {}


@cache
def _state_of_folder(folder: Path) -> str:
    """Names, times and sizes of a folder's Python files when first asked for: what is compiled later is made of these files."""
    found = []
    for path in sorted(folder.glob("[!.]*.py")):
        with suppress(OSError):  # deleted meanwhile, or a link to nowhere
            found.append(f"{path} {path.stat().st_mtime_ns} {path.stat().st_size}")
    return ";".join(found)


def watch(problem_type: type, function: Callable) -> None:
    """Have cached kernels for problems of this type depend on the files beside that of ``function``, where it is none of this package's."""
    if _part(function.__module__) == "":
        folder = Path(function.__code__.co_filename).resolve().parent
        _WATCHED.setdefault(problem_type, set()).add(_state_of_folder(folder))


def _classes(value: Any) -> Iterator[type]:
    """The NamedTuple classes of a numba type, those inside of others included."""
    if isinstance(value, types.BaseNamedTuple):
        yield value.instance_class  # type: ignore[attr-defined]
    for part in getattr(value, "types", ()):
        yield from _classes(part)


def _signature_key(signature: Any) -> tuple[str, ...]:
    """A signature as text, with the module of every NamedTuple class, and the states of the structures from elsewhere among them.

    numba keeps signatures themselves, pickled: a process that cannot import one of the classes could then use nothing that is cached beside it.
    Nor does it tell kernels that check indices (``NUMBA_BOUNDSCHECK=1``) from those that do not.
    """
    classes = {cls for value in signature for cls in _classes(value)}
    names = sorted(f"{cls.__module__}.{cls.__qualname__}" for cls in classes)
    states = sorted(set().union(*(_WATCHED.get(cls, set()) for cls in classes)))
    checked = ("indices checked",) if getattr(config, "BOUNDSCHECK", None) else ()
    nested = ("for kernels",) if is_nested() else ()
    return str(signature), *names, *states, *checked, *nested


def _is_of_a_script(signature: Any) -> bool:
    """Whether a class of the script that runs is in the signature: another script's would have the same name, so nothing is cached for it."""
    return any(cls.__module__ == "__main__" for value in signature for cls in _classes(value))


def _part(module: str) -> str:
    """The part of the package a module belongs to; "" (the whole package) for other modules."""
    package, _, rest = module.partition(".")
    return rest.partition(".")[0] if package == __name__.partition(".")[0] else ""


def kernel(function: Callable) -> Callable:
    """Compile with ``@njit(cache=True)``; where no cache directory can be written, compile without a cache and log one warning."""
    if function.__module__.startswith(_ONCE):
        setattr(function, ONCE, True)
    return _compile_later(function)


def seldom_kernel(function: Callable) -> Callable:
    """A kernel that runs seldom, such as for a certificate after some passes: compiled in less time, and up to a tenth slower."""
    setattr(function, ONCE, True)
    return kernel(function)


def brief_kernel(function: Callable) -> Callable:
    """A kernel that keeps Python's lock: where several threads predict, it would take longer to get it back than to do the work."""
    if function.__module__.startswith(_ONCE):
        setattr(function, ONCE, True)
    return _compile_later(function, nogil=False)


def subkernel(function: Callable) -> Callable:
    """Compile a kernel that only other kernels call, without the wrapper that unpacks arguments from Python.

    For a kernel that takes a problem, that wrapper is most of the compile time. Calling a subkernel from Python raises TypeError.
    """
    compiled = _compile_later(function, no_cpython_wrapper=True)
    _close_to_python(compiled)
    return compiled


def _compile_later(function: Callable, **options: Any) -> Callable:
    """Apply njit with the package's options. The C callback wrapper is left out too, since nothing here is called from C."""
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    try:
        with _read_only_folder():
            compiled = njit(cache=True, **options)(function)
    except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
        _warn(error)
        compiled = njit(**options)(function)
        compile_for_linking(compiled)
        return compiled
    state = _state_of_sources(_part(function.__module__))
    _stamp(compiled, state)
    _key(compiled)
    compile_for_linking(compiled)
    if (shared := getattr(config, "CACHE_DIR", None)) and _part(function.__module__):
        _share(compiled, Path(shared, f"{function.__module__}-{state}"))
    return compiled


def _warn(error: Exception) -> None:
    global _warned
    if not _warned:
        logger.warning("Compiled kernels cannot be cached here (%s): every process will compile them again.", error)
        _warned = True


@contextmanager
def _read_only_folder() -> Iterator[None]:
    """Have numba take a folder ``NUMBA_CACHE_DIR`` even if it cannot be written: what it holds may have been compiled for an image."""
    locator: Any = getattr(caching, "UserProvidedCacheLocator", None)
    folder = getattr(config, "CACHE_DIR", None)
    if locator is None or "ensure_cache_path" in vars(locator) or not folder or not Path(folder).is_dir():
        yield
        return
    locator.ensure_cache_path = lambda self: None
    try:
        yield
    finally:
        del locator.ensure_cache_path


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
    """Key cache entries by :func:`_signature_key`, and cache nothing for classes of a script; by numba's internals, as above."""
    cache_of: Any = getattr(compiled, "_cache", None)
    if not all(hasattr(cache_of, name) for name in ("_index_key", "load_overload", "save_overload")):
        return
    plain, load, save = cache_of._index_key, cache_of.load_overload, cache_of.save_overload
    cache_of._index_key = lambda signature, codegen: (*_signature_key(signature), *plain(signature, codegen)[1:])
    cache_of.load_overload = lambda signature, context: None if _is_of_a_script(signature) else load(signature, context)

    def save_overload(signature: Any, data: Any) -> None:
        if not _is_of_a_script(signature):
            try:
                save(signature, data)
            except OSError as error:  # a full disk, or a folder that cannot be written
                _warn(error)

    cache_of.save_overload = save_overload


class SharedFiles:
    """Compiled kernels under ``NUMBA_CACHE_DIR``, a file for each, named after all that it was compiled from.

    So they serve every copy of the package with the same sources, wherever it is installed; and processes that write at the same moment cannot
    mistake each other's files, as they can with numba's, which are numbered.
    """

    def __init__(self, files: Any, folder: Path):
        self._files = files  # numba's, for reading and writing a single one
        self._folder = folder
        files._cache_path = str(folder)

    def _name(self, key: Any) -> str:
        text = repr((key, self._files._index_name, self._files._source_stamp, self._files._version))
        return f"{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}.nbc"

    def load(self, key: Any) -> Any:
        """What was saved under this key; None if nothing was, or if it cannot be read, such as another user's file."""
        try:
            return self._files._load_data(self._name(key))
        except OSError:
            return None

    def save(self, key: Any, data: Any) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._files._save_data(self._name(key), data)

    def flush(self) -> None:
        """Forget the kernels of these sources."""
        for path in self._folder.glob("*.nbc"):
            path.unlink(missing_ok=True)


def _share(compiled: Callable, folder: Path) -> None:
    """Keep a kernel in :class:`SharedFiles`; by numba's internals, as above."""
    cache_of: Any = getattr(compiled, "_cache", None)
    files = getattr(cache_of, "_cache_file", None)
    if all(hasattr(files, name) for name in ("_index_name", "_source_stamp", "_version", "_load_data", "_save_data")):
        cache_of._cache_file = SharedFiles(files, folder)
