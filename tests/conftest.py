"""Settings of the whole suite: where compiled kernels are cached, and how hypothesis runs."""

import hashlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from hypothesis import settings

SPACY_MTL = Path(__file__).parents[1] / "spacy_mtl"
WEEK = 7 * 24 * 3600


def kernel_hash() -> str:
    """Hash of every source with kernels: numba sees a change in a kernel's own file only, not in what it calls."""
    digest = hashlib.sha256()
    for path in sorted(SPACY_MTL.rglob("*.py")):
        source = path.read_bytes()
        if b"@kernel" in source or b"@subkernel" in source or b"implements(" in source:
            digest.update(path.name.encode() + source)
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """Where the compiled kernels of all states of the sources live: the user's cache, or else the temporary directory."""
    for base in (os.environ.get("XDG_CACHE_HOME"), os.path.expanduser("~/.cache"), tempfile.gettempdir()):
        if base and os.path.isabs(base):
            root = Path(base, "spacy-mtl-tests")
            try:
                root.mkdir(parents=True, exist_ok=True)
            except OSError:
                continue
            if os.access(root, os.W_OK):
                return root
    return Path(tempfile.mkdtemp())


def use_cache(root: Path) -> None:
    """Have numba keep its cache under ``root``, here and in processes that tests start; drop what a week has not used."""
    cache = root / kernel_hash()
    cache.mkdir(exist_ok=True)
    os.utime(cache)
    os.environ["NUMBA_CACHE_DIR"] = str(cache)
    for old in root.iterdir():
        if old.stat().st_mtime < time.time() - WEEK:
            shutil.rmtree(old, ignore_errors=True)


use_cache(cache_root())  # before any test module imports numba
settings.register_profile("spacy_mtl", deadline=None)
settings.load_profile("spacy_mtl")

from .pipelines import (  # noqa: E402, F401  (fixtures of the whole suite; the cache must be set before they import numba)
    _corpus_path,
    _entities,
    _make_nlp,
    _read_corpus,
    _templates,
    _train,
    trained,
)
