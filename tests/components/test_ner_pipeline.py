"""A trained component in spaCy's hands: saved, loaded, copied, moved, renamed, and run in other processes."""

import copy
import os
import pickle
import shutil
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from thinc.api import Config

from spacy_mtl.models import store
from spacy_mtl.models.store import MAGIC

TEXTS = [
    "Ana Ruiz vive en Madrid.",
    "El Gobierno de Colombia anunció ayer un acuerdo con la OTAN.",
    "",
    "El pregón lo dará Macarena Lobatón, nacida en Sanlúcar de Barrameda.",
    "Hola",
]


@pytest.fixture(scope="module")
def nlp(make_nlp, read_corpus, train):
    """Trained on raw text, so that any text can be tagged."""
    nlp = make_nlp(texts=None, megabytes=10.0)
    return train(nlp, read_corpus(nlp, limit=80), passes=5)


def entities(docs) -> list[list[tuple]]:
    return [[(ent.start, ent.end, ent.label_) for ent in doc.ents] for doc in docs]


def predictions(ner, examples) -> list[list[int]]:
    return [labels.tolist() for labels in ner.predict([example.predicted for example in examples])]


@pytest.fixture(scope="module")
def expected(nlp):
    found = entities(nlp.pipe(TEXTS))
    assert sum(map(len, found)) > 3
    return found


# --- saving and loading ---


def test_few_sentences_are_learnt_by_heart_and_survive_saving(make_nlp, read_corpus, train, tmp_path):
    nlp = make_nlp()
    examples = read_corpus(nlp, limit=10)
    train(nlp, examples, passes=20)
    scores = nlp.evaluate(examples)
    assert scores["ents_f"] == 1.0
    assert set(scores["ents_per_type"]) == set(nlp.get_pipe("mtl_ner").labels)
    nlp.to_disk(tmp_path)
    loaded = [spacy.load(tmp_path), make_nlp().from_bytes(nlp.to_bytes()), make_nlp().from_disk(tmp_path)]
    expected = predictions(nlp.get_pipe("mtl_ner"), read_corpus(nlp, limit=30))
    for other in loaded:
        assert other.evaluate(read_corpus(other, limit=10))["ents_per_type"] == scores["ents_per_type"]
        assert predictions(other.get_pipe("mtl_ner"), read_corpus(other, limit=30)) == expected


def test_saved_pipeline_predicts_the_same(nlp, expected, tmp_path):
    nlp.to_disk(tmp_path)
    assert entities(spacy.load(tmp_path).pipe(TEXTS)) == expected
    assert entities(spacy.blank("es").from_bytes(spacy.load(tmp_path).to_bytes()).pipe(TEXTS)) != expected
    config = nlp.config
    assert entities(spacy.util.load_model_from_config(config).from_bytes(nlp.to_bytes()).pipe(TEXTS)) == expected


def test_saving_what_was_loaded_changes_no_byte(nlp, tmp_path):
    nlp.to_disk(tmp_path / "a")
    spacy.load(tmp_path / "a").to_disk(tmp_path / "b")
    assert (tmp_path / "a/mtl_ner/model").read_bytes() == (tmp_path / "b/mtl_ner/model").read_bytes()


def test_labels_and_scheme_come_from_the_file(nlp, make_nlp, tmp_path):
    nlp.get_pipe("mtl_ner").to_disk(tmp_path, exclude=["vocab"])
    with pytest.warns(UserWarning, match=r"^\[M758\].*scheme = 'iob2'"):
        other = make_nlp(scheme="iob2").get_pipe("mtl_ner").from_disk(tmp_path, exclude=["vocab"])
    assert other.labels == nlp.get_pipe("mtl_ner").labels
    assert other.cfg == nlp.get_pipe("mtl_ner").cfg
    assert all(label in other.vocab.strings for label in other.labels)


