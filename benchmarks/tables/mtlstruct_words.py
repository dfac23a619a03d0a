"""Tables 3, 4 and 8 of Mao & Tsang on Chinese words, beside ours: the rows of ``benchmarks.mtlstruct --corpus pku``."""

from collections.abc import Callable, Mapping

from benchmarks.common.rows import Row
from benchmarks.mtlstruct.data import ANY_WIDTH

from .mtlstruct import LABELS, OF_PAPER, TRIED
from .table import Column, Line, Table

Measures = tuple[float, float, float, float]
#: Of the test part: recall, precision, F1 and recall of known words.
MEASURES = ("recall_test", "precision_test", "f1_test", "recall_known_test")
HEADINGS = ("recall", "precision", "F1", "recall of known words")
#: Tables 4 and 8 of the paper, PKU: the measures with all of the training text.
PUBLISHED: dict[str, dict[str, Measures]] = {
    "tp1.v1": {
        "CRF l2": (92.7, 94.2, 93.4, 94.7),
        "CRF l1": (91.6, 93.1, 92.4, 93.8),
        "IRW-CRF": (92.7, 94.1, 93.4, 94.8),
        "OnlineMKL": (89.9, 89.2, 89.6, 91.7),
        "MTLStruct p=1": (93.8, 93.3, 93.6, 96.1),
        "MTLStruct p=1.333": (92.9, 94.1, 93.5, 94.7),
        "MTLStruct p=2": (92.6, 93.7, 93.2, 94.9),
        "MTLStruct p=4": (90.8, 91.3, 91.1, 93.4),
        "MTLStruct p=100": (87.4, 89.7, 88.5, 90.0),
    },
    "tp2.v1": {
        "CRF l2": (92.2, 93.3, 92.7, 94.2),
        "CRF l1": (91.8, 92.4, 91.7, 93.4),
        "IRW-CRF": (92.4, 93.3, 92.9, 94.3),
        "OnlineMKL": (91.0, 90.5, 90.7, 92.7),
        "MTLStruct p=1": (94.0, 93.6, 93.8, 96.2),
        "MTLStruct p=1.333": (93.5, 94.0, 93.8, 95.3),
        "MTLStruct p=2": (93.0, 93.4, 93.2, 95.0),
        "MTLStruct p=4": (90.0, 92.5, 91.3, 92.2),
        "MTLStruct p=100": (89.7, 91.7, 90.7, 91.9),
    },
}
#: Table 3 of the paper, PKU, TP2: the mean over five draws.
DRAWN: dict[str, dict[str, Measures]] = {
    "tp2.v1": {"MTLStruct p=1": (97.2, 96.8, 97.0, 98.1), "MTLStruct p=2": (96.5, 96.5, 96.5, 97.2)}
}
#: Training sentences where every constant was tried.
LIMIT = 3000
SETS = {"tp1.v1": "TP1, 11 templates", "tp2.v1": "TP2, 18 templates", ANY_WIDTH: "TP2, either width the same"}


def paper(table: Mapping[str, Mapping[str, Measures]], k: int) -> Callable[[Row], float | None]:
    """A measure of the paper for a row; None where it has none."""

    def figure(row: Row) -> float | None:
        found = table.get(row["templates"], {}).get(OF_PAPER.get(row["shown"], row["shown"]))
        return found[k] if found else None

    return figure


def columns(table: Mapping[str, Mapping[str, Measures]]) -> tuple[Column, ...]:
    """The paper's figure and ours, measure by measure."""
    return tuple(
        column
        for k, (heading, key) in enumerate(zip(HEADINGS, MEASURES, strict=True))
        for column in (
            Column(f"{heading}, paper", paper(table, k), "{:.1f}"),
            Column("here", key, "{:.1f}", "max"),
        )
    )


def lines(templates: str, names: tuple[str, ...]) -> tuple[Line, ...]:
    return tuple(Line(LABELS[name], {"shown": name, "templates": templates}) for name in names)


LEAD = (
    Column("MTLStruct is ahead by", "difference_ahead", "{:.2f}"),
    Column("p value", "p_ahead", "{:.4f}"),
    Column("training, CPU s", "cpu_all", "{:,.0f}"),
)
WHERE: Row = {"benchmark": "mtlstruct", "mode": "test", "corpus": "pku", "scheme": "bie", "selected": 0, "split": None}
OF_TP2 = (
    "MTLStruct p=1",
    "MTLStruct p=1.333",
    "MTLStruct p=2",
    "MTLStruct p=4",
    "MTLStruct p=100",
    "OnlineMKL last",
    "CRF l2",
)
OF_TP1 = ("MTLStruct p=1", "MTLStruct p=2")
OF_ANY_WIDTH = ("MTLStruct p=1", "MTLStruct p=2", "OnlineMKL last", "CRF l2")
WHOLE = Table(
    "mtlstruct-pku",
    "mtlstruct",
    ("Tables 4 and 8: PKU, all of the training text", ""),
    (*columns(PUBLISHED), *LEAD),
    {
        SETS[name]: lines(name, names)
        for name, names in (("tp1.v1", OF_TP1), ("tp2.v1", OF_TP2), (ANY_WIDTH, OF_ANY_WIDTH))
    },
    WHERE | {"limit": 0},
)
SOUGHT = ("MTLStruct p=1", "MTLStruct p=2", "OnlineMKL last", "MIRA", "crfsuite l2", "CRF l2")
PART = Table(
    "mtlstruct-pku-part",
    "mtlstruct",
    (f"PKU, {LIMIT:,} sentences, TP2", ""),
    (
        Column("C", "C", "{:g}"),
        Column("F1 dev", "f1_dev", "{:.2f}", "max"),
        Column("F1 test", "f1_test", "{:.2f}", "max"),
        Column("recall of known words", "recall_known_test", "{:.1f}", "max"),
        *LEAD,
    ),
    {"": lines("tp2.v1", SOUGHT)},
    WHERE | {"limit": LIMIT},
)
GRID = Table(
    "mtlstruct-pku-grid",
    "mtlstruct",
    (f"Figures 1 and 3: PKU, {LIMIT:,} sentences, TP2", ""),
    tuple(
        Column(f"{heading}, C = {C:g}", key, form, where={"C": C})
        for key, heading, form in (("f1_dev", "F1 dev", "{:.2f}"), ("cpu_all", "CPU s", "{:,.1f}"))
        for C in TRIED
    ),
    {
        "": tuple(
            Line(LABELS[f"{name} p={p:g}" if p else name], {"contestant": name, "p": p})
            for name, p in (
                ("MTLStruct", 1.0),
                ("MTLStruct", 2.0),
                ("OnlineMKL last", None),
                ("MIRA", None),
                ("CRF l2", None),
                ("crfsuite l2", None),
            )
        )
    },
    WHERE | {"mode": "search", "limit": LIMIT, "templates": "tp2.v1"},
)
OF_DRAWS = (*OF_TP1, "OnlineMKL last", "MIRA")
DRAWS = Table(
    "mtlstruct-pku-draws",
    "mtlstruct",
    ("Table 3: PKU drawn anew, all sentences, TP2", ""),
    (*columns(DRAWN), *LEAD),
    {f"draw {k}": tuple(Line(LABELS[name], {"shown": name, "split": k}) for name in OF_DRAWS) for k in range(3)},
    {key: value for key, value in WHERE.items() if key != "split"} | {"limit": 0, "templates": "tp2.v1"},
)
TABLES = (WHOLE, PART, GRID, DRAWS)
