"""A file is written completely or not at all, and faults of the disk name it."""

import contextlib
import errno
import os
import subprocess
import sys

import pytest

from spacy_mtl.files import write_atomically, write_folder, writing_atomically
from spacy_mtl.files.disk import disk_errors

WAIT = """
import sys, time
from pathlib import Path
from spacy_mtl.files import {function}
def wait(*_):
    print("waiting", flush=True)
    time.sleep(60)
{code}
"""
WAIT_IN_FILE = WAIT.format(
    function="atomic", code="atomic.os.replace = wait\natomic.write_atomically(sys.argv[1], b'new')"
)
WAIT_IN_FOLDER = WAIT.format(function="swap", code="swap.write_folder(sys.argv[1], wait)")


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


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_an_interrupt_amid_the_pieces(tmp_path, error):
    path = tmp_path / "file"
    write_atomically(path, b"one")

    def pieces():
        yield b"two"
        assert path.read_bytes() == b"one"
        raise error

    with pytest.raises(error), writing_atomically(path) as file:
        file.writelines(pieces())
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]
    with writing_atomically(path) as file:
        file.write(b"t")
        file.write(b"wo")
    assert path.read_bytes() == b"two"


def test_the_data_is_on_disk_before_the_name_and_the_name_before_the_end(tmp_path, monkeypatch):
    done = []
    replace = os.replace
    monkeypatch.setattr(os, "fsync", lambda descriptor: done.append(os.readlink(f"/proc/self/fd/{descriptor}")))
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("replace"), replace(*names)))
    write_atomically(tmp_path / "file", b"data")
    assert done[0].endswith(".tmp")
    assert done[1:] == ["replace", str(tmp_path)]


def test_the_file_of_a_reader_is_that_which_it_opened(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    with path.open("rb") as reader:
        write_atomically(path, b"two")
        assert reader.read() == b"one"


@contextlib.contextmanager
def saving(code, path):
    """Another process that is saving to ``path``; the names beside it, except ``path`` itself."""
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "waiting\n"
        (beside,) = set(path.parent.iterdir()) - {path}
        assert str(process.pid) in beside.name
        yield process, beside
        process.kill()


def write_one(path):
    (path / "part").write_bytes(b"one")


@pytest.mark.parametrize(
    ("code", "write"),
    [
        (WAIT_IN_FILE, lambda path: write_atomically(path, b"one")),
        (WAIT_IN_FOLDER, lambda path: write_folder(path, write_one)),
    ],
    ids=["file", "folder"],
)
def test_what_living_processes_write_stays_and_what_dead_ones_left_goes(tmp_path, code, write):
    path = tmp_path / "name"
    other = tmp_path / ".name.other.1.2.tmp"  # of a file "name.other"
    with saving(code, path) as (process, beside):
        write(path)
        assert set(tmp_path.iterdir()) == {path, beside}
        process.kill()
        process.wait()
        assert set(tmp_path.iterdir()) == {path, beside}
        other.touch()
        write(path)
        assert set(tmp_path.iterdir()) == {path, other}


def test_what_is_not_ours_stays(tmp_path):
    names = {
        ".file.12.tmp.kept",
        ".file.12.tmpl",
        ".file.x.tmp",
        ".file.1.2.3.tmp",
        "file.1.tmp",
        ".files.1.tmp",
        "more.file.1.tmp",
    }
    for name in names:
        (tmp_path / name).write_bytes(b"")
    write_atomically(tmp_path / "file", b"whole")
    assert {path.name for path in tmp_path.iterdir()} == {*names, "file"}


def test_the_number_of_a_process_is_no_sign_of_life(tmp_path):
    """Numbers are used again: the one of a file that is left over may be that of this process."""
    left = tmp_path / f".file.{os.getpid()}.0.tmp"
    left.write_bytes(b"half")
    write_atomically(tmp_path / "file", b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_fork_does_not_keep_its_parents_files(tmp_path):
    code = "import os, sys\n" + WAIT_IN_FILE.replace("def wait(*_):", "def wait(*_):\n    if os.fork(): os._exit(1)")
    path = tmp_path / "file"
    command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "waiting\n"  # of the child; the parent has died
        process.wait()
        write_atomically(path, b"one")
        assert list(tmp_path.iterdir()) == [path]
        process.stdout.close()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "M650"),
        (errno.EDQUOT, "M650"),
        (errno.EACCES, "M651"),
        (errno.EROFS, "M651"),
        (errno.EIO, "M652"),
    ],
)
def test_faults_of_the_disk_name_the_path_and_leave_the_old_file(tmp_path, monkeypatch, number, code):
    path = tmp_path / "file"
    write_atomically(path, b"one")

    def fails(_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(
        OSError, match=rf"\[{code}\] '.*/file' cannot be written: .*; what was there before is still there\."
    ) as raised:
        write_atomically(path, b"two")
    assert raised.value.errno == number
    assert isinstance(raised.value, type(OSError(number, "")))
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_sentence_is_not_put_into_another(tmp_path):
    sentence = r"^\[Errno 5\] \[M652\] 'outer' cannot be written: Input/output error\. Check"
    with pytest.raises(OSError, match=sentence), disk_errors("outer"), disk_errors("inner"):
        raise OSError(errno.EIO, "Input/output error")


def test_a_file_that_grows_above_a_limit_of_the_system(tmp_path):
    code = (
        "import resource, sys\nfrom spacy_mtl.files import write_atomically\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "write_atomically(sys.argv[1], b'x' * 20_000)"
    )
    path = tmp_path / "file"
    path.write_bytes(b"one")
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert f"OSError: [Errno 27] [M652] '{path}' cannot be written: File too large." in run.stderr
    assert path.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [path]


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError, match=r"\[M652\] '.*/file/below' cannot be written: File exists"):
        write_atomically(tmp_path / "file" / "below", b"")


def test_a_pipe_stays_one(tmp_path):
    """As /dev/stdout and /dev/null, which root could replace by files."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = subprocess.Popen([sys.executable, "-c", f"print(open({str(path)!r}).read())"], stdout=subprocess.PIPE)
    write_atomically(path, b"one")
    assert reader.communicate()[0].strip() == b"one"
    assert path.is_fifo()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("to_a_file", [True, False])
def test_what_is_open_already_is_written_where_it_is(tmp_path, name, to_a_file):
    code = f"print('first')\nfrom spacy_mtl.files import write_atomically\nwrite_atomically({name!r}, b'two\\n')\nprint('last')"
    with (tmp_path / "out").open("wb") as file:
        output = file if to_a_file else subprocess.PIPE
        run = subprocess.run([sys.executable, "-c", code], stdout=output, check=True)
    printed = (tmp_path / "out").read_bytes() if to_a_file else run.stdout
    assert printed.split() == [b"first", b"two", b"last"]
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_the_file_it_leads_to_is_written(tmp_path, there):
    target, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    target.parent.mkdir()
    if there:
        target.write_bytes(b"one")
    link.symlink_to(target)
    write_atomically(link, b"two")
    assert link.is_symlink()
    assert target.read_bytes() == b"two"
    assert sorted(tmp_path.rglob("*")) == [target.parent, target, link]


def test_a_file_keeps_its_mode(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    usual = path.stat().st_mode
    path.chmod(0o600)
    write_atomically(path, b"two")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"two", 0o600)
    write_atomically(tmp_path / "other", b"two")
    assert (tmp_path / "other").stat().st_mode == usual


def test_a_folder_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(IsADirectoryError, match=r"\[M652\]"), writing_atomically(tmp_path):
        raise AssertionError
    assert list(tmp_path.iterdir()) == []
