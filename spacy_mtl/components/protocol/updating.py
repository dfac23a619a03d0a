"""UpdatedPipe: ``update``, which gathers documents into passes over the corpus and hands them to a training."""

import warnings
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from spacy.training import Example, validate_examples

from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.learning.gather import Gatherer, Piece
from spacy_mtl.learning.history import Remembered
from spacy_mtl.learning.learner import Learner
from spacy_mtl.models.chain.model import weights_later
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.stand_in import stood_for
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.trainers.base import Trainer

from .annotated import ComponentsBefore
from .hooks import PipeHooks
from .saved import OF_WEIGHTS
from .whole import TakesWholeCorpus

#: So many passes with mostly known documents, but at least this share of new ones, are worth a warning (M455).
OFTEN, SOME_NEW = 3, 0.1


class UpdatedPipe(TakesWholeCorpus, PipeHooks):
    """A component that learns in passes over all documents that it has seen, in whatever batches they come."""

    of_training: ClassVar[tuple[str, ...]] = (
        "_gathered", "_learner", "_reader", "_batches", "_before", "_corpus_lists", "_seen", "_late", "_held", "_depends", "_few",
        "after_pass",
    )  # fmt: skip

    def _end_training(self) -> None:
        """Drop everything that only training needs."""
        self._gathered: Gatherer | None = None
        self._learner: Learner | None = None
        self._reader: AttributeReader | None = None
        self._batches: list[np.ndarray] = []
        self._before: ComponentsBefore | None = None
        self._corpus_lists = None
        self._seen = 0
        self._late = 0
        self._few = FewLeft()  # of all learners of the training: amid the first pass there are several
        self._held: list[Example] | None = None  # all documents of the training, where they came as a whole
        self.after_pass = None
        self._depends = False  # whether components before this one have annotated what came last

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Pass a batch to the trainer; ``drop`` and ``sgd`` are ignored. A single Example may stand for a whole corpus (:mod:`spacy_mtl.stand_in`).

        Batch methods work whenever a pass ends: when as many documents have been shown as were known when it began, or when one comes again after
        nearly all of them (see :class:`.Gatherer`). Documents that are new join at the end of the pass; the weights stay and training continues.
        losses[name] grows with every batch: where batches are learnt from as they come, by the loss of this batch; otherwise by its share of the
        loss of the last pass, and before the first pass ends by its number of gold labels. Raises ValueError: M111 a template's attribute that no
        document of the first pass has, M404 before initialize, M410 a new one of another vocabulary, M456 labels that initialize was not told of.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        if self._gathered is None:
            raise ValueError(Errors.M404.format(name=self.name))
        if examples:
            corpus = stood_for(examples)
            losses[self.name] += self._show_batch(examples) if corpus is None else self._learn_whole(corpus)
        return losses

    @property
    def finished(self) -> bool:
        """Whether further passes over the same documents change nothing: the training has converged, or ended for another reason."""
        trainings = self._learner.trainings if self._learner is not None else []
        return bool(trainings) and all(training.finished for training in trainings)

    def begin_again(self, trainer: Trainer, megabytes: float | None) -> None:
        """Let another trainer begin, on the documents and features of the training so far. megabytes: the size limit of its model.

        Raises ValueError: M301, M404 where no pass has ended since ``initialize``.
        """
        if self._learner is None:
            raise ValueError(Errors.M404.format(name=self.name))
        self.model.attrs["megabytes"] = megabytes
        self.trainer = trainer
        self.remembered = Remembered()
        self._learner.begin_again(trainer)

    def _show_batch(self, examples: list[Example]) -> float:
        """Take documents as they come. Returns their loss, see :meth:`update`."""
        assert self._gathered is not None
        assert self._reader is not None
        self._held = None
        if self._before is not None:
            annotated = self._before.annotated(examples)
            self._depends = annotated is not examples
            examples = annotated
        loss = 0.0
        slots: list[int] = []
        keys = [self.key_of(example.reference) for example in examples]
        self._check_new(keys, examples)
        docs = [example.predicted for example in examples]
        inputs, tensors = self.read_input(self._reader, docs), self.tensors_of(docs)
        self._gathered.meet(keys)
        for key, example, (given, starts), tensor in zip(keys, examples, inputs, tensors, strict=True):
            if self._gathered.repeats(key):
                loss += self._take(slots, ends=True)
                slots = []
            slots.append(self._show(key, example, given, starts, tensor))
        return loss + self._take(slots, ends=self._gathered.is_complete)

    def _check_new(self, keys: Sequence[bytes], examples: Sequence[Example]) -> None:
        """Check what is new in a batch, before any of it is taken."""
        assert self._gathered is not None
        for key, example in zip(keys, examples, strict=True):
            if not self._gathered.knows(key):
                if example.predicted.vocab is not self.vocab:
                    raise ValueError(Errors.M410.format(name=self.name))
                self.check_new(example)

    def _show(self, key: bytes, example: Example, given: np.ndarray, starts: np.ndarray, tensor: np.ndarray) -> int:
        assert self._gathered is not None
        slot = self._gathered.find(key, given, starts, tensor)
        known = None if slot is None else self._gathered.pieces[slot]
        if known is not None and not known.outdated and known.same_input(given, starts, tensor):
            piece = known
        else:
            piece = self.piece_of(key, example, given, starts)
            piece.tensor = tensor
        return self._gathered.show(piece, slot)

    def _take(self, slots: Sequence[int], ends: bool) -> float:
        """Learn from a batch, and end the pass if it does so. Returns the loss, see :meth:`update`."""
        assert self._gathered is not None
        n_shown, n_needed = self._gathered.n_shown, self._gathered.n_needed
        shown = np.array(slots, np.int64)
        if self._learner is None:
            # features are indexed once the first pass has ended; then these batches are replayed
            self._batches.append(shown)
            if ends:
                return self._end_pass() * len(slots) / n_shown
            self._export_seen()
            return float(sum((self._gathered.pieces[slot].gold >= 0).sum() for slot in slots))
        before = self._learner.running_loss
        self._learner.step(shown[shown < len(self._learner.documents)])
        after = self._learner.running_loss
        if before is not None and not ends:
            self._export_later(self._learner)
        of_pass = self._end_pass() if ends else self._learner.loss
        if before is not None and after is not None:
            return after - before
        return of_pass * len(slots) / (n_shown if ends else n_needed)

    # --- passes ---

    def _end_pass(self) -> float:
        """End a pass over the corpus, after the documents that are new in it have joined. Returns the loss of the pass."""
        assert self._gathered is not None
        gathered, before = self._gathered, -1
        if self._learner is None:
            place = gathered.close()
            self._learner = self._begun(gathered.pieces, place, self._batches)
            self.remembered.for_training().begins()
            self._batches = []
        elif gathered.grown:
            self._warn_of_late()
            self._join(self._learner)
        elif gathered.changed:
            self.before_features(gathered.pieces)
            self._learner.rebind(gathered.pieces)
        else:
            before = self._learner.passes
        self._learner.end_pass()
        gathered.begin_pass()
        self.remembered.for_training().take(self._learner)
        if self._learner.passes != before:  # a training that has converged leaves the weights as they are
            self._export_later(self._learner)
        return self._learner.loss

    def _begun(self, pieces: Sequence[Piece], place: np.ndarray, batches: Sequence[np.ndarray]) -> Learner:
        """A learner of these documents that has been shown these batches. place: int64[n], the number of the document in each slot."""
        self.prepare(pieces)
        self.before_features(pieces)
        learner = self.make_learner()
        learner.few = self._few
        learner.begin(pieces)
        for batch in batches:
            learner.step(place[batch])
        return learner

    def _join(self, learner: Learner) -> None:
        """Let the documents join that are new in this pass; what they were shown for is made up for now."""
        assert self._gathered is not None
        known = len(learner.documents)
        self._gathered.close()
        self.prepare(self._gathered.pieces)
        self.refresh(learner)
        self.before_features(self._gathered.pieces)
        learner.rebind(self._gathered.pieces)
        learner.step(np.arange(known, len(self._gathered.pieces)))

    def _warn_of_late(self) -> None:
        """Warn once (M455) where new documents keep coming among known ones, which an augmenter makes and random draws do not."""
        assert self._gathered is not None
        if self._gathered.is_open:
            return
        n_new, n_shown = self._gathered.n_new, self._gathered.n_shown
        self._late += SOME_NEW * n_shown <= n_new <= n_shown / 2
        if self._late == OFTEN:
            self._late += 1
            warnings.warn(Warnings.M455.format(name=self.name, n=len(self._gathered.pieces)), stacklevel=5)

    # --- the model ---

    def drop_of_weights(self) -> None:
        """Drop from the settings what they say of the weights, which are to change."""
        for entry in OF_WEIGHTS:
            self.cfg.pop(entry, None)

    def _export_later(self, learner: Learner) -> None:
        """Called whenever the training has new weights: what is saved does not depend on whether somebody has predicted since then."""
        megabytes = self.model.attrs["megabytes"]
        self.drop_of_weights()
        self.adopt(learner)
        weights_later(self.model, lambda: learner.export(megabytes), self.model_constraints())

    def _export_seen(self) -> None:
        """Amid the first pass, the model is that of a pass over what has been seen, each time this has doubled; trained only if somebody looks."""
        assert self._gathered is not None
        if self._gathered.is_open or len(self._gathered.pieces) < 2 * self._seen:  # learning on has a model already
            return
        self._seen = len(self._gathered.pieces)
        self.drop_of_weights()
        seen = Gatherer(self._gathered.expected)
        seen.pieces = list(self._gathered.pieces)
        weights_later(self.model, partial(self._learnt_from, seen, list(self._batches)), None)

    def _learnt_from(self, seen: Gatherer, batches: Sequence[np.ndarray]) -> Any:
        """The weights after a pass over what has been seen; untrained where it does not allow any, as without a single complete tree."""
        try:
            place = seen.close()
            learner = self._begun(seen.pieces, place, batches)
            learner.end_pass()
        except ValueError:
            return self.untrained()
        self.adopt(learner)
        self.model.attrs["constraints"] = self.model_constraints()
        return learner.export(self.model.attrs["megabytes"])
