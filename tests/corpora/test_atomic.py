import os

import pytest

from spacy_mtl.files import write_atomically


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "new" / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(path.parent.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_atomically(path, b"one")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
