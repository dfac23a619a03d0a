"""``spacy mtl tokenizer``: a pipeline that begins with a segmenter becomes one with a tokenizer."""

import pytest
import spacy
from spacy.tokens import Doc
from spacy.training import Example
from typer.testing import CliRunner

import spacy_mtl.components.tokenizer  # noqa: F401 (registers it)
from spacy_mtl.cli import mtl

SENTENCES = ["我们 在 北京 学习", "他们 在 上海 参观", "我们 去 上海"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    nlp = spacy.blank("zh")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,CHAR]", "B"]}
    nlp.add_pipe("mtl_segmenter", name="words", config={"model": {"templates": templates}})
    nlp.add_pipe("sentencizer")
    references = [Doc(nlp.vocab, words=s.split(), spaces=[False] * len(s.split())) for s in SENTENCES]
    examples = [Example(nlp.make_doc(doc.text), doc) for doc in references]
    nlp.initialize(lambda: examples)
    for _ in range(4):
        nlp.update(examples)
    path = tmp_path_factory.mktemp("segmenter") / "model"
    nlp.to_disk(path)
    return path


def run(*arguments):
    return CliRunner().invoke(mtl, ["tokenizer", *map(str, arguments)])


def test_the_new_pipeline_gives_the_same_words(model, tmp_path):
    result = run(model, tmp_path / "new")
    assert result.exit_code == 0, result.output
    assert str(tmp_path / "new") in result.output
    old, new = spacy.load(model), spacy.load(tmp_path / "new")
    assert new.pipe_names == ["sentencizer"]
    for sentence in SENTENCES:
        text = "".join(sentence.split())
        assert new(text).to_json() == old(text).to_json()
    assert [token.text for token in new("我们去上海")] == ["我们", "去", "上海"]


def test_a_pipeline_that_has_no_segmenter(tmp_path):
    spacy.blank("zh").to_disk(tmp_path / "blank")
    result = run(tmp_path / "blank", tmp_path / "new")
    assert result.exit_code == 1
    assert "[M417]" in result.output
    assert not (tmp_path / "new").exists()


def test_a_pipeline_that_cannot_be_loaded(tmp_path):
    assert "[M701]" in run(tmp_path / "missing", tmp_path / "new").output


def test_an_output_that_cannot_be_written(model, tmp_path):
    (tmp_path / "file").write_text("")
    result = run(model, tmp_path / "file" / "new")
    assert result.exit_code == 1
    assert "[M704]" in result.output
