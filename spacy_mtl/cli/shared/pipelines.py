"""Load the pipeline that a command works on, and save the one that it makes."""

from pathlib import Path
from typing import TYPE_CHECKING

from spacy_mtl.errors import Errors
from spacy_mtl.files import disk

from .messages import reason_of

if TYPE_CHECKING:
    from spacy.language import Language


def load_pipeline(model: str | Path, code: Path | None = None) -> "Language":
    """Load a pipeline by name or directory. code: a Python file to import first, as for ``spacy train``.

    Raises ValueError with the reason: M701 it cannot be loaded, M717 the Python file fails.
    """
    import spacy
    from spacy.util import import_file

    if code is not None:
        try:
            import_file("python_code", code)
        except Exception as error:  # the file may raise anything
            reason = f"{type(error).__name__}: {reason_of(error)}"
            raise ValueError(Errors.M717.format(path=code, reason=reason)) from None
    try:
        return spacy.load(model)
    except Exception as error:  # loading from a directory that is not a pipeline can raise anything
        raise ValueError(Errors.M701.format(model=model, reason=reason_of(error))) from None


def save_pipeline(nlp: "Language", output: str | Path) -> None:
    """Save a pipeline as a whole, in place of the one that may be there.

    Raises ValueError: M654 the folder has other files, M704 it cannot be written.
    """
    from spacy_mtl.training.safe_save import save

    try:
        save(nlp, output)
    except OSError as error:
        raise ValueError(Errors.M704.format(path=output, reason=disk.reason_of(error))) from None
