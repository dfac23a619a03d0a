"""Killed at any step of saving, a process leaves the old pipeline or the new one, complete, and what else it leaves is removed later."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def kills(what: str, folder: Path) -> dict:
    command = [sys.executable, ROOT / "tests" / "files" / "killing.py", what, folder]
    run = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def changes(places: list[int]) -> list[int]:
    """The first of each run of equal ones."""
    return [place for number, place in enumerate(places) if not number or places[number - 1] != place]


@pytest.mark.parametrize("way", ["save", "in-two-steps"])
def test_a_pipeline_saved_over_another_is_old_or_new(tmp_path, way):
    result = kills(way, tmp_path)
    assert len(result["found"]) > 100
    assert changes(result["found"]) == [0, 1, 0]
    assert result["left"] == ["0", "1", "pipeline"]


def test_the_kills_would_find_a_torn_pipeline(tmp_path):
    """``nlp.to_disk`` writes file by file."""
    assert -1 in kills("plain", tmp_path)["found"]


def test_a_training_leaves_the_best_and_the_last_model_old_or_new(tmp_path):
    result = kills("train", tmp_path)
    assert changes(result["best"]) == [2, 0]
    assert changes(result["last"]) == [3, 0, 1]
    assert result["left"] == ["model-best", "model-last"]
