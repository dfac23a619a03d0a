"""The table of hostile use: what fails is counted and ends the program with exit code 1, also where a subject itself cannot run."""

import json
import sys
from types import ModuleType

import pytest
import spacy
from spacy.tokens import Doc
from typer.testing import CliRunner

from benchmarks.common.rows import read_rows
from benchmarks.reliability import documents, exponents, subjects, workers
from benchmarks.reliability.enumerated import flat, random_problem
from benchmarks.reliability.formats import MAGIC, put_together, signed, take_apart, unsigned, whole_header
from benchmarks.reliability.hostile_text import text
from benchmarks.reliability.loading import SAVED, check_doc
from benchmarks.reliability.loading_beside import load_into, multiword_bytes, tables_in_model
from benchmarks.reliability.models_worker import outcome_of
from benchmarks.reliability.mutants import mutant
from benchmarks.reliability.plan import Plan
from benchmarks.reliability.program import app
from benchmarks.reliability.workers import Worker
from spacy_mtl import sequences
from spacy_mtl.models import store
from spacy_mtl.trainers.base import fit
from spacy_mtl.trainers.mtlstruct.trainer import MTLStruct
from spacy_mtl.treebanks.multiword import MultiwordTokenizer


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_list_of_subjects():
    shown = invoke("--list")
    assert shown.exit_code == 0
    assert all(name in shown.output for name in subjects.SUBJECTS)
    assert invoke("--only", "nothing").exit_code == 2


@pytest.fixture
def subject(monkeypatch):
    """subject(failures): has the table consist of one subject with one row, or one that raises what it is given."""

    def subject(failures):
        def run(plan):
            assert not list(plan.folder.iterdir())
            if isinstance(failures, Exception):
                raise failures
            yield plan.row("made_up", "a case", plan.size(10, 100), failures)

        module = ModuleType("benchmarks.reliability.made_up")
        module.run = run
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(subjects, "SUBJECTS", {"made_up": "it works"})
        monkeypatch.setattr("benchmarks.reliability.program.SUBJECTS", subjects.SUBJECTS)

    return subject


@pytest.mark.parametrize(
    ("failures", "code", "tried"), [([], 0, 10), (["seed 3: crash"], 1, 10), (RuntimeError("no worker"), 1, 0)]
)
def test_what_fails_ends_with_exit_code_1(subject, tmp_path, failures, code, tried):
    subject(failures)
    shown = invoke("--json", tmp_path / "rows.jsonl")
    assert shown.exit_code == code
    (row,) = read_rows(tmp_path / "rows.jsonl")
    assert (row["mode"], row["size"], row["tried"], row["failed"]) == ("made_up", "quick", tried, code)
    assert ("seed 3: crash" in shown.output) == (failures == ["seed 3: crash"])
    if tried == 0:
        assert "RuntimeError: no worker" in row["failures"][0]


def test_subjects_are_skipped_and_the_others_try_a_share(subject, tmp_path, monkeypatch):
    subject([])
    invoke("--json", tmp_path / "rows.jsonl", "--share", 0.5)
    assert [row["tried"] for row in read_rows(tmp_path / "rows.jsonl")] == [5]
    assert invoke("--json", tmp_path / "none.jsonl", "--skip", "made_up").exit_code == 2
    assert not (tmp_path / "none.jsonl").exists()
    assert invoke("--skip", "nobody").exit_code == 2
    assert invoke("--count", 3, "--share", 0.5).exit_code == 2
    monkeypatch.setitem(subjects.SUBJECTS, "another", "it is slow")
    assert invoke("--skip", "another", "--json", tmp_path / "one.jsonl").exit_code == 0
    assert [row["mode"] for row in read_rows(tmp_path / "one.jsonl")] == ["made_up"]


def test_sizes(tmp_path):
    assert Plan(False, tmp_path).size(3, 5) == 3
    assert Plan(True, tmp_path).size(3, 5) == 5
    assert Plan(True, tmp_path, count=1).size(3, 5) == 1
    assert Plan(False, tmp_path, share=0.15).size(200, 2000) == 30
    assert Plan(False, tmp_path, share=0.01).size(3, 5) == 1
    assert Plan(True, tmp_path, case="ner").wants("ner")
    assert not Plan(True, tmp_path, case="ner").wants("tagger")


# --- workers ---

WORKER = """
import json, os, signal, sys, time
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    if line == "die\\n":
        os.kill(os.getpid(), signal.SIGSEGV)
    if line == "burn\\n":
        signal.setitimer(signal.ITIMER_PROF, 0.05)
        while True:
            pass
    if line == "sleep\\n":
        time.sleep(60)
    print(json.dumps({"said": line.strip(), "pid": os.getpid()}), flush=True)
"""


def test_a_worker_that_dies_or_hangs_is_replaced(tmp_path, monkeypatch):
    (tmp_path / "worker_for_a_test.py").write_text(WORKER)
    monkeypatch.setattr(workers, "PATIENCE", 2.0)
    with Worker("worker_for_a_test", environment={"PYTHONPATH": str(tmp_path)}) as worker:
        first = worker.ask("one")
        assert worker.ask("two") == {"said": "two", "pid": first["pid"]}
        assert worker.ask("die") == {"outcome": "crash", "detail": "SIGSEGV"}
        assert worker.ask("three")["pid"] != first["pid"]
        assert worker.ask("burn")["outcome"] == "hang"
        assert worker.ask("sleep")["outcome"] == "hang"
        assert worker.ask("four")["said"] == "four"
    with pytest.raises(RuntimeError, match="does not start"):
        Worker("no_such_module").ask("one")


