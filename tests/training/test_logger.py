import io
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest
import spacy
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import registry
from thinc.api import Config

from spacy_mtl.corpora import conll
from spacy_mtl.training import batchers
from spacy_mtl.training.logger import console_logger

REGISTERED = (conll, batchers)  # the configs below name what these modules register


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def shown(self):
        """Lines as a terminal shows them: a carriage return goes back to overwrite."""
        lines = []
        for line in self.getvalue().split("\n"):
            cells = []
            for part in line.split("\r"):
                cells[: len(part)] = part
            lines.append("".join(cells).rstrip())
        return lines


def report(**changes):
    figures = {"primal": 1234.5678, "dual": 1200.25, "gap": 0.031, "live_templates": 97, "n_templates": 134}
    return SimpleNamespace(**{**figures, "passes": 3, **changes})


def make_nlp(*pipeline):
    weights = {"ents_f": 1.0, "ents_p": 0.0, "ents_r": None, "speed": 0.0}
    training = {"eval_frequency": 3, "max_steps": 0, "score_weights": weights}
    return SimpleNamespace(pipeline=list(pipeline), config=Config({"training": training}))


def info(step=0, epoch=0, **changes):
    scores = {"ents_f": np.float64(0.7512345), "ents_p": 0.5, "speed": 12345.6, "ents_per_type": {"PER": {"f": 0.25}}}
    values = {"epoch": epoch, "step": step, "score": 0.75123, "other_scores": scores, "losses": {"tagger": 2.5}}
    return {**values, "checkpoints": [(0.75, 0)], "seconds": 7, "words": 100, **changes}


def run(nlp, *rows, stdout=None, stderr=None, **settings):
    stdout = stdout or io.StringIO()
    step, finalize = console_logger(**settings)(nlp, stdout, stderr or io.StringIO())
    for row in rows:
        step(row)
    finalize()
    return stdout.getvalue().splitlines()


def cells(lines):
    """Row cells by header, told apart by where the dashes stand."""
    head, rule, *rows = lines
    spans, start = [], 0
    for dashes in rule.split("  "):
        spans.append((start, start + len(dashes)))
        start += len(dashes) + 2
    return [{head[a:b].strip(): row[a:b].strip() for a, b in spans} for row in rows]


OURS = ("ner", SimpleNamespace(report=report(), is_trainable=True))


def test_a_row_shows_report_scores_and_time():
    (row,) = cells(run(make_nlp(OURS), info(step=30, epoch=2, losses={"ner": 41.256})))
    assert row == {
        "E": "2",
        "#": "30",
        "LOSS": "41.26",
        "PRIMAL": "1234.57",
        "DUAL": "1200.25",
        "GAP %": "3.10",
        "LIVE": "97/134",
        "ENTS_F": "75.12",
        "ENTS_P": "50.00",
        "SPEED": "12346",
        "SCORE": "0.7512",
        "SEC": "7",
    }


def test_all_lines_are_aligned():
    lines = run(make_nlp(OURS), info(), info(step=3))
    assert len(lines) == 4
    assert len({len(line) for line in lines}) == 1


def test_no_report_and_nan_are_blank():
    pipe = SimpleNamespace(report=None)
    nlp = make_nlp(("ner", pipe))
    stdout = io.StringIO()
    step, finalize = console_logger()(nlp, stdout, io.StringIO())
    step(info())
    pipe.report = report(dual=math.nan, gap=np.float32(np.nan))
    step(info(other_scores={}))
    finalize()
    first, second = cells(stdout.getvalue().splitlines())
    assert [first[name] for name in ("PRIMAL", "DUAL", "GAP %", "LIVE")] == [""] * 4
    assert [second[name] for name in ("PRIMAL", "DUAL", "GAP %", "LIVE")] == ["1234.57", "", "", "97/134"]
    assert second["ENTS_F"] == ""


def test_components_of_others_show_their_loss():
    tagger = ("tagger", SimpleNamespace(is_trainable=True))
    lookup = ("lookup", SimpleNamespace(report=lambda: "a method, not ours", is_trainable=False))
    (row,) = cells(run(make_nlp(tagger, lookup, OURS), info()))
    assert row["LOSS TAGGER"] == "2.50"
    assert not any("LOOKUP" in name or name == "LOSS NER" for name in row)


def test_several_reporting_components_are_named():
    other = ("chunker", SimpleNamespace(report=report(primal=0.5)))
    (row,) = cells(run(make_nlp(OURS, other), info()))
    assert (row["NER PRIMAL"], row["CHUNKER PRIMAL"]) == ("1234.57", "0.5")


def test_json_lines_are_complete_and_unrounded(tmp_path):
    path = tmp_path / "logs" / "run.jsonl"
    pipe = SimpleNamespace(report=report(dual=math.nan, gap=np.float32(0.1), passes=np.int64(4)))
    run(make_nlp(("ner", pipe), ("chunker", SimpleNamespace(report=None))), info(step=3), None, path=str(path))
    (row,) = [json.loads(line) for line in path.read_text().splitlines()]
    ner = {"primal": 1234.5678, "dual": None, "gap": float(np.float32(0.1)), "live_templates": 97, "n_templates": 134}
    assert row == {
        "epoch": 0,
        "step": 3,
        "score": 0.75123,
        "other_scores": {"ents_f": 0.7512345, "ents_p": 0.5, "speed": 12345.6, "ents_per_type": {"PER": {"f": 0.25}}},
        "losses": {"tagger": 2.5},
        "seconds": 7,
        "words": 100,
        "reports": {"ner": {**ner, "passes": 4}, "chunker": None},
    }


