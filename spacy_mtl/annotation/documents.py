"""What is read from a partition: documents, each with an id and what is needed to make a Doc of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_mtl.errors import Errors
from spacy_mtl.treebanks.inputs import Input


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the input. make: a new Doc, with what the pipeline does not predict; raises ValueError with a sentence where there can be none.

    row: its fields, where it came from JSON lines or Parquet. comments: for CoNLL-U, where the document begins. place: the row of Parquet, as it
    is there: a batch of rows and a number.
    """

    id: str
    make: Callable[[], Doc]
    row: Mapping[str, Any] | None = None
    comments: Sequence[str] = ()
    place: tuple[Any, int] | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done with all partitions; goes to the workers.

    model: a name or a folder; code: a Python file to import first; load: makes the pipeline of these two. fingerprint: of the model, as
    :func:`~.model.fingerprint` makes it. input: how files are read. output: one of KINDS; folder: where it is written. text, id: columns of
    JSON lines and Parquet; an id that is not there is made of the file's name and the place in it.
    """

    model: str
    code: Path | None
    load: Callable[[str, Path | None], Language]
    fingerprint: str
    input: Input
    output: str
    folder: Path
    text: str = "text"
    id: str = "id"


def check_id(document: Document) -> None:
    """Refuse an id that no file can hold. Raises ValueError (M796)."""
    try:
        document.id.encode("utf8")
    except UnicodeEncodeError:
        raise ValueError(Errors.M796.format(where="The id")) from None


@dataclass(slots=True)
class SetAside:
    """A document that was not annotated, and the sentence that says why."""

    id: str
    reason: str


@dataclass(slots=True)
class Done:
    """What became of a partition. cpu: seconds. bytes: of the file that was written."""

    partition: int
    path: str
    begin: int
    end: int
    documents: int = 0
    sentences: int = 0
    words: int = 0
    set_aside: list[SetAside] = field(default_factory=list)
    cpu: float = 0.0
    bytes: int = 0
    worker: str = ""


def doc_of_text(nlp: Language, text: Any, column: str, clean: bool, option: str = "--text-column") -> Doc:
    """A Doc of a text, as the pipeline's tokenizer makes it. clean: whether tokens of white space are left out, which are no words of CoNLL-U.
    option: what names the column.

    Raises ValueError: M796 the text has half a character, M921 it is none, M922 it is too long.
    """
    from spacy_mtl.treebanks.inputs import without_white_space

    if not isinstance(text, str):
        found = "its value is missing" if _is_missing(text) else f"its value is of type {type(text).__name__}"
        raise ValueError(Errors.M921.format(column=column, found=found, option=option))
    if len(text) > nlp.max_length:
        raise ValueError(Errors.M922.format(n=len(text), most=nlp.max_length))
    try:
        text.encode("utf8")
    except UnicodeEncodeError:  # it could not be written again
        raise ValueError(Errors.M796.format(where="The text")) from None
    doc = nlp.make_doc(text)
    return without_white_space(doc) if clean else doc


def _is_missing(value: Any) -> bool:
    """Whether this is null, as JSON, NumPy or pandas have it."""
    return value is None or (isinstance(value, float) and isnan(value)) or type(value).__name__ in ("NAType", "NaTType")
