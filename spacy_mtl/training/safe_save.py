"""Saving whole pipelines safely: :func:`save`, and the callback ``spacy_mtl.safe_save.v1`` for ``[training] before_to_disk``."""

import re
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

from spacy.language import Language

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.files import write_folder
from spacy_mtl.files.folder_lock import FolderLock, lock_folder
from spacy_mtl.registry import registry
from spacy_mtl.running import running_loop, running_trainings
from spacy_mtl.stored.fault import StoredValueError
from spacy_mtl.stored.json import read_json
from spacy_mtl.stored.values import mapping

from .spacy_loop import output_of_training, watch_copies

Callback = Callable[[Language], Language]

#: What spaCy saves besides components.
PARTS = {"config.cfg", "meta.json", "tokenizer", "vocab"}
#: What may be lost besides: what file managers leave in folders that they show.
LITTER = {".DS_Store", "Thumbs.db", "desktop.ini"}
#: The name of what a process that was killed has left of a part.
LEFT_OVER = re.compile(r"\.(.+?)\.\d+(\.\d+)?\.(tmp|old)")


def save(nlp: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
    """``nlp.to_disk``, but a pipeline saved over another is the old one or the new one, complete, whenever the process is killed.

    The pipeline is written to a folder beside ``path``, ``.NAME.PROCESS.NUMBER.tmp``, and once that is on disk it takes the place of
    ``path`` as a whole (:mod:`spacy_mtl.files.swap`), so room for both is needed. Folders of processes that were killed are removed.

    Raises ValueError (M654) where ``path`` holds what no pipeline saves, and OSError (M650-M652), with the old pipeline as it was, where
    the new one cannot be written.
    """
    check_replaceable(Path(path), nlp)
    write_folder(path, lambda folder: nlp.to_disk(folder, exclude=exclude))


def check_replaceable(path: Path, nlp: Language) -> None:
    """Refuse a folder with what no pipeline saves, and ``nlp`` would not, either. Raises ValueError (M654)."""
    if others := _others(path, nlp):
        raise ValueError(Errors.M654.format(path=path, names=_listed(others)))


def _others(path: Path, nlp: Language) -> list[str]:
    """What is in a folder and is no part of a pipeline that was saved there, or that ``nlp`` would save."""
    if not path.is_dir():
        return []
    names = {*_saved_components(path), *nlp.component_names}
    # some components add .json to their names, in place of what follows a dot
    known = PARTS | names | {str(Path(name).with_suffix(".json")) for name in names if Path(name).name}
    return sorted(entry.name for entry in path.iterdir() if not _may_be_lost(entry.name, known))


def _saved_components(path: Path) -> list[str]:
    """The names of the components of the pipeline in a folder, as its ``meta.json`` has them; none where that cannot be read."""
    try:
        components = mapping(read_json((path / "meta.json").read_bytes()), "it").get("components")
    except (OSError, StoredValueError):
        return []
    return [name for name in components if isinstance(name, str)] if isinstance(components, list) else []


def _may_be_lost(name: str, known: set[str]) -> bool:
    left_over = LEFT_OVER.fullmatch(name)
    return name in known | LITTER or (left_over is not None and left_over[1] in known)


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


@registry.callbacks("spacy_mtl.safe_save.v1")
def create_safe_save(callback: Callback | None = None) -> "SafeSave":
    """Make the callback with which ``spacy train`` saves safely: ``model-best`` and ``model-last`` are old or new, complete, at any instant.

    Without it, spaCy removes model-best and then copies model-last there, file by file. With it, each is replaced as a whole, and those
    of an earlier training stay until this one has its own. Another training to the same folder is told so at its start, before it reads or
    changes anything.

    callback: another callback for ``before_to_disk``, which is called first.

    Raises ValueError (M655) where another training saves to the same folder, and OSError (M650-M652) where nothing can be written to it.
    """
    output = output_of_training()
    lock = None if output is None else lock_folder(output)
    if isinstance(lock, str):
        raise ValueError(Errors.M655.format(path=output, holder=lock))
    watch_copies()
    return SafeSave(callback, lock)


class SafeSave:
    """The callback. lock: keeps other trainings away for as long as this object lives, and that is as long as its training."""

    saves_safely = True

    def __init__(self, callback: Callback | None = None, lock: FolderLock | None = None):
        self.callback = callback
        self.lock = lock
        self._evaluated = False

    def __call__(self, nlp: Language) -> Language:
        """The same pipeline with another ``to_disk``."""
        running = running_loop()
        self._evaluated |= running is not None and running.get("is_best_checkpoint") is not None
        return saved_safely(nlp if self.callback is None else self.callback(nlp), self._evaluated)


def saved_safely(nlp: Language, evaluated: bool = True) -> Language:
    """A pipeline that shares everything with ``nlp`` but saves itself by :func:`save`.

    While spaCy trains, whatever is in the folder is replaced, as spaCy does with model-best and model-last; but before an evaluation (evaluated), a
    pipeline stays there (M756): spaCy saves whatever it has where it is interrupted.
    """

    def to_disk(_: Language, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        if not running_trainings():
            save(nlp, path, exclude=exclude)
        elif not evaluated and Path(path, "meta.json").is_file():
            warnings.warn(Warnings.M756.format(path=path), stacklevel=2)
        else:
            write_folder(path, lambda folder: nlp.to_disk(folder, exclude=exclude))

    kind = type(nlp)
    safe: Language = object.__new__(type(kind.__name__, (kind,), {"to_disk": to_disk}))
    safe.__dict__ = nlp.__dict__
    return safe
