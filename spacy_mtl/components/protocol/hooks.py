"""PipeHooks: what a component tells the training protocol about its structure, its labels and its gold annotation."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.counted.corpus_lists import CorpusLists
from spacy_mtl.learning.gather import NO_ROWS, Piece, content_key
from spacy_mtl.learning.learner import Learner
from spacy_mtl.learning.streamed import Corpus
from spacy_mtl.sentences import borders_of_each
from spacy_mtl.settings import brief
from spacy_mtl.tables.phrases import PhraseList
from spacy_mtl.templates.attributes.learned import FormTable, tables_of
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template
from spacy_mtl.trainers.base import Trainer

from .saved import SavedPipe


class PipeHooks(SavedPipe):
    """A component over some structure. Subclasses define the structure, the labels, and how gold annotation is read and predictions are written."""

    trainer: Trainer
    #: Attributes of the reference Doc that hold the gold annotation.
    gold_attributes: ClassVar[tuple[str, ...]]
    #: Attributes that documents need besides those that templates read.
    also_reads: ClassVar[tuple[str, ...]] = ()
    _reader: AttributeReader | None
    _corpus_lists: CorpusLists | None

    @abstractmethod
    def check_templates(self, templates: Sequence[Template]) -> None:
        """Refuse templates that read what the structure does not have. Raises ValueError (M129)."""

    @abstractmethod
    def check_trainer(self) -> None:
        """Refuse a trainer that needs what the structure does not offer. Raises ValueError (M301)."""

    @abstractmethod
    def make_learner(self) -> Learner:
        """The learner that trains on a gathered corpus."""

    def refresh(self, learner: Learner) -> None:
        """Hook: give a learner the settings that depend on the gathered corpus, which has grown. Does nothing by default."""

    def adopt(self, learner: Learner) -> None:
        """Hook: take over what a learner has decided, since its weights are to be exported. Does nothing by default."""

    @abstractmethod
    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold label numbers int32[n] of the predicted Doc's tokens, -1 where unknown."""

    def key_of(self, reference: Doc) -> bytes:
        """What identifies a training document, see :func:`.content_key`."""
        return content_key(reference, self.gold_attributes)

    def piece_of(self, key: bytes, example: Example, given: np.ndarray, starts: np.ndarray) -> Piece:
        """A document as training sees it. given, starts: of its input, as :meth:`read_input` returns them."""
        return Piece(key, given, starts, self.gold_labels(example, starts))

    def make_reader(self) -> AttributeReader:
        """The reader of the templates' attributes during training."""
        return AttributeReader(self.templates.attributes, self.vocab, learned=self.tables)

    def read_input(self, reader: AttributeReader, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each doc, its attribute columns uint64[A, n] and sentence borders int64[S + 1], over n positions (here tokens)."""
        given = np.split(reader.read_given(docs), np.cumsum([len(doc) for doc in docs])[:-1], axis=1)
        return list(zip(given, borders_of_each(docs), strict=True))

    def tensors_of(self, docs: Sequence[Doc]) -> list[np.ndarray]:
        """For each doc the rows of ``doc.tensor`` if a template reads them, float32[n, D]; none by default."""
        return [NO_ROWS] * len(docs)

    def pieces_of(self, keys: Iterable[bytes], examples: Sequence[Example]) -> Iterator[Piece]:
        """Documents as training sees them. keys: of their references. examples: as the components before annotate them."""
        assert self._reader is not None
        docs = [example.predicted for example in examples]
        inputs, tensors = self.read_input(self._reader, docs), self.tensors_of(docs)
        for key, example, (given, starts), tensor in zip(keys, examples, inputs, tensors, strict=True):
            piece = self.piece_of(key, example, given, starts)
            piece.tensor = tensor
            yield piece

    def learn_attribute(self, attr: str, table: Callable[[], FormTable]) -> None:
        """Learn the table of an attribute of :mod:`spacy_mtl.templates.attributes.learned` if a template reads it, or another one with this table."""
        if attr in tables_of(self.templates.attributes):
            assert self._reader is not None
            self.model.attrs["learned"] = {**self.model.attrs["learned"], attr: table()}
            self._reader.lexicon.learn(self.read_tables)

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Hook: learn more from the gathered corpus, before training and whenever it has grown. Does nothing by default."""

    def before_features(self, pieces: Sequence[Piece]) -> None:
        """Hook: called whenever features are about to be extracted from the pieces. By default tells lists of the corpus which parts these are of."""
        assert self._reader is not None
        if self._reader.lists is not None and self._corpus_lists is not None:
            self._reader.lists.parts = self._corpus_lists.parts(pieces)

    def fill_lists(self, references: Corpus[Doc]) -> None:
        """Fill the lists that are made from the corpus. Raises ValueError (M818) if it has none of their entities; warns (M963) of one part."""
        lists = {name: each for name, each in self.tables.items() if isinstance(each, PhraseList) and each.of_corpus}
        if not (lists and references):
            return
        assert self._reader is not None
        assert self._reader.lists is not None
        self._corpus_lists = CorpusLists(references, list(map(self.key_of, references)), lists)
        for name, label in self._corpus_lists.missing.items():
            kind = f"entity {brief(label)}" if label else "entity"
            raise ValueError(Errors.M818.format(name=self.name, table=name, kind=kind))
        for name in self._corpus_lists.undivided:
            warnings.warn(Warnings.M963.format(name=self.name, table=name), stacklevel=2)
        self._reader.lists.folds = self._corpus_lists.folds

    def check_settings(self) -> None:
        """Hook: refuse settings that do not fit the labels, before a pass over the corpus. Does nothing by default."""

    @abstractmethod
    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the labels of the gold annotation to those given. Raises ValueError if there are none at all."""

    @property
    def knows_labels(self) -> bool:
        """Whether labels are known without a corpus."""
        return True

    def is_annotated(self, reference: Doc) -> bool:
        """Whether a reference Doc has any gold annotation."""
        return len(reference) > 0

    def check_new(self, example: Example) -> None:
        """Hook: refuse a document that ``initialize`` did not see if its annotation does not fit. Does nothing by default."""

    @abstractmethod
    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The predictions for each doc, which :meth:`set_annotations` writes."""
