import numpy as np
import pytest
from optuna.trial import TrialState
from spacy.training import Example

from spacy_mtl.choosing.journal import lead, n_ended, take_up
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.choosing.space import dimensions
from spacy_mtl.choosing.tuning import Trial, Tuning, ended, front
from spacy_mtl.registry import mtl_trainers
from spacy_mtl.stand_in import stand_in

from ..pipelines import make_nlp, read_corpus

PATTERNS = ["U0:%x[0,LOWER]", "U1:%x[-1,LOWER]", "U2:%x[0,SHAPE]", "B"]


def make_tuning(path, asked=("C=0.1:10", "p=1,1.5,2"), seed=0, texts=PATTERNS):
    nlp = make_nlp(texts, trainer={"p": 1.5})
    refit = Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"))
    config = refit.config()
    return Tuning([refit], config, dimensions(config, list(asked)), path, seed, (1, 2))


def studied(tuning):
    return tuning.study()


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


def test_each_combination_of_choices_is_tried_once(tmp_path):
    asked = ["trainer=MTLStruct,CRF", "scheme=biluo,iob2"]
    assert make_tuning(tmp_path / "few", asked).plan(3) == 3  # are chosen by Optuna
    assert not make_tuning(tmp_path / "few", asked).study().get_trials(states=(TrialState.WAITING,))[1:]
    tuning = make_tuning(tmp_path / "journal", asked)
    tuning.run(1)
    assert [tuning.plan(n) for n in (40, 5, 4)] == [4, 4, 4]
    study = tuning.study()
    study.tell(study.ask(), state=TrialState.FAIL)
    assert tuning.plan(4) == 4  # what failed is tried again
    tuning.run(3)
    tried = [trial.settings for trial in ended(tuning.study())]
    assert len({tuple(sorted(each.items())) for each in tried}) == 4
    assert tuning.plan(40) == 4


def test_the_journal_of_another_search_is_refused(tmp_path):
    make_tuning(tmp_path / "journal").run(1)
    with pytest.raises(ValueError, match=r"M781.*the --vary were others"):
        make_tuning(tmp_path / "journal", ["C=1:2"]).run(1)


def other_dev(tuning):
    tuning.refits[0].references = tuning.refits[0].references[1:]
    tuning.refits[0].inputs = tuning.refits[0].inputs[1:]


def other_labels(tuning):
    reference = tuning.refits[0].train[0].reference.copy()
    reference.set_ents([])
    tuning.refits[0].train = [Example(tuning.refits[0].train[0].predicted, reference), *tuning.refits[0].train[1:]]


@pytest.mark.parametrize(
    ("change", "other"),
    [
        (lambda tuning: tuning.config["trainer"].update(tol=0.5), "config"),
        (lambda tuning: tuning.config.update(trainer={"@mtl_trainers": "spacy_mtl.CRF.v1", "C": 1.5}), "config"),
        (lambda tuning: tuning.config["model"].update(megabytes=3), "config"),
        (lambda tuning: setattr(tuning.refits[0], "schedule", Schedule.passes(9)), "schedule of training"),
        (lambda tuning: setattr(tuning, "refits", tuning.refits * 2), "corpora or folds"),
        (other_dev, "corpora or folds"),
        (other_labels, "corpora or folds"),
    ],
)
def test_trials_of_other_data_or_settings_are_not_compared(tmp_path, change, other):
    tuning = make_tuning(tmp_path / "journal", ["C=1,2"])
    tuning.study()
    make_tuning(tmp_path / "journal", ["C=1,2"]).study()
    tuning = make_tuning(tmp_path / "journal", ["C=1,2"])
    change(tuning)
    with pytest.raises(ValueError, match=f"M781.*the {other} were others"):
        tuning.study()


@pytest.mark.parametrize(
    "text", ["no journal\n", '{"op_code": 99}\n', "[1]\n", '{"op_code": 4, "trial_id": 7}\n', "{}\n"]
)
def test_a_damaged_journal_is_refused(tmp_path, text):
    tuning = make_tuning(tmp_path / "journal")
    tuning.study()
    with (tmp_path / "journal").open("a") as file:
        file.write(text)
    with pytest.raises(ValueError, match="M792"):
        tuning.study()


