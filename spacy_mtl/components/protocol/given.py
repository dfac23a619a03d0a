"""Warn of a corpus that gives a pipeline what a component of it is to predict, so that its scores are those of the gold annotation."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from spacy_mtl.errors import Warnings

#: Columns of readers -> the attribute of gold annotation that they hold.
_COLUMNS = {"TAG": "TAG", "ENT": "ENT_TYPE", "POS": "POS", "MORPH": "MORPH", "LEMMA": "LEMMA"}


def warn_of_given(name: str, config: Mapping[str, Any], gold_attributes: Sequence[str]) -> None:
    """Warn (M434) if the reader of the dev corpus gives what the component predicts. config: of the pipeline, with its variables filled in.

    For components that leave annotation that is there as it is.
    """
    block: Any = config
    path = (config.get("training") or {}).get("dev_corpus")
    for key in path.split(".") if isinstance(path, str) else [""]:
        block = block.get(key) if isinstance(block, Mapping) else None
    given = block.get("given") if isinstance(block, Mapping) else None
    for column in given if isinstance(given, Sequence) else ():
        if _COLUMNS.get(str(column)) in gold_attributes:
            warnings.warn(Warnings.M434.format(name=name, column=column, section=path), stacklevel=3)
    if "SENT_START" in gold_attributes and isinstance(block, Mapping) and _gives_borders(block):
        warnings.warn(Warnings.M435.format(name=name, section=path), stacklevel=3)


def _gives_borders(reader: Mapping[str, Any]) -> bool:
    return reader.get("@readers") == "spacy_mtl.ConlluCorpus.v1" and reader.get("borders", True) is True
