import json
from pathlib import Path

import pytest
from spacy.cli import app
from typer.testing import CliRunner

DEV = Path(__file__).parents[2] / "assets" / "nl-trees" / "dev.conllu"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "evaluate-ud", *map(str, args)])


@pytest.fixture
def system(tmp_path):
    """The gold file with every relation "nsubj" made another."""
    text = DEV.read_text(encoding="utf8").replace("\tnsubj\t", "\tobj\t")
    path = tmp_path / "system.conllu"
    path.write_text(text, encoding="utf8")
    return path


def test_table_and_json(system, tmp_path):
    output = tmp_path / "new" / "scores.json"
    result = invoke(DEV, system, "--output", output)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "303 words, 303 in gold" in result.stdout
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines()[2:]}
    assert list(rows) == [
        "Tokens",
        "Sentences",
        "Words",
        "UPOS",
        "XPOS",
        "UFeats",
        "AllTags",
        "Lemmas",
        "UAS",
        "LAS",
        "CLAS",
        "MLAS",
        "BLEX",
    ]
    assert rows["Sentences"] == ["100.00", "100.00", "100.00", "34"]
    assert rows["UAS"] == ["100.00"] * 4 + ["303"]
    subjects = DEV.read_text(encoding="utf8").count("\tnsubj\t")
    assert rows["LAS"][2] == f"{100 * (1 - subjects / 303):.2f}"
    scores = json.loads(output.read_text(encoding="utf8"))
    assert list(scores) == list(rows)
    assert scores["LAS"]["f1"] == pytest.approx(1 - subjects / 303)
    assert scores["LAS"] == {**scores["LAS"], "gold": 303, "system": 303, "correct": 303 - subjects, "aligned": 303}
    assert scores["Tokens"]["aligned_accuracy"] is None


@pytest.mark.parametrize(
    ("text", "code"),
    [("1\ta\n", "M550"), ("", "M504"), ("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "M580")],
)
def test_bad_input_is_one_message_and_no_file(tmp_path, text, code):
    bad, output = tmp_path / "bad.conllu", tmp_path / "scores.json"
    bad.write_text(text, encoding="utf8")
    for files in ((DEV, bad), (bad, DEV)):
        result = invoke(*files, "--output", output)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr.startswith(f"[{code}]")
        assert len(result.stderr.splitlines()) == 1
    assert not output.exists()
    assert "[M501]" in invoke(DEV, tmp_path / "none.conllu").stderr


def test_the_scores_are_not_written_over_a_treebank(tmp_path):
    gold = tmp_path / "gold.conllu"
    gold.write_bytes(DEV.read_bytes())
    for files in ((gold, DEV), (DEV, gold)):
        assert "[M741]" in invoke(*files, "--output", gold).stderr
    assert gold.read_bytes() == DEV.read_bytes()
