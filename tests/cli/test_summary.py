import json
import shutil

import pytest
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.cli.summary import _corpus


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "summary", *map(str, args)])


@pytest.fixture
def trainings(trained, tmp_path):
    """Two folders as ``spacy train`` leaves them, one without a log; test scores of the first."""
    for name in ("first", "second"):
        best = tmp_path / "training" / name / "model-best"
        best.parent.mkdir(parents=True)
        best.symlink_to(trained)
    log = [{"seconds": 3}, {"seconds": 7}]
    (tmp_path / "training/first/log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log))
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics/first.json").write_text('{"ents_f": 0.5, "ents_p": 0.75}')
    return [tmp_path / "training/first", tmp_path / "training/second"]


def test_a_row_for_each_component(trainings, trained, tmp_path):
    result = invoke(*trainings, "--metrics", tmp_path / "metrics", "--json", tmp_path / "rows.json")
    assert (result.exit_code, result.stderr) == (0, "")
    size = f"{(trained / 'ner' / 'model').stat().st_size / 1e6:.2f}"
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["component", "corpus", "score", "dev", "test", "training", "s", "model", "MB"]
    assert lines[1] == ["ner", "-", "ents_f", "-", "50.00", "7", size]
    assert lines[2] == ["ner", "-", "ents_f", "-", "-", "-", size]
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [row["test"] for row in rows] == [0.5, None]


def test_what_is_no_training_is_one_message(trainings, tmp_path):
    for args in ([tmp_path / "nowhere"], [trainings[0], "--metrics", tmp_path / "bad"]):
        (tmp_path / "bad").mkdir(exist_ok=True)
        (tmp_path / "bad/first.json").write_text("[]")
        check_refused(invoke(*args))


def check_refused(result):
    assert result.exit_code == 1
    assert result.stderr.startswith("[M715]")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model-best/config.cfg", None),
        ("model-best/config.cfg", b"[nlp"),
        ("model-best/config.cfg", b"[paths]\n"),
        ("model-best/config.cfg", b'[nlp]\nlang = "none such"\npipeline = []\n'),
        ("model-best/meta.json", b'{"performance": {"ents_f": "0.5"}}'),
        ("model-best/meta.json", b'{"performance": [0.5]}'),
        ("log.jsonl", b'{"seconds": 3}\n{"seco'),
        ("log.jsonl", b'{"seconds": "\xe9"}\n'),
        ("log.jsonl", b"[3]\n"),
        ("../metrics/second.json", b'{"ents_f": "0.5"}'),
    ],
)
def test_damaged_files_are_one_message(trainings, trained, tmp_path, name, content):
    training = trainings[1]
    (training / "model-best").unlink()
    shutil.copytree(trained, training / "model-best")
    path = tmp_path / "metrics/second.json" if "metrics" in name else training / name
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content)
    check_refused(invoke(training, "--metrics", tmp_path / "metrics"))


@pytest.mark.parametrize(("log", "seconds"), [("", "-"), ('{"seconds": 3}\n\n', "3")])
def test_blank_lines_of_the_log_are_no_rows(trainings, tmp_path, log, seconds):
    (trainings[1] / "log.jsonl").write_text(log)
    result = invoke(trainings[1], "--metrics", tmp_path)
    assert (result.exit_code, result.stdout.splitlines()[1].split()[5]) == (0, seconds)


@pytest.mark.parametrize(
    ("train", "name"),
    [
        ("a/b.conll", "a"),
        ("b.conll", "b.conll"),
        (["a/b.conll", "c/d.conll"], "a"),
        ("a/b.conll,c/d.conll", "a"),
        (None, "-"),
    ],
)
def test_the_corpus_is_the_folder_of_its_first_file(train, name):
    assert _corpus({"paths": {"train": train}}) == name
