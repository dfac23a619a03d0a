import errno
import re
import shutil

import pytest
import spacy
from spacy.cli import app
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the commands)
from spacy_mtl.choosing.folds import trained_on_folds
from spacy_mtl.confidence.calibration import Calibration
from spacy_mtl.confidence.maps import Outcomes, fit_maps
from spacy_mtl.corpora.conll import ConllCorpus
from spacy_mtl.training.calibrating import calibrate_pipeline, create_calibrate

from ..pipelines import ASSETS

PERCEPTRON = {"@mtl_trainers": "spacy_mtl.Perceptron.v1"}
READER = {"@readers": "spacy_mtl.ConllCorpus.v1", "given": []}


def trained_pipeline(*names):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": ["U0:%x[0,ORTH]", "U1:%x[-1,LOWER]", "B"]}
    for name in names:
        nlp.add_pipe(f"mtl_{name}", name=name, config={"model": {"templates": templates}, "trainer": PERCEPTRON})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=300, given=[])(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples)
    nlp.config["corpora"]["train"] = {**READER, "path": "train.conll"}
    return nlp


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    trained_pipeline("tagger", "ner").to_disk(path := tmp_path_factory.mktemp("trained") / "model")
    return path


def dev(nlp):
    return list(ConllCorpus(ASSETS / "dev.conll", given=[])(nlp))


def invoke(*args):
    return CliRunner().invoke(app, list(map(str, args)))


def test_a_full_disk_leaves_the_pipeline_that_was_there(trained, tmp_path, monkeypatch):
    output = tmp_path / "sure"
    assert invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--output", output).exit_code == 0
    before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--output", output, "--no-isotonic")
    assert result.exit_code == 1
    assert "[M704]" in result.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_command_writes_a_pipeline_that_tells(trained, tmp_path):
    result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--output", tmp_path / "sure", "--confidence")
    assert (result.exit_code, result.stderr) == (0, "")
    assert re.search(r"^tagger +tag +[\d.]+ ", result.stdout, re.MULTILINE)
    assert re.search(r"^ner +entity +[\d.]+ ", result.stdout, re.MULTILINE)
    nlp = spacy.load(tmp_path / "sure")
    doc = nlp("El pregón lo dará Macarena Lobatón.")
    assert set(doc._.mtl_confidence) == {"tagger", "ner"}
    assert "ner" in doc.spans
    plain = spacy.load(trained)
    assert plain.get_pipe("ner").temperature is None


def test_one_component_alone_and_no_map(trained, tmp_path):
    options = "--component", "ner", "--no-isotonic", "--output", tmp_path / "sure"
    assert invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", *options).exit_code == 0
    nlp = spacy.load(tmp_path / "sure")
    assert nlp.get_pipe("tagger").temperature is None
    maps = nlp.get_pipe("ner").calibrations["entity"].maps
    assert (maps.adjustment, maps.given.size) == (None, 0)
    assert not nlp("El pregón.")._.mtl_confidence  # only with --confidence


def test_what_is_refused(trained, tmp_path):
    output = tmp_path / "sure"
    for options, code in ((("--component", "parser"), "M765"), ((), "M478")):
        corpus = ASSETS / "dev.conll"
        if code == "M478":
            corpus = tmp_path / "bare.conll"
            corpus.write_text("Hola\t-\t-\n\n")
        result = invoke("mtl", "calibrate", trained, corpus, "--output", output, *options)
        assert result.exit_code == 1
        assert code in result.stderr
        assert not output.exists()


def test_the_pipeline_itself_may_be_calibrated(trained, tmp_path):
    path = shutil.copytree(trained, tmp_path / "model")
    result = invoke("mtl", "calibrate", path, ASSETS / "dev.conll", "--output", path, "--no-isotonic")
    assert (result.exit_code, result.stderr) == (0, "")
    assert spacy.load(path).get_pipe("ner").temperature is not None


