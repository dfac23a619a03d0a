"""The corpora of a pipeline: what its config trains on and scores on, or other files that are read in the same way."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from spacy import registry
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.corpora.binary import GIVEN_COLUMNS, read_binary
from spacy_mtl.errors import Errors

#: Readers of text files, in whose place a ``.spacy`` file may be named.
TEXT_READERS = frozenset(
    f"spacy_mtl.{name}Corpus.v1" for name in ("Conll", "Conllu", "Bracketed", "Segmented", "Tasks")
)

#: What documents are told apart by, besides labelled spans.
_ANNOTATION: list[int | str] = [
    "ORTH",
    "SPACY",
    "TAG",
    "POS",
    "MORPH",
    "LEMMA",
    "HEAD",
    "DEP",
    "ENT_IOB",
    "ENT_TYPE",
    "SENT_START",
]


def read_part(nlp: Language, part: str, path: Path | None, where: str) -> list[Example]:
    """The examples of a corpus. part: train or dev. path: a file to read in place of the config's.

    Raises ValueError: M771 the config does not say how or what to read, M772 there are no documents, and the reader's own.
    """
    block = block_of(nlp, part, where, path)
    examples = list(read_clearly(nlp, block))
    if not examples:
        raise ValueError(Errors.M772.format(path=block["path"], lacks="documents"))
    return examples


def block_of(nlp: Language, part: str, where: str, path: Path | None = None) -> dict[str, Any]:
    """The block of a config that says how a corpus is read, and its path, or this one. Raises ValueError (M771) if it says neither."""
    config: Any = nlp.config.interpolate()
    block: Any = config
    for key in str((config.get("training") or {}).get(f"{part}_corpus")).split("."):
        block = block.get(key) if isinstance(block, Mapping) else None
    if not isinstance(block, Mapping) or not isinstance(block.get("@readers"), str):
        raise ValueError(Errors.M771.format(where=where, part=part, lacks="how its documents are read"))
    block = {**block, **({} if path is None else {"path": str(path)})}
    if not block.get("path"):
        raise ValueError(Errors.M771.format(where=where, part=part, lacks="which file that is"))
    return block


def read_block(nlp: Language, block: Mapping[str, Any]) -> list[Example]:
    """The examples of a block (see :func:`stream_block`). Raises what readers raise."""
    return list(stream_block(nlp, block))


def stream_block(nlp: Language, block: Mapping[str, Any]) -> Iterable[Example]:
    """The examples of a block with a reader and a path, one after the other.

    A ``.spacy`` file is read as one where the reader is one of this package's for text files. Its documents are then given the columns that the block
    says, as far as such files have them, or those that the file lists. Raises what readers raise, and ValueError (M773) for another file than a
    ``.spacy`` file where the reader is spaCy's own.
    """
    path, reader = str(block.get("path")), str(block.get("@readers"))
    if path.endswith(".spacy") and reader in TEXT_READERS:
        named = block.get("given")
        given = None if named is None else [column for column in named if column in GIVEN_COLUMNS]
        return read_binary(path, nlp.vocab, given)
    if (
        reader == "spacy.Corpus.v1" and Path(path).is_file() and not path.endswith(".spacy")
    ):  # of which it reads nothing
        raise ValueError(Errors.M773.format(path=path, reason=f"{reader} reads .spacy files alone"))
    return registry.resolve({"reader": dict(block)})["reader"](nlp)


def read_clearly(nlp: Language, block: Mapping[str, Any]) -> Iterator[Example]:
    """As :func:`stream_block`, but raises ValueError (M773) for whatever a reader of another package raises."""
    try:
        yield from stream_block(nlp, block)
    except Exception as error:
        if str(error).startswith("[M"):
            raise
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(Errors.M773.format(path=block["path"], reason=reason)) from None


def check_gold(pipe: StructuredPipe, examples: list[Example], part: str) -> None:
    """Refuse a corpus that a component can neither learn from nor be scored on. Raises ValueError: M772, M958 annotated, but without an entity."""
    if not any(pipe.is_annotated(example.reference) for example in examples):
        if "ENT_IOB" in pipe.gold_attributes and any(each.reference.has_annotation("ENT_IOB") for each in examples):
            raise ValueError(Errors.M958.format(part=part, name=pipe.name))
        raise ValueError(Errors.M772.format(path=f"The {part} corpus", lacks=f"gold annotation for '{pipe.name}'"))


def fingerprint(train: Iterable[Example], inputs: Iterable[Doc], references: Iterable[Doc]) -> str:
    """A digest of a training corpus and of documents with their gold: of their words, and of all annotation that components here learn or read."""
    found = hashlib.sha256()
    for docs in ((doc for each in train for doc in (each.predicted, each.reference)), inputs, references):
        found.update(b"|")
        for doc in docs:
            found.update(doc.to_array(_ANNOTATION).tobytes())
            spans = [(key, s.start, s.end, s.label_) for key in sorted(doc.spans) for s in doc.spans[key]]
            found.update(repr((len(doc), spans)).encode())
    return found.hexdigest()
