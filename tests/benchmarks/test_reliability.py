"""The table of hostile use: what fails is counted and ends the program with exit code 1, also where a subject itself cannot run."""

import sys
from types import ModuleType

import pytest
from typer.testing import CliRunner

from benchmarks.common.rows import read_rows
from benchmarks.reliability import subjects
from benchmarks.reliability.plan import Plan
from benchmarks.reliability.program import app


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_list_of_subjects():
    shown = invoke("--list")
    assert shown.exit_code == 0
    assert all(name in shown.output for name in subjects.SUBJECTS)
    assert invoke("--only", "nothing").exit_code == 2


@pytest.fixture
def subject(monkeypatch):
    """subject(failures): has the table consist of one subject with one row, or one that raises what it is given."""

    def subject(failures):
        def run(plan):
            assert not list(plan.folder.iterdir())
            if isinstance(failures, Exception):
                raise failures
            yield plan.row("made_up", "a case", plan.size(10, 100), failures)

        module = ModuleType("benchmarks.reliability.made_up")
        module.run = run
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(subjects, "SUBJECTS", {"made_up": "it works"})
        monkeypatch.setattr("benchmarks.reliability.program.SUBJECTS", subjects.SUBJECTS)

    return subject


@pytest.mark.parametrize(
    ("failures", "code", "tried"), [([], 0, 10), (["seed 3: crash"], 1, 10), (RuntimeError("no worker"), 1, 0)]
)
def test_what_fails_ends_with_exit_code_1(subject, tmp_path, failures, code, tried):
    subject(failures)
    shown = invoke("--json", tmp_path / "rows.jsonl")
    assert shown.exit_code == code
    (row,) = read_rows(tmp_path / "rows.jsonl")
    assert (row["mode"], row["size"], row["tried"], row["failed"]) == ("made_up", "quick", tried, code)
    assert ("seed 3: crash" in shown.output) == (failures == ["seed 3: crash"])
    if tried == 0:
        assert "RuntimeError: no worker" in row["failures"][0]


def test_sizes(tmp_path):
    assert Plan(False, tmp_path).size(3, 5) == 3
    assert Plan(True, tmp_path).size(3, 5) == 5
    assert Plan(True, tmp_path, count=1).size(3, 5) == 1
    assert Plan(True, tmp_path, case="ner").wants("ner")
    assert not Plan(True, tmp_path, case="ner").wants("tagger")
