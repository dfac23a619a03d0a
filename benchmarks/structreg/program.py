"""Structure regularization: score and training time against the size of the mini-samples, ``python -m benchmarks.structreg MODE --help``.

Part-of-speech tags (genia-pos, accuracy), biomedical entities (ncbi-disease, entity F1), Chinese words (sxu, word F1) and sensors (occupancy,
accuracy), by a CRF with averaged
stochastic gradient descent and by the averaged perceptron. One core, CPU seconds of training alone: features are made once and not counted, nor is
scoring.
"""

from pathlib import Path
from typing import Annotated

import typer

from benchmarks.common.rows import RESULTS, read_rows

from .folds import folds
from .runs import curves_of
from .sizes import sizes

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(sizes)
app.command()(folds)


@app.command()
def plots(
    path: Annotated[Path, typer.Argument(help="A .png or .svg file.")],
    json: Annotated[Path, typer.Option("--json", help="Rows of sizes.")] = RESULTS / "structreg.jsonl",
) -> None:
    """Figures 2 and 3: score and training time by size, of every task that was measured."""
    from .plot import draw

    draw(path, curves_of([row for row in read_rows(json) if row["mode"] == "structreg"]))
