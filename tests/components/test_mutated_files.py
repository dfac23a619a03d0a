"""Model files changed at random, with checksums that fit: a coded error or a valid prediction, and never a crash or a hang."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT, PROGRAM = Path(__file__).parents[2], Path(__file__).with_name("mutating.py")
#: A file that is refused, or documents that the templates of a changed file refuse (a missing attribute).
CODED = re.compile(r"\[M(60[14]|610|430|444)\] [^\n]+")
MUTATIONS = 300


@pytest.mark.parametrize("name", ["entities", "tags", "words", "crossing-trees", "second-order-trees", "constituents"])
def test_mutated_files(name):
    begin = time.monotonic()
    run = subprocess.run(
        [sys.executable, PROGRAM, name, "0", str(MUTATIONS)], env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    done = {row["seed"]: row["done"] for row in rows if "done" in row}
    outcomes = {row["seed"]: row["outcome"] for row in rows if "outcome" in row}
    assert run.returncode == 0, f"{done.get(len(outcomes))}: {run.stderr[-2000:]}"
    wrong = {
        seed: (done[seed], outcome)
        for seed, outcome in outcomes.items()
        if outcome != "used" and not CODED.fullmatch(outcome)
    }
    assert wrong == {}
    assert len(outcomes) == MUTATIONS
    assert sum(outcome == "used" for outcome in outcomes.values()) > MUTATIONS // 20  # some changes leave a valid model
    assert time.monotonic() - begin < 500
