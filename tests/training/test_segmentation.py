"""Scores of segmentation against counts made by hand."""

import pickle
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_mtl.training.segmentation import WordCounts, bakeoff_scorer, count_words, read_lexicon

# 他|来到|了|网易|杭研|大厦 against 他|来|到|了|网易杭研|大厦: right are 他, 了, 大厦
GOLD = ["他", "来到", "了", "网易", "杭研", "大厦"]
FOUND = ["他", "来", "到", "了", "网易杭研", "大厦"]
KNOWN = {"他", "来到", "了", "网易"}  # out of the vocabulary: 杭研, 大厦

TEXTS = st.text("甲乙丙", min_size=1, max_size=8)


@st.composite
def segmentations(draw):
    """A text cut at two sets of places."""
    text = draw(TEXTS)
    return [cut(text, draw(st.sets(st.integers(1, len(text) - 1)))) if len(text) > 1 else [text] for _ in range(2)]


def cut(text, places):
    borders = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in pairwise(borders)]


def test_counts_by_hand():
    counts = count_words([GOLD], [FOUND], KNOWN)
    assert counts == WordCounts(gold=6, predicted=6, correct=3, oov=2, correct_oov=1)
    assert counts.scores() == {
        "seg_p": 3 / 6,
        "seg_r": 3 / 6,
        "seg_f": 0.5,
        "seg_r_iv": 2 / 4,  # 他 and 了 of 他 来到 了 网易
        "seg_r_oov": 1 / 2,  # 大厦 of 杭研 大厦
        "seg_oov": 2 / 6,
    }


def test_counts_add_up_over_sentences():
    # second sentence: 研究|生命|起源 against 研究生|命|起源, where only 起源 is right; 生命 and 起源 are unknown
    counts = count_words([GOLD, ["研究", "生命", "起源"]], [FOUND, ["研究生", "命", "起源"]], KNOWN | {"研究"})
    assert counts == WordCounts(9, 9, 4, 4, 2)
    assert counts.recall_iv == 2 / 5


def test_without_spaces_between_words_every_precision_differs_from_recall():
    counts = count_words([["一", "二", "三", "四五"]], [["一二", "三", "四五"]])
    assert (counts.correct, counts.precision, counts.recall) == (2, 2 / 3, 2 / 4)
    assert counts.f1 == pytest.approx(2 * (2 / 3) * (1 / 2) / (2 / 3 + 1 / 2))


def test_equal_words_elsewhere_do_not_count():
    # an alignment by diff would call one of the words right
    assert count_words([["啊", "啊啊"]], [["啊啊", "啊"]]).correct == 0


def test_rates_that_do_not_exist_are_none():
    assert set(count_words([], []).scores().values()) == {None}
    without = count_words([GOLD], [GOLD])
    assert (without.f1, without.oov_rate, without.recall_iv, without.recall_oov) == (1.0, None, None, None)
    all_known = count_words([GOLD], [GOLD], set(GOLD))
    assert (all_known.oov_rate, all_known.recall_iv, all_known.recall_oov) == (0.0, 1.0, None)
    assert count_words([GOLD], [GOLD], set()).recall_iv is None


def test_white_space_is_no_word():
    assert count_words([["一 ", "\u3000", "二"]], [["一", "二\n", " "]], {"一"}) == WordCounts(2, 2, 2, 1, 1)


@pytest.mark.parametrize(("other", "shown"), [(["他", "来了"], "他来了"), ([*GOLD, "。"], "。"), (GOLD[:-1], "")])
def test_another_text_cannot_be_scored(other, shown):
    with pytest.raises(ValueError, match=rf"M521.*{shown}"):
        count_words([GOLD], [other])


def test_another_number_of_sentences_cannot_be_scored():
    with pytest.raises(ValueError, match="zip"):
        count_words([GOLD], [])


@given(st.lists(segmentations(), min_size=1, max_size=4))
def test_f1_is_spacys_token_f(pairs):
    vocab = spacy.blank("zh").vocab
    docs = [[Doc(vocab, words, spaces=[False] * len(words)) for words in pair] for pair in pairs]
    by_spacy = Scorer.score_tokenization([Example(predicted, reference) for reference, predicted in docs])
    counts = count_words(*zip(*pairs, strict=True))
    assert (counts.precision, counts.recall) == pytest.approx((by_spacy["token_p"], by_spacy["token_r"]))
    assert counts.f1 == pytest.approx(by_spacy["token_f"])


@given(st.lists(segmentations(), max_size=4), st.sets(TEXTS))
def test_recalls_of_known_and_unknown_words_make_up_recall(pairs, lexicon):
    counts = count_words([gold for gold, _ in pairs], [found for _, found in pairs], lexicon)
    known = counts.gold - counts.oov
    parts = known * (counts.recall_iv or 0) + counts.oov * (counts.recall_oov or 0)
    assert parts == pytest.approx(counts.correct)
    assert 0 <= counts.correct_oov <= counts.oov


# --- lexicon and scorer ---


@pytest.fixture
def lexicon(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\n".join(KNOWN), encoding="utf8")
    return path


def example():
    vocab = spacy.blank("zh").vocab
    return Example(*(Doc(vocab, words, spaces=[False] * len(words)) for words in (FOUND, GOLD)))


def test_lexicon_is_a_list_or_a_segmented_text(lexicon, tmp_path):
    text = tmp_path / "train.txt"
    text.write_bytes("他  来到  了\n了  网易\n".encode("gb18030"))
    assert read_lexicon(lexicon) == read_lexicon(text, "gb18030") == KNOWN


@pytest.mark.parametrize("as_list", [False, True])
def test_scorer_with_a_lexicon_file(lexicon, as_list):
    scorer = bakeoff_scorer(lexicon=[str(lexicon)] if as_list else str(lexicon))
    assert scorer([example()], some="setting") == count_words([GOLD], [FOUND], KNOWN).scores()


def test_scorer_with_words_and_without(lexicon):
    assert bakeoff_scorer(words=sorted(KNOWN))([example()])["seg_r_oov"] == 0.5
    assert bakeoff_scorer(lexicon, words=["杭研"])([example()])["seg_r_oov"] == 1.0
    scores = bakeoff_scorer()([example()])
    assert (scores["seg_f"], scores["seg_r_oov"], scores["seg_oov"]) == (0.5, None, None)


def test_scorer_takes_a_stream():
    assert bakeoff_scorer()(iter([example(), example()]))["seg_f"] == 0.5


def test_lexicon_is_read_when_it_is_needed(tmp_path):
    scorer = bakeoff_scorer(tmp_path / "nowhere.txt")
    with pytest.raises(ValueError, match=r"M501.*nowhere"):
        scorer([example()])
    (tmp_path / "nowhere.txt").write_text("\n")
    with pytest.raises(ValueError, match="M520"):
        scorer([example()])


def test_scorer_crosses_processes(lexicon):
    scorer = pickle.loads(pickle.dumps(bakeoff_scorer(lexicon)))
    assert scorer([example()])["seg_r_oov"] == 0.5


def test_config_resolves(lexicon):
    config = {"scorer": {"@scorers": "spacy_mtl.bakeoff_scorer.v1", "lexicon": str(lexicon)}}
    assert registry.resolve(config)["scorer"]([example()])["seg_r_iv"] == 0.5
