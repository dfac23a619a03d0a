"""Commands with a pipeline that parses: config, evaluate, templates and summary."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_mtl.corpora.conllu import ConlluCorpus

ROOT = Path(__file__).parents[2]
TREES = ROOT / "assets" / "nl-trees"
PATTERNS = [
    "U0:%h[0,TAG]/%m[0,TAG]/%d",
    "U1:%h[0,TAG]/%b[TAG]/%m[0,TAG]",
    "U2:%h[0,LOWER]/%m[0,TAG]",
    "B0:%h[0,TAG]/%m[0,TAG]",
]


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


@pytest.fixture(scope="module")
def parser(tmp_path_factory):
    """A parser of a part of the treebank in assets/, as ``spacy train`` leaves it."""
    nlp = spacy.blank("nl")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": PATTERNS}
    nlp.add_pipe("mtl_parser", name="parser", config={"model": {"templates": templates}})
    examples = list(ConlluCorpus(TREES / "train.conllu", limit=30)(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    nlp.meta["performance"] = {"dep_uas": 0.75, "dep_las": 0.5}
    path = tmp_path_factory.mktemp("parser") / "training" / "model-best"
    path.parent.mkdir()
    nlp.to_disk(path)
    return path


def test_evaluate_trees(parser, tmp_path):
    output = tmp_path / "scores.json"
    result = invoke("evaluate", parser, TREES / "test.conllu", "--format", "conllu", "--limit", 10, "--output", output)
    assert (result.exit_code, result.stderr) == (0, "")
    scores = json.loads(output.read_text())
    assert 0.3 < scores["dep_las"] <= scores["dep_uas"] < 1
    assert f"UAS {100 * scores['dep_uas']:.2f}" in result.stdout
    assert f"LAS {100 * scores['dep_las']:.2f}" in result.stdout


def test_evaluate_binary_trees(parser, tmp_path):
    """Sentence starts are given, in documents of one sentence too."""
    for group in (1, 3):
        binary, scores = tmp_path / f"{group}.spacy", []
        settings = ("--format", "conllu", "--lang", "nl", "--limit", 6, "--group", group)
        assert invoke("convert", TREES / "test.conllu", binary, *settings).exit_code == 0
        for data, more in ((binary, ()), (TREES / "test.conllu", (*settings[:2], "--limit", 6, "--group", group))):
            output = tmp_path / "scores.json"
            result = invoke("evaluate", parser, data, *more, "--output", output)
            assert (result.exit_code, result.stderr) == (0, "")
            scores.append(json.loads(output.read_text())["dep_las"])
        assert scores[0] == scores[1] > 0


def test_evaluate_without_tags_is_one_message(parser):
    result = invoke("evaluate", parser, TREES / "test.conllu", "--format", "conllu", "--given", "")
    assert result.exit_code == 1
    assert result.stderr.startswith(("[M111]", "[M558]"))
    assert len(result.stderr.splitlines()) == 1


def test_templates(parser, tmp_path):
    result = invoke("templates", parser, "--all", "--json", tmp_path / "templates.json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "%h[0,TAG]/%b[TAG]/%m[0,TAG]" in result.stdout
    rows = json.loads((tmp_path / "templates.json").read_text())["components"]["parser"]["templates"]
    assert {row["name"] for row in rows} == {"U0", "U1", "U2", "B0"}


def test_summary_has_both_scores(parser, tmp_path):
    result = invoke("summary", parser.parent, "--metrics", tmp_path)
    assert (result.exit_code, result.stderr) == (0, "")
    rows = [line.split()[:4] for line in result.stdout.splitlines()[1:]]
    assert rows == [["parser", "-", "dep_uas", "75.00"], ["parser", "-", "dep_las", "50.00"]]


def test_config_with_another_trainer(tmp_path):
    source, output = ROOT / "configs" / "parser.cfg", tmp_path / "train.cfg"
    result = invoke("config", source, output, "--trainer", "MIRA", "--lang", "de", "--set", "k=3")
    assert (result.exit_code, result.stderr) == (0, "")
    config = load_config(output)
    assert config["nlp"]["lang"] == "de"
    assert config["components"]["parser"]["trainer"]["@mtl_trainers"] == "spacy_mtl.MIRA.v1"
    assert config["components"]["parser"]["trainer"]["k"] == 3
    assert config["components"]["parser"]["model"] == load_config(source)["components"]["parser"]["model"]


def test_config_with_another_template_set(tmp_path):
    output = tmp_path / "train.cfg"
    assert invoke("config", ROOT / "configs" / "parser.cfg", output, "--templates", "mst").exit_code == 0
    templates = load_config(output)["components"]["parser"]["model"]["templates"]
    assert templates["@mtl_templates"] == "spacy_mtl.mst.v1"
    assert templates["variants"] == "one"
