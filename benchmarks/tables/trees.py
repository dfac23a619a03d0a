"""Tables of dependency trees: the rows of ``benchmarks.parsing``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table

UDPIPE = {"contestant": "UDPipe 1"}


def ours(order: int, projective: bool, grandparents: bool = False) -> Row:
    return {"trainer": "MTLStruct", "order": order, "projective": projective, "grandparents": grandparents}


TRAINING = Table(
    "parsing-training",
    "parsing",
    ("Dependency trees, test part, given tags", ""),
    (
        Column("training, CPU s", "cpu", best="min"),
        Column("times the first", "cpu", per_first=True),
        Column("UAS", "uas_test", best="max", score=True),
        Column("LAS", "las_test", best="max", score=True),
        Column("UAS without punctuation", "uas_x_test", best="max", score=True),
        Column("LAS without punctuation", "las_x_test", best="max", score=True),
        Column("complete", "complete_test", best="max", score=True),
        Column("peak MB", "peak_mb", "{:,.0f}", best="min"),
        Column("model, MB", "model_mb", best="min"),
    ),
    {
        "Danish (DDT), crossing trees": (
            Line("spacy_mtl, first order", {"corpus": "danish", **ours(1, False)}),
            Line("spacy_mtl, siblings and grandparents", {"corpus": "danish", **ours(2, False, True)}),
        ),
        "Swedish (Talbanken), projective trees": (
            Line("spacy_mtl, siblings and grandparents", {"corpus": "swedish", **ours(2, True, True)}),
            Line("UDPipe 1, 6 iterations", {"corpus": "swedish", **UDPIPE}, unsearched=True),
        ),
        "Dutch (LassySmall), crossing trees": (
            Line("spacy_mtl, siblings and grandparents", {"corpus": "dutch", **ours(2, False, True)}),
        ),
        "Gothic (PROIEL), crossing trees, with morphology": (
            Line("spacy_mtl, siblings and grandparents", {"corpus": "gothic", **ours(2, False, True)}),
        ),
        "Turkish (IMST), projective trees, with morphology": (
            Line("spacy_mtl, first order", {"corpus": "turkish", **ours(1, True)}),
            Line("spacy_mtl, siblings and grandparents", {"corpus": "turkish", **ours(2, True, True)}),
        ),
    },
    {"mode": "train", "limit": 0},
)
SPEED = Table(
    "parsing-speed",
    "parsing",
    ("Danish, from tagged sentences to trees", ""),
    (
        Column("words a CPU second", "words_a_second", "{:,.0f}", "max"),
        Column("times the first", "words_a_second", "{:.2f}", per_first=True),
    ),
    {
        "": (
            Line("spacy_mtl, crossing trees", {"contestant": "ours: MTLStruct, order 1, non-projective"}),
            Line(
                "spacy_mtl, crossing trees, siblings and grandparents",
                {"contestant": "ours: MTLStruct, order 2 with grandparents, non-projective"},
            ),
            Line("spaCy `parser`, efficiency preset", {"contestant": "spaCy parser"}),
            Line("UDPipe 1", UDPIPE),
        )
    },
    {"mode": "speed", "corpus": "danish", "limit": 0},
)
TABLES = (TRAINING, SPEED)
