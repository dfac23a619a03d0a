"""Annotation on a cluster: processes that really die, disks that are really full, and the command."""

import json
import os
import resource
import signal
import threading
import time
from contextlib import contextmanager

import pytest
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.annotation.collection import annotate_collection
from spacy_mtl.annotation.work import work
from spacy_mtl.cluster.executor import RayExecutor

from .conftest import aside, read_rows, write_rows


@pytest.fixture
def on_ray(cluster, annotate):
    """Annotates on the cluster of two processes."""

    def run(inputs, output, function=work, tell=lambda *_: None, **settings):
        @contextmanager
        def workers():
            yield RayExecutor(cluster, function)

        return annotate_collection(annotate.plan(inputs, output, **settings), workers, tell)

    return run


def test_documents_that_end_processes_are_found(on_ray, tmp_path):
    """The last one of a partition, which costs the fewest processes; others are looked for in test_restarts."""
    texts = ["RAISE" if i == 5 else "KILL" if i == 7 else f"uno {i}" for i in range(8)]
    path = write_rows(tmp_path / "in.jsonl", [{"id": f"d{i}", "text": text} for i, text in enumerate(texts)])
    on_ray([path], tmp_path / "out")
    assert [row["id"] for row in read_rows(tmp_path / "out")] == [f"d{i}" for i in range(8) if i not in (5, 7)]
    codes = {name: reason[:6] for name, reason in aside(tmp_path / "out").items()}
    assert codes == {"d5": "[M928]", "d7": "[M911]"}


def signed(job):
    """Says which process does the work."""
    (job.task.folder.parent / "pid").write_text(str(os.getpid()))
    return work(job)


