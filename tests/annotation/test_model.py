"""The model of an annotation: told apart from others, loaded once in a process, compiled for by one process at a time."""

import threading

import pytest
import spacy

from spacy_mtl.annotation import model as models
from spacy_mtl.annotation.model import fingerprint, load_once


def test_a_fingerprint_is_of_all_files(model, tmp_path):
    spacy.blank("es").to_disk(tmp_path / "a")
    before = fingerprint(str(tmp_path / "a"))
    assert before == fingerprint(str(tmp_path / "a"))
    for path in sorted(path for path in (tmp_path / "a").rglob("*") if path.is_file()):
        old = path.read_bytes()
        path.write_bytes(old + b" ")
        assert fingerprint(str(tmp_path / "a")) != before, path
        path.write_bytes(old)
    (tmp_path / "a" / "new").write_bytes(b"")
    assert fingerprint(str(tmp_path / "a")) != before
    with pytest.raises(ValueError, match=r"M701"):
        fingerprint("no-such-model")


def test_a_process_loads_a_model_once():
    load_once.cache_clear()
    loads = []

    def load(model, code):
        loads.append(model)
        return spacy.blank("es")

    assert load_once("a", None, load) is load_once("a", None, load)
    load_once("b", None, load)
    assert loads == ["a", "b"]


def test_one_process_compiles_at_a_time():
    """Locks are of open files, so a thread stands for another process."""
    entered = threading.Event()

    def other():
        with models._one_at_a_time():
            entered.set()

    thread = threading.Thread(target=other)
    with models._one_at_a_time():
        thread.start()
        assert not entered.wait(0.5)
    assert entered.wait(10)
    thread.join()
