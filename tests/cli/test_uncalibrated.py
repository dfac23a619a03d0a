"""Commands on pipelines that want probabilities, but have not been calibrated since they were trained."""

import json
import re

import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the commands)
from spacy_mtl.cli.insight.explain import explanations
from spacy_mtl.components.confidence.untold import untold
from spacy_mtl.corpora.conll import ConllCorpus

from ..pipelines import ASSETS

DEV = ASSETS / "dev.conll"
TEXT = "El pregón de este año lo dará Macarena Lobatón, de la Real Sociedad."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The same pipeline three times: plain, with confidence, and with a threshold, too."""
    nlp, folder = spacy.blank("es"), tmp_path_factory.mktemp("models")
    for name, texts in (("tagger", ["U0:%x[0,ORTH]", "B"]), ("ner", ["U0:%x[0,LOWER]", "U1:%x[0,TAG]", "B"])):
        templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
        trainer = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
        nlp.add_pipe(f"mtl_{name}", name=name, config={"model": {"templates": templates}, "trainer": trainer})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=100, given=[])(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples)
    reader = {"@readers": "spacy_mtl.ConllCorpus.v1", "path": str(DEV), "given": []}
    nlp.config["corpora"] = {"train": {**reader, "path": str(ASSETS / "train.conll")}, "dev": reader}
    nlp.to_disk(folder / "plain")
    for name in nlp.pipe_names:
        nlp.get_pipe_config(name)["confidence"] = True
    nlp.to_disk(folder / "sure")
    nlp.get_pipe("ner").threshold = 0.9
    nlp.to_disk(folder / "threshold")
    with pytest.raises(ValueError, match="M477"):
        spacy.load(folder / "threshold")(TEXT)
    return folder


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", *map(str, args)])


@pytest.mark.parametrize("other", ["sure", "threshold"])
@pytest.mark.parametrize("command", ["explain", "suggest", "names"])
def test_commands_find_the_same_as_without_probabilities(models, tmp_path, command, other):
    (raw := tmp_path / "raw.txt").write_text(f"{TEXT}\nHoy llueve en Madrid.\n", encoding="utf8")
    found = []
    for model in ("plain", other):
        output = tmp_path / f"{model}.json"
        arguments = {
            "explain": (TEXT, "--json", output),
            "suggest": (raw, output, "--component", "ner"),
            "names": (DEV, output, "--component", "ner"),
        }[command]
        result = invoke(command, models / model, *arguments)
        assert (result.exit_code, result.exception) == (0, None), result.stderr
        found.append(output.read_text(encoding="utf8").replace(str(models / model), ""))
    assert found[0] == found[1]


def test_a_report_says_that_the_threshold_does_nothing(models, tmp_path):
    pages = []
    for model in ("plain", "sure", "threshold"):
        result = invoke("report", models / model, "--corpus", DEV, "--output", tmp_path / f"{model}.html")
        assert (result.exit_code, result.exception) == (0, None), result.stderr
        pages.append((tmp_path / f"{model}.html").read_text(encoding="utf8"))
    figures = [re.findall(r"calibrat\w+ on|\d+\.\d\d%", page) for page in pages]
    assert figures[0] == figures[1] == figures[2]
    assert ["its threshold leaves nothing out here" in page for page in pages] == [False, False, True]


def test_scores_need_no_probabilities_unless_there_is_a_threshold(models, tmp_path):
    found = []
    for model in ("plain", "sure"):
        result = invoke("evaluate", models / model, DEV, "--output", tmp_path / f"{model}.json")
        assert result.exit_code == 0, result.stderr
        scores = json.loads((tmp_path / f"{model}.json").read_text())
        found.append({key: value for key, value in scores.items() if key != "speed"})
    assert found[0] == found[1]
    result = invoke("evaluate", models / "threshold", DEV)
    assert (result.exit_code, result.stderr[:6]) == (1, "[M477]")


def test_an_explanation_runs_no_later_component(models, monkeypatch):
    nlp = spacy.load(models / "plain")
    nlp.add_pipe("sentencizer", name="later")
    monkeypatch.setattr("spacy.pipeline.Sentencizer.__call__", lambda self, doc: pytest.fail("it is not needed"))
    assert [each.component for each in explanations(nlp, "plain", TEXT)] == ["tagger", "ner"]


def test_settings_come_back(models):
    nlp = spacy.load(models / "threshold")
    ner = nlp.get_pipe("ner")
    with untold(nlp) as off:
        assert (off, ner.confidence, ner.threshold) == ({"ner"}, False, 0.0)
    assert (ner.confidence, ner.threshold, nlp.get_pipe("tagger").confidence) == (True, 0.9, True)
    ner.calibrate(list(ConllCorpus(DEV, given=["TAG"])(nlp)))
    with untold(nlp) as off:
        assert (off, ner.confidence, ner.threshold) == (set(), True, 0.9)
