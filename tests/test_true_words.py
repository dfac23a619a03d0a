"""Words made to have the hash of another text: spaCy's string store would exchange them."""

import pytest
import spacy
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.true_words import cut_apart, true_doc

#: Two words with one hash, and a character and a word.
FIRST, SECOND = "PasswordisSecret", "sKGhIulTDpNKIfvs"
CHARACTER, ITS_DOUBLE = "我", "hezzvDOPozonlFiY"


def tokenizing():
    return spacy.blank("zh", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Segmenter.v1"}}})


def test_they_have_one_hash():
    assert hash_string(FIRST) == hash_string(SECOND)
    assert hash_string(CHARACTER) == hash_string(ITS_DOUBLE)


def test_words_are_cut_until_the_store_can_hold_them():
    vocab = Vocab()
    assert cut_apart(vocab.strings, FIRST) == [FIRST]
    assert cut_apart(vocab.strings, SECOND) == [SECOND[:8], SECOND[8:]]
    doc = true_doc(vocab, ["a", SECOND, "b", SECOND], [True, True, False, False])
    assert doc.text == f"a {SECOND} b{SECOND}"
    assert [token.text for token in doc] == ["a", SECOND[:8], SECOND[8:], "b", SECOND[:8], SECOND[8:]]


@pytest.mark.filterwarnings("ignore:.*M432")
@pytest.mark.parametrize("zone", [False, True])
@pytest.mark.parametrize("word", [FIRST, SECOND])
def test_the_text_of_a_document_is_not_found_in_another(word, zone):
    """One by one and in batches, again and again, whichever comes first."""
    nlp, other = tokenizing(), {FIRST: SECOND, SECOND: FIRST}[word]
    assert nlp(f"我的 {word} 。").text == f"我的 {word} 。"

    def check():
        texts = [f"今天 {other} 好", f"{word} {other}", f"{other}", "好"]
        for _ in range(2):
            assert [nlp(text).text for text in texts] == texts
            assert [doc.text for doc in nlp.pipe(texts)] == texts

    if zone:
        with nlp.memory_zone():
            check()
    else:
        check()


def test_a_component_with_documents_of_another_vocabulary():
    nlp = spacy.blank("zh")
    segmenter = nlp.add_pipe("mtl_segmenter")
    vocab = Vocab()
    vocab.strings.add(FIRST)
    [doc] = segmenter.segment([Doc(vocab, words=list(SECOND), spaces=[False] * len(SECOND))])
    assert doc.text == SECOND


@pytest.mark.filterwarnings("ignore:.*M432")
def test_a_character_cannot_be_cut():
    nlp = tokenizing()
    nlp(ITS_DOUBLE)
    with pytest.raises(ValueError, match=r"\[M426\] The character U\+6211 "):
        nlp(f"{CHARACTER}们")
    assert nlp("他们").text == "他们"
