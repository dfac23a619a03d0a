"""ConfidentPipe: a component that tells how sure it is, once its scores are probabilities."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example, validate_examples

from spacy_mtl.components.protocol.base import StructuredPipe
from spacy_mtl.components.protocol.saved import CALIBRATIONS
from spacy_mtl.components.protocol.settings import check_switches, refuse
from spacy_mtl.confidence.calibration import Calibration, fit_temperature, not_too_sure, read_calibrations
from spacy_mtl.confidence.considered import ConsideredDocs
from spacy_mtl.confidence.maps import Maps, Outcomes, fit_maps
from spacy_mtl.confidence.result import Confidence, Ranked
from spacy_mtl.errors import Errors, Warnings
from spacy_mtl.models.by_vocab import by_vocab
from spacy_mtl.models.chain.model import current_weights
from spacy_mtl.settings import is_whole

#: The largest number of analyses of a sentence that can be asked for: lists of so many are kept for each part of it.
MOST_BEST = 1000


def _total_loss(considered: ConsideredDocs, kind: str, gold: Sequence[np.ndarray], temperature: float) -> float:
    return float(np.nansum(considered.losses(kind, gold, temperature)))


def _decided(
    considered: ConsideredDocs, kind: str, gold: Sequence[np.ndarray], temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    """The probabilities of the decisions that gold says something about, float[k], and which are right, bool[k].

    Where there are none, as where no entity is found, the probabilities are those of gold itself.
    """
    found = considered.outcomes(kind, gold, temperature)
    if found.correct.size:
        return found.probabilities, found.correct
    of_gold = np.exp(-considered.losses(kind, gold, temperature))
    return of_gold, np.ones(of_gold.size, bool)


class Told(list[np.ndarray]):
    """What ``predict`` returns, with how sure the component is of each document."""

    def __init__(self, predicted: Iterable[np.ndarray], confidences: Sequence[Confidence]):
        super().__init__(predicted)
        self.confidences = confidences


class ConfidentPipe(StructuredPipe):
    """A component that tells how probable its decisions are, on documents (``confidence``) or when it is asked."""

    _confidence = False
    _warned_of_calibration = False

    @property
    def confidence(self) -> bool:
        """Whether documents get the probabilities of what is predicted for them. May be set at any time."""
        return self._confidence

    @confidence.setter
    def confidence(self, value: bool) -> None:
        check_switches(self.name, confidence=value)
        if value:
            from .attributes import register

            register()
        self._confidence = value

    @property
    def wants_confidence(self) -> bool:
        """Whether predictions need probabilities."""
        return self._confidence

    @abstractmethod
    def considered(self, docs: Sequence[Doc], held: bool = True) -> ConsideredDocs:
        """What the model considers for documents with words, of its own vocabulary. held: keep what they have already, as ``predict`` does."""

    @property
    def calibrations(self) -> dict[str, Calibration]:
        """The calibration of each kind of decision; none where the component has not been calibrated since it was trained."""
        return read_calibrations(self.cfg.get(CALIBRATIONS, {}))

    @property
    def temperature(self) -> float | None:
        """What scores are divided by; of a parser, those of arcs. None where they are no log probabilities and nothing has been calibrated."""
        found = list(self.calibrations.values())
        return found[0].temperature if found else 1.0 if self.trainer.probabilistic else None

    def probabilities(self, doc: Doc) -> Confidence:
        """How probable what is predicted for a document is, with the marginals of all labels or arcs. The document stays as it is.

        What it has already, such as entities of another component, is certain; but not what this component itself has found, see :meth:`asked`.
        Raises ValueError: M477 no calibration, M479 an untrained component.
        """
        self._check_told()
        if not len(doc):
            return Confidence(np.empty(0, np.float32), 0.0)
        return self.asked(doc).confidences(self.calibrations)[0]

    def kbest(self, doc: Doc, k: int = 5) -> list[list[Ranked]]:
        """The k best analyses of each sentence of a document, best first; fewer where there are fewer. The document stays as it is.

        A sentence that gets no analysis, such as one without any constituents, has an empty list. Raises ValueError: M419 k below 1 or above
        MOST_BEST, M477 and M479 as :meth:`probabilities`.
        """
        if not is_whole(k, 1, MOST_BEST):
            refuse(self.name, "k", f"a whole number from 1 to {MOST_BEST}", k)
        self._check_told()
        return self.asked(doc).kbest(self.calibrations, k) if len(doc) else []

    def asked(self, doc: Doc) -> ConsideredDocs:
        """What is considered for a document with words that may have been through this component before.

        What it has is not held where it is only what would be predicted in any case: else all that the component has found would be certain.
        """
        free = self.considered([doc], held=False)
        return self.considered([doc]) if self.is_told_more(doc, free) else free

    def is_told_more(self, doc: Doc, free: ConsideredDocs) -> bool:
        """Whether a document has something to hold to that is not what is predicted for it anyway, ``free``; by default nothing is held."""
        return False

    def calibrate(
        self, examples: Iterable[Example], isotonic: bool = True, folds: "Iterable[Fold]" = ()
    ) -> dict[str, Calibration]:
        """Find the temperature, and where they help maps, that make scores probabilities. Returns and keeps them, by kind of decision.

        examples: held-out documents, which training has not seen, the predicted ones as they come to the component. isotonic: whether there may
        be maps (see :func:`.fit_maps`) beside the temperature. folds: more decisions to make maps from.
        Warns (M488) where the documents have no mistake, or none that tells how sure to be, so that the temperature is a guess; then there is no map.
        Raises ValueError: M478 where no gold can be used, M479 an untrained component; TypeError from spaCy for other things than examples.
        """
        considered, gold = self._held_out(examples)
        for kind in considered.kinds:
            if np.isnan(considered.losses(kind, gold, 1.0)).all():
                raise ValueError(Errors.M478.format(name=self.name, n=len(gold)))
        fitted = {kind: self._fitted(considered, kind, gold) for kind in considered.kinds}
        temperatures = {kind: t for kind, (t, _) in fitted.items()}
        outcomes = {kind: [considered.outcomes(kind, gold, t)] for kind, t in temperatures.items()}
        for pipe, unseen in folds if isotonic else ():
            considered, gold = pipe._held_out(unseen)
            for kind, t in temperatures.items():
                outcomes[kind].append(considered.outcomes(kind, gold, t))
        found = {}
        for kind, t in temperatures.items():
            mapped = isotonic and not fitted[kind][1]
            found[kind] = Calibration(t, fit_maps(Outcomes.joined(outcomes[kind])) if mapped else Maps())
        self.cfg[CALIBRATIONS] = {kind: calibration.to_dict() for kind, calibration in found.items()}
        return found

    def _fitted(self, considered: ConsideredDocs, kind: str, gold: Sequence[np.ndarray]) -> tuple[float, bool]:
        """The temperature of a kind of decisions, and whether it is a guess, as a warning says (M488)."""
        loss = partial(_total_loss, considered, kind, gold)
        coldest = fit_temperature(loss)
        found = not_too_sure(coldest, partial(_decided, considered, kind, gold), loss)
        if found > coldest:
            correct = considered.outcomes(kind, gold, found).correct
            told = {"name": self.name, "kind": kind, "n": correct.size, "wrong": int(np.sum(~correct))}
            warnings.warn(Warnings.M488.format(**told), stacklevel=4)
        return found, found > coldest

    def _held_out(self, examples: Iterable[Example]) -> tuple[ConsideredDocs, list[np.ndarray]]:
        """What is considered for documents with words, and their gold. Raises as :meth:`calibrate`."""
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.calibrate")
        self._check_trained()
        examples = [example for example in examples if len(example.predicted)]
        if not examples:
            raise ValueError(Errors.M478.format(name=self.name, n=0))
        considered = self.considered([example.predicted for example in examples], held=False)
        return considered, [self.told_gold(*each) for each in zip(examples, considered.borders, strict=True)]

    def told_gold(self, example: Example, starts: np.ndarray) -> np.ndarray:
        """Gold as :meth:`.ConsideredDocs.losses` takes it. starts: sentence borders of the predicted Doc."""
        return self.gold_labels(example, starts)

    @property
    def is_trained(self) -> bool:
        """Whether there are weights that predict."""
        return bool(current_weights(self.model).is_trained)

    def _check_trained(self) -> None:
        if not self.is_trained:
            raise ValueError(Errors.M479.format(name=self.name))

    def _check_told(self) -> None:
        """Refuse where probabilities cannot be told. Raises ValueError: M477, M479."""
        self._check_trained()
        if self.temperature is None:
            raise ValueError(Errors.M477.format(name=self.name))

    def tells(self, docs: Sequence[Doc]) -> bool:
        """Whether predictions of these documents come with probabilities: not while a training has no calibration yet, as a warning says (M458).

        Raises ValueError (M477) for a trained component that has none.
        """
        if not self.wants_confidence or not docs or not self.is_trained:
            return False
        if self.temperature is None and self._learner is not None:
            if not self._warned_of_calibration:
                self._warned_of_calibration = True
                warnings.warn(Warnings.M458.format(name=self.name), stacklevel=4)
            return False
        self._check_told()
        return True

    def told(self, docs: Sequence[Doc]) -> Told:
        """Predictions with probabilities."""
        pairs = iter(by_vocab([doc for doc in docs if len(doc)], self._told))
        nothing = self.nothing(), Confidence(np.empty(0, np.float32), 0.0)
        both: list[Any] = [next(pairs) if len(doc) else nothing for doc in docs]
        return Told([each for each, _ in both], [each for _, each in both])

    def _told(self, docs: Sequence[Doc]) -> list[tuple[np.ndarray, Confidence]]:
        """The same for documents with words, of one vocabulary."""
        considered = self.considered(docs)
        return list(zip(considered.predicted, considered.confidences(self.calibrations), strict=True))

    def nothing(self) -> np.ndarray:
        """What is predicted for a document without words."""
        return np.zeros(0, np.int32)

    def write_confidence(self, docs: Sequence[Doc], scores: Sequence[np.ndarray]) -> None:
        """Keep on documents how sure the component is, where ``predict`` has told it with ``scores`` and it is asked for."""
        if self.confidence and isinstance(scores, Told):
            from .attributes import write

            for doc, confidence in zip(docs, scores.confidences, strict=True):
                write(doc, self.name, confidence)
                self.write_spans(doc, confidence)

    def write_spans(self, doc: Doc, confidence: Confidence) -> None:
        """Hook: keep the spans. Does nothing by default."""


#: A component with the same settings that was trained on a part of the training corpus, and documents that it has not seen.
Fold = tuple[ConfidentPipe, Sequence[Example]]
