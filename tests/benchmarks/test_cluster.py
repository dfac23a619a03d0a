"""benchmarks.cluster: what is counted in an output."""

import json

from benchmarks.cluster.annotation import looked_at
from benchmarks.cluster.corpus import make
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
