"""The features of a training corpus on one number of threads and another in turn: from gathered documents to the problem that a trainer is given."""

import gc
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.common.measure import median
from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training

from .prediction import undisturbed
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
    found: dict[int, list[tuple[float, float]]] = {n: [] for n in threads}
    kept: dict[int, list[np.ndarray]] = {}
    for number in range(repeats + 1):
        for n in threads:
            learner.trainer = _Extraction(n)
            vars(learner).pop("crew", None)
            gc.collect()
            with undisturbed(first and number > 0):
                begin, began = time.perf_counter(), time.process_time()
                learner.begin(pieces)
                took = time.perf_counter() - begin, time.process_time() - began
            if number:  # after a round in which kernels are compiled
                found[n].append(took)
            else:
                kept[n] = [a for a in learner.training.problem.arrays if isinstance(a, np.ndarray)]
    one = found[threads[0]]
    return [
        {
            "threads": n,
            "documents": len(pieces),
            "wall": median([wall for wall, _ in found[n]]),
            "cpu": median([cpu for _, cpu in found[n]]),
            "speedup": median([a[0] / b[0] for a, b in zip(one, found[n], strict=True)]),
            "cpu_ratio": median([b[1] / a[1] for a, b in zip(one, found[n], strict=True)]),
            "same": all(map(np.array_equal, kept[threads[0]], kept[n])),
            "runs": [wall for wall, _ in found[n]],
        }
        for n in threads
    ]
