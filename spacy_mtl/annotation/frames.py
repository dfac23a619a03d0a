"""Annotate frames of pandas: for Ray Data's ``map_batches`` and Spark's ``mapInPandas``. pandas is not imported here, but is what is given."""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language

from spacy_mtl.errors import Errors
from spacy_mtl.settings import brief

from .columns import columns_of, row_of, spark_schema
from .documents import Document, SetAside, doc_of_text
from .model import load_once
from .work import annotated

#: The column that says why a text has no annotation.
ERROR = "error"


def annotate_frame(frame: Any, model: str, text: str = "text") -> Any:
    """The frame with a column for each kind of annotation behind its own (:func:`~.columns.columns_of`), and "error".

    frame: a pandas DataFrame with texts. model: a name or folder, which each process loads once. text: the column of the texts. Where a text cannot
    be annotated, "error" has a sentence that says why, and the other new columns have None; otherwise "error" is None. No row is lost.

    Raises ValueError: M701 the model cannot be loaded, M932 there is no such column, or several, M925 one of the new columns is there already.
    """
    nlp = load_once(model, None, _load)
    columns = columns_of(nlp)
    names = list(frame.columns)
    if (n := names.count(text)) != 1:
        known = brief(", ".join(map(str, names)) or "none", 200)
        raise ValueError(Errors.M932.format(found=f"{n} columns" if n else "no column", column=text, known=known))
    if taken := [name for name in (*columns, ERROR) if name in names]:
        raise ValueError(Errors.M925.format(path="The frame", column=taken[0]))
    values: dict[str, list[Any]] = {name: [None] * len(frame) for name in (*columns, ERROR)}
    with nlp.memory_zone():
        for found in annotated(nlp, _documents(nlp, frame[text], text)):
            if isinstance(found, SetAside):
                values[ERROR][int(found.id)] = found.reason
                continue
            document, doc = found
            for name, value in row_of(doc, columns).items():
                values[name][int(document.id)] = value
    return frame.assign(**{name: _series(frame, found) for name, found in values.items()})


def annotate_frames(frames: Iterable[Any], model: str, text: str = "text") -> Iterator[Any]:
    """:func:`annotate_frame` of one frame after the other, as Spark's ``mapInPandas`` wants it."""
    for frame in frames:
        yield annotate_frame(frame, model, text)


def spark_schema_of(model: str, before: Any) -> str:
    """The schema of annotated frames for Spark. before: that of the frames as they are, such as "id string, text string" or ``frame.schema``.

    Raises ValueError: M701 the model cannot be loaded, M900 ``before`` is no schema.
    """
    if not isinstance(before, str):
        before = _written(before)
    return f"{before}, {spark_schema(columns_of(load_once(model, None, _load)))}, {ERROR} string"


def _written(schema: Any) -> str:
    """A StructType of Spark as a string."""
    fields = getattr(schema, "fields", None)
    if not isinstance(fields, list):
        raise ValueError(Errors.M900.format(kind=type(schema).__name__))
    names = [field.name.replace("`", "``") for field in fields]
    return ", ".join(f"`{name}` {field.dataType.simpleString()}" for name, field in zip(names, fields, strict=True))


def _documents(nlp: Language, texts: Any, column: str) -> Iterator[Document | SetAside]:
    for number, value in enumerate(texts):
        yield Document(str(number), partial(doc_of_text, nlp, value, column, False, "the argument text"))


def _series(frame: Any, values: list[Any]) -> Any:
    """A column of lists, with the index of the frame."""
    return type(frame.iloc[:, 0])(values, index=frame.index, dtype=object)


def _load(model: str, code: Path | None) -> Language:
    try:
        return spacy.load(model)
    except Exception as error:  # loading from a directory that is not a pipeline can raise anything
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(Errors.M701.format(model=model, reason=reason or type(error).__name__)) from None
