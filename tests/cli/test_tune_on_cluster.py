"""``spacy mtl tune --ray``: trials on a cluster, in the journal that any search has."""

import json
from contextlib import contextmanager
from dataclasses import fields

import pytest
from spacy.cli import app
from typer.testing import CliRunner

from spacy_mtl.choosing.tuning import Trial
from spacy_mtl.cli.cluster import tune
from spacy_mtl.cli.cluster.tune import FRUITLESS, make_trial
from spacy_mtl.cluster.executor import HereExecutor, WorkerDiedError

from .test_tune import config  # noqa: F401  (a fixture)


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "tune", *map(str, args)])


@pytest.fixture
def here(monkeypatch):
    """Trials in this process, by a function; the names of the jobs that it was given."""

    def use(function):
        @contextmanager
        def workers(address, limit):
            assert (address, limit) == ("local", None)
            yield HereExecutor(function)

        monkeypatch.setattr("spacy_mtl.cli.choosing.tune.trial_workers", workers)

    tune._tuning.cache_clear()
    return use


def test_trials_whose_workers_die_come_again_with_the_same_settings(config, tmp_path, here):  # noqa: F811
    jobs, lost = [], []

    def function(job):
        jobs.append(job.number)
        if len(jobs) not in (2, 3):
            return make_trial(job)
        tuning = job.search.tuning()
        tuning.seed = len(jobs)
        trial = tuning.study().ask()
        lost.append(*[each.suggest(trial) for each in tuning.space])
        raise WorkerDiedError("signal 9")  # with the trial in the journal, which nobody ends

    here(function)
    best, trials = tmp_path / "best.cfg", tmp_path / "trials.json"
    result = invoke(config, best, "--trials", 4, "--ray", "local", "--json", trials, "--vary", "C=0.3:3")
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert len(jobs) == 6
    assert jobs == list(range(6))
    found = json.loads(trials.read_text())
    assert {trial["number"] for trial in found} <= set(range(6))
    assert set(lost) < {trial["settings"]["trainer.C"] for trial in found}
    assert invoke(config, best, "--trials", 4, "--vary", "C=0.3:3").exit_code == 0  # the same journal without a cluster


def test_workers_that_always_die_end_the_search(config, tmp_path, here):  # noqa: F811
    jobs = []

    def function(job):
        jobs.append(job)
        raise WorkerDiedError("the machine was short of memory")

    here(function)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1, "--ray", "local")
    assert result.exit_code == 1
    assert "[M938] No trial ends: This process says each time that the machine was short of memory." in result.stderr
    assert len(jobs) == FRUITLESS


def test_a_worker_that_lacks_a_file_is_named(config, tmp_path, here):  # noqa: F811
    def function(job):
        tune._tuning.cache_clear()
        config.unlink()
        return make_trial(job)

    here(function)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1, "--ray", "local")
    assert result.exit_code == 1
    assert "[M937] This process could not make a trial: [M7" in result.stderr


@pytest.mark.parametrize("options", [["--ray", "local", "--jobs", 2], ["--workers", 2]])
def test_options_that_do_not_go_together(config, tmp_path, options):  # noqa: F811
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1, *options)
    assert result.exit_code == 1
    assert result.stderr.startswith("[M917]")
    assert not (tmp_path / "best.journal").exists()


def test_trials_on_a_cluster(config, tmp_path, cluster, monkeypatch):  # noqa: F811
    @contextmanager
    def connect(address, cpus):
        yield cluster

    monkeypatch.setattr("spacy_mtl.cluster.connect.connect", connect)
    trials = tmp_path / "trials.json"
    args = (config, tmp_path / "best.cfg", "--ray", "local", "--json", trials, "--vary", "C=0.3:3")
    assert invoke(*args, "--trials", 3).exit_code == 0
    assert invoke(*args, "--trials", 4).exit_code == 0
    found = json.loads(trials.read_text())
    assert 2 <= len(found) <= 4  # others ended early
    assert len({trial["settings"]["trainer.C"] for trial in found}) == len(found)
    assert found[0].keys() == {each.name for each in fields(Trial)}