def test_saved_component_is_a_model_and_its_history_and_no_pickle(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    files = sorted(path for path in (tmp_path / "mtl_ner").rglob("*") if path.is_file())
    assert [path.name for path in files] == ["history", "model"]
    assert files[1].read_bytes().startswith(MAGIC)
    for path in files:
        with pytest.raises((pickle.UnpicklingError, ValueError, KeyError, EOFError)):
            pickle.loads(path.read_bytes())


def test_interrupted_saving_leaves_the_old_model(nlp, expected, tmp_path, monkeypatch):
    ner = nlp.get_pipe("mtl_ner")
    ner.to_disk(tmp_path)

    def no_space(*_):
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_space)
        with pytest.raises(OSError, match="no space"):
            ner.to_disk(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["history", "model", "vocab"]
    ner.from_disk(tmp_path)
    assert entities(nlp.pipe(TEXTS)) == expected


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda data: b"", "M601"),
        (lambda data: b"PK\3\4" + data, "M601"),
        (lambda data: data[:5] + b"\7" + data[6:], "M602"),
        (lambda data: data[:-1], "M603"),
        (lambda data: data[:300] + bytes([data[300] ^ 1]) + data[301:], "M603"),
        (lambda data: data + b"\0", "M603"),
        (None, "M605"),
    ],
    ids=["empty", "foreign", "other version", "truncated", "flipped bit", "trailing byte", "missing"],
)
def test_damaged_model_is_one_clear_error(nlp, tmp_path, damage, code):
    nlp.to_disk(tmp_path)
    path = tmp_path / "mtl_ner" / "model"
    data = path.read_bytes()
    path.unlink() if damage is None else path.write_bytes(damage(data))
    with pytest.raises(ValueError, match=rf"^\[{code}\] ") as info:
        spacy.load(tmp_path)
    assert str(path) in str(info.value)
    assert "\n" not in str(info.value)


