"""The user's dictionary as hint, preference and law, in component and tokenizer."""

import pickle
from pathlib import Path

import pytest
import spacy

from spacy_mtl.components.tokenizer import with_tokenizer
from spacy_mtl.segmentation.user_words.matches import Match
from spacy_mtl.segmentation.user_words.words import MOST_WEIGHT, UserWords

from .segmenting import PATTERNS, PLAIN, SENTENCES, TEXTS, example, make, segmenter_of, train, words_of

#: No template reads words or normalised characters.
ORTHS = ["U0:%x[0,ORTH]", "U1:%x[-1,ORTH]/%x[0,ORTH]", "B"]
TEXT = "我们昨天在上海大学学习。"


@pytest.fixture(scope="module", params=["seg", "patterns", "orths"])
def trained(request):
    return train(make({"patterns": PATTERNS, "orths": ORTHS}.get(request.param)))


@pytest.fixture
def nlp(trained):
    """A copy, to be changed."""
    return pickle.loads(pickle.dumps(trained))


def test_law_is_kept_at_once_and_ends_at_once(nlp):
    words = segmenter_of(nlp).user_words
    before = words_of(nlp(TEXT))
    words.update(["天在上", "海大学学", "们"])
    words.role = "law"
    assert words_of(nlp(TEXT)) == ["我", "们", "昨", "天在上", "海大学学", "习", "。"]
    words.remove("们")
    words.add("我们昨")
    assert words_of(nlp(TEXT)) == ["我们昨", "天在上", "海大学学", *words_of(nlp(TEXT))[3:]]
    words.clear()
    assert words_of(nlp(TEXT)) == before
    words.add("天在上")
    words.role = "hint"
    assert "天在上" not in words_of(nlp(TEXT))


def test_a_preference_grows_with_its_weight(nlp):
    words = segmenter_of(nlp).user_words
    before = words_of(nlp(TEXT))
    words.add("天在上")
    hint = words_of(nlp(TEXT))
    words.role, words.weight = "preference", 0.0
    assert words_of(nlp(TEXT)) == hint
    words.weight = 1000
    assert "天在上" in words_of(nlp(TEXT))
    assert "天在上" not in before


def test_all_ways_to_cut_agree(nlp):
    words = segmenter_of(nlp).user_words
    words.update(["天在上", "Phone15", "去图书", "ＡＢ京"])
    words.role = "law"
    texts = [*TEXTS, "新字：AB京，魑魅", TEXT]
    expected = [words_of(doc) for doc in nlp.pipe(texts)]
    assert "AB京" in expected[4]  # full width and half width are the same
    tokenizer = with_tokenizer(nlp).tokenizer
    assert [words_of(tokenizer(text)) for text in texts] == expected
    assert [words_of(doc) for doc in tokenizer.pipe(texts)] == expected
    assert [words_of(nlp(text)) for text in texts] == expected
    assert tokenizer.user_words.role == "law"
    assert not any("Phone15" in words for words in expected)  # a run of letters and digits stays whole


def test_role_and_weight_are_saved(nlp, tmp_path):
    words = segmenter_of(nlp).user_words
    words.add("天在上")
    words.role, words.weight = "preference", 7
    nlp.to_disk(tmp_path)
    for loaded in (spacy.load(tmp_path), make().from_bytes(nlp.to_bytes()), pickle.loads(pickle.dumps(nlp))):
        found = segmenter_of(loaded).user_words
        assert (list(found), found.role, found.weight) == (["天在上"], "preference", 7.0)


def test_role_and_weight_in_a_config(tmp_path):
    words = segmenter_of(make(user_words_role="law", user_words_weight=3.0)).user_words
    assert (words.role, words.weight) == ("law", 3.0)
    nlp = train(make())
    nlp.to_disk(tmp_path)
    config = {"nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Segmenter.v1"}}}
    blank = spacy.blank("zh", config=config)
    path = str(tmp_path / "mtl_segmenter" / "model")
    blank.config["initialize"]["tokenizer"] = {"path": path, "user_words_role": "law", "user_words_weight": 2.0}
    blank.initialize()
    assert (blank.tokenizer.user_words.role, blank.tokenizer.user_words.weight) == ("law", 2.0)


@pytest.mark.parametrize(("setting", "value", "code"), [
    ("role", "laws", "M480"), ("role", None, "M480"), ("weight", -1, "M481"), ("weight", "2", "M481"),
    ("weight", float("nan"), "M481"), ("weight", 2 * MOST_WEIGHT, "M481"),
])  # fmt: skip
def test_what_cannot_be_a_role_or_weight(setting, value, code):
    words = UserWords()
    with pytest.raises(ValueError, match=rf"^\[{code}\]"):
        setattr(words, setting, value)
    assert (words.role, words.weight) == ("hint", 1.0)


def test_settings_of_the_tokenizer_are_refused_before_the_model_is_read(tmp_path):
    tokenizer = spacy.blank("zh", config={"nlp": {"tokenizer": {"@tokenizers": "spacy_mtl.Segmenter.v1"}}}).tokenizer
    with pytest.raises(ValueError, match=r"^\[M480\]"):
        tokenizer.initialize(path=tmp_path / "missing", user_words_role="rule")


