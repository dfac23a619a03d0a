"""Interrupts of commands are told at any time."""

import sys
from types import ModuleType

from spacy.cli import app
from typer.testing import CliRunner


def test_an_interrupt_while_a_command_imports_what_it_needs_is_told(tmp_path, monkeypatch):
    class Slow(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "spacy_mtl.report", Slow("spacy_mtl.report"))
    result = CliRunner().invoke(app, ["mtl", "report", str(tmp_path)])
    assert (result.exit_code, result.stderr) == (130, "Interrupted.\n")
