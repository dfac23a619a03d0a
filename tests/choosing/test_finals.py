import numpy as np
import pytest

from spacy_mtl.choosing.finals import FINALISTS, Final, chosen, finalists, standard_error, train_finally
from spacy_mtl.choosing.journal import n_ended
from spacy_mtl.choosing.refit import Refit
from spacy_mtl.choosing.schedule import Schedule
from spacy_mtl.choosing.tuning import ended

from ..pipelines import make_nlp, read_corpus
from .test_tuning import PATTERNS, make_tuning, studied


def final(number, score, *differences):
    return Final(number, score, score + np.array(differences or (0.0, 0.0)))


def test_the_standard_error_is_that_of_a_mean():
    """The jackknife of a mean of n numbers is their standard deviation divided by sqrt(n)."""
    values = np.random.default_rng(3).normal(size=12)
    n, total = values.size, values.sum()
    made = Final(0, values.mean(), (total - values) / (n - 1))
    nothing = Final(1, 0.0, np.zeros(n))
    assert standard_error(made, nothing) == pytest.approx(values.std(ddof=1) / np.sqrt(n))
    assert standard_error(made, made) == 0


def test_what_the_config_says_stays_unless_another_is_clearly_better():
    own, other = final(0, 80.0, 0.1, -0.1), final(7, 80.5, -0.1, 0.1)
    assert standard_error(own, other) == pytest.approx(0.2)
    assert chosen([own, other], 0) == other  # by 2.5 standard errors
    near = final(8, 80.15, -0.1, 0.1)
    assert chosen([own, near], 0) is own
    assert chosen([own, near], None) is near
    assert chosen([final(4, 80.0), final(2, 80.0)], None).number == 2


def test_finalists_are_the_best_and_the_first():
    scores = {k: float(k) for k in range(9)}
    settings = {k: {"C": k} for k in scores} | {7: {"C": 8}}
    assert finalists(scores, settings, 0) == [0, 8, 6, 5, 4]
    assert finalists(scores, settings, None) == [8, 6, 5, 4, 3]
    assert len(finalists(scores, settings, 0)) == FINALISTS


def test_a_final_training_is_one_by_the_config():
    nlp = make_nlp(PATTERNS, trainer={"p": 1.5})
    refit = Refit(nlp, "mtl_ner", read_corpus(nlp), read_corpus(nlp, "dev"), Schedule((2, 3), 0))
    settings = {("trainer", "C"): 0.3}
    found = train_finally([refit], refit.config(), settings, 4)
    config = refit.config()
    config["trainer"]["C"] = 0.3
    pipe = refit.make(config)
    assert found.score == refit.fit_pipe(pipe).score
    assert found.number == 4
    # without the last tenth: the score on the others alone
    n = len(refit.references)
    refit.inputs, refit.references = refit.inputs[: 9 * n // 10], refit.references[: 9 * n // 10]
    assert found.without[-1] == pytest.approx(refit.score(pipe))
    two = train_finally([refit, refit], refit.config(), settings, 4)
    one = train_finally([refit], refit.config(), settings, 4)
    assert two.score == pytest.approx(one.score)
    assert two.without[:10] - two.score == pytest.approx((one.without - one.score) / 2)


def test_a_search_ends_with_trainings_that_the_journal_keeps(tmp_path, monkeypatch):
    tuning = make_tuning(tmp_path / "journal")
    tuning.run(3)
    told = []
    best, stays = tuning.finish(lambda: told.append(1))
    trials = {trial.number: trial for trial in ended(studied(tuning))}
    assert len(told) == min(3, len(trials))
    assert best.final == trials[best.number].final
    assert stays == (best.number == 0)
    assert all(trial.final is not None for trial in trials.values())
    monkeypatch.setattr("spacy_mtl.choosing.tuning.train_finally", None)  # which is not needed any more
    again, _ = make_tuning(tmp_path / "journal").finish()
    assert again == best
    assert n_ended(studied(tuning)) == 3


def test_the_score_of_a_trial_is_that_of_its_end(tmp_path, monkeypatch):
    tuning = make_tuning(tmp_path / "journal")
    scores = iter([70.0, 60.0])
    monkeypatch.setattr(type(tuning), "_score", lambda self, pipes: next(scores))
    tuning.run(1)
    (trial,) = ended(studied(tuning))
    assert trial.score == 60.0


def test_an_interrupt_of_the_end_keeps_what_has_been_trained(tmp_path, monkeypatch):
    tuning = make_tuning(tmp_path / "journal")
    tuning.run(3)

    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tuning.finish(interrupted)
    assert [trial.final is not None for trial in ended(studied(tuning))].count(True) == 1
