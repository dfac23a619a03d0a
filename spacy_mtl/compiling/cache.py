"""Where compiled kernels are kept, and whether they can be."""

import tempfile
from pathlib import Path
from typing import Any

from numba import config

from spacy_mtl.errors import Errors
from spacy_mtl.files.disk import reason_of
from spacy_mtl.kernels import kernel


def nothing() -> int:
    """A kernel to ask where kernels of this folder would be kept."""
    return 0


def check_cache() -> Path:
    """The folder in or below which compiled kernels are kept. Raises ValueError (M719) if it cannot be written."""
    asked: Any = getattr(config, "CACHE_DIR", None)
    kept = asked or getattr(getattr(kernel(nothing), "_cache", None), "cache_path", None)
    if not kept:
        reason = "neither the package's folder nor the user's cache can be written"
        raise ValueError(Errors.M719.format(path=Path(__file__).parents[1], reason=reason))
    folder = Path(kept)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise ValueError(Errors.M719.format(path=folder, reason=reason_of(error))) from None
    return folder
