"""The one place that decides how numba compiles: cached when the cache can be written, serial, no fastmath."""

import logging
from collections.abc import Callable

from numba import njit

logger = logging.getLogger("spacy_mtl")
_warned = False


def kernel(function: Callable) -> Callable:
    """``@njit(cache=True)``; where no cache directory can be written, compile without one and say so once."""
    global _warned
    try:
        return njit(cache=True, nogil=True)(function)
    except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
        if not _warned:
            logger.warning("Compiled kernels cannot be cached here (%s): every process will compile them anew.", error)
            _warned = True
        return njit(nogil=True)(function)
