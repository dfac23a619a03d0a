"""Tables of the trainers side by side: the rows of ``benchmarks.trainers``."""

from .table import Column, Line, Table

DUAL = Table(
    "dual-objective",
    "trainers",
    ("Dual of the structural SVM after 20 passes", ""),
    (
        Column("dual", "dual", best="max"),
        Column("% of the highest", "share"),
        Column("CPU s", "cpu", best="min"),
    ),
    {
        "1,000 Spanish sentences, `ner.v1`, C = 1": tuple(
            Line(label, {"contestant": contestant})
            for label, contestant in (
                ("dual ascent", "dual ascent"),
                ("exponentiated gradient, online", "EG online"),
                ("cutting plane", "cutting plane"),
                ("exponentiated gradient, batch", "EG batch"),
                ("online, the rates that are safe by theory", "EG online, safe rates"),
                ("batch, the rate that is safe by theory", "EG batch, safe rate"),
            )
        )
    },
    {"benchmark": "dual_objective", "C": 1.0, "sentences": 1000, "templates": "ner.v1"},
)
PROX = Table(
    "online-mkl-steps",
    "trainers",
    ("A sentence of `OnlineMKL`, made-up text", ""),
    (
        Column("blocks scaled, microseconds", "ours", "{:,.0f}", "min"),
        Column("every weight written, microseconds", "dense", "{:,.0f}"),
        Column("ratio", "ratio", "{:,.0f}"),
    ),
    {
        "features": tuple(
            Line(f"{features:,}", {"features": features}) for features in (10_000, 100_000, 1_000_000, 3_000_000)
        )
    },
    {"benchmark": "online_mkl", "mode": "prox"},
)
TABLES = (DUAL, PROX)
