"""Tables of structure regularization: the rows of ``benchmarks.structreg``."""

from benchmarks.common.rows import Row, best_point

from .table import Column, Line, Table

TRAINERS = {"crf": "CRF by SGD", "perceptron": "averaged perceptron"}


def at_best(key: str):
    """A figure at the pass that is best on dev."""
    return lambda row: best_point(row["points"], "dev")[key]


def ahead(key: str):
    """Of the comparison with whole sentences; None for these themselves."""
    return lambda row: row.get("ahead", {}).get(key)


def per_pass(row: Row) -> float:
    """CPU seconds."""
    return row["points"][-1]["cpu"] / row["points"][-1]["passes"]


def table(
    task: str,
    name: str,
    heading: str,
    sizes: tuple[float, ...],
    trainers: tuple[str, ...] = tuple(TRAINERS),
    **where: object,
) -> Table:
    """Whole sentences and mini-samples of each size, by each trainer."""
    return Table(
        f"structreg-{name}",
        "structreg",
        (heading, "mini-samples of"),
        (
            Column("dev", at_best("dev"), "{:.2f}", "max", spread=True),
            Column("test", at_best("test"), "{:.2f}", "max", spread=True),
            Column("test, ahead of whole sentences", ahead("difference"), "{:.2f}"),
            Column("p value", ahead("p"), "{:.4f}"),
            Column("CPU s a pass", per_pass, "{:.3f}", "min"),
            Column("CPU s to the best pass", at_best("cpu"), "{:.2f}", "min"),
        ),
        {
            TRAINERS[trainer]: tuple(
                Line(f"{size:g}" if size else "whole sentences", {"trainer": trainer, "size": size})
                for size in (0.0, *sizes)
            )
            for trainer in trainers
        },
        {"mode": "structreg", "task": task, **where},
    )


SENSORS = table("sensors", "sensors", "A room's sensors, accuracy", (20.0, 5.5, 2.0))
ENTITIES = table(
    "entities-iob2",
    "entities",
    "Biomedical entities (NCBI disease), F1",
    (5.5, 2.0),
    limit=0,
    passes=5,
)
TAGS = table("tags-rich", "tags", "Tags (GENIA, rich edges), accuracy", (5.5,), limit=0, passes=3)
WORDS = table("words", "words", "Chinese words (SXU, 8,000 sentences), F1", (10.0, 5.5, 2.0), limit=8000, passes=10)
TABLES = (SENSORS, ENTITIES, TAGS, WORDS)
