"""Tables of dependency trees: the rows of ``benchmarks.parsing``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table


def ours(order: int, projective: bool, grandparents: bool = False) -> Row:
    return {"trainer": "MTLStruct", "order": order, "projective": projective, "grandparents": grandparents}


TRAINING = Table(
    "parsing-training",
    "parsing",
    ("Dependency trees, test part, given tags", ""),
    (
        Column("training, CPU s", "cpu", best="min"),
        Column("times the first", "cpu", per_first=True),
        Column("UAS", "uas_test", best="max"),
        Column("LAS", "las_test", best="max"),
        Column("UAS without punctuation", "uas_x_test", best="max"),
        Column("LAS", "las_x_test", best="max"),
        Column("complete", "complete_test", best="max"),
        Column("peak MB", "peak_mb", "{:,.0f}", best="min"),
        Column("model, MB", "model_mb", best="min"),
    ),
    {
        "Danish (DDT), crossing trees": (Line("spacy_mtl, first order", {"corpus": "danish", **ours(1, False)}),),
    },
    {"mode": "train", "limit": 0},
)
TABLES = (TRAINING,)
