"""Clusters and lists of phrases in components: given at initialization, saved with the model, and changed later."""

import pickle

import pytest
import spacy
import srsly
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.models import store
from spacy_mtl.tables.brown import brown_text
from spacy_mtl.tables.clusters import ClusterTable
from spacy_mtl.tables.phrases import PhraseList

PATTERNS = ["U0:%x[0,CLUSTER]", "U1:%x[0,CLUSTER2]", "U2:%x[0,LIST_cities]", "U3:%x[-1,LOWER]", "B"]
CITIES = ["Madrid", "Lisboa", "Lugo", "Santa Fe", "Lima"]
#: Cities and people have clusters of their own, and none of those in TEXTS is in the training corpus.
FORMS = dict.fromkeys(("Madrid", "Quito", "Oslo", "Roma"), "010") | dict.fromkeys(("Ana", "Juan", "Eva"), "110")
TEXTS = ["vive Oslo", "vive Eva", "vive Lima", "vive Santa Fe"]


def tables():
    return {"CLUSTER": ClusterTable.of(FORMS.items()), "LIST_cities": PhraseList(CITIES)}


def pipeline(patterns=PATTERNS, factory="mtl_ner"):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": patterns}
    return nlp, nlp.add_pipe(factory, config={"model": {"templates": templates}})


def examples(nlp):
    lines = [
        ("Madrid", "LOC"),
        ("Lisboa", "LOC"),
        ("Lugo", "LOC"),
        ("Ana", "PER"),
        ("Quito", "LOC"),
        ("Juan", "PER"),
        ("nadie", ""),
    ]
    docs = [(Doc(nlp.vocab, ["vive", word]), word, kind) for word, kind in lines]
    return [
        Example(doc, Doc(nlp.vocab, ["vive", word], ents=["O", f"B-{kind}" if kind else "O"]))
        for doc, word, kind in docs
    ]


def trained(given=None, **settings):
    nlp, ner = pipeline(**settings)
    found = examples(nlp)
    ner.initialize(lambda: found, nlp=nlp, tables=tables() if given is None else given)
    for _ in range(5):
        nlp.update(found)
    return nlp, ner


def entities(nlp, texts=TEXTS):
    return [[(ent.text, ent.label_) for ent in doc.ents] for doc in nlp.pipe(texts)]


EXPECTED = [[("Oslo", "LOC")], [("Eva", "PER")], [("Lima", "LOC")]]


@pytest.fixture(name="nlp", scope="module")
def _nlp():
    return trained()[0]


def test_words_that_the_corpus_does_not_have_are_known_by_their_clusters_and_lists(nlp):
    assert entities(nlp)[:3] == EXPECTED


