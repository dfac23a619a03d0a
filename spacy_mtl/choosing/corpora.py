"""The corpora of a pipeline: what its config trains on and scores on, or other files that are read in the same way."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spacy import registry
from spacy.language import Language
from spacy.training import Example

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.errors import Errors


def read_part(nlp: Language, part: str, path: Path | None, where: str) -> list[Example]:
    """The examples of a corpus. part: train or dev. path: a file to read in place of the config's.

    Raises ValueError: M771 the config does not say how or what to read, M772 there are no documents, and the reader's own.
    """
    config: Any = nlp.config.interpolate()
    block: Any = config
    for key in str((config.get("training") or {}).get(f"{part}_corpus")).split("."):
        block = block.get(key) if isinstance(block, Mapping) else None
    if not isinstance(block, Mapping) or not isinstance(block.get("@readers"), str):
        raise ValueError(Errors.M771.format(where=where, part=part, lacks="how its documents are read"))
    if path is not None:
        block = {**block, "path": str(path)}
    if not block.get("path"):
        raise ValueError(Errors.M771.format(where=where, part=part, lacks="which file that is"))
    examples = _read(nlp, block, where, part)
    if not examples:
        raise ValueError(Errors.M772.format(path=block["path"], lacks="documents"))
    return examples


def _read(nlp: Language, block: Mapping[str, Any], where: str, part: str) -> list[Example]:
    try:
        return list(registry.resolve({"reader": dict(block)})["reader"](nlp))
    except Exception as error:  # readers of other packages may raise anything
        if str(error).startswith("[M"):
            raise
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(Errors.M773.format(path=block["path"], reason=reason)) from None


def check_gold(pipe: StructuredPipe, examples: list[Example], part: str) -> None:
    """Refuse a corpus that a component can neither learn from nor be scored on. Raises ValueError (M772)."""
    if not any(pipe.is_annotated(example.reference) for example in examples):
        raise ValueError(Errors.M772.format(path=f"The {part} corpus", lacks=f"gold annotation for '{pipe.name}'"))
