"""Benchmarks of chains over handwritten letters: one mode a question, ``python -m benchmarks.letters MODE --help``.

Everything runs on one core; seconds are CPU seconds; kernels are compiled before anything is timed.
With --json FILE a run that was broken off goes on.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.common.rows import Row, append_rows, progress, read_rows, show

if TYPE_CHECKING:
    from .data import Letters
    from .runs import Contestant, Plan

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
CorporaOption = Annotated[
    Path,
    typer.Option(
        "--corpora", envvar="SPACY_MTL_CORPORA", exists=True, file_okay=False, help="Folder with ocr-letters/."
    ),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", help="Add the rows to this file; what it has is not run again.")
]
QuickOption = Annotated[bool, typer.Option("--quick", help="A few words of three folds: about a minute.")]
PlotOption = Annotated[Path | None, typer.Option("--plot", help="Draw the results (.png or .svg).")]
TrainerOption = Annotated[list[str] | None, typer.Option("--trainer", help="OnlineMKL, MTLstruct; both if not given.")]
WordsOption = Annotated[int | None, typer.Option(help="Words of each fold that are used; all if not given.")]
MKL_PAIRS = {
    "trainer": "trainer",
    "contestant": "first",
    "other": "second",
    "difference": "difference",
    "low": "from",
    "high": "to",
    "fewer": "folds with fewer errors",
}
MKL = {
    "trainer": "trainer",
    "contestant": "kernels",
    "accuracy": "letters right, %",
    "deviation": "±",
    "paper": "paper",
    "cpu": "CPU s",
    "cpu_problem": "for kernels",
    "chosen": "chosen",
    "weights": "shares",
    "runs": "runs",
}
PAIRS = {
    "words": "words",
    "contestant": "first",
    "other": "second",
    "error": "error, %",
    "error_other": "of the second",
    "difference": "difference",
    "low": "from",
    "high": "to",
    "fewer": "folds with fewer errors",
    "runs": "of",
}
CURVES = {
    "contestant": "algorithm",
    "constant": "constant",
    "error": "error, %",
    "deviation": "±",
    "non_zero": "not 0",
    "cpu": "CPU s",
}


def letters_of(corpora: Path) -> "Letters":
    """The data. Ends the program with a sentence where they are missing."""
    from .data import read_letters

    path = corpora / "ocr-letters" / "letter.data.gz"
    if not path.is_file():
        raise SystemExit(f"There is no {path}: --corpora wants the folder that has ocr-letters/ in it.")
    return read_letters(path)


def tell(text: str) -> None:
    progress.print(f"[dim]{text}[/dim]", highlight=False)


def run_all(contestants: "Sequence[Contestant]", letters: "Letters", plan: "Plan", json: Path | None) -> list[Row]:
    """The mean row of every contestant; single rows are added to the file as they come."""
    from .runs import mean_row

    means = []
    for contestant, rows in run_singly(contestants, letters, plan, json):
        means.append(mean_row(contestant, rows))
        tell(f"{contestant.trainer}, {contestant.name}: {means[-1]['accuracy']:.2f}")
    return means


def run_singly(
    contestants: "Sequence[Contestant]", letters: "Letters", plan: "Plan", json: Path | None
) -> "Iterator[tuple[Contestant, list[Row]]]":
    """The rows of every contestant, one for each fold."""
    from .runs import runs, warm_up

    known = read_rows(json)
    warm_up(contestants, letters)
    for contestant in contestants:
        rows = []
        for row, is_new in runs(contestant, letters, plan, known, tell):
            append_rows(json, [row] if is_new else [])
            rows += [row] if row["mode"] == "run" else []
        yield contestant, rows


@app.command()
def mkl(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    trainer: TrainerOption = None,
    passes: Annotated[int, typer.Option(help="Over the training fold.")] = 20,
    runs: Annotated[int, typer.Option(min=1, help="Folds to train on, one after another.")] = 10,
    row: Annotated[
        list[int] | None, typer.Option(min=1, max=10, help="Rows of the table, from 1; all if not given.")
    ] = None,
    eta0: Annotated[
        float | None, typer.Option(min=1e-6, help="OnlineMKL: one rate for all rows; chosen for each if not given.")
    ] = None,
    words: WordsOption = None,
) -> None:
    """Kernels alone, averaged and combined, as Table 1 of the OnlineMKL paper: training on one fold, testing on the others.

    C and the rate are chosen on fold 0, on two thirds of its words for the last third; fold 0 is then left out of the test of all other runs.
    Pairs are compared fold by fold.
    """
    from . import mkl
    from .l1m3n import pair_row
    from .runs import mean_row

    letters, rates = letters_of(corpora), mkl.RATES if eta0 is None else (eta0,)
    trainers = trainer or ["OnlineMKL", "MTLstruct"]
    contestants = mkl.contestants(trainers, 5 if quick else passes, quick, row or (), rates)
    plan = mkl.plan(letters, 3, 40) if quick else mkl.plan(letters, most=words, n_runs=runs)
    means, by_name = [], {}
    for contestant, rows in run_singly(contestants, letters, plan, json):
        means.append(mean_row(contestant, rows))
        by_name[contestant.trainer, contestant.name] = rows
    pairs = [
        {"benchmark": "ocr", "mode": "pair", "plan": plan.name, "trainer": kind, "contestant": one, "other": other}
        | pair_row(by_name[kind, one], by_name[kind, other])
        for kind in trainers
        for one, other in mkl.PAIRS
        if {(kind, one), (kind, other)} <= by_name.keys()
    ]
    append_rows(json, pairs)
    show("Errors of the first less those of the second, 95% intervals", MKL_PAIRS, pairs)
    show("Handwritten letters: kernels alone, averaged and weighed", MKL, means)
    if plot is not None:
        from .plots import plot_table

        plot_table(plot, means)


@app.command()
def wrappers(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    C: Annotated[float, typer.Option("--C", help="Weight of the losses.")] = 100.0,
    eta0: Annotated[list[float] | None, typer.Option(help="Learning rates; each method shows its best.")] = None,
    passes: Annotated[int, typer.Option(help="Of each method.")] = 100,
    words: WordsOption = None,
) -> None:
    """Online kernel learning against two wrappers around structured Pegasos, as Figure 1: objective against passes, L + Q + G on fold 1."""
    from . import wrappers
    from .runs import Contestant, make_problem

    letters = letters_of(corpora)
    chosen = letters.words(1)[: 40 if quick else words]
    problem = make_problem(Contestant("", "L,Q,G", "OnlineMKL"), letters.part(chosen))
    settings = {"C": C, "passes": 20 if quick else passes}
    curves = {}
    for method in wrappers.METHODS:
        rows = [wrappers.run(method, problem, eta0=rate, **settings) for rate in eta0 or wrappers.RATES]
        append_rows(json, [{"benchmark": "ocr", "mode": "wrappers", "words": chosen.size, **row} for row in rows])
        best = min(rows, key=lambda row: row["points"][-1][1])
        tell(f"{method}: {best['points'][-1]}")
        curves[method] = best
    show(f"Objective of sparse kernel learning, C = {C:g}", wrappers.COLUMNS, wrappers.table(curves))
    if plot is not None:
        from .plots import plot_objectives

        plot_objectives(plot, {method: row["points"] for method, row in curves.items()})


@app.command()
def l1m3n(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    plot: PlotOption = None,
    curves: Annotated[
        bool, typer.Option("--curves", help="Error and CPU against the constant, 100 words, as Figure 6.")
    ] = False,
    size: Annotated[list[int] | None, typer.Option(help="Training words: 100, 150, 200, 250.")] = None,
) -> None:
    """Few training words, as Figure 4 of the l1-M3N paper: error and non-zero weights of models with different penalties.

    Constants are chosen on fold 0, on words that are not used otherwise; fold 0 is then left out of the test of all other runs.
    """
    from . import l1m3n

    letters, n_folds = letters_of(corpora), 3 if quick else 10
    if curves:
        plan = l1m3n.plan(letters, 100, n_folds)
        rows = l1m3n.by_constant(run_all(l1m3n.curves(), letters, plan, json))
        show("Handwritten letters, 100 words: l1-M3N against its constants", CURVES, rows)
        if plot is not None:
            from .plots import plot_constants

            plot_constants(plot, rows)
        return
    sizes = (30,) if quick else tuple(size or l1m3n.SIZES)
    plans = {size: l1m3n.plan(letters, size, n_folds) for size in sizes}
    by_size = {size: run_all(l1m3n.CONTESTANTS, letters, plan, json) for size, plan in plans.items()}
    columns = {"contestant": "model"} | {f"error_{size}": f"error %, {size} words" for size in sizes}
    columns |= {f"non_zero_{size}": f"not 0, {size}" for size in sizes} | {"cpu": "CPU s a run"}
    show("Handwritten letters, few words", columns, l1m3n.by_size(l1m3n.CONTESTANTS, by_size))
    if plot is not None:
        from .plots import plot_sizes

        plot_sizes(plot, by_size)


@app.command()
def claim(
    corpora: CorporaOption,
    json: JsonOption = None,
    quick: QuickOption = False,
    size: Annotated[list[int] | None, typer.Option(help="Training words; 100 and 250 if not given.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="Only so many pairs, from the first.")] = None,
    models: Annotated[bool, typer.Option("--models", help="Pairs of the models of Figure 4 instead.")] = False,
) -> None:
    """Does the l1-M3N err less than the M3N, and if not, why? Pairs of contestants, fold by fold: 95% intervals of the difference of their errors."""
    from . import l1m3n

    letters, n_folds, shown = letters_of(corpora), 3 if quick else 10, []
    pairs = (l1m3n.MODELS if models else l1m3n.CLAIM)[: 1 if quick else most]
    contestants = list({one.name: one for pair in pairs for one in pair}.values())
    for words in (30,) if quick else size or (100, 250):
        plan = l1m3n.plan(letters, words, n_folds)
        found = {one.name: rows for one, rows in run_singly(contestants, letters, plan, json)}
        rows: list[Row] = []
        for one, other in pairs:
            about = {"benchmark": "ocr", "mode": "pair", "plan": plan.name, "words": words}
            about |= {"contestant": one.name, "other": other.name}
            for key, name in (("error", one.name), ("error_other", other.name)):
                about[key] = 100 - sum(row["accuracy"] for row in found[name]) / len(found[name])
            rows.append(about | l1m3n.pair_row(found[one.name], found[other.name]))
        append_rows(json, rows)
        shown += rows
    show("Handwritten letters: error of the first less that of the second", PAIRS, shown)
