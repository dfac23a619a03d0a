"""A system without ``flock``, whose folders cannot be opened and whose open files cannot be moved: Windows."""

import os
from pathlib import Path

import pytest

from spacy_mtl.files import locks, write_atomically, write_folder
from spacy_mtl.files.folder_lock import lock_folder


@pytest.fixture
def windows(monkeypatch):
    opened, replaced = os.open, os.replace

    def open_file(path, *arguments, **settings):
        if Path(path).is_dir():
            raise PermissionError(13, "a folder cannot be opened", str(path))
        return opened(path, *arguments, **settings)

    def replace(source, target):
        if any(lock.descriptor >= 0 for lock in locks._held):
            raise PermissionError(13, "a file that is open cannot be moved", str(source))
        replaced(source, target)

    monkeypatch.setattr(locks, "fcntl", None)
    monkeypatch.setattr(os, "open", open_file)
    monkeypatch.setattr(os, "replace", replace)


def test_files_are_written_without_locks(tmp_path, windows):
    for text in (b"old", b"new"):
        write_atomically(tmp_path / "file", text)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"new")]


def test_no_folder_is_locked_and_nothing_is_left(tmp_path, windows):
    assert lock_folder(tmp_path / "output") is None
    assert list((tmp_path / "output").iterdir()) == []


def test_nothing_is_taken_for_left_over(tmp_path, windows):
    (tmp_path / ".file.1.0.tmp").write_bytes(b"of a process that may be alive")
    write_atomically(tmp_path / "file", b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"file", ".file.1.0.tmp"}


def test_folders_are_written_without_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    for text in ("old", "new"):
        write_folder(tmp_path / "folder", lambda folder, text=text: (folder / "file").write_text(text))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
    assert (tmp_path / "folder" / "file").read_text() == "new"
