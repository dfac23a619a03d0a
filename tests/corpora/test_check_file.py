"""Files that are named and cannot be read."""

from pathlib import Path

import pytest

from spacy_mtl.corpora.settings import check_file


def test_a_file_is_accepted(tmp_path):
    (tmp_path / "a.conll").write_text("")
    check_file(tmp_path / "a.conll")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nowhere.conll", "there is no such file"),
        ("folder", "it is a folder, not a file"),
        ("a\0b", "there is no such file"),
        ("x" * 5000, "there is no such file"),
    ],
)
def test_it_is_said_what_is_wrong(tmp_path, name, reason):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match=rf"^\[M501\] Cannot read .*: {reason}\. Check the path"):
        check_file(tmp_path / name)


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (PermissionError(13, "denied"), "its folder may not be read"),
        (OSError(36, "too long"), "there is no such file"),
        (ValueError("embedded null byte"), "there is no such file"),
    ],
)
def test_what_the_system_does_not_let_us_see(raised, reason, monkeypatch):
    def refuse(path):
        raise raised

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(ValueError, match=f"M501.*some.conll': {reason}"):
        check_file(Path("some.conll"))
