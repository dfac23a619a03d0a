"""The features of a training corpus on one number of threads and another in turn: from gathered documents to the problem that a trainer is given."""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .timing import Took, compared, timed
from .training import begun


class _Problems:
    """Stands for a training; keeps its problem and does nothing."""

    def __init__(self, problem: Problem):
        self.problem = problem


@dataclass(frozen=True)
class _Extraction(Trainer):
    """Stands for a trainer that learns nothing."""

    threads: int = 1

    def _begin(self, problem: Problem) -> Training:
        return _Problems(problem)  # type: ignore[return-value]


def rounds(of: dict[str, Any], threads: Sequence[int], repeats: int, first: bool) -> list[dict[str, Any]]:
    """A row for each number of threads: medians of wall and CPU seconds, and whether the features are those of the first."""
    warnings.simplefilter("ignore")
    learner = begun(of)._learner
    pieces = learner.documents
    found: dict[int, list[Took]] = {n: [] for n in threads}
    kept: dict[int, list[np.ndarray]] = {}
    for number in range(repeats + 1):
        for n in threads:
            learner.trainer = _Extraction(n)
            vars(learner).pop("crew", None)
            # the first round compiles kernels
            with timed(found[n] if number else [], first and number > 0):
                learner.begin(pieces)
            if not number:
                kept[n] = list(arrays_of(learner.training.problem.arrays))
    return [
        {
            **compared(found, n),
            "documents": len(pieces),
            "arrays": len(kept[n]),
            "same": len(kept[n]) == len(kept[threads[0]]) and all(map(np.array_equal, kept[threads[0]], kept[n])),
        }
        for n in threads
    ]


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """All arrays of a problem, those of tuples within tuples as well."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for each in value:
            yield from arrays_of(each)
