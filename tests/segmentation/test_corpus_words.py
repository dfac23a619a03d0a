"""The dictionary of a corpus: what each fold knows of the others, against counting in plain Python."""

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_mtl.learning.gather import Piece, content_key
from spacy_mtl.segmentation.corpus_words import CorpusWords
from spacy_mtl.templates.attributes.characters import word_table

VOCAB = Vocab()
SENTENCES = st.lists(
    st.lists(st.sampled_from(["一二", "一", "三四五", "ＡＢ", "AB", " "]), min_size=1, max_size=4),
    min_size=1,
    max_size=9,
)


def corpus(sentences, folds):
    docs = [Doc(VOCAB, words=words, spaces=[False] * len(words)) for words in sentences]
    return docs, CorpusWords(docs, folds, ("SPACY",))


@given(SENTENCES, st.integers(2, 4), st.integers(1, 3))
def test_each_fold_knows_the_words_of_the_others(sentences, folds, at_least):
    _, words = corpus(sentences, folds)
    fold_of = {}
    for i, sentence in enumerate(sentences):
        fold_of.setdefault(tuple(sentence), i * folds // len(sentences))
    counts = [Counter() for _ in range(folds)]
    for sentence in sentences:
        normal = (word.replace("Ａ", "A").replace("Ｂ", "B") for word in sentence if word != " ")
        counts[fold_of[tuple(sentence)]].update(normal)
    table, total = words.table(at_least), sum(counts, Counter())
    long = [word for word in words.words if len(word) > 1]
    assert sorted(words.words) == sorted(total)
    assert sorted(words.known(at_least)) == sorted(word for word in long if total[word] >= at_least)
    for row, word in enumerate(long, 1):
        assert table.known[row].tolist() == [total[word] - counts[k][word] >= at_least for k in range(folds)]
    assert not table.known[0].any()


def test_words_with_white_space_inside_are_not_known():
    """A model has its words with blanks between, so parts of such a word would be words that no training has seen."""
    _, words = corpus([["New\u00a0York", "一二"], ["三\u3000四五", "一"]], 2)
    assert words.known(1) == ["一二"]


def test_words_are_hidden_at_the_rate_that_is_asked_for():
    pairs = ["".join(pair) for pair in product("一二三四五六七八九十", "甲乙丙丁戊己庚辛壬癸")] * 2
    sentences = [[pair, chr(0x5000 + k)] for k, pair in enumerate(pairs)]  # no two texts are the same
    _, words = corpus(sentences, 2)
    whole, half = words.table(1).known[1:], words.table(1, 0.5).known[1:]
    assert len(whole) == 100
    assert whole.all()
    assert 0.4 < half.mean() < 0.6
    assert (half[:, 0] != half[:, 1]).any()  # a fold does not miss what the other one does
    assert 0.1 < words.table(1, 0.8).known[1:].mean() < 0.3
    assert not words.table(1, 1.0).known.any()


def test_which_words_are_hidden_depends_on_the_word_alone():
    one, two = (corpus([["一二", "三四五"], more, ["三四五", "一二"], more], 2)[1] for more in (["一"], ["ＡＢ"]))

    def hidden(words):
        known = words.table(1, 0.5).known[1:].tolist()
        return dict(zip([word for word in words.words if len(word) > 1], known, strict=True))

    assert hidden(one).items() <= hidden(two).items()


def test_sentences_of_pieces_are_in_the_fold_of_their_document():
    docs, words = corpus([["一"], ["一二"], ["三四五"], ["一", "一"]], 2)
    pieces = [
        Piece(content_key(docs[i], ("SPACY",)), np.zeros((1, 2), np.uint64), np.array(starts), np.zeros(2, np.int32))
        for i, starts in ((3, [0, 1, 2]), (0, [0, 2]))
    ]
    assert words.parts(pieces).tolist() == [1, 1, 0]


def test_words_of_a_dictionary_with_duplicates_and_single_characters():
    table = word_table(["一二", "一", "一二", "三四五"])
    assert table.known.tolist() == [[False], [True], [True]]
