"""LabelledPipe: a component whose labels come from the annotation of a corpus, or from the user."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from spacy.tokens import Doc

from spacy_mtl.errors import Errors

from .base import StructuredPipe


class LabelledPipe(StructuredPipe):
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
        """Add a label before training; return 1 if it is new, otherwise 0. Raises ValueError (M408) after training has begun."""
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
        """The labels in a reference Doc's annotation."""

    def collect_labels(self, references: Iterable[Doc]) -> None:
        """Add the labels of the corpus, sorted, after those already given. Raises ValueError if there are none at all."""
        references = list(references)
        found = {label for doc in references for label in self.labels_of(doc)}
        if not found and not self.labels:
            raise ValueError(self.no_labels.format(name=self.name, n=len(references)))
        self.set_labels([*self.labels, *sorted(found - set(self.labels))])
