import pytest
import spacy
from spacy import util
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.corpora import segmented
from spacy_mtl.corpora.segmented import SegmentedCorpus, read_segmented, split_words

TEXT = "今天  天气  很  好  。\n\n我们  去  爬山  吧  ！\n"


@pytest.fixture
def nlp():
    return spacy.blank("zh")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "zh.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


def write(tmp_path, text, encoding="utf8", name="other.txt"):
    path = tmp_path / name
    path.write_bytes(text.encode(encoding))
    return path


def words(examples):
    return [[token.text for token in example.reference] for example in examples]


# --- lines ---


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("我  爱  北京\n", ["我", "爱", "北京"]),
        ("我 爱 北京", ["我", "爱", "北京"]),
        ("　　我　爱 　北京\r\n", ["我", "爱", "北京"]),
        ("我\t爱\t\n", ["我", "爱"]),
        ("", []),
        (" 　\t \r\n", []),
        ("\ufeff我  \ufeff爱\ufeff你", ["我", "爱你"]),
        ("我\x00  \x0b爱\x1a\n", ["我", "爱"]),
        ("\x1a\n", []),
        ("New\u00a0York  \ue010\n", ["New\u00a0York", "\ue010"]),
        ("a\u200bb  é", ["a\u200bb", "é"]),
    ],
)
def test_words_of_a_line(line, expected):
    assert split_words(line) == expected


def test_blank_lines_are_skipped_and_lines_streamed(path):
    sentences = read_segmented(path)
    assert next(sentences) == ["今天", "天气", "很", "好", "。"]
    assert list(sentences) == [["我们", "去", "爬山", "吧", "！"]]


def test_line_ends_are_those_of_files_only(tmp_path):
    path = write(tmp_path, "一  二\u2028三\r四\x85五  六\r\n")
    assert list(read_segmented(path)) == [["一", "二\u2028三"], ["四五", "六"]]


def test_encodings_and_byte_order_mark(tmp_path):
    for encoding, name in (("gb18030", "a"), ("utf-16", "b"), ("utf-8-sig", "c"), ("big5", "d")):
        path = write(tmp_path, "天  亮\n", encoding, name)
        assert list(read_segmented(path, encoding.removesuffix("-sig"))) == [["天", "亮"]]


# --- the reader ---


def test_reference_has_words_and_predicted_is_raw_text(nlp, path):
    first, second = SegmentedCorpus(path)(nlp)
    assert words([first, second]) == [["今天", "天气", "很", "好", "。"], ["我们", "去", "爬山", "吧", "！"]]
    assert first.reference.text == first.predicted.text == "今天天气很好。"
    assert [token.text for token in first.predicted] == list("今天天气很好。")
    assert not first.reference.has_unknown_spaces
    assert not any(token.whitespace_ for token in first.reference)
    assert first.reference.vocab is first.predicted.vocab is nlp.vocab


def test_predicted_is_made_by_the_tokenizer_of_the_pipeline(path):
    (example, _) = SegmentedCorpus(path)(spacy.blank("xx"))
    assert [token.text for token in example.predicted] == ["今天天气很好", "。"]


def test_gold_can_be_scored(nlp, path):
    example = next(SegmentedCorpus(path)(nlp))
    example.predicted = example.reference.copy()
    assert nlp.tokenizer.score([example])["token_f"] == 1.0
    assert nlp.tokenizer.score([next(SegmentedCorpus(path)(nlp))])["token_f"] == pytest.approx(2 * 3 / (5 + 7))


def test_latin_words_touch_in_the_raw_text(nlp, tmp_path):
    example = next(SegmentedCorpus(write(tmp_path, "New  York  很  大\n"))(nlp))
    assert example.predicted.text == "NewYork很大"
    assert words([example]) == [["New", "York", "很", "大"]]


def test_limit_and_several_files(nlp, path, tmp_path):
    other = write(tmp_path, "再见\n", name="b.txt")
    both = [["今天", "天气", "很", "好", "。"], ["我们", "去", "爬山", "吧", "！"], ["再见"]]
    assert words(SegmentedCorpus([path, other])(nlp)) == both
    assert words(SegmentedCorpus(f"{path}, {other}")(nlp)) == both
    assert words(SegmentedCorpus([path, other], limit=2)(nlp)) == both[:2]
    corpus = SegmentedCorpus(path, limit=1)
    assert words(corpus(nlp)) == words(corpus(nlp)) == both[:1]


