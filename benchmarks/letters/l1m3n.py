"""Figures 4 and 6 of the l1-M3N paper: error and non-zero weights on few handwritten words."""

import statistics
from collections.abc import Sequence

import numpy as np

from benchmarks.common.rows import Row

from .data import Letters
from .runs import CHOOSING, Contestant, Plan, Split, grid

SIZES = (100, 150, 200, 250)
COSTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
#: P4 has the square of the norm: its constants are larger by about the norm of the solution, some hundreds.
EM_COSTS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
RADII = (30.0, 60.0, 100.0, 200.0, 400.0, 800.0)
#: Most trainings end by themselves before.
ENOUGH = 300
#: Pixels are dense: five passes a round leave the scales far from settled where the constant is large.
EM = {"algorithm": "em", "inner_passes": 10}

#: The models of Figure 4. All see the pixels as they are; label pairs are features like any other.
CONTESTANTS = (
    Contestant("CRF", "pixels", "CRF", {"C": 1e5}, passes=100),
    Contestant("l2-CRF", "pixels", "CRF", {"penalty": "l2"}, grid(C=COSTS), ENOUGH),
    Contestant("l1-CRF", "pixels", "CRF", {"penalty": "l1"}, grid(C=COSTS), ENOUGH),
    Contestant("M3N", "pixels", "MTLstruct", {"p": 2.0}, grid(C=COSTS), ENOUGH),
    Contestant("LapM3N", "pixels", "L1M3N", {"algorithm": "laplace"}, grid(prior_lambda=(1.0, 10.0), C=COSTS), ENOUGH),
    Contestant("l1-M3N", "pixels", "L1M3N", EM, grid(C=EM_COSTS), ENOUGH),
)

#: The algorithms of Figure 6, over the constants each has.
CURVES = (
    ("l1-M3N, em", EM, grid(C=EM_COSTS)),
    ("l1-M3N, subgradient", {"algorithm": "subgradient"}, grid(radius=RADII)),
)


def curves() -> list[Contestant]:
    """A contestant for each constant."""
    return [
        Contestant(name, "pixels", "L1M3N", settings, (point,), ENOUGH)
        for name, settings, points in CURVES
        for point in points
    ]


def plan(letters: Letters, size: int, n_folds: int = 10) -> Plan:
    """``size`` words of each fold, drawn at random: train on those of one fold, test on those of all others but the one where settings are chosen.

    There they are chosen by training on its words and testing on the rest of the fold, which nobody else sees.
    """
    random = np.random.default_rng(size)
    shuffled = {fold: random.permutation(letters.words(fold)) for fold in range(n_folds)}
    words = {fold: numbers[:size] for fold, numbers in shuffled.items()}
    folds = {
        fold: Split(words[fold], np.concatenate([words[other] for other in words if other not in (fold, CHOOSING)]))
        for fold in words
    }
    return Plan(f"l1m3n, {n_folds} folds of {size} words", Split(words[CHOOSING], shuffled[CHOOSING][size:]), folds)


def by_size(contestants: Sequence[Contestant], means: dict[int, list[Row]]) -> list[Row]:
    """A row for each contestant, its error and non-zero weights for each number of words."""
    out = []
    for k, contestant in enumerate(contestants):
        row: Row = {"contestant": contestant.name}
        for size, rows in means.items():
            row[f"error_{size}"] = f"{100 - rows[k]['accuracy']:.1f} ± {rows[k]['deviation'] or 0:.1f}"
            row[f"non_zero_{size}"] = rows[k]["non_zero"]
        row["cpu"] = statistics.fmean(rows[k]["cpu"] for rows in means.values())
        out.append(row)
    return out


def by_constant(means: Sequence[Row]) -> list[Row]:
    """The mean rows of :func:`curves`, with error and constant."""
    return [{**row, "error": 100 - row["accuracy"], "constant": row["chosen"]} for row in means]
