"""Habits of using pipelines: what spaCy's documentation does with a trained component works with ours."""

import copy
import pickle
import threading

import pytest
import spacy
from spacy import displacy
from spacy.matcher import Matcher
from spacy.tokens import Doc, DocBin
from spacy.training import Example

TEMPLATES = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]/%x[0,SHAPE]", "B"]


@pytest.fixture(scope="module")
def nlp(make_nlp, read_corpus, train):
    made = make_nlp(TEMPLATES)
    return train(made, read_corpus(made, limit=30))


@pytest.fixture(scope="module")
def texts(read_corpus, nlp):
    return [example.reference.text for example in read_corpus(nlp, limit=12)]


def entities(docs):
    return [[(ent.start, ent.end, ent.label_) for ent in doc.ents] for doc in docs]


@pytest.fixture(scope="module")
def wanted(nlp, texts):
    found = entities(nlp.pipe(texts))
    assert any(found)
    return found


def by_source(nlp, name="mtl_ner"):
    other = spacy.blank("es")
    other.add_pipe("mtl_ner", name="sourced", source=nlp)
    other.rename_pipe("sourced", name)
    return other


COPIES = {
    "bytes": lambda nlp, path: spacy.util.load_model_from_config(nlp.config).from_bytes(nlp.to_bytes()),
    "disk": lambda nlp, path: (nlp.to_disk(path), spacy.load(path))[1],
    "pickle": lambda nlp, path: pickle.loads(pickle.dumps(nlp)),
    "deepcopy": lambda nlp, path: copy.deepcopy(nlp),
    "source": lambda nlp, path: by_source(nlp),
    "another name": lambda nlp, path: by_source(nlp, "names"),
    "enable": lambda nlp, path: (nlp.to_disk(path), spacy.load(path, enable=["mtl_ner"]))[1],
}


@pytest.mark.parametrize("way", COPIES)
def test_copies_predict_the_same(nlp, texts, wanted, tmp_path, way):
    assert entities(COPIES[way](nlp, tmp_path).pipe(texts)) == wanted


def test_streams_predict_the_same(nlp, texts, wanted):
    assert entities([nlp(text) for text in texts]) == wanted
    assert entities(doc for doc, _ in nlp.pipe(zip(texts, texts, strict=True), as_tuples=True)) == wanted
    assert entities(nlp.pipe(texts, n_process=2, batch_size=3)) == wanted
    with nlp.memory_zone():
        assert entities(nlp.pipe(texts)) == wanted
    with nlp.use_params({}):
        assert entities(nlp.pipe(texts)) == wanted
    found = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: entities(nlp.pipe(texts))})) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(found.values()) == [wanted] * 4


def test_excluding_disabling_and_removing(nlp, texts, tmp_path):
    nlp.to_disk(tmp_path)
    assert spacy.load(tmp_path, exclude=["mtl_ner"]).component_names == []
    loaded = spacy.load(tmp_path, disable=["mtl_ner"])
    assert loaded(texts[0]).ents == ()
    loaded.enable_pipe("mtl_ner")
    assert loaded.pipe_names == ["mtl_ner"]
    loaded.remove_pipe("mtl_ner")
    assert loaded.pipe_names == []


def test_what_is_made_of_documents(nlp, texts, wanted):
    docs = list(nlp.pipe(texts))
    assert "<mark" in displacy.render([doc for doc in docs if doc.ents], style="ent", jupyter=False)
    kept = DocBin(docs=docs).to_bytes()
    assert entities(DocBin().from_bytes(kept).get_docs(nlp.vocab)) == wanted
    matcher = Matcher(nlp.vocab)
    matcher.add("entity", [[{"ENT_TYPE": {"NOT_IN": [""]}}]])
    assert sum(len(matcher(doc)) for doc in docs) == sum(end - start for found in wanted for start, end, _ in found)
    assert "mtl_ner" in nlp.config.to_str()
    examples = [Example(nlp.make_doc(text), doc) for text, doc in zip(texts, docs, strict=True)]
    assert nlp.evaluate(examples)["ents_f"] == 1.0


def test_what_is_missing_is_named_by_the_analysis(tmp_path):
    made = spacy.blank("en")
    without = {"model": {"templates": {"@mtl_templates": "spacy_mtl.parse.v1", "tag": None}}}
    for name, config in (("first", {}), ("second", without)):
        made.add_pipe("mtl_parser", name=name, config=config)
    assert made.analyze_pipes()["problems"] == {"first": ["token.tag"], "second": []}
    made.add_pipe("mtl_tagger", first=True)
    assert made.analyze_pipes()["problems"] == {"mtl_tagger": [], "first": [], "second": []}
    patterns = {
        "@mtl_templates": "spacy_mtl.patterns.v1",
        "patterns": ["U0:%x[0,LEMMA]", "U1:%x[0,TAG_PREFIX2]", "U2:%x[0,LOWER]"],
    }
    made.add_pipe("mtl_ner", config={"model": {"templates": patterns}}, first=True)
    assert made.analyze_pipes()["problems"]["mtl_ner"] == ["token.lemma", "token.tag"]


def test_without_labels_and_examples_there_is_one_sentence_about_it():
    """As ``spacy assemble`` meets it, which initializes what has no source."""
    made = spacy.blank("en")
    made.add_pipe("mtl_ner")
    with pytest.raises(ValueError, match=r"^\[M403\] 'mtl_ner' cannot be trained"):
        made.initialize()


def test_a_parser_without_tags_and_without_sentence_borders():
    made = spacy.blank("en")
    config = {"model": {"templates": {"@mtl_templates": "spacy_mtl.mst.v1", "tag": None, "siblings": True}}}
    parser = made.add_pipe("mtl_parser", config=config)
    words, heads = ["the", "dog", "sees", "a", "cat"], [1, 2, 2, 4, 2]
    gold = Doc(made.vocab, words=words, heads=heads, deps=["det", "nsubj", "ROOT", "det", "obj"])
    shown = [Example(made.make_doc("the dog sees a cat"), gold)]
    made.initialize(lambda: shown)
    for _ in range(3):
        made.update(shown)
    doc = made("the dog sees a cat")
    assert [token.head.i for token in doc] == heads
    assert "<svg" in displacy.render(doc, style="dep", jupyter=False)
    assert parser.rules.filter_attr in ("ORTH", "SUFFIX2", "SUFFIX3")
