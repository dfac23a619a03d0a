"""Load kernels from the cache without what only compiling needs.

numba's own way prepares the compiler before it looks into the cache: it imports some forty modules, scipy's linear algebra among them, and lists all
functions that they know. Where all kernels come from the cache, that is a tenth of the time in which a pipeline is loaded and read its first text.
numba does the same again before it compiles, so nothing is missing then.

What cannot be read, since a crash of the machine has cut the file off, is compiled anew.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import caching
from numba.core.runtime import rtsys

logger = logging.getLogger("spacy_mtl")
_CACHE: Any = getattr(caching, "Cache", None)
#: Whether this numba has what is used here.
SUPPORTED = all(hasattr(_CACHE, name) for name in ("_load_overload", "_guard_against_spurious_io_errors")) and hasattr(
    rtsys, "initialize"
)


def loader(cache: Any) -> Callable[[Any, Any], Any]:
    """What loads a kernel for a signature and a context from its cache; None where it is not there or cannot be read."""
    load_plain = _loader(cache)

    def load(signature: Any, context: Any) -> Any:
        try:
            return load_plain(signature, context)
        except Exception as error:  # of a damaged pickle, almost any
            name = getattr(cache, "_name", "a kernel")
            logger.warning("What was compiled of %s cannot be read (%r), so it is compiled anew.", name, error)
            _check_index(getattr(cache, "_cache_file", None))
            return None

    return load


def _check_index(files: Any) -> None:
    """Remove numba's index of a function if it is damaged, since otherwise nothing could be saved. Kernels in folders of their own have none."""
    if not all(hasattr(files, name) for name in ("_load_index", "_index_path")):
        return
    try:
        files._load_index()
    except OSError:  # another user's, or too many files are open: nothing is wrong with it
        pass
    except Exception:
        with suppress(OSError):
            Path(files._index_path).unlink(missing_ok=True)


def _loader(cache: Any) -> Callable[[Any, Any], Any]:
    if not SUPPORTED or not isinstance(cache, _CACHE):
        return cache.load_overload

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # memory of arrays
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return load
