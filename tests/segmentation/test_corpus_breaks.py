"""How often words part between two characters: counts of a corpus against plain Python."""

import copy
import pickle
from collections import Counter

import numpy as np
import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import hash_string
from spacy.tokens import Doc
from spacy.training import Example

from spacy_mtl.segmentation.corpus_breaks import OFTEN, CorpusBreaks, table_of
from spacy_mtl.templates.attributes.breaks import SHARES, break_table, find_pair

from ..components.segmenting import SENTENCES, TEXTS, make, segmenter_of, train, words_of

PATTERNS = ["U0:%x[0,CHAR]", "U1:%x[0,BREAK]", "U2:%x[-1,BREAK]/%x[1,BREAK]", "B"]
WORDS = st.lists(
    st.lists(st.sampled_from(["一二", "一", "二一二", "ＡＢ", "A", "B"]), min_size=1, max_size=5),
    min_size=1,
    max_size=8,
)


def breaks_of(sentences, folds):
    """CorpusBreaks of sentences of words, one after another in so many folds."""
    codes = [ord(char) for words in sentences for word in words for char in word]
    begins = [k == 0 for words in sentences for word in words for k in range(len(word))]
    starts = np.cumsum([0, *(len("".join(words)) for words in sentences)], dtype=np.int64)
    fold_of = np.arange(len(sentences)) * folds // len(sentences)
    return CorpusBreaks(np.array(codes, np.uint32), np.array(begins), starts, fold_of, folds), fold_of


def look_up(table, pair):
    """The values of a pair by part; zeros where it is not there."""
    hashes = np.array([hash_string(char) for char in pair], np.uint64)
    row = table.rows[find_pair(table.slots, table.rows, *hashes)]
    return table.values[row].tolist() if row >= 0 else [0] * table.values.shape[1]


def by_hand(sentences):
    """Of each pair of normalised characters, whether a word begins between the two, each time it occurs."""
    found: dict[str, Counter] = {}
    for words in sentences:
        text = "".join(words).replace("Ａ", "A").replace("Ｂ", "B")
        borders = set(np.cumsum([len(word) for word in words]).tolist())
        for t in range(1, len(text)):
            found.setdefault(text[t - 1 : t + 1], Counter())[t in borders] += 1
    return found


def value(counts):
    times = counts.total()
    return 1 + sum(counts[True] / times > share for share in SHARES) if times >= OFTEN else 0


@given(WORDS, st.integers(2, 3))
def test_counts_of_all_and_of_the_other_folds(sentences, folds):
    breaks, fold_of = breaks_of(sentences, folds)
    table, total = breaks.table(), by_hand(sentences)
    again = table_of(breaks.written())
    for pair, counts in total.items():
        assert look_up(again, pair) == [value(counts)]
    for k in range(folds):
        others = by_hand([words for words, fold in zip(sentences, fold_of, strict=True) if fold != k])
        for pair in total:
            assert look_up(table, pair)[k] == value(others.get(pair, Counter()))


def test_rare_pairs_are_not_written():
    breaks, _ = breaks_of([["一二"]] * 3 + [["二", "一"]] * 2 + [["𠀀", "一"]] * 3, 2)
    assert breaks.written() == ["", "一二", "", "", "", "", "𠀀一"]


@pytest.mark.parametrize("written", [[], [""] * 7])
def test_nothing_is_known_of_no_pair(written):
    assert look_up(table_of(written), "一二") == [0]
    assert break_table(np.empty((0, 2), np.uint64), np.empty((0, 3), np.uint8)).values.shape == (0, 3)


def test_saved_and_loaded_it_cuts_the_same(tmp_path):
    nlp = train(make(PATTERNS))
    pairs = segmenter_of(nlp).cfg["breaks"]
    assert "".join(pairs)
    wanted = [words_of(doc) for doc in nlp.pipe(TEXTS)]
    nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    assert segmenter_of(loaded).cfg["breaks"] == pairs
    for n_process in (1, 2):
        assert [words_of(doc) for doc in loaded.pipe(TEXTS, n_process=n_process)] == wanted
    again = make(PATTERNS).from_bytes(nlp.to_bytes())
    assert [words_of(doc) for doc in again.pipe(TEXTS)] == wanted


