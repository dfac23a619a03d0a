"""The pipeline of a config, as driver and workers make it."""

from pathlib import Path

from spacy.language import Language
from spacy.util import import_file, load_model_from_config
from thinc.api import Config

from spacy_mtl.errors import Errors


def make(config: str, code: Path | None) -> Language:
    """The untrained pipeline of a config, given as a text. code: a Python file to import first. Raises ValueError (M717) if that cannot be read."""
    if code is not None:
        try:
            import_file("python_code", code)
        except Exception as error:  # the file may raise anything
            reason = f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(".")
            raise ValueError(Errors.M717.format(path=code, reason=reason)) from None
    return load_model_from_config(Config().from_str(config, interpolate=False), auto_fill=True)
