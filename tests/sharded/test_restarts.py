"""What is asked again, read again or begun again: documents count once, and nothing of another corpus or training is taken over."""

import gc
import os
import weakref

import numpy as np
import pytest
import spacy
from thinc.api import Config

from spacy_mtl.choosing.corpora import read_part
from spacy_mtl.components.sharded.pipe import ShardedPipe
from spacy_mtl.learning.streamed import Stream
from spacy_mtl.sharded.about import about, begin
from spacy_mtl.sharded.pipeline import make

from .crews import ROOT, Watched, crew_of, run, session_of, text_of
from .test_session import SMALL, Interrupted, text

ENTITIES = ROOT / "assets" / "es-entities" / "train.conll"


def copied(path, change=lambda text: text):
    path.write_text(change(ENTITIES.read_text(encoding="utf8")), encoding="utf8")
    return path


@pytest.mark.parametrize("component", SMALL)
def test_a_shard_that_is_read_again_trains_as_one_in_memory(component, tmp_path, monkeypatch):
    config = text(component)
    whole = run(config, tmp_path / "whole", 2)[-1].report
    monkeypatch.setattr("spacy_mtl.sharded.worker.MOST_WORDS", 20)
    crew, watched = crew_of(config, 2), Watched()
    assert all(isinstance(worker._examples, Stream) for worker in crew.workers)
    session_of(config, tmp_path / "streamed", watched).run(crew)
    assert watched.rows[-1].report == whole


def test_the_shares_of_workers_make_up_the_file(monkeypatch):
    config = text("ner")
    monkeypatch.setattr("spacy_mtl.sharded.worker.MOST_WORDS", 20)
    shares = [list(worker._examples) for worker in crew_of(config, 3).workers]
    every = [example.text for example in read_part(make(config, None), "train", None, "the config")]
    assert [len(share) for share in shares] == [40, 40, 40]
    assert [example.text for k in range(40) for example in (share[k] for share in shares)] == every


@pytest.mark.parametrize(
    "change", [lambda text: text.replace("B-LOC", "B-NEW", 1), lambda text: text * 2], ids=["label", "size"]
)
def test_a_corpus_that_changes_while_it_is_read_is_refused(change, tmp_path, monkeypatch):
    path = copied(tmp_path / "train.conll")
    monkeypatch.setattr("spacy_mtl.sharded.worker.MOST_WORDS", 20)
    (worker,) = crew_of(text_of("ner", paths__train=str(path)), 1).workers
    survey = worker.begin("ner")
    copied(path, change)
    with pytest.raises(ValueError, match=r"M949.*'ner': the training corpus is not what it was"):
        worker.settle([survey])


def test_a_worker_that_is_asked_again_has_its_documents_once():
    (worker,) = crew_of(text("ner"), 1).workers
    survey = worker.begin("ner")
    for _ in range(2):
        worker.settle([survey])
        assert len(worker._pieces) == 120


@pytest.mark.parametrize("method", ["begin", "settle", "count", "bind", "agree"])
def test_a_death_does_not_change_what_is_learnt_from(method, tmp_path, monkeypatch):
    """The other worker is asked again, and still has each sentence once."""
    config = text("ner")
    crew, ask, deaths = crew_of(config, 2), None, []
    ask = crew._one

    def deadly(k, asked, given):
        if asked == method and k == 1 and not deaths:
            deaths.append(method)
            crew.kill(1)
        return ask(k, asked, given)

    monkeypatch.setattr(crew, "_one", deadly)
    session_of(config, tmp_path).run(crew)
    assert deaths
    assert [worker._trainings[0].problem.n for worker in crew.workers] == [60, 60]
    calm = crew_of(config, 2)
    session_of(config, tmp_path / "calm").run(calm)
    for one, other in zip(crew.workers, calm.workers, strict=True):
        assert np.array_equal(one._trainings[0].problem.arrays.gold, other._trainings[0].problem.arrays.gold)


@pytest.mark.parametrize("component", ["ner", "morphologizer"])
def test_no_document_is_kept_once_features_are_read(component, tmp_path, monkeypatch):
    pieces, gathered = [], ShardedPipe.gathered

    def watched(pipe, examples):
        found = gathered(pipe, examples)
        pieces.extend(map(weakref.ref, found))
        return found

    monkeypatch.setattr(ShardedPipe, "gathered", watched)
    crew = crew_of(text(component), 2)
    session_of(text(component), tmp_path).run(crew)
    gc.collect()
    assert len(pieces) == SMALL[component]["corpora__train__limit"]
    assert not any(piece() is not None for piece in pieces)
    assert len(crew) == 2  # it is still there


# --- what is kept in the folder ---


@pytest.mark.parametrize("part", ["train", "dev"])
def test_what_is_kept_of_another_corpus_is_refused(part, tmp_path):
    path = copied(tmp_path / f"{part}.conll")
    config = text("ner", **{f"paths__{part}": str(path)})
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path / "out", Interrupted(2)).run(crew_of(config, 2))
    copied(path, lambda text: text.replace("B-PER", "B-XYZ").replace("I-PER", "I-XYZ"))
    with pytest.raises(ValueError, match=r"M914.*another corpus.*, delete this folder to begin anew, or"):
        session_of(config, tmp_path / "out")


def test_a_corpus_that_was_only_touched_is_the_same(tmp_path):
    path, watched = copied(tmp_path / "train.conll"), Watched()
    config = text("ner", paths__train=str(path), training__batcher__passes=[4])
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path / "out", Interrupted(2)).run(crew_of(config, 2))
    os.utime(path, (0, 0))
    session_of(config, tmp_path / "out", watched).run(crew_of(config, 2))
    assert watched.rounds == [3, 4]
    assert ("ner", "round 2") in watched.phases