@pytest.mark.parametrize("same", ["dev.conll", "train.conll"])
def test_an_output_that_is_an_input_is_refused(trained, tmp_path, same):
    for name in ("dev.conll", "train.conll"):
        shutil.copy(ASSETS / name, tmp_path / name)
    options = ("--output", tmp_path / same, "--folds", 2, "--train", tmp_path / "train.conll")
    result = invoke("mtl", "calibrate", trained, tmp_path / "dev.conll", *options)
    assert (result.exit_code, result.stderr[:6]) == (1, "[M741]")
    assert (tmp_path / same).read_bytes() == (ASSETS / same).read_bytes()


def test_documents_of_a_later_component_have_what_earlier_ones_set():
    """A recognizer that reads tags is calibrated with the tags of the tagger before it."""
    nlp = spacy.blank("es")
    for name, texts in (("tagger", ["U0:%x[0,ORTH]", "B"]), ("ner", ["U0:%x[0,TAG]", "U1:%x[0,ORTH]", "B"])):
        templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": texts}
        nlp.add_pipe(f"mtl_{name}", name=name, config={"model": {"templates": templates}, "trainer": PERCEPTRON})
    examples = list(ConllCorpus(ASSETS / "train.conll", limit=300, given=[])(nlp))
    nlp.config["training"]["annotating_components"] = ["tagger"]
    nlp.initialize(lambda: examples)
    for _ in range(3):
        nlp.update(examples, annotates=["tagger"])
    held_out = dev(nlp)
    found = calibrate_pipeline(nlp, held_out)
    docs = [nlp.get_pipe("tagger")(example.predicted.copy()) for example in held_out]
    pairs = [spacy.training.Example(doc, each.reference) for doc, each in zip(docs, held_out, strict=True)]
    assert nlp.get_pipe("ner").calibrate(pairs)["entity"].temperature == found["ner"]["entity"].temperature
    assert not any(token.tag_ for example in held_out for token in example.predicted)


def test_the_callback_calibrates_what_is_trained_and_once():
    nlp, calls = trained_pipeline("ner"), []

    def corpus(nlp):
        calls.append(nlp)
        return dev(nlp)

    callback = create_calibrate(corpus)
    assert callback(nlp) is nlp
    first = nlp.get_pipe("ner").temperature
    assert first is not None
    callback(nlp)
    assert len(calls) == 1  # the weights are the same
    nlp.get_pipe("ner").cfg.pop("calibrations")
    with pytest.warns(UserWarning, match="M478"):
        create_calibrate(lambda nlp: [])(nlp)
    untrained = spacy.blank("es")
    untrained.add_pipe("mtl_ner")
    assert create_calibrate(corpus)(untrained) is untrained


@pytest.mark.parametrize("wrong", ["nope", "sentencizer"])
def test_the_callback_warns_of_names_that_cannot_be_calibrated_and_goes_on(wrong):
    nlp = trained_pipeline("ner")
    nlp.add_pipe("sentencizer", first=True)
    with pytest.warns(UserWarning, match=f"M765.*'{wrong}'.*those that can: ner"):
        create_calibrate(dev, [wrong, "ner"])(nlp)
    assert nlp.get_pipe("ner").temperature is not None


def test_in_a_training(tmp_path):
    """``spacy train`` saves a calibrated pipeline."""
    from spacy.training.loop import train

    config = spacy.blank("es").config.copy()
    nlp = trained_pipeline("ner")
    config = nlp.config.copy()
    for split in ("train", "dev"):
        config["corpora"][split] = {**READER, "path": str(ASSETS / f"{split}.conll"), "limit": 60}
    config["training"].update(max_steps=4, max_epochs=0, eval_frequency=2, patience=0)
    config["training"]["batcher"] = {"@batchers": "spacy_mtl.whole_corpus.v1"}
    callback = {"@callbacks": "spacy_mtl.calibrate.v1", "corpus": dict(config["corpora"]["dev"])}
    config["training"]["before_to_disk"] = {"@callbacks": "spacy_mtl.safe_save.v1", "callback": callback}
    train(init_nlp(config), tmp_path)
    for name in ("model-best", "model-last"):
        assert spacy.load(tmp_path / name).get_pipe("ner").temperature is not None


