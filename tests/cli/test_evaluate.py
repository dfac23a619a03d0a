import json

import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.corpora.convert import convert_columns

from .conftest import ASSETS

DEV = ASSETS / "dev.conll"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "evaluate", *map(str, args)])


def scores_of(*args, output):
    result = invoke(*args, "--output", output)
    assert (result.exit_code, result.stderr) == (0, "")
    return json.loads(output.read_text())


@pytest.fixture
def expected(trained):
    """What spaCy itself finds when the tags are on the documents."""
    nlp = spacy.load(trained)
    return nlp.evaluate(list(ConllCorpus(DEV)(nlp)))


def test_scores_are_those_of_spacy(trained, expected, tmp_path):
    found = scores_of(trained, DEV, output=tmp_path / "new" / "metrics.json")
    assert found.keys() == expected.keys()
    assert found["speed"] > 0
    assert {**found, "speed": 0} == {**expected, "speed": 0}
    assert found["ents_f"] > 0.2


def test_a_converted_corpus_scores_the_same(trained, expected, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    found = scores_of(trained, tmp_path / "dev.spacy", output=tmp_path / "metrics.json")
    assert {**found, "speed": 0} == {**expected, "speed": 0}


def test_several_files(trained, tmp_path):
    convert_columns(DEV, tmp_path / "dev.spacy", "es")
    result = invoke(trained, tmp_path / "dev.spacy", DEV, "--limit", 10)
    assert "on 20 documents" in result.stdout


def test_table(trained):
    lines = invoke(trained, DEV).stdout.splitlines()
    assert lines[0] == f"{trained} on 70 documents, 1,263 tokens"
    rows = {line.split()[0]: line.split()[1:] for line in lines[2:]}
    assert rows["entities"][3] == "117"
    assert sum(int(rows[label][3]) for label in ("LOC", "MISC", "ORG", "PER")) == 117
    assert lines[-1].startswith("tokenization 100.00, ")
    assert lines[-1].endswith(" words/s")


def test_gold_without_entities_has_no_scores(trained, tmp_path):
    path = tmp_path / "plain.conll"
    path.write_text("Llueve VERB\nhoy ADV\n", encoding="utf8")
    result = invoke(trained, path, "--columns", "ORTH,TAG")
    assert [line.split() for line in result.stdout.splitlines() if line.startswith("entities")] == [
        ["entities", "-", "-", "-", "0"]
    ]


def test_tags_left_out_are_noticed(trained, tmp_path):
    result = invoke(trained, DEV, "--given", "")
    assert (result.exit_code, result.stderr[:6]) == (1, "[M111]")
    convert_columns(DEV, tmp_path / "dev.spacy", "es", given=[])
    assert invoke(trained, tmp_path / "dev.spacy").stderr.startswith("[M111]")
    assert invoke(trained, tmp_path / "dev.spacy", "--given", "TAG").exit_code == 0


def test_an_earlier_component_may_provide_the_tags(trained, tmp_path):
    nlp = spacy.load(trained)
    nlp.add_pipe("tagger_of_a_test", first=True)
    nlp.to_disk(tmp_path / "model")
    result = invoke(tmp_path / "model", DEV, "--given", "")
    assert (result.exit_code, result.stderr) == (0, "")


@spacy.Language.component("tagger_of_a_test")
def tag_everything(doc):
    for token in doc:
        token.tag_ = "NOUN"
    return doc


def check_refused(result, code):
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[{code}]")
    assert len(result.stderr.splitlines()) == 1
    assert result.stdout == ""


def test_bad_input_is_one_message_and_a_failure(trained, tmp_path):
    damaged = tmp_path / "damaged.spacy"
    damaged.write_bytes(b"no corpus")
    empty = tmp_path / "empty.spacy"
    empty.write_bytes(spacy.tokens.DocBin().to_bytes())
    check_refused(invoke(tmp_path / "nowhere", DEV), "M701")
    check_refused(invoke(trained, tmp_path / "nowhere"), "M501")
    check_refused(invoke(trained, tmp_path / "nowhere.spacy"), "M501")
    check_refused(invoke(trained, damaged), "M705")
    check_refused(invoke(trained, empty), "M706")
    check_refused(invoke(trained, damaged, "--given", "SHAPE"), "M714")
    check_refused(invoke(trained, DEV, "--columns", "ORTH,TAG,POS,ENT"), "M503")
    check_refused(invoke(trained, DEV, "--output", trained / "meta.json" / "x.json"), "M704")


@pytest.mark.parametrize("binary", [False, True])
def test_what_a_pipeline_predicts_is_no_input(tmp_path, binary):
    """Gold tags on the documents would make a tagger look perfect; asked for, they are there."""
    nlp = spacy.blank("es")
    nlp.add_pipe(
        "mtl_tagger",
        config={"model": {"templates": {"patterns": ["U0:%x[0,SUFFIX2]"], "@mtl_templates": "spacy_mtl.patterns.v1"}}},
    )
    examples = list(ConllCorpus(ASSETS / "train.conll", given=[], limit=20)(nlp))
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    nlp.to_disk(tmp_path / "model")
    data = DEV
    if binary:
        data = tmp_path / "dev.spacy"
        convert_columns(DEV, data, "es")
    assert 0.3 < scores_of(tmp_path / "model", data, output=tmp_path / "a.json")["tag_acc"] < 0.9
    assert scores_of(tmp_path / "model", data, "--given", "TAG", output=tmp_path / "b.json")["tag_acc"] == 1.0
