"""The guide's example runs, here on made-up letters in a file of the same form."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from ..docs.corpora import write_letters

GUIDE = (Path(__file__).parents[2] / "docs" / "sequences.md").read_text(encoding="utf8")


def test_the_example_runs(tmp_path):
    (code,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    write_letters(tmp_path / "letter.data.gz", np.random.default_rng(0))
    run = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, encoding="utf8", check=False)
    assert done.returncode == 0, done.stderr
    *weights, score = done.stdout.splitlines()
    assert [line.partition(":")[0] for line in weights] == ["pixels", "pairs", "likeness", "transitions"]
    assert float(score.rpartition(" ")[2]) > 0.9
    assert (tmp_path / "letters.npz").exists()


def test_names_in_the_guide_exist():
    import spacy_mtl.sequences as sequences
    from spacy_mtl.sequences.gram import KERNELS

    used = set(re.findall(r"`(?:KernelBlock\(vectors, \"(\w+)\")", GUIDE))
    assert used == set(KERNELS)
    assert all(hasattr(sequences.SequenceModel, name) for name in re.findall(r"`model\.(\w+)\(", GUIDE))