def test_json_rows_are_on_disk_at_once_and_begin_anew(tmp_path):
    path = tmp_path / "run.jsonl"
    path.write_text("of an earlier run\n")
    step, finalize = console_logger(path=path)(make_nlp(OURS), io.StringIO(), io.StringIO())
    assert path.read_text() == ""
    step(info())
    step(info(step=3, score=math.inf))
    rows = [json.loads(line) for line in path.read_text().splitlines()]  # before finalize
    assert [row["step"] for row in rows] == [0, 3]
    assert rows[1]["score"] is None
    finalize()


def test_a_log_that_cannot_be_written_is_refused_at_the_start(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"M517.*run\.jsonl"):
        run(make_nlp(OURS), path=tmp_path / "file" / "run.jsonl")
    with pytest.raises(ValueError, match="M517"):
        run(make_nlp(OURS), path=tmp_path)


def test_progress_bar_does_not_break_the_table():
    rows = [info(), None, None, info(step=3), None, None, info(step=6, epoch=1), None]
    terminal = Terminal()
    run(make_nlp(OURS), *rows, stdout=terminal, stderr=terminal)
    assert "Epoch 1" in terminal.getvalue()
    assert "0/3" in terminal.getvalue()
    assert [line for line in terminal.shown() if line] == run(make_nlp(OURS), *rows)


def test_progress_bar_ends_with_training():
    nlp = make_nlp(OURS)
    nlp.config["training"]["max_steps"] = 5
    terminal = Terminal()
    run(nlp, info(step=3), None, stderr=terminal)
    assert "0/2" in terminal.getvalue()


def test_first_pass_is_announced_and_gone_with_its_row():
    waiting, terminal = Terminal(), Terminal()
    run(make_nlp(OURS), stdout=waiting, stderr=waiting)
    assert "First pass" in waiting.getvalue()
    run(make_nlp(OURS), info(), stdout=terminal, stderr=terminal)
    assert "First pass" in terminal.getvalue()
    assert not [line for line in terminal.shown() if "First pass" in line]


def test_no_progress_bar_without_a_terminal_or_when_switched_off():
    plain, terminal = io.StringIO(), Terminal()
    run(make_nlp(OURS), info(), None, info(step=3), stderr=plain)
    run(make_nlp(OURS), info(), None, info(step=3), stderr=terminal, progress_bar=False)
    assert plain.getvalue() == terminal.getvalue() == ""


CONFIG = """
[nlp]
lang = "es"
pipeline = ["tagger"]

[components]

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"

[components.tagger.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 4
depth = 1
embed_size = 10
window_size = 1
maxout_pieces = 2
subword_features = false

[corpora]

[corpora.train]
@readers = "spacy_mtl.ConllCorpus.v1"
path = PATH
given = []

[corpora.dev]
@readers = "spacy_mtl.ConllCorpus.v1"
path = PATH
given = []

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
max_steps = 2
eval_frequency = 2

[training.batcher]
@batchers = "spacy_mtl.whole_corpus.v1"

[training.logger]
@loggers = "spacy_mtl.ConsoleLogger.v1"
path = LOG

[training.score_weights]
tag_acc = 1.0
"""


def test_in_the_training_loop_of_spacy(tmp_path):
    corpus, log = tmp_path / "corpus.txt", tmp_path / "log.jsonl"
    corpus.write_text("Ana N O\nríe V O\n\nLuz N O\ncanta V O\n", encoding="utf8")
    text = CONFIG.replace("PATH", json.dumps(str(corpus))).replace("LOG", json.dumps(str(log)))
    config = spacy.blank("es").config.merge(Config().from_str(text))
    stdout = io.StringIO()
    train(init_nlp(config), stdout=stdout, stderr=io.StringIO())
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["epoch"], row["step"], row["words"]) for row in rows] == [(0, 0, 4), (2, 2, 12)]
    table = stdout.getvalue().splitlines()[-4:]
    assert [(row["#"], row["TAG_ACC"], row["LOSS TAGGER"]) for row in cells(table)] == [
        (str(row["step"]), f"{100 * row['other_scores']['tag_acc']:.2f}", f"{row['losses']['tagger']:.2f}")
        for row in rows
    ]


def test_from_a_config():
    config = Config().from_str('[l]\n@loggers = "spacy_mtl.ConsoleLogger.v1"\n')
    assert registry.fill(config)["l"]["progress_bar"] is True
    assert callable(registry.resolve(config)["l"])


def test_a_full_disk_is_named_and_the_training_can_end():
    step, finalize = console_logger(path="/dev/full", progress_bar=False)(make_nlp(OURS), io.StringIO(), io.StringIO())
    with pytest.raises(OSError, match=r"^\[Errno 28\] \[M650\] '/dev/full' cannot be written: the disk is full"):
        step(info())
    finalize()


def test_passes_of_a_long_update_are_shown():
    """Each pass by the bar of its step, until the training has ended; nothing where an update is one pass."""
    pipe = SimpleNamespace(report=report(), after_pass=None)
    terminal = Terminal()
    step, finalize = console_logger()(make_nlp(("ner", pipe)), io.StringIO(), terminal)
    pipe.after_pass(1, 1)
    assert "pass 1" not in terminal.getvalue()
    pipe.after_pass(3, 10)
    assert "ner: pass 3 of 10" in terminal.getvalue()
    step(info())
    pipe.after_pass(2, 5)
    assert "ner: pass 2 of 5" in terminal.getvalue()
    finalize()
    assert pipe.after_pass is None