@pytest.mark.parametrize("workers", [1, 3])
def test_what_is_kept_of_another_number_of_workers_is_refused(workers, tmp_path):
    config = text("ner")
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path, Interrupted(2)).run(crew_of(config, 2))
    kept = {path: path.read_bytes() for path in (tmp_path / "checkpoint").iterdir()}
    with pytest.raises(ValueError, match=r"M914.*begun with 2 workers\. Give the same again"):
        session_of(config, tmp_path).run(crew_of(config, workers))
    assert kept == {path: path.read_bytes() for path in (tmp_path / "checkpoint").iterdir()}


@pytest.mark.parametrize("changed", ["clusters.tsv", "model/ner/model"])
def test_what_is_kept_of_other_tables_or_another_prior_is_refused(changed, tmp_path):
    (tmp_path / "model/ner").mkdir(parents=True)
    for name in ("clusters.tsv", "model/ner/model"):
        (tmp_path / name).write_text("0\tAna\t1\n")
    tables = {"CLUSTER": {"@mtl_tables": "spacy_mtl.brown.v1", "path": str(tmp_path / "clusters.tsv")}}
    block = {"components": {"ner": {"tables": tables, "prior": str(tmp_path / "model")}}}
    begin(tmp_path / "checkpoint", about("", [], block))
    (tmp_path / "checkpoint" / "ner-best.npz").touch()
    os.utime(tmp_path / changed, (0, 0))
    begin(tmp_path / "checkpoint", about("", [], block))
    (tmp_path / changed).write_text("1\tAna\t1\n")
    with pytest.raises(ValueError, match=r"M914.*begun with other tables, vectors or another prior\. Give"):
        begin(tmp_path / "checkpoint", about("", [], block))


def test_settings_too_long_for_a_path_are_none(tmp_path):
    begin(tmp_path, about("", [], {"components": {"ner": {"labels": "PER" * 100, "prior": "a/" * 3000}}}))
    assert (tmp_path / "about.txt").is_file()


def test_a_start_that_fails_leaves_the_folder_to_others(tmp_path):
    with pytest.raises(ValueError, match="M501"):
        session_of(text("ner", paths__dev="nowhere.conll"), tmp_path)
    assert len(session_of(text("ner"), tmp_path).names) == 1


def test_what_nobody_knows_of_is_removed(tmp_path):
    """The end of a training removes its checkpoints, but may be killed meanwhile."""
    config = text("ner")
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path, Interrupted(2)).run(crew_of(config, 2))
    os.remove(tmp_path / "checkpoint" / "about.txt")
    watched = Watched()
    session_of(config, tmp_path, watched).run(crew_of(config, 2))
    assert watched.rounds[0] == 1


def test_the_last_model_is_the_last_and_the_best_the_best(tmp_path):
    passes = {"training__max_epochs": 3, "training__batcher__passes": [2, 20, 20], "training__patience": 0}
    config = text("ner", components__ner__trainer__C=3.0, **passes)
    rows = run(config, tmp_path, 2)
    assert rows[0].score != rows[-1].score
    for name, score in (("best", max(row.score for row in rows)), ("last", rows[-1].score)):
        nlp = spacy.load(tmp_path / f"model-{name}")
        found = nlp.evaluate(read_part(nlp, "dev", None, "the config"))["ents_f"]
        assert found == pytest.approx(score)
        assert nlp.meta["performance"]["ents_f"] == pytest.approx(score)


# --- several components ---


def both(given):
    config = Config().from_str(text("parser"), interpolate=False)
    config["nlp"]["pipeline"] = ["tagger", "parser"]
    config["components"]["tagger"] = {"factory": "mtl_tagger"}
    config["corpora"]["train"]["given"] = given
    config["corpora"]["dev"]["given"] = ["POS"]
    config["components"]["parser"]["model"]["templates"] = {"@mtl_templates": "spacy_mtl.mst.v1"}
    return config.to_str()


def test_a_component_that_reads_what_another_is_to_learn_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"M950.*'parser' reads .*TAG, which 'tagger' is to learn"):
        session_of(both([]), tmp_path)
    assert [row.component for row in run(both(["TAG", "POS"]), tmp_path, 2)] == ["tagger", "parser"]


def test_a_frozen_component_that_does_not_work_is_refused(tmp_path):
    config = Config().from_str(text("ner", training__frozen_components=["tok2vec"]), interpolate=False)
    config["nlp"]["pipeline"] = ["tok2vec", "ner"]
    config["components"]["tok2vec"] = {"factory": "tok2vec"}
    with pytest.raises(ValueError, match=r"M951.*'tok2vec' is not to be trained, but fails on a document"):
        session_of(config.to_str(), tmp_path)


def test_files_of_others_stay(tmp_path):
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    for name in ("mine.txt", "mine.npz"):
        (folder / name).write_text("precious")
    run(text("ner"), tmp_path, 2)
    assert sorted(path.name for path in folder.iterdir()) == ["mine.npz", "mine.txt"]


def test_what_a_reader_of_another_package_raises_is_told_with_the_file(tmp_path):
    @spacy.registry.readers("tests.broken_reader.v1")
    def reader(path):
        def read(nlp):
            raise KeyError("boom")
            yield

        return read

    config = Config().from_str(text("ner"), interpolate=False)
    config["corpora"]["train"] = {"@readers": "tests.broken_reader.v1", "path": str(ENTITIES)}
    config["corpora"]["dev"] = Config().from_str(text("ner"))["corpora"]["dev"]
    with pytest.raises(ValueError, match=r"M773.*train\.conll' cannot be read as the config says: 'boom'"):
        run(config.to_str(), tmp_path, 1)
