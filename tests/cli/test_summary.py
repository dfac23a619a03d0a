import json

import pytest
from spacy.cli import app
from typer.testing import CliRunner


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
        result = invoke(*args)
        assert result.exit_code == 1
        assert result.stderr.startswith("[M715]")
        assert len(result.stderr.splitlines()) == 1
