"""Kills of workers and of the command: each document exactly once, and documents that end processes are found."""

import json
import os
import random
import re
from contextlib import contextmanager
from dataclasses import replace

import pytest

from spacy_mtl.annotation import run as running
from spacy_mtl.annotation.collection import annotate_collection
from spacy_mtl.annotation.manifest import done_path
from spacy_mtl.annotation.work import work
from spacy_mtl.cluster.executor import WorkerDiedError
from spacy_mtl.files.folder_lock import lock_folder

from .conftest import aside, read_rows, write_rows


@pytest.fixture
def rows(tmp_path):
    return write_rows(tmp_path / "in.jsonl", [{"id": f"d{i}", "text": f"uno {i}"} for i in range(200)])


def found(folder):
    return [row["id"] for row in read_rows(folder)]


ALL = [f"d{i}" for i in range(200)]


class Killed(BaseException):
    """The command is killed: nothing of it is cleaned up, as far as a test can do that."""


def test_workers_and_the_command_die_at_random_moments(annotate, tmp_path, rows):
    """Workers die before, amid and after writing, and so does the command, until it comes to the end."""
    rng = random.Random(1)
    calls = 0

    def function(job):
        nonlocal calls
        calls += 1
        moment = rng.random()
        if moment < 0.2:
            raise WorkerDiedError("before")
        value = work(job)
        if moment < 0.4:  # all is written, but nobody is told
            raise WorkerDiedError("after")
        if moment < 0.5:
            part = done_path(tmp_path / "out", job.partition.number)
            part.unlink(missing_ok=True)  # as if it had died between the part and its record
            raise WorkerDiedError("between")
        if moment < 0.6:
            raise Killed
        return value

    ends = 0
    while ends < 100:
        try:
            done = annotate([rows], tmp_path / "out", function, size=400)
            break
        except Killed:
            ends += 1
    assert ends > 0
    assert calls > len(done) > 10
    assert found(tmp_path / "out") == ALL
    assert sum(each.documents for each in done) == 200
    assert aside(tmp_path / "out") == {}
    assert json.loads((tmp_path / "out" / "summary.json").read_text())["documents"] == 200


def test_what_is_done_is_not_done_again(annotate, tmp_path, rows):
    jobs, told = [], []

    def function(job):
        jobs.append(job.partition.number)
        if len(jobs) == 4:
            raise Killed
        return work(job)

    with pytest.raises(Killed):
        annotate([rows], tmp_path / "out", function, size=400)
    done = annotate([rows], tmp_path / "out", function, lambda *args: told.append(args), size=400)
    assert sorted(jobs[4:]) == [each.partition for each in done][3:]
    assert [known for _, known in told] == [True] * 3 + [False] * (len(done) - 3)
    again = annotate([rows], tmp_path / "out", None, size=400)
    assert again == done


@pytest.mark.parametrize("damage", ["part gone", "part short", "record bad", "record of others"])
def test_what_is_damaged_is_done_again(annotate, tmp_path, rows, damage):
    out = tmp_path / "out"
    annotate([rows], out, size=400)
    part, record = out / "part-000002.jsonl", done_path(out, 2)
    if damage == "part gone":
        part.unlink()
    elif damage == "part short":
        part.write_bytes(part.read_bytes()[:-1])
    elif damage == "record bad":
        record.write_bytes(b"{")
    else:
        record.write_text(json.dumps({**json.loads(record.read_bytes()), "partition": 3}))
    jobs = []
    annotate([rows], out, lambda job: (jobs.append(job.partition.number), work(job))[1], size=400)
    assert jobs == [2]
    assert found(out) == ALL


def deadly(ids, together=False):
    """A worker that dies of these documents; together: only where it has all of them at once."""

    def function(job):
        from spacy_mtl.annotation import work as working

        whole, seen = working.annotated, []

        def annotated(nlp, documents):
            def watched():
                for document in documents:
                    if document.id in ids and not hasattr(document, "reason"):
                        seen.append(document.id)
                        if not together or len(seen) == len(ids):
                            raise WorkerDiedError("signal 9")
                    yield document

            return whole(nlp, watched())

        working.annotated = annotated
        try:
            return work(job)
        finally:
            working.annotated = whole

    return function


