"""spacy_mtl.Segmenter.v1: a trained segmenter as tokenizer."""

import io
import pickle
from pathlib import Path

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train as train_nlp
from spacy.util import load_config
from spacy.vocab import Vocab

import spacy_mtl.corpora.segmented
import spacy_mtl.training.batchers
import spacy_mtl.training.logger  # noqa: F401 (the config names what these register)
from spacy_mtl.components.tokenizer import SegmenterTokenizer, with_tokenizer
from spacy_mtl.training.segmentation import count_words

from .segmenting import TEXTS, make, segmenter_of, train, words_of

ROOT = Path(__file__).parents[2]
CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Segmenter.v1"}}}


@pytest.fixture(scope="module")
def pipeline():
    """A trained segmenter and a component after it; tests only read it."""
    nlp = train(make())
    segmenter_of(nlp).user_words.add("甲乙丙")
    nlp.add_pipe("sentencizer", config={"punct_chars": ["。"]})
    return nlp


@pytest.fixture(scope="module")
def nlp(pipeline):
    return with_tokenizer(pipeline)


@pytest.fixture(scope="module")
def expected(pipeline):
    return [doc.to_json() for doc in pipeline.pipe(TEXTS)]


def test_tokenizer_gives_what_the_component_gave(nlp, expected):
    assert nlp.pipe_names == ["sentencizer"]
    assert [nlp(text).to_json() for text in TEXTS] == expected
    assert [doc.to_json() for doc in nlp.pipe(TEXTS)] == expected
    assert [words_of(doc) for doc in nlp.tokenizer.pipe(TEXTS, batch_size=3)] == [words_of(nlp(text)) for text in TEXTS]
    assert list(nlp.tokenizer.user_words) == ["甲乙丙"]


@given(
    st.lists(st.text(st.sampled_from("我们北京大学甲乙丙a1．。 \n😀\u0301\u200d"), max_size=12), min_size=1, max_size=4)
)
def test_one_text_is_cut_as_many_are(nlp, texts):
    """By one kernel call, words met before and new ones alike, with spaces as they are."""
    tokenizer = nlp.tokenizer
    expected = [doc.to_json() for doc in tokenizer.pipe(texts)]
    assert [tokenizer(text).to_json() for text in texts] == expected
    tokenizer.segmenter._word_orths._clear(1 << 4)
    assert [tokenizer(text).to_json() for text in texts] == expected


@pytest.mark.parametrize(
    ("before", "text"),
    [
        (["\x02\u0301"], "\u0300"), (["\x03\u0301\u0302"], "\u0303\u0302"),  # an accent is always one word with what it stands on
        (["\x02圩"], "他在学校"), (["我\x02皅好", "\x02－"], "今天是我的生日，"),
    ],
)  # fmt: skip
def test_no_text_changes_another(nlp, before, text):
    assert [nlp(other).text for other in [*before, text]] == [*before, text]
    assert [doc.text for doc in nlp.pipe([*before, text])] == [*before, text]


def test_what_is_new_is_cut_in_steps(pipeline, monkeypatch):
    """Characters that no text had, and memory zones: the kernel finds nothing, the result is the same."""
    tokenizer = with_tokenizer(pipeline).tokenizer
    in_steps = []
    docs = tokenizer.segmenter.docs
    monkeypatch.setattr(tokenizer.segmenter, "docs", lambda texts: in_steps.append(texts[0]) or docs(texts))
    assert tokenizer("我们北京").text == "我们北京"
    assert not in_steps
    assert [tokenizer("我们 鑫").text for _ in range(2)] == ["我们 鑫"] * 2
    assert in_steps == ["我们 鑫"]
    expected = words_of(tokenizer("北京大学"))
    with tokenizer.vocab.memory_zone():
        assert words_of(tokenizer("北京大学")) == expected
    assert in_steps == ["我们 鑫", "北京大学"]


def test_saved_pipelines_tokenize_the_same(nlp, expected, tmp_path):
    nlp.to_disk(tmp_path)
    blank = spacy.blank("zh", config=CONFIG).from_bytes(nlp.to_bytes(), exclude=["sentencizer"])
    same = [spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp)), blank]
    for other in same[:2]:
        assert [other(text).to_json() for text in TEXTS] == expected
    assert [words_of(same[2](text)) for text in TEXTS] == [words_of(nlp(text)) for text in TEXTS]
    assert (tmp_path / "tokenizer").read_bytes() == spacy.load(tmp_path).tokenizer.to_bytes()


def test_the_words_of_the_dictionary_are_in_the_vocabulary(nlp):
    lexicon = nlp.tokenizer.segmenter.cfg["lexicon"].split()
    blank = spacy.blank("zh", config=CONFIG)
    blank.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert lexicon
    assert all(word in blank.vocab and set(word) <= set(blank.vocab.strings) for word in lexicon)


def test_the_characters_of_the_dictionary_are_met_when_the_model_is_loaded(nlp):
    """Tables of prediction are then not made anew in the middle of texts."""
    blank = spacy.blank("zh", config=CONFIG)
    blank.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    segmenter = blank.tokenizer.segmenter
    lexicon = segmenter.cfg["lexicon"]
    n = segmenter._characters.orths.size
    assert n >= len(set(lexicon))
    blank("".join(lexicon.split()))
    assert segmenter._characters.orths.size == n


