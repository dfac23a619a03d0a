"""Tables of the OnlineMKL paper: the rows of ``benchmarks.trainers mkl-conll``."""

from typing import Any

from benchmarks.common.rows import Row

from .table import Column, Line, Table

#: C, rate, and which model predicts.
TRIED = (
    (1.0, 0.03, "average"), (1.0, 0.1, "average"), (1.0, 0.3, "average"), (10.0, 0.3, "average"), (10.0, 1.0, "average"),
    (1.0, 0.3, "last"), (1.0, 1.0, "last"), (1.0, 3.0, "last"),
)  # fmt: skip
BEST = (1.0, 0.3, "last")
#: F1 of OnlineMKL in Table 5 of the MTLstruct paper.
PAPER = {"testa": 67.27, "testb": 69.97}
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
TABLES = (SEARCH, TEST)