def test_missing_directory_of_the_component_is_one_clear_error(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    shutil.rmtree(tmp_path / "mtl_ner")
    with pytest.raises(ValueError, match=r"^\[M605\] .*model cannot be read"):
        spacy.load(tmp_path)


def test_damaged_bytes_are_one_clear_error(nlp, make_nlp):
    data = nlp.get_pipe("mtl_ner").to_bytes(exclude=["vocab"])
    at = data.index(MAGIC)
    damaged = data[: at + 400] + bytes([data[at + 400] ^ 1]) + data[at + 401 :]
    with pytest.raises(ValueError, match=r"^\[M603\] The serialized component 'mtl_ner' is damaged"):
        make_nlp().get_pipe("mtl_ner").from_bytes(damaged, exclude=["vocab"])


def test_model_of_another_component_is_refused(nlp, tmp_path):
    class Other(type(nlp.get_pipe("mtl_ner"))):
        pass

    ner = nlp.get_pipe("mtl_ner")
    ner.to_disk(tmp_path)
    other = Other(nlp.vocab, ner.model.copy(), "other", trainer=ner.trainer)
    with pytest.raises(ValueError, match=r"^\[M604\] .* holds the model of a MTLEntityRecognizer, not of a Other\."):
        other.from_disk(tmp_path)


@pytest.mark.parametrize("learned", [[], {"USUAL_TAG": None}, {"USUAL_TAG": 3}])
def test_learned_tables_of_another_kind_are_refused(nlp, make_nlp, tmp_path, learned):
    ner = nlp.get_pipe("mtl_ner")
    settings = {"component": type(ner).__name__, "cfg": ner.cfg, "learned": learned}
    (tmp_path / "model").write_bytes(store.to_bytes(ner.model.attrs["weights"], settings))
    with pytest.raises(ValueError, match=r"^\[M610\] .*model is not a valid model"):
        make_nlp().get_pipe("mtl_ner").from_disk(tmp_path, exclude=["vocab"])


def test_model_with_other_labels_than_its_settings_is_refused(nlp, make_nlp, tmp_path):
    ner = nlp.get_pipe("mtl_ner")
    weights = ner.model.attrs["weights"]
    settings = {"component": type(ner).__name__, "cfg": ner.cfg | {"entity_types": [*ner.labels, "MORE"]}}
    (tmp_path / "model").write_bytes(store.to_bytes(weights, settings))
    with pytest.raises(ValueError, match=r"^\[M610\] .*model is not a valid model"):
        make_nlp().get_pipe("mtl_ner").from_disk(tmp_path, exclude=["vocab"])


def test_loading_ends_a_training(nlp, make_nlp, read_corpus, train):
    other = make_nlp()
    examples = read_corpus(other, limit=10)
    train(other, examples, passes=1)
    other.from_bytes(nlp.to_bytes())
    assert other.get_pipe("mtl_ner").report is None


def test_vocabulary_and_model_can_be_left_out(nlp, make_nlp, tmp_path):
    ner = nlp.get_pipe("mtl_ner")
    ner.to_disk(tmp_path, exclude=["model"])
    assert not (tmp_path / "model").exists()
    assert (tmp_path / "vocab").exists()
    assert make_nlp().get_pipe("mtl_ner").from_disk(tmp_path, exclude=["model"]).labels == ()
    assert make_nlp().get_pipe("mtl_ner").from_bytes(ner.to_bytes(exclude=["model"])).labels == ()


def test_untrained_pipeline_can_be_saved(make_nlp, tmp_path):
    with pytest.warns(UserWarning, match="M459"):
        make_nlp().to_disk(tmp_path)
    assert entities(spacy.load(tmp_path).pipe(TEXTS)) == [[]] * len(TEXTS)


def test_config_goes_through_text(nlp, expected):
    config = Config().from_str(nlp.config.to_str())
    assert config["components"] == nlp.config["components"]
    again = spacy.util.load_model_from_config(config, validate=True)
    assert again.config["components"] == config["components"]
    assert entities(again.from_bytes(nlp.to_bytes()).pipe(TEXTS)) == expected


# --- copies and other processes ---


def test_copies_predict_the_same(nlp, expected):
    ner = nlp.get_pipe("mtl_ner")
    for other in (pickle.loads(pickle.dumps(ner)), copy.deepcopy(ner)):
        docs = list(other.pipe(Doc(other.vocab, words=[t.text for t in nlp.make_doc(text)]) for text in TEXTS))
        assert entities(docs) == expected
        assert other.name == ner.name
        assert other.cfg == ner.cfg
        assert other.overwrite == ner.overwrite
        assert other.trainer == ner.trainer


def test_copy_made_while_training_leaves_the_training_behind(make_nlp, read_corpus, train):
    nlp = make_nlp()
    examples = read_corpus(nlp)
    ner = train(nlp, examples, passes=1).get_pipe("mtl_ner")
    other = pickle.loads(pickle.dumps(ner))
    assert other.report is None
    assert predictions(other, examples) == predictions(ner, examples)
    nlp.update(examples)
    assert ner.report.passes == 2
    other.update(examples)  # learns on from what had been learnt
    assert other.report.passes == 1


def test_forked_processes_give_the_same_documents(nlp):
    alone = [doc.to_bytes() for doc in nlp.pipe(TEXTS * 4)]
    assert [doc.to_bytes() for doc in nlp.pipe(TEXTS * 4, n_process=2, batch_size=3)] == alone


SPAWN = """
import multiprocessing, sys
import spacy
from spacy.tokens import DocBin

if __name__ == "__main__":
    multiprocessing.set_start_method("spawn")
    nlp = spacy.load(sys.argv[1])
    texts = open(sys.argv[2], encoding="utf8").read().split("|")
    DocBin(docs=nlp.pipe(texts, n_process=2, batch_size=3)).to_disk(sys.argv[3])
"""


def test_spawned_processes_give_the_same_documents(nlp, expected, tmp_path):
    nlp.to_disk(tmp_path / "model")
    (tmp_path / "run.py").write_text(SPAWN, encoding="utf8")
    (tmp_path / "texts").write_text("|".join(TEXTS), encoding="utf8")
    arguments = [tmp_path / name for name in ("run.py", "model", "texts", "docs.spacy")]
    run = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert entities(DocBin().from_disk(tmp_path / "docs.spacy").get_docs(nlp.vocab)) == expected


def test_memory_zone_changes_nothing(nlp, expected):
    with nlp.memory_zone():
        assert entities(nlp.pipe(TEXTS)) == expected
        assert entities(nlp.pipe(["Xyzzy Plugh fue a Ñublense."])) != []
    assert entities(nlp.pipe(TEXTS)) == expected


# --- pipelines ---


def test_sourced_component(nlp, expected):
    other = spacy.blank("es")
    loaded = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    other.add_pipe("mtl_ner", name="people", source=loaded)
    assert other.pipe_names == ["people"]
    assert other.get_pipe("people").name == "people"
    assert entities(other.pipe(TEXTS)) == expected
    assert (
        entities(spacy.util.load_model_from_config(other.config).from_bytes(other.to_bytes()).pipe(TEXTS)) == expected
    )


def test_sourced_component_can_be_trained_anew(make_nlp, read_corpus, train, trained):
    source = make_nlp().from_bytes(trained.to_bytes())
    nlp = spacy.blank("es")
    nlp.add_pipe("mtl_ner", source=source)
    examples = read_corpus(nlp, "dev", limit=20)
    train(nlp, examples, passes=10)
    assert nlp.evaluate(examples)["ents_f"] > 0.9


def test_renamed_component(nlp, expected, tmp_path):
    other = spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes())
    other.rename_pipe("mtl_ner", "names")
    assert entities(other.pipe(TEXTS)) == expected
    other.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert loaded.get_pipe("names").name == "names"
    assert entities(loaded.pipe(TEXTS)) == expected


