"""The table of whole pipelines on treebanks: the rows of ``benchmarks.ud``."""

from .table import Column, Line, Table


def _line(corpus: str) -> tuple[Line]:
    return (Line("workflow `ud`", {"corpus": corpus, "quick": False}),)


TREEBANKS = Table(
    "ud",
    "ud",
    ("All columns predicted, test part", ""),
    (
        Column("training, CPU s", "cpu"),
        Column("UPOS", "UPOS_test"),
        Column("UFeats", "UFeats_test"),
        Column("Lemmas", "Lemmas_test"),
        Column("UAS", "UAS_test"),
        Column("LAS", "LAS_test"),
        Column("MLAS", "MLAS_test"),
        Column("BLEX", "BLEX_test"),
        Column("own sentences: F1", "raw_Sentences_test"),
        Column("LAS", "raw_LAS_test"),
        Column("raw text: words", "text_Words_test"),
        Column("sentences", "text_Sentences_test"),
        Column("LAS", "text_LAS_test"),
    ),
    {
        "Gothic (PROIEL)": _line("gothic"),
        "Turkish (IMST)": _line("turkish"),
        "Swedish (Talbanken)": _line("swedish"),
        "Dutch (LassySmall)": _line("dutch"),
        "Danish (DDT)": _line("danish"),
    },
    {"mode": "train"},
)
SPEEDS = Table(
    "ud-speed",
    "ud",
    ("From raw text to all columns, Turkish", ""),
    (
        Column("words a CPU second", "words_s", "{:,.0f}", best="max"),
        Column("ours : it", "ours_times"),
        Column("loading the model, CPU s", "load"),
        Column("dev part, the first of a process, CPU s", "first"),
        Column("the process, CPU s", "process"),
    ),
    {
        "": (
            Line("workflow `ud`", {"contestant": "ours"}),
            Line("UDPipe 1", {"contestant": "UDPipe 1"}),
            Line("spaCy, efficiency preset", {"contestant": "spaCy"}),
        )
    },
    {"mode": "speed", "corpus": "turkish"},
)
TABLES = (TREEBANKS, SPEEDS)
