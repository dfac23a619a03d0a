"""The command that compiles beforehand, and what is said while kernels are compiled."""

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from spacy.cli import app
from typer.testing import CliRunner

import spacy_mtl.cli  # noqa: F401 (adds the command)
from spacy_mtl.compiling import progress as module
from spacy_mtl.compiling.expected import EXPECTED
from spacy_mtl.compiling.progress import EVERY, Progress

ROOT = Path(__file__).parents[2]


@pytest.fixture
def compile_in_silence():
    """Not here."""


def run(*arguments, code=None, **variables):
    """A process of its own, with these variables of the environment."""
    command = ["-c", code] if code else ["-m", "spacy", "mtl", "warmup", *arguments]
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, env=environment, cwd=ROOT)


def test_a_component_is_trained_saved_and_loaded():
    """With the kernels that other tests have compiled, or compile from now on."""
    done = CliRunner().invoke(app, ["mtl", "warmup", "mtl_tagger"])
    assert done.exit_code == 0, done.output
    first, second = done.output.splitlines()[-2:]
    assert first.startswith("tagger: ")
    assert "found in the cache" in first
    assert second.startswith("Kept in ")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["nerd"], "M720"), (["ner", "--trainer", "Percepron"], "M710"), (["--for", "fun"], "fun")]
)
def test_unknown_names_are_refused(arguments, code):
    done = CliRunner().invoke(app, ["mtl", "warmup", *arguments])
    assert done.exit_code != 0
    assert code in done.output


def test_a_cache_that_cannot_be_written_is_refused_before_anything_is_compiled(tmp_path):
    (tmp_path / "file").touch()
    code = "from spacy.cli import app; import spacy_mtl.cli; app(['mtl', 'warmup', 'ner'])"
    done = run(code=code, NUMBA_CACHE_DIR=str(tmp_path / "file" / "kernels"))
    assert done.returncode == 1
    assert done.stderr.startswith("[M719] Compiled kernels cannot be kept in ")
    assert "NUMBA_CACHE_DIR" in done.stderr
    assert len(done.stderr.splitlines()) == 1


KERNEL = """
import logging
from spacy_mtl.kernels import kernel
{before}
@kernel
def thrice(x):
    return 3 * x
print(thrice(2), sum(thrice.stats.cache_hits.values()))
"""


def run_kernel(folder, before="", **variables):
    (folder / "thrice.py").write_text(KERNEL.format(before=before))
    path = os.pathsep.join([str(folder), str(ROOT)])
    return run(code="import thrice", PYTHONPATH=path, NUMBA_CACHE_DIR=str(folder / "kernels"), **variables)


def test_python_hears_of_it_through_logging_and_only_if_asked(tmp_path):
    silent = run_kernel(tmp_path)
    assert (silent.stdout, silent.stderr) == ("6 0\n", "")
    asked = run_kernel(tmp_path / ".." / tmp_path.name, "logging.basicConfig(level=logging.INFO)")
    assert "INFO:spacy_mtl.compiling:Compiling kernels, once on this machine: 1 so far." in asked.stderr


def test_commands_say_so_on_stderr(tmp_path):
    said = run_kernel(tmp_path, "import spacy_mtl.cli")
    assert said.stderr.splitlines()[0] == "Compiling kernels, once on this machine: 1 so far."
    again = run_kernel(tmp_path, "import spacy_mtl.cli")
    assert (again.stdout, again.stderr) == ("6 1\n", "")


#: As on a read-only system, for numba and for us.
READ_ONLY = """
import os, tempfile
def refuse(*_, **__): raise PermissionError(13, 'Permission denied')
tempfile.TemporaryFile = os.replace = refuse
"""


def test_a_folder_that_cannot_be_written_serves_what_it_holds(tmp_path):
    (tmp_path / "kernels").mkdir()
    new = run_kernel(tmp_path, READ_ONLY)
    assert new.stdout == "6 0\n"
    assert "cannot be cached here" in new.stderr
    assert "Traceback" not in new.stderr
    for _ in range(2):
        last = run_kernel(tmp_path, "import spacy_mtl.cli" + len(READ_ONLY.splitlines()) * "\n")
    assert last.stdout == "6 1\n"
    (tmp_path / "kernels").chmod(0o500)
    served = run_kernel(tmp_path, READ_ONLY)
    assert served.returncode == 0


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def heard(monkeypatch, caplog):
    """What is said when two tasks are known, one of three kernels of which the last takes long."""
    monkeypatch.setattr(
        module, "EXPECTED", {"a": {"one": 1.0, "two": 2.0, "three": 7.0}, "b": {"two": 2.0, "four": 4.0}}
    )
    monkeypatch.setattr(module.logger, "propagate", True)
    caplog.set_level(logging.INFO, "spacy_mtl.compiling")
    return lambda: [record.getMessage().partition(": ")[2] for record in caplog.records]


def test_what_is_left_and_about_how_long(heard):
    clock = Clock()
    progress = Progress(clock, aloud=False)
    progress.begin("one")
    clock.now += 2  # twice as long as usual
    progress.end("one")
    progress.begin("two")
    progress.speak()  # too soon
    clock.now += EVERY  # of about four
    progress.speak()
    clock.now += 1
    progress.end("two")
    progress.ready("three")
    clock.now += EVERY
    progress.begin("four")
    assert heard() == ["3 left, about 10 s.", "2 left, about 15 s.", "1 left, about 8 s."]
    assert progress.counts() == (2, 1)


def test_kernels_that_nothing_is_known_of_are_counted(heard):
    clock = Clock()
    progress = Progress(clock, aloud=False)
    progress.begin("other")
    clock.now += EVERY
    progress.speak()
    clock.now += EVERY
    progress.end("other")
    progress.begin("another")
    assert heard() == ["1 so far.", "1 so far, 3 s.", "2 so far, 6 s."]


def test_a_kernel_that_takes_long_is_told_of_again(monkeypatch):
    monkeypatch.setattr(module, "EVERY", 0.001)
    progress, said = Progress(), threading.Semaphore(0)
    monkeypatch.setattr(module.logger, "info", lambda *_: said.release())
    progress.begin("other")
    assert all(said.acquire(timeout=60) for _ in range(3))
    progress.stop()
    assert progress._done.is_set()


def test_expected_kernels_exist():
    from importlib import import_module

    names = {name for kernels in EXPECTED.values() for name in kernels}
    for name in names:
        module_name, _, function = name.rpartition(".")
        assert hasattr(getattr(import_module(f"spacy_mtl.{module_name}"), function), "py_func"), name
    assert set(EXPECTED) >= {"ner: training", "tagger: prediction", "segmenter: training"}