def test_matches_name_what_gives_way(nlp):
    pipe = segmenter_of(nlp)
    pipe.user_words.update(["天在上", "上海", "昨", "天在", "Phone15", "天"])
    text = "昨 天在上海iPhone15"
    assert pipe.matches(text) == [
        Match("昨", 0, 1, True),
        Match("天", 2, 3, False),
        Match("天在", 2, 4, False),
        Match("天在上", 2, 5, True),
        Match("上海", 4, 6, False, "天在上"),
        Match("Phone15", 7, 14, False, "iPhone15"),
    ]
    assert with_tokenizer(nlp).tokenizer.matches(text) == pipe.matches(text)
    assert segmenter_of(make()).matches(text) == []


def test_a_word_that_cuts_a_number_gives_way_to_the_number():
    """Not to a shorter word that it overlaps, which has its place only because of that."""
    pipe = segmenter_of(make())
    pipe.user_words.update(["5日", "日"])
    assert pipe.matches("12月15日") == [Match("5日", 4, 6, False, "15日"), Match("日", 5, 6, True)]


def test_an_untrained_segmenter_finds_matches_too():
    pipe = segmenter_of(make())
    pipe.user_words.add("天在")
    assert pipe.matches("昨天在") == [Match("天在", 1, 3, True)]


def test_a_file_is_read_again(nlp, tmp_path):
    path, words = tmp_path / "words.txt", segmenter_of(nlp).user_words
    path.write_text("天在上 3 n\n海大\n", encoding="utf8")
    words.read(path)
    words.role = "law"
    assert {"天在上", "海大"} <= set(words_of(nlp(TEXT)))
    path.write_text("昨天在\n海大\n", encoding="utf8")
    version = words.version
    words.reload(path)
    assert (list(words), words.changed_since(version)) == (["昨天在", "海大"], ["天在上", "昨天在"])
    assert {"昨天在", "海大"} <= set(words_of(nlp(TEXT)))
    path.write_text("昨天在\n" + "长" * 65, encoding="utf8")
    for wrong, code in ((path, "M447"), (tmp_path, "M415")):
        with pytest.raises(ValueError, match=rf"^\[{code}\]"):
            words.reload(wrong)
    assert list(words) == ["昨天在", "海大"]


def test_a_file_that_is_read_again_is_all_that_is_left(nlp, tmp_path):
    """Whether before or after saving: nobody knows where a word is from."""
    path, words = tmp_path / "words.txt", segmenter_of(nlp).user_words
    path.write_text("海大\n", encoding="utf8")
    words.read(path)
    words.add("天在")
    words.reload(path)
    assert list(words) == ["海大"]


@pytest.mark.parametrize("path", [None, 3, "", "a\0b", Path("a\0b"), "\ud800"])
def test_what_is_no_path_is_told(path):
    words = UserWords(["天在"])
    for read in (words.read, words.reload):
        with pytest.raises(ValueError, match=r"^\[M415\] Cannot read the user dictionary"):
            read(path)
    assert list(words) == ["天在"]


def test_a_dictionary_of_the_same_words_may_have_another_role(nlp):
    segmenter = segmenter_of(nlp)
    for words, role, cut in (
        (["天在上"], "law", True),
        (["天在上"], "hint", False),
        (["天在上"], "law", True),
        ([], "hint", False),
    ):
        segmenter.user_words = UserWords(words, role)
        assert ("天在上" in words_of(nlp(TEXT))) is cut


def test_a_weight_that_is_refused_leaves_the_role_as_it_was():
    words = UserWords(["天在"], "preference", 2.0)
    for role, weight, code in (("law", -1.0, "M481"), ("rule", 3.0, "M480")):
        with pytest.raises(ValueError, match=code):
            words.become(role, weight)
        assert (words.role, words.weight) == ("preference", 2.0)
    words.become(None, 3.0)
    words.become("law", None)
    assert (words.role, words.weight) == ("law", 3.0)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [({}, ("preference", 2.0)), ({"user_words_role": "law", "user_words_weight": 3.0}, ("law", 3.0))],
)
def test_a_component_that_goes_on_from_a_prior_has_the_words_of_both(nlp, tmp_path, config, wanted):
    words = segmenter_of(nlp).user_words
    words.add("东湖")
    words.become("preference", 2.0)
    segmenter_of(nlp).to_disk(tmp_path / "prior")
    (tmp_path / "words.txt").write_text("公园门 3 n\n", encoding="utf8")
    templates = nlp.config["components"]["mtl_segmenter"]["model"]["templates"]
    new = spacy.blank("zh")
    segmenter = new.add_pipe("mtl_segmenter", config={"model": {"templates": templates}, "trainer": PLAIN, **config})
    examples = [example(new, sentence) for sentence in SENTENCES]
    given = {"prior": tmp_path / "prior", "user_words": tmp_path / "words.txt"}
    segmenter.initialize(lambda: examples, nlp=new, **given)
    assert [*segmenter.user_words] == ["东湖", "公园门"]
    assert (segmenter.user_words.role, segmenter.user_words.weight) == wanted