def test_disabled_component(nlp, expected):
    with nlp.select_pipes(disable=["mtl_ner"]):
        assert entities(nlp.pipe(TEXTS)) == [[]] * len(TEXTS)
    nlp.disable_pipe("mtl_ner")
    assert entities(nlp.pipe(TEXTS)) == [[]] * len(TEXTS)
    nlp.enable_pipe("mtl_ner")
    assert entities(nlp.pipe(TEXTS)) == expected
    with nlp.select_pipes(enable=["mtl_ner"]):
        assert entities(nlp.pipe(TEXTS)) == expected


def test_entities_of_a_ruler_stay(nlp):
    other = spacy.blank("es")
    other.add_pipe("entity_ruler").add_patterns([{"label": "ALLIANCE", "pattern": "OTAN"}])
    other.add_pipe("mtl_ner", source=spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes()))
    found = [(ent.text, ent.label_) for ent in other(TEXTS[1]).ents]
    assert ("OTAN", "ALLIANCE") in found
    assert ("Gobierno de Colombia", "ORG") in found


def test_two_components_with_other_templates_in_one_pipeline(make_nlp, read_corpus, tmp_path):
    nlp = make_nlp(name="first")
    model = {"templates": {"@mtl_templates": "spacy_mtl.tp1.v1"}}
    nlp.add_pipe("mtl_ner", name="second", config={"model": model, "scheme": "iob2"})
    examples = read_corpus(nlp, limit=20)
    nlp.initialize(lambda: examples)
    losses = {}
    for _ in range(3):
        losses = nlp.update(examples, losses=losses)
    assert set(losses) == {"first", "second"}
    inputs = [example.predicted for example in examples]
    predicted = [[labels.tolist() for labels in pipe.predict(inputs)] for _, pipe in nlp.pipeline]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    again = [[labels.tolist() for labels in pipe.predict(inputs)] for _, pipe in loaded.pipeline]
    assert again == predicted
    assert predicted[0] != predicted[1]


def test_documents_of_any_kind(nlp):
    assert list(nlp.get_pipe("mtl_ner").pipe([])) == []
    doc = nlp.get_pipe("mtl_ner")(Doc(nlp.vocab))
    assert doc.ents == ()
    assert [doc.ents for doc in nlp.pipe(["", " ", "\n"])] == [(), (), ()]
    contexts = [context for _, context in nlp.pipe([(text, i) for i, text in enumerate(TEXTS)], as_tuples=True)]
    assert contexts == list(range(len(TEXTS)))


def test_failing_documents_go_to_the_error_handler(make_nlp, read_corpus, train, monkeypatch):
    nlp = make_nlp()
    train(nlp, read_corpus(nlp, limit=5), passes=1)
    failed = []
    nlp.set_error_handler(lambda name, pipe, docs, error: failed.append((name, len(docs), str(error))))

    def fail(_):
        raise RuntimeError("broken")

    monkeypatch.setattr(nlp.get_pipe("mtl_ner"), "predict", fail)
    assert list(nlp.pipe(["Hola", "Adiós"])) == []
    assert failed == [("mtl_ner", 2, "broken")]


def test_scores_of_misaligned_and_unannotated_examples(nlp):
    examples = [Example.from_dict(nlp.make_doc("Ana vive"), {"words": ["An", "avive"]})]
    assert nlp.evaluate(examples)["ents_f"] is None
