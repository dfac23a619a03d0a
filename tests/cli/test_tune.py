"""``spacy mtl tune``: the best settings of a config."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from spacy.cli import app
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_mtl.choosing.tuning import Trial
from spacy_mtl.cli.choosing.tune import _best_config
from spacy_mtl.cli.validate import make_pipeline

from ..configs import RECOGNIZER

ASSETS = Path(__file__).parents[2] / "assets" / "es-entities"


def invoke(*args):
    return CliRunner().invoke(app, ["mtl", "tune", *map(str, args)])


@pytest.fixture
def config(tmp_path):
    text = RECOGNIZER.replace("train = null", f'train = "{ASSETS / "train.conll"}"')
    text = text.replace("dev = null", f'dev = "{ASSETS / "dev.conll"}"')
    text = text.replace(
        '@mtl_trainers = "spacy_mtl.MTLStruct.v1"', '@mtl_trainers = "spacy_mtl.MTLStruct.v1"\n# mine\nC = 1.0\np = 1.5'
    )
    path = tmp_path / "mine.cfg"
    path.write_text(text, encoding="utf8")
    return path


def test_the_best_config_keeps_its_comments(config, tmp_path):
    best = tmp_path / "best.cfg"
    result = invoke(
        config, best, "--trials", 3, "--json", tmp_path / "trials.json", "--vary", "C=0.3:3", "--vary", "megabytes=1,2"
    )
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    trials = json.loads((tmp_path / "trials.json").read_text())
    finals = [trial["final"] for trial in trials if trial["final"] is not None]
    assert len(finals) >= 1
    assert trials[0]["final"] in finals
    settings = trials[0]["settings"]
    component = load_config(best)["components"]["ner"]
    assert component["trainer"]["C"] == settings["trainer.C"]
    assert component["model"]["megabytes"] == settings["model.megabytes"]
    assert component["trainer"]["p"] == 1.5
    assert "# mine\nC = " in best.read_text()
    assert (tmp_path / "best.journal").exists()


def test_trainers_and_schemes_are_tried_once_each(config, tmp_path):
    best, asked = tmp_path / "best.cfg", ["--vary", "trainer=SSVM,CRF", "--vary", "scheme=biluo,iob2"]
    result = invoke(config, best, *asked, "--json", tmp_path / "trials.json")
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    trials = json.loads((tmp_path / "trials.json").read_text())
    assert 2 <= len(trials) <= 4  # some may have ended early
    chosen, component = trials[0]["settings"], load_config(best)["components"]["ner"]
    assert (component["trainer"]["@mtl_trainers"], component["scheme"]) == (chosen["trainer"], chosen["scheme"])
    assert component["trainer"]["C"] == 1.0
    assert "p" not in component["trainer"]
    nlp = load_model_from_config(load_config(best), auto_fill=True)
    assert type(nlp.get_pipe("ner").trainer).__name__ == chosen["trainer"].split(".")[1]


def test_a_block_that_is_referred_to_becomes_the_components_own(config, tmp_path):
    text = config.read_text()
    section = text[text.index("[components.ner.trainer]") :].partition("\n\n")[0]
    text = text.replace(section + "\n\n", "").replace(
        "[components.ner]\n", "[components.ner]\ntrainer = ${shared.trainer}\n"
    )
    config.write_text(text + "\n[shared]\n\n" + section.replace("components.ner", "shared") + "\n", encoding="utf8")
    best = tmp_path / "best.cfg"
    result = invoke(config, best, "--vary", "C=0.01,3")
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    found = load_config(best)
    assert found["components"]["ner"]["trainer"]["C"] in (0.01, 3)
    assert found["components"]["ner"]["trainer"]["p"] == 1.5
    assert found["shared"] == load_config(config)["shared"]


def test_names_that_are_referred_to_are_written(config, tmp_path):
    named = "@mtl_trainers = ${vars.trainer}"
    text = config.read_text().replace('@mtl_trainers = "spacy_mtl.MTLStruct.v1"', named)
    assert named in text
    config.write_text('[vars]\ntrainer = "spacy_mtl.MTLStruct.v1"\n\n' + text)
    best = tmp_path / "best.cfg"
    result = invoke(config, best, "--vary", "C=0.01,3", "--trials", 2)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert load_config(best)["components"]["ner"]["trainer"]["@mtl_trainers"] == "spacy_mtl.MTLStruct.v1"


def test_another_trainer_takes_values_that_are_referred_to(config, tmp_path):
    config.write_text("[vars]\nC = 2.5\n\n" + config.read_text().replace("C = 1.0", "C = ${vars.C}"), encoding="utf8")
    best = tmp_path / "best.cfg"
    result = invoke(config, best, "--vary", "trainer=CRF,EG", "--trials", 2)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert load_config(best)["components"]["ner"]["trainer"]["C"] == 2.5


def test_blocks_that_the_config_leaves_at_their_defaults_are_written(tmp_path):
    path, best = tmp_path / "mine.cfg", tmp_path / "best.cfg"
    path.write_text('[nlp]\nlang = "es"\npipeline = ["ner"]\n\n[components]\n\n[components.ner]\nfactory = "mtl_ner"\n')
    filled = make_pipeline(path).config["components"]["ner"]
    for settings, blocks in (
        ({"trainer.C": 0.5}, {"trainer"}),
        ({"trainer": "spacy_mtl.SSVM.v1", "trainer.C": 0.5}, {"trainer"}),
        ({"model.templates.min_count": 2, "scheme": "iob2"}, {"model", "scheme"}),
        ({"model.megabytes": 3, "trainer.C": 0.5}, {"model", "trainer"}),
    ):
        best.write_text(_best_config(path, "ner", Trial(0, settings, 0.0, 0.0, 0.0, 0.0), filled))
        assert load_config(best)["components"]["ner"].keys() == {"factory", *blocks}
        component = make_pipeline(best).config["components"]["ner"]
        found = {key: of(component, key.split(".")) for key in settings}
        assert found == settings


def of(block, path):
    for key in path:
        block = block[key]
    return block.get("@mtl_trainers", block) if isinstance(block, dict) else block


def test_it_goes_on_and_counts_what_is_there(config, tmp_path):
    for trials in (2, 3, 3):
        assert invoke(config, tmp_path / "best.cfg", "--trials", trials, "--json", tmp_path / "t.json").exit_code == 0
    assert len(json.loads((tmp_path / "t.json").read_text())) == 3


def test_folds_need_no_dev_corpus(config, tmp_path):
    text = config.read_text().replace(str(ASSETS / "dev.conll"), "none.conll")
    config.write_text(text)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 2, "--folds", 3, "--vary", "C=0.3:3")
    assert result.exit_code == 0, result.stderr
    result = invoke(config, tmp_path / "other.cfg", "--trials", 2, "--vary", "C=0.3:3")
    assert (result.exit_code, "none.conll" in result.stderr) == (1, True)


TABLES = """
[initialize]

