"""The guide's example runs, here on made-up letters in a file of the same form."""

import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

GUIDE = (Path(__file__).parents[2] / "docs" / "sequences.md").read_text(encoding="utf8")


def write_letters(path, rng):
    """40 words of three kinds of letters: a few lit pixels each, and noise."""
    shapes = rng.random((3, 128)) < 0.2
    lines = []
    for word in range(40):
        length = rng.integers(1, 6)
        for place in range(length):
            letter = rng.integers(3)
            pixels = shapes[letter] ^ (rng.random(128) < 0.05)
            following = -1 if place == length - 1 else len(lines) + 2
            fields = [len(lines) + 1, "abc"[letter], following, word, place + 1, word % 2, *pixels.astype(int), ""]
            lines.append("\t".join(map(str, fields)))
    with gzip.open(path, "wt") as file:
        file.write("\n".join(lines) + "\n")


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
