"""What the figures of ``benchmarks.door`` rest on."""

import inspect
import subprocess
import sys

import pytest
import spacy
from spacy.util import load_config

from benchmarks.common.measure import run_child
from benchmarks.door import processes
from benchmarks.door.quickstart import clone
from benchmarks.door.tasks import SMALL, TASKS
from spacy_mtl.corpora.conll import ConllCorpus


@pytest.mark.parametrize("task", TASKS)
def test_settings_are_of_the_config(task):
    """Of that component alone, so that a report can be told from others; a limit for the run that compiles."""
    config = load_config(TASKS[task].path, overrides={"paths.train": "a", "paths.dev": "b"})
    assert config["nlp"]["pipeline"] == [task]
    overrides = TASKS[task].overrides("DIR", **SMALL)
    assert overrides["paths.train"].startswith("DIR")
    for name in overrides:
        section, *rest = name.split(".")
        assert section in config
        assert rest[-1] in ("limit", "columns") or load_config(TASKS[task].path, overrides={name: "0"})


def test_seconds_are_of_the_whole_process():
    """Also of what it does before and after, to the ticks in which a system counts; little where there is little to do."""
    busy = "import time\nwhile time.process_time() < 1: pass"
    assert 0.9 < processes.cpu_of([sys.executable, "-c", busy]) < 5


def test_settings_come_on_the_standard_input():
    processes.cpu_of([sys.executable, "-c", "assert input() == 'x'"], "x\n")


def test_processes_run_where_they_are_told_to(tmp_path):
    code = "import os; assert os.getcwd() == os.environ['HERE'] and 'PYTHONPATH' not in os.environ"
    processes.cpu_of([sys.executable, "-c", code], cwd=tmp_path, env={"HERE": str(tmp_path)})
    with pytest.raises(subprocess.CalledProcessError):
        processes.cpu_of([sys.executable, "-c", code], env={"HERE": str(tmp_path)})


def test_a_clone_has_what_is_committed_alone(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "known").write_text("committed", encoding="utf8")
    git = ["git", "-C", str(source), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "known"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    (source / "known").write_text("changed", encoding="utf8")
    (source / "kernel.nbc").write_text("compiled", encoding="utf8")
    path = clone(source, tmp_path)
    assert {each.name: each.read_text() for each in path.iterdir() if each.is_file()} == {"known": "committed"}


def test_tags_as_crfsuite_learns_them(tmp_path):
    pytest.importorskip("pycrfsuite")
    from benchmarks.door import crfsuite

    (tmp_path / "a.conll").write_text("Ana N B-PER\nPaz N I-PER\nva V O\n", encoding="utf8")
    nlp = spacy.blank("es")
    (example,) = ConllCorpus(tmp_path / "a.conll")(nlp)
    assert crfsuite.tags_of(example.reference) == ["B-PER", "I-PER", "O"]


def test_children_take_what_they_are_given():
    """run_child calls them with the names of their arguments."""
    pytest.importorskip("pycrfsuite")
    from benchmarks.door import crfsuite

    for function, settings in ((crfsuite.train, {}), (crfsuite.score, {}), (processes.in_memory, {"passes": 2})):
        inspect.signature(run_child).bind("task", name="ner", corpora="DIR", **settings)
        model = {} if settings else {"model": "file"}
        inspect.signature(function).bind(name="ner", corpora="DIR", **settings, **model)
