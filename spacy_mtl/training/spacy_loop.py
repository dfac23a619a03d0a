"""What saving and batching have to know of spaCy's training loop, which it tells nobody.

``spacy.training.loop.train`` calls ``before_to_disk(nlp).to_disk(output / "model-last")``; after an evaluation that is the best so far it removes
``model-best`` and copies ``model-last`` there, file by file; and it begins by removing both. A callback sees none of this, so:

- Where the training saves to is read from the variables of the functions that are running (:mod:`spacy_mtl.running`). It is known when
  ``[training]`` is resolved, before the corpus is read.
- The loop's module gets a ``shutil`` of its own, with another ``rmtree`` and ``copytree`` for trainings that save safely; those of other trainings,
  and of all other modules, are Python's.
"""

import shutil
from pathlib import Path
from typing import Any

from spacy.training import loop

from spacy_mtl.files import write_folder
from spacy_mtl.running import running_loop, running_trainings


def output_of_training() -> Path | None:
    """The folder that the running training saves to; None if none is running, or it does not save."""
    for frame in running_trainings():
        output = frame.f_locals.get("output_path")
        if output is not None:
            return Path(output)
    return None


def learns_from_whole_corpora() -> bool:
    """Whether spaCy's loop is running, over a fixed corpus, and whatever learns in its pipeline takes the corpus as a whole.

    A component says so by an attribute ``takes_whole_corpus`` that is True. Where a component annotates documents for the others, they have to see
    the copies that it annotates.
    """
    running = running_loop()
    settings = None if running is None else running.get("T")
    if running is None or settings is None or settings["max_epochs"] < 0 or settings["annotating_components"]:
        return False
    frozen = settings["frozen_components"]
    learning = [pipe for name, pipe in running["nlp"].pipeline if name not in frozen and hasattr(pipe, "update")]
    return bool(learning) and all(getattr(pipe, "takes_whole_corpus", False) is True for pipe in learning)


def _saves_safely() -> bool:
    """Whether the training that is running was configured with a callback that saves safely."""
    settings = next((frame.f_locals.get("T") for frame in running_trainings()), None) or {}
    return getattr(settings.get("before_to_disk"), "saves_safely", False)


class LoopShutil:
    """``shutil`` for spaCy's training loop."""

    def __getattr__(self, name: str) -> Any:
        return getattr(shutil, name)

    def rmtree(self, path: str | Path, *args: Any, **settings: Any) -> None:
        """Remove a folder; but a pipeline stays until the next one takes its place."""
        if not (_saves_safely() and Path(path, "meta.json").is_file()):
            shutil.rmtree(path, *args, **settings)

    def copytree(self, source: str | Path, target: str | Path, *args: Any, **settings: Any) -> Any:
        """Copy a folder; a pipeline takes the place of ``target`` in one step."""
        if not _saves_safely():
            return shutil.copytree(source, target, *args, **settings)
        write_folder(target, lambda folder: shutil.copytree(source, folder, dirs_exist_ok=True))
        return target


def watch_copies() -> None:
    """Let spaCy's training loop use :class:`LoopShutil`."""
    if not isinstance(loop.shutil, LoopShutil):
        loop.shutil = LoopShutil()  # type: ignore[assignment]
