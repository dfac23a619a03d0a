"""benchmarks.cluster: what is counted in an output, and trainings that are killed."""

import json
import random
import subprocess
import sys
import time

import psutil
import pytest

from benchmarks.cluster.annotation import looked_at
from benchmarks.cluster.corpus import make
from benchmarks.cluster.machines import kill
from benchmarks.cluster.training import trained
from benchmarks.common.origin import ROOT
from benchmarks.threads.tasks import described


def output(folder, *parts):
    folder.mkdir()
    for number, ids in enumerate(parts):
        text = "".join(json.dumps({"id": f"d{i}"}) + "\n" for i in ids)
        (folder / f"part-{number:06d}.jsonl").write_text(text)
    summary = {"partitions": len(parts), "words": 1, "cpu": 1.0, "set_aside": 0}
    (folder / "summary.json").write_text(json.dumps(summary))
    return looked_at(folder, 5)


def test_documents_are_counted(tmp_path):
    whole, other = output(tmp_path / "a", [0, 1], [2, 3, 4]), output(tmp_path / "b", [0, 1, 1], [2, 7])
    names = ("once", "missing", "repeated", "foreign")
    assert [whole[name] for name in names] == [5, 0, 0, 0]
    assert [other[name] for name in names] == [2, 2, 1, 1]
    assert whole["digest"] != other["digest"]
    assert whole["digest"] == output(tmp_path / "c", [0, 1], [2, 3, 4])["digest"]


def test_a_corpus_of_so_many_words(tmp_path):
    task = described("ner", ROOT) | {"read": 20, "learnt": 30}
    task |= {part: str(ROOT / "assets" / "es-entities" / f"{part}.conll") for part in ("train", "dev")}
    made = make(task, 1000, str(tmp_path))
    rows = [json.loads(line) for line in (tmp_path / "in.jsonl").read_text("utf8").splitlines()]
    assert [row["id"] for row in rows] == [f"d{i}" for i in range(made["documents"])]
    assert 1000 <= made["words"] < 1200
    assert (tmp_path / "model" / "meta.json").exists()


#: A command that takes long when it is run first, and goes on at once when it is run again.
COMMAND = """
import json, sys, time
from pathlib import Path
output = Path(sys.argv[-1])
model = output / "model-best"
if "faulty" in sys.argv:
    sys.exit("does not work")
if not output.exists():
    output.mkdir()
    time.sleep(20)
model.mkdir(exist_ok=True)
(model / "meta.json").write_text(json.dumps({"performance": {"ents_f": 0.5}}))
print("     component  rounds        primal          dual      gap")
print("           ner       3      1,234.50      1,000.00   18.99%")
print("           ner       6      1,100.00      1,050.25    4.52%")
"""


class Always(random.Random):
    def choice(self, seq):
        return "command" if "command" in seq else seq[0]


def test_a_training_that_is_killed_is_run_again(tmp_path):
    begin = time.monotonic()
    command = [sys.executable, "-c", COMMAND]
    found = trained(command, tmp_path / "out", 1.0, Always(), psutil.Process())
    assert (found["killed"], found["runs"]) == ("command", 2)
    assert (found["rounds"], found["primal"], found["dual"], found["gap"]) == (6, 1100.0, 1050.25, 0.0452)
    assert found["ents_f"] == 0.5
    assert time.monotonic() - begin < 15
    with pytest.raises(RuntimeError, match="does not work"):
        trained([*command, "faulty"], tmp_path / "other", None, Always(), psutil.Process())


def test_what_was_killed_is_told():
    """A worker is known by the name of its process."""
    sleep = "import time; time.sleep(30)"
    rng, me = random.Random(0), psutil.Process()
    with (
        subprocess.Popen([sys.executable, "-c", f"{sleep} # some-worker"]) as worker,
        subprocess.Popen([sys.executable, "-c", sleep]) as command,
    ):
        assert kill("worker", me, "another", command, rng) == ""
        assert kill("worker", me, "# some-worker", command, rng) == "worker"
        worker.wait(10)
        assert command.poll() is None
        assert kill("both", me, "# some-worker", command, rng) == "command"
        command.wait(10)
        assert kill("both", me, "# some-worker", command, rng) == ""
