"""Whole pipelines on treebanks, in small."""

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.ud.program import app
from benchmarks.ud.runs import SCORES, TREEBANKS

ASSETS = Path(__file__).parents[2] / "assets" / "nl-trees"


def run(*options):
    done = CliRunner().invoke(app, [*map(str, options)], catch_exceptions=False)
    assert done.exit_code == 0, done.output


def test_all_columns_are_scored_and_kept(tmp_path):
    folder, pattern, _ = TREEBANKS["turkish"]
    (tmp_path / folder).mkdir()
    trees = [
        block + "\n\n" for block in (ASSETS / "train.conllu").read_text(encoding="utf8").split("\n\n") if block.strip()
    ]
    for part, some in {"train": trees[:80], "dev": trees[80:95], "test": trees[95:110]}.items():
        (tmp_path / folder / pattern.format(part)).write_text("".join(some), encoding="utf8")
    rows = tmp_path / "rows.jsonl"
    shared = ["--corpora", tmp_path, "--corpus", "turkish", "--keep", tmp_path / "kept"]
    run("train", *shared, "--folds", 2, "--passes", 2, "--quick", "--test", "--json", rows)
    (row,) = map(json.loads, rows.read_text().splitlines())
    assert row["cpu"] == pytest.approx(
        sum(row[f"cpu_{step}"] for step in ("configs", "borders", "bias", "tags", "jackknife", "trees"))
    )
    assert all(
        0 <= row[f"{prefix}{score}_{part}"] <= 100
        for prefix in ("", "raw_", "text_")
        for score in SCORES
        for part in ("dev", "test")
    )
    assert row["Sentences_test"] == row["Words_test"] == 100
    assert row["UPOS_dev"] > 60
    assert row["raw_LAS_test"] <= row["LAS_test"] + 5
    read = (tmp_path / "kept" / "turkish" / "ours" / "test.txt").read_text(encoding="utf8")
    assert read.split()[:3] == [line.split("\t")[1] for line in trees[95].splitlines() if line[:1].isdigit()][:3]
    assert 80 < row["text_Words_test"] <= 100
    _differences_are_found(tmp_path, row, shared)


def _differences_are_found(tmp_path, row, shared):
    """A rival whose output is the gold file is as much ahead as the row says; one with our output is level."""
    folder, pattern, _ = TREEBANKS["turkish"]
    ours = tmp_path / "kept" / "turkish" / "ours" / "test.tokens.conllu"
    for name, source in (("perfect", tmp_path / folder / pattern.format("test")), ("twin", ours)):
        (tmp_path / "kept" / "turkish" / name).mkdir()
        shutil.copy(source, tmp_path / "kept" / "turkish" / name / ours.name)
    run("compare", *shared, "--json", tmp_path / "differences.jsonl")
    found = map(json.loads, (tmp_path / "differences.jsonl").read_text().splitlines())
    found = {(row["rival"], row["metric"]): row for row in found}
    for metric in ("UPOS", "UFeats", "Lemmas", "UAS", "LAS"):
        assert found["perfect", metric]["difference"] == pytest.approx(row[f"{metric}_test"] - 100)
        assert found["twin", metric]["difference"] == 0
        assert found["twin", metric]["p"] == 1
    assert found["perfect", "LAS"]["p"] < 0.01
