"""Structure regularization: score and training time against the size of the mini-samples, ``python -m benchmarks.structreg MODE --help``.

Part-of-speech tags (genia-pos, accuracy), biomedical entities (ncbi-disease, entity F1), Chinese words (sxu, word F1) and sensors (occupancy,
accuracy), by a CRF with averaged
stochastic gradient descent and by the averaged perceptron. One core, CPU seconds of training alone: features are made once and not counted, nor is
scoring.
"""

import typer

from .folds import folds
from .sizes import sizes

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(sizes)
app.command()(folds)
