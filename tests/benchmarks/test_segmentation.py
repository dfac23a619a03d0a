"""The helpers of the segmentation benchmark, on made-up texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import hash_string

from benchmarks.segmentation.data import Data, texts
from benchmarks.segmentation.features import (
    TextFeatures,
    break_column,
    breaks,
    dictionary,
    dictionary_columns,
    normal,
    repeated,
    tags_of,
    template_set,
    words_of,
)
from benchmarks.segmentation.ours import Ours, examples_of, learn, loaded
from benchmarks.segmentation.reading import Segmenter, evaluated, one_by_one, piped, take_turns
from spacy_mtl.segmentation.corpus_breaks import CorpusBreaks, table_of
from spacy_mtl.templates.attributes.characters import CharacterContext, word_table

TRAIN = [["今天", "下雨", "。"], ["我", "喜欢", "下雨"], ["明天", "不", "下雨", "。"], ["我", "不", "喜欢"]] * 5
TEST = [["今天", "不", "下雨"], ["我们", "喜欢", "今天"]]
SENTENCES = st.lists(st.text("一二三四", min_size=1, max_size=5), max_size=6)


def write(path, sentences):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join("  ".join(words) + "\n" for words in sentences), encoding="utf8")


@pytest.fixture
def data(tmp_path):
    write(tmp_path / "pku2005" / "train.utf8", TRAIN)
    write(tmp_path / "pku2005" / "pku_test_gold.utf8", TEST)
    write(tmp_path / "pku2005" / "pku_training_words.utf8", [[word] for word in ("今天", "不", "下雨", "喜欢")])
    write(tmp_path / "sxu" / "train.txt", TRAIN)
    write(tmp_path / "sxu" / "test.txt", TEST)
    return Data(str(tmp_path))


def test_data_are_read_and_cut_short(data):
    assert (data.train(), data.test()) == (TRAIN, TEST)
    short = Data(data.corpora, "sxu", 4)
    assert (short.train(), short.test()) == (TRAIN[:4], TEST[:1])
    assert texts(short.test()) == ["今天不下雨"]


def test_held_out_sentences_are_not_trained_on(data):
    held_out = Data(data.corpora, dev=True)
    assert held_out.test() == [TRAIN[0], TRAIN[10]]
    assert held_out.train() == [*TRAIN[1:10], *TRAIN[11:]]
    assert "今天" in held_out.lexicon()


def test_lexicon_is_official_or_of_the_training_text(data):
    assert "我们" not in data.lexicon()
    assert "我" not in data.lexicon()
    assert Data(data.corpora, "sxu").lexicon() == {word for words in TRAIN for word in words}


def test_scores_are_percentages(data):
    scores = data.scores([["今天", "不", "下", "雨"], ["我", "们", "喜欢", "今天"]])
    assert scores["precision"] == pytest.approx(100 * 4 / 8)
    assert scores["recall"] == pytest.approx(100 * 4 / 6)
    assert (scores["r_iv"], scores["r_oov"]) == (pytest.approx(80), 0)
    assert scores["oov"] == pytest.approx(100 / 6)


def test_tags():
    assert tags_of(["我", "喜欢", "图书馆"]) == ["S", "B", "E", "B", "M", "E"]
    assert words_of("我喜欢", ["B", "M", "S"]) == ["我喜", "欢"]
    assert words_of("我喜欢", ["E", "E", "B"]) == ["我", "喜", "欢"]
    assert words_of("", []) == []


@given(SENTENCES)
def test_tags_give_words_back(words):
    assert words_of("".join(words), tags_of(words)) == words


def test_features_of_characters():
    first, second, third = TextFeatures("tp1.v1")("我爱你")
    assert second[:5] == ("U00=_B-1", "U01=我", "U02=爱", "U03=你", "U04=_B+1")
    assert first[6] == "U06=_B-1/我/爱"
    assert third[8] == "U08=爱/你"
    assert len(TextFeatures("tp2.v1")("我")[0]) == 17
    assert TextFeatures("tp2.v1")("") == []


def test_repeated_characters():
    assert repeated("看看一看", 1) == ["", "=", "", ""]
    assert repeated("看看一看", 2) == ["", "", "", "="]


def test_dictionary():
    sentences = [["今天", "Ａ１", "好"], ["今天", "好"], ["A1"]]
    assert dictionary(sentences, 1) == {"今天", "A1"}
    assert dictionary(sentences, 2) == {"今天", "A1"}
    assert dictionary(sentences, 3) == set()


def test_words_of_the_dictionary_around_characters():
    columns = dictionary_columns("去图书馆里", {"图书", "图书馆", "馆里"})
    assert columns["WORD_BEGIN"] == list("03020")
    assert columns["WORD_END"] == list("00232")
    assert columns["WORD_INSIDE"] == list("00300")


@given(st.text("图书馆里", max_size=9), st.sets(st.text("图书馆里", min_size=2, max_size=7), max_size=6))
def test_columns_are_those_that_our_kernels_make(chars, known):
    attributes = ["SAME_1", "SAME_2", "WORD_BEGIN", "WORD_END", "WORD_INSIDE"]
    rows = np.zeros((6, len(chars)), np.uint64)
    rows[5] = [hash_string(char) for char in chars]
    row_of = {name: i for i, name in enumerate([*attributes, "CHAR"])}
    CharacterContext(attributes, word_table(sorted(known))).fill(rows, row_of, np.array([0, len(chars)], np.int64))
    ours = dict(zip(attributes, rows[:5].tolist(), strict=True))
    theirs = {name: list(map(int, column)) for name, column in dictionary_columns(chars, known).items()}
    theirs |= {f"SAME_{k}": [int(value == "=") for value in repeated(chars, k)] for k in (1, 2)}
    assert ours == theirs


@given(st.lists(st.lists(st.text("图书Ａ", min_size=1, max_size=3), min_size=1, max_size=4), min_size=1, max_size=6))
def test_breaks_are_those_that_the_component_counts(sentences):
    text = "".join(map("".join, sentences))
    begins = [k == 0 for words in sentences for word in words for k in range(len(word))]
    starts = np.cumsum([0, *(len("".join(words)) for words in sentences)], dtype=np.int64)
    folds = np.zeros(len(sentences), np.int64)
    counted = CorpusBreaks(np.array(list(map(ord, text)), np.uint32), np.array(begins), starts, folds, 2)
    theirs = breaks(sentences)
    written = enumerate(counted.written())
    assert theirs == {pairs[i : i + 2]: value for value, pairs in written for i in range(0, len(pairs), 2)}
    row = np.zeros((2, len(text)), np.uint64)
    row[1] = [hash_string(normal(char)) for char in text]
    context = CharacterContext(["BREAK"], word_table([]))
    context.breaks = table_of(counted.written())
    context.fill(row, {"BREAK": 0, "CHAR": 1}, np.array([0, len(text)], np.int64))
    assert row[0].tolist() == list(map(int, break_column("".join(map(normal, text)), theirs)))


def test_the_rich_templates_can_be_evaluated_in_python():
    features = TextFeatures("seg.v1", {"图书馆", "看看"})("看看图书馆Ａ。")
    assert len(features) == 7
    assert {len(row) for row in features} == {len(template_set("seg.v1").node)}
    assert any("3" in str(value) for value in features[2])


# --- contestants ---


def characters(calls):
    def cut(text):
        calls.append(text)
        return text

    return cut


def test_a_segmenter_is_scored_and_timed(data):
    calls = []
    row = evaluated(one_by_one(characters(calls)), data, 2)
    assert row["f1"] == pytest.approx(100 * 2 * 1 / (6 + 11))
    assert row["characters_per_second"] > 0
    assert calls == texts(TEST) * 4


def test_segmenters_take_turns_on_the_same_texts(data):
    calls = {"a": [], "b": []}
    docs = Segmenter(one_by_one(characters(calls["b"])).read, words=lambda result: result)
    rows = take_turns({"a": one_by_one(characters(calls["a"])), "b": docs}, data, 2)
    assert [row["contestant"] for row in rows] == ["a", "b"]
    assert all(row["new_text"] > 0 and row["known_text"] > 0 and len(row["runs"]) == 4 for row in rows)
    assert calls["a"] == calls["b"] == [*texts(TRAIN), *texts(TEST), *texts(TEST)]


def test_ours_learns_the_words_and_comes_back_from_disk(tmp_path):
    ours = Ours("tp2.v1", passes=8, inner_passes=8)
    nlp, segmenter = ours.pipeline()
    seconds = learn(nlp, segmenter, ours, examples_of(nlp, TRAIN))
    assert {"cpu", "cpu_initialize", "cpu_extraction", "cpu_passes", "cpu_update", "cpu_export"} == seconds.keys()
    assert list(piped(nlp).sentences(texts(TRAIN))) == TRAIN
    nlp.to_disk(tmp_path)
    expected = list(piped(nlp).sentences(texts(TEST)))
    assert list(loaded(str(tmp_path)).sentences(texts(TEST))) == expected
    assert list(loaded(str(tmp_path), as_tokenizer=True).sentences(texts(TEST))) == expected


def test_crfsuite_learns_the_words(data, tmp_path):
    pytest.importorskip("pycrfsuite")
    from benchmarks.segmentation.crfsuite import fit, tagged

    row = fit(TRAIN, "tp2.v1", str(tmp_path / "model"))
    assert row["cpu"] > 0
    assert row["iterations"] > 1
    segmenter = tagged(str(tmp_path / "model"), TextFeatures("tp2.v1"))
    assert list(segmenter.sentences(texts(TRAIN))) == TRAIN


def test_ltp_learns_the_words(data, tmp_path, capfd):
    pytest.importorskip("ltp_extension")
    from benchmarks.segmentation.rivals import fit_ltp, ltp

    assert fit_ltp(data, str(tmp_path / "model")) > 0
    assert data.scores(list(ltp(str(tmp_path / "model")).sentences(texts(TEST))))["recall"] > 50


@pytest.mark.filterwarnings("ignore")  # of its sources, where they are compiled
def test_jieba_cuts():
    pytest.importorskip("jieba")
    from benchmarks.segmentation.rivals import jieba_alone, jieba_in_spacy

    assert list(jieba_alone().sentences(["今天下雨。"])) == [["今天", "下雨", "。"]]
    assert list(jieba_in_spacy().sentences(["今天下雨。"])) == [["今天", "下雨", "。"]]
