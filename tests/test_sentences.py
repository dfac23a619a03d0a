from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.sentences import borders, borders_of_each, has_borders

VOCAB = Vocab()
#: sentence starts of a doc: True, False (no start) or None (not known)
DOCS = st.lists(st.lists(st.sampled_from([True, False, None]), max_size=5), max_size=5)


def make_doc(starts) -> Doc:
    return Doc(VOCAB, words=["a"] * len(starts), sent_starts=starts)


@given(DOCS)
def test_borders_are_the_documents_and_their_sentences(docs):
    expected = [0]
    for starts in docs:
        begin = expected[-1]
        expected += [begin + i for i, start in enumerate(starts) if i and start]
        expected += [begin + len(starts)] if starts else []
    result = borders([make_doc(starts) for starts in docs])
    assert result.tolist() == expected
    assert result.dtype == "int64"


@given(DOCS)
def test_borders_of_each_document_are_those_of_it_alone(docs):
    docs = [make_doc(starts) for starts in docs]
    assert [found.tolist() for found in borders_of_each(docs)] == [borders([doc]).tolist() for doc in docs]


def test_document_without_sentences_is_one():
    doc = Doc(VOCAB, words=["a", "b", "c"])
    assert borders([doc, doc]).tolist() == [0, 3, 6]


def test_sentences_set_by_a_parse_count():
    doc = Doc(VOCAB, words=["a", "b", "c", "d"], heads=[1, 1, 2, 2], deps=["x", "ROOT", "ROOT", "x"])
    assert [(sent.start, sent.end) for sent in doc.sents] == [(0, 2), (2, 4)]
    assert borders([doc]).tolist() == [0, 2, 4]


def test_no_documents_have_no_sentence():
    assert borders([]).tolist() == [0]


def test_words_have_borders_where_something_has_set_them():
    assert has_borders(make_doc([True, True]))
    assert has_borders(make_doc([True, False]))
    assert not has_borders(make_doc([None, None]))
    assert not has_borders(make_doc([True]))
