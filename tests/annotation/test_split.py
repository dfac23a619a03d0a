"""Files of a collection that cannot be read."""

from pathlib import Path

import pytest

from spacy_mtl.annotation.split import input_files


def test_a_name_that_no_file_can_have():
    with pytest.raises(ValueError, match=r"^\[M501\] Cannot read .*: there is no such file\. Check the path"):
        input_files([Path("x" * 5000)])


@pytest.mark.parametrize(
    ("methods", "reason"), [(["is_dir", "is_file"], "its folder may not be read"), (["iterdir"], "Permission denied")]
)
def test_folders_that_may_not_be_read(tmp_path, monkeypatch, methods, reason):
    """The system refuses, which it does not do to root, as whom tests may run."""

    def refuse(path):
        raise PermissionError(13, "denied")

    with monkeypatch.context() as patch:
        for method in methods:
            patch.setattr(Path, method, refuse)
        with pytest.raises(ValueError, match=rf"^\[M501\] Cannot read '{tmp_path}': {reason}"):
            input_files([tmp_path])
