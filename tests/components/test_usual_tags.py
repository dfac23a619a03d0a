"""A tagger that looks at what the words around usually are."""

import numpy as np
import pytest
import spacy
from spacy.strings import hash_string
from test_tagger import make_tagger, read, tags

TEMPLATES = ["U0:%x[0,SUFFIX2]", "U1:%x[1,USUAL_TAG]", "U2:%x[-1,USUAL_TAG]/%x[0,SUFFIX2]", "U3:%x[0,USUAL_TAG]", "B"]


@pytest.fixture(scope="module")
def usual(train, corpus_path):
    """A tagger trained with those templates, and the examples it saw."""
    nlp = make_tagger(TEMPLATES)
    examples = read(nlp, corpus_path)
    return train(nlp, examples, passes=6), examples


def test_it_counts_the_corpus(usual):
    nlp, examples = usual
    seen: dict[str, list[str]] = {}
    for example in examples:
        for token in example.reference:
            seen.setdefault(token.text, []).append(token.tag_)
    words_of = nlp.get_pipe("mtl_tagger").cfg["usual"]
    assert sorted(w for words in words_of.values() for w in words) == sorted(w for w in seen if len(seen[w]) >= 4)
    for tag, words in words_of.items():
        for word in words:
            assert seen[word].count(tag) == max(map(seen[word].count, seen[word]))


def test_its_templates_read_what_was_counted(usual):
    nlp, examples = usual
    tagger = nlp.get_pipe("mtl_tagger")
    docs = [nlp.make_doc(example.text) for example in examples]
    list(nlp.pipe(docs[:2]))
    reader = tagger.model.attrs["predictor"].reader
    word, tag = next((words[0], tag) for tag, words in tagger.cfg["usual"].items())
    row = reader.lexicon.ids(np.array([nlp.vocab.strings.add(word)], np.uint64))[0]
    assert reader.lexicon.values[row, reader.lexicon.attributes.index("USUAL_TAG")] == hash_string(tag)


def test_saved_and_loaded_it_predicts_the_same(usual, tmp_path):
    nlp, examples = usual
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in examples]
    wanted = [tags(doc) for doc in nlp.pipe(texts)]
    assert loaded.get_pipe("mtl_tagger").cfg["usual"] == nlp.get_pipe("mtl_tagger").cfg["usual"]
    for n_process in (1, 2):
        assert [tags(doc) for doc in loaded.pipe(texts, n_process=n_process)] == wanted
    again = make_tagger(TEMPLATES).from_bytes(nlp.to_bytes())
    assert [tags(doc) for doc in again.pipe(texts)] == wanted
    model = make_tagger(TEMPLATES).get_pipe("mtl_tagger").model
    model.from_bytes(nlp.get_pipe("mtl_tagger").model.to_bytes())
    docs = [nlp.make_doc(text) for text in texts]
    for found, expected in zip(model.predict(docs), nlp.get_pipe("mtl_tagger").model.predict(docs), strict=True):
        assert np.array_equal(found, expected)


def test_trained_again_it_counts_again(train, corpus_path):
    nlp = make_tagger(TEMPLATES)
    examples = read(nlp, corpus_path, limit=30)
    train(nlp, examples, passes=1)
    first = nlp.get_pipe("mtl_tagger").cfg["usual"]
    train(nlp, examples[:15], passes=1)
    second = nlp.get_pipe("mtl_tagger").cfg["usual"]
    assert sum(map(len, second.values())) < sum(map(len, first.values()))


def test_other_components_refuse_the_attribute(corpus_path):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": TEMPLATES}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    with pytest.raises(ValueError, match="M132"):
        nlp.initialize(lambda: read(nlp, corpus_path, limit=5))
