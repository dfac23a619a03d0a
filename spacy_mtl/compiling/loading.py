"""Load kernels from the cache without what only compiling needs.

numba's own way prepares the compiler before it looks into the cache: it imports some forty modules, scipy's linear algebra among them, and lists all
functions that they know. Where all kernels come from the cache, that is a tenth of the time in which a pipeline is loaded and read its first text.
numba does the same again before it compiles, so nothing is missing then.
"""

from collections.abc import Callable
from typing import Any

from numba.core import caching
from numba.core.runtime import rtsys

_CACHE: Any = getattr(caching, "Cache", None)
#: Whether this numba has what is used here.
SUPPORTED = all(hasattr(_CACHE, name) for name in ("_load_overload", "_guard_against_spurious_io_errors")) and hasattr(
    rtsys, "initialize"
)


def loader(cache: Any) -> Callable[[Any, Any], Any]:
    """What loads a kernel for a signature and a context from its cache; None where it is not there."""
    if not SUPPORTED or not isinstance(cache, _CACHE):
        return cache.load_overload

    def load(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)  # memory of arrays
        with cache._guard_against_spurious_io_errors():
            return cache._load_overload(signature, context)

    return load