# --- changed models ---


@pytest.fixture(scope="module")
def files():
    """Files of all formats."""
    paths = (
        "entities/mtl_ner/model",
        "tags/mtl_tagger/model",
        "sequences/model.npz",
        "vectors-and-tables/mtl_ner/tables",
    )
    return [take_apart(data) for data in [*((SAVED / path).read_bytes() for path in paths), multiword_bytes()]]


def whole(stored):
    header, chunks = whole_header(stored)
    return put_together(stored, json.dumps(header).encode(), chunks)


@pytest.mark.parametrize("own", [0, 2])
def test_a_file_that_was_put_together_again_is_read(files, own, tmp_path):
    """Otherwise every mutant would be refused for the way in which it is written."""
    data = whole(files[own])
    if own == 2:
        (tmp_path / "model.npz").write_bytes(data)
        assert sequences.load(tmp_path / "model.npz").labels.size == 3
    else:
        weights, _ = store.from_bytes(data, "it")
        assert weights.is_trained


def test_files_beside_models_are_read_when_they_are_put_together_again(files):
    nlp = spacy.load(SAVED / "vectors-and-tables", exclude=["tokenizer"])
    pipe = nlp.get_pipe("mtl_ner")
    tables = whole(files[3])
    load_into(nlp, tables_in_model(pipe._model_bytes(), tables), tables)
    assert pipe.tables["CLUSTER"].path("Madrid") == "1011"
    tokenizer = MultiwordTokenizer(nlp.tokenizer, nlp.vocab).from_bytes(whole(files[4]))
    assert [token.text for token in tokenizer("dáselo")] == ["dá", "se", "lo"]


@pytest.mark.parametrize("own", [0, 2, 3, 4])
def test_mutants_are_made_from_their_seeds(files, own):
    made = [mutant(files, own, seed) for seed in range(60)]
    assert [mutant(files, own, seed) for seed in range(60)] == made
    assert len({data for data, _, _ in made}) > 50
    assert whole(files[own]) == whole(files[own].copy())
    assert all(done for _, done, _ in made)


def test_the_checksum_of_a_mutant_fits(files):
    """Few are refused for their checksum alone: those whose bytes were cut or that are of another format."""
    for seed in range(60):
        data, _, _ = mutant(files, 0, seed)
        if data.startswith(MAGIC):
            assert signed(unsigned(data)) == data


@pytest.mark.parametrize(
    ("attempt", "outcome"),
    [
        (lambda data: None, "valid"),
        (lambda data: (_ for _ in ()).throw(ValueError("[M603] It is damaged.")), "refused"),
        (lambda data: (_ for _ in ()).throw(ValueError("[M603] It is\ndamaged.")), "uncoded"),
        (lambda data: (_ for _ in ()).throw(ValueError("list index")), "uncoded"),
        (lambda data: (_ for _ in ()).throw(MemoryError()), "uncoded"),
        (lambda data: (_ for _ in ()).throw(IndexError("index out of range")), "uncoded"),
        (lambda data: (_ for _ in ()).throw(AssertionError("a circle of heads")), "invalid"),
    ],
)
def test_how_a_try_ends(attempt, outcome):
    assert outcome_of(attempt, b"")[0] == outcome


def test_annotation_that_does_not_hold_together_is_invalid():
    nlp = spacy.blank("nl")
    doc = Doc(nlp.vocab, words=["a", "b", "c"], heads=[1, 1, 1], deps=["x", "ROOT", "x"])
    check_doc(doc, "a b c ")
    with pytest.raises(AssertionError, match="text"):
        check_doc(doc, "a b d ")


# --- documents, sizes ---


def test_hostile_texts():
    made = [text(seed) for seed in range(2000)]
    assert [text(seed) for seed in range(2000)] == made
    assert "" in made
    assert {ord(max(one)) >> 16 for one in made if one} == set(range(17))
    assert len(set(made)) > 1500
    assert not [one for one in made if any(0xD800 <= ord(c) < 0xE000 for c in one)]


def test_other_annotation_or_another_text_is_a_difference():
    told = {}
    first = {"digests": "a" * 16 + "b" * 16, "changed": []}
    assert documents._differences(first, 5, 2, "forward", told) == []
    found = documents._differences({"digests": "a" * 16 + "c" * 16, "changed": [5]}, 5, 2, "backward", told)
    assert [one[:7] for one in found] == ["seed 5:", "seed 6:"]


def test_growth_and_slopes():
    assert documents.growth([100, 200, 210, 205, 230, 200, 200, 200]) == 30
    assert documents.growth([100, 200]) == 0
    assert exponents.fit((10, 20, 40), [1.0, 4.0, 16.0]) == pytest.approx(2)


def test_short_cuts_are_not_swallowed_by_long_ones():
    """At a large exponent a block's weights may come from cuts a billionth as long as another, which adds and takes away the same there."""
    enumerated = random_problem(5, "trees", separable=True)
    training = fit(MTLStruct(100.0, 1e4, "cutting_plane"), enumerated.problem, 60)
    assert training.converged
    primal = enumerated.objective(flat(training.weights), 100.0, 1e4)
    assert primal == pytest.approx(min(enumerated.optimum(100.0, 1e4)), rel=2e-3)
