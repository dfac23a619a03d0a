"""Benchmarks of the trainers side by side: one mode a question, ``python -m benchmarks.trainers MODE --help``.

Every trainer runs in a process of its own on one core; seconds are CPU seconds; kernels are compiled before anything is measured.
"""

import typer

from .dual_objective import dual_objective, dual_plot
from .memory import memory
from .online_mkl import conll, prox

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
app.command()(memory)
app.command("dual-objective")(dual_objective)
app.command("dual-plot")(dual_plot)
app.command("mkl-steps")(prox)
app.command("mkl-conll")(conll)
