"""Rows of results: what they say of themselves, and how they are kept and found."""

import json
import re

import pytest

from benchmarks.common import origin
from benchmarks.common.rows import append_rows, epochs_to_try, find_row, read_rows
from benchmarks.tables.checks import faults


def test_rows_are_appended_and_found(tmp_path):
    path = tmp_path / "new" / "rows.jsonl"
    assert read_rows(path) == read_rows(None) == []
    append_rows(path, [{"lang": "esp", "f1": 1.5}])
    append_rows(path, [{"lang": "esp", "f1": 2.5, "seed": 7}, {"lang": "ned", "f1": None}])
    rows = read_rows(path)
    assert [row["f1"] for row in rows] == [1.5, 2.5, None]
    assert [row["seed"] for row in rows] == [0, 7, 0]
    assert find_row(rows, {"lang": "esp"}) == rows[1]
    assert find_row(rows, {"lang": "esp", "f1": 3}) is None
    assert [file.name for file in path.parent.iterdir()] == ["rows.jsonl"]


def test_a_row_says_where_it_comes_from(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.orig_argv", ["/usr/bin/python3", "-m", "benchmarks.ner", "train", "--corpora", "/data/c"])
    monkeypatch.setattr(origin, "COMMIT", {"commit": "0" * 40, "dirty": False})
    append_rows(tmp_path / "rows.jsonl", [{"f1": 1.5}])
    (row,) = read_rows(tmp_path / "rows.jsonl")
    assert row["command"] == "python -m benchmarks.ner train --corpora DIR"
    assert row["versions"]["numba"]
    assert row["machine"]["cores"] >= 1
    assert list(faults(row)) == []


def test_the_commit_is_that_of_this_checkout():
    found = origin.COMMIT["commit"]
    assert found is None or re.fullmatch("[0-9a-f]{40}", found)


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        (["-m", "benchmarks.ner", "gap", "--corpora", "a/b", "--C", "1"], "-m benchmarks.ner gap --corpora DIR --C 1"),
        (["-m", "benchmarks.ner", "--corpora=/a/b", "--json", "/t/x.jsonl"], "-m benchmarks.ner --corpora=DIR --json x.jsonl"),
        (["-m", "benchmarks.ner", "--plot=/t/x.png"], "-m benchmarks.ner --plot=x.png"),
        (["-m", "benchmarks.ner", "--json", "benchmarks/results/ner.jsonl"], "-m benchmarks.ner --json benchmarks/results/ner.jsonl"),
        (["-m", "benchmarks.trainers", "--trainer", "CRF, l2"], "-m benchmarks.trainers --trainer 'CRF, l2'"),
    ],
)  # fmt: skip
def test_commands_are_kept_without_paths_of_the_machine(typed, kept):
    assert origin.command(["/opt/venv/bin/python", *typed]) == f"python {kept}"


def test_numbers_that_are_none_are_kept_as_null(tmp_path):
    """NaN is not JSON."""
    path = tmp_path / "rows.jsonl"
    append_rows(path, [{"a": float("nan"), "b": [1.0, float("inf")], "c": {"d": float("nan")}, "e": 2.5}])
    (row,) = map(json.loads, path.read_text().splitlines())
    assert (row["a"], row["b"], row["c"], row["e"]) == (None, [1.0, None], {"d": None}, 2.5)


def test_rows_that_cannot_be_written_leave_the_file_as_it_was(tmp_path):
    path = tmp_path / "rows.jsonl"
    append_rows(path, [{"a": 1}])
    before = path.read_text()
    with pytest.raises(TypeError):
        append_rows(path, [{"a": 2}, {"a": object()}])
    assert path.read_text() == before


def test_a_line_that_is_no_row_is_named(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text('{"a": 1}\nsomething else\n')
    with pytest.raises(ValueError, match=r"Line 2 of .*notes\.txt"):
        read_rows(path)


def test_passes_to_try():
    assert epochs_to_try([8, 4], [1, 2, 3], None) == [4, 8]
    assert epochs_to_try(None, [1, 2, 3], None) == [1, 2, 3]
    assert epochs_to_try([], [1, 2, 3], 2) == [1, 2]
