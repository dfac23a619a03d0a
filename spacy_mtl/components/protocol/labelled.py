"""LabelledPipe: a component whose labels come from the annotation of a corpus, or from the user."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from spacy.tokens import Doc

from spacy_mtl.errors import Errors

from .base import StructuredPipe


class LabelledPipe(StructuredPipe):
    """Labels are kept in ``cfg[label_key]``, those given first, those found in the corpus after them in sorted order."""

    #: where in ``cfg`` the labels are
    label_key: ClassVar[str]
    #: the coded sentence for a corpus without any label; takes ``name`` and ``n``
    no_labels: ClassVar[str]

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels, as on the annotation."""
        return tuple(self.cfg[self.label_key])

    @property
    def label_data(self) -> list[str]:
        """What ``spacy init labels`` writes."""
        return list(self.labels)

    def add_label(self, label: str) -> int:
        """Add a label before training; 1 if it is new, else 0. Raises ValueError (M408) once trained."""
        if label in self.labels:
            return 0
        if self.model.attrs["weights"].is_trained or self._learner is not None:
            raise ValueError(Errors.M408.format(name=self.name, labels=", ".join(self.labels), label=label))
        self.set_labels([*self.labels, label])
        return 1

    def set_labels(self, labels: Sequence[str]) -> None:
        for label in labels:
            self.vocab.strings.add(label)
        self.cfg[self.label_key] = list(dict.fromkeys(labels))

    def _labels_in_cfg(self) -> Sequence[str]:
        return self.cfg[self.label_key]

    @abstractmethod
    def labels_of(self, doc: Doc) -> set[str]:
        """Labels of a reference Doc's annotation."""

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Labels of the corpus, sorted; those given before stay first. Raises ValueError where there are none."""
        references = list(references)
        found = {label for doc in references for label in self.labels_of(doc)}
        if not found and not self.labels:
            raise ValueError(self.no_labels.format(name=self.name, n=len(references)))
        self.set_labels([*self.labels, *sorted(found - set(self.labels))])