def test_options_that_would_do_nothing_are_refused(trained, tmp_path):
    for options, code in ((["--folds", 2, "--no-isotonic"], "M794"), (["--train", ASSETS / "train.conll"], "M799")):
        result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--output", tmp_path / "sure", *options)
        assert (result.exit_code, result.stderr[:6]) == (1, f"[{code}]")
    assert not (tmp_path / "sure").exists()


def test_find_threshold(trained, tmp_path):
    """spaCy's own command: as the threshold rises, precision does, too."""
    invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--component", "ner", "--output", tmp_path / "sure")
    nlp = spacy.load(tmp_path / "sure")
    DocBin(docs=[example.reference for example in dev(nlp)]).to_disk(tmp_path / "dev.spacy")
    arguments = tmp_path / "sure", tmp_path / "dev.spacy", "ner", "threshold"
    result = invoke("find-threshold", *arguments, "ents_p", "--n_trials", 3)
    assert result.exit_code == 0
    rows = [tuple(map(float, line.split())) for line in result.stdout.splitlines() if re.match(r"\d\.\d+ +\d", line)]
    assert [threshold for threshold, _ in rows] == [0.0, 0.5, 1.0]
    assert rows[1][1] > rows[0][1]


def test_folds_of_the_training_corpus_make_maps_too(trained, tmp_path):
    """Every training document is decided on by a component that has not seen it."""
    options = ("--component", "ner", "--folds", 2, "--train", ASSETS / "train.conll")
    result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", "--output", tmp_path / "sure", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    nlp = spacy.load(trained)
    ner, train = nlp.get_pipe("ner"), list(ConllCorpus(ASSETS / "train.conll", given=[])(nlp))
    pairs = list(trained_on_folds(nlp, "ner", train, dev(nlp), 2))
    assert [len(unseen) for _, unseen in pairs] == [len(train) // 2, len(train) - len(train) // 2]
    assert all(each.reference is train[k].reference for k, each in enumerate([*pairs[0][1], *pairs[1][1]]))
    alone = ner.calibrate(dev(nlp))["entity"]
    both = ner.calibrate(dev(nlp), folds=pairs)["entity"]
    assert alone.temperature == both.temperature
    saved = spacy.load(tmp_path / "sure").get_pipe("ner").calibrations["entity"]
    assert saved.to_dict() == both.to_dict()
    again = read_maps(ner, [(ner, dev(nlp)), *pairs], both.temperature)
    assert Calibration(both.temperature, again).to_dict() == both.to_dict()


def read_maps(ner, pairs, temperature):
    """The maps of the decisions of all these components about what each has not seen."""
    found = []
    for pipe, examples in pairs:
        considered = pipe.considered([each.predicted for each in examples], held=False)
        gold = [pipe.told_gold(*each) for each in zip(examples, considered.borders, strict=True)]
        found.append(considered.outcomes("entity", gold, temperature))
    return fit_maps(Outcomes.joined(found))


def test_there_are_at_most_as_many_folds_as_documents(trained):
    nlp = spacy.load(trained)
    train = list(ConllCorpus(ASSETS / "train.conll", given=[], group=10)(nlp))[:2]
    assert [len(unseen) for _, unseen in trained_on_folds(nlp, "ner", train, dev(nlp), 3)] == [1, 1]


def test_folds_that_cannot_be(trained, tmp_path):
    sentence = "\n\n".join((ASSETS / "train.conll").read_text(encoding="utf8").split("\n\n")[:1]) + "\n"
    (tmp_path / "one.conll").write_text(sentence, encoding="utf8")
    options = ("--output", tmp_path / "sure", "--folds", 2, "--train", tmp_path / "one.conll")
    result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", *options)
    assert (result.exit_code, result.stderr[:6]) == (1, "[M954]")
    for folds in (1, -1, 1000):
        options = ("--output", tmp_path / "sure", "--folds", folds)
        result = invoke("mtl", "calibrate", trained, ASSETS / "dev.conll", *options)
        assert result.exit_code == 1
        assert f"[M419] 'calibrate': --folds must be 0, or from 2 to 20, but is {folds}." in result.stderr