def test_config_resolves(nlp, tmp_path):
    path = write(tmp_path, "天  亮\n", "gb18030")
    text = f'[corpus]\n@readers = "spacy_mtl.SegmentedCorpus.v1"\npath = "{path}"\nencoding = "gb18030"\n'
    corpus = registry.resolve(Config().from_str(text))["corpus"]
    assert words(corpus(nlp)) == [["天", "亮"]]


# --- errors ---


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"path": None}, "M511"),
        ({"path": "nowhere.txt"}, r"M501.*nowhere\.txt"),
        ({"limit": -1}, r"M514.*limit.*-1"),
    ],
)
def test_settings_are_checked_at_once(path, settings, message):
    with pytest.raises(ValueError, match=message):
        SegmentedCorpus(**{"path": path, **settings})


@pytest.mark.parametrize(
    ("text", "written", "read", "message"),
    [
        ("好  的\n坏  的\n", "gb18030", "utf8", r"M502.*Line 1 .*utf-8.*encoding.*gb18030.*big5"),
        ("ok  ok\n坏  的\n", "gb18030", "utf8", r"M502.*Line 2 "),
        ("好\n", "utf8", "klingon", r"M513.*klingon"),
        ("", "utf8", "utf8", r"M520.*other\.txt"),
        ("\n　\n\ufeff\n", "utf8", "utf8", "M520"),
    ],
)
def test_faults_of_files_are_found_while_reading(nlp, tmp_path, text, written, read, message):
    corpus = SegmentedCorpus(write(tmp_path, text, written), encoding=read)
    with pytest.raises(ValueError, match=message):
        list(corpus(nlp))


def test_a_fault_further_down_comes_after_what_was_good(nlp, tmp_path):
    good = "好  的\n".encode()
    path = tmp_path / "damaged.txt"
    path.write_bytes(good * 20_000 + b"\xff\n")
    examples = SegmentedCorpus(path)(nlp)
    assert words([next(examples)]) == [["好", "的"]]
    with pytest.raises(ValueError, match=r"M502.*Line 20001 .*0xff"):
        list(examples)


@pytest.mark.parametrize("line", ["我  爱\u00a0\u00a0北京 \u00a0 ，", "北京", "我\u00a0 ", "\u00a0我 \u00a0"])
def test_long_lines_are_split_into_characters_piece_by_piece(nlp, tmp_path, monkeypatch, line):
    path = write(tmp_path, "  ".join([line] * 30), name="long.txt")
    whole = [nlp.make_doc(reference.text) for reference in SegmentedCorpus(path).references(nlp.vocab)]
    monkeypatch.setattr(segmented, "PIECE", 7)
    texts = []
    monkeypatch.setattr(segmented, "get_words_and_spaces", lambda words, text: texts.append(text) or both(words, text))
    both = util.get_words_and_spaces
    (example,) = SegmentedCorpus(path)(nlp)
    assert len(texts) > 5
    assert max(map(len, texts)) < 30
    assert "".join(texts) == whole[0].text
    assert example.predicted.to_bytes() == whole[0].to_bytes()


def test_lines_longer_than_the_pipeline_allows_are_refused_by_spacy(nlp, tmp_path):
    nlp.max_length = 5000
    with pytest.raises(ValueError, match="E088"):
        list(SegmentedCorpus(write(tmp_path, "他" * 5001, name="long.txt"))(nlp))


def test_a_text_without_any_space_is_told(nlp, tmp_path):
    """It would be learnt that no word ever ends."""
    path = tmp_path / "raw.txt"
    path.write_text("我们学习\n他们今天去\n", encoding="utf8")
    with pytest.warns(UserWarning, match=r"M956\] No line of '.*raw\.txt' has a space, so each of its 2 lines"):
        assert len(list(SegmentedCorpus(path)(nlp))) == 2


@pytest.mark.parametrize("text", ["我们学习\n他们 去\n", "我们学习\n"])
def test_single_words_are_no_fault(nlp, tmp_path, text):
    path = tmp_path / "raw.txt"
    path.write_text(text, encoding="utf8")
    assert list(SegmentedCorpus(path)(nlp))
