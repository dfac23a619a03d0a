"""Kernels for Python, and those that kernels alone call."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import spacy_mtl
from spacy_mtl import kernels
from spacy_mtl.kernels import kernel, subkernel
from spacy_mtl.structures.chain.build import ChainProblem
from spacy_mtl.structures.tree.build import TreeProblem

ROOT = Path(__file__).parents[1]


@subkernel
def doubled(x):
    return 2 * x


@kernel
def doubled_and_one(x):
    return doubled(x) + 1


def test_a_subkernel_is_for_kernels():
    for _ in range(2):  # before it is compiled, and after
        with pytest.raises(TypeError, match="doubled can be called from compiled functions only"):
            doubled(3)
        assert doubled_and_one(3) == 7
    with pytest.raises(TypeError, match="compiled functions only"):
        doubled(x=3)


#: A structure from elsewhere with one function, as a module: the number of sentences is what ``{value}`` says.
STRUCTURE = """
from typing import NamedTuple
import numpy as np
from spacy_mtl.structures import contract
from spacy_mtl.structures.problem import Blocks, Problem

class Mine(NamedTuple):
    first: np.ndarray

@contract.implements(contract.n_sentences, Mine)
def n_sentences(problem):
    return problem.first.size + {value}

def count():
    none = np.zeros(1, np.int64)
    return Problem(Mine(np.zeros(3)), Blocks(none, none, ()), 1, 1).n
"""


@pytest.fixture
def run(tmp_path):
    """run(folder, code): what a new process prints that can import from that folder; all share one empty cache of kernels."""

    def run(folder, code):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": f"{ROOT}:{folder}"}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    return run


def write_structure(folder, name, value):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(STRUCTURE.format(value=value))


def cached(tmp_path):
    return {path.name for path in (tmp_path / "cache").rglob("*.nbc")}


def test_kernels_are_cached_for_a_structure_from_elsewhere_until_its_files_change(run, tmp_path):
    write_structure(tmp_path / "a", "mine", 10)
    (tmp_path / "a" / ".#mine.py").symlink_to("nowhere")  # as editors leave behind
    assert run(tmp_path / "a", "import mine; print(mine.count())") == 13
    compiled = cached(tmp_path)
    assert compiled
    assert run(tmp_path / "a", "import mine; print(mine.count())") == 13
    assert cached(tmp_path) == compiled
    write_structure(tmp_path / "a", "mine", 1000)
    assert run(tmp_path / "a", "import mine; print(mine.count())") == 1003


def test_a_file_that_changes_after_the_import_is_not_taken_for_what_was_compiled(run, tmp_path):
    write_structure(tmp_path / "a", "mine", 10)
    edit = f"import mine; p = {str(tmp_path / 'a' / 'mine.py')!r}; t = open(p).read(); open(p, 'w').write(t.replace('size + 10', 'size + 100'))"
    assert run(tmp_path / "a", f"{edit}; print(mine.count())") == 13
    assert run(tmp_path / "a", "import mine; print(mine.count())") == 103


def test_a_process_without_the_structure_can_use_the_cache(run, tmp_path):
    write_structure(tmp_path / "a", "mine", 10)
    write_structure(tmp_path / "b", "other", 20)
    assert run(tmp_path / "a", "import mine; print(mine.count())") == 13
    assert run(tmp_path / "b", "import other; print(other.count())") == 23


def test_nothing_is_cached_for_a_structure_of_a_script(run, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "script.py").write_text(STRUCTURE.format(value=10) + "print(count())\n")
    code = "import runpy; runpy.run_path('script.py', run_name='__main__')".replace(
        "'script.py'", repr(str(tmp_path / "a" / "script.py"))
    )
    assert run(tmp_path / "a", code) == 13
    assert cached(tmp_path) == set()


#: A kernel of one's own beside the script, where numba keeps it in its own way.
OWN = """
from spacy_mtl.kernels import kernel

@kernel
def one_more(x):
    return x + 1
