"""Memory that a process has freed, given back to the system, so that the next large arrays do not come on top of it."""

import ctypes
import gc
import sys


def give_back() -> None:
    """Give back free memory that lies between what is in use, most of which stays with the process after many small objects (glibc only)."""
    gc.collect()
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
