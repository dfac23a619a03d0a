"""Random small problems, what trainers minimize on them by enumeration, and whether a report of a training is true.

The optimum is bounded from above by a solver of its own (cvxpy's Clarabel) and by the weights that were trained: any weights bound it, and no dual
may be above.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import cvxpy as cp
import numpy as np

from spacy_mtl.structures.problem import Problem
from spacy_mtl.trainers.base import Trainer, Training, fit
from spacy_mtl.trainers.crf.trainer import CRF
from spacy_mtl.trainers.eg.trainer import EG
from spacy_mtl.trainers.l1m3n.trainer import L1M3N

from ..structures.tree.corpora import flat, random_tree_corpus
from .l1_reference import margins
from .reference import block_slices, random_problem

#: How far a dual may be above the optimum, and a primal from its true value, relative.
PRECISE = 1e-9
#: Rounding of scores in double precision, which are summed in another order here; C multiplies it.
SCORES = 1e-13
#: Factors by which the solver's weights are made longer: at a large C a margin that is missed by its precision costs much.
LONGER = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5)


@dataclass
class Case:
    """A problem of a few sentences. rows: for each, Phi(y) - Phi(gold), float64[Y, K], and loss, float64[Y], of every output.

    owner: int64[K], the template of each weight. bases: for each sentence, float64[Y], what every output scores more than gold without any weights;
    None for 0.
    """

    problem: Problem
    rows: list[tuple[np.ndarray, np.ndarray]]
    owner: np.ndarray
    bases: list[np.ndarray] | None = None

    def hinges(self, w: np.ndarray) -> np.ndarray:
        return np.array([max(0.0, float(np.max(differences @ w + loss))) for differences, loss in self.rows])

    def log_scores(self, w) -> list:
        """What every output scores more than gold."""
        bases = self.bases or [np.zeros(loss.size) for _, loss in self.rows]
        return [differences @ w + base for (differences, _), base in zip(self.rows, bases, strict=True)]

    def log_losses(self, w: np.ndarray) -> np.ndarray:
        scores = self.log_scores(w)
        return np.array([s.max() + np.log(np.exp(s - s.max()).sum()) for s in scores])


def chain_case(seed: int) -> Case:
    rng = np.random.default_rng([seed, 1])
    problem = random_problem(seed, int(rng.integers(1, 7)), int(rng.integers(1, 5)), bool(rng.random() < 0.5))
    owner = np.concatenate([np.full(s.stop - s.start, j) for j, s in enumerate(block_slices(problem))])
    return Case(problem, margins(problem), owner)


def tree_case(seed: int) -> Case:
    """Trees with arcs, labelled arcs, or pairs of siblings (of which there are sums for projective trees)."""
    rng = np.random.default_rng([seed, 2])
    projective = bool(rng.random() < 0.6)
    n_labels, second_order = int(rng.integers(1, 3)), projective and bool(rng.random() < 0.3)
    corpus = random_tree_corpus(seed, n_labels, projective, True, second_order, 4 if n_labels == 1 else 3)
    rows = []
    for i in range(corpus.problem.n):
        outputs, gold = corpus.outputs(i), corpus.phi(i, corpus.gold(i))
        differences = np.stack([corpus.phi(i, y) - gold for y in outputs])
        rows.append((differences, np.array([corpus.loss(i, y) for y in outputs])))
    return Case(corpus.problem, rows, corpus.owner)


@dataclass
class Kind:
    """A way to train.

    trainer: from C and tol. loss: "hinge" or "log"; "ball" for the mean hinge where ||w||_1 <= sqrt(C). size: the regularizer at w, for a training.
    convex: the same for cvxpy, if it can be written so.
    """

    trainer: Callable[[float, float], Trainer]
    loss: str
    size: Callable[[np.ndarray, Training, Case], float]
    convex: Callable[[cp.Variable, Training, Case], cp.Expression] | None


def laplace_size(w: np.ndarray) -> float:
    root = np.sqrt(1 + 4 * w**2)
    return 0.5 * float(np.sum(root - 1 - np.log((root + 1) / 2)))


def _weighted(w, training, case):
    return 0.5 * np.sum(w**2 / training._space.mu[case.owner])


KINDS = {
    "l1m3n em": Kind(
        lambda C, tol: L1M3N("em", C=C, tol=tol, rounds=60, threshold=0.0), "hinge",
        lambda w, *_: 0.5 * np.abs(w).sum() ** 2, lambda w, *_: 0.5 * cp.square(cp.norm1(w)),
    ),
    "l1m3n laplace": Kind(
        lambda C, tol: L1M3N("laplace", C=C, tol=tol, rounds=60), "hinge",
        lambda w, *_: laplace_size(w), None,
    ),
    "l1m3n cutting plane": Kind(
        lambda C, tol: L1M3N("cutting_plane", C=C, tol=tol), "hinge",
        lambda w, *_: 0.5 * np.abs(w).sum(), lambda w, *_: 0.5 * cp.norm1(w),
    ),
    "l1m3n subgradient": Kind(
        lambda C, tol: L1M3N("subgradient", radius=C**0.5, tol=tol), "ball", lambda *_: 0.0, lambda *_: cp.Constant(0),
    ),
    "eg online": Kind(
        lambda C, tol: EG("online", C=C, tol=tol), "hinge",
        lambda w, *_: 0.5 * w @ w, lambda w, *_: 0.5 * cp.sum_squares(w),
    ),
    "eg batch": Kind(
        lambda C, tol: EG("batch", C=C, tol=tol), "hinge",
        lambda w, *_: 0.5 * w @ w, lambda w, *_: 0.5 * cp.sum_squares(w),
    ),
    "eg batch primal": Kind(
        lambda C, tol: EG("batch_primal", C=C, tol=tol), "hinge",
        lambda w, *_: 0.5 * w @ w, lambda w, *_: 0.5 * cp.sum_squares(w),
    ),
    "crf l2": Kind(
        lambda C, tol: CRF(C=C, tol=tol), "log",
        lambda w, *_: 0.5 * w @ w, lambda w, *_: 0.5 * cp.sum_squares(w),
    ),
    "crf l1": Kind(
        lambda C, tol: CRF(penalty="l1", C=C, tol=tol), "log",
        lambda w, *_: 0.5 * np.abs(w).sum(), lambda w, *_: 0.5 * cp.norm1(w),
    ),
    "crf irw": Kind(
        lambda C, tol: CRF(penalty="irw", C=C, tol=tol, rounds=3), "log", _weighted,
        lambda w, training, case: 0.5 * cp.sum_squares(cp.multiply(training._space.mu[case.owner] ** -0.5, w)),
    ),
}  # fmt: skip
#: Passes of each training.
PASSES = 300


def objective(case: Case, kind: Kind, training: Training, C: float, w: np.ndarray) -> float:
    """By the features of every output; infinite outside of the ball."""
    if kind.loss == "ball":
        return float(case.hinges(w).mean()) if np.abs(w).sum() <= C**0.5 else np.inf
    losses = case.hinges(w) if kind.loss == "hinge" else case.log_losses(w)
    return float(kind.size(w, training, case)) + C * float(losses.sum())


def solved(case: Case, kind: Kind, training: Training, C: float) -> np.ndarray:
    """Weights near the optimum, by cvxpy; 0 where it fails."""
    w: cp.Expression = cp.Variable(case.owner.size)
    if kind.convex is None:
        goal, w = _laplace_dual(case, C)
    else:
        of_hinge = [cp.max(differences @ w + loss) for differences, loss in case.rows]
        of_log = [cp.log_sum_exp(scores) for scores in case.log_scores(w)]
        losses = of_log if kind.loss == "log" else of_hinge
        goal = cp.Minimize(
            kind.convex(w, training, case) + (1 / len(losses) if kind.loss == "ball" else C) * sum(losses)
        )
    within = [cp.norm1(w) <= C**0.5] if kind.loss == "ball" else []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cp.Problem(goal, within).solve(solver=cp.CLARABEL, tol_gap_abs=1e-10, tol_gap_rel=1e-10, tol_feas=1e-10)
    except cp.SolverError:
        return np.zeros(case.owner.size)
    if w.value is None or not np.isfinite(w.value).all():
        return np.zeros(case.owner.size)
    return np.asarray(w.value)


def _laplace_dual(case: Case, C: float) -> tuple[cp.Maximize, cp.Expression]:
    """The dual of the Laplace M3N at lambda = 1, over multipliers of outputs that sum to at most C in a sentence; and w, the gradient of R* there."""
    mixes = [cp.Variable(loss.size, nonneg=True) for _, loss in case.rows]
    pull = sum(-(mix @ differences) for mix, (differences, _) in zip(mixes, case.rows, strict=True))
    gain = sum(mix @ loss for mix, (_, loss) in zip(mixes, case.rows, strict=True))
    # a multiplier of an output without loss and features, gold, takes what is left of C
    room = sum(cp.minimum(0, C - cp.sum(mix)) * 1e6 for mix in mixes)
    goal = cp.Maximize(0.5 * cp.sum(cp.log(1 - cp.square(pull))) + gain + room)
    return goal, cp.multiply(pull, cp.inv_pos(1 - cp.square(pull)))


def upper_bound(case: Case, kind: Kind, training: Training, C: float) -> float:
    """The smallest objective that is known."""
    w, trained = solved(case, kind, training, C), flat(training.weights)
    if kind.loss == "ball":
        w = w * min(1.0, (1 - 1e-15) * C**0.5 / max(float(np.abs(w).sum()), 1e-300))
    candidates = [trained, np.zeros(w.size), *((1 + longer) * w for longer in LONGER)]
    return min(objective(case, kind, training, C, each) for each in candidates)


def faults(training: Training, true: float, upper: float, C: float, tol: float) -> list[str]:
    """What is not true of a training's report. true: the objective of its weights; upper: a bound of the optimum from above."""
    report, found = training.report(), []
    slack = PRECISE * true + SCORES * C
    if not np.isfinite([report.primal, report.dual, report.gap]).all():
        return [f"not finite: {report}"]
    if report.gap < 0:
        found.append(f"negative gap {report.gap:.3e}")
    if report.primal > 0 and abs(report.gap - (report.primal - report.dual) / report.primal) > PRECISE:
        found.append(f"the gap {report.gap:.6e} is not that of {report.primal} and {report.dual}")
    if abs(report.primal - true) > slack:
        found.append(f"primal {report.primal!r}, of these weights {true!r}")
    if report.dual > upper * (1 + PRECISE):
        found.append(f"dual {report.dual!r} above the optimum, at most {upper!r}")
    if training.converged and (report.gap > tol or true - upper > tol * true * (1 + 1e-6)):
        found.append(f"converged at gap {report.gap:.3e}, truly at least {(true - upper) / max(true, 1e-300):.3e}")
    return found


