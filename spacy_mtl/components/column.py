"""ColumnPipe: one label for each token, which stands for what a column of annotation says of it."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from .protocol.chain import ChainPipe
from .protocol.labelled import LabelledPipe


class ColumnPipe(ChainPipe, LabelledPipe):
    """A chain over tokens. Subclasses say which label the annotation of a token is, and write what predicted labels stand for."""

    overwrite: bool

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return tuple(cfg[self.label_key])

    @abstractmethod
    def gold_column(self, example: Example) -> np.ndarray:
        """The string hash of the label of each token of the predicted Doc, uint64[n]; 0 where the annotation is missing or does not align."""

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold label numbers int32[n] of the predicted Doc's tokens; -1 where the annotation is missing, unknown, or does not align."""
        column = self.gold_column(example)
        gold = np.full(column.size, -1, np.int32)
        for number, label in enumerate(self.hashes().tolist()):
            gold[column == label] = number
        return gold

    def hashes(self) -> np.ndarray:
        """Hashes of the labels, uint64[L], in the order of their numbers."""
        return np.array([self.vocab.strings[label] for label in self.labels], np.uint64)

    def write(self, doc: Doc, attr: int, values: np.ndarray) -> None:
        """Set the attribute where it is unset, or everywhere with ``overwrite``; a value of 0 changes nothing. values: uint64[n]."""
        present = doc.to_array([attr])
        if present.any():
            values = np.where((values == 0) | ((present != 0) & (not self.overwrite)), present, values)
        doc.from_array([attr], values)  # type: ignore[arg-type]


def aligned(example: Example, values: np.ndarray, whole: bool = False) -> np.ndarray:
    """What a column of the reference says of the predicted Doc's tokens. values: uint64[n_reference]. Returns uint64[n_predicted].

    A token has the value of the tokens that it is aligned with, or 0 if these have several. whole: only if it is aligned with a single token, which
    is aligned with no other.
    """
    predicted, reference = example.predicted, example.reference
    if np.array_equal(predicted.to_array(["ORTH"]), reference.to_array(["ORTH"])):
        return values
    found = np.zeros(len(predicted), np.uint64)
    to_reference, back = example.alignment.x2y, example.alignment.y2x
    for i in range(len(predicted)):
        places = to_reference[i]
        if len(places) and (not whole or (len(places) == 1 and len(back[int(places[0])]) == 1)):
            distinct = np.unique(values[places])
            found[i] = distinct[0] if distinct.size == 1 else 0
    return found


def add_strings(doc: Doc, vocab: Any, texts: Iterable[str]) -> None:
    """Let a document of another vocabulary know these strings."""
    if doc.vocab is not vocab:
        for text in texts:
            doc.vocab.strings.add(text)


def lookup(table: Mapping[int, int], keys: np.ndarray) -> np.ndarray:
    """The value of each key, uint64[n]; 0 for keys that are not in the table. Each distinct key is looked up once."""
    distinct, places = np.unique(keys, return_inverse=True)
    return np.array([table.get(key, 0) for key in distinct.tolist()], np.uint64)[places]
