"""Figures 4 and 6 of the l1-M3N paper: error and non-zero weights on few handwritten words; and why the order of its Figure 4 does not come out."""

import statistics
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from benchmarks.common.rows import Row
from benchmarks.common.significance import t_interval

from .data import Letters
from .runs import CHOOSING, Contestant, Plan, Split, grid

SIZES = (100, 150, 200, 250)
#: Seven or eight constants for each model, closer together where the best ones are; chosen by training on words that nobody is tested on.
COSTS = (0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 1.0)
CRF_COSTS = (0.03, 0.1, 0.2, 0.3, 0.6, 1.0, 3.0)
#: P4 has the square of the norm: its constants are larger by about the norm of the solution, some hundreds.
EM_COSTS = (10.0, 30.0, 60.0, 100.0, 150.0, 200.0, 300.0, 600.0)
RADII = (30.0, 60.0, 100.0, 150.0, 200.0, 400.0, 800.0)
#: Most trainings end by themselves before.
ENOUGH = 300
#: Pixels are dense: five passes a round leave the scales far from settled where the constant is large.
EM = {"algorithm": "em", "inner_passes": 10}
#: What all models see: the pixels, and a weight of each label, without which all of them read less.
SEEN = "pixels,bias"

M3N = Contestant("M3N", SEEN, "MTLstruct", {"p": 2.0}, grid(C=COSTS), ENOUGH)
L1M3N = Contestant("l1-M3N", SEEN, "L1M3N", EM, grid(C=EM_COSTS), ENOUGH)
#: The models of Figure 4. Label pairs are features like any other.
CONTESTANTS = (
    Contestant("CRF", SEEN, "CRF", {"C": 1e5}, passes=100),
    Contestant("l2-CRF", SEEN, "CRF", {"penalty": "l2"}, grid(C=CRF_COSTS), ENOUGH),
    Contestant("l1-CRF", SEEN, "CRF", {"penalty": "l1"}, grid(C=CRF_COSTS), ENOUGH),
    M3N,
    Contestant(
        "LapM3N",
        SEEN,
        "L1M3N",
        {"algorithm": "laplace"},
        grid(prior_lambda=(1.0, 10.0, 100.0), C=(0.1, 0.3, 1.0, 3.0, 10.0)),
        ENOUGH,
    ),
    L1M3N,
)


def rough(rounds: int, passes: int) -> Contestant:
    """Steps of a subgradient method in place of an M3N that is solved, ``passes`` for each round."""
    name = f"{'M3N' if rounds == 1 else 'l1-M3N'}, {passes} passes of subgradient steps"
    settings = {"rounds": rounds, "inner_passes": passes}
    return Contestant(name + (" a round" if rounds > 1 else ""), SEEN, "RoughEM", settings, grid(C=COSTS), ENOUGH)


#: Why the l1-M3N errs more than the M3N: whatever can be otherwise, and what each is compared with.
CLAIM = (
    (L1M3N, M3N),
    (
        replace(L1M3N, name="l1-M3N, no label weights", kinds="pixels"),
        replace(M3N, name="M3N, no label weights", kinds="pixels"),
    ),
    (replace(L1M3N, name="l1-M3N, 2 rounds", settings={**EM, "rounds": 2}), M3N),
    (replace(L1M3N, name="l1-M3N, 5 rounds", settings={**EM, "rounds": 5}), M3N),
    (
        replace(L1M3N, name="l1-M3N, 60 rounds of 30", settings={**EM, "rounds": 60, "inner_passes": 30}, passes=1800),
        M3N,
    ),
    (
        Contestant(
            "l1-M3N, projected subgradient",
            SEEN,
            "L1M3N",
            {"algorithm": "subgradient"},
            grid(radius=RADII),
            ENOUGH,
        ),
        M3N,
    ),
    (L1M3N, replace(M3N, name="M3N, C = 1", settings={"p": 2.0, "C": 1.0}, grid=({},))),
    (rough(15, 5), rough(1, 5)),
    (rough(15, 20), rough(1, 20)),
    (rough(15, 20), M3N),
)

_OF = {one.name: one for one in CONTESTANTS}
#: What the paper says of the models of Figure 4: who errs less than whom, and who is level.
MODELS = tuple(
    (_OF[one], _OF[other])
    for one, other in (
        ("LapM3N", "M3N"),
        ("LapM3N", "l1-M3N"),
        ("M3N", "l2-CRF"),
        ("M3N", "CRF"),
        ("M3N", "l1-CRF"),
        ("l1-M3N", "l2-CRF"),
        ("l1-M3N", "CRF"),
        ("l1-M3N", "l1-CRF"),
    )
)
#: The algorithms of Figure 6, over the constants each has.
CURVES = (
    ("l1-M3N, em", EM, grid(C=EM_COSTS)),
    ("l1-M3N, subgradient", {"algorithm": "subgradient"}, grid(radius=RADII)),
)


def curves() -> list[Contestant]:
    """A contestant for each constant."""
    return [
        Contestant(name, SEEN, "L1M3N", settings, (point,), ENOUGH)
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


def pair_row(one: Sequence[Row], other: Sequence[Row]) -> Row:
    """Errors of one contestant less those of another, fold by fold. low, high: 95% interval of the mean by Student's t, as if folds were independent.

    They are nearly: each is trained on words of its own, but they are tested on the same.
    """
    differences = [b["accuracy"] - a["accuracy"] for a, b in zip(one, other, strict=True)]
    mean, low, high = t_interval(differences)
    return {
        "difference": mean,
        "low": low,
        "high": high,
        "fewer": sum(value < 0 for value in differences),
        "runs": len(differences),
    }


def by_constant(means: Sequence[Row]) -> list[Row]:
    """The mean rows of :func:`curves`, with error and constant."""
    return [{**row, "error": 100 - row["accuracy"], "constant": row["chosen"]} for row in means]
