"""How the documents were read that a pipeline was trained with, according to the config that is saved with it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import Format

if TYPE_CHECKING:
    from spacy.language import Language

#: The reader of each format, and those of its settings that say how documents look to the pipeline.
READERS = {
    "spacy_mtl.ConllCorpus.v1": (Format.columns, ("columns", "given", "scheme", "separator", "group", "spaces")),
    "spacy_mtl.ConlluCorpus.v1": (Format.conllu, ("given", "tag", "group")),
    "spacy_mtl.BracketedCorpus.v1": (Format.bracketed, ("given", "group", "spans_key")),
    "spacy_mtl.SegmentedCorpus.v1": (Format.segmented, ()),
    "spacy_mtl.TasksCorpus.v1": (Format.tasks, ()),
}
SPACY_READER = "spacy.Corpus.v1"
_OF_COLUMNS = ("columns", "scheme", "separator")
#: What a survey of files calls the formats.
_KINDS = {
    "columns": Format.columns,
    "segmented": Format.segmented,
    "trees": Format.conllu,
    "bracketed": Format.bracketed,
    "tasks": Format.tasks,
}


def dev_reader(nlp: "Language") -> Mapping[str, Any]:
    """The reader of the dev corpus in the config of a pipeline; empty where it says none, as for a pipeline trained in Python."""
    block: Any = nlp.config.interpolate()
    path = (block.get("training") or {}).get("dev_corpus")
    for key in path.split(".") if isinstance(path, str) else [""]:
        block = block.get(key) if isinstance(block, Mapping) else None
    named = isinstance(block, Mapping) and isinstance(block.get("@readers"), str)
    # a blank pipeline has spaCy's default config, whose corpora have no path
    return block if named and block.get("path") is not None else {}


def trained_with(nlp: "Language", file_format: Format) -> dict[str, Any]:
    """Settings of the reader that the pipeline was scored with in training, for files of this format; empty if it was another reader."""
    reader = dev_reader(nlp)
    kind, names = READERS.get(reader.get("@readers", ""), (None, ()))
    return {name: reader[name] for name in names if name in reader} if kind is file_format else {}


def format_in_training(nlp: "Language") -> Format:
    """The format of the files that the pipeline was scored on in training; columns if it was another reader."""
    return READERS.get(dev_reader(nlp).get("@readers", ""), (Format.columns, ()))[0]


def format_of(
    nlp: "Language",
    data: Sequence[str],
    file_format: Format | None,
    asked: Mapping[str, Any],
    encoding: str = "utf8",
) -> Format:
    """The format of text files: the one that the user names, else the one of the pipeline's training, else the one that they plainly have.

    asked: settings that the user asked for (None for others); those that only column files have say that these are such files. ``.spacy`` files do
    not count, and if there is no other, the format is that of columns. Where the training was on columns, every text is taken for columns.
    """
    if file_format is not None:
        return file_format
    texts = [Path(path) for path in data if Path(path).suffix != ".spacy"]
    if not texts or any(asked.get(name) is not None for name in _OF_COLUMNS):
        return Format.columns
    trained = format_in_training(nlp)
    return trained if trained is Format.columns else _plain_format(texts, trained, encoding) or trained


def _plain_format(paths: Sequence[Path], trained: Format, encoding: str) -> Format | None:
    """The one format that all files plainly have in place of the one in training; None if there is none."""
    from spacy_mtl.survey.kinds import plainly_other

    (kind,) = (name for name, each in _KINDS.items() if each is trained)
    try:
        others = {plainly_other(path, kind, encoding) for path in paths}
    except ValueError:  # the reader says what is wrong with a file
        return None
    other = others.pop()
    return _KINDS[other] if other is not None and not others else None


def had_borders(nlp: "Language") -> bool | None:
    """Whether documents had sentence borders when the pipeline was scored in training; None if its config does not say."""
    reader = dev_reader(nlp)
    name = reader.get("@readers", "")
    if name in ("spacy_mtl.SegmentedCorpus.v1", "spacy_mtl.TasksCorpus.v1", SPACY_READER):
        return False
    if name == "spacy_mtl.ConllCorpus.v1":
        return reader.get("group", 1) != 1
    if name == "spacy_mtl.ConlluCorpus.v1":
        return reader.get("borders", True) is not False
    return True if name in READERS else None
