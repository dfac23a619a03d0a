"""The tables of pruning, active learning and tuning: rows of ``benchmarks.insight``."""

from benchmarks.common.rows import Row

from .table import Column, Line, Table


def needed(row: Row) -> float:
    """Tokens until the score was reached; all of them where it was not, which is too few."""
    return row["points"][-1]["tokens"] if row["needed"] is None else row["needed"]


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
    (Column("tokens needed", needed, "{:,.0f}"),),
    {
        "CoNLL-2002, Spanish": (
            Line("entropy by token, without repetition", {"by": "entropy"}),
            Line("chance", {"by": "random"}),
        )
    },
    {"benchmark": "insight", "mode": "active", "limit": 0},
)
TUNED = Table(
    "tuned",
    "insight",
    ("search", "begun with"),
    (
        Column("trials", "trials", "{:.0f}"),
        Column("CPU s", "cpu", "{:.0f}"),
        Column("F1 testa, found", "f1_testa", "{:.2f}"),
        Column("testa, by hand", "chosen_f1_testa", "{:.2f}"),
        Column("F1 testb, found", "f1_testb", "{:.2f}"),
        Column("testb, by hand", "chosen_f1_testb", "{:.2f}"),
        Column("difference", "difference", "{:+.2f}"),
        Column("p value", "p_value", "{:.4f}"),
    ),
    {
        "Spanish, C and p of `ner.v1`": (
            Line("C = 0.3, p = 1.3333", {"lang": "esp", "begun": "C = 0.3, p = 1.3333"}),
            Line("C = 1, p = 2", {"lang": "esp", "begun": "C = 1, p = 2"}),
        )
    },
    {"benchmark": "insight", "mode": "tune", "limit": 0},
)
TABLES = (PRUNED, ACTIVE, TUNED)