def try_out(case: Case, name: str, C: float, tol: float, passes: int = PASSES) -> tuple[list[str], dict[str, bool]]:
    """Train; return faults after three passes and at the end, and what became of it: converged, ended, sharp
    (the bounds of the optimum are within tol)."""
    kind = KINDS[name]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"\[M33[5-8]\]")
        training = fit(kind.trainer(C, tol), case.problem, 3)
        at_first = training.report(), objective(case, kind, training, C, flat(training.weights))
        begun = fit(kind.trainer(C, tol), case.problem, passes)
        begun.report()  # some make their weights anew for it
    upper = upper_bound(case, kind, begun, C)
    true = objective(case, kind, begun, C, flat(begun.weights))
    found = faults(begun, true, upper, C, tol)
    if name != "crf irw":  # its rounds have problems of their own
        if np.isnan(at_first[0].dual):  # warming up
            found += [] if abs(at_first[0].primal - at_first[1]) <= PRECISE * at_first[1] else ["primal, warming up"]
        else:
            found += [f"after 3 passes: {fault}" for fault in faults(training, at_first[1], upper, C, tol)]
    sharp = upper - begun.report().dual <= tol * upper
    return found, {"converged": begun.converged, "ended": begun.ended and not begun.converged, "sharp": bool(sharp)}
