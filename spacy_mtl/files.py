"""Atomic writing: a file is either complete or unchanged."""

import os
from pathlib import Path


def write_atomically(path: str | Path, data: bytes) -> None:
    """Write a file under another name next to ``path``, then move it there: an interrupt leaves the old file as it was.

    Missing parent directories are created. Raises OSError where the file cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
