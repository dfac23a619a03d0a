"""Every public method of a pipeline does with our components what spaCy's documentation says of it."""

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.training import Example

TEMPLATES = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "B"]
NAME = "mtl_ner"


@pytest.fixture
def examples(read_corpus, nlp):
    return read_corpus(nlp, limit=30)


@pytest.fixture
def nlp(make_nlp):
    return make_nlp(TEMPLATES)


@pytest.fixture
def learnt(nlp, examples, train):
    return train(nlp, examples)


def ents(nlp, text):
    return [(ent.text, ent.label_) for ent in nlp(text).ents]


@pytest.fixture
def text(examples, learnt):
    found = [example.reference.text for example in examples]
    return max(found, key=lambda text: len(ents(learnt, text)))


@pytest.fixture
def wanted(learnt, text):
    found = ents(learnt, text)
    assert found
    return found


def test_names_of_what_there_is(learnt):
    assert learnt.pipe_names == learnt.component_names == [NAME]
    assert learnt.pipeline == learnt.components == [(NAME, learnt.get_pipe(NAME))]
    assert learnt.has_pipe(NAME)
    assert learnt.disabled == []
    assert learnt.pipe_factories == {NAME: NAME}
    assert isinstance(learnt.factory_names, list)  # of functions; classes, as ours, are found by name
    assert Language.has_factory(NAME)
    assert learnt.factories is not None
    assert Language.get_factory_name(learnt.get_pipe_meta(NAME).factory) == NAME


def test_labels_and_descriptions(learnt):
    labels = list(learnt.get_pipe(NAME).labels)
    assert labels == learnt.pipe_labels[NAME] == learnt.meta["labels"][NAME]
    assert "PER" in labels
    meta = learnt.get_pipe_meta(NAME)
    assert meta == Language.get_factory_meta(NAME)
    assert {"doc.ents", "token.ent_iob"} <= set(meta.assigns)
    assert meta.default_score_weights["ents_f"] == 1.0
    assert "ents_f" in meta.scores


def test_settings(learnt):
    assert learnt.get_pipe_config(NAME)["factory"] == NAME
    assert learnt.config["components"][NAME]["model"]["@architectures"] == "spacy_mtl.TemplateChain.v1"
    assert learnt.default_config["components"] == {}
    again = type(learnt).from_config(learnt.config)
    assert again.get_pipe(NAME).labels == ()
    assert again.config["components"] == learnt.config["components"]


def test_making_replacing_and_ordering(learnt, text, wanted):
    made = learnt.create_pipe(NAME)
    assert made.labels == ()
    other = spacy.blank("es")
    pipe, factory = other.create_pipe_from_source(NAME, learnt, name=NAME)
    assert factory == NAME
    assert list(pipe.labels) == learnt.pipe_labels[NAME]
    other.add_pipe("sentencizer")
    other.add_pipe(NAME, source=learnt, before="sentencizer")
    assert other.pipe_names == [NAME, "sentencizer"]
    assert ents(other, text) == wanted
    other.replace_pipe(NAME, "mtl_tagger")
    assert other.get_pipe_meta(NAME).factory == "mtl_tagger"
    other.rename_pipe(NAME, "tags")
    assert other.remove_pipe("tags")[0] == "tags"
    assert other.pipe_names == ["sentencizer"]


def test_switching_off_and_on(learnt, text, wanted):
    learnt.disable_pipe(NAME)
    assert (learnt.disabled, ents(learnt, text)) == ([NAME], [])
    learnt.enable_pipe(NAME)
    assert ents(learnt, text) == wanted
    with learnt.select_pipes(disable=NAME):
        assert ents(learnt, text) == []
    with pytest.warns(DeprecationWarning, match="W096"), learnt.disable_pipes(NAME):
        assert ents(learnt, text) == []
    assert ents(learnt, text) == wanted


def test_a_problem_of_a_document_reaches_the_handler(learnt, text, monkeypatch):
    met = []

    def fail(docs):
        raise ValueError("a problem")

    learnt.set_error_handler(lambda name, proc, docs, error: met.append((name, len(docs), str(error))))
    monkeypatch.setattr(learnt.get_pipe(NAME), "predict", fail)
    assert list(learnt.pipe([text, text])) == []
    assert {(name, error) for name, _, error in met} == {(NAME, "a problem")}
    assert sum(count for _, count, _ in met) == 2


def test_listeners_of_others_are_replaced_beside_ours(learnt, text, wanted):
    learnt.add_pipe("tok2vec", first=True)
    learnt.add_pipe("textcat")
    learnt.replace_listeners("tok2vec", "textcat", [])
    assert ents(learnt.select_pipes(enable=NAME) and learnt, text) == wanted
    with pytest.raises(ValueError, match="E8"):
        learnt.replace_listeners("tok2vec", NAME, ["model.tok2vec"])


def test_training_and_its_optimizer(nlp, examples):
    with pytest.warns(DeprecationWarning, match="W089"):
        optimizer = nlp.begin_training(lambda: examples)
    assert type(nlp.create_optimizer()) is type(optimizer)
    before = nlp.get_pipe(NAME).labels
    for losses in (None, {NAME: 5.0}, {}):
        total = nlp.update(examples, sgd=optimizer, drop=0.2, losses=losses)[NAME]
        assert total > (5.0 if losses else 0.0)
    assert nlp.get_pipe(NAME).labels == before
    with nlp.use_params(optimizer.averages):
        assert nlp.evaluate(examples)["ents_f"] > 0.5


def test_learning_on_and_rehearsing(learnt, read_corpus, tmp_path):
    learnt.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    examples = read_corpus(loaded, limit=30)
    before = loaded.evaluate(examples)["ents_f"]
    optimizer = loaded.resume_training()
    raw = [Example(loaded.make_doc(each.reference.text), loaded.make_doc(each.reference.text)) for each in examples]
    loaded.rehearse(raw, sgd=optimizer)
    assert loaded.update(examples[:5], sgd=optimizer)[NAME] >= 0
    assert loaded.evaluate(examples)["ents_f"] >= before - 0.1


def test_saving(learnt, text, wanted, tmp_path):
    learnt.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.path == tmp_path
    assert loaded.lang == "es"
    assert ents(loaded, text) == wanted
    for read, source in (("from_disk", tmp_path), ("from_bytes", learnt.to_bytes())):
        again = type(learnt).from_config(learnt.config)
        assert ents(getattr(again, read)(source), text) == wanted


#: Where the other public names are tried.
ELSEWHERE = {
    "analyze_pipes", "memory_zone", "pipe", "add_pipe",  # test_pipelines.py
    "initialize", "component", "factory", "set_factory_meta", "Defaults",  # everywhere, or of no component
}  # fmt: skip


def test_no_public_method_is_forgotten():
    """A method that a later version of spaCy has should be tried here, too."""
    here = Path(__file__).read_text(encoding="utf8")
    names = {name for name in dir(Language) if not name.startswith("_")}
    assert {name for name in names - ELSEWHERE if f".{name}" not in here and f'"{name}"' not in here} == set()
    assert names >= ELSEWHERE
