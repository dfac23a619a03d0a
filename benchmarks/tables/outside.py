"""Tables of what a corpus does not know: clusters, and how scores grow with the corpus; rows of ``benchmarks.outside``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table

CORPORA = {"esp": "CoNLL-2002, Spanish", "wnut17": "WNUT-17", "ncbi": "NCBI disease"}
SIZES = (50, 100, 250, 500, 1000)
OURS = {"contestant": "ours", "clusters": False}
RIVALS = {"python-crfsuite": "crfsuite lbfgs", "spaCy `ner`": "spaCy ner"}


CRFSUITE = {"contestant": RIVALS["python-crfsuite"]}


def p_value(row: Row) -> float:
    return row["ahead"]["p"]


def p_with_clusters(row: Row) -> float:
    return row["ahead_with_clusters"]["p"]


CLUSTERS = Table(
    "clusters",
    "outside",
    ("Named entities, `ner.v1`", ""),
    (
        Column("training, CPU s", "cpu"),
        Column("times the first", "cpu", "{:.2f}", per_first=True),
        Column("F1 dev", "f1_dev"),
        Column("F1 test", "f1_test", "{:.2f}", best="max"),
        Column("ahead by", "difference", "{:+.2f}"),
        Column("p value", "significance", "{:.4f}"),
    ),
    {
        name: tuple(
            Line(label, {"task": task, "clusters": clusters})
            for label, clusters in (("without clusters", False), ("with clusters", True))
        )
        for task, name in CORPORA.items()
    },
    {"mode": "clusters", "contestant": "ours"},
)
CURVES = Table(
    "learning-curves",
    "outside",
    ("F1 on the test part", "training sentences"),
    (
        Column("spacy_mtl", "f1_test", where=OURS),
        *(
            column
            for name, rival in RIVALS.items()
            for column in (
                Column(name, "f1_test", where={"contestant": rival}),
                Column("p value", p_value, "{:.4f}", where={"contestant": rival}),
            )
        ),
        Column("spacy_mtl, with clusters", "f1_test", where={"contestant": "ours", "clusters": True}),
        Column("p value against python-crfsuite", p_with_clusters, "{:.4f}", where=CRFSUITE),
        Column("search of spacy_mtl, CPU s", "cpu_search", where=OURS),
        Column("of python-crfsuite", "cpu_search", where=CRFSUITE),
        Column("training of spaCy `ner`", "cpu", where={"contestant": RIVALS["spaCy `ner`"]}),
    ),
    {
        name: tuple(Line(f"{size:,}" if size else "all", {"task": task, "sentences": size}) for size in SIZES)
        for task, name in CORPORA.items()
    },
    {"mode": "curves"},
)
COSTS = Table(
    "costs",
    "outside",
    ("F1 on the development part", "training sentences"),
    tuple(Column(f"a miss costs {cost:g}", "f1_dev", where={"cost": cost}) for cost in (1.0, 2.0)),
    {
        CORPORA[task]: tuple(Line(f"{size:,}" if size else "all", {"task": task, "sentences": size}) for size in sizes)
        for task, sizes in (("ncbi", (100, 500, 0)), ("wnut17", (500, 0)))
    },
    {"mode": "costs"},
)
TABLES = (CLUSTERS, CURVES, COSTS)
