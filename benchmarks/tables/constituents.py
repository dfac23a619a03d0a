"""Tables of constituency trees: the rows of ``benchmarks.constituents``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table


def best_on_dev(row: Row) -> float | None:
    """The dev score of a row that was chosen, for which there is a test score."""
    return row["f1_dev"] if "f1_test" in row else None


def cost(row: Row) -> float | None:
    return row["cpu"] if "f1_test" in row else None


TEST = Table(
    "constituents",
    "constituents",
    ("Constituents, sample of the Penn Treebank, gold tags", ""),
    (
        Column("training, CPU s", cost, best="min"),
        Column("F1, dev", best_on_dev, best="max"),
        Column("F1, test", "f1_test", best="max"),
        Column("recall", "recall_test", best="max"),
        Column("precision", "precision_test", best="max"),
        Column("exact match", "exact_test", best="max"),
        Column("sentences without a tree", "without_tree_test", "{:,.0f}"),
    ),
    {
        "templates": (
            Line("`MTLStruct`, p = 4/3", {"contestant": "ours: MTLStruct"}),
            Line("`SSVM`", {"contestant": "ours: SSVM"}),
            Line("`CRF`, 10 passes of stochastic gradient", {"contestant": "ours: CRF"}),
        ),
        "relative frequencies": (
            Line("the same binarization", {"contestant": "PCFG", "horizontal": 0, "vertical": 1}),
            Line("h = 1, v = 2, the best on dev", {"contestant": "PCFG", "horizontal": 1, "vertical": 2}),
        ),
    },
    {"mode": "train", "limit": 0},
)
#: Dev alone: what was chosen by it is in the other table.
BINARIZATION = Table(
    "constituents-binarization",
    "constituents",
    ("Children that the symbol of a rest names, dev", ""),
    (
        Column("symbols", "symbols", "{:,.0f}"),
        Column("rules", "rules", "{:,.0f}"),
        Column("F1", "f1_dev", best="max"),
        Column("exact match", "exact_dev", best="max"),
        Column("sentences without a tree", "without_tree_dev", "{:,.0f}"),
    ),
    {
        "`MTLStruct`": (
            Line("h = 0", {"mode": "train", "contestant": "ours: MTLStruct", "C": 0.3}),
            Line("h = 1", {"mode": "binarization", "contestant": "ours: MTLStruct", "horizontal": 1}),
        ),
        "`CRF`": (
            Line("h = 0", {"mode": "train", "contestant": "ours: CRF", "C": 0.1}),
            Line("h = 1", {"mode": "binarization", "contestant": "ours: CRF", "horizontal": 1}),
        ),
        "relative frequencies": tuple(
            Line(f"h = {h}", {"mode": "train", "contestant": "PCFG", "horizontal": h, "vertical": 1}) for h in (0, 1, 2)
        ),
    },
    {"limit": 0},
)
PAIRS = Table(
    "constituents-pairs",
    "constituents",
    ("`MTLStruct` against", ""),
    (
        Column("F1 of `MTLStruct`, test", "f1_test"),
        Column("of the other", "f1_other"),
        Column("ahead by", "difference_ahead", "{:.2f}"),
        Column("95%, from", "low_ahead", "{:.2f}"),
        Column("to", "high_ahead", "{:.2f}"),
        Column("p value", "p_ahead", "{:.4f}"),
    ),
    {
        "": (
            Line("`SSVM`", {"other": "ours: SSVM"}),
            Line("`CRF`", {"other": "ours: CRF"}),
            Line("relative frequencies, the same binarization", {"other": "PCFG, h = 0, v = 1"}),
            Line("relative frequencies, the best binarization on dev", {"other": "PCFG, h = 1, v = 2"}),
        )
    },
    {"mode": "significance", "limit": 0},
)
SPEED = Table(
    "constituents-speed",
    "constituents",
    ("One sentence of 40 words, from words and tags to constituents", ""),
    (
        Column("sentences", "sentences", "{:,.0f}"),
        Column("rules of the grammar", "rules", "{:,.0f}"),
        Column("median, CPU s", "median", "{:.3f}"),
        Column("longest, CPU s", "longest", "{:.3f}"),
    ),
    {"": (Line("`MTLStruct`", {"contestant": "ours"}),)},
    {"mode": "speed"},
)
TABLES = (TEST, PAIRS, BINARIZATION, SPEED)
