"""Tables of named entities: the rows of ``benchmarks.ner``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table

LANGS = {"esp": "Spanish", "ned": "Dutch"}
SCHEMES = {"biluo": "BILUO", "iob2": "IOB2"}
METHODS = {"lbfgs": "L-BFGS", "ap": "`ap`", "pa": "`pa`"}
CPU = Column("training, CPU s", "cpu", best="min")
RATIO = Column("times ours", "cpu", per_first=True)
F1 = (Column("F1 testa", "f1_testa", score=True), Column("F1 testb", "f1_testb", score=True))
AHEAD = (
    Column("BILUO is ahead by", lambda row: (row.get("ahead") or {}).get("difference"), "{:+.1f}"),
    Column("p value", lambda row: (row.get("ahead") or {}).get("p"), "{:.4f}"),
)
SIZES = (Column("peak MB", "peak_mb", "{:,.0f}", best="min"), Column("model, MB", "model_mb", best="min"))


def ours(lang: str, scheme: str) -> Line:
    return Line(f"spacy_mtl, {SCHEMES[scheme]}", {"lang": lang, "contestant": "ours", "scheme": scheme})


def crfsuite(lang: str, method: str, scheme: str = "iob2") -> Line:
    where = {"lang": lang, "contestant": f"crfsuite {method}", "scheme": scheme}
    return Line(f"python-crfsuite, {METHODS[method]}, {SCHEMES[scheme]}", where)


TRAINING = Table(
    "ner-training",
    "ner",
    ("CoNLL-2002, `ner.v1`", ""),
    (CPU, RATIO, *F1, *AHEAD, *SIZES),
    {
        name: (*(ours(lang, scheme) for scheme in SCHEMES), *(crfsuite(lang, method) for method in METHODS))
        for lang, name in LANGS.items()
    },
    {"mode": "train", "templates": "ner.v1", "limit": 0},
)
PAPER = Table(
    "ner-conll2002",
    "ner",
    ("CoNLL-2002, `conll2002.v1`", ""),
    (CPU, *F1, *SIZES, Column("live templates, of 134", "live_templates", "{:.0f}")),
    {name: (ours(lang, "biluo"),) for lang, name in LANGS.items()},
    {"mode": "train", "templates": "conll2002.v1", "limit": 0, "contestant": "ours"},
)
SPEED = Table(
    "ner-speed",
    "ner",
    ("Spanish", "words a CPU second, text not seen before"),
    (
        Column("from raw text", "new_text", "{:,.0f}", "max", {"source": "text"}),
        Column("ours : it", "ratio_new_text", "{:.1f}", "", {"source": "text"}),
        Column("from tokens", "new_text", "{:,.0f}", "max", {"source": "docs"}),
        Column("ours : it", "ratio_new_text", "{:.1f}", "", {"source": "docs"}),
    ),
    {
        "without tags": (
            Line("spacy_mtl, `ner.v1`", {"contestant": "ours, without TAG"}),
            Line("spaCy `ner`, efficiency preset", {"contestant": "spaCy ner"}),
            Line("python-crfsuite, features in Python", {"contestant": "crfsuite, without TAG"}),
        ),
        "for comparison": (Line("spaCy's tokenizer alone", {"contestant": "tokenizer alone"}),),
    },
    {"mode": "speed", "lang": "esp", "limit": 0},
)
STARTUP = Table(
    "ner-startup",
    "ner",
    ("`spacy.load` and the first document", ""),
    (
        Column("wall s", "wall", "{:.2f}"),
        Column("more than blank", "extra_wall", "{:.2f}"),
        Column("CPU s", "cpu", "{:.2f}"),
        Column("more than blank", "extra_cpu", "{:.2f}"),
    ),
    {
        "Spanish": (
            Line("a blank pipeline", {"contestant": "blank"}),
            Line("spacy_mtl, kernels compiled before", {"contestant": "ours, warm"}),
            Line("spacy_mtl, nothing cached", {"contestant": "ours, cold"}),
        )
    },
    {"mode": "startup", "lang": "esp", "limit": 0},
)
MIXED = Table(
    "ner-mixed",
    "ner",
    ("Dutch, `ner.v1` without tags", "trained on"),
    (
        Column("F1 testa, documents", "f1_testa_documents", best="max"),
        Column("single sentences", "f1_testa_sentences", best="max"),
        Column("F1 testb, documents", "f1_testb_documents", best="max"),
        Column("single sentences", "f1_testb_sentences", best="max"),
        CPU,
    ),
    {
        "made for each": (
            Line("documents", {"trained_on": "documents"}),
            Line("single sentences", {"trained_on": "sentences"}),
        ),
        "one for both": (Line("documents and 40% of the sentences", {"trained_on": "documents and 40% of sentences"}),),
    },
    {"mode": "mixed", "lang": "ned", "limit": 0},
)


def cost_of_weighing(row: Row) -> float:
    """CPU of a pass at p = 1, of one at p = 2."""
    seconds = {norm["p"]: norm["cpu_pass"] for norm in row["norms"]}
    return seconds[1.0] / seconds[2.0]


TABLES = (TRAINING, PAPER, SPEED, STARTUP, MIXED)