def test_evaluation_scores_the_tokenizer(nlp):
    texts = TEXTS[:3]
    right = [Example(nlp.make_doc(text), nlp.make_doc(text)) for text in texts]
    assert nlp.evaluate(right)["token_f"] == 1
    characters = [Example(nlp.make_doc(text), Doc(nlp.vocab, list(text), [False] * len(text))) for text in texts]
    scores = nlp.tokenizer.score(characters)
    assert set(scores) == {"token_acc", "token_p", "token_r", "token_f"}
    assert scores["token_f"] == nlp.evaluate(characters)["token_f"] < 1


def test_processes_give_the_same_documents(nlp, expected):
    assert [doc.to_json() for doc in nlp.pipe(TEXTS * 2, n_process=2, batch_size=2)] == expected * 2


def test_model_comes_in_at_initialization(pipeline, nlp, tmp_path):
    pipeline.to_disk(tmp_path)
    (tmp_path / "words").write_text("丁戊\n", encoding="utf8")
    blank = spacy.blank("zh", config=CONFIG)
    blank.config["initialize"]["tokenizer"] = {
        "pkuseg_model": None,
        "pkuseg_user_dict": "default",  # which spaCy has in every config of Chinese
        "path": str(tmp_path / "mtl_segmenter" / "model"),
        "user_words": str(tmp_path / "words"),
    }
    blank.initialize()
    assert [words_of(blank(text)) for text in TEXTS] == [words_of(nlp(text)) for text in TEXTS]
    assert list(blank.tokenizer.user_words) == ["甲乙丙", "丁戊"]


@pytest.mark.parametrize(("name", "code"), [("missing", "M605"), ("foreign", "M601")])
def test_models_that_cannot_be_read(tmp_path, name, code):
    (tmp_path / "foreign").write_bytes(b"PK")
    with pytest.raises(ValueError, match=rf"^\[{code}\] .*{name}"):
        spacy.blank("zh", config=CONFIG).tokenizer.initialize(path=tmp_path / name)


def test_without_a_model_characters_are_words_and_it_says_so_once():
    blank = spacy.blank("zh", config=CONFIG)
    with pytest.warns(UserWarning, match=r"^\[M432\]") as caught:
        words = [words_of(doc) for doc in map(blank, ["北京 DVD", "上海"])]
    assert words == [["北", "京", "DVD"], ["上", "海"]]
    assert len(caught) == 1


def learnt(*texts):
    """A tokenizer that has learnt from texts whose words have bars between them."""
    tokenizer = SegmenterTokenizer(Vocab())
    tokenizer.user_words.add("天空")
    texts = [text.split("|") for text in texts]
    tokenizer.learn([Doc(tokenizer.vocab, words, spaces=[False] * len(words)) for words in texts * 20])
    return tokenizer


def test_it_learns_from_docs_of_words_and_user_words_stay():
    tokenizer = learnt("今天|是|我|的|生日", "我|在|学校")
    assert [token.text for token in tokenizer("我在学校")] == ["我", "在", "学校"]
    assert list(tokenizer.user_words) == ["天空"]
    with pytest.raises(ValueError, match=r"\[M413\]"):
        tokenizer.learn([])


def test_latin_words_stay_whole_unless_they_do_not_in_what_it_learns_from():
    assert [token.text for token in learnt("我|在|学校", "ab|在|学校")("abab在")] == ["abab", "在"]
    assert [token.text for token in learnt("ab|ab|在|ab", "在|ab|ab")("abab在")] == ["ab", "ab", "在"]


def test_it_works_in_any_language(nlp):
    other = spacy.blank("xx", config=CONFIG)
    other.tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert [words_of(other(text)) for text in TEXTS] == [words_of(nlp(text)) for text in TEXTS]


@given(st.lists(st.text(max_size=20), max_size=4))
def test_any_text_stays_as_it_is(nlp, texts):
    assert [doc.text for doc in nlp.tokenizer.pipe(texts)] == texts


@pytest.mark.parametrize("kind", ["empty", "other", "untrained"])
def test_pipelines_without_a_trained_segmenter_first(kind):
    source = make() if kind == "untrained" else spacy.blank("zh")
    if kind == "other":
        source.add_pipe("sentencizer")
    with pytest.raises(ValueError, match=r"first component|has not been trained"):
        with_tokenizer(source)


def test_settings_of_the_component_leave_the_config(pipeline):
    pipeline.config["initialize"]["components"]["mtl_segmenter"] = {"user_words": "x"}
    pipeline.config["training"]["frozen_components"] = ["mtl_segmenter"]
    config = with_tokenizer(pipeline).config
    assert "mtl_segmenter" not in str(config)
    assert isinstance(spacy.blank("zh", config=CONFIG).tokenizer, SegmenterTokenizer)


@pytest.mark.parametrize(("epochs", "least"), [(1, 0.97), (5, 1.0)])
def test_config_trains_a_segmenter_that_becomes_a_tokenizer(tmp_path, epochs, least):
    lines = (ROOT / "assets/zh-words/train.txt").read_text(encoding="utf8").splitlines()[:60]
    (tmp_path / "train.txt").write_text("\n".join(lines), encoding="utf8")
    paths = {"paths.train": str(tmp_path / "train.txt"), "paths.dev": str(tmp_path / "train.txt")}
    config = load_config(ROOT / "configs/segmenter.cfg", overrides={**paths, "training.max_epochs": epochs})
    nlp, _ = train_nlp(init_nlp(config), None, stdout=io.StringIO())
    texts = ["".join(line.split()) for line in lines]
    cut = [[token.text for token in doc] for doc in with_tokenizer(nlp).pipe(texts)]
    assert cut == [[token.text for token in doc] for doc in nlp.pipe(texts)]
    assert count_words([line.split() for line in lines], cut, set()).f1 >= least
