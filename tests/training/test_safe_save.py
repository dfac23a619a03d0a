"""``spacy_mtl.safe_save.v1`` and ``save``: what spaCy sees of them, and trainings that share a folder."""

import errno
import gc
import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from spacy.training import loop
from spacy.training.loop import create_before_to_disk_callback

from spacy_mtl.files.folder_lock import LOCK_FILE, lock_folder
from spacy_mtl.registry import registry
from spacy_mtl.training.safe_save import create_safe_save, save
from spacy_mtl.training.spacy_loop import LoopShutil, output_of_training

ROOT = Path(__file__).parents[2]
SAFE = {"@callbacks": "spacy_mtl.safe_save.v1"}


def pipeline(before_to_disk=None, name="es"):
    nlp = spacy.blank(name)
    nlp.add_pipe("sentencizer")
    corpus = {"@readers": "spacy.Corpus.v1", "path": "nowhere", "gold_preproc": False}
    nlp.config["corpora"] = {"train": corpus, "dev": corpus}
    logger = {"@loggers": "spacy.ConsoleLogger.v1"}
    nlp.config["training"] |= {"before_to_disk": before_to_disk, "logger": logger, "score_weights": {}}
    return nlp


@pytest.fixture
def train(monkeypatch):
    """spaCy's training with checkpoints instead of updates: each of ``bests`` is whether it is the best, or an error to raise."""

    def run(nlp, output, bests=(True,)):
        def passes(*_, **__):
            for step, is_best in enumerate(bests):
                if isinstance(is_best, BaseException):
                    raise type(is_best)(*is_best.args)  # an error that nobody keeps, with all that was running
                yield [], {"other_scores": {}, "losses": {}, "step": step, "epoch": step, "score": 0.0}, is_best

        monkeypatch.setattr(loop, "train_while_improving", passes)
        return loop.train(nlp, output, stdout=io.StringIO(), stderr=io.StringIO())

    return run


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_spacy_takes_what_the_callback_returns(tmp_path):
    nlp = pipeline()
    safe = create_before_to_disk_callback(create_safe_save())(nlp)
    assert safe.pipe_names == nlp.pipe_names
    assert safe.vocab is nlp.vocab
    assert type(nlp) is type(spacy.blank("es"))
    safe.to_disk(tmp_path / "model")
    assert spacy.load(tmp_path / "model")("Uno. Dos.").to_bytes() == nlp("Uno. Dos.").to_bytes()


def test_the_saved_pipeline_is_that_of_spacy(tmp_path):
    nlp = pipeline()
    nlp.to_disk(tmp_path / "theirs")
    save(nlp, tmp_path / "ours")
    create_safe_save()(nlp).to_disk(tmp_path / "callback", exclude=["sentencizer"])
    files = [path.relative_to(tmp_path / "theirs") for path in (tmp_path / "theirs").rglob("*") if path.is_file()]
    assert {str(file) for file in files} >= {"meta.json", "vocab/strings.json", "sentencizer.json"}
    assert all((tmp_path / "theirs" / file).read_bytes() == (tmp_path / "ours" / file).read_bytes() for file in files)
    assert set(names(tmp_path / "theirs")) - set(names(tmp_path / "callback")) == {"sentencizer.json"}


def test_another_callback_comes_first(tmp_path):
    def renamed(nlp):
        nlp.meta["name"] = "renamed"
        return nlp

    create_safe_save(renamed)(pipeline()).to_disk(tmp_path / "model")
    assert json.loads((tmp_path / "model" / "meta.json").read_text())["name"] == "renamed"


def test_another_pipeline_leaves_nothing_of_the_old_one(tmp_path):
    save(pipeline(), tmp_path / "model")
    save(spacy.blank("de"), tmp_path / "model")
    assert "sentencizer.json" not in names(tmp_path / "model")
    assert spacy.load(tmp_path / "model").lang == "de"


OTHERS = ".git README.md config.yaml tokenizer.py vocab.txt vocab.json meta.csv sentencizer.py sentencizer.json.gz .x.DS_Store"
#: like what a killed process leaves, but of nothing that a pipeline saves
OTHERS += " .notes.2024.12.old .model.7.old .configxcfg.7.old .meta.json.old"


@pytest.mark.parametrize("others", [[name] for name in OTHERS.split()] + [["a", "b", "c", "d"]])
def test_what_is_no_pipelines_is_not_removed(tmp_path, others):
    path = tmp_path / "model"
    save(pipeline(), path)
    for name in others:
        (path / name).mkdir()
    with pytest.raises(ValueError, match=rf"^\[M654\] '.*/model' holds '{others[0]}'.*, which no pipeline saves"):
        save(spacy.blank("de"), path)
    assert set(others) < set(names(path))
    assert spacy.load(path).lang == "es"


