import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_mtl.segmentation.carry import carry_over


class CountingDoc(Doc):
    """Counts how often spaCy looks at the whole Doc for an annotation."""

    def has_annotation(self, *args, **kwargs):
        self.user_data["asked"] = self.user_data.get("asked", 0) + 1
        return super().has_annotation(*args, **kwargs)


@pytest.fixture(scope="module")
def vocab():
    return spacy.blank("zh").vocab


@pytest.mark.parametrize("length", [1, 7, 400])
def test_sentences_are_set_all_at_once(vocab, length):
    old = Doc(vocab, words=["他" * length] * 5, spaces=[False] * 5, sent_starts=[True, False, True, None, True])
    new = CountingDoc(vocab, words=["他"] * 5 * length, spaces=[False] * 5 * length)
    assert carry_over(old, new) is new
    assert new.user_data.get("asked", 0) <= 2
    expected = np.zeros(5 * length, bool)
    expected[[0, 2 * length, 4 * length]] = True
    assert [token.is_sent_start for token in new] == expected.tolist()


def test_sentences_that_begin_inside_a_word_are_not_kept(vocab):
    old = Doc(vocab, words=["我", "们", "在"], spaces=[False] * 3, sent_starts=[True, True, True])
    new = carry_over(old, Doc(vocab, words=["我们", "在"], spaces=[False] * 2))
    assert [token.is_sent_start for token in new] == [True, True]
    old = Doc(vocab, words=["我", "们", "在"], spaces=[False] * 3, sent_starts=[True, True, False])
    new = carry_over(old, Doc(vocab, words=["我们", "在"], spaces=[False] * 2))
    assert [token.is_sent_start for token in new] == [True, False]


def test_empty_doc(vocab):
    assert len(carry_over(Doc(vocab), Doc(vocab))) == 0