@pytest.mark.parametrize("ids", [["d0"], ["d199"], ["d57", "d58", "d60", "d140"]])
def test_documents_that_workers_die_of_are_found_and_set_aside(annotate, tmp_path, rows, ids):
    done = annotate([rows], tmp_path / "out", deadly(ids), size=3000)
    assert len(done) < 4
    assert found(tmp_path / "out") == [name for name in ALL if name not in ids]
    reasons = aside(tmp_path / "out")
    assert sorted(reasons) == sorted(ids)
    assert set(reasons.values()) == {"[M911] The worker's process ended 2 times on this document alone: signal 9"}


def test_a_partition_that_nobody_survives_is_given_up_when_others_are_done(annotate, tmp_path, rows):
    with pytest.raises(ValueError, match=r"M912. Partition 0 .*signal 9.*--partition-size"):
        annotate([rows], tmp_path / "out", deadly(["d3", "d4"], together=True), size=3000)
    assert set(ALL) - set(found(tmp_path / "out")) > {"d3", "d4"}
    annotate([rows], tmp_path / "out", size=3000)  # with more memory, say
    assert found(tmp_path / "out") == ALL


def test_kills_while_a_document_is_looked_for_set_no_other_aside(annotate, tmp_path, rows):
    rng, dies = random.Random(3), deadly(["d57"])

    def function(job):
        if rng.random() < 0.15:
            raise WorkerDiedError("killed")
        return dies(job)

    annotate([rows], tmp_path / "out", function, size=3000)
    assert sorted([*found(tmp_path / "out"), *aside(tmp_path / "out")]) == sorted(ALL)
    assert aside(tmp_path / "out").keys() == {"d57"}


def test_a_worker_that_refuses_ends_the_run_with_its_name(annotate, tmp_path, rows):
    def function(job):
        if job.partition.number == 2:
            raise OSError("[M650] The disk is full")
        return work(job)

    with pytest.raises(ValueError, match=r"M910. This process could not annotate partition 2 .*M650. The disk is full"):
        annotate([rows], tmp_path / "out", function, size=400)
    assert len(found(tmp_path / "out")) > 0
    annotate([rows], tmp_path / "out", size=400)
    assert found(tmp_path / "out") == ALL


def test_a_pipeline_that_fails_on_everything_sets_nothing_aside(annotate, tmp_path):
    path = write_rows(tmp_path / "in.jsonl", [{"id": f"d{i}", "text": "RAISE"} for i in range(30)])
    with pytest.raises(ValueError, match=r"M910.*M934.*each of 30 documents.*RuntimeError: a bug"):
        annotate([path], tmp_path / "out")
    assert not list((tmp_path / "out").glob("part*"))


def test_a_folder_is_of_one_command(annotate, tmp_path, rows):
    out = tmp_path / "out"
    annotate([rows], out, size=400)
    for changed, told in (
        ({"size": 500}, "--partition-size 0.00038147"),
        ({"documents": "line", "borders": False}, "--documents paragraph and --borders"),
        ({"output_format": "text", "encoding": "latin1"}, "--output-format jsonl and --encoding utf8"),
    ):
        with pytest.raises(ValueError, match=rf"M914.*begun with {told}. Give"):
            annotate([rows], out, **{"size": 400, **changed})
    with pytest.raises(ValueError, match=r"M914.*begun with other inputs. Give"):
        annotate([rows, write_rows(tmp_path / "more.jsonl", [])], out, size=400)
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("x")
    with pytest.raises(ValueError, match=r"M913"):
        annotate([rows], other)
    assert [path.name for path in other.iterdir() if path.name[0] != "."] == ["mine.txt"]


