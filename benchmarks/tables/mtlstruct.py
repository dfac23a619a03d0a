"""Tables 5, 6 and 8 of Mao & Tsang beside ours: the rows of ``benchmarks.mtlstruct``."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.common.rows import Row

from .table import Column, Line, Table

LANGS = {"esp": "Spanish", "ned": "Dutch"}
#: F1 on validation and test set as printed in the paper, by number of selected templates (0: all) and language.
PUBLISHED: dict[tuple[int, str], dict[str, tuple[float, float]]] = {
    (0, "esp"): {
        "CRF l2": (63.88, 68.34),
        "CRF l1": (64.98, 70.21),
        "IRW-CRF": (63.93, 68.39),
        "MTLStruct p=2": (63.72, 67.35),
        "OnlineMKL": (67.27, 69.97),
        "MTLStruct p=1": (69.62, 73.42),
    },
    (0, "ned"): {
        "CRF l2": (51.96, 57.20),
        "CRF l1": (54.68, 60.76),
        "IRW-CRF": (52.22, 57.05),
        "MTLStruct p=2": (47.52, 50.92),
        "OnlineMKL": (51.61, 57.28),
        "MTLStruct p=1": (61.00, 67.77),
    },
    (20, "esp"): {
        "CRF l2": (68.48, 73.96),
        "CRF l1": (67.50, 73.00),
        "IRW-CRF": (69.58, 75.40),
        "MTLStruct p=2": (68.12, 73.02),
        "OnlineMKL": (68.05, 71.70),
        "MTLStruct p=1": (68.52, 74.50),
    },
}
#: F1 on the Spanish test set by p, Table 8.
BY_P = {
    0: {"1": 73.42, "1.333": 70.82, "2": 67.56, "4": 61.58, "100": 59.33},
    20: {"1": 74.50, "1.333": 74.81, "2": 72.75, "4": 66.22, "100": 61.91},
}
#: As they are shown, and in the name of a contestant.
EXPONENTS = (("1", "1"), ("4/3", "1.333"), ("2", "2"), ("4", "4"), ("100", "100"))
LABELS = {
    "MTLStruct p=1": "MTLStruct, p = 1",
    "MTLStruct p=1.333": "MTLStruct, p = 4/3",
    "MTLStruct p=2": "p = 2, the problem of SVM-HMM",
    "OnlineMKL": "OnlineMKL",
    "MIRA": "MIRA",
    "CRF l2": "CRF, l2",
    "crfsuite l2": "CRF, l2, python-crfsuite",
    "CRF l1": "CRF, l1",
    "IRW-CRF": "CRF, re-weighted (IRW)",
}


@dataclass(frozen=True)
class Published:
    """The paper's figure for a row; None where it has none. part: 0 for the validation set, 1 for the test set."""

    part: int

    def __call__(self, row: Row) -> float | None:
        name = "CRF l2" if row["shown"] == "crfsuite l2" else row["shown"]
        return PUBLISHED[row["selected"], row["corpus"]].get(name, (None, None))[self.part]


def by_p(row: Row) -> float | None:
    """The paper's Table 8."""
    return BY_P[row["selected"]].get(row["shown"].partition("=")[2])


COLUMNS = (
    Column("C", "C", "{:g}"),
    Column("F1 validation, paper", Published(0), "{:.1f}"),
    Column("here", "f1_dev", best="max"),
    Column("F1 test, paper", Published(1), "{:.1f}"),
    Column("here", "f1_test", best="max"),
    Column("MTLStruct is ahead by", "difference_ahead"),
    Column("p value", "p_ahead", "{:.4f}"),
    Column("training, CPU s", "cpu_all", "{:,.0f}"),
    Column("of it, to the best point", "cpu", "{:,.0f}"),
)


def lines(corpus: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(LABELS[name], {"shown": name, "corpus": corpus}) for name in names)


WHERE = {"benchmark": "mtlstruct", "mode": "test", "templates": "conll2002.v1", "scheme": "iob2", "limit": 0}
ALL = Table(
    "mtlstruct-all",
    "mtlstruct",
    ("Table 5: all 134 templates, IOB2", ""),
    COLUMNS,
    {
        "Spanish": lines("esp", ("MTLStruct p=1", "MTLStruct p=1.333", "MTLStruct p=2", "OnlineMKL", "MIRA", "CRF l2")),
        "Dutch": lines("ned", ("MTLStruct p=1", "MTLStruct p=2", "OnlineMKL")),
    },
    WHERE | {"selected": 0},
)
SELECTED = Table(
    "mtlstruct-selected",
    "mtlstruct",
    ("Table 6: 20 selected templates, IOB2", ""),
    COLUMNS,
    {
        "Spanish": lines("esp", ("MTLStruct p=1", "MTLStruct p=1.333", "MTLStruct p=2", "OnlineMKL", "CRF l2")),
    },
    WHERE | {"selected": 20},
)
OF_P = Table(
    "mtlstruct-p",
    "mtlstruct",
    ("Table 8: Spanish test set, by p", ""),
    (
        Column("F1, paper", by_p, "{:.1f}"),
        Column("here", "f1_test", best="max"),
        Column("C", "C", "{:g}"),
        Column("live templates", "live_templates", "{:.0f}"),
        Column("training, CPU s", "cpu_all", "{:,.0f}"),
    ),
    {
        name: tuple(
            Line(f"p = {p}", {"shown": f"MTLStruct p={shown}", "corpus": "esp", "selected": selected})
            for p, shown in EXPONENTS
        )
        for name, selected in (("all 134 templates", 0), ("20 selected templates", 20))
    },
    WHERE,
)
TABLES = (ALL, SELECTED, OF_P)
