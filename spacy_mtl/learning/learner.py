"""Learner: the interface between a component and its training, whatever the structure, and functions that learners share."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spacy_mtl.errors import Errors
from spacy_mtl.models.few_left import FewLeft
from spacy_mtl.structures.contract import Weights
from spacy_mtl.structures.problem import Problem
from spacy_mtl.templates.attributes.derived import base_of
from spacy_mtl.templates.attributes.reader import AttributeReader
from spacy_mtl.templates.grammar import Template
from spacy_mtl.templates.indexing import Indexer, OwnIndexer
from spacy_mtl.threads.crew import Crew
from spacy_mtl.trainers.base import Carry, Kept, Report, Trainer, Training, relative_gap

from .gather import Piece

#: A function from the arrays of a problem and the number of a sentence to arrays that are equal where two sentences have the same parts.
Parts = Callable[[Any, int], tuple[np.ndarray, ...]]


class Learner(ABC):
    """One training over the documents of a corpus, from gathered documents to a problem, a training, and the weights of the model."""

    training: Training | None = None
    trainer: Trainer
    documents: Sequence[Piece] = ()
    #: Who numbers the observations of the documents.
    indexer: Indexer = OwnIndexer()

    @cached_property
    def crew(self) -> Crew:
        """The threads that extract features, as many as the trainer has."""
        return Crew(self.trainer.threads)

    @cached_property
    def few(self) -> FewLeft:
        """What warns once in the training that the size limit leaves next to nothing. A component sets it, for all learners of its training."""
        return FewLeft()

    @property
    def trainings(self) -> list[Training]:
        """The trainings that have begun."""
        return [] if self.training is None else [self.training]

    @property
    def passes(self) -> int:
        """Number of passes so far."""
        return self.training.passes if self.training is not None else 0

    @property
    def loss(self) -> float:
        """Loss of the last pass."""
        assert self.training is not None
        return self.training.loss

    @property
    def running_loss(self) -> float | None:
        """Loss of this pass so far, see :attr:`.Training.running_loss`."""
        assert self.training is not None
        return self.training.running_loss

    @property
    def parts(self) -> "Sequence[Learner]":
        """The learners that extract features: here this one alone."""
        return [self]

    def draft(self, pieces: Sequence[Piece]) -> Any:
        """Hook: what the documents of one shard decide for all shards of a corpus. None by default."""
        return None

    def follow_draft(self, draft: Any) -> None:  # noqa: B027  (most have nothing to follow)
        """Hook: do as :meth:`draft` of a learner of another shard has decided. Does nothing by default."""

    def report(self) -> Report | None:
        """Objective values of the current weights; None before training has begun."""
        return self.training.report() if self.training is not None else None

    @abstractmethod
    def begin(self, pieces: Sequence[Piece]) -> None:
        """Extract the features of the corpus and start training."""

    def begin_again(self, trainer: Trainer) -> None:
        """Start training anew by another trainer, on the features that have been extracted. What it can use of the old training it may take over."""
        assert self.training is not None
        self.training = trainer.begin_after(self.training)

    @abstractmethod
    def step(self, documents: np.ndarray) -> None:
        """Pass a batch of documents (int64[k]) to the training: all their sentences, or those with gold."""

    def end_pass(self) -> None:
        """End a pass, after all documents have been seen once."""
        assert self.training is not None
        self.training.end_pass()

    @abstractmethod
    def rebind(self, pieces: Sequence[Piece]) -> None:
        """Extract the features again and continue training with the current weights, see :func:`continued`.

        The documents of before keep their numbers, but their input may have changed (an annotating component learns too); others may follow them.
        """

    @abstractmethod
    def export(self, megabytes: float | None) -> Any:
        """The current weights, reduced to what prediction needs. megabytes: size limit, None for no limit."""


def joined(reports: Sequence[Report]) -> Report:
    """Join the reports of independent trainings into one, as if a single training minimized the sum of their objectives."""
    primal, dual = sum(report.primal for report in reports), sum(report.dual for report in reports)
    live, n_templates = sum(report.live_templates for report in reports), sum(report.n_templates for report in reports)
    gap = float("nan") if np.isnan(primal) else relative_gap(primal, dual)
    return Report(primal, dual, gap, live, n_templates, max(report.passes for report in reports))


class Sentences(NamedTuple):
    """Where the sentences of a problem come from: document (int64[n]), and first token in it (int64[n])."""

    documents: np.ndarray
    tokens: np.ndarray


def continued(
    training: Training,
    problem: Problem,
    carry: Carry,
    places: tuple[Sentences, Sentences],
    parts: Parts,
    possible: Callable[[np.ndarray], np.ndarray] | None = None,
) -> None:
    """Let a training continue on another problem of the same structure and labels, with sentences and outputs stored token by token.

    places: the sentences of its problem, and of the new one. parts: what tells the parts of a sentence. possible: see :class:`.Kept`; None if all
    outputs of an old sentence are.
    """
    kept = common_sentences(training.problem, problem, *places, parts)
    if possible is None and np.array_equal(kept.sentences, np.arange(training.problem.n)):
        training.rebind(problem, carry)
    else:
        training.extend(problem, carry, kept if possible is None else kept._replace(possible=possible))


def common_sentences(old: Problem, new: Problem, old_places: Sentences, new_places: Sentences, parts: Parts) -> Kept:
    """The sentences that both problems have, with the same tokens and gold."""
    before, after = old.arrays, new.arrays
    gold = [getattr(arrays, "gold_output", arrays.gold) for arrays in (before, after)]
    number = {place: i for i, place in enumerate(zip(*old_places, before.last - before.first, strict=True))}
    sentences, slots, alike = np.full(new.n, -1), np.full(after.gold.size, -1), np.zeros(new.n, bool)
    for i, place in enumerate(zip(*new_places, after.last - after.first, strict=True)):
        k = number.get(place, -1)
        old_slots, new_slots = slice(before.first[k], before.last[k]), slice(after.first[i], after.last[i])
        if k >= 0 and np.array_equal(gold[0][old_slots], gold[1][new_slots]):
            sentences[i] = k
            slots[new_slots] = np.arange(before.first[k], before.last[k])
            alike[i] = all(map(np.array_equal, parts(before, k), parts(after, i)))
    owners = np.zeros(after.gold.size, np.int64)
    owners[after.first] = 1
    everything = np.ones(new.n, bool)
    return Kept(sentences, slots, np.maximum(np.cumsum(owners) - 1, 0), lambda _: everything, alike)


def ranges(begin: np.ndarray, end: np.ndarray) -> np.ndarray:
    """The numbers from begin[k] to end[k] - 1, one range after the other, int64[N]. begin, end: int64[k]."""
    lengths = end - begin
    return np.arange(lengths.sum()) + np.repeat(begin - (np.cumsum(lengths) - lengths), lengths)


def row_map(old: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers in ``old`` and in ``new`` of all keys that both have, two int64[k].

    Rows without a key (key 0) must be as many in both, in the same order; they are mapped one to one.
    """
    keyed = np.flatnonzero(old)
    order = np.argsort(old[keyed])
    place = np.minimum(np.searchsorted(old[keyed], new, sorter=order), max(keyed.size - 1, 0))
    found = np.flatnonzero((new != 0) & (old[keyed[order[place]]] == new)) if keyed.size else np.empty(0, np.int64)
    unkeyed = np.flatnonzero(old == 0), np.flatnonzero(new == 0)
    return np.concatenate([unkeyed[0], keyed[order[place[found]]] if keyed.size else found]), np.concatenate(
        [unkeyed[1], found]
    )


def carry_rows(problem: Problem, weights: Weights, rows: Sequence[tuple[np.ndarray, np.ndarray]]) -> Weights:
    """Weights of ``problem`` with rows copied from ``weights``. rows: (old, new) row numbers of the node matrix and of the pair matrix."""
    carried = problem.zeros()
    for matrix, before, (old, new) in zip(carried, weights, rows, strict=True):
        matrix[new] = before[old]
    return carried


def check_set(
    name: str,
    reader: AttributeReader,
    given: np.ndarray,
    templates: Sequence[Template],
    promised: frozenset[str] = frozenset(),
) -> None:
    """Refuse templates that read an attribute that no document has. Raises ValueError (M111). promised: attributes that will be set later."""
    for attr in reader.unset(given):
        if base_of(attr) in promised:
            continue
        for template in templates:
            if any(attr in reader.reads(obs.attr) for obs in template.observations):
                raise ValueError(Errors.M111.format(template=template.text, attr=attr, name=name))
