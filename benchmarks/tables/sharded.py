"""The tables of trainings in shards: the rows of ``benchmarks.distributed``."""

from .table import Column, Line, Table

SIMULATED = Table(
    "simulated-workers",
    "distributed",
    ("", "workers"),
    (
        Column("rounds to a gap of 5%", "rounds_5", "{:.0f}"),
        Column("gap reached", "gap", "{:.1%}"),
        Column("CPU s to 5%", "cpu_5", "{:.1f}"),
        Column("bytes to a worker a round", "sent", "{:,.0f}"),
        Column("from a worker", "received", "{:,.0f}"),
        Column("live weights, bytes", "live_bytes", "{:,.0f}"),
    ),
    {"": tuple(Line(str(k), {"workers": k}) for k in (1, 16, 64))},
    {"benchmark": "distributed", "mode": "simulate", "sentences": 2000, "passes": 2},
)
ON_RAY = Table(
    "ray-workers",
    "distributed",
    ("", ""),
    (
        Column("s to the first round", "ready_s", "{:.1f}"),
        Column("rounds", "rounds", "{:.0f}"),
        Column("gap reached", "gap", "{:.1%}"),
        Column("s of rounds", "wall_s", "{:.1f}"),
        Column("to those of one", "wall_s", "{:.2f}", per_first=True),
        Column("CPU s of rounds, all processes", "cpu_s", "{:.1f}"),
        Column("to those of one", "cpu_s", "{:.2f}", per_first=True),
        Column("MB exchanged", "megabytes", "{:,.0f}"),
    ),
    {
        name: (Line("one worker", {**of, "workers": 1}), Line("two workers", {**of, "workers": 2}))
        for name, of in (
            ("Danish trees, `parser.cfg`, C = 0.03, two passes a round", {"component": "parser", "passes": 2}),
            ("the same, a pass a round", {"component": "parser", "passes": 1}),
            ("Spanish entities, `tp1.v1`, C = 0.1, two passes a round", {"component": "ner", "passes": 2}),
        )
    },
    {"benchmark": "distributed", "mode": "ray", "limit": 0, "cpus": 2},
)
_HOW = {0: "`spacy train`", 1: "`spacy mtl train`", 2: "`spacy mtl train --ray local --workers 2`"}
LARGE = Table(
    "large-corpora",
    "distributed",
    ("words", "command"),
    (
        Column("different words", "forms", "{:,.0f}"),
        Column("memory of all processes, GB", lambda row: row["peak_bytes"] / 1e9, "{:.1f}"),
        Column("gap reached", "gap", "{:.1%}"),
        Column("F1 on dev", "ents_f", "{:.1%}"),
    ),
    {
        f"{words // 1_000_000} million": tuple(Line(_HOW[k], {"workers": k, "words": words}) for k in counts)
        for words, counts in ((4_000_027, (0, 1, 2)), (20_000_047, (2,)))
    },
    {"benchmark": "distributed", "mode": "large"},
)
TABLES = (SIMULATED, ON_RAY, LARGE)