def test_an_unfinished_line_is_cut_off_and_the_search_goes_on(tmp_path):
    tuning = make_tuning(tmp_path / "journal")
    tuning.run(2)
    whole = tuning.journal.read_bytes()
    tuning.journal.write_bytes(whole + b'{"op_code": 4, "tri' + b"x" * 9000)
    with lead(tuning.journal):
        assert tuning.journal.read_bytes() == whole
        tuning.run(1)
    assert n_ended(studied(tuning)) == 3
    tuning.journal.write_bytes(b"\xff\xfe")
    with lead(tuning.journal):
        pass
    assert not tuning.journal.exists()


def test_one_search_at_a_time(tmp_path):
    journal = tmp_path / "new" / "journal"
    with lead(journal):
        with pytest.raises(ValueError, match="M791"), lead(journal):
            pass
        journal.write_text("kept\n")
    with lead(journal):
        assert journal.read_text() == "kept\n"
    with pytest.raises(RuntimeError), lead(tmp_path / "nothing begun"):
        raise RuntimeError
    assert not (tmp_path / "nothing begun").exists()
    (tmp_path / "folder").mkdir()
    with pytest.raises(ValueError, match="M704"), lead(tmp_path / "folder"):
        pass


def test_a_trial_whose_notes_are_missing_has_no_score(tmp_path):
    tuning = make_tuning(tmp_path / "journal")
    tuning.run(1)
    study = studied(tuning)
    study.tell(study.ask(), 99.0)
    study.set_user_attr("final 0", "a text")
    assert [(trial.number, trial.final) for trial in ended(study)] == [(0, None)]


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("C=-1:1", "M302"),
        ("p=1,0.5", "M303"),
        ("megabytes=0,1", "M401"),
        ("C=[1],2", "M793"),
        ("min_count=0,1", "M122"),
    ],
)
def test_values_are_checked_before_any_trial(tmp_path, asked, code):
    with pytest.raises(ValueError, match=code):
        make_tuning(tmp_path / "journal", [asked]).check()
    make_tuning(tmp_path / "journal").check()


def test_settings_of_each_trainer_are_checked_before_any_trial(tmp_path):
    for asked, code in ((["penalty=l2,nonsense"], "M315"), (["average=1,4"], "M793")):
        with pytest.raises(ValueError, match=code):
            make_tuning(tmp_path / "journal", ["trainer=MTLStruct,CRF", *asked]).check()
    make_tuning(tmp_path / "journal", ["trainer=MTLStruct,CRF", "penalty=l2,irw", "p=1,2"]).check()


def test_a_setting_of_one_template_set_is_left_out_of_trials_of_another(tmp_path):
    tuning = make_tuning(tmp_path / "journal", ["noisy=false,true", "templates=ner,tp1"], texts=None)
    tuning.check()
    tuning.run(tuning.plan(10))
    found = [(t.settings["model.templates"], t.settings.get("model.templates.noisy")) for t in ended(studied(tuning))]
    assert len(found) == 3
    assert set(found) == {("spacy_mtl.ner.v1", False), ("spacy_mtl.ner.v1", True), ("spacy_mtl.tp1.v1", None)}


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
    (again,) = [each for each in studied(tuning).trials if each.state.name == "WAITING"]
    (lost,) = [each for each in studied(tuning).trials if each.state.name == "FAIL"]
    assert again.system_attrs["fixed_params"] == lost.params
    monkeypatch.undo()
    tuning.run(1)
    assert studied(tuning).trials[again.number].params == lost.params


def test_an_interrupt_of_the_first_trial_keeps_the_settings_of_the_config(tmp_path, monkeypatch):
    tuning = make_tuning(tmp_path / "journal")
    monkeypatch.setattr(Tuning, "_score", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        tuning.run(1)
    monkeypatch.undo()
    tuning.run(1)
    (only,) = ended(studied(tuning))
    assert only.settings == {"trainer.C": 1.0, "trainer.p": 1.5}


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
