"""LabelledPipe: a component whose labels come from the annotation of a corpus, or from the user."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.errors import Errors
from spacy_mtl.learning.streamed import Corpus, to_go_through

from .learning_on import ContinuedPipe
from .settings import refuse


class LabelledPipe(ContinuedPipe):
    """A component with labels, kept in ``cfg[label_key]``: first those that the user gave, then those found in the corpus, sorted."""

    #: Key of the labels in ``cfg``.
    label_key: ClassVar[str]
    #: Coded message for a corpus without any label, with the fields ``name`` and ``n``.
    no_labels: ClassVar[str]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, as written in the annotation."""
        return tuple(self.cfg[self.label_key])

    @property
    def label_data(self) -> list[str]:
        """The labels as ``spacy init labels`` writes them."""
        return list(self.labels)

    def add_label(self, label: str) -> int:
        """Add a label; return 1 if it is new, otherwise 0. A trained model predicts as before until it has learnt the label.

        Raises ValueError: M408 during training, M419 for what is no string.
        """
        if not isinstance(label, str):
            refuse(self.name, "a label", "a string", label)
        if label in self.labels:
            return 0
        if self._learner is not None:
            raise ValueError(Errors.M408.format(name=self.name, labels=", ".join(self.labels), label=label))
        self._add_labels([label])
        return 1

    def _add_labels(self, labels: Sequence[str]) -> None:
        n_before = len(self.model_labels)
        self.set_labels([*self.labels, *labels])
        self.relabel()
        if self._gathered is not None:
            for piece in self._gathered.pieces:
                piece.gold = self.renumbered(piece.gold, n_before)

    def renumbered(self, gold: np.ndarray, n_before: int) -> np.ndarray:
        """Gold label numbers int32[n] after labels have been added to the first ``n_before``; here they stay."""
        return gold

    def learn_labels(self, references: Sequence[Doc]) -> None:
        """Add the labels of these documents that are new, sorted. A training that has begun without them begins again, from the earlier model."""
        found = {label for doc in references for label in self.labels_of(doc)} - set(self.labels)
        if found:
            self._add_labels(sorted(found))
            self.restart()

    def set_labels(self, labels: Sequence[str]) -> None:
        for label in labels:
            self.vocab.strings.add(label)
        self.cfg[self.label_key] = list(dict.fromkeys(labels))

    def _labels_in_cfg(self) -> Sequence[str]:
        return self.cfg[self.label_key]

    @abstractmethod
    def labels_of(self, doc: Doc) -> set[str]:
        """The labels in a reference Doc's annotation."""

    @property
    def knows_labels(self) -> bool:
        return bool(self.labels)

    def is_annotated(self, reference: Doc) -> bool:
        return bool(self.labels_of(reference))

    def check_new(self, example: Example) -> None:
        """Refuse labels that ``initialize`` was not told of. Raises ValueError (M456)."""
        unknown = sorted(self.labels_of(example.reference).difference(self.labels))
        if unknown:
            labels, known = ", ".join(unknown), ", ".join(self.labels)
            raise ValueError(Errors.M456.format(name=self.name, labels=labels, known=known))

    def survey(self, references: Corpus[Doc]) -> dict[str, Any]:
        return {**super().survey(references), "labels": list(self.labels)}

    def settle(self, surveys: Sequence[dict[str, Any]]) -> None:
        """Take over the labels of all shards: as they are if all have the same, else sorted."""
        super().settle(surveys)
        each = [survey["labels"] for survey in surveys]
        if any(labels != each[0] for labels in each):
            self.set_labels(sorted(set().union(*each)))

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the labels of the corpus, sorted, after those already given. Raises ValueError if there are none at all."""
        references = to_go_through(references)
        found = {label for doc in references for label in self.labels_of(doc)}
        if not found and not self.labels:
            raise ValueError(self.no_labels.format(name=self.name, n=len(references)))
        self.set_labels([*self.labels, *sorted(found - set(self.labels))])
