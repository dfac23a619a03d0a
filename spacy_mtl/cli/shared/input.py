"""The input of an evaluation: how files are read, and what the pipeline sees of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from spacy_mtl.constituents.tree import SPANS_KEY

from .options import Format, split_names
from .trained_with import SPACY_READER, dev_reader, format_in_training, format_of, had_borders, trained_with

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example

#: Attributes of input, and the columns that they come from.
_SHOWN = {
    "TAG": "TAG",
    "POS": "POS",
    "MORPH": "MORPH",
    "LEMMA": "LEMMA",
    "ENT_IOB": "ENT",
    "SENT_START": "sentence borders",
}
#: Settings of readers where neither the user nor the training says anything; trees have their own "given".
_DEFAULTS: dict[Format, dict[str, Any]] = {
    Format.columns: {"columns": ["ORTH", "TAG", "ENT"], "scheme": "auto", "separator": None, "group": 1},
    Format.conllu: {"tag": "auto", "group": 1},
    Format.bracketed: {"group": 1, "spans_key": SPANS_KEY},
    Format.segmented: {},
    Format.tasks: {},
}


def reading(
    nlp: "Language", data: Sequence[str], file_format: Format | None, asked: dict[str, Any], encoding: str = "utf8"
) -> tuple[Format, dict[str, Any]]:
    """The format of files, and settings of its reader: what the user asked for (None for the rest), else as in the pipeline's training, else the
    defaults.

    A line says what was taken from the training, or that texts are of another format. "given" is only in the result if somebody has named it.
    """
    named_format, file_format = file_format, format_of(nlp, data, file_format, asked, encoding)
    trained = format_in_training(nlp)
    names = {*_DEFAULTS[file_format], "given"}
    named = {name: value for name, value in asked.items() if value is not None and name in names}
    known = {name: value for name, value in trained_with(nlp, file_format).items() if name not in named}
    settings = {**_DEFAULTS[file_format], **known, **named}
    if "columns" in settings and "given" in known:
        settings["given"] = known["given"] = [name for name in known["given"] if name in settings["columns"]]
    told = [f"{name} {_told(value)}" for name, value in known.items()]
    if named_format is None and file_format is trained and trained is not Format.columns:
        told.insert(0, f"format {file_format.value}")
    if told:
        typer.echo(f"Read as in training: {', '.join(told)} (options change this)")
    if named_format is None and file_format is not trained and not all(Path(path).suffix == ".spacy" for path in data):
        typer.echo(
            f"Not read as in training: format {file_format.value} in place of {trained.value} (--format changes this)"
        )
    return file_format, settings


def asked_for(columns: str | None, given: str | None, separator: str | None, **others: Any) -> dict[str, Any]:
    """What the user asked for with options: settings of a reader, None for those not given."""
    return {
        "columns": split_names(columns) if columns is not None else None,
        "given": split_names(given) if given is not None else None,
        "separator": separator.replace("\\t", "\t") if separator is not None else None,
        **others,
    }


def _told(value: Any) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return " ".join(map(str, value)) or "none"
    return "null" if value is None else str(value)


def read_spacy(
    nlp: "Language", path: str, given: Sequence[str] | None, hidden: Sequence[str], borders: bool | None
) -> list["Example"]:
    """Examples of a ``.spacy`` file. given: columns that the user named. borders: whether sentence borders are input; None as in training.

    A pipeline that was scored with spaCy's own reader in training is scored with it here, unless the user asks for input. Raises ValueError: M501,
    M705, M714.
    """
    from spacy.training import Corpus

    from spacy_mtl.corpora.binary import load_docs, read_binary

    if dev_reader(nlp).get("@readers") == SPACY_READER and given is None and borders is None:
        load_docs(Path(path))  # with a message of its own for a file that cannot be read
        return list(Corpus(path)(nlp))
    borders = had_borders(nlp) if borders is None else borders
    return list(read_binary(path, nlp.vocab, given, hidden, borders))


def say_input(nlp: "Language", examples: Sequence["Example"]) -> None:
    """Say what "spacy evaluate" does not give a pipeline, of documents of a ``.spacy`` file."""
    shown = [
        name for attribute, name in _SHOWN.items() if any(_has(example.predicted, attribute) for example in examples)
    ]
    retokenizes = any(nlp.get_pipe_meta(name).retokenizes for name in nlp.pipe_names)
    if not retokenizes and any(not _same_words(nlp, example) for example in examples):
        shown.insert(0, "their words")
    if shown:
        typer.echo(
            f"Given with the .spacy documents: {', '.join(shown)}. 'spacy evaluate' gives the text alone, so its scores may differ"
        )


def _has(doc: "Doc", attribute: str) -> bool:
    """Whether a Doc has an annotation. spaCy says so of the sentence borders of every Doc of one word."""
    return doc.has_annotation(attribute) and (attribute != "SENT_START" or len(doc) > 1)


def _same_words(nlp: "Language", example: "Example") -> bool:
    predicted = example.predicted
    return [token.text for token in nlp.make_doc(predicted.text)] == [token.text for token in predicted]
