import json
import re

import pytest
import spacy
from spacy.cli import app
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the commands)
from spacy_mtl.corpora.conll import ConllCorpus

from ..pipelines import ASSETS

PERCEPTRON = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}

TEXT = "El pregón de este año lo dará Macarena Lobatón, de la Real Sociedad."


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A pipeline that knows entities by their forms."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,ORTH]", "U1:%x[-1,LOWER]", "B"]}
    nlp.add_pipe("mtl_ner", name="ner", config={"model": {"templates": templates}, "trainer": PERCEPTRON})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=60, given=[])(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(6):
        nlp.update(examples)
    nlp.to_disk(path := tmp_path_factory.mktemp("trained") / "model")
    return path


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "explain", *map(str, args)])


def test_decisions_with_their_contributions(trained):
    result = invoke(trained, TEXT, "--top", 2)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert re.fullmatch(r"ner: \d+ decisions?", lines[0])
    assert re.search(r": \w+, not .+, by \d+\.\d{4}", lines[1])
    assert len([line for line in lines if re.match(r"[+-]\d+\.\d{4} +U\d", line)]) <= 2 * int(lines[0].split()[1])


def test_json_and_html(trained, tmp_path):
    result = invoke(trained, TEXT, "--json", tmp_path / "why.json", "--html", tmp_path / "why.html")
    assert result.exit_code == 0
    (explanation,) = json.loads((tmp_path / "why.json").read_text())
    assert explanation["component"] == "ner"
    assert explanation["decisions"]
    for decision in explanation["decisions"]:
        total = sum(each["value"] for each in decision["contributions"])
        assert total == pytest.approx(decision["difference"], abs=1e-4)
    page = (tmp_path / "why.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "http" not in page


def test_closest_first(trained):
    result = invoke(trained, TEXT, "--closest", 1, "--top", 1)
    shown = [line for line in result.stdout.splitlines() if ", not " in line and line[0] not in "+-"]
    assert len(shown) == 1


@pytest.mark.parametrize(
    ("args", "code"),
    [((TEXT, "--component", "parser"), "M761"), (("",), "M760"), ((TEXT, "--json", "/dev/null/why.json"), "M704")],
)
def test_bad_input(trained, args, code):
    result = invoke(trained, *args)
    assert result.exit_code == 1
    assert f"[{code}]" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.filterwarnings("ignore:.*M459")
def test_an_untrained_component(tmp_path):
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner")
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", TEXT)
    assert result.exit_code == 1
    assert "[M475]" in result.stderr


def test_why_a_word_is_no_entity(trained, tmp_path):
    text = "Hoy llueve en el centro."
    assert "0 decisions" in (shown := invoke(trained, text).stdout)
    assert "--tokens" in shown
    result = invoke(trained, text, "--tokens", "--json", tmp_path / "why.json")
    assert result.exit_code == 0, result.stderr
    (explanation,) = json.loads((tmp_path / "why.json").read_text())
    assert [each["winner"] for each in explanation["decisions"]] == ["O"] * 6


@pytest.mark.parametrize("top", [1, 0])
def test_the_page_has_as_many_features_as_asked_for(trained, tmp_path, top):
    assert (
        invoke(trained, TEXT, "--html", tmp_path / "why.html", "--json", tmp_path / "why.json", "--top", top).exit_code
        == 0
    )
    (explanation,) = json.loads((tmp_path / "why.json").read_text())
    rows = sum(min(top or 10**6, len(each["contributions"])) for each in explanation["decisions"])
    rest = sum(bool(top) and len(each["contributions"]) > top for each in explanation["decisions"])
    page = (tmp_path / "why.html").read_text()
    assert page.count('<td class="n">') == rows + rest
    assert page.count(" others</td>") == rest


def test_two_outputs_need_two_names(trained, tmp_path):
    result = invoke(trained, TEXT, "--json", tmp_path / "why", "--html", tmp_path / "why")
    assert result.stderr.startswith("[M795]")
    assert not (tmp_path / "why").exists()


def test_half_a_character_is_told(trained):
    assert invoke(trained, "Vive en \udcff Madrid.").stderr.startswith("[M796] the text")


def test_control_characters_are_shown_and_not_obeyed(tmp_path):
    """Those of the text and those of a label, which may come with a model of somebody else's."""
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,ORTH]", "B"]}
    nlp.add_pipe("mtl_tagger", config={"model": {"templates": templates}, "trainer": PERCEPTRON})
    docs = [Doc(nlp.vocab, ["la", "\x1b[2J"], tags=["A", "B\x1b[31m\n"]) for _ in range(2)]
    examples = [Example(Doc(nlp.vocab, [t.text for t in doc]), doc) for doc in docs]
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", "la \x1b[2J")
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout
    assert "\u241b[2J" in result.stdout
    result = CliRunner().invoke(app, ["mtl", "features", str(tmp_path / "model")])
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stdout
    assert "B\u241b[31m\u240a" in result.stdout
