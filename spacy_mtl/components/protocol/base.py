"""StructuredPipe, the base of all components: spaCy's training protocol around a gathered corpus and a trainer."""

import warnings
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy.vocab import Vocab
from thinc.api import Model

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.gather import Gatherer, Piece, content_key
from spacy_mtl.learning.learner import Learner, check_set
from spacy_mtl.models.chain.model import current_weights, set_weights, weights_later
from spacy_mtl.sentences import borders
from spacy_mtl.stand_in import stood_for
from spacy_mtl.templates.attributes.learned import FormTable
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template
from spacy_mtl.trainers.base import Report, Trainer

from .annotated import annotated
from .examples import each_example
from .given import warn_of_given
from .places import check_known
from .saved import SavedPipe
from .settings import refuse
from .whole import TakesWholeCorpus


class StructuredPipe(TakesWholeCorpus, SavedPipe):
    """A trainable component over some structure.

    Subclasses define the structure, the labels, and how gold annotation is read and predictions are written.
    """

    #: Attributes of the reference Doc that hold the gold annotation.
    gold_attributes: ClassVar[tuple[str, ...]]
    of_training: ClassVar[tuple[str, ...]] = ("_gathered", "_learner", "_reader", "_batches", "_held", "after_pass")

    def __init__(self, vocab: Vocab, model: Model, name: str, *, trainer: Trainer, scorer: Callable | None = None):
        if not isinstance(trainer, Trainer):
            raise ValueError(Errors.M449.format(name=name, found=type(trainer).__name__))
        if scorer is not None and not callable(scorer):
            refuse(name, "scorer", "a scorer (from @scorers), or null", scorer)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.trainer = trainer
        self.scorer = scorer
        self.cfg: dict[str, Any] = {}
        self._end_training()
        templates = model.attrs["templates"]
        self.check_templates(templates.templates)
        check_known(templates)

    def _end_training(self) -> None:
        """Drop everything that only training needs."""
        self._gathered: Gatherer | None = None
        self._learner: Learner | None = None
        self._reader: AttributeReader | None = None
        self._batches: list[np.ndarray] = []
        self._held: list[Example] | None = None  # all documents of the training, where they came as a whole
        self.after_pass = None

    # --- what a subclass provides ---

    @abstractmethod
    def check_templates(self, templates: Sequence[Template]) -> None:
        """Refuse templates that read what the structure does not have. Raises ValueError (M129)."""

    @abstractmethod
    def check_trainer(self) -> None:
        """Refuse a trainer that needs what the structure does not offer. Raises ValueError (M301)."""

    @abstractmethod
    def make_learner(self) -> Learner:
        """The learner that trains on a gathered corpus."""

    @abstractmethod
    def gold_labels(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold label numbers int32[n] of the predicted Doc's tokens, -1 where unknown."""

    def make_reader(self) -> AttributeReader:
        """The reader of the templates' attributes during training."""
        return AttributeReader(self.model.attrs["templates"].attributes, self.vocab)

    def read_input(self, reader: AttributeReader, docs: Sequence[Doc]) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each doc, its attribute columns uint64[A, n] and sentence borders int64[S + 1], over n positions (here tokens)."""
        given = np.split(reader.read_given(docs), np.cumsum([len(doc) for doc in docs])[:-1], axis=1)
        return [(columns, borders([doc])) for columns, doc in zip(given, docs, strict=True)]

    def learn_attribute(self, attr: str, table: Callable[[], FormTable]) -> None:
        """Learn an attribute of :mod:`spacy_mtl.templates.attributes.learned` if a template reads it."""
        if attr in self.model.attrs["templates"].attributes:
            assert self._reader is not None
            self.model.attrs["learned"] = {**self.model.attrs["learned"], attr: table()}
            self._reader.lexicon.learn(self.model.attrs["learned"])

    def prepare(self, pieces: Sequence[Piece]) -> None:
        """Hook: learn more from the gathered corpus before training. Does nothing by default."""

    def before_features(self, pieces: Sequence[Piece]) -> None:
        """Hook: called whenever features are about to be extracted from the pieces. Does nothing by default."""

    def check_settings(self) -> None:
        """Hook: refuse settings that do not fit the labels, before a pass over the corpus. Does nothing by default."""

    @abstractmethod
    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the labels of the gold annotation to those given. Raises ValueError if there are none at all."""

    # --- spaCy's protocol ---

    @abstractmethod
    def predict(self, docs: Iterable[Doc]) -> list[np.ndarray]:
        """The predictions for each doc, which :meth:`set_annotations` writes."""

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        """Read the corpus once, for its labels and for the documents that make up a full pass. Training starts from scratch.

        labels: as ``spacy init labels`` writes them; taken from the examples if missing. Raises ValueError: M111 a template's attribute is neither
        on the documents nor set by an annotating component, M127 or M132 only another component knows the attribute, M301 the trainer needs
        what the structure does not offer, M402 no examples, M403 no annotation, M406 a stream instead of a corpus; TypeError from spaCy if
        ``get_examples`` returns something other than examples.
        """
        self.check_trainer()
        config = nlp.config.interpolate() if nlp is not None else {}
        training = config.get("training", {})
        if not getattr(self, "overwrite", True):
            warn_of_given(self.name, config, self.gold_attributes)
        if training.get("max_epochs") == -1:
            raise ValueError(Errors.M406.format(name=self.name))
        self.vocab = self.vocab if nlp is None else nlp.vocab  # a sourced component belongs to this pipeline now
        set_weights(self.model, self.untrained(), None)
        self.model.attrs["learned"] = {}
        self._end_training()
        reader = self.make_reader()
        expected: Counter[bytes] = Counter()
        references, given = [], []
        for example in each_example(get_examples, f"{type(self).__name__}.initialize"):
            if example.predicted.vocab is not self.vocab:
                raise ValueError(Errors.M410.format(name=self.name))
            expected[content_key(example.reference, self.gold_attributes)] += 1
            references.append(example.reference)
            given.append(self.read_input(reader, [example.predicted])[0][0])
        if not references:
            raise ValueError(Errors.M402.format(name=self.name))
        promised = annotated(nlp, training.get("annotating_components", ())) if nlp is not None else frozenset()
        if promised is not None:
            columns, templates = np.concatenate(given, axis=1), self.model.attrs["templates"].templates
            check_set(self.name, reader, columns, templates, promised)
        if labels is not None:
            self.set_labels(labels)
        self._reader = reader
        self.collect_labels(references)
        self.check_settings()
        self._gathered = Gatherer(expected)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Pass a batch to the trainer. Batch methods work once the last document of the corpus has arrived; ``drop`` and ``sgd`` are ignored.

        A single Example may stand for the whole corpus (:mod:`spacy_mtl.stand_in`). Whenever a pass ends, its training loss is added to losses[name].
        Raises ValueError: M404 before initialize, M405 for an unknown example.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if self._gathered is None:
            raise ValueError(Errors.M404.format(name=self.name))
        if not examples:
            return losses
        corpus = stood_for(examples)
        losses[self.name] += self._show_batch(examples) if corpus is None else self._learn_whole(corpus)
        return losses

    def _show_batch(self, examples: list[Example]) -> float:
        loss = 0.0
        slots: list[int] = []
        assert self._gathered is not None
        assert self._reader is not None
        self._held = None
        inputs = self.read_input(self._reader, [example.predicted for example in examples])
        for example, (given, starts) in zip(examples, inputs, strict=True):
            key = content_key(example.reference, self.gold_attributes)
            if self._gathered.repeats(key):
                self._end_batch(slots)
                loss += self._end_pass()
                slots = []
            slots.append(self._show(key, example, given, starts))
        self._end_batch(slots)
        if self._gathered.is_complete:
            loss += self._end_pass()
        return loss

    def _show(self, key: bytes, example: Example, given: np.ndarray, starts: np.ndarray) -> int:
        assert self._gathered is not None
        slot = self._gathered.find(key, given, starts)
        if slot is not None and self._gathered.pieces[slot].same_input(given, starts):
            piece = self._gathered.pieces[slot]
        else:
            piece = Piece(key, given, starts, self.gold_labels(example, starts))
        return self._gathered.show(piece, slot)

    def _end_batch(self, slots: Sequence[int]) -> None:
        shown = np.array(slots, np.int64)
        if self._learner is None or self._learner.training is None:
            # features are indexed once the whole corpus has been seen; then these batches are replayed
            self._batches.append(shown)
        else:
            self._learner.step(shown[shown < len(self._learner.documents)])
            if not self.trainer.batch:
                self._export_later(self._learner)

    def _begin_training(self) -> None:
        """Start training, after the first pass, or after one with documents that earlier passes had left out."""
        assert self._gathered is not None
        assert self._reader is not None
        if self._learner is not None and not self._gathered.is_open:
            n_new = len(self._gathered.pieces) - len(self._learner.documents)
            warnings.warn(Warnings.M431.format(name=self.name, n=n_new), stacklevel=2)
        place = self._gathered.close()
        self.prepare(self._gathered.pieces)
        self.before_features(self._gathered.pieces)
        self._learner = self.make_learner()
        self._learner.begin(self._gathered.pieces)
        for batch in self._batches:
            self._learner.step(place[batch])
        self._batches = []

    def _end_pass(self) -> float:
        """End a pass over the corpus and return the training loss."""
        assert self._gathered is not None
        before = -1 if self._learner is None or self._gathered.changed else self._learner.passes
        if self._learner is None or self._gathered.grown:
            self._begin_training()
            before = -1
        elif self._gathered.changed:
            self.before_features(self._gathered.pieces)
            self._learner.rebind(self._gathered.pieces)
        assert self._learner is not None
        assert self._learner.training is not None
        self._learner.end_pass()
        self._gathered.begin_pass()
        if self._learner.passes != before:  # a training that has converged leaves the weights as they are
            self._export_later(self._learner)
        return self._learner.loss

    def _export_later(self, learner: Learner) -> None:
        """Called whenever the training has new weights: what is saved does not depend on whether somebody has predicted since then."""
        megabytes = self.model.attrs["megabytes"]
        weights_later(self.model, lambda: learner.export(megabytes), self.model_constraints())

    def finish_update(self, sgd: Any) -> None:
        """Do nothing: the trainer makes its own steps."""

    def use_params(self, params: dict) -> Iterator[None]:
        """Swap nothing, since an optimizer's averages never include these weights. A generator, because spaCy steps through it."""
        yield

    @property
    def report(self) -> Report | None:
        """Objective values of the current training; None outside training."""
        return self._learner.report() if self._learner is not None else None

    def template_weights(self) -> list[dict[str, Any]]:
        """One dict per template: name, pattern, weight (mu), norm (||w_j||) and rows (the number of rows kept)."""
        lines = []
        for row in current_weights(self.model).templates:
            name, _, pattern = row.text.partition(":")
            lines.append({"name": name, "pattern": pattern, "weight": row.weight, "norm": row.norm, "rows": row.rows})
        return lines
