from pathlib import Path

import pytest

from spacy_mtl.tables import phrases
from spacy_mtl.tables.brown import read_brown
from spacy_mtl.tables.lines import LONGEST_LINE
from spacy_mtl.tables.phrase_files import read_phrases
from spacy_mtl.tables.phrases import MOST_WORDS, PhraseList


def test_a_list_is_a_set_that_remembers_the_order():
    phrases = PhraseList(["New  York", "Rome"])
    phrases.add(" Oslo ")
    phrases.discard("Rome")
    phrases.discard("Paris")
    assert list(phrases) == ["New York", "Oslo"]
    assert "New\tYork" in phrases
    assert "Rome" not in phrases
    phrases.discard(f"Oslo{' ' * LONGEST_LINE}")
    assert list(phrases) == ["New York"]
    phrases.replace(["Rome"])
    assert list(phrases) == ["Rome"]
    phrases.clear()
    assert len(phrases) == 0


def test_a_no_break_space_belongs_to_its_word_and_is_none_by_itself():
    phrases = PhraseList(["10\u00a0000  euros", "a\u3000b \u00a0 c", "é\nf"])
    assert list(phrases) == ["10\u00a0000 euros", "a\u3000b c", "é f"]
    assert "10\u00a0000 euros" in phrases
    assert "10 000 euros" not in phrases
    phrases.discard("10\u00a0000 euros")
    assert len(phrases) == 2
    with pytest.raises(ValueError, match="M814"):
        phrases.add("\u00a0")


@pytest.mark.parametrize(
    "change", [lambda p: p.add("b"), lambda p: p.discard("a"), lambda p: p.replace(["b"]), PhraseList.clear]
)
def test_a_change_is_seen_by_the_version(change):
    phrases = PhraseList(["a"])
    before = phrases.version
    change(phrases)
    assert phrases.version > before


@pytest.mark.parametrize("phrase", ["", "  ", "a " * (MOST_WORDS + 1), "a" * (LONGEST_LINE + 1), "a\ud800", None, 3])
def test_what_cannot_be_a_phrase_is_refused_and_nothing_is_added(phrase):
    phrases = PhraseList(["a"])
    with pytest.raises(ValueError, match="M814"):
        phrases.update(["b", phrase])
    assert list(phrases) == ["a"]


def test_a_full_list_takes_phrases_that_it_has(monkeypatch):
    full = PhraseList(["Ana", "Buenos Aires"])
    monkeypatch.setattr(phrases, "MOST_PHRASES", 2)
    full.add("Ana")
    with pytest.raises(ValueError, match=r"^\[M815\]"):
        full.add("Luz")
    assert list(full) == ["Ana", "Buenos Aires"]


def test_empty_lines_of_a_file_are_left_out_with_a_warning(tmp_path):
    path = tmp_path / "places.txt"
    path.write_text("New York\n\n Rome \r\n\n", encoding="utf8")
    with pytest.warns(UserWarning, match="M850.*2 empty"):
        phrases = read_phrases(path, fold_case=True)
    assert list(phrases) == ["New York", "Rome"]
    assert (phrases.fold_case, phrases.fold_accents) == (True, False)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(tmp_path, end):
    path = tmp_path / "places.txt"
    path.write_bytes(end.join(["New York", "Rome", "b" * LONGEST_LINE, ""]).encode())
    assert list(read_phrases(path)) == ["New York", "Rome", "b" * LONGEST_LINE]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\n\n", "M816"),
        (b"a\n" + b"b" * 2000, "M802"),
        (b"a\n" + b"b " * 200, "M817"),
        (b"\xff", "M801"),
    ],
)
def test_files_without_phrases_are_refused(tmp_path, content, code):
    path = tmp_path / "places.txt"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"{code}.*places.txt"):
        read_phrases(path)


def test_folding_is_a_switch(tmp_path):
    with pytest.raises(ValueError, match="M960"):
        read_phrases(tmp_path / "none", fold_case="yes")


@pytest.mark.parametrize("read", [read_phrases, read_brown])
@pytest.mark.parametrize("path", [None, 3, "", "a\0b", Path("a\0b")])
def test_what_is_no_path_is_told_as_a_setting_of_the_table(read, path):
    with pytest.raises(ValueError, match=r"M960.*'path' of a table must be the path of a file"):
        read(path)
