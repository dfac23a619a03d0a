import json
import shutil
from pathlib import Path

import pytest
import spacy
from spacy.cli import app
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the commands)
from spacy_mtl.cli.insight.report import MOST_STEPS, _training_corpus, read_steps, with_history

from ..pipelines import ASSETS, make_nlp, read_corpus, train

READER = {"@readers": "spacy_mtl.ConllCorpus.v1"}


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "report", *map(str, args)])


def trained_pipeline():
    nlp = make_nlp(name="ner")
    train(nlp, read_corpus(nlp, limit=60), 3)
    nlp.config["corpora"]["train"] = {**READER, "path": str(ASSETS / "train.conll"), "limit": 60}
    nlp.config["corpora"]["dev"] = {**READER, "path": str(ASSETS / "dev.conll"), "limit": 30}
    return nlp


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """What spacy train leaves: model-best without the evaluation that made it the best, and model-last with it."""
    folder = tmp_path_factory.mktemp("training")
    nlp = trained_pipeline()
    nlp.to_disk(folder / "model-best")
    nlp.get_pipe("ner").evaluated(0.5)
    nlp.to_disk(folder / "model-last")
    rows = [{"step": k, "score": 0.1, "seconds": k, "other_scores": {"ents_f": 0.25, "x": None}} for k in range(300)]
    (folder / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


@pytest.fixture
def training(kept, tmp_path):
    return shutil.copytree(kept, tmp_path / "mine")


def check_refused(result, code):
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1].startswith(f"[{code}]")
    assert "Traceback" not in result.stderr


def test_settings_may_stand_in_another_block(training):
    path = training / "model-best" / "config.cfg"
    text = path.read_text().replace("[components.ner.trainer]", "[shared]\n\n[shared.trainer]")
    path.write_text(text.replace("[components.ner]\n", "[components.ner]\ntrainer = ${shared.trainer}\n"))
    result = invoke(training, "-o", training / "page.html")
    assert result.exit_code == 0, result.stderr
    assert "MTLStruct.v1 (" in (training / "page.html").read_text()


def test_a_page_from_a_training(training):
    result = invoke(training)
    assert (result.exit_code, result.stdout.split(":")[0]) == (0, str(training / "report.html"))
    assert "ner: its costliest errors" in result.stderr
    html = (training / "report.html").read_text()
    assert "<h1>mine</h1>" in html
    assert "50.00" in html  # the evaluation of model-last
    assert html.count("ents_f 25.00") == MOST_STEPS
    assert "The training corpus is not at hand" not in html


def test_a_page_from_a_pipeline(training, tmp_path):
    page = tmp_path / "new" / "page.html"
    result = invoke(training / "model-best", "--output", page, "--corpus", ASSETS / "train.conll", "--learning-curve")
    assert result.exit_code == 0, result.stderr
    assert "ner: training on 60 documents" in result.stderr
    html = page.read_text()
    assert "<h1>model-best</h1>" in html
    assert "Learning curve" in html
    assert "on 30 documents" in html


def test_a_training_corpus_that_has_gone_is_said(training):
    for name in ("model-best", "model-last"):
        config = (training / name / "config.cfg").read_text()
        (training / name / "config.cfg").write_text(config.replace("train.conll", "gone.conll"))
    result = invoke(training)
    assert result.exit_code == 0, result.stderr
    assert "The training corpus is not at hand" in (training / "report.html").read_text()
    check_refused(invoke(training, "--learning-curve"), "M501")


def test_a_training_corpus_may_be_in_several_files(training):
    nlp, files = spacy.load(training / "model-best"), [ASSETS / "dev.conll", ASSETS / "test.conll"]
    one, two = map(str, files)
    for path, there in ((one, True), ([one, two], True), (f"{one},{two}", True), ([one, "gone.conll"], False)):
        nlp.config["corpora"]["train"] = {**READER, "path": path}
        assert (_training_corpus(nlp, None, "it", False) is not None) == there


def test_another_history_is_not_taken(training):
    other = make_nlp(["U9:%x[0,ORTH]", "B"], name="ner")
    train(other, read_corpus(other, limit=20), 1)
    other.get_pipe("ner").evaluated(0.75)
    shutil.rmtree(training / "model-last")
    other.to_disk(training / "model-last")
    assert invoke(training).exit_code == 0
    assert "75.00" not in (training / "report.html").read_text()


def test_the_path_of_weights_is_that_of_the_model(training):
    """What model-last has learnt after model-best was saved is not its history, but the evaluations are."""
    nlp = spacy.load(training / "model-last")
    ner = nlp.get_pipe("ner")
    shares = [each.copy() for each in ner.history.shares]
    ner.history.passes.append(99)
    ner.history.shares.append(shares[-1] * 0)
    nlp.to_disk(training / "model-last")
    loaded = spacy.load(training / "model-best")
    with_history(loaded, training)
    own = loaded.get_pipe("ner").history
    assert own.passes == [1, 2, 3]
    assert [each.score for each in own.evaluations] == [0.5]
    assert not own.dropped()


def test_bad_input_is_one_message_before_any_work(training, tmp_path):
    check_refused(invoke(tmp_path / "nowhere"), "M701")
    check_refused(invoke(training, "--corpus", tmp_path / "nowhere.conll"), "M501")
    check_refused(invoke(training, "--train", tmp_path / "nowhere.conll"), "M501")
    check_refused(invoke(training, "--component", "tagger"), "M788")
    (tmp_path / "empty.conll").write_text("")
    check_refused(invoke(training, "--corpus", tmp_path / "empty.conll"), "M504")
    check_refused(invoke(training, "--output", training), "M704")
    check_refused(invoke(training, "--output", training / "log.jsonl" / "x.html"), "M704")
    for other in (shutil.copy(ASSETS / "dev.conll", tmp_path), training / "model-best" / "config.cfg"):
        before = Path(other).read_bytes()
        check_refused(invoke(training, "--output", other), "M790")
        assert Path(other).read_bytes() == before
    assert not (training / "report.html").exists()


def test_a_pipeline_without_its_corpora(tmp_path):
    nlp = trained_pipeline()
    del nlp.config["corpora"]["dev"]
    nlp.to_disk(tmp_path / "bare")
    check_refused(invoke(tmp_path / "bare"), "M771")
    spacy.blank("es").to_disk(tmp_path / "none")
    check_refused(invoke(tmp_path / "none", "--corpus", ASSETS / "dev.conll"), "M788")


BAD_ROWS = [
    "[" * 100_000,
    '{"step": 1e999}',
    '{"step": 1, "score": 1' + "0" * 400 + "}",
    "{",
    "[1]",
    '{"step": "x"}',
    '{"step": 1, "score": "high"}',
    '{"score": 1}',
]


@pytest.mark.parametrize("line", BAD_ROWS, ids=range(len(BAD_ROWS)))
def test_a_log_that_is_none(training, line):
    (training / "log.jsonl").write_text(line + "\n")
    check_refused(invoke(training), "M715")


def test_a_log_of_a_training_that_has_just_begun_has_no_rows(tmp_path):
    (tmp_path / "log.jsonl").write_text("")
    assert read_steps(tmp_path / "log.jsonl") == read_steps(tmp_path / "none.jsonl") == []


def test_a_full_disk_leaves_the_old_page(training, monkeypatch):
    page = training / "report.html"
    page.write_text("<!doctype html>old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    check_refused(invoke(training), "M704")
    assert page.read_text() == "<!doctype html>old"
    assert [each.name for each in training.iterdir() if each.name.endswith(".tmp")] == []
