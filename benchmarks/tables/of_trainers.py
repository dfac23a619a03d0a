"""Tables of the trainers side by side: the rows of ``benchmarks.trainers``."""

from collections.abc import Callable

from benchmarks.common.rows import Row

from .table import Column, Line, Table


def after(passes: int) -> Callable[[Row], float | None]:
    """The dual after so many passes, of a training that ended before the last; none of those that are below 0."""

    def dual(row: Row) -> float | None:
        points = [point["dual"] for point in row["points"] if point["passes"] <= passes]
        return points[-1] if points and points[-1] >= 0 and row["points"][-1]["passes"] >= 1 else None

    return dual


def curves(name: str, head: str, lines: dict[str, str], passes: tuple[int, ...], where: Row) -> Table:
    """The dual objective after some of the passes. lines: what a contestant is called, by its name."""
    columns = (
        *(Column("after 1 pass" if n == 1 else str(n), after(n), "{:,.2f}", "max") for n in passes),
        Column("% of the highest", "share", "{:.1f}"),
        Column("rate at the end", "rate", "{:.2g}"),
        Column("CPU s a pass", lambda row: row["cpu"] / row["passes"], "{:.3f}"),
    )
    group = tuple(Line(label, {"contestant": contestant}) for contestant, label in lines.items())
    return Table(name, "trainers", (head, ""), columns, {"": group}, {"benchmark": "dual_objective", **where})


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
OF_EG = {
    "SMO": "SMO",
    "EG online, eta 0.5": "EG, eta = 0.5, as in the paper",
    "EG online, eta 1": "EG, eta = 1, as in the paper",
    "EG online": "EG, rates that grow until a step fails",
    "EG online after 3 of SMO": "the hybrid: EG after 3 passes of SMO",
    "EG batch": "EG, all sentences at once",
    "EG online, safe rates": "EG, rates that are safe by theory",
    "EG batch, safe rate": "EG, all at once, safe rate",
    "cutting plane": "cutting plane",
    "dual ascent": "dual ascent",
}
FIGURE_4 = curves(
    "eg-figure-4",
    "Dual objective, 1,000 Spanish sentences, C = 1",
    OF_EG,
    (1, 5, 10, 20, 40, 99),
    {"templates": "edges", "C": 1.0, "lang": "esp", "sentences": 1000},
)
WITHOUT_SMO = {
    name: label
    for name, label in OF_EG.items()
    if name not in ("SMO", "EG online, eta 0.5", "EG online, eta 1", "EG online after 3 of SMO")
}
TREES = curves(
    "eg-trees",
    "Dual objective, 60 trees, C = 1",
    WITHOUT_SMO,
    (1, 5, 10, 15),
    {"lang": "ptb-sample", "C": 1.0},
)
TABLES = (DUAL, PROX, FIGURE_4, TREES)
