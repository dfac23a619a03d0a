"""Tables of the l1-M3N paper's experiments on made-up chains: the rows of ``benchmarks.synthetic``."""

from benchmarks.synthetic.pairs import PAIRS
from benchmarks.synthetic.runs import ALGORITHMS, MODELS, Model, shown

from .table import Column, Line, Table


def lines_of(model: Model) -> tuple[Line, ...]:
    return tuple(Line(shown(point), {"model": model.name, "constant": shown(point)}) for point in model.grid)


#: Table 1 and Figure 5.
SPARSITY = Table(
    "chains-sparsity",
    "synthetic",
    ("algorithm", "constant"),
    (
        Column("not 0 in the mean of all folds, of 200", "average_total", "{:.0f}"),
        Column("irrelevant, of 140", "average_irrelevant", "{:.0f}"),
        Column("not 0 in one fold", "total"),
        Column("irrelevant", "irrelevant"),
        Column("labels wrong, %", "error", best="min"),
        Column("CPU s", "cpu", "{:.2f}"),
    ),
    {model.name: lines_of(model) for model in ALGORITHMS},
    {"benchmark": "synthetic_sparsity", "mode": "table", "data_set": 0, "most_folds": None},
)
#: The models of Figure 2; two more of ours, which leave fewer weights, are left out.
OF_FIGURE_2 = MODELS[:6]
SIZES = (50, 100, 150, 200, 250)
ERRORS = Table(
    "chains-errors",
    "synthetic",
    ("Labels wrong, %", ""),
    (
        *(Column(f"{size} sequences", "error", "{:.2f}", "min", {"size": size}, spread=True) for size in SIZES),
        *(
            Column(f"irrelevant weights, of 140, {size}", "irrelevant", "{:.0f}", "", {"size": size})
            for size in (SIZES[0], SIZES[-1])
        ),
    ),
    {"": tuple(Line(model.name, {"model": model.name}) for model in OF_FIGURE_2)},
    {"benchmark": "synthetic_sparsity", "mode": "errors", "most_folds": None},
)


DIFFERENCES = Table(
    "chains-pairs",
    "synthetic",
    ("Labels wrong, %", "sequences"),
    (
        Column("the first less the second", "difference", "{:.2f}"),
        Column("from", "low", "{:.2f}"),
        Column("to", "high", "{:.2f}"),
        Column("data sets, of 10, where the first errs less", "fewer", "{:.0f}"),
    ),
    {
        f"{one}; {other}": tuple(Line(f"{size}", {"model": one, "other": other, "size": size}) for size in SIZES)
        for one, other in PAIRS
    },
    {"benchmark": "synthetic_sparsity", "mode": "pairs", "data_sets": 10},
)
#: Figure 3.
WEIGHTS = Table(
    "chains-weights",
    "synthetic",
    ("Weights that are not 0, 100 sequences", ""),
    (Column("of 200", "total", "{:.0f}"), Column("irrelevant, of 140", "irrelevant", "{:.0f}")),
    {"": tuple(Line(name, {"model": name}) for name in ("generating CRF", *(m.name for m in OF_FIGURE_2[1:])))},
    {"benchmark": "synthetic_sparsity", "mode": "weights", "data_set": 0},
)
TABLES = (SPARSITY, ERRORS, DIFFERENCES, WEIGHTS)