def test_an_input_that_has_changed_is_named(annotate, tmp_path, rows):
    out = tmp_path / "out"
    done = annotate([rows], out, size=400)
    os.utime(rows, ns=(0, 5))
    with pytest.raises(ValueError, match=r"M908. .*in.jsonl' is not as .*out' was begun: its time is another.") as told:
        annotate([rows], out, size=400)
    seconds, rest = re.search(r"touch -d @(\d+)\.(\d{9}) '", str(told.value)).groups()
    os.utime(rows, ns=(0, int(seconds + rest)))
    assert annotate([rows], out, size=400) == done
    size = rows.stat().st_size
    rows.write_bytes(rows.read_bytes() + b"\n")
    with pytest.raises(
        ValueError, match=rf"M908.*it had {size:,} bytes, and now has {size + 1:,}. Give another folder."
    ):
        annotate([rows], out, size=400)


def test_a_manifest_that_is_damaged_is_of_another_command(annotate, tmp_path, rows):
    out = tmp_path / "out"
    annotate([rows], out)
    for damage in (
        {"list of inputs": 1},
        {"list of inputs": [{"name": str(rows)}]},
        {"settings": []},
        {"partition size": "1"},
        {"number of partitions": 7},
    ):
        found = json.loads((out / "manifest.json").read_bytes())
        (out / "manifest.json").write_text(json.dumps({**found, **damage}), encoding="utf8")
        with pytest.raises(ValueError, match=r"M914"):
            annotate([rows], out)
        (out / "manifest.json").write_text(json.dumps(found), encoding="utf8")


def test_nothing_is_written_before_the_workers_are_there(annotate, tmp_path, rows):
    @contextmanager
    def nobody():
        raise ValueError("[M903] nobody answers")
        yield

    with pytest.raises(ValueError, match=r"M903"):
        annotate_collection(annotate.plan([rows], tmp_path / "out", size=400), nobody)
    assert list((tmp_path / "out").iterdir()) == []
    annotate([rows], tmp_path / "out", size=500)  # others are no other settings


def test_an_input_that_changes_meanwhile_is_noticed(annotate, tmp_path, rows):
    def function(job):
        rows.write_bytes(rows.read_bytes()[:-1])
        return work(job)

    with pytest.raises(ValueError, match=r"M910.*M931.*has changed"):
        annotate([rows], tmp_path / "out", function)
    rows.unlink()
    with pytest.raises(ValueError, match=r"M501"):
        annotate([rows], tmp_path / "out")


def test_an_input_that_one_worker_lacks(annotate, tmp_path, rows):
    def function(job):
        return work(replace(job, partition=replace(job.partition, path=tmp_path / "elsewhere.jsonl")))

    with pytest.raises(ValueError, match=r"M910. This process .*M501.*elsewhere.jsonl"):
        annotate([rows], tmp_path / "out", function)


def test_a_model_that_is_another_on_a_worker(annotate, tmp_path, rows):
    def function(job):
        return work(replace(job, task=replace(job.task, fingerprint="0" * 64)))

    with pytest.raises(ValueError, match=r"M910. This process .*M916"):
        annotate([rows], tmp_path / "out", function)


def test_two_commands_do_not_share_a_folder(annotate, tmp_path, rows, monkeypatch):
    from spacy_mtl.annotation import collection

    monkeypatch.setattr(collection, "lock_folder", lambda folder: "process 1 on there")
    with pytest.raises(ValueError, match=r"M915.*process 1 on there"):
        annotate([rows], tmp_path / "out")
    assert lock_folder(tmp_path / "out") is not None


def test_a_folder_that_machines_do_not_share(annotate, tmp_path, rows, monkeypatch):
    """A worker that writes to a folder of its own is not believed."""
    from spacy_mtl.annotation import collection

    monkeypatch.setattr(collection, "_PATIENCE", 0.1)

    def function(job):
        return work(replace(job, task=replace(job.task, folder=tmp_path / "elsewhere")))

    with pytest.raises(ValueError, match=r"M936. The process .* on .* has written partition 0"):
        annotate([rows], tmp_path / "out", function)


def test_searches_are_as_short_as_halving_makes_them(annotate, tmp_path, rows):
    jobs, dies = [], deadly(["d57"])

    def function(job):
        jobs.append(job)
        return dies(job)

    annotate([rows], tmp_path / "out", function, size=1 << 20)
    assert sum(job.purpose == "write" for job in jobs) == running.AGAIN + 2
    assert sum(job.purpose == "try" for job in jobs) <= 8 + running.ALONE