@pytest.mark.parametrize("litter", [".tokenizer.123.0.tmp", ".sentencizer.json.7.old", ".DS_Store", "Thumbs.db"])
def test_what_nobody_misses_is_in_nobodys_way(tmp_path, litter):
    save(pipeline(), tmp_path / "model")
    (tmp_path / "model" / litter).write_text("")
    save(pipeline(), tmp_path / "model")
    assert litter not in names(tmp_path / "model")


def test_a_component_whose_name_has_a_dot_is_part_of_the_pipeline(tmp_path):
    nlp = spacy.blank("es")
    nlp.add_pipe("sentencizer", name="sents.v2")
    for _ in range(2):
        save(nlp, tmp_path / "model")
    assert "sents.json" in names(tmp_path / "model")
    save(pipeline(), tmp_path / "model")
    assert "sents.json" not in names(tmp_path / "model")


def test_a_working_directory_that_was_removed_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(OSError, match=r"^\[Errno 2\] \[M652\] '\.' cannot be written: No such file"):
        save(pipeline(), ".")
    save(pipeline(), tmp_path / "model")
    assert spacy.load(tmp_path / "model").pipe_names == ["sentencizer"]


@pytest.mark.parametrize(
    "meta", ["{", "[]", "7", "[" * 10**5, '{"components": 5}', '{"components": [5, {}, "", ".", "/"]}']
)
def test_a_damaged_pipeline_is_replaced(tmp_path, meta):
    save(pipeline(), tmp_path / "model")
    (tmp_path / "model" / "meta.json").write_text(meta)
    save(pipeline(), tmp_path / "model")
    assert spacy.load(tmp_path / "model").pipe_names == ["sentencizer"]


def full_after(files):
    """``io.open`` on a disk that has room for so many files."""
    opened, left = io.open, iter(range(files))

    def open_or_fail(*arguments, **settings):
        file = opened(*arguments, **settings)
        if file.mode[0] == "w" and next(left, None) is None:
            file.close()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return file

    return open_or_fail


@pytest.mark.parametrize("files", range(7))
def test_a_full_disk_leaves_the_old_pipeline(tmp_path, monkeypatch, files):
    path = tmp_path / "model"
    save(pipeline(), path)
    before = {file: file.read_bytes() for file in path.rglob("*") if file.is_file()}
    monkeypatch.setattr(io, "open", full_after(files))
    with pytest.raises(
        OSError, match=rf"^\[Errno 28\] \[M650\] '{path}' cannot be written: the disk is full\. Make room"
    ):
        save(spacy.blank("de"), path)
    assert {file: file.read_bytes() for file in path.rglob("*") if file.is_file()} == before
    assert names(tmp_path) == ["model"]