def test_workers_that_are_killed_lose_and_repeat_nothing(on_ray, tmp_path):
    path = write_rows(tmp_path / "in.jsonl", [{"id": f"d{i}", "text": f"SLOW {i}"} for i in range(40)])
    killed = set()

    def kill(stop):
        while len(killed) < 2 and not stop.wait(0.3):
            text = (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""
            if text and text not in killed:
                os.kill(int(text), signal.SIGKILL)
                killed.add(text)

    stop = threading.Event()
    killer = threading.Thread(target=kill, args=(stop,))
    killer.start()
    try:
        on_ray([path], tmp_path / "out", signed, size=300)
    finally:
        stop.set()
        killer.join()
    assert len(killed) == 2
    assert [row["id"] for row in read_rows(tmp_path / "out")] == [f"d{i}" for i in range(40)]
    assert aside(tmp_path / "out") == {}


def full_disk(job):
    """As on a worker that can write no more than so many bytes to a file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        return work(job)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_names_the_worker_and_the_same_command_goes_on(on_ray, cluster, tmp_path):
    rows = [{"id": f"d{i}", "text": f"uno {i}"} for i in range(40)]
    rows[30]["text"] = "uno " * 3000
    path = write_rows(tmp_path / "in.jsonl", rows)
    with pytest.raises(ValueError, match=r"M910") as caught:
        on_ray([path], tmp_path / "out", full_disk, size=500)
    told = str(caught.value)
    assert told.startswith(f"[M910] {cluster.workers[0]} could not annotate partition ")
    assert "[M652]" in told
    assert "File too large" in told
    assert len(told.splitlines()) == 1
    time.sleep(0.5)  # partitions that were at work
    assert not [name for name in os.listdir(tmp_path / "out") if name.endswith(".tmp")]
    on_ray([path], tmp_path / "out", size=500)
    assert [row["id"] for row in read_rows(tmp_path / "out")] == [f"d{i}" for i in range(40)]


@pytest.fixture
def command(cluster, model, code, monkeypatch):
    """The command, on the cluster that runs already."""

    @contextmanager
    def connect(address, cpus):
        assert (address, cpus) == ("local", 2)
        yield cluster

    monkeypatch.setattr("spacy_mtl.cluster.connect.connect", connect)

    def run(*args):
        options = ["--ray", "local", "--workers", 2, "--code", code]
        return CliRunner().invoke(app, ["mtl", "annotate", str(model), *map(str, [*args, *options])])

    return run


def test_the_command(command, tmp_path):
    (tmp_path / "in").mkdir()
    for name in ("b", "a"):
        write_rows(tmp_path / "in" / f"{name}.jsonl", [{"key": f"{name}{i}", "body": f"uno {i}"} for i in range(30)])
    args = (tmp_path / "in", tmp_path / "out", "--text-column", "body", "--id-column", "key")
    result = command(*args)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "60 documents, 60 sentences, 120 words in 2 partitions; " in result.stdout
    assert "words/s" in result.stdout
    assert [row["key"] for row in read_rows(tmp_path / "out")] == [f"{name}{i}" for name in "ab" for i in range(30)]
    again = command(*args)
    assert "all of them were done before" in again.stdout
    write_rows(tmp_path / "bad.jsonl", [{"text": "uno"}, {"text": 5}])
    result = command(tmp_path / "bad.jsonl", tmp_path / "other")
    assert result.exit_code == 0
    assert result.stderr.startswith("1 document was set aside; ")
    assert json.loads((tmp_path / "other" / "summary.json").read_text())["set_aside"] == 1


def test_what_was_not_annotated_is_told(command, tmp_path):
    path = write_rows(tmp_path / "in.jsonl", [{"text": "RAISE"}, {"text": "RAISE"}])
    for _ in range(2):
        result = command(path, tmp_path / "out")
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(
            "[M909] Not one document was annotated; 2 of 2 were set aside, the first because: [M928]"
        )
    result = command(write_rows(tmp_path / "none.jsonl", []), tmp_path / "none")
    assert result.stdout == f"{tmp_path / 'none'}: 0 documents, 0 sentences, 0 words in 1 partition\n"


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (["none.jsonl", "out"], "M501"),
        (["in.jsonl", "in.jsonl", "out"], "M918"),
        (["empty", "out"], "M919"),
        (["in.jsonl", "in.jsonl"], "M704"),
        (["in.jsonl", "in.txt", "out"], "M935"),
        (["in.jsonl", "out", "--output-format", "xml"], "M742"),
        (["in.jsonl", "out", "--format", "xml"], "M742"),
        (["in.jsonl", "out", "--n-process", "2"], "M917"),
        (["in.txt", "out", "--encoding", "utf16"], "M917"),
        (["in.txt", "out", "--encoding", "utf9"], "M513"),
        (["in.txt.gz", "out", "--format", "text"], "M754"),
        (["in.jsonl", "out", "--text-column", "texto"], "M923"),
        (["in.json", "out"], "M755"),
    ],
)
def test_bad_input_is_one_sentence(command, tmp_path, args, fault):
    write_rows(tmp_path / "in.jsonl", [{"text": "uno"}])
    for name in ("in.txt", "in.txt.gz", "in.json"):
        (tmp_path / name).write_text("uno")
    (tmp_path / "empty").mkdir()
    result = command(*[tmp_path / arg if "." in arg or arg in ("out", "empty") else arg for arg in args])
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"[{fault}]")
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "option", ["--workers=2", "--output-format=jsonl", "--text-column=a", "--id-column=a", "--partition-size=2"]
)
def test_options_of_a_cluster_need_one(model, code, tmp_path, option):
    (tmp_path / "in.txt").write_text("uno")
    args = [model, tmp_path / "in.txt", tmp_path / "out.conllu", "--code", code, option]
    result = CliRunner().invoke(app, ["mtl", "annotate", *map(str, args)])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[M917] {option.partition('=')[0]} does not go without --ray.")


def test_files_that_are_left_out_are_named(model, code, tmp_path, monkeypatch):
    monkeypatch.setattr("spacy_mtl.annotation.collection.annotate_collection", lambda *_: [])
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a.jsonl", "b.md", ".hidden", "_SUCCESS"):
        (folder / name).write_text("")
    args = ["mtl", "annotate", str(model), str(folder), str(tmp_path / "out"), "--code", str(code), "--ray", "local"]
    told = "left out of the folders that were given, as nothing is known of such endings"
    assert CliRunner().invoke(app, args).stderr == f"[M939] Note: a file was {told}: {folder / 'b.md'}.\n"
    for name in ("c.gz", "d", "e.csv"):
        (folder / name).write_text("")
    names = ", ".join(str(folder / name) for name in ("b.md", "c.gz", "d"))
    assert CliRunner().invoke(app, args).stderr == f"[M939] Note: 4 files were {told}: {names} and others.\n"


def test_an_interrupt_says_how_to_go_on(model, code, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("spacy_mtl.annotation.collection.annotate_collection", interrupted)
    path = write_rows(tmp_path / "in.jsonl", [{"text": "uno"}])
    args = [model, path, tmp_path / "out", "--code", code, "--ray", "local"]
    result = CliRunner().invoke(app, ["mtl", "annotate", *map(str, args)])
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "Interrupted. The same command goes on with the annotation.\n"