def test_the_component_counts_its_references():
    """White space parts sentences; what stands in two documents is no pair; each half of the corpus is told of the other."""
    nlp = make(PATTERNS)
    first = [["丙", "甲乙"], ["丙", "甲乙", "丁"], [" "], ["戊", "丙", "甲乙"]]
    second = [["甲乙", "丙"], ["甲乙", " ", "丙"], ["甲乙", "丁"], ["戊", "甲乙"]]
    docs = [Doc(nlp.vocab, words=words, spaces=[False] * len(words)) for words in (*first, *second)]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    segmenter = segmenter_of(nlp)
    assert segmenter.cfg["breaks"] == ["", "甲乙", "", "", "", "", "丙甲"]
    context = segmenter._reader.characters
    assert look_up(context.breaks, "甲乙") == [1, 1]
    assert look_up(context.breaks, "丙甲") == [0, 6]
    for doc in docs:
        nlp.update([Example(nlp.make_doc(doc.text), doc)])
    assert sorted(context.parts.tolist()) == [0, 0, 0, 1, 1, 1, 1, 1]


def test_another_corpus_has_breaks_of_its_own():
    nlp = train(make(PATTERNS))
    train(nlp, ["甲乙 丙", "甲乙 丙 丁", "戊 甲乙 丙"], passes=2)
    assert segmenter_of(nlp).cfg["breaks"] == ["", "甲乙", "", "", "", "", "乙丙"]


@pytest.mark.parametrize("kind", ["mtl_ner", "mtl_tagger"])
@pytest.mark.parametrize(("attr", "code"), [("BREAK", "M127"), ("CHAR_GROUP", "M132")])
def test_other_components_refuse_what_only_the_segmenter_knows(kind, attr, code):
    nlp = spacy.blank("zh")
    templates = {"@mtl_templates": "spacy_mtl.patterns.v1", "patterns": [f"U0:%x[0,{attr}]", "B"]}
    nlp.add_pipe(kind, config={"model": {"templates": templates}})
    doc = Doc(nlp.vocab, words=["一"], tags=["X"], ents=["B-X"])
    with pytest.raises(ValueError, match=rf"{code}.*{attr}.*mtl_segmenter.*dictionary = false"):
        nlp.initialize(lambda: [Example(nlp.make_doc("一"), doc)])


BREAKS_ALONE = ["U0:%x[0,BREAK]", "U1:%x[1,BREAK]", "U2:%x[0,BREAK]/%x[1,BREAK]", "B"]


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda nlp: pickle.loads(pickle.dumps(nlp))])
def test_copies_made_after_a_prediction_have_them(duplicate):
    nlp = train(make(BREAKS_ALONE), SENTENCES * 3)
    wanted = [words_of(doc) for doc in nlp.pipe(TEXTS)]
    other = duplicate(nlp)
    assert [words_of(doc) for doc in other.pipe(TEXTS)] == wanted
    assert [words_of(doc) for doc in duplicate(other).pipe(TEXTS)] == wanted


def test_prediction_reads_what_was_written():
    nlp = train(make(BREAKS_ALONE), SENTENCES * 3)
    segmenter = segmenter_of(nlp)
    before = [words_of(doc) for doc in nlp.pipe(TEXTS)]
    found = segmenter.model.attrs["predictor"].reader.characters.breaks
    assert look_up(found, "北京") == [1]
    segmenter.cfg["breaks"], segmenter.model.attrs["predictor"] = [], None
    after = [words_of(doc) for doc in nlp.pipe(TEXTS)]
    assert after != before


def test_without_such_templates_nothing_is_counted():
    assert segmenter_of(train(make(["U0:%x[0,CHAR]", "B"]), passes=1)).cfg["breaks"] == []
