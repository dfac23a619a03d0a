"""benchmarks.distributed: corpora that are made large, and the memory of all processes of a training."""

import subprocess
import sys
from itertools import groupby

import pytest

from benchmarks.common.origin import ROOT
from benchmarks.distributed.large import command_of, trained, write_corpus

SOURCE = ROOT / "assets" / "es-entities" / "dev.conll"


def sentences(path):
    lines = path.read_text(encoding="utf8").split("\n")
    return [tuple(group) for full, group in groupby(lines, bool) if full]


def test_a_corpus_is_repeated_with_changes(tmp_path):
    once = write_corpus(SOURCE, [tmp_path / "once"])
    again = write_corpus(SOURCE, [tmp_path / "again", tmp_path / "more"], 3 * once["words"], 0.05)
    originals = sentences(tmp_path / "once")
    words = [line.split()[0] for line in SOURCE.read_text(encoding="utf8").splitlines() if line.strip()]
    assert sorted(line.split(" ")[0] for group in originals for line in group) == sorted(words)
    assert sum(map(len, originals)) == once["words"]
    assert len(originals) == once["sentences"]
    assert again["words"] == 3 * once["words"]
    assert again["sentences"] == 3 * once["sentences"]
    parts = [sentences(tmp_path / name) for name in ("again", "more")]
    assert abs(len(parts[0]) - len(parts[1])) <= 1
    repeated = parts[0] + parts[1]
    tags = [[line.split(" ")[1] for line in group] for group in repeated]
    assert sorted(tags) == sorted([line.split(" ")[1] for line in group] for group in originals * 3)
    same = sum(group in set(originals) for group in repeated) / len(repeated)
    assert 0.1 < same < 0.9
    assert once["forms"] < again["forms"] < 2 * once["forms"]


def test_memory_is_that_of_all_processes():
    one = "import time; a = bytearray(100_000_000); time.sleep(2); print('gap 3.14%')"
    two = f"import subprocess, sys; p = subprocess.Popen([sys.executable, '-c', {one!r}]); p.wait(); print('1.50%')"
    found = trained([sys.executable, "-c", one])
    both = trained([sys.executable, "-c", f"b = bytearray(100_000_000); {two}"])
    assert found["gap"] == pytest.approx(0.0314)
    assert both["gap"] == pytest.approx(0.015)
    assert 1e8 < found["peak_bytes"] < 1.5e8
    assert 2e8 < both["peak_bytes"] < 2.8e8
    with pytest.raises(RuntimeError, match="went wrong"):
        trained([sys.executable, "-c", "raise SystemExit('went wrong')"])


def test_the_command_trains(tmp_path):
    write_corpus(SOURCE, [tmp_path / "dev"])
    command = command_of(str(ROOT / "configs" / "ner.cfg"), tmp_path / "dev", tmp_path / "dev", tmp_path / "out", 0)
    subprocess.run([*command, "--training.max_epochs", "1"], check=True, cwd=ROOT, capture_output=True)
    assert (tmp_path / "out" / "model-best" / "meta.json").exists()
    assert "--ray" in command_of("ner.cfg", tmp_path, tmp_path, tmp_path, 2)
    alone = command_of("ner.cfg", tmp_path, tmp_path, tmp_path, 1)
    assert alone[2:5] == ["spacy", "mtl", "train"]
    assert "--ray" not in alone
