"""A folder takes the place of another in one step."""

import ctypes
import errno
import os

import pytest

from spacy_mtl.files import swap, write_folder


def one(folder):
    (folder / "one").write_text("1")


def two(folder):
    (folder / "two").write_text("2")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["exchange", "two steps"])
def both_ways(request, monkeypatch):
    """With the system's exchange, and as where there is none."""
    if request.param == "two steps":
        monkeypatch.setattr(swap, "exchange", lambda *_: False)


@pytest.mark.usefixtures("both_ways")
def test_the_new_folder_replaces_the_old_one_as_a_whole(tmp_path):
    path = tmp_path / "deep" / "folder"
    write_folder(path, one)
    path.chmod(0o750)
    write_folder(path, two)
    assert names(path) == ["two"]
    assert names(path.parent) == ["folder"]
    assert path.stat().st_mode & 0o777 == 0o750


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(("works", "afterwards"), [("folder", "folder"), ("folder/in", "folder"), ("other", "other")])
def test_a_process_that_works_in_the_folder_works_in_the_new_one(tmp_path, monkeypatch, works, afterwards):
    path = tmp_path / "folder"
    (path / "in").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / works)
    for _ in range(2):
        write_folder(os.path.relpath(path), one)
        assert os.path.samefile(".", tmp_path / afterwards)
    write_folder(path, lambda folder: (folder / "in").mkdir())
    monkeypatch.chdir(path / "in")
    write_folder(path, lambda folder: (folder / "in").mkdir())
    assert os.path.samefile(".", path / "in")


def test_names_are_exchanged_on_this_system(tmp_path):
    """Where this is not so, the other tests of ``exchange`` would pass without it."""
    for name, write in (("a", one), ("b", two)):
        write_folder(tmp_path / name, write)
    assert swap.exchange(tmp_path / "a", tmp_path / "b")
    assert (names(tmp_path / "a"), names(tmp_path / "b")) == (["two"], ["one"])


def test_the_name_is_there_at_every_instant(tmp_path, monkeypatch):
    path = tmp_path / "folder"
    write_folder(path, one)
    renamed = []
    monkeypatch.setattr(os, "rename", lambda *names: renamed.append(names))
    write_folder(path, two)
    assert renamed == []


class Refusing:
    """A C library whose calls fail with an error."""

    def __init__(self, number):
        self.number = number

    def renameat2(self, *_):
        ctypes.set_errno(self.number)
        return -1


def test_where_the_file_system_cannot_exchange_names_it_takes_two_steps(tmp_path, monkeypatch):
    write_folder(tmp_path / "folder", one)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Refusing(errno.EINVAL))
    write_folder(tmp_path / "folder", two)
    assert names(tmp_path / "folder") == ["two"]


def test_an_exchange_that_fails_leaves_the_old_folder(tmp_path, monkeypatch):
    write_folder(tmp_path / "folder", one)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: Refusing(errno.EACCES))
    with pytest.raises(PermissionError, match=r"\[M651\] '.*/folder' cannot be written: Permission denied\."):
        write_folder(tmp_path / "folder", two)
    assert names(tmp_path / "folder") == ["one"]
    assert names(tmp_path) == ["folder"]


def failing_at(calls):
    """``os.rename`` that fails at these calls."""
    rename, numbers = os.rename, iter(range(100))

    def renames(*names):
        if next(numbers) in calls:
            raise OSError(errno.EIO, "Input/output error")
        rename(*names)

    return renames


def test_a_second_step_that_fails_is_taken_back(tmp_path, monkeypatch):
    write_folder(tmp_path / "folder", one)
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    monkeypatch.setattr(os, "rename", failing_at({1}))
    with pytest.raises(OSError, match=r"\[M652\] '.*/folder'"):
        write_folder(tmp_path / "folder", two)
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["one"]


def test_where_that_fails_too_the_message_says_where_the_old_folder_is(tmp_path, monkeypatch):
    write_folder(tmp_path / "folder", one)
    monkeypatch.setattr(swap, "exchange", lambda *_: False)
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", failing_at({1, 2}))
        with pytest.raises(
            ValueError, match=r"^\[M653\] .*Input/output error.*\.old': rename it, and save again"
        ) as raised:
            write_folder(tmp_path / "folder", two)
    (old,) = tmp_path.iterdir()
    assert str(old) in str(raised.value)
    assert names(old) == ["one"]
    write_folder(tmp_path / "folder", two)
    assert names(tmp_path) == ["folder"]


def test_what_cannot_be_written_leaves_the_old_folder(tmp_path):
    def fails(folder):
        two(folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    write_folder(tmp_path / "folder", one)
    with pytest.raises(OSError, match=r"\[M650\] '.*/folder' cannot be written: the disk is full\."):
        write_folder(tmp_path / "folder", fails)
    assert names(tmp_path) == ["folder"]
    assert names(tmp_path / "folder") == ["one"]


def test_everything_is_on_disk_before_the_names_are_exchanged(tmp_path, monkeypatch):
    done = []
    exchange = swap.exchange
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append(os.readlink(f"/proc/self/fd/{descriptor}")))
    monkeypatch.setattr(swap, "exchange", lambda *names: (done.append("exchange"), exchange(*names))[1])

    def nested(folder):
        (folder / "deep").mkdir()
        one(folder / "deep")

    write_folder(tmp_path / "folder", nested)
    done.clear()
    write_folder(tmp_path / "folder", nested)
    assert [name.rpartition(".tmp")[2] for name in done] == ["/deep/one", "/deep", "", "exchange", str(tmp_path)]


def test_a_link_goes_on_leading_to_its_folder(tmp_path):
    write_folder(tmp_path / "folder", one)
    (tmp_path / "link").symlink_to("folder")
    write_folder(tmp_path / "link", two)
    assert (tmp_path / "link").is_symlink()
    assert names(tmp_path / "folder") == ["two"]


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("text")
    with pytest.raises(NotADirectoryError, match=r"\[M652\] '.*/file' cannot be written: Not a directory"):
        write_folder(tmp_path / "file", one)
    assert (tmp_path / "file").read_text() == "text"
