"""Whole pipelines on treebanks, in small."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.ud.program import app
from benchmarks.ud.runs import SCORES, TREEBANKS

ASSETS = Path(__file__).parents[2] / "assets" / "nl-trees"


def test_all_columns_are_scored_and_kept(tmp_path):
    folder, pattern, _ = TREEBANKS["turkish"]
    (tmp_path / folder).mkdir()
    trees = [
        block + "\n\n" for block in (ASSETS / "train.conllu").read_text(encoding="utf8").split("\n\n") if block.strip()
    ]
    for part, some in {"train": trees[:80], "dev": trees[80:95], "test": trees[95:110]}.items():
        (tmp_path / folder / pattern.format(part)).write_text("".join(some), encoding="utf8")
    rows = tmp_path / "rows.jsonl"
    options = [
        "--corpora",
        tmp_path,
        "--corpus",
        "turkish",
        "--folds",
        2,
        "--passes",
        2,
        "--quick",
        "--test",
        "--json",
        rows,
    ]
    done = CliRunner().invoke(app, ["train", *map(str, options)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (row,) = map(json.loads, rows.read_text().splitlines())
    assert row["cpu"] == pytest.approx(sum(row[f"cpu_{step}"] for step in ("borders", "tags", "jackknife", "trees")))
    assert all(
        0 <= row[f"{prefix}{score}_{part}"] <= 100
        for prefix in ("", "raw_")
        for score in SCORES
        for part in ("dev", "test")
    )
    assert row["Sentences_test"] == row["Words_test"] == 100
    assert row["UPOS_dev"] > 60
    assert row["raw_LAS_test"] <= row["LAS_test"] + 5
