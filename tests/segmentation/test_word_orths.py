"""Docs from characters and borders of tokens, against Docs from strings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.segmentation import word_orths
from spacy_mtl.segmentation.characters import CharacterTable, split_words
from spacy_mtl.segmentation.word_orths import WordOrths

TABLE = CharacterTable(Vocab())
TEXTS = st.lists(st.text(st.sampled_from("的一a1．\n 😀\u0301"), max_size=12), max_size=4)


def docs_of(orths, texts, begins_at=2):
    chars = TABLE.read(texts)
    begins = chars.codes[chars.at] % begins_at == 0
    tokens = TABLE.tokens(chars, begins)
    return list(orths.docs(texts, chars.codes, tokens)), list(split_words(texts, tokens))


@given(TEXTS)
def test_docs_are_those_of_their_words(texts):
    orths = WordOrths(Vocab())
    for _ in range(2):  # first met, then known
        docs, expected = docs_of(orths, texts)
        assert [doc.text for doc in docs] == texts
        for doc, (words, spaces) in zip(docs, expected, strict=True):
            assert doc.to_json() == Doc(orths.vocab, words=words, spaces=spaces).to_json()
            assert not doc.has_unknown_spaces


def test_words_that_were_met_are_known():
    orths, text = WordOrths(Vocab()), "".join(map(chr, range(0x4E00, 0x5200)))
    chars = TABLE.read([text])
    tokens = TABLE.tokens(chars, np.ones(len(text), bool))
    met = orths.orths(text, chars.codes, tokens)
    _, known, missing = orths._find(chars.codes, tokens)
    assert missing == 0
    assert known.tolist() == met.tolist() == [orths.vocab.strings[char] for char in text]


def test_the_memory_grows_and_begins_afresh(monkeypatch):
    monkeypatch.setattr(word_orths, "LIMIT", 1 << 13)
    orths = WordOrths(Vocab())
    for a in range(0x4E00, 0x9E00, 700):
        texts = [chr(a + i) for i in range(700)] + [chr(a)]
        docs, _ = docs_of(orths, texts)
        assert [doc.text for doc in docs] == texts
        assert orths._table.rows.size <= 1 << 14


def test_words_of_a_memory_zone_are_not_kept():
    orths = WordOrths(Vocab())
    with orths.vocab.memory_zone():
        docs, _ = docs_of(orths, ["一的"])
        assert docs[0].text == "一的"
    docs, _ = docs_of(orths, ["一的"])
    assert docs[0].text == "一的"
    assert docs[0][0].text in orths.vocab.strings


def test_a_vocabulary_with_other_strings_is_met_anew():
    orths = WordOrths(Vocab())
    docs_of(orths, ["一二三四五六七"])
    orths.vocab.from_bytes(Vocab().to_bytes())
    if len(orths.vocab.strings) < orths._n_strings:
        orths.orths("", *_nothing())
        assert orths._size == 0


def _nothing():
    chars = TABLE.read([""])
    return chars.codes, TABLE.tokens(chars, chars.at > 0)


@pytest.mark.parametrize("texts", [[], [""], ["", "的", ""]])
def test_empty_texts(texts):
    docs, _ = docs_of(WordOrths(Vocab()), texts)
    assert [doc.text for doc in docs] == texts
