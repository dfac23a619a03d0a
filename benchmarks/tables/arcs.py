"""Tables of the papers on dependency trees: the rows of ``benchmarks.arcs``."""

from benchmarks.arcs.contestants import CUT, SIZES
from benchmarks.common.rows import Row

from .table import Column, Line, Table

#: ACC, UASP and UAS of MSTParser and of MTLparse, Table 7 of Mao & Tsang.
PUBLISHED = {
    ("danish", "MIRA"): (31.06, 86.93, 88.80),
    ("danish", "MTLStruct, p = 1"): (32.61, 87.08, 88.80),
    ("swedish", "MIRA"): (37.28, 83.65, 85.76),
    ("swedish", "MTLStruct, p = 1"): (37.53, 84.14, 86.40),
}


def published(k: int):
    """A measure of the paper's Table 7; None where it has none."""
    return lambda row: PUBLISHED.get((row["corpus"], row["contestant"]), (None,) * 3)[k]


def ahead(key: str, of: str = "ahead"):
    """Of the comparison with the first of the group, or with that of ours which is best on dev."""
    return lambda row: row.get(of, {}).get(key)


def lead(of: str = "ahead") -> tuple[Column, ...]:
    """Significance of a comparison."""
    return (
        Column("p value", ahead("p", of), "{:.4f}"),
        Column("95%, from", ahead("low", of), "{:.2f}"),
        Column("to", ahead("high", of), "{:.2f}"),
    )


LEAD = lead()
DANISH: Row = {"corpus": "danish", "chosen": True}
OF_TABLE_7 = (
    Line("MTLStruct, p = 1", {"contestant": "MTLStruct, p = 1"}),
    Line("MTLStruct, p = 4/3", {"contestant": "MTLStruct, p = 4/3"}),
    Line("MIRA, MSTParser's trainer", {"contestant": "MIRA"}),
    Line("structural SVM", {"contestant": "SVM"}),
)


def trainers(corpus: str, name: str, lines: tuple[Line, ...], more: tuple[Column, ...] = ()) -> Table:
    """The paper's Table 7 for a treebank. more: comparisons besides that with p = 1."""
    return Table(
        name,
        "arcs",
        (f"Table 7: {corpus.capitalize()}, MSTParser's templates", ""),
        (
            Column("C", "C", "{:g}"),
            Column("passes", "passes", "{:.0f}"),
            Column("UAS dev", "uas_dev", "{:.2f}"),
            Column("complete, paper", published(0), "{:.2f}"),
            Column("here", "acc_test", "{:.2f}"),
            Column("UAS with punctuation, paper", published(1), "{:.2f}"),
            Column("here", "uas_p_test", "{:.2f}"),
            Column("UAS, paper", published(2), "{:.2f}"),
            Column("here", "uas_test", "{:.2f}"),
            Column("p = 1 is ahead by", ahead("difference"), "{:.2f}"),
            *LEAD,
            *more,
            Column("groups left", "live", "{:.0f}"),
            Column("training, CPU s", "cpu_all", "{:.1f}"),
        ),
        {"": lines},
        {"mode": "trainers", "corpus": corpus, "chosen": True, "limit": 0},
    )


TRAINERS = trainers("danish", "arcs-trainers", (OF_TABLE_7[0], *OF_TABLE_7[2:]))
OF_OURS = (Column("p = 4/3 is ahead by", ahead("difference", "ahead_of_ours"), "{:.2f}"), *lead("ahead_of_ours"))
SWEDISH = trainers("swedish", "arcs-swedish", OF_TABLE_7, OF_OURS)
GROUPS = Table(
    "arcs-groups",
    "arcs",
    ("Figure 2: Danish", "an SVM on"),
    (
        Column("UAS dev", "uas_dev", "{:.2f}"),
        Column("UAS test", "uas_test", "{:.2f}"),
        Column("ahead of the SVM on all groups by", ahead("difference"), "{:.2f}"),
        *LEAD,
    ),
    {
        "": (
            Line("all 528 groups", {"contestant": "SVM", "selected_by": None}),
            Line("no SVM: OnlineMKL itself, all groups", {"contestant": "OnlineMKL", "selected_by": None}),
        ),
        **{
            f"selected by {name}": tuple(
                Line(f"{size} groups", {"contestant": "SVM", "selected_by": by, "groups": size}) for size in SIZES
            )
            for by, name in (("OnlineMKL", "OnlineMKL"), ("SVM", "the norms of an SVM"))
        },
    },
    {"mode": "groups", **DANISH, "limit": 0},
)
PIECES = Table(
    "arcs-cut",
    "arcs",
    ("Danish trees, averaged perceptron", ""),
    (
        Column("passes", "passes", "{:.0f}"),
        Column("UAS dev", "uas_dev", "{:.2f}"),
        Column("UAS test", "uas_test", "{:.2f}"),
        Column("whole trees are ahead by", ahead("difference"), "{:.2f}"),
        *LEAD,
    ),
    {
        "": tuple(
            Line(f"pieces of {one.size:g}" if one.size else "whole trees", {"contestant": one.name}) for one in CUT
        )
    },
    {"mode": "cut", **DANISH, "limit": 0},
)
TABLES = (TRAINERS, SWEDISH, GROUPS, PIECES)
