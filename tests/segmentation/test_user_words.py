import pytest

from spacy_mtl.segmentation.user_words import UserWords


def test_words_come_and_go():
    words = UserWords(["云计算", " 大数据 ", "云计算"])
    assert list(words) == ["云计算", "大数据"]
    before = words.version
    words.add("区块链")
    words.remove("云计算")
    words.discard("没有")
    words |= {"元宇宙"}
    assert list(words) == ["大数据", "区块链", "元宇宙"]
    assert words.version > before
    assert "区块链" in words
    assert 3 not in words
    with pytest.raises(KeyError):
        words.remove("没有")
    words.clear()
    assert not words


def test_blanks_and_words_of_one_character_are_not_kept():
    assert list(UserWords(["", "  ", "的", "\n", "中国"])) == ["中国"]


@pytest.mark.parametrize("word", ["New York", "a\tb", None, 3])
def test_what_is_no_word_is_refused_and_nothing_is_added(word):
    words = UserWords()
    with pytest.raises(ValueError, match=r"^\[M414\]"):
        words.update(["中国", word])
    assert not words


def test_files_of_other_programs_can_be_read(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\ufeff云计算 100 n\n\n  区块链\t3\n的\n云计算\n", encoding="utf8")
    words = UserWords()
    words.read(path)
    assert list(words) == ["云计算", "区块链"]


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "gbk").write_bytes("云计算".encode("gbk"))
    for path in (tmp_path / "gbk", tmp_path / "missing", tmp_path):
        with pytest.raises(ValueError, match=r"^\[M415\]") as info:
            UserWords().read(path)
        assert str(path) in str(info.value)
