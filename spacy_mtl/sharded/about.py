"""What the checkpoints of a folder are about: the config, what is in the files that it names, and the number of workers."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from os.path import exists
from pathlib import Path
from typing import Any

from spacy_mtl.errors import Errors
from spacy_mtl.files import write_atomically
from spacy_mtl.files.disk import reason_of

from .checkpoint import ABOUT, kept
from .spec import files_of

_BLOCK = 1 << 20
_OTHERS = {"config": "another config", "corpus": "another corpus", "tables": "other tables, vectors or another prior"}
_WORKERS = "workers"


def about(config: str, blocks: Iterable[Mapping[str, Any]], initialize: Mapping[str, Any]) -> dict[str, str]:
    """A digest of each: the config, the files of its corpora, and the tables, vectors and priors with which components begin.

    Contents count, not times: a file that was touched or copied is the same. Raises ValueError (M773) for a file that cannot be read.
    """
    corpora = [file for block in blocks for file in files_of(block)]
    return {
        "config": blake2b(config.encode(), digest_size=16).hexdigest(),
        "corpus": _digest(corpora),
        "tables": _digest(sorted(set(_named(initialize)))),
    }


def _named(block: Mapping[str, Any]) -> Iterator[str]:
    """The files and folders that a block of a config names."""
    for value in block.values():
        if isinstance(value, Mapping):
            yield from _named(value)
        # Path.exists raises for names that are too long
        elif isinstance(value, str | Path) and str(value) and exists(value):
            yield str(value)


def _digest(paths: Iterable[str]) -> str:
    """A hash of names and contents, those of all files in folders."""
    found = blake2b(digest_size=16)
    for path in map(Path, paths):
        try:
            files = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
            for file in files:
                found.update(f"{file}\n{file.stat().st_size}\n".encode("utf8", "surrogateescape"))
                with file.open("rb") as content:
                    while part := content.read(_BLOCK):
                        found.update(part)
        except OSError as error:
            raise ValueError(Errors.M773.format(path=path, reason=reason_of(error))) from None
    return found.hexdigest()


def begin(folder: Path, wanted: Mapping[str, str]) -> None:
    """Begin a training in a folder, or go on with one that was ended. wanted: see :func:`about`.

    What is there without saying what it is about belongs to a training that came to its end, and is removed.
    Raises ValueError (M914) if there are checkpoints of another training; OSError: M650-M652.
    """
    files, found = kept(folder), _read(folder)
    if not found:
        for each in files:
            each.unlink(missing_ok=True)
    if found and files:
        others = [told for name, told in _OTHERS.items() if found.get(name) != wanted[name]]
        if others:
            _refuse(folder, " and ".join(others))
        wanted = {**wanted, **{name: found[name] for name in (_WORKERS,) if name in found}}
    _write(folder, wanted)


def check_workers(folder: Path, workers: int) -> None:
    """Refuse another number of workers than the shards are of that were kept in a folder; else it is noted there.

    Raises ValueError (M914); OSError: M650-M652.
    """
    found = _read(folder)
    before = found.get(_WORKERS, str(workers))
    if before != str(workers) and kept(folder):
        _refuse(folder, f"{before} worker{'s' * (before != '1')}")
    _write(folder, {**found, _WORKERS: str(workers)})


def _refuse(folder: Path, what: str) -> None:
    raise ValueError(Errors.M914.format(path=folder, what=what, else_="delete this folder to begin anew, "))


def _read(folder: Path) -> dict[str, str]:
    """What a folder says: a name and a value on each line; nothing if it says nothing."""
    try:
        lines = (folder / ABOUT).read_text("ascii", "replace").splitlines()
    except FileNotFoundError:
        return {}
    return {name: value for name, _, value in (line.partition(" ") for line in lines)}


def _write(folder: Path, found: Mapping[str, str]) -> None:
    write_atomically(folder / ABOUT, "".join(f"{name} {value}\n" for name, value in found.items()).encode())
