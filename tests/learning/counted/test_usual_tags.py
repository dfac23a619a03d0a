"""A tagger that looks at what the words around usually are."""

import numpy as np
import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_mtl.learning.counted.usual_tags import count_usual_tags, tag_counts
from spacy_mtl.learning.streamed import Stream

from ...components.test_tagger import make_tagger, read, tags

TEMPLATES = ["U0:%x[0,SUFFIX2]", "U1:%x[1,USUAL_TAG]", "U2:%x[-1,USUAL_TAG]/%x[0,SUFFIX2]", "U3:%x[0,USUAL_TAG]", "B"]


def table(nlp):
    return nlp.get_pipe("mtl_tagger").model.attrs["learned"]["USUAL_TAG"]


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
    found = nlp.get_pipe("mtl_tagger").model.attrs["learned"]["USUAL_TAG"]
    assert list(found) == sorted(word for word in seen if len(seen[word]) >= 4)
    for word, tag in found.items():
        assert seen[word].count(tag) == max(map(seen[word].count, seen[word]))


def test_its_templates_read_what_was_counted(usual):
    nlp, examples = usual
    tagger = nlp.get_pipe("mtl_tagger")
    docs = [nlp.make_doc(example.text) for example in examples]
    list(nlp.pipe(docs[:2]))
    reader = tagger.model.attrs["predictor"].reader
    word, tag = next(iter(tagger.model.attrs["learned"]["USUAL_TAG"].items()))
    row = reader.lexicon.ids(np.array([nlp.vocab.strings.add(word)], np.uint64))[0]
    assert reader.lexicon.values[row, reader.lexicon.attributes.index("USUAL_TAG")] == hash_string(tag)


def test_saved_and_loaded_it_predicts_the_same(usual, tmp_path):
    nlp, examples = usual
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    texts = [example.text for example in examples]
    wanted = [tags(doc) for doc in nlp.pipe(texts)]
    assert table(loaded) == table(nlp)
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
    first = table(nlp)
    train(nlp, examples[:15], passes=1)
    assert 0 < len(table(nlp)) < len(first)


def test_weights_put_back_bring_their_words(train, corpus_path):
    """As early stopping does: what is saved then is what is in memory."""
    nlp = make_tagger(TEMPLATES)
    examples = read(nlp, corpus_path, limit=30)
    tagger = train(nlp, examples, passes=2).get_pipe("mtl_tagger")
    best, words = tagger.model.to_bytes(), table(nlp)
    train(nlp, examples[:10], passes=1)
    assert table(nlp) != words
    tagger.model.from_bytes(best)
    assert table(make_tagger(TEMPLATES).from_bytes(nlp.to_bytes())) == table(nlp) == words


def test_other_tokens_than_those_of_the_references_do_not_count(corpus_path):
    nlp = make_tagger(TEMPLATES)
    examples = read(nlp, corpus_path, limit=30)
    nlp.initialize(lambda: examples)
    words = table(nlp)
    cut = [Example(Doc(nlp.vocab, list(e.text.replace(" ", ""))), e.reference) for e in examples]
    nlp.initialize(lambda: cut)
    nlp.update(cut)
    assert table(nlp) == words


def test_without_the_templates_nothing_is_counted(train, corpus_path):
    nlp = make_tagger(TEMPLATES)
    train(nlp, read(nlp, corpus_path, limit=30), passes=1)
    other = make_tagger(["U0:%x[0,LOWER]", "B"])
    other.from_bytes(nlp.to_bytes())
    train(other, read(other, corpus_path, limit=30), passes=1)
    assert other.get_pipe("mtl_tagger").model.attrs["learned"] == {}


def test_other_components_refuse_the_attribute(corpus_path):
    nlp = spacy.blank("es")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": TEMPLATES}
    nlp.add_pipe("mtl_ner", config={"model": {"templates": templates}})
    with pytest.raises(ValueError, match="M132"):
        nlp.initialize(lambda: read(nlp, corpus_path, limit=5))


def tagged(vocab, pairs):
    words, given = zip(*pairs, strict=True)
    return Doc(vocab, list(words), tags=list(given))


def test_the_tag_seen_most_often_counts_and_of_equals_the_first():
    vocab, other = Vocab(), Vocab()
    docs = [
        tagged(vocab, [("can", "AUX"), ("can", "NOUN"), ("the", "DET")]),
        tagged(other, [("can", "NOUN"), ("can", "AUX"), ("the", "DET"), ("odd", "X")]),
    ]
    assert count_usual_tags(docs, ["NOUN", "AUX", "DET"], 2) == {"can": "NOUN", "the": "DET"}
    assert count_usual_tags(docs, ["AUX", "NOUN", "DET"], 1) == {"can": "AUX", "the": "DET"}
    assert count_usual_tags(docs, ["AUX", "NOUN", "DET"]) == {"can": "AUX"}
    assert count_usual_tags([], ["AUX"]) == {}


def test_documents_of_a_stream_may_each_have_a_vocabulary_that_does_not_last():
    docs = Stream(lambda: (tagged(Vocab(), [(f"w{k}", f"t{k}")]) for k in range(50)))
    assert len(tag_counts(docs)) == 50