"""


@pytest.mark.parametrize("kept", ["*.nbc", "*.nb?"], ids=["kernels", "index too"])
@pytest.mark.parametrize("left", [0.0, 0.02, 0.5])
def test_files_that_were_cut_off_are_compiled_again(run, tmp_path, kept, left):
    write_structure(tmp_path / "a", "mine", 10)
    (tmp_path / "a" / "own.py").write_text(OWN)
    code = "import mine, own; print(mine.count() + own.one_more(1))"
    assert run(tmp_path / "a", code) == 15
    whole = {path: path.read_bytes() for path in (tmp_path / "cache").rglob(kept)}
    assert any(path.name.startswith("own") for path in whole)
    for path, data in whole.items():
        path.write_bytes(data[: int(left * len(data))])
    assert run(tmp_path / "a", code) == 15
    after = {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nb?")}
    assert {path: path.stat().st_size for path in whole} == {path: len(data) for path, data in whole.items()}
    assert run(tmp_path / "a", code) == 15
    assert after == {path: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nb?")}  # and then found


def test_kernels_depend_on_the_sources_of_every_part_that_they_call():
    """Or, after one of them has changed, what was compiled of its former self would be taken from the cache."""
    unseen = set()
    for found in pkgutil.walk_packages(spacy_mtl.__path__, "spacy_mtl."):
        text = Path(found.module_finder.path, found.name.rpartition(".")[2]).with_suffix(".py")
        if not text.exists() or "kernel" not in text.read_text(encoding="utf8"):
            continue
        own = kernels._part(found.name)
        module = importlib.import_module(found.name)
        for value in vars(module).values():
            if isinstance(value, Dispatcher) and value.py_func.__module__ != found.name:
                called = kernels._part(value.py_func.__module__)
                if called not in kernels._CALLS.get(own, (own,)):
                    unseen.add((own, called, found.name))
    assert not unseen


def test_structures_of_the_package_are_not_watched():
    assert {ChainProblem, TreeProblem} & {*kernels._WATCHED} == set()
    assert not [cls for cls in kernels._WATCHED if cls.__module__.startswith("spacy_mtl")]


#: A kernel that reads an entry by way of another one. The array is part of a larger one: what lies behind its end may be read.
READING = """
import numpy as np
from spacy_mtl.kernels import kernel, subkernel

@subkernel
def entry(a, k):
    return a[k]

@kernel
def read(a, k):
    return entry(a, k)

def attempt(k):
    try:
        return read(np.arange(10)[:5], k)
    except IndexError:
        return -1
"""


def test_indices_are_checked_where_a_variable_says_so(run, tmp_path, monkeypatch):
    """Whatever was cached before, with or without checks."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "reading.py").write_text(READING)
    for value, found in (("0", 7), ("1", -1), ("1", -1), ("0", 7), ("1", -1), ("", 7)):
        monkeypatch.setenv("NUMBA_BOUNDSCHECK", value)
        assert run(tmp_path / "a", "import reading; print(reading.attempt(7))") == found
        assert run(tmp_path / "a", "import reading; print(reading.attempt(4))") == 4
    assert len(cached(tmp_path)) == 4


def copy_of_the_package(folder, time):
    """A package named spacy_mtl with the real kernels.py, compiling/ and two kernels in files of this time, of which one calls the other."""
    structures = folder / "spacy_mtl" / "structures"
    structures.mkdir(parents=True)
    for package in (structures.parent, structures):
        (package / "__init__.py").touch()
    shutil.copy(ROOT / "spacy_mtl" / "kernels.py", structures.parent)
    shutil.copytree(ROOT / "spacy_mtl" / "compiling", structures.parent / "compiling")
    one = "from spacy_mtl.kernels import kernel\n\n@kernel\ndef one():\n    return 1\n"
    (structures / "one.py").write_text(one)
    (structures / "two.py").write_text(one.replace("one", "two").replace("return 1", "return one() + 1") + "\n")
    (structures / "two.py").write_text("from .one import one\n" + (structures / "two.py").read_text())
    for path in structures.iterdir():
        os.utime(path, (time, time))
    return folder


def test_copies_with_the_same_sources_share_what_is_compiled(tmp_path):
    code = "from spacy_mtl.structures.two import two; print(two(), sum(two.stats.cache_hits.values()))"

    def run(folder):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(folder)}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    first, second = copy_of_the_package(tmp_path / "first", 1), copy_of_the_package(tmp_path / "second", 9)
    assert [run(first), run(first), run(second)] == [["2", "0"], ["2", "1"], ["2", "1"]]
    called = second / "spacy_mtl" / "structures" / "one.py"
    called.write_text(called.read_text().replace("return 1", "return 2"))
    assert [run(second), run(second), run(first)] == [["3", "0"], ["3", "1"], ["2", "1"]]


def test_a_kernel_that_cannot_be_read_is_compiled(tmp_path):
    """As another user's may be, in a cache that both share."""

    class Unreadable:
        _index_name, _source_stamp, _version = "index", "stamp", "version"

        def _load_data(self, name):
            raise PermissionError(13, "Permission denied", name)

    assert kernels.SharedFiles(Unreadable(), tmp_path).load("key") is None
