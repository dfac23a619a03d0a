"""Load the pipeline that a command works on, and save the one that it makes."""

from pathlib import Path
from typing import TYPE_CHECKING

from spacy_mtl.errors import Errors
from spacy_mtl.files import disk

from .messages import reason_of

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


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


def make_doc(nlp: "Language", text: str, where: str) -> "Doc":
    """A document of a text from elsewhere. where: what it is, for messages. Raises ValueError: M796 it is no valid Unicode, M797 it is too long."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(Errors.M796.format(where=where)) from None
    if len(text) > nlp.max_length:
        raise ValueError(Errors.M797.format(where=where, n=len(text), most=nlp.max_length))
    return nlp.make_doc(text)


def check_folder(nlp: "Language", output: Path) -> None:
    """Refuse a folder that :func:`save_pipeline` would refuse, before long work. Raises ValueError: M654, M704."""
    from spacy_mtl.training.safe_save import check_replaceable

    if output.exists() and not output.is_dir():
        raise ValueError(Errors.M704.format(path=output, reason="it is a file"))
    check_replaceable(output, nlp)


def save_pipeline(nlp: "Language", output: str | Path) -> None:
    """Save a pipeline as a whole, in place of the one that may be there.

    Raises ValueError: M654 the folder has other files, M704 it cannot be written.
    """
    from spacy_mtl.training.safe_save import save

    try:
        save(nlp, output)
    except OSError as error:
        raise ValueError(Errors.M704.format(path=output, reason=disk.reason_of(error))) from None
