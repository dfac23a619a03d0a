"""Table 1 of the OnlineMKL paper: kernels alone, averaged and combined."""

from collections.abc import Sequence

import numpy as np

from .data import Letters
from .runs import CHOOSING, Contestant, Plan, Split, grid

#: Row, blocks, whether kernels are weighed, and whether the weight of the label pairs is learned; with the paper's letters right.
TABLE = (
    ("Linear (L)", "L", False, False, "71.8 ± 3.9"),
    ("Quadratic (Q)", "Q", False, False, "85.5 ± 0.3"),
    ("Gaussian (G)", "G", False, False, "84.1 ± 0.4"),
    ("Average (L + Q + G)/3", "(L+Q+G)/3", False, False, "84.3 ± 0.3"),
    ("MKL L + Q + G", "L,Q,G", True, False, "87.5 ± 0.3"),
    ("MKL b0, L + Q + G", "L,Q,G", True, True, "87.5 ± 0.4"),
    ("B1-spline (B)", "B", False, False, "75.4 ± 0.9"),
    ("Average (L + B)/2", "L/2,B/2", False, False, "83.0 ± 0.3"),
    ("MKL L + B", "L,B", True, False, "85.2 ± 0.3"),
    ("MKL b0, L + B", "L,B", True, True, "85.2 ± 0.3"),
)
#: What the paper says of these: the learnt sum reads more letters than the best kernel alone and than the mean.
PAIRS = (
    ("MKL L + Q + G", "Linear (L)"),
    ("MKL L + Q + G", "Quadratic (Q)"),
    ("MKL L + Q + G", "Gaussian (G)"),
    ("MKL L + Q + G", "Average (L + Q + G)/3"),
    ("MKL L + Q + G", "MKL b0, L + Q + G"),
    ("MKL L + B", "Linear (L)"),
    ("MKL L + B", "B1-spline (B)"),
    ("MKL L + B", "Average (L + B)/2"),
)
#: Of the paper's, those that are not too little. Single kernels want more than several together.
PAPER_C = (1.0, 10.0, 100.0, 1000.0)
#: First rates of OnlineMKL to choose from.
RATES = (1.0, 3.0)


def contestants(
    trainers: Sequence[str],
    passes: int = 20,
    quick: bool = False,
    rows: Sequence[int] = (),
    rates: Sequence[float] = RATES,
) -> list[Contestant]:
    """The rows of the table for each trainer. rows: numbers from 1, all if there are none. rates: of OnlineMKL, to choose from."""
    out = []
    for trainer in trainers:
        for name, kinds, weighed, learned, paper in [TABLE[k - 1] for k in rows] or TABLE:
            if trainer == "MTLstruct" and weighed and not learned:
                continue  # it weighs all blocks alike, label pairs too
            settings, points = _settings(trainer, weighed, learned, rates)
            out.append(Contestant(name, kinds, trainer, settings, points[-2:] if quick else points, passes, paper))
    return out


def _settings(trainer: str, weighed: bool, learned: bool, rates: Sequence[float]) -> tuple[dict, tuple[dict, ...]]:
    if trainer == "MTLstruct":
        exponents = (1.0, 4 / 3) if weighed else (2.0,)
        return {"average": 5, "tol": 1e-4}, grid(p=exponents, C=(0.1, 0.3, 1.0, 3.0, 10.0, 30.0))
    regularizer = "l21" if weighed else "l2"
    # the last model, as the average read one letter in a hundred less of those that settings are chosen on
    settings = {"regularizer": regularizer, "transition": "learned" if learned else "fixed", "model": "last"}
    return settings, grid(eta0=rates, C=PAPER_C)


def plan(letters: Letters, n_folds: int = 10, most: int | None = None, n_runs: int | None = None) -> Plan:
    """Train on a fold, test on all others but the one where settings are chosen: there, on two thirds for the last third.

    n_runs: only so many folds are trained on, from fold 1; the words that are tested stay the same.
    """
    random = np.random.default_rng(0)
    words = {fold: random.permutation(letters.words(fold))[:most] for fold in range(n_folds)}
    shuffled = words[CHOOSING]
    third = shuffled.size // 3
    folds = {
        fold: Split(words[fold], np.concatenate([words[other] for other in words if other not in (fold, CHOOSING)]))
        for fold in [*range(1, n_folds), CHOOSING][:n_runs]
    }
    name = f"mkl, {n_folds} folds" + (f" of {most} words" if most else "")
    return Plan(name, Split(shuffled[third:], shuffled[:third]), folds)
