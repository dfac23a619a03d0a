import pytest

from spacy_mtl.segmentation.user_words.words import _LISTED, UserWords
from spacy_mtl.templates.attributes.characters import LONGEST_WORD


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


def test_blanks_are_not_kept():
    assert list(UserWords(["", "  ", "的", "\n", "中国"])) == ["的", "中国"]


@pytest.mark.parametrize("word", ["New York", "a\tb", None, 3])
def test_what_is_no_word_is_refused_and_nothing_is_added(word):
    words = UserWords()
    with pytest.raises(ValueError, match=r"^\[M414\]"):
        words.update(["中国", word])
    assert not words


def test_very_long_words_are_refused_with_their_beginning():
    words = UserWords(["长" * LONGEST_WORD])
    with pytest.raises(ValueError, match=r"^\[M447\].*65 characters") as info:
        words.add("长" * (LONGEST_WORD + 1))
    assert len(words) == 1
    with pytest.raises(ValueError, match=r"^\[M414\]") as blank:
        words.add("长 " * 10_000)
    assert max(len(str(error.value)) for error in (info, blank)) < 250


def test_changes_since_a_version():
    words = UserWords(["中国", "北京"])
    start = words.version
    assert words.changed_since(start) == []
    words.update(["上海", "中国", "上海", ""])
    words.discard(" 北京 ")
    words.discard("没有")
    assert words.changed_since(start) == ["上海", "北京"]
    assert words.changed_since(words.version - 1) == ["北京"]
    assert words.changed_since(0) == ["中国", "北京", "上海", "北京"]
    words.clear()
    assert words.changed_since(start) == ["上海", "北京", "中国", "上海"]
    assert words.version == start + 4


def test_only_the_latest_changes_are_listed():
    words, start = UserWords(), 0
    words.update(f"词{i}" for i in range(_LISTED))
    assert len(words.changed_since(start)) == _LISTED
    words.add("一个")
    assert words.version == _LISTED + 1
    assert words.changed_since(start) is None
    assert words.changed_since(words.version) == []
    words.add("两个")
    assert words.changed_since(_LISTED + 1) == ["两个"]


def test_no_thread_sees_a_version_that_is_yet_to_come():
    """Changes up to it would never be followed. Another thread may look after each assignment."""
    seen = []

    class Watched(UserWords):
        def __setattr__(self, name, value):
            super().__setattr__(name, value)
            if hasattr(self, "_unlisted") and name in ("_unlisted", "_changed"):
                seen.append(self.version)

    words = Watched(["中国"])
    words.update(f"词{i}" for i in range(_LISTED))
    assert max(seen) == words.version == _LISTED + 1


def test_files_of_other_programs_can_be_read(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("\ufeff云计算 100 n\n\n  区块链\t3\n的\n云计算\n", encoding="utf8")
    words = UserWords()
    words.read(path)
    assert list(words) == ["云计算", "区块链", "的"]


def test_files_that_cannot_be_read(tmp_path):
    (tmp_path / "gbk").write_bytes("云计算".encode("gbk"))
    for path in (tmp_path / "gbk", tmp_path / "missing", tmp_path):
        with pytest.raises(ValueError, match=r"^\[M415\]") as info:
            UserWords().read(path)
        assert str(path) in str(info.value)
