"""Vectors represented by one number per part: l2-regularized training needs no more of them.

Under the regularizer 1/2 sum_j ||w_j||^2 / mu_j every iterate, gradient and difference of a batch method that starts at zero has the form
v_j = mu_j sum_r R_r phi_j(x, r), one number R_r for each part, in the layout of the part marginals. With S the part scores of a vector, inner
products are sums over parts,  <a, b> = sum_j <a_j, b_j> / mu_j = sum_r R_r(a) S_r(b),  and both R and S are linear in the vector.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spacy_mtl.kernels import kernel
from spacy_mtl.structures.contract import (
    Live,
    Weights,
    add_offset,
    add_parts,
    add_state,
    dot_state,
    gold_score,
    load_parts,
    new_work,
    score_scaled,
    set_marginals,
)
from spacy_mtl.structures.problem import Problem, shares
from spacy_mtl.threads.crew import ALONE, Crew
from spacy_mtl.trainers.shared.gathering import Gathering


@kernel
def spread(arrays, parts, vector, first, last):
    """Add sum_r R_r phi_r over the sentences first to last - 1 to vector. parts: R, a state of the structure. Returns 0."""
    for i in range(first, last):
        add_state(arrays, vector, parts, i, 1.0)
    return 0.0


@kernel
def add_scores(arrays, weights, live, scale, scores, first, last):
    """Add to scores (a state of the structure) the part scores of these sentences under the weights scale_j * w_j, including constraints."""
    work = new_work(arrays)
    for i in range(first, last):
        score_scaled(arrays, weights, live, scale, i, work)
        add_parts(arrays, scores, i, work, 1.0)


@kernel
def expect(arrays, scores, marginals, losses, first, last):
    """Compute the part marginals under these part scores (both are states) plus offsets, and losses = -log p(y_i) (float64[n]), of the sentences
    first to last - 1; return the sum of their losses."""
    work = new_work(arrays)
    loss = 0.0
    for i in range(first, last):
        load_parts(arrays, scores, i, work)
        gold = gold_score(arrays, i, work)
        add_offset(arrays, i, work, 1.0)
        losses[i] = set_marginals(arrays, marginals, i, work) - gold
        loss += losses[i]
    return loss


@kernel
def products(arrays, scores, parts, out, first, last):
    """Set out[i] (float64[n]) to sum_r scores_r * parts_r of sentence i, first to last - 1. scores, parts: states; forbidden parts do not count."""
    work = new_work(arrays)
    for i in range(first, last):
        load_parts(arrays, scores, i, work)
        out[i] = dot_state(arrays, parts, i, work)


@kernel
def dots(block, x):
    """<block[k], x> for every k, float64[K], summed in double precision. block: float32[K, D]; x: float32[D]."""
    out = np.zeros(block.shape[0])
    even = x.size - x.size % 4
    for k in range(block.shape[0]):
        row = block[k]
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(0, even, 4):  # four sums, since a single one would wait for each addition
            a += np.float64(row[i]) * x[i]
            b += np.float64(row[i + 1]) * x[i + 1]
            c += np.float64(row[i + 2]) * x[i + 2]
            d += np.float64(row[i + 3]) * x[i + 3]
        for i in range(even, x.size):
            a += np.float64(row[i]) * x[i]
        out[k] = (a + b) + (c + d)
    return out


@kernel
def add_multiple(matrix, other, factor):
    """matrix += factor * other, in place. float32[R, K] both."""
    for r in range(matrix.shape[0]):
        for y in range(matrix.shape[1]):
            matrix[r, y] += factor * other[r, y]


class Vector(NamedTuple):
    """A vector v = offset * w0 + (mu_j sum_r parts_r phi_j(r))_j, where w0 is one fixed weight vector (if there is any).

    parts, scores: float32[D], R and S. along: <w0, v>. All four are linear in v.
    """

    parts: np.ndarray
    scores: np.ndarray
    offset: float
    along: float

    def plus(self, other: "Vector", factor: float) -> "Vector":
        """self + factor * other."""
        step = np.float32(factor)
        return Vector(
            self.parts + step * other.parts,
            self.scores + step * other.scores,
            self.offset + factor * other.offset,
            self.along + factor * other.along,
        )

    def dot(self, other: "Vector") -> float:
        """<self, other>."""
        return other.of(self.parts) + self.offset * other.along

    def of(self, parts: np.ndarray) -> float:
        """sum_r parts_r * (score of part r under this vector)."""
        return float(dots(parts[None], self.scores)[0])


class PartSpace:
    """The vectors of one problem under template weights ``mu`` (float64[T + Tp], all above 0).

    scratch: the only weight vector in memory (but for one of each further thread), overwritten by :meth:`lift` and :meth:`materialize`. start: w0, if
    training does not begin at zero.
    crew: the threads that go through the corpus together; the result depends on their number alone.
    D is the number of parts, the total size of a state of the structure.
    """

    def __init__(
        self, problem: Problem, mu: np.ndarray, scratch: Weights, start: Weights | None = None, crew: Crew = ALONE
    ):
        self.problem, self.mu, self.scratch = problem, mu, scratch
        self._crew, self._gather = crew, Gathering(crew)
        gold = problem.gold_state()
        self._type, self._shapes = type(gold), [part.shape for part in gold]
        self.gold = np.concatenate([part.ravel() for part in gold])
        nothing = Live(np.empty(0, np.int64), np.empty(0, np.int64))
        self._forbidden = self._add_scores(scratch, nothing, np.ones_like(mu)) != 0
        self._start = start
        self.origin = self._origin()

    def _origin(self) -> Vector:
        """w0 as a vector, zero if there is none."""
        if self._start is None:
            return Vector(np.zeros_like(self.gold), np.zeros_like(self.gold), 0.0, 0.0)
        norms = self.problem.block_norms(self._start)
        scores = self.scores(self._start, np.ones_like(self.mu))
        return Vector(np.zeros_like(self.gold), scores, 1.0, float(np.sum(norms**2 / self.mu)))

    def state(self, flat: np.ndarray) -> Any:
        """A view of float32[D] as a state of the structure."""
        borders = np.cumsum([0, *map(np.prod, self._shapes)]).tolist()
        return self._type(
            *(flat[a:b].reshape(shape) for a, b, shape in zip(borders, borders[1:], self._shapes, strict=False))
        )

    def _add_scores(self, weights: Weights, live: Live, factors: np.ndarray) -> np.ndarray:
        out = np.zeros_like(self.gold)
        given = self.problem.arrays, weights, live, shares(self.problem, factors), self.state(out)
        self._each(lambda first, last: add_scores(*given, first, last))
        return out

    def _each(self, work: Callable[[int, int], Any]) -> list[Any]:
        """What is returned for each part of the corpus, told its first sentence and its last + 1."""
        return self._crew.map(lambda part: work(*part), self._crew.parts(self.problem.n))

    def scores(self, weights: Weights, factors: np.ndarray) -> np.ndarray:
        """Part scores float32[D] under the weights factors_j * w_j, 0 where the constraints forbid a part (its marginal and its R are 0)."""
        out = self._add_scores(weights, self.problem.all_live(), factors)
        out[self._forbidden] = 0
        return out

    def expect(self, scores: np.ndarray, marginals: np.ndarray, losses: np.ndarray | None = None) -> float:
        """Overwrite ``marginals`` with those under ``scores`` (float32[D] both) and ``losses`` with -log p(y_i) (float64[n]); return their sum."""
        out = np.empty(self.problem.n) if losses is None else losses
        given = self.problem.arrays, self.state(scores), self.state(marginals), out
        return float(sum(self._each(lambda first, last: expect(*given, first, last))))

    def products(self, scores: np.ndarray, parts: np.ndarray) -> np.ndarray:
        """sum_r scores_r * parts_r of each sentence, float64[n]. scores, parts: float32[D]."""
        out = np.empty(self.problem.n)
        given = self.problem.arrays, self.state(scores), self.state(parts), out
        self._each(lambda first, last: products(*given, first, last))
        return out

    def spread(self, parts: np.ndarray) -> None:
        """Set ``scratch`` to sum_r parts_r phi_r, in one pass over the corpus."""
        arrays, state = self.problem.arrays, self.state(parts)
        for matrix in self.scratch:
            matrix[:] = 0
        self._gather(
            self.scratch, self.problem.n, lambda vector, first, last: spread(arrays, state, vector, first, last)
        )

    def lift(self, parts: np.ndarray) -> Vector:
        """The vector of these R; takes one pass over the corpus to compute it and one to score with it."""
        self.spread(parts)
        scores = self.scores(self.scratch, self.mu)
        return Vector(parts, scores, 0.0, float(dots(self.origin.scores[None], parts)[0]))

    def materialize(self, vector: Vector) -> Weights:
        """The weights of a vector, written to ``scratch``."""
        self.spread(vector.parts)
        self.problem.scale_blocks(self.scratch, self.mu)
        if self._start is not None:
            for matrix, start in zip(self.scratch, self._start, strict=True):
                add_multiple(matrix, start, np.float32(vector.offset))
        return self.scratch


def mixed_entropies(entropies: np.ndarray, losses: np.ndarray, share: float) -> np.ndarray:
    """Entropies float64[n] of  share * p_i + (1 - share) * (all on gold),  from the entropies of p_i and -log p_i(gold). 0 < share <= 1."""
    gold = np.exp(-losses)
    mixed = 1 - share + share * gold
    others = share * (entropies - gold * losses - (1 - gold) * np.log(share))
    return others - mixed * np.log(np.maximum(mixed, np.finfo(float).tiny))
