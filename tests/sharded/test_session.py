"""Whole trainings in shards: what they find, what they keep, and what they refuse."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from thinc.api import Config

from spacy_mtl.choosing.corpora import read_part
from spacy_mtl.sharded.pipeline import make
from spacy_mtl.sharded.spec import files_of
from spacy_mtl.stand_in import stand_in
from spacy_mtl.trainers.shared.frank_wolfe import ascent_pass

from .crews import ROOT, Watched, crew_of, run, session_of, text_of

#: Small corpora, and short trainings.
SMALL = {
    "ner": {
        "corpora__train__limit": 120,
        "corpora__dev__limit": 40,
        "components__ner__model__templates": {"@mtl_templates": "spacy_mtl.tp1.v1"},
    },
    "tagger": {"corpora__train__limit": 80, "corpora__dev__limit": 30, "components__tagger__known_words": 3},
    "parser": {"corpora__train__limit": 60, "corpora__dev__limit": 30},
    "segmenter": {"corpora__train__limit": 80, "corpora__dev__limit": 30},
    "morphologizer": {"corpora__train__limit": 60, "corpora__dev__limit": 30},
    "senter": {},
}
SHORT = {"training__max_epochs": 1, "training__batcher__passes": [4]}


def text(component, **changes):
    return text_of(component, **SMALL[component], **{**SHORT, **changes})


def alone(config, passes):
    """The component of a config, trained by one process."""
    nlp = make(config, None)
    examples = read_part(nlp, "train", None, "the config")
    nlp.initialize(lambda: examples)
    nlp.update([stand_in(examples, passes)])
    return nlp


@pytest.mark.parametrize("component", SMALL)
def test_the_problem_is_that_of_one_machine(component, tmp_path):
    """Labels, tables and features are the same; so are primal and dual of a long training, as far as their gaps tell."""
    config = text(component)
    nlp = alone(config, 4)
    pipe = nlp.get_pipe(component)
    watched, crew = Watched(), crew_of(config, 2)
    session_of(config, tmp_path, watched).run(crew)
    found = spacy.load(tmp_path / "model-best").get_pipe(component)
    assert found.labels == pipe.labels
    for key in ("known", "lexicon", "rules", "groups"):
        one, other = found.cfg.get(key), pipe.cfg.get(key)
        if key == "lexicon" and one is not None:
            one, other = set(one.split()), set(other.split())
        assert one == other, key
    assert found.model.attrs["learned"] == pipe.model.attrs["learned"]
    report = watched.rows[-1].report
    assert report.n_templates == pipe.report.n_templates
    assert report.dual <= pipe.report.primal * (1 + 1e-9)
    assert pipe.report.dual <= report.primal * (1 + 1e-9)
    if component not in ("parser", "segmenter"):  # whose filters and folds depend on how the corpus is divided
        for training, other in zip(pipe._learner.trainings, crew.workers[0]._bound.trainings, strict=True):
            blocks, found = training.problem.blocks, other.problem.blocks
            assert all(np.array_equal(getattr(blocks, kind), getattr(found, kind)) for kind in ("node", "pair"))


def test_it_reaches_the_optimum(tmp_path):
    changes = {"components__ner__trainer__C": 0.03, "components__ner__trainer__tol": 0.005}
    config = text("ner", training__batcher__passes=[400], **changes)
    nlp = alone(config, 400)
    report, one = run(config, tmp_path, 3)[-1].report, nlp.get_pipe("ner").report
    assert report.gap < 0.02
    assert report.primal == pytest.approx(one.primal, rel=0.02)


def test_a_round_makes_the_passes_that_were_asked_for(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr("spacy_mtl.distributed.shard.ascent_pass", lambda *given: made.append(ascent_pass(*given)))
    rows = run(text("ner", training__batcher__passes=[4]), tmp_path, workers=2, passes=3)
    assert rows[0].rounds == 4
    assert len(made) == 2 * 4 * 3


def test_what_is_saved_predicts_what_was_scored(tmp_path):
    rows = run(text("ner"), tmp_path, 2)
    nlp = spacy.load(tmp_path / "model-best")
    scores = nlp.evaluate(read_part(make(text("ner"), None), "dev", None, "the config"))
    assert scores["ents_f"] == pytest.approx(max(row.score for row in rows))
    assert nlp.meta["performance"]["ents_f"] == pytest.approx(scores["ents_f"])
    assert not (tmp_path / "checkpoint").exists()


def test_two_components_are_trained_one_after_the_other(tmp_path):
    config = Config().from_str(text("ner"), interpolate=False)
    config["nlp"]["pipeline"] = ["ner", "ner2"]
    config["components"]["ner2"] = {**config["components"]["ner"], "scheme": "iob2"}
    rows = run(config.to_str(), tmp_path, 2)
    assert [row.component for row in rows] == ["ner", "ner2"]
    nlp = spacy.load(tmp_path / "model-best")
    assert all(nlp.get_pipe(name).is_trained for name in ("ner", "ner2"))


@pytest.mark.parametrize("seed", range(4))
def test_workers_may_die_at_any_moment(seed, tmp_path, monkeypatch):
    """While shards are read, counted and indexed, too: features, labels and certificates are as they would have been."""
    config = text("parser" if seed % 2 else "ner", training__batcher__passes=[12])
    calm = run(config, tmp_path / "calm", 2)[-1].report
    crew, random = crew_of(config, 2), np.random.default_rng(seed)
    ask, deaths = crew._one, []

    def deadly(k, method, given):
        if len(deaths) < 5 and random.random() < 0.2:
            deaths.append(method)
            crew.kill(int(random.integers(2)))
        return ask(k, method, given)

    monkeypatch.setattr(crew, "_one", deadly)
    watched = Watched()
    session_of(config, tmp_path / "torn", watched).run(crew)
    report = watched.rows[-1].report
    assert len(deaths) >= 3
    assert sum(crew.generations) > 0
    assert report.n_templates == calm.n_templates
    assert report.dual <= calm.primal * (1 + 1e-9)
    assert calm.dual <= report.primal * (1 + 1e-9)
    assert all(worker._trainings[0].problem.n == 30 * (2 - seed % 2) for worker in crew.workers if worker is not None)


class Interrupted(Watched):
    """Ends the training after a round, as Ctrl-C does."""

    def __init__(self, after):
        super().__init__(self._end)
        self.after = after

    def _end(self, done):
        if done == self.after:
            raise KeyboardInterrupt


def test_an_interrupted_training_goes_on(tmp_path):
    config = text("ner", training__batcher__passes=[10])
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path, Interrupted(7)).run(crew_of(config, 2))
    assert (tmp_path / "checkpoint").is_dir()
    watched = Watched()
    session_of(config, tmp_path, watched).run(crew_of(config, 2))
    assert watched.rounds == [8, 9, 10]
    calm = run(config, tmp_path / "calm", 2)[-1].report
    assert watched.rows[-1].report.dual == pytest.approx(calm.dual, rel=0.1)
    assert not (tmp_path / "checkpoint").exists()


def test_the_best_component_survives_an_interrupt(tmp_path):
    config = text("ner", training__max_epochs=2, training__batcher__passes=[8, 1], training__patience=0)
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path, Interrupted(9)).run(crew_of(config, 2))
    watched = Watched()
    session_of(config, tmp_path, watched).run(crew_of(config, 2))
    assert watched.rounds[-1] >= 9
    assert (tmp_path / "model-best").is_dir()


def _damage(path, how):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if how == "half" else b"no archive")


@pytest.mark.parametrize("how", ["half", "other", "out of range", "of others"])
def test_damaged_checkpoints_begin_at_gold(how, tmp_path):
    config = text("ner", training__batcher__passes=[10])
    with pytest.raises(KeyboardInterrupt):
        session_of(config, tmp_path, Interrupted(7)).run(crew_of(config, 2))
    for path in (tmp_path / "checkpoint").glob("*worker*.npz"):
        if how in ("half", "other"):
            _damage(path, how)
            continue
        with np.load(path) as stored:
            arrays = dict(stored)
        if how == "out of range":
            arrays["outputs"][0, 0] = 1 << 20
        else:
            arrays["digest"] = arrays["digest"][::-1]
        np.savez(path, **arrays)
    watched = Watched()
    session_of(config, tmp_path, watched).run(crew_of(config, 2))
    assert watched.rounds == list(range(1, 11))
    assert np.isfinite(watched.rows[-1].report.gap)


def test_another_config_does_not_go_on(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        session_of(text("ner"), tmp_path, Interrupted(2)).run(crew_of(text("ner"), 2))
    with pytest.raises(ValueError, match=r"M914.*begun with another config\."):
        session_of(text("ner", components__ner__trainer__C=0.7), tmp_path)


# --- shards ---


def test_whole_files_go_to_workers_where_there_are_enough(tmp_path):
    blocks = (ROOT / "assets/es-entities/train.conll").read_text().strip().split("\n\n")
    (tmp_path / "shards").mkdir()
    for k in range(3):
        (tmp_path / f"shards/part{k}.conll").write_text("\n\n".join(blocks[k * 30 : (k + 1) * 30]) + "\n")
    config = text("ner", paths__train=str(tmp_path / "shards/*.conll"))
    crew = crew_of(config, 2)
    assert [worker.spec.source.files.rpartition("/")[2] for worker in crew.workers] == [
        "part0.conll and 1 more",
        "part1.conll",
    ]
    assert [len(worker._examples) for worker in crew.workers] == [60, 30]
    assert len(run(config, tmp_path / "out", 2)) == 1
    assert len(run(text("ner", paths__train=str(tmp_path / "shards")), tmp_path / "of a folder", 2)) == 1
    two = f"{tmp_path}/shards/part2.conll, {tmp_path}/shards/part[01].conll"
    crew = crew_of(text("ner", paths__train=two), 3)
    assert [Path(worker.spec.source.files).name for worker in crew.workers] == [f"part{k}.conll" for k in (2, 0, 1)]


def test_paths_are_files_as_readers_take_them(tmp_path, monkeypatch):
    """However many they are, and whatever else is there; what is not there is for the reader to tell."""
    monkeypatch.chdir(tmp_path)
    names = [f"train-of-many-files-{k:03}.conll" for k in range(200)]
    for name in (*names, "a"):
        Path(name).touch()
    assert files_of({"path": ", ".join(names)}) == names
    assert files_of({"path": names}) == names
    assert files_of({"path": [names[3], names[3]]}) == [names[3]] * 2
    assert files_of({"path": "nowhere.conll"}) == []


def test_documents_of_one_file_are_shared_out():
    crew = crew_of(text("ner"), 3)
    texts = [[example.text for example in worker._examples] for worker in crew.workers]
    assert [len(part) for part in texts] == [40, 40, 40]
    assert len(set().union(*texts)) > 100


@pytest.mark.parametrize(
    ("component", "changes", "message"),
    [
        ("ner", {"paths__train": "nowhere/*.conll"}, "M940.*nowhere"),
        ("ner", {"paths__train": "assets/es-entities/train.conll,elsewhere.conll"}, "M940.*'elsewhere.conll'"),
        ("ner", {"components__ner__trainer": {"@mtl_trainers": "spacy_mtl.CRF.v1"}}, "M945.*'ner' has the trainer"),
        ("lemmatizer", {}, "M942.*'lemmatizer' counts the lemmas of words"),
        ("constituents", {}, "M942.*'constituents' counts the rules of its grammar"),
        ("ner", {"training__frozen_components": ["ner"]}, "M947"),
        ("ner", {"training__annotating_components": ["ner"]}, "M946"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_anything_is_read(component, changes, message, tmp_path):
    config = text_of(component, **changes)
    with pytest.raises(ValueError, match=message):
        run(config, tmp_path)


def test_a_component_of_another_package_is_refused(tmp_path):
    config = text("ner").replace('pipeline = ["ner"]', 'pipeline = ["tagger", "ner"]')
    config = config.replace("[components.ner]", '[components.tagger]\nfactory = "tagger"\n\n[components.ner]', 1)
    with pytest.raises(ValueError, match=r"M943.*'tagger'"):
        session_of(config, tmp_path)


def test_a_worker_without_documents_is_named(tmp_path):
    config = text_of("ner", **{**SMALL["ner"], "corpora__train__limit": 2})
    with pytest.raises(ValueError, match=r"M944.*Worker 3 of 3: .*M941"):
        run(config, tmp_path, 3)
