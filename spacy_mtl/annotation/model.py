"""The model of an annotation: the same on all workers, loaded once in each process, its kernels compiled once on each machine."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from spacy import util
from spacy.language import Language

from spacy_mtl.compiling.cache import check_cache
from spacy_mtl.errors import Errors
from spacy_mtl.files.locks import Lock

from .documents import Task


def fingerprint(model: str) -> str:
    """A digest of all files of a model, which is a folder or an installed package. Raises ValueError (M701) where there is none."""
    folder = Path(model)
    if not folder.is_dir():
        if not util.is_package(model):
            raise ValueError(Errors.M701.format(model=model, reason="there is no such folder or package"))
        folder = util.get_package_path(model)
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
        with path.open("rb") as file:
            digest.update(b"%d\0" % os.fstat(file.fileno()).st_size)
            while part := file.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()


def loaded(task: Task) -> Language:
    """The pipeline, of which a process keeps the last. Raises ValueError: M701, M717 as it is loaded, M916 it is another than in the task."""
    return load_once(task.model, task.code, task.load, task.fingerprint)


@lru_cache(maxsize=1)
def load_once(
    model: str, code: Path | None, load: Callable[[str, Path | None], Language], expected: str = ""
) -> Language:
    """The pipeline that ``load`` makes; kernels that it needs are compiled by one process of a machine at a time. expected: its fingerprint."""
    if expected and fingerprint(model) != expected:
        raise ValueError(Errors.M916.format(model=model))
    nlp = load(model, code)
    with _one_at_a_time():
        nlp("A word.")
    return nlp


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """While a process of this machine compiles, the others wait, and then find the kernels in the cache that they share."""
    path = check_cache() / ".spacy_mtl.compiling.lock"
    lock = Lock(os.open(path, os.O_RDWR | os.O_CREAT, 0o666))
    try:
        with suppress(OSError):  # a file system without locks: each process compiles for itself
            lock.take(wait=True)
        yield
    finally:
        lock.close()
