"""Loading the pipeline that a command is about."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Errors

if TYPE_CHECKING:
    from spacy.language import Language


def load_pipeline(model: str | Path, code: Path | None = None) -> "Language":
    """A pipeline by name or directory. code: a Python file to import first, as for ``spacy train``.

    Raises ValueError (M701) with the reason why it cannot be loaded.
    """
    import spacy
    from spacy.util import import_file

    try:
        if code is not None:
            import_file("python_code", code)
        return spacy.load(model)
    except Exception as error:  # whatever a directory that is no pipeline makes of loading
        raise ValueError(Errors.M701.format(model=model, reason=_first_line(error))) from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
