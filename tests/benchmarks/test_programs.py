"""Every benchmark is a program that says what it does, and importing it changes nothing in this process."""

import os
from importlib import import_module

import pytest
from typer.testing import CliRunner

TASKS = (
    "arcs",
    "cluster",
    "constituents",
    "door",
    "insight",
    "learning_on",
    "letters",
    "mtlstruct",
    "ner",
    "outside",
    "parsing",
    "segmentation",
    "structreg",
    "synthetic",
    "tagging",
    "threads",
    "trainers",
    "ud",
)


@pytest.mark.parametrize("task", TASKS)
def test_every_mode_explains_itself(task):
    before = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    program = import_module(f"benchmarks.{task}.program")
    assert f"python -m benchmarks.{task} MODE --help" in program.__doc__.replace("\n", " ")
    modes = [command.name or command.callback.__name__ for command in program.app.registered_commands]
    assert modes
    for mode in modes:
        shown = CliRunner().invoke(program.app, [mode, "--help"])
        assert shown.exit_code == 0, shown.output
        assert "--json" in shown.output or "file of rows" in shown.output  # rows are kept, or kept ones are drawn
    if before is not None:
        assert os.sched_getaffinity(0) == before
