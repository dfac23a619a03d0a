"""Copies of the checkout, in which mutants are applied, and the folders of compiled kernels that go with them."""

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .mutant import ROOT, Mutant, mutate

#: What tests read. Of the benchmarks, that is the code of certificates and of small trainings; they and the documentation are not tested here.
FOLDERS = ("spacy_mtl", "tests", "configs", "assets", "examples", "benchmarks")


def home() -> Path:
    """Where the copies and kernels of this checkout live, kept between runs so that kernels need not be compiled again."""
    digest = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir(), f"spacy-mtl-mutants-{os.getuid()}-{digest}")
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Wait until no other run works in these copies."""
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def date_by_content(path: Path) -> None:
    """Give a file a time that is made of its content: caches, which go by time and size, are then valid exactly for equal contents."""
    digest = hashlib.sha256(path.read_bytes()).digest()
    time = 10**9 + int.from_bytes(digest[:4], "little") % (5 * 10**8)
    os.utime(path, (time, time))


def copy_checkout(copy: Path) -> None:
    """Copy what tests need. Bytecode that is there already is kept, since it is valid or noticed to be old."""
    ignore = shutil.ignore_patterns("__pycache__", ".*", "results")
    for name in FOLDERS:
        kept = {path.relative_to(copy) for path in (copy / name).rglob("*.py")}
        shutil.copytree(ROOT / name, copy / name, ignore=ignore, dirs_exist_ok=True)
        for path in kept:
            if not (ROOT / path).exists():
                (copy / path).unlink()
        for path in (copy / name).rglob("*.py"):
            date_by_content(path)
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy2(path, copy / path.name)


@contextmanager
def applied(mutant: Mutant, copy: Path) -> Iterator[None]:
    """The copy with the fault in it; put back afterwards. Raises ValueError if the mutant is stale."""
    path = copy / mutant.file
    source = path.read_text(encoding="utf8")
    path.write_text(mutate(mutant, source), encoding="utf8")
    date_by_content(path)
    try:
        yield
    finally:
        path.write_text(source, encoding="utf8")
        date_by_content(path)


def link_kernels(warm: Path, own: Path) -> None:
    """A folder of kernels of a mutant's own that begins as the warm one. numba replaces files, so hard links are safe."""
    shutil.rmtree(own, ignore_errors=True)
    shutil.copytree(warm, own, copy_function=os.link)
