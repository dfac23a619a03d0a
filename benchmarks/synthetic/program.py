"""Feature selection on made-up chains: section 5.1 and Table 1 of the l1-M3N paper, ``python -m benchmarks.synthetic MODE --help``.

100 features, of which 30 matter, in groups of three copies; two labels, so 200 state weights and 140 irrelevant ones. Everything runs on one core;
seconds are CPU seconds; kernels are compiled before anything is timed. With --json FILE a run that was broken off goes on.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.common.rows import Row, append_rows, find_row, progress, read_rows, show

if TYPE_CHECKING:
    from .runs import Model

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
JsonOption = Annotated[
    Path | None, typer.Option("--json", help="Add the rows to this file; what it has is not run again.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="One data set, few folds: about a minute.")]
PlotOption = Annotated[Path | None, typer.Option("--plot", help="Draw the results (.png or .svg).")]
TABLE = {
    "model": "algorithm",
    "constant": "constant",
    "best": "chosen",
    "total": "not 0, of 200",
    "irrelevant": "irrelevant, of 140",
    "average_total": "of the average",
    "average_irrelevant": "irrelevant",
    "error": "error, %",
    "error_choice": "on validation",
    "cpu": "CPU s",
}
#: Models of Figure 3.
FIGURE_3 = ("l2-CRF", "l1-CRF", "M3N", "LapM3N", "l1-M3N")
FIGURE_3_COLUMNS = {
    "model": "model",
    "constant": "constant",
    "total": "not 0, of 200",
    "irrelevant": "irrelevant, of 140",
}
NOTE = (
    "Means over folds; 'of the average': weights that are not 0 in the mean of all folds' weights, as the paper counts. best: least error on "
    "validation; sparsest: fewest weights within one standard error of it."
)


def warm_up(models: "Sequence[Model]") -> None:
    """Train every model on little, so that no kernel is compiled or loaded while we measure."""
    from dataclasses import replace

    from .data import make_data
    from .runs import run

    data = make_data(99, 8, 2)
    for model in models:
        run(replace(model, passes=12), model.grid[0], data, data.folds(2)[0])


def kept(rows: "Iterator[Row]", about: Row, json: Path | None) -> list[Row]:
    """The rows, added to the file as they come."""
    out = []
    for row in rows:
        row = {**about, **row}
        append_rows(json, [row])
        progress.print(
            f"[dim]{row['model']}: {row['error']:.2f}% wrong, {row.get('irrelevant', 0):.1f} irrelevant[/dim]"
        )
        out.append(row)
    return out


@app.command()
def errors(
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    data_sets: Annotated[int, typer.Option(min=1, help="From models of their own.")] = 10,
    size: Annotated[list[int] | None, typer.Option(help="Training sequences: 50, 100, 150, 200, 250.")] = None,
    model: Annotated[list[str] | None, typer.Option(help="Names as in the table; all if not given.")] = None,
    most_folds: Annotated[int | None, typer.Option(help="Train on so many folds only.")] = None,
) -> None:
    """Error against the number of training sequences, as Figure 2: train on one fold, test on all others.

    The constant of a model is the one with the least error on 500 further sequences of the same data set, a mean over the folds trained on; where it
    is to be sparse, of all constants within one standard error of that one, the one that leaves the fewest weights.
    """
    from .data import N_FOLDS, make_data
    from .runs import MODELS, by_size, errors, generating_error

    unknown = set(size or ()) - set(N_FOLDS)
    if unknown:
        raise SystemExit(f"--size is one of {', '.join(map(str, N_FOLDS))}.")
    models = [one for one in MODELS if one.name in (model or [one.name])]
    sizes = [50] if quick else size or list(N_FOLDS)
    data_sets, most_folds = (1, 2) if quick else (data_sets, most_folds)
    warm_up(models)
    known, rows = read_rows(json), []
    for seed in range(data_sets):
        data = make_data(seed)
        for n in sizes:
            about: Row = {
                "benchmark": "synthetic_sparsity",
                "mode": "errors",
                "data_set": seed,
                "most_folds": most_folds,
            }
            found = {one.name: find_row(known, {**about, "size": n, "model": one.name}) for one in models}
            rows += [row for row in found.values() if row is not None]
            missing = [one for one in models if found[one.name] is None]
            rows += kept(errors(missing, data, n, most_folds), about, json)
            rows.append({"model": "generating CRF", "size": n, "error": generating_error(data)})
    columns = {"model": "model"}
    for n in sizes:
        columns |= {f"error_{n}": f"error %, {n}", f"deviation_{n}": "±"}
    columns |= {f"irrelevant_{n}": f"irrelevant, {n}" for n in sizes} | {"cpu": "CPU s"}
    lines = by_size(models, rows)
    show(f"Labels wrong by training sequences, {data_sets} data sets", columns, lines)
    if plot is not None:
        from .plots import plot_errors

        plot_errors(plot, sizes, lines)


@app.command()
def pairs(
    json: Annotated[Path, typer.Option("--json", help="The rows of errors; those of the pairs are added.")],
) -> None:
    """Differences of the errors of two models, data set by data set, with the 95% interval of their mean by t; nothing is trained."""
    from .pairs import compare

    rows = compare([row for row in read_rows(json) if row.get("mode") == "errors" and row["most_folds"] is None])
    append_rows(json, rows)
    columns = {
        "model": "model", "other": "other", "size": "sequences", "difference": "error, %, above the other's", "low": "from", "high": "to",
        "fewer": "data sets where it errs less", "data_sets": "of",
    }  # fmt: skip
    show("Pairs of models", columns, rows)


@app.command("weights")
def average_weights(
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    data_set: Annotated[int, typer.Option(help="Its number.")] = 0,
    most_folds: Annotated[int, typer.Option(min=1, help="Folds of 100 sequences to train on.")] = 3,
) -> None:
    """Weights of every model in the mean over folds, as Figure 3: 100 training sequences, constants chosen as in Figure 2."""
    from .data import N_FOLDS, make_data
    from .runs import MODELS, choose, counts, mean_node, shown

    models = [model for model in MODELS if model.name in FIGURE_3][: 2 if quick else None]
    warm_up(models)
    data = make_data(data_set)
    rows: list[Row] = [{"model": "generating CRF", "weights": data.node.T.tolist(), **counts(data.node)}]
    for model in models:
        constants, outcomes = choose(model, data, data.folds(N_FOLDS[100])[: 1 if quick else most_folds])
        node = mean_node(outcomes)
        rows.append({"model": model.name, "constant": shown(constants), "weights": node.T.tolist(), **counts(node)})
    about = {"benchmark": "synthetic_sparsity", "mode": "weights", "data_set": data_set, "most_folds": most_folds}
    append_rows(json, [about | row for row in rows])
    show("Weights that are not 0 in the mean, 100 training sequences", FIGURE_3_COLUMNS, rows)
    if plot is not None:
        from .plots import plot_weights

        plot_weights(plot, rows)


@app.command()
def table(
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    data_set: Annotated[int, typer.Option(help="Its number; the paper shows the first.")] = 0,
) -> None:
    """Weights that are not 0 by algorithm and constant, as Table 1, with the errors of Figure 5: 100 training sequences."""
    from .data import make_data
    from .runs import ALGORITHMS, mark_best, sparsity

    models = ALGORITHMS[2:] if quick else ALGORITHMS
    warm_up(models)
    known, rows = read_rows(json), []
    data, most = make_data(data_set), 2 if quick else None
    about: Row = {"benchmark": "synthetic_sparsity", "mode": "table", "data_set": data_set, "most_folds": most}
    for model in models:
        found = [
            row for row in known if all(row.get(key) == value for key, value in {**about, "model": model.name}.items())
        ]
        rows += found if len(found) == len(model.grid) else kept(sparsity([model], data, most), about, json)
    mark_best(rows)
    show("Weights that are not 0, 100 training sequences", TABLE, rows, NOTE)
    if plot is not None:
        from .plots import plot_table

        plot_table(plot, rows)