def test_a_saved_pipeline_needs_nothing_else(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    assert entities(again) == entities(nlp)
    assert list(again.get_pipe("mtl_ner").tables) == ["CLUSTER", "LIST_cities"]


def test_bytes_pickles_and_other_processes_have_the_tables(nlp):
    other, ner = pipeline()
    ner.from_bytes(nlp.get_pipe("mtl_ner").to_bytes())
    assert entities(other) == entities(nlp)
    copy = pickle.loads(pickle.dumps(nlp.get_pipe("mtl_ner")))
    assert list(copy.tables["LIST_cities"]) == CITIES
    found = [[(ent.text, ent.label_) for ent in doc.ents] for doc in nlp.pipe(TEXTS, n_process=2)]
    assert found == entities(nlp)


def test_the_model_alone_is_written_with_its_tables(nlp):
    ner = pipeline()[1]
    ner.model.from_bytes(nlp.get_pipe("mtl_ner").model.to_bytes())
    assert ner.tables["CLUSTER"].path("Oslo") == "010"
    assert list(ner.tables["LIST_cities"]) == CITIES


def test_a_sourced_component_keeps_its_tables(nlp):
    other = spacy.blank("es")
    other.add_pipe("mtl_ner", source=nlp)
    assert entities(other) == entities(nlp)
    found = examples(other)
    other.get_pipe("mtl_ner").initialize(lambda: found, nlp=other)  # without tables: those that it has
    for _ in range(5):
        other.update(found)
    assert entities(other)[:3] == EXPECTED


def test_a_digest_that_is_none_is_told_on_one_line(nlp):
    ner = nlp.get_pipe("mtl_ner")
    parts = srsly.msgpack_loads(ner.to_bytes(exclude=["vocab"]))
    weights, settings = store.from_bytes(parts["model"], "it")
    for digest in (settings["tables"] + "\n", "x" * 100_000):
        parts["model"] = store.to_bytes(weights, {**settings, "tables": digest})
        with pytest.raises(ValueError, match="M813") as error:
            ner.from_bytes(srsly.msgpack_dumps(parts))
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 500


def test_tables_that_are_no_bytes_are_refused(nlp):
    ner = nlp.get_pipe("mtl_ner")
    parts, before = srsly.msgpack_loads(ner.to_bytes(exclude=["vocab"])), entities(nlp)
    for tables in (5, "text", {}, [b"bytes"]):
        with pytest.raises(ValueError, match=r"^\[M610\]"):
            ner.from_bytes(srsly.msgpack_dumps({**parts, "tables": tables}))
    assert entities(nlp) == before


def test_other_tables_beside_the_model_are_refused(nlp, tmp_path):
    ner = nlp.get_pipe("mtl_ner")
    ner.to_disk(tmp_path / "one")
    other = trained({**tables(), "LIST_cities": PhraseList(["Lima"])})[1]
    other.to_disk(tmp_path / "two")
    target = tmp_path / "one" / "tables"
    before = entities(nlp)
    target.write_bytes((tmp_path / "two" / "tables").read_bytes())
    with pytest.raises(ValueError, match="M813"):
        ner.from_disk(tmp_path / "one")
    target.unlink()
    with pytest.raises(ValueError, match=r"M813.*none"):
        ner.from_disk(tmp_path / "one")
    assert entities(nlp) == before


def test_a_list_can_be_changed_after_training_and_is_saved_as_it_is(tmp_path):
    nlp, ner = trained()
    assert entities(nlp, ["vive Praga"]) == [[]]
    ner.tables["LIST_cities"].add("Praga")
    assert entities(nlp, ["vive Praga"]) == [[("Praga", "LOC")]]
    nlp.to_disk(tmp_path)
    assert entities(spacy.load(tmp_path), ["vive Praga"]) == [[("Praga", "LOC")]]
    ner.set_table("LIST_cities", PhraseList(["Berna"]))
    assert entities(nlp, ["vive Praga", "vive Berna"]) == [[], [("Berna", "LOC")]]
    with pytest.raises(ValueError, match="M811"):
        ner.set_table("LIST_cities", ClusterTable.of([]))


def test_a_component_without_tables_leaves_no_file_of_them(tmp_path):
    trained()[1].to_disk(tmp_path)
    assert (tmp_path / "tables").exists()
    trained({}, patterns=["U0:%x[0,LOWER]", "B"])[1].to_disk(tmp_path)
    assert not (tmp_path / "tables").exists()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "M809.*CLUSTER"),
        ({"CLUSTER": ClusterTable.of([])}, "M809.*LIST_cities"),
        ({**tables(), "CLUSTER_news": ClusterTable.of([])}, "M810.*CLUSTER_news"),
        ({**tables(), "LIST_cities": ["Quito"]}, "M811.*LIST_cities"),
        ({**tables(), "cities": PhraseList()}, "M812.*cities"),
        ([], "M419.*tables"),
    ],
)
def test_tables_are_checked_before_the_corpus_is_read(given, code):
    nlp, ner = pipeline()
    with pytest.raises(ValueError, match=code):
        ner.initialize(lambda: pytest.fail("the corpus was read"), nlp=nlp, tables=given)


def test_the_config_names_them_in_the_block_of_initialization(tmp_path):
    paths = tmp_path / "paths.tsv"
    paths.write_text(brown_text((path, form, 1) for form, path in FORMS.items()), encoding="utf8")
    cities = tmp_path / "cities.txt"
    cities.write_text("\n".join(CITIES), encoding="utf8")
    nlp, _ = pipeline()
    config = nlp.config
    config["initialize"]["components"]["mtl_ner"] = {
        "tables": {
            "CLUSTER": {"@mtl_tables": "spacy_mtl.brown.v1", "path": str(paths)},
            "LIST_cities": {"@mtl_tables": "spacy_mtl.phrases.v1", "path": str(cities)},
        }
    }
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    found = examples(nlp)
    nlp.initialize(lambda: found)
    for _ in range(5):
        nlp.update(found)
    assert entities(nlp)[:3] == EXPECTED
    nlp.to_disk(tmp_path / "model")
    paths.unlink()
    cities.unlink()
    assert entities(spacy.load(tmp_path / "model")) == entities(nlp)


def test_learning_on_goes_on_with_the_tables(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    again.resume_training()
    again.update(examples(again))
    assert entities(again)[:3] == EXPECTED
    other, ner = pipeline()
    found = examples(other)
    ner.initialize(lambda: found, nlp=other, prior=tmp_path)
    other.update(found)
    assert entities(other)[:3] == EXPECTED


def test_trees_read_clusters_too(tmp_path):
    patterns = ["U0:%h[0,CLUSTER]/%m[0,CLUSTER]", "U1:%m[0,LIST_x]/%d", "B0:%m[0,CLUSTER2]"]
    nlp, parser = pipeline(patterns, "mtl_parser")
    given = {"CLUSTER": ClusterTable.of([("a", "0"), ("b", "10"), ("c", "10")]), "LIST_x": PhraseList(["a"])}

    def doc(words, annotated):
        tree = {"heads": [0, 0], "deps": ["ROOT", "obj"]} if annotated else {}
        return Doc(nlp.vocab, words, sent_starts=[True, False], **tree)

    found = [Example(doc(["a", "b"], False), doc(["a", "b"], True)) for _ in range(3)]
    parser.initialize(lambda: found, nlp=nlp, tables=given)
    for _ in range(5):
        nlp.update(found)
    nlp.to_disk(tmp_path)
    for pipe in (nlp, spacy.load(tmp_path)):
        parsed = pipe(Doc(pipe.vocab, ["a", "c"], sent_starts=[True, False]))
        assert [(token.head.text, token.dep_) for token in parsed] == [("a", "ROOT"), ("a", "obj")]
