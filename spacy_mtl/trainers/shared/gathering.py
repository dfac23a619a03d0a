"""Sums over a corpus on several threads: each thread has a vector of its own, and these are added up in the order of the threads."""

from collections.abc import Callable

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import Weights
from spacy_mtl.threads.crew import PARTS, Crew

#: Told a vector, and the first sentence and the last + 1; adds something of these sentences to the vector, and returns a number that is summed, too.
Adder = Callable[[Weights, int, int], float]


@kernel
def _add_rows(total, other, first, last):
    """total += other, from row ``first`` to row ``last`` - 1."""
    for r in range(first, last):
        for k in range(total.shape[1]):
            total[r, k] += other[r, k]


class Gathering:
    """Which thread takes which sentences is fixed, so that the result depends on the number of threads alone.

    Memory: a weight vector for each thread but the first, from the first sum on.
    """

    def __init__(self, crew: Crew):
        self._crew = crew
        self._own: list[Weights] = []

    def __call__(self, vector: Weights, n: int, add: Adder) -> float:
        """Add to a vector what ``add`` adds for n sentences; returns the sum of the numbers."""
        size = self._crew.size
        if any(own.node.shape != vector.node.shape or own.pair.shape != vector.pair.shape for own in self._own):
            self._own = []
        while len(self._own) < size - 1:
            self._own.append(Weights(*map(np.zeros_like, vector)))
        vectors, parts = [vector, *self._own], 1 if size == 1 else PARTS * size
        sums = np.zeros(parts)

        def task(k: int, _: np.ndarray) -> None:
            if k:  # what an earlier sum has left in a thread's own vector
                for matrix in vectors[k]:
                    matrix[:] = 0
            for part in range(k, parts, size):
                sums[part] = add(vectors[k], n * part // parts, n * (part + 1) // parts)

        self._crew.run(task)
        self._add_up(vector)
        return float(sum(sums))

    def _add_up(self, vector: Weights) -> None:
        """Add the vectors of the other threads; each thread does so for some of the rows."""

        def add_rows(part: tuple[int, np.ndarray, tuple[int, int]]) -> None:
            which, total, rows = part
            for own in self._own:
                _add_rows(total, own[which], *rows)

        if self._own:
            parts = [(k, total, rows) for k, total in enumerate(vector) for rows in self._crew.parts(len(total))]
            self._crew.map(add_rows, parts)
