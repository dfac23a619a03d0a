"""Tables 5, 6 and 8 of Mao & Tsang beside ours: the rows of ``benchmarks.mtlstruct``."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.common.rows import Row
from benchmarks.mtlstruct.contestants import CRFSUITE

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
    (20, "ned"): {
        "CRF l2": (55.61, 62.20),
        "CRF l1": (56.08, 62.53),
        "IRW-CRF": (59.85, 65.74),
        "MTLStruct p=2": (54.05, 60.57),
        "OnlineMKL": (54.64, 59.52),
        "MTLStruct p=1": (60.13, 67.06),
    },
}
#: The paper's name of a contestant, where ours has several for one of its methods.
OF_PAPER = {"crfsuite l2": "CRF l2", "OnlineMKL last": "OnlineMKL"}
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
    "MTLStruct p=4": "MTLStruct, p = 4",
    "MTLStruct p=100": "MTLStruct, p = 100",
    "OnlineMKL": "OnlineMKL, the average",
    "OnlineMKL last": "OnlineMKL, last weights",
    "MIRA": "MIRA",
    "CRF l2": "CRF, l2",
    "crfsuite l2": "CRF, l2, python-crfsuite to its own stop",
    "CRF l1": "CRF, l1",
    "IRW-CRF": "CRF, re-weighted (IRW)",
}


@dataclass(frozen=True)
class Published:
    """The paper's figure for a row; None where it has none. part: 0 for the validation set, 1 for the test set."""

    part: int

    def __call__(self, row: Row) -> float | None:
        name = OF_PAPER.get(row["shown"], row["shown"])
        return PUBLISHED[row["selected"], row["corpus"]].get(name, (None, None))[self.part]


def by_p(row: Row) -> float | None:
    """The paper's Table 8."""
    return BY_P[row["selected"]].get(row["shown"].partition("=")[2])


def to_best(row: Row) -> float | None:
    """CPU seconds to the contestant's best point; None for python-crfsuite, which is not scored on the way."""
    return None if row["contestant"] in CRFSUITE else row["cpu"]


def times(row: Row) -> float | None:
    """CPU seconds to the contestant's best point, against ours until it is as good on the validation set."""
    seconds = to_best(row)
    known = seconds and row.get("cpu_ours_to") and row["shown"] != row["reference"]
    return seconds / row["cpu_ours_to"] if seconds and known else None


COLUMNS = (
    Column("C", "C", "{:g}"),
    Column("F1 validation, paper", Published(0), "{:.1f}"),
    Column("here", "f1_dev", best="max"),
    Column("F1 test, paper", Published(1), "{:.1f}"),
    Column("here", "f1_test", best="max"),
    Column("MTLStruct is ahead by", "difference_ahead"),
    Column("p value", "p_ahead", "{:.4f}"),
    Column("training, CPU s", "cpu_all", "{:,.0f}"),
    Column("of it, to the best point", to_best, "{:,.0f}"),
    Column("MTLStruct is as good on validation after", "cpu_ours_to", "{:,.1f}"),
    Column("times faster there", times, "{:,.0f}"),
)


def lines(corpus: str, names: Sequence[str]) -> tuple[Line, ...]:
    return tuple(Line(LABELS[name], {"shown": name, "corpus": corpus}) for name in names)


RIVALS = ("MTLStruct p=2", "OnlineMKL last", "MIRA", "crfsuite l2", "CRF l2", "CRF l1", "IRW-CRF")
SELECTED_RIVALS = ("MTLStruct p=2", "OnlineMKL", "CRF l2", "CRF l1", "IRW-CRF")
#: Where the average was not trained.
LAST = {"OnlineMKL": "OnlineMKL last"}
WHERE: Row = {"benchmark": "mtlstruct", "mode": "test", "templates": "conll2002.v1", "scheme": "iob2", "limit": 0}
ALL = Table(
    "mtlstruct-all",
    "mtlstruct",
    ("Table 5: all 134 templates, IOB2", ""),
    COLUMNS,
    {
        "Spanish": lines("esp", ("MTLStruct p=1", "MTLStruct p=1.333", *RIVALS)),
        "Dutch": lines("ned", ("MTLStruct p=1", *RIVALS)),
    },
    WHERE | {"selected": 0},
)
SELECTED = Table(
    "mtlstruct-selected",
    "mtlstruct",
    ("Table 6: 20 selected templates, IOB2", ""),
    COLUMNS,
    {
        "Spanish": lines("esp", ("MTLStruct p=1", "MTLStruct p=1.333", *SELECTED_RIVALS)),
        "Dutch": lines("ned", ("MTLStruct p=1", *(LAST.get(name, name) for name in SELECTED_RIVALS))),
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
#: Constants that everybody was tried with.
TRIED = (0.1, 1.0, 10.0)
SEARCHED = (("MTLStruct", 1.0), ("MTLStruct", 2.0), ("OnlineMKL last", None), ("MIRA", None), ("crfsuite l2", None))
GRID = Table(
    "mtlstruct-grid",
    "mtlstruct",
    ("F1 on the validation set, all 134 templates, IOB2", ""),
    tuple(
        Column(f"C = {C:g}{more}", key, form, where={"C": C})
        for key, more, form in (("f1_dev", "", "{:.1f}"), ("cpu_all", ", CPU s", "{:,.0f}"))
        for C in TRIED
    ),
    {
        name: tuple(
            Line(
                LABELS[f"{contestant} p={p:g}" if p else contestant], {"corpus": lang, "contestant": contestant, "p": p}
            )
            for contestant, p in SEARCHED
        )
        for lang, name in LANGS.items()
    },
    WHERE | {"mode": "search", "selected": 0},
)
#: BILUO instead of IOB2, for everybody.
BILUO = Table(
    "mtlstruct-biluo",
    "mtlstruct",
    ("All 134 templates, BILUO", ""),
    (
        COLUMNS[0],
        Column("F1 validation", "f1_dev", best="max"),
        Column("F1 test", "f1_test", best="max"),
        *COLUMNS[5:],
    ),
    {
        "Spanish": lines("esp", ("MTLStruct p=1", "MTLStruct p=2", "OnlineMKL last", "MIRA", "CRF l2")),
        "Dutch": lines("ned", ("MTLStruct p=1", "MTLStruct p=2", "OnlineMKL last", "MIRA")),
    },
    WHERE | {"selected": 0, "scheme": "biluo"},
)
TABLES = (ALL, GRID, BILUO, SELECTED, OF_P)
