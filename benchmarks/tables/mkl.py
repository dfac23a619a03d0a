"""Tables of the OnlineMKL paper: the rows of ``benchmarks.trainers mkl-conll``."""

from typing import Any

from benchmarks.common.rows import Row
from benchmarks.letters.mkl import PAIRS, TABLE

from .table import Column, Line, Table

#: C, rate, and which model predicts.
TRIED = (
    (1.0, 0.03, "average"), (1.0, 0.1, "average"), (1.0, 0.3, "average"), (10.0, 0.3, "average"), (10.0, 1.0, "average"),
    (1.0, 0.3, "last"), (1.0, 1.0, "last"), (1.0, 3.0, "last"),
)  # fmt: skip
BEST = (1.0, 0.3, "last")
#: F1 of OnlineMKL in Table 5 of the MTLstruct paper.
PAPER = {"testa": 67.27, "testb": 69.97}
#: Letters read right in Table 1 of the OnlineMKL paper, by kernels.
PAPERS = {name: paper for name, *_, paper in TABLE}
WHERE: Row = {"benchmark": "online_mkl", "contestant": "online MKL", "lang": "esp", "regularizer": "l21"}


def line_of(C: float, eta0: float, model: str, passes: int, **more: Any) -> Line:
    where = {"C": C, "eta0": eta0, "model": model, "passes": passes}
    return Line(f"C = {C:g}, rate {eta0:g}, {model}", where | more)


def paper(part: str) -> Column:
    return Column(f"the paper, {part}", lambda row: PAPER[part], "{:.2f}")


SEARCH = Table(
    "mkl-conll-search",
    "trainers",
    ("CoNLL-2002 Spanish, 134 templates, 5 epochs", ""),
    (
        Column("F1 testa", "f1_testa", "{:.1f}", "max"),
        Column("objective over C", lambda row: row["primal"] / row["C"], "{:,.0f}", "min"),
        Column("CPU s", "cpu", "{:.0f}"),
    ),
    {"": tuple(line_of(*point, passes=5) for point in TRIED)},
    WHERE,
)
TEST = Table(
    "mkl-conll-test",
    "trainers",
    ("The best of these on testa, 20 epochs", ""),
    (
        Column("F1 testa", "f1_testa", "{:.2f}"),
        paper("testa"),
        Column("F1 testb", "f1_testb", "{:.2f}"),
        paper("testb"),
        Column("live templates, of 134", "live_templates", "{:.0f}"),
        Column("CPU s", "cpu", "{:.0f}"),
    ),
    {"": (line_of(*BEST, passes=20),)},
    WHERE,
)
#: Words of the fold of Figure 1 as it is measured here.
WORDS = 40
#: Table 1, on whole folds.
PLAN = "mkl, 10 folds"
KERNELS = Table(
    "mkl-kernels",
    "letters",
    ("Table 1: letters read right, %", ""),
    (
        Column("here", "accuracy", "{:.1f}", spread=True),
        Column("the paper", lambda row: float(PAPERS[row["contestant"]].split()[0]), "{:.1f}"),
        Column("CPU s a fold", "cpu", "{:.1f}"),
    ),
    {
        name: tuple(Line(row[0], {"contestant": row[0]}) for row in rows)
        for name, rows in (("linear, quadratic, Gaussian", TABLE[:6]), ("linear, B1-spline", TABLE[6:]))
    },
    {"benchmark": "ocr", "mode": "run", "plan": PLAN, "trainer": "OnlineMKL"},
)
PAIRS_OF_KERNELS = Table(
    "mkl-pairs",
    "letters",
    ("Errors of the first less those of the second, fold by fold", ""),
    (
        Column("difference", "difference", "{:.2f}"),
        Column("95%, from", "low", "{:.2f}"),
        Column("to", "high", "{:.2f}"),
        Column("folds, of 10, where the first errs less", "fewer", "{:.0f}"),
    ),
    {"": tuple(Line(f"{one}; {other}", {"contestant": one, "other": other}) for one, other in PAIRS)},
    {"benchmark": "ocr", "mode": "pair", "plan": PLAN},
)


def objective(passes: int):
    """After so many passes; None where a method has no point there."""
    return lambda row: dict(map(tuple, row["points"])).get(passes)


#: Words of the first fold, all of them and a few, and the rates of each method around its best one.
_RATES = {704: (1.0, 3.0, 10.0), WORDS: (0.3, 1.0, 3.0)}
_OF_WRAPPERS = (0.1, 0.3, 1.0)
WRAPPERS = Table(
    "mkl-wrappers",
    "letters",
    ("Figure 1: objective, L + Q + G, C = 100", "first rate"),
    (*(Column(f"{passes} passes", objective(passes), "{:,.0f}") for passes in (5, 10, 20, 30, 50, 60)),),
    {
        f"{name}, {words} words": tuple(
            Line(f"{rate:g}", {"method": name, "eta0": rate, "words": words})
            for rate in (_RATES[words] if name == "OnlineMKL" else _OF_WRAPPERS)
        )
        for words in _RATES
        for name in ("OnlineMKL", "Gauss-Seidel", "SimpleMKL")
    },
    {"benchmark": "ocr", "mode": "wrappers", "C": 100.0},
)
TABLES = (SEARCH, TEST, KERNELS, PAIRS_OF_KERNELS, WRAPPERS)
