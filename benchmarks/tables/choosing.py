"""The tables of pruning and of active learning: rows of ``benchmarks.insight``."""

from .table import Column, Line, Table

PRUNED = Table(
    "pruned",
    "insight",
    ("corpus", "templates"),
    (
        Column("templates", "full_templates", "{:.0f}"),
        Column("F1 testb", "full_f1_testb", "{:.2f}"),
        Column("templates kept", "templates", "{:.0f}"),
        Column("F1 testb with these", "f1_testb", "{:.2f}"),
        Column("times the words/s", "times", "{:.2f}"),
    ),
    {"CoNLL-2002": (Line("Spanish, `conll2002.v1`", {"lang": "esp"}),)},
    {"benchmark": "insight", "mode": "prune", "limit": 0},
)
ACTIVE = Table(
    "active",
    "insight",
    ("corpus", "sentences chosen by"),
    (Column("tokens needed", "needed", "{:,.0f}"),),
    {
        "CoNLL-2002, Spanish": (
            Line("entropy by token, without repetition", {"by": "entropy"}),
            Line("chance", {"by": "random"}),
        )
    },
    {"benchmark": "insight", "mode": "active", "limit": 0},
)
TABLES = (PRUNED, ACTIVE)
