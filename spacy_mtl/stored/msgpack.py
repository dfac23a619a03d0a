"""msgpack from a file that may come from anyone."""

import gc
from typing import Any

import srsly

from .fault import StoredValueError


def read_msgpack(data: Any, name: str) -> Any:
    """Unpack. name: what it is, for the message. Raises StoredValueError where the bytes are no msgpack.

    The collection of garbage goes on as before: srsly stops it while it unpacks, and forgets about it when that fails.
    """
    collecting = gc.isenabled()
    try:
        return srsly.msgpack_loads(data)
    except Exception:  # whatever msgpack and the decoders of other packages raise
        raise StoredValueError(f"{name} cannot be unpacked") from None
    finally:
        if collecting:
            gc.enable()
