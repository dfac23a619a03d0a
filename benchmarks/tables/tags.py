"""Tables of part-of-speech tags: the rows of ``benchmarks.tagging``."""

from .table import Column, Line, Table


def _of(corpus: str, label: str, contestant: str) -> Line:
    return Line(label, {"corpus": corpus, "contestant": contestant})


TRAINING = Table(
    "tagging-training",
    "tagging",
    ("Part-of-speech tags", ""),
    (
        Column("training, CPU s", "cpu", best="min"),
        Column("times ours", "cpu", per_first=True),
        Column("dev", "accuracy_dev", "{:.2f}", score=True),
        Column("test", "accuracy_test", "{:.2f}", score=True),
        Column("unknown words, test", "unknown_test", score=True),
        Column("ours is ahead by", lambda row: (row.get("ahead") or {}).get("difference"), "{:+.2f}", score=True),
        Column("p value", lambda row: (row.get("ahead") or {}).get("p"), "{:.4f}", score=True),
        Column("peak MB", "peak_mb", "{:,.0f}", best="min"),
        Column("model, MB", "model_mb", best="min"),
    ),
    {
        "GENIA": (
            _of("genia", "spacy_mtl, `pos.v1`", "ours"),
            _of("genia", "python-crfsuite, `ap`", "crfsuite ap"),
            _of("genia", "python-crfsuite, `pa`", "crfsuite pa"),
        ),
        "Swedish, universal tags": (
            _of("swedish", "spacy_mtl, `pos.v1`", "ours"),
            _of("swedish", "python-crfsuite, L-BFGS", "crfsuite lbfgs"),
            _of("swedish", "python-crfsuite, `ap`", "crfsuite ap"),
            _of("swedish", "python-crfsuite, `pa`", "crfsuite pa"),
        ),
    },
    {"mode": "train", "limit": 0},
)
SPEED = Table(
    "tagging-speed",
    "tagging",
    ("GENIA", "words a CPU second, text not seen before"),
    (
        Column("from raw text", "new_text", "{:,.0f}", "max", {"source": "text"}),
        Column("ours : it", "ratio_new_text", "{:.1f}", "", {"source": "text"}),
        Column("from tokens", "new_text", "{:,.0f}", "max", {"source": "docs"}),
        Column("ours : it", "ratio_new_text", "{:.1f}", "", {"source": "docs"}),
    ),
    {
        "": (
            Line("spacy_mtl, `pos.v1`", {"contestant": "ours"}),
            Line("spaCy `tagger`, efficiency preset", {"contestant": "spaCy tagger"}),
            Line("python-crfsuite, features in Python", {"contestant": "crfsuite"}),
        ),
    },
    {"mode": "speed", "corpus": "genia", "limit": 0},
)
TABLES = (TRAINING, SPEED)
