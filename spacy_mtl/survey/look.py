"""Look at a corpus file of any format."""

from collections.abc import Sequence
from pathlib import Path

from .binary import survey_binary
from .bracketed import survey_bracketed
from .columns import survey_columns
from .found import Survey
from .kinds import kind_of
from .texts import survey_segmented
from .trees import survey_trees


def survey(
    path: Path, encoding: str = "utf8", columns: Sequence[str] | None = None, *, entities: bool = True
) -> Survey:
    """What is in a corpus file. columns: names that the user gives. entities: whether they are to be learnt, see :func:`survey_columns`.

    Raises ValueError: what is wrong with the file (M501-M559, M561, M568, M570-M572, M577, M705, M955, M957).
    """
    kind = "columns" if columns is not None and path.suffix != ".spacy" else kind_of(path, encoding)
    if columns is None and path.suffix == ".conllu":  # whatever a fault makes it look like
        kind = "trees"
    if kind == "trees":
        return survey_trees(path, encoding)
    if kind == "bracketed":
        return survey_bracketed(path, encoding)
    if kind == "binary":
        return survey_binary(path)
    if kind == "columns":
        return survey_columns(path, encoding, columns, entities=entities)
    return survey_segmented(path, encoding)