def test_a_read_only_folder_is_named(tmp_path, monkeypatch):
    def denied(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", denied)
    with pytest.raises(OSError, match=r"^\[Errno 30\] \[M651\] '.*/model' cannot be written: Read-only file system\."):
        save(pipeline(), tmp_path / "model")


def test_a_training_replaces_the_models_of_an_earlier_one(tmp_path, train):
    train(pipeline(SAFE), tmp_path, [True, False])
    (tmp_path / "model-best" / "README.md").touch()
    train(pipeline(SAFE, "de"), tmp_path, [False, True])
    for name in ("model-best", "model-last"):
        assert spacy.load(tmp_path / name).lang == "de"
        assert "README.md" not in names(tmp_path / name)
    assert names(tmp_path) == ["model-best", "model-last"]


def test_the_models_of_an_earlier_training_stay_until_there_are_new_ones(tmp_path, train):
    train(pipeline(SAFE), tmp_path)
    nlp = pipeline(SAFE, "de")
    with (
        pytest.warns(UserWarning, match=rf"^\[M756\] .* '{tmp_path}/model-last' is still the pipeline of an earlier"),
        pytest.raises(RuntimeError, match="before the first evaluation"),
    ):
        train(nlp, tmp_path, [None, RuntimeError("before the first evaluation")])
    assert [spacy.load(tmp_path / name).lang for name in ("model-best", "model-last")] == ["es", "es"]
    with pytest.raises(KeyboardInterrupt):
        train(nlp, tmp_path, [False, None, KeyboardInterrupt()])
    assert [spacy.load(tmp_path / name).lang for name in ("model-best", "model-last")] == ["es", "de"]


def test_without_an_earlier_training_what_there_is_is_saved(tmp_path, train):
    with pytest.raises(KeyboardInterrupt):
        train(pipeline(SAFE), tmp_path, [KeyboardInterrupt()])
    assert names(tmp_path) == ["model-last"]


def test_what_is_no_pipeline_is_removed_as_spacy_does(tmp_path, train):
    (tmp_path / "model-best" / "ner").mkdir(parents=True)
    train(pipeline(SAFE), tmp_path, [False])
    assert names(tmp_path) == ["model-last"]


def test_a_training_without_the_callback_is_spacys_own(tmp_path, train):
    train(pipeline(SAFE), tmp_path)
    assert isinstance(loop.shutil, LoopShutil)
    with pytest.raises(RuntimeError):
        train(pipeline(), tmp_path, [RuntimeError()])
    assert names(tmp_path) == ["model-last"]
    train(pipeline(), tmp_path)
    assert names(tmp_path) == ["model-best", "model-last"]


def test_the_loops_shutil_is_otherwise_pythons(tmp_path):
    ours = LoopShutil()
    assert ours.copyfile is shutil.copyfile
    (tmp_path / "a").mkdir()
    ours.copytree(tmp_path / "a", tmp_path / "b")
    ours.rmtree(tmp_path / "a")
    assert names(tmp_path) == ["b"]


ANOTHER = """
import sys
from pathlib import Path
from spacy_mtl.files.folder_lock import lock_folder
held = lock_folder(Path(sys.argv[1]))
print(type(held).__name__, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def another(tmp_path):
    """Another process that is training to the folder ``output``."""
    command = [sys.executable, "-c", ANOTHER, str(tmp_path / "output")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "FolderLock\n"
        yield process
        process.kill()


def test_a_second_training_is_told_and_changes_nothing(tmp_path, train, another):
    save(pipeline(), tmp_path / "output" / "model-best")
    sentence = rf"^\[M655\] Another training \(process {another.pid} on .*\) saves to '.*/output'\. Wait for its end, stop it, or"
    with pytest.raises(ValueError, match=sentence):
        train(pipeline(SAFE), tmp_path / "output")
    assert names(tmp_path / "output") == [LOCK_FILE, "model-best"]


def test_a_training_that_was_killed_is_in_nobodys_way(tmp_path, train, another):
    another.kill()
    another.wait()
    assert (tmp_path / "output" / LOCK_FILE).exists()
    train(pipeline(SAFE), tmp_path / "output")
    assert names(tmp_path / "output") == ["model-best", "model-last"]


def test_the_command_is_told_before_it_reads_the_corpus(tmp_path, another):
    pipeline(SAFE).config.to_disk(tmp_path / "train.cfg")
    command = [
        sys.executable,
        "-m",
        "spacy",
        "train",
        str(tmp_path / "train.cfg"),
        "--output",
        str(tmp_path / "output"),
    ]
    run = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"COLUMNS": "1000", "PYTHONPATH": str(ROOT)}
    )
    assert run.returncode != 0
    assert f"ValueError: [M655] Another training (process {another.pid} on " in run.stderr + run.stdout
    assert "Initialized pipeline" not in run.stderr + run.stdout


def test_an_end_of_training_frees_the_folder(tmp_path, train):
    with pytest.raises(RuntimeError):
        train(pipeline(SAFE), tmp_path, [True, RuntimeError()])
    gc.collect()  # the error has held the training
    assert names(tmp_path) == ["model-best", "model-last"]
    run = subprocess.run(
        [sys.executable, "-c", ANOTHER, str(tmp_path)], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    assert run.stdout == "FolderLock\n"


def test_a_folder_that_cannot_be_written_is_named_at_the_start(tmp_path, train, monkeypatch):
    def denied(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "ftruncate", denied)
    with pytest.raises(
        PermissionError, match=rf"\[M651\] '{tmp_path}/output' cannot be written: Permission denied\. Choose"
    ):
        train(pipeline(SAFE), tmp_path / "output")


def test_one_process_has_one_lock(tmp_path):
    first, second = lock_folder(tmp_path), lock_folder(tmp_path / ".." / tmp_path.name)
    assert first is second
    del first
    assert names(tmp_path) == [LOCK_FILE]
    del second
    assert names(tmp_path) == []


def test_without_locks_trainings_go_on(tmp_path, train, monkeypatch):
    from spacy_mtl.files import locks

    monkeypatch.setattr(locks, "fcntl", None)
    train(pipeline(SAFE), tmp_path)
    assert {"model-best", "model-last"} <= set(names(tmp_path))


def test_outside_of_a_training_there_is_no_output():
    assert output_of_training() is None


@pytest.mark.parametrize("path", sorted((ROOT / "configs").glob("*.cfg")), ids=lambda path: path.stem)
def test_configs_save_safely(path):
    config = spacy.util.load_config(path)
    assert config["training"]["before_to_disk"] == SAFE
    assert registry.callbacks.get(SAFE["@callbacks"]) is create_safe_save
