"""ColumnPipe: one label for each token, which stands for what a column of annotation says of it."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from spacy.attrs import LEMMA, ORTH, POS
from spacy.parts_of_speech import NAMES as PARTS
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.components.protocol.chain import ChainPipe
from spacy_mtl.components.protocol.labelled import LabelledPipe
from spacy_mtl.learning.counted.known_words import (
    added_counts,
    check_known_words,
    check_room,
    count_known_words,
    joined_known_words,
    known_words_of,
    label_counts,
    most_known,
)
from spacy_mtl.learning.gather import Piece
from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.models.chain.decode import Held, one_label_each
from spacy_mtl.models.chain.weights import ChainWeights
from spacy_mtl.templates.attributes.learned import FormTable


class ColumnPipe(ChainPipe, LabelledPipe):
    """A chain over tokens. Subclasses say which label the annotation of a token is, and write what predicted labels stand for."""

    overwrite: bool
    _hashed: tuple[tuple[str, ...] | None, Any] = (None, None)  # labels, and what _hashes has of them

    def labels_under(self, cfg: dict[str, Any]) -> tuple[str, ...]:
        return tuple(cfg[self.label_key])

    @abstractmethod
    def gold_column(self, example: Example) -> np.ndarray:
        """The string hash of the label of each token of the predicted Doc, uint64[n]; 0 where the annotation is missing or does not align."""

    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold label numbers int32[n] of the predicted Doc's tokens; -1 where the annotation is missing, unknown, or does not align."""
        return self._numbers(self.gold_column(example))

    def hashes(self) -> np.ndarray:
        """String hashes of the labels, uint64[L], in the order of their numbers."""
        return np.array([self.vocab.strings[label] for label in self.labels], np.uint64)

    def _numbers(self, column: np.ndarray) -> np.ndarray:
        """The numbers of labels, int32[n], -1 for what is none. column: their string hashes, uint64[n]."""
        hashes, order = self._hashes
        if not hashes.size:
            return np.full(column.size, -1, np.int32)
        at = np.minimum(np.searchsorted(hashes, column), hashes.size - 1)
        return np.where(hashes[at] == column, order[at], -1).astype(np.int32)

    @property
    def _hashes(self) -> tuple[np.ndarray, np.ndarray]:
        """Hashes of the labels in ascending order, uint64[L], and the number of each, int64[L]; found once for each list of labels."""
        labels = self.labels
        if self._hashed[0] != labels:
            hashes = self.hashes()
            order = np.argsort(hashes)
            self._hashed = labels, (hashes[order], order)
        return self._hashed[1]

    def held_column(self, docs: Sequence[Doc], attr: int) -> Held | None:
        """Hold tokens that have the attribute to it, if it is the hash of a label."""
        if self.overwrite:
            return None
        column = np.concatenate([doc.to_array([attr]) for doc in docs])
        if not column.any():
            return None
        return one_label_each(self._numbers(column), len(self.labels))

    def write(self, doc: Doc, attr: int, values: np.ndarray) -> None:
        """Set the attribute as :func:`write_where_unset` does. values: uint64[n]."""
        write_where_unset(doc, attr, values, self.overwrite)


class KnownWordsPipe(ColumnPipe):
    """A component that gives a word seen at least ``known_words`` times only what it was seen with, kept in ``cfg["known"]``."""

    known_words: int

    @abstractmethod
    def label_column(self, reference: Doc) -> np.ndarray:
        """The string hash of the label of each token, uint64[n]; 0 where there is none."""

    def check_forms(self, references: Corpus[Doc]) -> None:
        """Refuse more words than a model can remember the labels of, before any work. Raises ValueError (M451)."""
        if self.known_words and sum(map(len, references)) > most_known(len(self.labels)):
            counts: Counter[int] = Counter()
            for doc in references:
                orths = doc.to_array([ORTH])[self._numbers(self.label_column(doc)) >= 0]
                counts.update(orths.tolist())
            check_room(np.array([*counts.values()], np.int64), self.known_words, len(self.labels))

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Count the labels of frequent words."""
        n_labels, strings = len(self.labels), self.vocab.strings
        earlier = self._earlier_cfg.get("known", {})
        least = self.known_words
        counted = count_known_words(pieces, strings, n_labels, least) if least else {}
        self.cfg["known"] = joined_known_words(earlier, counted, pieces, strings, n_labels)

    def count_pieces(self, pieces: Sequence[Piece]) -> dict[str, Any]:
        """How often each word has each label, if any can become known."""
        counted = super().count_pieces(pieces)
        if not self.known_words:
            return counted
        return {**counted, "known": label_counts(pieces, self.vocab.strings, len(self.labels))}

    def settle_pieces(self, counts: Sequence[dict[str, Any]]) -> None:
        super().settle_pieces(counts)
        if self.known_words:
            n_labels = len(self.labels)
            added = added_counts([each["known"] for each in counts], n_labels)
            self.cfg["known"] = known_words_of(added, self.known_words, n_labels)
        else:
            self.cfg["known"] = {}

    def check_stored(self, cfg: dict[str, Any], weights: ChainWeights, learned: Mapping[str, FormTable]) -> None:
        super().check_stored(cfg, weights, learned)
        check_known_words(cfg["known"], len(cfg[self.label_key]), "known of cfg")


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


def words_of(docs: Iterable[Doc]) -> Iterator[tuple[str, str, str]]:
    """Form, lemma and part of speech of each word; "" for no lemma, "_" for no part of speech."""
    for doc in docs:
        columns: Any = doc.to_array([ORTH, LEMMA, POS]).reshape(len(doc), 3).tolist()
        for orth, lemma, pos in columns:
            yield doc.vocab.strings[orth], doc.vocab.strings[lemma] if lemma else "", PARTS[pos] or "_"


def write_where_unset(doc: Doc, attr: int, values: np.ndarray, overwrite: bool) -> None:
    """Set the attribute where it is unset, or everywhere with ``overwrite``; a value of 0 changes nothing. values: uint64[n]."""
    present = doc.to_array([attr])
    if present.any():
        values = np.where((values == 0) | ((present != 0) & (not overwrite)), present, values)
    doc.from_array([attr], values)  # type: ignore[arg-type]
