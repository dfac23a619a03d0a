import numpy as np
import pytest

from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.space import dimensions
from spacy_mtl.choosing.tuning import Trial, Tuning, ended, front, n_ended, open_study, take_up
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.stand_in import stand_in

from ..pipelines import make_nlp, read_corpus

PATTERNS = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "U2:%x[0,SHAPE]", "B"]


def make_tuning(path, asked=("C=0.1:10", "p=1,1.5,2"), seed=0):
    nlp = make_nlp(PATTERNS, trainer={"p": 1.5})
    refit = Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"))
    config = refit.config()
    return Tuning([refit], config, dimensions(config, list(asked)), path, seed, (1, 2))


def studied(tuning):
    return open_study(tuning.journal, tuning.config, tuning.space)


def test_trials_are_kept_and_the_present_settings_come_first(tmp_path):
    tuning = make_tuning(tmp_path / "journal")
    told = []
    tuning.run(4, lambda: told.append(1))
    study = studied(tuning)
    assert len(told) == n_ended(study) == 4
    found = ended(study)
    (first,) = [trial for trial in found if trial.number == 0]
    assert first.settings == {"trainer.C": 1.0, "trainer.p": 1.5}
    assert [trial.score for trial in found] == sorted((trial.score for trial in found), reverse=True)
    assert all(trial.megabytes > 0 and trial.speed > 0 for trial in found)


def test_a_search_goes_on_with_other_values(tmp_path):
    make_tuning(tmp_path / "journal").run(2)
    tuning = make_tuning(tmp_path / "journal")
    tuning.run(2)
    study = studied(tuning)
    assert n_ended(study) == 4
    assert len({tuple(trial.params.items()) for trial in study.trials}) == 4


def test_the_journal_of_another_search_is_refused(tmp_path):
    make_tuning(tmp_path / "journal").run(1)
    with pytest.raises(ValueError, match="M781"):
        make_tuning(tmp_path / "journal", ["C=1:2"]).run(1)
    (tmp_path / "text").write_text("no journal\n")
    with pytest.raises(ValueError, match="M781"):
        studied(make_tuning(tmp_path / "text"))


def test_a_trial_that_was_cut_off_comes_again(tmp_path):
    tuning = make_tuning(tmp_path / "journal")
    study = studied(tuning)
    study.ask()
    cut_off = study.ask()
    parameters = {each.name: each.suggest(cut_off) for each in tuning.space}
    take_up(study)
    again = [
        trial.system_attrs.get("fixed_params") for trial in studied(tuning).trials if trial.state.name == "WAITING"
    ]
    assert [each["C"] for each in again] == pytest.approx([1.0, parameters["C"]], rel=1e-3)
    tuning.run(1)
    assert n_ended(studied(tuning)) == 1


def test_an_interrupt_keeps_what_has_ended(tmp_path, monkeypatch, capfd):
    tuning = make_tuning(tmp_path / "journal")
    whole, calls = Tuning._score, []

    def interrupted(self, pipes):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return whole(self, pipes)

    monkeypatch.setattr(Tuning, "_score", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuning.run(5)
    assert n_ended(studied(tuning)) == 1
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("name", ["CRF", "MTLStruct"])
def test_another_trainer_begins_as_in_a_component_of_its_own(tmp_path, name):
    """Features made for one training are those of the next; the weights of a trainer that starts from nothing are the same."""
    tuning = make_tuning(tmp_path / "journal")
    (refit,) = tuning.refits
    settings = {"p": 2.0, "C": 0.7, "tol": 1e-4} if name == "MTLStruct" else {}
    trainer = mtl_trainers.get(f"spacy_mtl.{name}.v1")(**settings)
    block = {"@mtl_trainers": f"spacy_mtl.{name}.v1", **settings}
    pipe, alone = refit.make(tuning.config), refit.make({**tuning.config, "trainer": block})
    pipe.update([stand_in(refit.train, 2)])
    pipe.begin_again(trainer, None)
    for each in (pipe, alone):
        each.update([stand_in(refit.train, 200 if name == "MTLStruct" else 3)])
    docs = [example.predicted for example in refit.train]
    for a, b in zip(pipe.predict(docs), alone.predict(docs), strict=True):
        assert np.array_equal(a, b)


def test_a_component_that_has_learnt_nothing_cannot_begin_again(tmp_path):
    (refit,) = make_tuning(tmp_path / "journal").refits
    pipe = refit.make(refit.config())
    with pytest.raises(ValueError, match="M404"):
        pipe.begin_again(pipe.trainer, None)


def test_features_are_made_once(tmp_path, monkeypatch):
    tuning = make_tuning(tmp_path / "journal", ["C=0.1:10", "min_count=1,2"])
    made = []
    whole = Refit.make
    monkeypatch.setattr(Refit, "make", lambda self, config: (made.append(1), whole(self, config))[1])
    tuning.run(6)
    assert len(made) == 2


def test_the_front_is_what_no_other_beats():
    values = [
        (80.0, 3.0, 100.0),
        (80.0, 2.0, 100.0),
        (70.0, 1.0, 90.0),
        (70.0, 1.0, 80.0),
        (60.0, 5.0, 200.0),
        (60.0, 5.0, 200.0),
    ]
    trials = [Trial(k, {}, *each, 1.0) for k, each in enumerate(values)]
    assert [trial.number for trial in front(trials)] == [1, 2, 4, 5]