[initialize.components]

[initialize.components.ner]

[initialize.components.ner.tables]

[initialize.components.ner.tables.CLUSTER]
@mtl_tables = "spacy_mtl.brown.v1"
path = "{clusters}"

[initialize.components.ner.tables.LIST_names]
@mtl_tables = "spacy_mtl.corpus_phrases.v1"
folds = 2
"""


@pytest.mark.parametrize("folds", [0, 2])
def test_tables_of_the_config_are_read(config, tmp_path, folds):
    """Clusters, and a list of the corpus, which each part fills for itself."""
    (tmp_path / "clusters.tsv").write_text("0010\tMadrid\t9\n0011\tParís\t5\n1000\tde\t50\n", encoding="utf8")
    text = config.read_text().replace(
        '"spacy_mtl.tp1.v1"', '"spacy_mtl.ner.v1"\ntag = false\nclusters = ["CLUSTER"]\nlists = ["LIST_names"]'
    )
    config.write_text(text.partition("[initialize")[0] + TABLES.format(clusters=tmp_path / "clusters.tsv"))
    result = invoke(config, tmp_path / "best.cfg", "--trials", 2, "--folds", folds)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert "LIST_names" in (tmp_path / "best.cfg").read_text()
    (tmp_path / "clusters.tsv").write_text("0010\tMadrid\t9\n0011\tde\t5\n", encoding="utf8")
    result = invoke(config, tmp_path / "best.cfg", "--trials", 3, "--folds", folds)
    assert result.exit_code == 1
    assert "tables and vectors" in result.stderr  # scores with other clusters cannot be compared
    config.write_text(config.read_text().replace("clusters.tsv", "none.tsv"))
    result = invoke(config, tmp_path / "other.cfg", "--trials", 2)
    assert result.exit_code == 1
    assert "[M8" in result.stderr
    assert "none.tsv" in result.stderr


def test_of_the_config_nothing_else_is_made(config, tmp_path):
    """Such as the corpus of a tokenizer, whose path is given to other commands."""
    corpus = '\n[initialize]\n\n[initialize.tokenizer]\n\n[initialize.tokenizer.corpus]\n@readers = "spacy_mtl.ConlluCorpus.v1"\npath = null\n'
    config.write_text(config.read_text().partition("[initialize")[0] + corpus)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1)
    assert (result.exit_code, result.exception) == (0, None), result.stderr


def test_several_processes_share_the_trials(config, tmp_path):
    result = invoke(config, tmp_path / "best.cfg", "--trials", 4, "--jobs", 2, "--json", tmp_path / "t.json")
    assert result.exit_code == 0, result.stderr
    assert len({trial["number"] for trial in json.loads((tmp_path / "t.json").read_text())}) == 4


def test_no_process_outlives_a_search_that_was_killed(config, tmp_path):
    command = [sys.executable, "-m", "spacy", "mtl", "tune", config, tmp_path / "best.cfg"]
    process = subprocess.Popen(
        [*command, "--trials", "5000", "--jobs", "2"], start_new_session=True, stderr=subprocess.DEVNULL
    )
    journal = tmp_path / "best.journal"
    while not (journal.exists() and journal.read_text().count("\n") > 20):  # both are at work
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    left = True
    for _ in range(600):
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            left = False
            break
        time.sleep(0.05)
    if left:
        os.killpg(process.pid, signal.SIGKILL)
    assert not left


def test_an_interrupt_writes_the_best_so_far(config, tmp_path, monkeypatch):
    from spacy_mtl.choosing.tuning import Tuning

    whole = Tuning.run

    def interrupted(self, n, tell=None):
        whole(self, 1, tell)
        raise KeyboardInterrupt

    monkeypatch.setattr(Tuning, "run", interrupted)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 3, "--vary", "C=0.3:3")
    assert result.exit_code == 130
    assert "goes on with the search" in result.stderr
    assert load_config(tmp_path / "best.cfg")["components"]["ner"]["trainer"]["C"] == 1.0


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--vary", "C"], "M778"),
        (["--vary", "D=1:2"], "M779"),
        (["--folds", 100], "M783"),
        (["--folds", 1], "M783"),
        (["--component", "tagger"], "M761"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(config, tmp_path, options, code):
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1, *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"[{code}]")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.cfg"]


def test_without_optuna_nothing_is_read(config, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    monkeypatch.setattr("spacy_mtl.choosing.tuning.Tuning.check", None)
    result = invoke(config, tmp_path / "best.cfg")
    assert result.exit_code == 1
    assert result.stderr.startswith("[M780] ")


def test_a_search_without_a_trial_writes_nothing(config, tmp_path, monkeypatch):
    def interrupted(self, n, tell=None):
        raise KeyboardInterrupt

    monkeypatch.setattr("spacy_mtl.choosing.tuning.Tuning.run", interrupted)
    result = invoke(config, tmp_path / "best.cfg")
    assert "\r[M782] " in result.stderr
    assert not (tmp_path / "best.cfg").exists()


def test_a_full_disk_is_told(config, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("spacy_mtl.cli.shared.output.write_atomically", full)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 1)
    assert "\r[M704] " in result.stderr
    assert not (tmp_path / "best.cfg").exists()


def test_a_journal_that_cannot_go_on_is_told(config, tmp_path, monkeypatch):
    from optuna.storages.journal import JournalFileBackend

    whole, calls = JournalFileBackend.append_logs, []

    def full(self, logs):
        calls.append(1)
        if len(calls) > 12:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        whole(self, logs)

    monkeypatch.setattr(JournalFileBackend, "append_logs", full)
    result = invoke(config, tmp_path / "best.cfg", "--trials", 3, "--vary", "C=0.3:3")
    assert result.exit_code == 1
    assert "[M704] " in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "best.cfg").exists()
