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
    ("", "Spanish entities, to a gap of 2%"),
    (
        Column("s to the first round", "ready_s", "{:.1f}"),
        Column("rounds", "rounds", "{:.0f}"),
        Column("s of rounds", "wall_s", "{:.1f}"),
        Column("s a round", "round_s", "{:.2f}"),
        Column("CPU s of rounds", "cpu_s", "{:.1f}"),
        Column("MB exchanged", "megabytes", "{:,.0f}"),
    ),
    {"": (Line("one worker", {"workers": 1}), Line("two workers", {"workers": 2}))},
    {"benchmark": "distributed", "mode": "ray", "component": "ner", "limit": 0, "passes": None},
)
PASSES = Table(
    "ray-passes",
    "distributed",
    ("Spanish entities, to a gap of 2%", ""),
    (
        Column("rounds", "rounds", "{:.0f}"),
        Column("gap reached", "gap", "{:.1%}"),
        Column("CPU s of rounds, all processes", "cpu_s", "{:.1f}"),
        Column("MB exchanged", "megabytes", "{:,.0f}"),
    ),
    {
        name: (
            Line("one worker", {"workers": 1, "passes": passes}),
            Line("two workers", {"workers": 2, "passes": passes}),
        )
        for passes, name in ((1, "a pass a round"), (2, "two passes a round"))
    },
    {"benchmark": "distributed", "mode": "ray", "component": "ner", "limit": 0},
)
TABLES = (SIMULATED, ON_RAY, PASSES)
